//! Sorting rows.

use std::collections::HashMap;
use std::sync::Arc;

use quadrille_cell::{ColumnIndex, Dimension, Range, Value};
use quadrille_workbook::{Sheet, Slice};

use super::radix_sort::sort_by_key;
use crate::plan::planner::Plan;
use crate::plan::ranges::used_part;
use crate::rebase::relocate::with_lines;
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
    let mut order: Vec<u32> = (0..range.row_count()).collect();
    // By the last key first: each sort keeps what those before have put in order.
    for key in keys.iter().rev() {
        sort_by_key(&mut order, &sort_values(sheet, range, *key));
    }
    if order.is_sorted() {
        return Ok(vec![]);
    }
    Ok(vec![Operation::PermuteRows { sheet: sheet.id(), range, order: order.into() }])
}

/// Blanks come after everything, ascending and descending.
const BLANK: u64 = u64::MAX;

/// For each row a number that sorts as its value does.
fn sort_values(sheet: &Sheet, range: Range, key: SortKey) -> Vec<u64> {
    let column = ColumnIndex::clamped(key.column);
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let mut sort_values = vec![BLANK; range.row_count() as usize];
    let slices = || sheet.column(column).into_iter().flat_map(move |column| column.slices(first, last));
    // Numbers sort by their bits; among other values they sort by their place among them all.
    let places = slices().any(|(_, slice)| matches!(slice, Slice::Mixed(_))).then(|| Places::new(slices));
    for (row, slice) in slices() {
        let target = &mut sort_values[(row - first) as usize..];
        match (slice, &places) {
            (Slice::Numbers(numbers), None) => {
                for (value, number) in target.iter_mut().zip(numbers) {
                    *value = ordered_bits(*number);
                }
            }
            (slice, Some(places)) => {
                for (index, value) in (0..slice.len()).zip(target) {
                    *value = places.of(&slice.get(index));
                }
            }
            (Slice::Mixed(_), None) => debug_assert!(false, "there are places when there is a mixed slice"),
        }
    }
    if key.descending {
        for value in sort_values.iter_mut().filter(|value| **value != BLANK) {
            *value = BLANK - 1 - *value;
        }
    }
    sort_values
}

/// The places that the values of a column have in order: numbers, texts without regard to case, FALSE, TRUE, errors.
struct Places {
    /// Each once, in order.
    numbers: Vec<u64>,
    /// Each text to its place among them, behind the numbers; those that differ only in case have the same.
    texts: HashMap<Arc<str>, u64>,
    /// Behind all texts.
    end: u64,
}

impl Places {
    fn new<'a, I: Iterator<Item = (u32, Slice<'a>)>>(slices: impl Fn() -> I) -> Places {
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
        // Sorted before anything follows from them, since a hash table has no order.
        let mut folded: Vec<(String, Arc<str>)> =
            texts.keys().map(|text| (text.to_lowercase(), text.clone())).collect();
        folded.sort();
        let mut place = numbers.len() as u64;
        for pair in folded.chunk_by(|a, b| a.0 == b.0) {
            for (_, text) in pair {
                texts.insert(text.clone(), place);
            }
            place += 1;
        }
        Places { numbers, texts, end: place }
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

/// Bits that compare as the numbers do; numbers are finite and zero has no sign.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
