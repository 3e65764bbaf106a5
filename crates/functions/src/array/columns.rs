//! Column copies for building arrays, and [`SortCode`]s: integers that sort in the order of the
//! values.

use std::ops::ControlFlow;

use quadrille_cell::Value;
use quadrille_cell::radix_sort::{from_ordered_bits, ordered_bits, sort_keys, sort_rows, text_positions};

use crate::arguments::{OperandResult, array_operand, charge_view};
use crate::cancel::Cancel;
use crate::cancel::Exhausted;
use crate::context::CallContext;
use crate::operands::{Chunk, RangeView, ValueRef};

/// A copy of one column with all its rows. A column of numbers takes a third of the memory of
/// others.
pub(crate) enum ColumnCopy {
    Numbers(Vec<f64>),
    Values(Vec<Value>),
}

impl ColumnCopy {
    /// Copies a column of a view. Fails with [`Exhausted`] when the evaluation is cancelled.
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
                (copy, Chunk::Mixed(cells)) => {
                    copy.values(rows).extend((0..cells.len()).map(|index| cells.get(index).to_value()));
                }
            }
            ControlFlow::Continue(())
        });
        if copy.len() < rows {
            copy.values(rows).resize(rows, Value::Blank);
        }
        outcome.map(|()| copy)
    }

    /// Returns the codes of the values.
    pub fn codes(&self, cancel: &Cancel, purpose: CodePurpose) -> Result<Vec<SortCode>, Exhausted> {
        codes(cancel, (0..self.len()).map(|row| self.get(row)), purpose)
    }

    fn len(&self) -> usize {
        match self {
            ColumnCopy::Numbers(numbers) => numbers.len(),
            ColumnCopy::Values(values) => values.len(),
        }
    }

    /// Converts a column of numbers to a column of values.
    fn values(&mut self, rows: usize) -> &mut Vec<Value> {
        if let ColumnCopy::Numbers(numbers) = self {
            let mut values = Vec::with_capacity(rows);
            values.extend(numbers.iter().map(|number| Value::Number(*number)));
            *self = ColumnCopy::Values(values);
        }
        match self {
            ColumnCopy::Values(values) => values,
            ColumnCopy::Numbers(_) => unreachable!("converted to values above"),
        }
    }

    /// Returns the value of a row.
    pub fn get(&self, row: usize) -> ValueRef<'_> {
        match self {
            ColumnCopy::Numbers(numbers) => ValueRef::Number(numbers[row]),
            ColumnCopy::Values(values) => ValueRef::from(&values[row]),
        }
    }
}

