//! Slicers: which filter and pivot tables a slicer controls, and what they select.
//!
//! A slicer stores only its column. What is selected in it is the condition of the filter of its
//! sheet that contains the column, and of the pivot tables of its sheet whose source contains it, as
//! slicers of Google Sheets apply to their sheet. So everything that changes these conditions
//! changes the slicer, and nothing can contradict them.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, Value, parse_number};
use quadrille_number_format::{InputContext, NumberFormat, parse_input_with};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};

/// How dates are written in the conditions of a filter and in commands.
const DATE_CODE: &str = "yyyy-mm-dd";

/// What a slicer controls.
#[derive(Clone, PartialEq, Debug)]
pub struct SlicerTargets {
    /// The sheet of the slicer's column.
    pub sheet: SheetId,
    /// The column of the slicer, counted from 0.
    pub column: u32,
    /// The rows of the column below its header, first and last.
    pub rows: (u32, u32),
    pub filter: Option<SlicerFilter>,
    /// The pivot tables with the numbers of their filters of this column, if they have one.
    pub pivot_tables: Vec<(ItemId, Option<usize>)>,
}

/// The filter that a slicer controls.
#[derive(Clone, PartialEq, Debug)]
pub struct SlicerFilter {
    pub filter: ItemId,
    /// The cells of the slicer's column within the filter, with the header.
    pub cells: Range,
    /// The condition of the column.
    pub condition: Option<ItemId>,
}

/// What is selected in a slicer.
#[derive(Clone, PartialEq, Debug)]
pub enum SlicerSelection {
    /// No condition.
    All,
    /// Values by the texts that filters compare; the empty text stands for blank cells.
    Values(Vec<Arc<str>>),
    /// The first and the last day, as serial numbers.
    Period(f64, f64),
    /// A condition that a slicer cannot show, such as the ten highest values.
    Other,
}

impl SlicerTargets {
    /// Whether there is nothing to filter.
    pub fn is_empty(&self) -> bool {
        self.filter.is_none() && self.pivot_tables.is_empty()
    }
}

/// What a slicer on the sheet `host` controls, with the open filter view `view` in place of the
/// sheet's filter. `None` when its column refers to no column.
pub fn slicer_targets(
    workbook: &Workbook,
    host: SheetId,
    slicer: &Item,
    view: Option<ItemId>,
) -> Option<SlicerTargets> {
    let (sheet, cells) = workbook.referenced_range(host, slicer, Field::Column)?;
    if cells.column_count() != 1 {
        return None;
    }
    let column = cells.first().column.get();
    let on = workbook.sheet(host)?;
    let filter = if sheet == host { filter_of(on, cells, view) } else { None };
    let mut data = filter.as_ref().map(|filter| filter.cells);
    let mut pivot_tables = Vec::new();
    for (id, pivot) in on.items().of_kind(ItemKind::PivotTable) {
        let Some((source_sheet, source)) = workbook.referenced_range(host, pivot, Field::Source) else {
            continue;
        };
        let Some(own) = source.intersection(cells).filter(|_| source_sheet == sheet) else { continue };
        let of_column = |record: &FieldValue| match record {
            FieldValue::Record(record) => column_of(workbook, host, record) == Some((sheet, column)),
            _ => false,
        };
        pivot_tables.push((id, filters_of(pivot).iter().position(of_column)));
        data.get_or_insert(own);
    }
    let data = data.unwrap_or(cells);
    let rows = (data.first().row.get() + 1, data.last().row.get());
    Some(SlicerTargets { sheet, column, rows, filter, pivot_tables })
}

/// What the first of the targets selects. All have the same condition unless somebody changed one
/// of them by itself.
pub fn slicer_selection(workbook: &Workbook, host: SheetId, targets: &SlicerTargets) -> SlicerSelection {
    let items = workbook.sheet(host).map(Sheet::items);
    let item = |id: ItemId| items.and_then(|items| items.get(id));
    if let Some(filter) = &targets.filter {
        let Some(condition) = filter.condition.and_then(item) else { return SlicerSelection::All };
        return selection_of(&condition.fields, workbook.date_system());
    }
    let Some((pivot, index)) = targets.pivot_tables.first() else { return SlicerSelection::All };
    let record = item(*pivot).zip(*index).and_then(|(pivot, index)| filters_of(pivot).get(index));
    match record {
        Some(FieldValue::Record(record)) => selection_of(record, workbook.date_system()),
        _ => SlicerSelection::All,
    }
}

