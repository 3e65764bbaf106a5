//! Planning of sorts.

use std::collections::HashMap;
use std::sync::Arc;

use quadrille_cell::{ColumnIndex, Dimension, Range, Value};
use quadrille_workbook::{Sheet, Slice};

use super::filled_cells::check_sortable;
use super::radix_sort::sort_by_key;
use crate::plan::planner::Plan;
use crate::plan::ranges::used_part;
use crate::rebase::relocate::with_span;
use crate::{CommandError, Operation, SortKey};

/// Sorts rows by their values, as [`sorted_rows`] does.
///
/// # Errors
/// Those of [`sorted_rows`] and of [`check_sortable`].
pub(super) fn sort(sheet: &Sheet, range: Range, keys: &[SortKey], has_header: bool) -> Plan {
    let sorted = sorted_rows(sheet, range, keys, has_header)?;
    if let Some((range, _)) = &sorted {
        check_sortable(sheet, *range)?;
    }
    Ok(match sorted {
        Some((range, order)) if !order.is_sorted() => {
            vec![Operation::PermuteRows { sheet: sheet.id(), range, order: order.into() }]
        }
        _ => vec![],
    })
}

/// The rows of `range` in the order of their values, with the range of those that have an order: without the
/// header, to the last row in use. The order consists of distances from the first of these rows. The sort is
/// stable. Ascending order: numbers, texts without regard to case, FALSE, TRUE, errors. Blanks are last in
/// either order. `None` if fewer than two rows are in use.
///
/// # Errors
/// [`CommandError::BadSortKey`] if a key is not a column of the range, or there is none.
pub fn sorted_rows(
    sheet: &Sheet,
    range: Range,
    keys: &[SortKey],
    has_header: bool,
) -> Result<Option<(Range, Vec<u32>)>, CommandError> {
    let columns = range.first().column.get()..=range.last().column.get();
    if keys.is_empty() || keys.iter().any(|key| !columns.contains(&key.column)) {
        return Err(CommandError::BadSortKey);
    }
    // Rows below the last used one are blank and stay last.
    let Some(used) = used_part(sheet, range) else { return Ok(None) };
    let first = range.first().row.get() + u32::from(has_header);
    let last = used.last().row.get();
    if first >= last {
        return Ok(None);
    }
    let range = with_span(range, Dimension::Rows, first, last - first + 1);
    let mut order: Vec<u32> = (0..range.row_count()).collect();
    // Sorts by the last key first; each later sort is stable and keeps that order among equal keys.
    for key in keys.iter().rev() {
        sort_by_key(&mut order, &sort_values(sheet, range, *key));
    }
    Ok(Some((range, order)))
}

/// Sort key of blanks, which are last in ascending and descending order.
const BLANK: u64 = u64::MAX;

/// Returns a key for each row that sorts as its value does.
fn sort_values(sheet: &Sheet, range: Range, key: SortKey) -> Vec<u64> {
    let column = ColumnIndex::clamped(key.column);
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let mut sort_values = vec![BLANK; range.row_count() as usize];
    let slices = || sheet.column(column).into_iter().flat_map(move |column| column.slices(first, last));
    // A column of numbers sorts by their bits; a mixed column by the rank of each value.
    let ranks = slices().any(|(_, slice)| matches!(slice, Slice::Mixed(_))).then(|| ValueRanks::new(slices));
    for (row, slice) in slices() {
        let target = &mut sort_values[(row - first) as usize..];
        match (slice, &ranks) {
            (Slice::Numbers(numbers), None) => {
                for (value, number) in target.iter_mut().zip(numbers) {
                    *value = ordered_bits(*number);
                }
            }
            (slice, Some(ranks)) => {
                for (index, value) in (0..slice.len()).zip(target) {
                    *value = ranks.of(&slice.get(index));
                }
            }
            (Slice::Mixed(_), None) => debug_assert!(false, "there are ranks when there is a mixed slice"),
        }
    }
    if key.descending {
        for value in sort_values.iter_mut().filter(|value| **value != BLANK) {
            *value = BLANK - 1 - *value;
        }
    }
    sort_values
}

/// Ranks of the values of a column: numbers, texts without regard to case, FALSE, TRUE, errors.
struct ValueRanks {
    /// Bits of the distinct numbers, ascending.
    numbers: Vec<u64>,
    /// Rank of each text, after all numbers. Texts that differ only in case share a rank.
    texts: HashMap<Arc<str>, u64>,
    /// First rank after all texts.
    end: u64,
}

impl ValueRanks {
    fn new<'a, I: Iterator<Item = (u32, Slice<'a>)>>(slices: impl Fn() -> I) -> ValueRanks {
        let mut numbers: Vec<u64> = Vec::new();
        let mut texts: HashMap<Arc<str>, u64> = HashMap::new();
        for (_, slice) in slices() {
            for index in 0..slice.len() {
                match slice.get(index) {
                    Value::Number(number) => numbers.push(ordered_bits(number)),
                    Value::Text(text) => {
                        texts.entry(text).or_default();
                    }
                    _ => {}
                }
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        // Sorted before use, because a hash table has no order.
        let mut folded: Vec<(String, Arc<str>)> =
            texts.keys().map(|text| (text.to_lowercase(), text.clone())).collect();
        quadrille_cell::stable_sort_by(&mut folded, &mut Ord::cmp);
        let mut rank = numbers.len() as u64;
        for pair in folded.chunk_by(|a, b| a.0 == b.0) {
            for (_, text) in pair {
                texts.insert(text.clone(), rank);
            }
            rank += 1;
        }
        ValueRanks { numbers, texts, end: rank }
    }

    fn of(&self, value: &Value) -> u64 {
        match value {
            Value::Blank => BLANK,
            Value::Number(number) => {
                let bits = ordered_bits(*number);
                self.numbers.partition_point(|known| *known < bits) as u64
            }
            Value::Text(text) => self.texts[text],
            Value::Boolean(boolean) => self.end + u64::from(*boolean),
            Value::Error(_) => self.end + 2,
        }
    }
}

/// Returns bits that compare as the numbers do. Numbers are finite and zero has no sign.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
