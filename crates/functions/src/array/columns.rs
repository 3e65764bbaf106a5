//! Columns copied out of a rectangle: the copy to build arrays from, and codes that compare as the values do.

use std::ops::ControlFlow;

use quadrille_cell::Value;
use quadrille_cell::radix_sort::{from_ordered_bits, ordered_bits, sort_keys, sort_rows, text_positions};

use crate::arguments::{WholeOutcome, array_operand, charge_view};
use crate::cancel::Cancel;
use crate::cancel::Exhausted;
use crate::context::CallContext;
use crate::operands::{Chunk, RangeView, ValueRef};

/// One column, blanks at its end included. A column of numbers takes a third of the space of any other.
pub(crate) enum ColumnCopy {
    Numbers(Vec<f64>),
    Values(Vec<Value>),
}

impl ColumnCopy {
    pub fn new(cancel: &Cancel, view: &dyn RangeView, column: u32) -> Result<ColumnCopy, Exhausted> {
        let rows = view.rows() as usize;
        let mut outcome = Ok(());
        let mut copy = ColumnCopy::Numbers(Vec::with_capacity(rows));
        view.for_each_chunk(column, &mut |chunk| {
            outcome = cancel.work(u64::from(chunk.len()));
            if outcome.is_err() {
                return ControlFlow::Break(());
            }
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
        outcome.map(|()| copy)
    }

    /// What its values compare by.
    pub fn codes(&self, cancel: &Cancel, order: CodeOrder) -> Result<Vec<Code>, Exhausted> {
        codes(cancel, (0..self.len()).map(|row| self.get(row)), order)
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
    let copy = |column| ColumnCopy::new(&context.budget.cancel, source, column);
    let columns = (0..width).map(copy).collect::<Result<Vec<ColumnCopy>, _>>()?;
    let mut values = Vec::with_capacity(count);
    for row in rows {
        context.work(u64::from(width))?;
        values.extend(columns.iter().map(|column| column.get(row as usize).to_value()));
    }
    array_operand(height, width, values)
}

/// A value as a number: numbers before texts before truth values before errors before blanks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(u64);

// Behind the bits of all numbers, which are finite.
const TEXTS: u64 = 0xFFF0 << 48;
const BOOLEANS: u64 = 0xFFF1 << 48;
const ERRORS: u64 = 0xFFF2 << 48;
const BLANK: Code = Code(u64::MAX);

impl Code {
    /// The code in a sequence that falls instead of rising; blanks stay last.
    pub fn reversed(self) -> Code {
        if self == BLANK { self } else { Code(u64::MAX - 1 - self.0) }
    }

    /// As QUERY orders: blanks before all else, and turned round with all else.
    pub fn blank_first(self, falls: bool) -> Code {
        let rising = if self == BLANK { 0 } else { self.0 };
        Code(if falls { !rising } else { rising })
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// Whether codes need to tell errors apart or put them in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeOrder {
    None,
    Rising,
}

/// What values are sorted by: codes that are equal for equal values and keep their order.
pub fn sort_codes(cancel: &Cancel, values: &[Value]) -> Result<Vec<Code>, Exhausted> {
    codes(cancel, values.iter().map(ValueRef::from), CodeOrder::Rising)
}

/// The code of each value. Texts that differ only in case have the same.
pub(crate) fn codes<'a>(
    cancel: &Cancel,
    values: impl Iterator<Item = ValueRef<'a>>,
    order: CodeOrder,
) -> Result<Vec<Code>, Exhausted> {
    let mut texts: Vec<&str> = Vec::new();
    let mut codes = Vec::with_capacity(values.size_hint().0);
    for value in values {
        cancel.work(1)?;
        codes.push(Code(match value {
            ValueRef::Number(number) => ordered_bits(number),
            ValueRef::Text(text) => {
                texts.push(text);
                TEXTS
            }
            ValueRef::Boolean(boolean) => BOOLEANS | u64::from(boolean),
            // Errors keep their order among themselves, whichever they are.
            ValueRef::Error(error) if order == CodeOrder::None => ERRORS | u64::from(error.code()),
            ValueRef::Error(_) => ERRORS,
            ValueRef::Blank => BLANK.0,
        }));
    }
    if !texts.is_empty() {
        let places = text_positions(&texts, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(Exhausted)?;
        let of_texts = codes.iter_mut().filter(|code| code.0 == TEXTS);
        for (code, place) in of_texts.zip(places) {
            code.0 |= u64::from(place);
        }
    }
    Ok(codes)
}

/// Puts rows in order by several columns of codes; equal rows stay in their order.
pub fn sort_by_codes(cancel: &Cancel, rows: &mut [u32], columns: &[&[Code]]) -> Result<(), Exhausted> {
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|row| (0, *row)).collect();
    // By the last column first: each sort keeps what those before have put in order.
    for codes in columns.iter().rev() {
        for (key, row) in &mut keyed {
            *key = codes[*row as usize].0;
        }
        sort_rows(&mut keyed, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(Exhausted)?;
    }
    for (row, (_, sorted)) in rows.iter_mut().zip(keyed) {
        *row = sorted;
    }
    Ok(())
}

/// The order of so many rows by several columns of codes.
pub(crate) fn order_by(cancel: &Cancel, columns: &[Vec<Code>], count: u32) -> Result<Vec<u32>, Exhausted> {
    let mut order: Vec<u32> = (0..count).collect();
    let columns: Vec<&[Code]> = columns.iter().map(Vec::as_slice).collect();
    sort_by_codes(cancel, &mut order, &columns)?;
    Ok(order)
}

/// For each row the number of the first row that is the same in all columns.
pub(crate) fn first_equal_rows(
    cancel: &Cancel,
    columns: impl Iterator<Item = Result<Vec<Code>, Exhausted>>,
    count: u32,
) -> Result<Vec<u32>, Exhausted> {
    let mut firsts = vec![0; count as usize];
    for codes in columns {
        // Sorted, rows that were the same so far and have the same code stand beside each other, the first one first.
        let codes = codes?;
        let so_far: Vec<Code> = firsts.iter().map(|first| Code(u64::from(*first))).collect();
        let mut rows: Vec<u32> = (0..count).collect();
        sort_by_codes(cancel, &mut rows, &[&so_far, &codes])?;
        let mut are_all_different = true;
        let key = |row: &u32| (so_far[*row as usize], codes[*row as usize]);
        for equal in rows.chunk_by(|a, b| key(a) == key(b)) {
            cancel.work(equal.len() as u64)?;
            are_all_different &= equal.len() == 1;
            for row in equal {
                firsts[*row as usize] = equal[0];
            }
        }
        if are_all_different {
            break;
        }
    }
    Ok(firsts)
}

/// Sorts numbers.
pub(crate) fn sort_numbers(cancel: &Cancel, numbers: &mut [f64]) -> Result<(), Exhausted> {
    let mut keys: Vec<u64> = numbers.iter().map(|number| ordered_bits(*number)).collect();
    sort_keys(&mut keys, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(Exhausted)?;
    for (number, key) in numbers.iter_mut().zip(keys) {
        *number = from_ordered_bits(key);
    }
    Ok(())
}