fn filter_of(sheet: &Sheet, cells: Range, view: Option<ItemId>) -> Option<SlicerFilter> {
    let items = sheet.items();
    let open = view.and_then(|id| Some((id, items.get(id)?)));
    let open = open.filter(|(_, item)| item.kind == ItemKind::FilterView);
    let (filter, range) = match open {
        Some((id, view)) => Some((id, *view.anchors.first()?)).filter(|(_, range)| range.intersects(cells)),
        None => items
            .of_kind(ItemKind::AutoFilter)
            .filter_map(|(id, filter)| Some((id, *filter.anchors.first()?)))
            .find(|(_, range)| range.intersects(cells)),
    }?;
    let column = cells.first().column.get();
    let of_column = |condition: &Item| {
        let anchor = condition.anchors.first().map(|anchor| anchor.first().column.get());
        condition.parent() == Some(filter) && anchor == Some(column)
    };
    let mut conditions = items.of_kind(ItemKind::FilterColumn);
    let condition = conditions.find(|(_, condition)| of_column(condition)).map(|(id, _)| id);
    let cells = Range::from_indices(range.first().row.get(), column, range.last().row.get(), column)?;
    Some(SlicerFilter { filter, cells, condition })
}

/// The filters of a pivot table.
pub(crate) fn filters_of(pivot: &Item) -> &[FieldValue] {
    match pivot.fields.get(&Field::Filters) {
        Some(FieldValue::List(filters)) => filters,
        _ => &[],
    }
}

fn column_of(
    workbook: &Workbook,
    host: SheetId,
    record: &BTreeMap<Field, FieldValue>,
) -> Option<(SheetId, u32)> {
    let Some(FieldValue::Formula { at, template }) = record.get(&Field::Column) else { return None };
    let (sheet, cells) = workbook.range_of_formula(host, *at, template)?;
    Some((sheet, cells.first().column.get()))
}

/// The selection that a condition of a filter or of a pivot table stands for.
fn selection_of(fields: &BTreeMap<Field, FieldValue>, dates: DateSystem) -> SlicerSelection {
    let text = |field: Field| match fields.get(&field) {
        Some(FieldValue::Text(text)) => Some(&**text),
        _ => None,
    };
    let number =
        |field: Field| text(field).and_then(|text| serial(text, dates).or_else(|| parse_number(text)));
    let period = match (text(Field::Operator), text(Field::Operator2)) {
        (Some("greaterOrEqual"), Some("less")) if text(Field::Join) != Some("or") => {
            number(Field::Value1).zip(number(Field::Value2).map(|end| end - 1.0))
        }
        (Some("between"), None) => number(Field::Value1).zip(number(Field::Value2).map(f64::floor)),
        (None, None) => {
            let is_by_values = matches!(text(Field::Rule), None | Some("values"));
            return match fields.get(&Field::Shown) {
                Some(FieldValue::List(shown)) if is_by_values && !fields.contains_key(&Field::ShownDates) => {
                    let texts = shown.iter().filter_map(|shown| match shown {
                        FieldValue::Text(text) => Some(text.clone()),
                        _ => None,
                    });
                    let has_blanks = fields.get(&Field::ShowBlanks) == Some(&FieldValue::Boolean(true));
                    SlicerSelection::Values(texts.chain(has_blanks.then(|| "".into())).collect())
                }
                None if is_by_values && !fields.contains_key(&Field::ShownDates) => SlicerSelection::All,
                _ => SlicerSelection::Other,
            };
        }
        _ => None,
    };
    period.map_or(SlicerSelection::Other, |(first, last)| SlicerSelection::Period(first, last))
}

/// The serial number of a date as `2024-12-31`; `None` for other texts.
pub fn serial(date: &str, dates: DateSystem) -> Option<f64> {
    let is_date = date.len() == 10 && date.split('-').count() == 3;
    match parse_input_with(date, InputContext::invariant(dates)).value {
        Value::Number(serial) if is_date && date_text(serial, dates) == date => Some(serial),
        _ => None,
    }
}

/// A serial number as a date such as `2024-12-31`.
pub fn date_text(serial: f64, dates: DateSystem) -> String {
    NumberFormat::parse(DATE_CODE).with_date_system(dates).format(&Value::Number(serial)).text
}

/// The cell above the rows of a slicer's column, which has its header.
pub fn header_cell(targets: &SlicerTargets) -> CellAddress {
    CellAddress::clamped(targets.rows.0 - 1, targets.column)
}
