//! Criteria of COUNTIF, SUMIFS and related functions, and bit masks of the rows that match them.
//!
//! A criterion is a value, or text with an optional comparison operator: `">=10"`, `"<>apple"`,
//! `"a*"`. Its operand is parsed as cell input, so `">1/1/2024"` compares dates. Described in
//! Excel's help for COUNTIF.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

use crate::coerce::{number_in_text, parse_input};
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
enum CriterionOperand {
    /// `"="`: blank cells; `""`: also cells with empty text.
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
    operand: CriterionOperand,
}

impl Criterion {
    /// Creates the criterion of an argument.
    pub fn new(value: &Value) -> Criterion {
        let equal = |operand| Criterion { comparison: Comparison::Equal, operand };
        match value {
            // A blank criterion is zero.
            Value::Blank => equal(CriterionOperand::Number(0.0)),
            Value::Number(number) => equal(CriterionOperand::Number(*number)),
            Value::Boolean(boolean) => equal(CriterionOperand::Boolean(*boolean)),
            Value::Error(error) => equal(CriterionOperand::Error(*error)),
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
        let (operand_text, comparison) = sign.unwrap_or((text, Comparison::Equal));
        if operand_text.is_empty() {
            return Criterion {
                comparison,
                operand: CriterionOperand::Blank { or_empty_text: sign.is_none() },
            };
        }
        let operand = match parse_input(operand_text).value {
            Value::Number(number) => CriterionOperand::Number(number),
            Value::Boolean(boolean) => CriterionOperand::Boolean(boolean),
            Value::Error(error) => CriterionOperand::Error(error),
            _ if has_wildcards(operand_text)
                && matches!(comparison, Comparison::Equal | Comparison::NotEqual) =>
            {
                CriterionOperand::Pattern(Pattern::new(operand_text))
            }
            _ => CriterionOperand::Text(operand_text.into()),
        };
        Criterion { comparison, operand }
    }

    /// Whether a cell matches the criterion.
    pub fn matches(&self, value: ValueRef<'_>) -> bool {
        match self.comparison {
            Comparison::Equal => self.equals(value),
            // Numeric text differs from the number for `<>`, although it equals the number for `=`.
            Comparison::NotEqual => {
                let is_text_of_number =
                    matches!((&self.operand, value), (CriterionOperand::Number(_), ValueRef::Text(_)));
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
        match (&self.operand, value) {
            (CriterionOperand::Blank { .. }, ValueRef::Blank) => true,
            (CriterionOperand::Blank { or_empty_text: true }, ValueRef::Text(text)) => text.is_empty(),
            (CriterionOperand::Number(expected), ValueRef::Number(number)) => *expected == number,
            // Numeric text equals the number.
            (CriterionOperand::Number(expected), ValueRef::Text(text)) => {
                numeric_text(text) == Some(*expected)
            }
            (CriterionOperand::Boolean(expected), ValueRef::Boolean(boolean)) => *expected == boolean,
            (CriterionOperand::Error(expected), ValueRef::Error(error)) => *expected == error,
            (CriterionOperand::Text(expected), ValueRef::Text(text)) => equals_folded(expected, text),
            (CriterionOperand::Pattern(pattern), ValueRef::Text(text)) => pattern.matches(text),
            _ => false,
        }
    }

    /// Returns the value that cells must equal, for criteria of that form, as a key of an index.
    pub fn key(&self) -> Option<ValueRef<'_>> {
        match (&self.operand, self.comparison) {
            (CriterionOperand::Number(number), Comparison::Equal) => Some(ValueRef::Number(*number)),
            (CriterionOperand::Boolean(boolean), Comparison::Equal) => Some(ValueRef::Boolean(*boolean)),
            (CriterionOperand::Text(text), Comparison::Equal) => Some(ValueRef::Text(text)),
            _ => None,
        }
    }

    /// Compares a value with the operand; `None` for different types.
    fn order(&self, value: ValueRef<'_>) -> Option<Ordering> {
        match (&self.operand, value) {
            (CriterionOperand::Number(expected), ValueRef::Number(number)) => number.partial_cmp(expected),
            (CriterionOperand::Text(expected), ValueRef::Text(text)) => Some(compare_text(text, expected)),
            (CriterionOperand::Boolean(expected), ValueRef::Boolean(boolean)) => Some(boolean.cmp(expected)),
            _ => None,
        }
    }

    /// Clears the bits of `mask` for rows whose cell does not match the criterion. `mask` has a bit
    /// for each of the first `rows` rows.
    pub fn retain_matches(&self, view: &dyn RangeView, column: u32, rows: u32, mask: &mut [u64]) {
        let mut row = 0;
        view.for_each_chunk(column, &mut |chunk| {
            let length = chunk.len().min(rows - row);
            match chunk {
                Chunk::Blank(_) => {
                    if !self.matches(ValueRef::Blank) {
                        clear_bits(mask, row, length);
                    }
                }
                Chunk::Numbers(numbers) => {
                    self.retain_matching_numbers(&numbers[..length as usize], row, mask)
                }
                Chunk::Mixed(cells) => retain_bits(mask, row, length, |index| self.matches(cells.get(index))),
            }
            row += length;
            if row < rows { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if row < rows && !self.matches(ValueRef::Blank) {
            clear_bits(mask, row, rows - row);
        }
    }

    /// As [`retain_matches`](Self::retain_matches) for a slice of numbers; selects the comparison
    /// once.
    fn retain_matching_numbers(&self, numbers: &[f64], row: u32, mask: &mut [u64]) {
        let length = numbers.len() as u32;
        let CriterionOperand::Number(expected) = self.operand else {
            if self.comparison != Comparison::NotEqual {
                clear_bits(mask, row, length);
            }
            return;
        };
        match self.comparison {
            Comparison::Equal => retain_bits(mask, row, length, |index| numbers[index] == expected),
            Comparison::NotEqual => retain_bits(mask, row, length, |index| numbers[index] != expected),
            Comparison::Less => retain_bits(mask, row, length, |index| numbers[index] < expected),
            Comparison::LessOrEqual => retain_bits(mask, row, length, |index| numbers[index] <= expected),
            Comparison::Greater => retain_bits(mask, row, length, |index| numbers[index] > expected),
            Comparison::GreaterOrEqual => retain_bits(mask, row, length, |index| numbers[index] >= expected),
        }
    }
}

/// Whether criteria treat a text as a number.
pub fn counts_as_number(text: &str) -> bool {
    numeric_text(text).is_some()
}

fn numeric_text(text: &str) -> Option<f64> {
    text.starts_with(|first: char| !first.is_ascii_alphabetic()).then(|| number_in_text(text)).flatten()
}

/// Returns a mask with a set bit for each of `rows` rows.
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
    retain_bits(mask, first, count, |_| false);
}

/// Clears the bits of `count` rows from `first` on for which `retains` returns `false`.
fn retain_bits(mask: &mut [u64], first: u32, count: u32, retains: impl Fn(usize) -> bool) {
    let mut index = 0;
    while index < count {
        let row = first + index;
        let (word, shift) = (row as usize / 64, row % 64);
        let length = (64 - shift).min(count - index);
        let mut retained = 0u64;
        for bit in 0..length {
            retained |= u64::from(retains((index + bit) as usize)) << bit;
        }
        let touched = if length == 64 { u64::MAX } else { ((1 << length) - 1) << shift };
        mask[word] &= (retained << shift) | !touched;
        index += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_match_as_in_excel() {
        let apple = Value::text("Apple");
        let five_text = Value::text("5");
        let empty = Value::text("");
        for (criterion, value, expected) in [
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
            let matches = Criterion::new(&criterion).matches(ValueRef::from(&value));
            assert_eq!(matches, expected, "{criterion:?} on {value:?}");
        }
    }
}
