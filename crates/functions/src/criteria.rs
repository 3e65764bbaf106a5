//! What COUNTIF and its relatives take as a criterion, and the rows that meet several of them.
//!
//! A criterion is a value to equal, or a text that begins with a comparison: `">=10"`, `"<>apple"`, `"a*"`. Numbers in it
//! are read as if typed, so `">1/1/2024"` compares dates.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

use crate::coerce::{number_in_text, read_typed};
use crate::compare::compare_text;
use crate::operands::{Chunk, RangeView, ValueRef};
use crate::wildcard::{Pattern, equals_folded, has_wildcards};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// Cells without content: `"="`; or also with empty text: `""`.
    Blank {
        or_empty_text: bool,
    },
    Number(f64),
    Boolean(bool),
    Error(ErrorValue),
    Text(Arc<str>),
    Pattern(Pattern),
}

#[derive(Clone, Debug)]
pub(crate) struct Criterion {
    comparison: Comparison,
    wanted: Wanted,
}

impl Criterion {
    pub fn new(value: &Value) -> Criterion {
        let equal = |wanted| Criterion { comparison: Comparison::Equal, wanted };
        match value {
            // An empty cell as a criterion stands for zero.
            Value::Blank => equal(Wanted::Number(0.0)),
            Value::Number(number) => equal(Wanted::Number(*number)),
            Value::Boolean(boolean) => equal(Wanted::Boolean(*boolean)),
            Value::Error(error) => equal(Wanted::Error(*error)),
            Value::Text(text) => Criterion::parse(text),
        }
    }

