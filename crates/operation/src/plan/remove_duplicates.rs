//! Planning of "remove duplicates".

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, Dimension, Range, Value};
use quadrille_workbook::{Input, Sheet};

use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::used_part;
use crate::rebase::relocate::with_span;
use crate::{CommandError, Operation};

impl Planner<'_> {
    /// Moves the remaining rows together, with their formats, and clears the rows left over at the
    /// end.
    pub fn remove_duplicates(&self, sheet: &Sheet, range: Range, columns: &[u32], has_header: bool) -> Plan {
        let within = range.first().column.get()..=range.last().column.get();
        if columns.is_empty() || columns.iter().any(|column| !within.contains(column)) {
            return Err(CommandError::BadSortKey);
        }
        let Some(range) = data_rows(sheet, range, has_header) else { return Ok(vec![]) };
        let repeated: BTreeSet<u32> =
            quadrille_cell::collect_by_insertion(repeated_rows(sheet, range, columns));
        if repeated.is_empty() {
            return Ok(vec![]);
        }
        let first = range.first().row.get();
        let stay = (0..range.row_count()).filter(|row| !repeated.contains(&(first + row)));
        let order: Vec<u32> = stay.chain(repeated.iter().map(|row| row - first)).collect();
        let left_over = repeated.len() as u32; // rows of one sheet
        let end = with_span(range, Dimension::Rows, range.last().row.get() + 1 - left_over, left_over);
        let mut plan = Vec::new();
        if !order.is_sorted() {
            plan.push(Operation::PermuteRows { sheet: sheet.id(), range, order: order.into() });
        }
        plan.push(Operation::FillCells { sheet: sheet.id(), range: end, input: Input::Blank });
        Ok(plan)
    }
}

/// Returns the rows (of the sheet) that repeat an earlier row of `range` in these columns. Texts
/// compare without regard to case. Rows below the last used one are ignored.
pub fn duplicate_rows(sheet: &Sheet, range: Range, columns: &[u32], has_header: bool) -> Vec<u32> {
    data_rows(sheet, range, has_header).map_or(Vec::new(), |range| repeated_rows(sheet, range, columns))
}

fn data_rows(sheet: &Sheet, range: Range, has_header: bool) -> Option<Range> {
    let last = used_part(sheet, range)?.last().row.get();
    let first = range.first().row.get() + u32::from(has_header);
    (first <= last).then(|| with_span(range, Dimension::Rows, first, last - first + 1))
}

fn repeated_rows(sheet: &Sheet, range: Range, columns: &[u32]) -> Vec<u32> {
    let mut row_keys = BTreeSet::new();
    (range.first().row.get()..=range.last().row.get())
        .filter(|row| {
            let values = columns.iter().map(|column| sheet.value(CellAddress::clamped(*row, *column)));
            !row_keys.insert(values.map(|value| comparable(&value)).collect::<Vec<_>>())
        })
        .collect()
}

/// Returns a key that is equal for values that count as duplicates.
fn comparable(value: &Value) -> (u8, u64, String) {
    match value {
        Value::Blank => (0, 0, String::new()),
        Value::Number(number) => (1, number.to_bits(), String::new()),
        Value::Text(text) => (2, 0, text.to_lowercase()),
        Value::Boolean(boolean) => (3, u64::from(*boolean), String::new()),
        Value::Error(error) => (4, 0, error.text().to_owned()),
    }
}