/// Builds an array of the given rows of a view, in any order. Reads column by column and writes row
/// by row, both sequentially in memory.
pub(crate) fn rows_of(
    context: &mut CallContext,
    source: &dyn RangeView,
    rows: impl ExactSizeIterator<Item = u32>,
) -> OperandResult {
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

/// An order-preserving code of a value: numbers, then text, Booleans, errors and blanks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SortCode(u64);

// Above the ordered bits of all finite numbers.
const TEXTS: u64 = 0xFFF0 << 48;
const BOOLEANS: u64 = 0xFFF1 << 48;
const ERRORS: u64 = 0xFFF2 << 48;
const BLANK: SortCode = SortCode(u64::MAX);

impl SortCode {
    /// Returns the code for descending order. Blanks remain last.
    pub fn reversed(self) -> SortCode {
        if self == BLANK { self } else { SortCode(u64::MAX - 1 - self.0) }
    }

    /// Returns the code for the order of QUERY: blanks first when ascending, last when descending.
    pub fn blank_first(self, is_descending: bool) -> SortCode {
        let ascending = if self == BLANK { 0 } else { self.0 };
        SortCode(if is_descending { !ascending } else { ascending })
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// What codes are used for: `Equality` distinguishes errors; for `Sorting` all errors are equal and
/// keep their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodePurpose {
    Equality,
    Sorting,
}

/// Returns codes that sort in the order of the values. Equal values have equal codes.
///
/// Fails with [`Exhausted`] when the evaluation is cancelled.
pub fn sort_codes(cancel: &Cancel, values: &[Value]) -> Result<Vec<SortCode>, Exhausted> {
    codes(cancel, values.iter().map(ValueRef::from), CodePurpose::Sorting)
}

/// Returns the code of each value. Text is compared case-insensitively.
pub(crate) fn codes<'a>(
    cancel: &Cancel,
    values: impl Iterator<Item = ValueRef<'a>>,
    purpose: CodePurpose,
) -> Result<Vec<SortCode>, Exhausted> {
    let mut texts: Vec<&str> = Vec::new();
    let mut codes = Vec::with_capacity(values.size_hint().0);
    for value in values {
        cancel.work(1)?;
        codes.push(SortCode(match value {
            ValueRef::Number(number) => ordered_bits(number),
            ValueRef::Text(text) => {
                texts.push(text);
                TEXTS
            }
            ValueRef::Boolean(boolean) => BOOLEANS | u64::from(boolean),
            // For sorting, all errors are equal.
            ValueRef::Error(error) if purpose == CodePurpose::Equality => ERRORS | u64::from(error.code()),
            ValueRef::Error(_) => ERRORS,
            ValueRef::Blank => BLANK.0,
        }));
    }
    if !texts.is_empty() {
        let positions =
            text_positions(&texts, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(Exhausted)?;
        let of_texts = codes.iter_mut().filter(|code| code.0 == TEXTS);
        for (code, position) in of_texts.zip(positions) {
            code.0 |= u64::from(position);
        }
    }
    Ok(codes)
}

/// Sorts rows by several columns of codes, the first column being the most significant. The sort is
/// stable.
///
/// Fails with [`Exhausted`] when the evaluation is cancelled.
pub fn sort_by_codes(cancel: &Cancel, rows: &mut [u32], columns: &[&[SortCode]]) -> Result<(), Exhausted> {
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|row| (0, *row)).collect();
    // Least significant column first: each stable sort preserves the order of the previous ones.
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

/// Returns the order of `count` rows by several columns of codes.
pub(crate) fn order_by(
    cancel: &Cancel,
    columns: &[Vec<SortCode>],
    count: u32,
) -> Result<Vec<u32>, Exhausted> {
    let mut order: Vec<u32> = (0..count).collect();
    let columns: Vec<&[SortCode]> = columns.iter().map(Vec::as_slice).collect();
    sort_by_codes(cancel, &mut order, &columns)?;
    Ok(order)
}

/// Returns for each row the index of the first row that is equal in all columns.
pub(crate) fn first_equal_rows(
    cancel: &Cancel,
    columns: impl Iterator<Item = Result<Vec<SortCode>, Exhausted>>,
    count: u32,
) -> Result<Vec<u32>, Exhausted> {
    let mut firsts = vec![0; count as usize];
    for codes in columns {
        // After sorting, rows that are equal so far, this column included, are adjacent in row
        // order.
        let codes = codes?;
        let previous: Vec<SortCode> = firsts.iter().map(|first| SortCode(u64::from(*first))).collect();
        let mut rows: Vec<u32> = (0..count).collect();
        sort_by_codes(cancel, &mut rows, &[&previous, &codes])?;
        let mut are_all_different = true;
        let key = |row: &u32| (previous[*row as usize], codes[*row as usize]);
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

/// Sorts numbers in ascending order.
pub(crate) fn sort_numbers(cancel: &Cancel, numbers: &mut [f64]) -> Result<(), Exhausted> {
    let mut keys: Vec<u64> = numbers.iter().map(|number| ordered_bits(*number)).collect();
    sort_keys(&mut keys, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(Exhausted)?;
    for (number, key) in numbers.iter_mut().zip(keys) {
        *number = from_ordered_bits(key);
    }
    Ok(())
}