    fn parse(text: &str) -> Criterion {
        const SIGNS: [(&str, Comparison); 6] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<>", Comparison::NotEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
            ("=", Comparison::Equal),
        ];
        let sign = SIGNS.iter().find_map(|(sign, comparison)| Some((text.strip_prefix(sign)?, *comparison)));
        let (operand, comparison) = sign.unwrap_or((text, Comparison::Equal));
        if operand.is_empty() {
            return Criterion { comparison, wanted: Wanted::Blank { or_empty_text: sign.is_none() } };
        }
        let wanted = match read_typed(operand).value {
            Value::Number(number) => Wanted::Number(number),
            Value::Boolean(boolean) => Wanted::Boolean(boolean),
            Value::Error(error) => Wanted::Error(error),
            _ if has_wildcards(operand) && matches!(comparison, Comparison::Equal | Comparison::NotEqual) => {
                Wanted::Pattern(Pattern::new(operand))
            }
            _ => Wanted::Text(operand.into()),
        };
        Criterion { comparison, wanted }
    }

    pub fn matches(&self, value: ValueRef<'_>) -> bool {
        match self.comparison {
            Comparison::Equal => self.equals(value),
            // Text that reads as the number is not equal to it here, though it is where equal cells are wanted.
            Comparison::NotEqual => {
                let is_text_of_number =
                    matches!((&self.wanted, value), (Wanted::Number(_), ValueRef::Text(_)));
                is_text_of_number || !self.equals(value)
            }
            comparison => self.order(value).is_some_and(|order| match comparison {
                Comparison::Less => order == Ordering::Less,
                Comparison::LessOrEqual => order != Ordering::Greater,
                Comparison::Greater => order == Ordering::Greater,
                _ => order != Ordering::Less,
            }),
        }
    }

    fn equals(&self, value: ValueRef<'_>) -> bool {
        match (&self.wanted, value) {
            (Wanted::Blank { .. }, ValueRef::Blank) => true,
            (Wanted::Blank { or_empty_text: true }, ValueRef::Text(text)) => text.is_empty(),
            (Wanted::Number(wanted), ValueRef::Number(number)) => *wanted == number,
            // A text that reads as the number counts as the number.
            (Wanted::Number(wanted), ValueRef::Text(text)) => number_counted(text) == Some(*wanted),
            (Wanted::Boolean(wanted), ValueRef::Boolean(boolean)) => *wanted == boolean,
            (Wanted::Error(wanted), ValueRef::Error(error)) => *wanted == error,
            (Wanted::Text(wanted), ValueRef::Text(text)) => equals_folded(wanted, text),
            (Wanted::Pattern(pattern), ValueRef::Text(text)) => pattern.matches(text),
            _ => false,
        }
    }

    /// The value that cells have to equal, when that is all there is to it.
    pub fn key(&self) -> Option<ValueRef<'_>> {
        match (&self.wanted, self.comparison) {
            (Wanted::Number(number), Comparison::Equal) => Some(ValueRef::Number(*number)),
            (Wanted::Boolean(boolean), Comparison::Equal) => Some(ValueRef::Boolean(*boolean)),
            (Wanted::Text(text), Comparison::Equal) => Some(ValueRef::Text(text)),
            _ => None,
        }
    }

    /// Only values of the same kind have an order.
    fn order(&self, value: ValueRef<'_>) -> Option<Ordering> {
        match (&self.wanted, value) {
            (Wanted::Number(wanted), ValueRef::Number(number)) => number.partial_cmp(wanted),
            (Wanted::Text(wanted), ValueRef::Text(text)) => Some(compare_text(text, wanted)),
            (Wanted::Boolean(wanted), ValueRef::Boolean(boolean)) => Some(boolean.cmp(wanted)),
            _ => None,
        }
    }

    /// Keeps the rows of `mask` in which the column's cell meets the criterion. `mask` has a bit for each of the first
    /// `rows` rows.
    pub fn narrow(&self, view: &dyn RangeView, column: u32, rows: u32, mask: &mut [u64]) {
        let mut row = 0;
        view.for_each_chunk(column, &mut |chunk| {
            let length = chunk.len().min(rows - row);
            match chunk {
                Chunk::Blank(_) => {
                    if !self.matches(ValueRef::Blank) {
                        clear_bits(mask, row, length);
                    }
                }
                Chunk::Numbers(numbers) => self.narrow_numbers(&numbers[..length as usize], row, mask),
                Chunk::Mixed(lane) => keep_bits(mask, row, length, |index| self.matches(lane.get(index))),
            }
            row += length;
            if row < rows { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if row < rows && !self.matches(ValueRef::Blank) {
            clear_bits(mask, row, rows - row);
        }
    }

    /// The comparison is decided once and not for each number.
    fn narrow_numbers(&self, numbers: &[f64], row: u32, mask: &mut [u64]) {
        let length = numbers.len() as u32;
        let Wanted::Number(wanted) = self.wanted else {
            if self.comparison != Comparison::NotEqual {
                clear_bits(mask, row, length);
            }
            return;
        };
        match self.comparison {
            Comparison::Equal => keep_bits(mask, row, length, |index| numbers[index] == wanted),
            Comparison::NotEqual => keep_bits(mask, row, length, |index| numbers[index] != wanted),
            Comparison::Less => keep_bits(mask, row, length, |index| numbers[index] < wanted),
            Comparison::LessOrEqual => keep_bits(mask, row, length, |index| numbers[index] <= wanted),
            Comparison::Greater => keep_bits(mask, row, length, |index| numbers[index] > wanted),
            Comparison::GreaterOrEqual => keep_bits(mask, row, length, |index| numbers[index] >= wanted),
        }
    }
}

/// Whether criteria take a text for a number.
pub fn counts_as_number(text: &str) -> bool {
    number_counted(text).is_some()
}

fn number_counted(text: &str) -> Option<f64> {
    text.starts_with(|first: char| !first.is_ascii_alphabetic()).then(|| number_in_text(text)).flatten()
}

/// A bit for each of so many rows, all set.
pub(crate) fn full_mask(rows: u32) -> Vec<u64> {
    let mut mask = vec![u64::MAX; rows.div_ceil(64) as usize];
    if !rows.is_multiple_of(64)
        && let Some(last) = mask.last_mut()
    {
        *last = (1 << (rows % 64)) - 1;
    }
    mask
}

pub(crate) fn has_bit(mask: &[u64], row: u32) -> bool {
    mask[row as usize / 64] >> (row % 64) & 1 == 1
}

fn clear_bits(mask: &mut [u64], first: u32, count: u32) {
    keep_bits(mask, first, count, |_| false);
}

/// Clears the bits of those of `count` rows from `first` on for which `keeps` says no.
fn keep_bits(mask: &mut [u64], first: u32, count: u32, keeps: impl Fn(usize) -> bool) {
    let mut index = 0;
    while index < count {
        let row = first + index;
        let (word, shift) = (row as usize / 64, row % 64);
        let length = (64 - shift).min(count - index);
        let mut kept = 0u64;
        for bit in 0..length {
            kept |= u64::from(keeps((index + bit) as usize)) << bit;
        }
        let touched = if length == 64 { u64::MAX } else { ((1 << length) - 1) << shift };
        mask[word] &= (kept << shift) | !touched;
        index += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_compare_as_in_excel() {
        let apple = Value::text("Apple");
        let five_text = Value::text("5");
        let empty = Value::text("");
        for (criterion, value, matches) in [
            (Value::from(5.0), Value::from(5.0), true),
            (Value::from(5.0), five_text.clone(), true),
            (Value::text("5"), Value::from(5.0), true),
            (Value::text(">4"), Value::from(5.0), true),
            (Value::text(">4"), five_text, false),
            (Value::text("apple"), apple.clone(), true),
            (Value::text("a*"), apple.clone(), true),
            (Value::text("<>apple"), apple.clone(), false),
            (Value::text("<>5"), Value::text("5"), true),
            (Value::text("<>5"), Value::from(5.0), false),
            (Value::text("<>apple"), Value::Blank, true),
            (Value::text("<>"), Value::Blank, false),
            (Value::text("<>"), empty.clone(), true),
            (Value::text("="), Value::Blank, true),
            (Value::text("="), empty.clone(), false),
            (Value::text(""), empty, true),
            (Value::text(""), Value::Blank, true),
            (Value::Blank, Value::from(0.0), true),
            (Value::Blank, Value::Blank, false),
            (Value::text("<b"), apple, true),
            (Value::text("TRUE"), Value::from(true), true),
            (Value::from(true), Value::from(1.0), false),
            (Value::text("#N/A"), Value::Error(ErrorValue::NotAvailable), true),
            (Value::text(">=2024-01-01"), Value::from(45_413.0), true),
        ] {
            let met = Criterion::new(&criterion).matches(ValueRef::from(&value));
            assert_eq!(met, matches, "{criterion:?} on {value:?}");
        }
    }
}
