//! Pivot tables of a workbook that is written: their cells, and the values of their sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_pivot::{Definition, NumberFormatSource, Output, OwnGroups, Pivot};
use quadrille_workbook::{Format, ItemId, ItemKind, Sheet, Workbook};

/// Different values of a field that are listed, at most; a pivot table with more is written as
/// values.
pub(crate) const ITEMS_MAX: usize = 32_000;

/// A pivot table that fills cells of a sheet.
pub(crate) struct FilledPivot {
    pub item: ItemId,
    pub definition: Definition,
    pub output: Arc<Output>,
    pub area: Range,
}

/// The pivot tables of a sheet that are not blocked by other cells.
pub(crate) fn filled_pivots(workbook: &Workbook, sheet: &Sheet) -> Vec<FilledPivot> {
    let filled = |item: ItemId, anchor: CellAddress, definition: Definition| {
        // Only the order of groups depends on values. Without results of calculated fields, pivot
        // tables that are ordered by them are written as values.
        let is_ordered = definition.is_ordered_by_calculation();
        let pivot = Pivot::refresh(None, definition, workbook, &mut |_| false, &mut |_| Value::Blank)?;
        let output = pivot.output().as_ref().ok()?.clone();
        let (rows, columns) = (output.cells.rows(), output.cells.columns());
        let last = CellAddress::new(anchor.row.get() + rows - 1, anchor.column.get() + columns - 1)?;
        let is_filled =
            sheet.spill_anchor(anchor) == Some(anchor) && sheet.spill_anchor(last) == Some(anchor);
        let area = Range::new(anchor, last);
        (is_filled && !is_ordered).then(|| FilledPivot {
            item,
            definition: pivot.definition().clone(),
            output,
            area,
        })
    };
    let items = sheet.items().of_kind(ItemKind::PivotTable);
    let pivots = items.filter_map(|(id, item)| {
        let anchor = item.anchors.first()?.first();
        filled(id, anchor, Definition::read(workbook, sheet.id(), item).ok()?)
    });
    pivots.collect()
}

/// The format in which a cell of a pivot table is displayed.
pub(crate) fn pivot_format(
    workbook: &Workbook,
    sheet: &Sheet,
    pivot: &FilledPivot,
    cell: CellAddress,
) -> Format {
    let first = pivot.area.first();
    let (row, column) = (cell.row.get() - first.row.get(), cell.column.get() - first.column.get());
    let role = pivot.output.role(row, column);
    let mut format = sheet.format(cell).clone();
    format.bold |= role.is_header || role.is_total;
    format.indent = format.indent.max(role.indent);
    if format.number_format.is_none() {
        let definition = &pivot.definition;
        format.number_format = match role.number_format {
            NumberFormatSource::Code(code) => Some(code),
            NumberFormatSource::Column(column) => {
                let (first, _) = definition.data_rows();
                let column = definition.source.first().column.get() + column;
                let source = workbook.sheet(definition.sheet);
                source
                    .and_then(|sheet| sheet.format(CellAddress::clamped(first, column)).number_format.clone())
            }
            NumberFormatSource::None => None,
        };
    }
    format
}

/// The cells of a column of the source, without those below the last used row.
pub(crate) fn data_cells<'a>(
    sheet: &'a Sheet,
    definition: &Definition,
    column: u32,
) -> impl Iterator<Item = Value> + use<'a> {
    let used = sheet.used_range().map_or(0, |used| used.last().row.get());
    let (first, count) = definition.data_rows();
    let end = (first + count).min(used + 1);
    let column = definition.source.first().column.get() + column;
    (first..end).map(move |row| sheet.value(CellAddress::clamped(row, column)))
}

/// The different values of a column in the order in which pivot tables show them.
pub(crate) fn different_values(sheet: &Sheet, definition: &Definition, column: u32) -> Option<Vec<Value>> {
    let mut found: BTreeMap<LabelKey, Value> = BTreeMap::new();
    for value in data_cells(sheet, definition, column) {
        found.entry(label_key(&value)).or_insert(value);
        if found.len() > ITEMS_MAX {
            return None;
        }
    }
    Some(found.into_values().collect())
}

type LabelKey = (u8, u64, String);

/// Orders labels as pivot tables do: numbers by their bits, texts in lower case, others.
fn label_key(value: &Value) -> LabelKey {
    match value {
        Value::Number(number) => {
            let bits = number.to_bits();
            (0, if *number < 0.0 { !bits } else { bits | 1 << 63 }, String::new())
        }
        Value::Text(text) => (1, 0, text.to_lowercase()),
        Value::Boolean(boolean) => (2, u64::from(*boolean), String::new()),
        Value::Error(error) => (3, error.code() as u64, String::new()),
        Value::Blank => (4, 0, String::new()),
    }
}

/// The labels of a field with groups of one's own, in the order in which pivot tables show them, and
/// for each of `values` the position of its label.
pub(crate) fn own_labels(groups: &OwnGroups, values: &[Value]) -> (Vec<Value>, Vec<usize>) {
    let label = |value: &Value| {
        groups.of_value(value).map_or_else(|| value.clone(), |name| Value::Text(name.clone()))
    };
    let mut labels: BTreeMap<LabelKey, Value> = BTreeMap::new();
    for value in values {
        let label = label(value);
        labels.entry(label_key(&label)).or_insert(label);
    }
    let keys: Vec<&LabelKey> = labels.keys().collect();
    let position = |value: &Value| keys.binary_search(&&label_key(&label(value))).unwrap_or_default();
    let positions = values.iter().map(position).collect();
    (labels.into_values().collect(), positions)
}
