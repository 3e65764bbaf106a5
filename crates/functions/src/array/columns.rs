//! Columns copied out of a rectangle: the copy to build arrays from, and codes that compare as the values do.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{WholeOutcome, array_operand, charge_view};
use crate::compare::fold_case;
use crate::context::CallContext;
use crate::operand::{Chunk, RangeView, ValueRef};

/// One column, blanks at its end included. A column of numbers takes a third of the space of any other.
pub(crate) enum ColumnCopy {
    Numbers(Vec<f64>),
    Values(Vec<Value>),
}

impl ColumnCopy {
    pub fn new(view: &dyn RangeView, column: u32) -> ColumnCopy {
        let rows = view.rows() as usize;
        let mut copy = ColumnCopy::Numbers(Vec::with_capacity(rows));
        view.for_each_chunk(column, &mut |chunk| {
            match (&mut copy, chunk) {
                (ColumnCopy::Numbers(copied), Chunk::Numbers(numbers)) => copied.extend_from_slice(numbers),
                (ColumnCopy::Values(copied), Chunk::Numbers(numbers)) => {
                    copied.extend(numbers.iter().map(|number| Value::Number(*number)));
                }
                (copy, Chunk::Blank(count)) => {
                    let copied = copy.values(rows);
                    copied.resize(copied.len() + count as usize, Value::Blank);
                }
                (copy, Chunk::Mixed(lane)) => {
                    copy.values(rows).extend((0..lane.len()).map(|index| lane.get(index).to_value()));
                }
            }
            ControlFlow::Continue(())
        });
        if copy.len() < rows {
            copy.values(rows).resize(rows, Value::Blank);
        }
        copy
    }

    fn len(&self) -> usize {
        match self {
            ColumnCopy::Numbers(numbers) => numbers.len(),
            ColumnCopy::Values(values) => values.len(),
        }
    }

    /// Turns a column of numbers into one of any values.
    fn values(&mut self, rows: usize) -> &mut Vec<Value> {
        if let ColumnCopy::Numbers(numbers) = self {
            let mut values = Vec::with_capacity(rows);
            values.extend(numbers.iter().map(|number| Value::Number(*number)));
            *self = ColumnCopy::Values(values);
        }
        match self {
            ColumnCopy::Values(values) => values,
            ColumnCopy::Numbers(_) => unreachable!("they were turned into values above"),
        }
    }

    pub fn get(&self, row: usize) -> ValueRef<'_> {
        match self {
            ColumnCopy::Numbers(numbers) => ValueRef::Number(numbers[row]),
            ColumnCopy::Values(values) => ValueRef::from(&values[row]),
        }
    }
}

/// An array of some rows of a rectangle, in any order. Columns are read one after the other and rows written one after
/// the other, which memory likes best.
pub(crate) fn rows_of(
    context: &mut CallContext,
    source: &dyn RangeView,
    rows: impl ExactSizeIterator<Item = u32>,
) -> WholeOutcome {
    charge_view(context, source)?;
    let (height, width, count) =
        super::shape::extent(context, rows.len() as i64, i64::from(source.columns()))?;
    let columns: Vec<ColumnCopy> = (0..width).map(|column| ColumnCopy::new(source, column)).collect();
    let mut values = Vec::with_capacity(count);
    for row in rows {
        values.extend(columns.iter().map(|column| column.get(row as usize).to_value()));
    }
    array_operand(height, width, values)
}

/// A value as a number: numbers before text before truth values before errors before blanks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    kind: u8,
    payload: u64,
}

const TEXT_KIND: u8 = 1;
const BLANK_KIND: u8 = 4;

impl Code {
    /// The code in a sequence that falls instead of rising; blanks stay last.
    pub fn reversed(self) -> Code {
        match self.kind {
            BLANK_KIND => self,
            kind => Code { kind: BLANK_KIND - 1 - kind, payload: !self.payload },
        }
    }
}

impl Code {
    /// As QUERY orders: blanks before all else, and turned round with all else.
    pub fn blank_first(self, falls: bool) -> Code {
        let rising = match self.kind {
            BLANK_KIND => Code { kind: 0, payload: 0 },
            kind => Code { kind: kind + 1, ..self },
        };
        if falls { Code { kind: BLANK_KIND - rising.kind, payload: !rising.payload } } else { rising }
    }
}

