//! Sorting rows.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, Value};
use quadrille_workbook::Sheet;

use super::{Plan, used_part};
use crate::rebase::follow::with_lines;
use crate::{CommandError, Operation, SortKey};

/// Stable, by the values shown. Ascending: numbers, texts without regard to case, FALSE, TRUE, errors;
/// blanks are last either way.
pub(super) fn sort(sheet: &Sheet, range: Range, keys: &[SortKey], has_header: bool) -> Plan {
    let columns = range.first().column.get()..=range.last().column.get();
    if keys.is_empty() || keys.iter().any(|key| !columns.contains(&key.column)) {
        return Err(CommandError::BadSortKey);
    }
    // Rows below the last used one are blank and stay below.
    let Some(used) = used_part(sheet, range) else { return Ok(vec![]) };
    let first = range.first().row.get() + u32::from(has_header);
    let last = used.last().row.get();
    if first >= last {
        return Ok(vec![]);
    }
    let range = with_lines(range, Dimension::Rows, first, last - first + 1);
    let keys: Vec<Vec<u128>> = keys.iter().map(|key| sort_values(sheet, range, *key)).collect();
    let mut order: Vec<u32> = (0..range.row_count()).collect();
    order.sort_by(|a, b| {
        keys.iter()
            .map(|key| key[*a as usize].cmp(&key[*b as usize]))
            .find(|ordering| ordering.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    if order.is_sorted() {
        return Ok(vec![]);
    }
    Ok(vec![Operation::PermuteRows { sheet: sheet.id(), range, order: order.into() }])
}

/// Blanks come after everything, ascending and descending.
const BLANK: u128 = u128::MAX;

/// For each row a number that sorts as its value does.
fn sort_values(sheet: &Sheet, range: Range, key: SortKey) -> Vec<u128> {
    let column = ColumnIndex::clamped(key.column);
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let mut values = vec![Value::Blank; range.row_count() as usize];
    if let Some(column) = sheet.column(column) {
        for (row, slice) in column.slices(first, last) {
            for index in 0..slice.len() {
                values[(row - first) as usize + index] = slice.get(index);
            }
        }
    }
    debug_assert_eq!(values.first(), Some(&sheet.value(CellAddress { row: range.first().row, column })));
    let mut texts: BTreeMap<String, u64> = BTreeMap::new();
    for value in &values {
        if let Value::Text(text) = value {
            texts.entry(text.to_lowercase()).or_default();
        }
    }
    for (place, (_, rank)) in texts.iter_mut().enumerate() {
        *rank = place as u64;
    }
    let rank = |kind: u128, within: u64| kind << 64 | u128::from(within);
    values
        .into_iter()
        .map(|value| match value {
            Value::Blank => BLANK,
            Value::Number(number) => rank(0, ordered_bits(number)),
            Value::Text(text) => rank(1, texts[&text.to_lowercase()]),
            Value::Boolean(boolean) => rank(2, u64::from(boolean)),
            Value::Error(_) => rank(3, 0),
        })
        .map(|rank| if key.descending && rank != BLANK { BLANK - 1 - rank } else { rank })
        .collect()
}

/// Bits that compare as the numbers do; numbers are finite and zero has no sign.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
