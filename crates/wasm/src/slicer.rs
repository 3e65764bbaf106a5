//! What a slicer shows: the values or the dates of its column, and which of them are selected.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_operation::{
    SlicerSelection, SlicerTargets, date_text, header_cell, slicer_selection, slicer_targets,
};
use quadrille_workbook::{Field, ItemId, ItemKind};
use serde::Serialize;
use ts_rs::TS;

use crate::filter_messages::ColumnValue;
use crate::messages::RangePosition;
use crate::search::column_values;

/// What a slicer shows.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SlicerDetails {
    /// Whether the slicer refers to a column, and whether a filter or a pivot table of its sheet has
    /// this column.
    pub has_column: bool,
    pub has_targets: bool,
    /// The displayed text of the column's header.
    pub header: String,
    /// The values of the column; empty for a timeline.
    pub values: Vec<ColumnValue>,
    /// The keys of the selected values; `null` without a selection of values.
    pub shown: Option<Vec<String>>,
    /// The first and the last day of the column (`2024-12-31`); `null` without dates, and for values.
    pub dates: Option<(String, String)>,
    /// The first and the last selected day.
    pub period: Option<(String, String)>,
    /// Whether the column has a condition that a slicer cannot show.
    pub has_other_condition: bool,
}

/// The contents of a slicer; `None` when there is no such item.
pub fn details(
    document: &Document,
    host: SheetId,
    item: ItemId,
    view: Option<ItemId>,
) -> Option<SlicerDetails> {
    let workbook = document.workbook();
    let slicer = workbook.sheet(host)?.item(item).filter(|item| item.kind == ItemKind::Slicer)?;
    let is_of_dates = slicer.text(Field::Type).is_some_and(|kind| &**kind == "dates");
    let mut details = SlicerDetails::default();
    let Some(targets) = slicer_targets(workbook, host, slicer, view) else { return Some(details) };
    details.has_column = true;
    details.has_targets = !targets.is_empty();
    details.header = document.display(targets.sheet, header_cell(&targets)).text;
    match slicer_selection(workbook, host, &targets) {
        SlicerSelection::All => {}
        SlicerSelection::Values(shown) => {
            details.shown = Some(shown.iter().map(|shown| shown.to_string()).collect());
        }
        SlicerSelection::Period(first, last) => {
            let dates = workbook.date_system();
            details.period = Some((date_text(first, dates), date_text(last, dates)));
        }
        SlicerSelection::Other => details.has_other_condition = true,
    }
    if is_of_dates {
        details.dates = dates(document, &targets);
    } else {
        details.values = values(document, &targets);
    }
    Some(details)
}

/// The rows of the column that are in use.
fn rows(document: &Document, targets: &SlicerTargets) -> Option<(u32, u32)> {
    let used = document.workbook().sheet(targets.sheet)?.used_range()?.last().row.get();
    let (first, last) = targets.rows;
    (first <= last.min(used)).then(|| (first, last.min(used)))
}

fn values(document: &Document, targets: &SlicerTargets) -> Vec<ColumnValue> {
    let Some((top, bottom)) = rows(document, targets) else { return Vec::new() };
    let Some(range) = Range::from_indices(top, targets.column, bottom, targets.column) else {
        return Vec::new();
    };
    column_values(document, targets.sheet, RangePosition::from(range), targets.column)
}

/// The first and the last day among the numbers of the column.
fn dates(document: &Document, targets: &SlicerTargets) -> Option<(String, String)> {
    let sheet = document.workbook().sheet(targets.sheet)?;
    let (top, bottom) = rows(document, targets)?;
    let numbers =
        (top..=bottom).filter_map(|row| match sheet.value(CellAddress::clamped(row, targets.column)) {
            Value::Number(number) if number >= 0.0 => Some(number.floor()),
            _ => None,
        });
    let limits = numbers.fold(None, |limits: Option<(f64, f64)>, number| match limits {
        Some((first, last)) => Some((first.min(number), last.max(number))),
        None => Some((number, number)),
    });
    let dates = document.workbook().date_system();
    limits.map(|(first, last)| (date_text(first, dates), date_text(last, dates)))
}