/// Gives texts numbers: the same one to texts that differ only in case.
#[derive(Default)]
struct TextNumbers {
    /// Only asked, never walked: the order of a hash map cannot be seen.
    by_text: HashMap<Arc<str>, u32>,
    by_folded: HashMap<String, u32>,
}

impl TextNumbers {
    fn number(&mut self, text: &Arc<str>) -> u32 {
        if let Some(number) = self.by_text.get(text) {
            return *number;
        }
        let next = self.by_folded.len() as u32;
        let number = *self.by_folded.entry(fold_case(text).into_owned()).or_insert(next);
        self.by_text.insert(text.clone(), number);
        number
    }

    /// For each number its place in the order of the texts.
    fn ranks(&self) -> Vec<u64> {
        let mut texts: Vec<(&str, u32)> =
            self.by_folded.iter().map(|(text, number)| (text.as_str(), *number)).collect();
        texts.sort_unstable();
        let mut ranks = vec![0; texts.len()];
        for (rank, (_, number)) in texts.into_iter().enumerate() {
            ranks[number as usize] = rank as u64;
        }
        ranks
    }
}

/// Which order codes keep beside being equal for equal values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeOrder {
    None,
    Rising,
}

/// What values are sorted by: codes that are equal for equal values and keep their order.
pub fn sort_codes(values: &[Value]) -> Vec<Code> {
    codes(values.iter().map(ValueRef::from), CodeOrder::Rising)
}

/// The code of each value.
pub(crate) fn codes<'a>(values: impl Iterator<Item = ValueRef<'a>>, order: CodeOrder) -> Vec<Code> {
    let mut texts = TextNumbers::default();
    let mut code = |value: ValueRef<'_>| match value {
        ValueRef::Number(number) => Code { kind: 0, payload: ordered_bits(number) },
        ValueRef::Text(text) => Code { kind: TEXT_KIND, payload: u64::from(texts.number(text)) },
        ValueRef::Boolean(boolean) => Code { kind: 2, payload: u64::from(boolean) },
        // Errors keep their order among themselves, whichever they are.
        ValueRef::Error(error) => Code { kind: 3, payload: error_payload(error, order) },
        ValueRef::Blank => Code { kind: BLANK_KIND, payload: 0 },
    };
    let mut codes: Vec<Code> = values.map(&mut code).collect();
    if order == CodeOrder::Rising {
        let ranks = texts.ranks();
        for code in codes.iter_mut().filter(|code| code.kind == TEXT_KIND) {
            code.payload = ranks[code.payload as usize];
        }
    }
    codes
}

fn error_payload(error: ErrorValue, order: CodeOrder) -> u64 {
    if order == CodeOrder::None { u64::from(error.code()) } else { 0 }
}

/// Bits that compare as the numbers do: those of negative ones are turned round.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The order of so many rows by several columns of codes; equal rows stay in their order.
pub(crate) fn order_by(columns: &[Vec<Code>], count: u32) -> Vec<u32> {
    let Some((first, others)) = columns.split_first() else { return (0..count).collect() };
    let mut order: Vec<(Code, u32)> = first.iter().copied().zip(0..count).collect();
    order.sort_unstable_by(|(code, row), (other_code, other_row)| {
        let by_others = || {
            let differences =
                others.iter().map(|codes| codes[*row as usize].cmp(&codes[*other_row as usize]));
            differences.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        code.cmp(other_code).then_with(by_others).then(row.cmp(other_row))
    });
    order.into_iter().map(|(_, row)| row).collect()
}

/// For each row the number of the first row that is the same in all columns.
pub(crate) fn first_equal_rows(columns: impl Iterator<Item = Vec<Code>>, count: u32) -> Vec<u32> {
    let mut firsts = vec![0; count as usize];
    for codes in columns {
        // Sorted, rows that were the same so far and have the same code stand beside each other, the first one first.
        let mut rows: Vec<(u32, Code, u32)> = Vec::with_capacity(count as usize);
        rows.extend(codes.iter().zip(&firsts).zip(0..count).map(|((code, first), row)| (*first, *code, row)));
        rows.sort_unstable();
        let mut are_all_different = true;
        for equal in rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            are_all_different &= equal.len() == 1;
            for (_, _, row) in equal {
                firsts[*row as usize] = equal[0].2;
            }
        }
        if are_all_different {
            break;
        }
    }
    firsts
}
