//! COUNTIF, SUMIFS and related functions. Criteria select rows in a bit mask for each column;
//! numbers of the selected rows are summed in the order of `sum`. Described in ECMA-376 part 1,
//! 18.17.7, and Excel's help.

use std::ops::ControlFlow;

use quadrille_cell::radix_sort::sort_keys;
use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, charge_view, single, view};
use crate::array::columns::{CodePurpose, SortCode, codes};
use crate::context::CallContext;
use crate::criteria::{Criterion, full_mask, has_bit};
use crate::function::Function;
use crate::operands::{Chunk, Operand, RangeView, RowOrColumn, ValueRef};
use crate::sum::SegmentSum;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("COUNTIF", "range, criterion", "How many cells meet a criterion.", count_ifs)
        .lifts(&[1])
        .examples(&[("=COUNTIF({1,5,9},\">4\")", "2"), ("=COUNTIF({\"apple\",\"pear\"},\"a*\")", "1")]),
    Function::whole(
        "COUNTIFS",
        "range1, criterion1, [range2], [criterion2], …",
        "How many rows meet all criteria.",
        count_ifs,
    )
    .lifts(ODD_ARGUMENTS)
    .examples(&[("=COUNTIFS({1,5,9},\">1\",{\"a\",\"b\",\"a\"},\"a\")", "1")]),
    Function::whole(
        "COUNTUNIQUEIFS",
        "range, criteria_range1, criterion1, [criteria_range2], [criterion2], …",
        "How many different values stand where all criteria are met.",
        count_unique_ifs,
    )
    .described_in("Google Sheets")
    .lifts(EVEN_ARGUMENTS)
    .examples(&[("=COUNTUNIQUEIFS({1,2,1},{\"a\",\"b\",\"a\"},\"a\")", "1")]),
    Function::whole(
        "SUMIF",
        "range, criterion, [sum_range]",
        "Adds the numbers where a criterion is met.",
        sum_if,
    )
    .lifts(&[1])
    .examples(&[("=SUMIF({1,5,9},\">4\")", "14"), ("=SUMIF({\"a\",\"b\"},\"b\",{1,2})", "2")]),
    Function::whole(
        "SUMIFS",
        "sum_range, range1, criterion1, [range2], [criterion2], …",
        "Adds the numbers where all criteria are met.",
        sum_ifs,
    )
    .lifts(EVEN_ARGUMENTS)
    .examples(&[("=SUMIFS({1,2,3},{\"a\",\"b\",\"a\"},\"a\")", "4")]),
    Function::whole(
        "AVERAGEIF",
        "range, criterion, [average_range]",
        "The mean of the numbers where a criterion is met.",
        average_if,
    )
    .lifts(&[1])
    .examples(&[("=AVERAGEIF({1,5,9},\">4\")", "7"), ("=AVERAGEIF({1},\">4\")", "#DIV/0!")]),
    Function::whole(
        "AVERAGEIFS",
        "average_range, range1, criterion1, [range2], [criterion2], …",
        "The mean of the numbers where all criteria are met.",
        average_ifs,
    )
    .lifts(EVEN_ARGUMENTS)
    .examples(&[("=AVERAGEIFS({1,2,3},{\"a\",\"b\",\"a\"},\"a\")", "2")]),
    Function::whole(
        "MINIFS",
        "min_range, range1, criterion1, [range2], [criterion2], …",
        "The smallest number where all criteria are met.",
        min_ifs,
    )
    .lifts(EVEN_ARGUMENTS)
    .examples(&[("=MINIFS({3,2,1},{\"a\",\"b\",\"a\"},\"a\")", "1"), ("=MINIFS({1},{1},2)", "0")]),
    Function::whole(
        "MAXIFS",
        "max_range, range1, criterion1, [range2], [criterion2], …",
        "The largest number where all criteria are met.",
        max_ifs,
    )
    .lifts(EVEN_ARGUMENTS)
    .examples(&[("=MAXIFS({3,2,1},{\"a\",\"b\",\"a\"},\"a\")", "3")]),
];

/// Returns COUNTIF, for functions that are defined by it.
pub(crate) fn count_if() -> &'static Function {
    FUNCTIONS.iter().find(|function| function.name == "COUNTIF").expect("COUNTIF is one of these functions")
}

/// Indices of criteria: after each range.
const ODD_ARGUMENTS: &[usize] = &[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];
const EVEN_ARGUMENTS: &[usize] = &[2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32];

/// Receives a column and the mask of its selected rows.
type MaskVisitor<'a> = dyn FnMut(u32, &[u64]) -> Result<(), ErrorValue> + 'a;

/// Ranges of the same size with their criteria.
struct Conditions<'a> {
    pairs: Vec<(&'a dyn RangeView, Criterion)>,
    rows: u32,
    columns: u32,
    /// Number of rows after which all ranges are blank.
    used_rows: u32,
}

impl<'a> Conditions<'a> {
    fn new(context: &mut CallContext, arguments: &'a [Operand<'a>]) -> Result<Conditions<'a>, ErrorValue> {
        let (chunks, rest) = arguments.as_chunks::<2>();
        if !rest.is_empty() || chunks.is_empty() {
            return Err(ErrorValue::Value);
        }
        let mut pairs = Vec::with_capacity(chunks.len());
        for [range, criterion] in chunks {
            let view = view(range)?;
            charge_view(context, view)?;
            pairs.push((view, Criterion::new(&single(criterion)?)));
        }
        let (rows, columns) = (pairs[0].0.rows(), pairs[0].0.columns());
        if pairs.iter().any(|(view, _)| (view.rows(), view.columns()) != (rows, columns)) {
            return Err(ErrorValue::Value);
        }
        let used_rows = pairs.iter().map(|(view, _)| view.used_rows()).max().unwrap_or(0);
        Ok(Conditions { pairs, rows, columns, used_rows })
    }

    /// Returns the mask of the first `rows` rows that match all criteria in a column.
    fn mask(&self, column: u32, rows: u32) -> Vec<u64> {
        let mut mask = full_mask(rows);
        for (view, criterion) in &self.pairs {
            criterion.retain_matches(*view, column, rows, &mut mask);
        }
        mask
    }

    /// Calls `visit` with the rows of a column that match a single criterion, if an index provides
    /// them. Returns whether `visit` used them.
    fn with_indexed_rows(
        &self,
        context: &mut CallContext,
        column: u32,
        visit: &mut dyn FnMut(&mut dyn ExactSizeIterator<Item = u32>) -> bool,
    ) -> bool {
        let [(view, criterion)] = &self.pairs[..] else { return false };
        let Some(key) = criterion.key() else { return false };
        let mut is_used = false;
        view.with_positions_of(RowOrColumn::Column(column), key, &mut |rows| {
            if rows.has_numbers_as_text && matches!(key, ValueRef::Number(_)) {
                return;
            }
            is_used = visit(&mut rows.positions.iter().map(|row| row - rows.start));
        });
        context.steps_saved += if is_used { u64::from(self.used_rows) } else { 0 };
        is_used
    }

    fn blank_rows_match(&self) -> bool {
        self.pairs.iter().all(|(_, criterion)| criterion.matches(ValueRef::Blank))
    }

    /// Calls `visit` for each column with the mask of the selected rows among the used rows of
    /// `source`.
    fn for_each_mask(
        &self,
        context: &mut CallContext,
        source: &dyn RangeView,
        visit: &mut MaskVisitor<'_>,
    ) -> Result<(), ErrorValue> {
        charge_view(context, source)?;
        for column in 0..self.columns.min(source.columns()) {
            let mask = self.mask(column, source.used_rows().min(self.rows));
            context.work(u64::from(source.used_rows()))?;
            visit(column, &mask)?;
        }
        Ok(())
    }
}

fn count_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let conditions = Conditions::new(context, arguments)?;
    let mut count = 0u64;
    for column in 0..conditions.columns {
        if conditions.with_indexed_rows(context, column, &mut |rows| {
            count += rows.len() as u64;
            true
        }) {
            continue;
        }
        let mask = conditions.mask(column, conditions.used_rows);
        count += mask.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    }
    if conditions.blank_rows_match() {
        count += u64::from(conditions.rows - conditions.used_rows) * u64::from(conditions.columns);
    }
    Ok((count as f64).into())
}

/// Returns sum and count of the numbers in the selected rows.
fn sum_selected(
    context: &mut CallContext,
    conditions: &Conditions,
    source: &dyn RangeView,
) -> Result<(f64, u64), ErrorValue> {
    if conditions.columns == 1 && source.columns() == 1 {
        let mut total = None;
        conditions.with_indexed_rows(context, 0, &mut |rows| {
            // For many rows, reading the whole column is cheaper.
            let is_cheaper = rows.len() < source.used_rows() as usize / SEQUENTIAL_READS_PER_RANDOM_READ;
            if is_cheaper {
                total = Some(sum_of_rows(source, rows));
            }
            is_cheaper
        });
        if let Some(total) = total {
            charge_view(context, source)?;
            context.steps_saved += u64::from(source.used_rows());
            return total;
        }
    }
    let mut total = (0.0, 0);
    conditions.for_each_mask(context, source, &mut |column, mask| {
        let mut sum = SegmentSum::new();
        let mut masked = Vec::new();
        for_each_selected(source, column, mask, &mut |first_row, chunk| match chunk {
            Chunk::Blank(rows) => {
                sum.skip(rows);
                Ok(())
            }
            Chunk::Numbers(numbers) => {
                // Adding zero has no effect and avoids a branch.
                masked.clear();
                masked.extend(numbers.iter().zip(first_row..).map(|(number, row)| {
                    let is_selected = has_bit(mask, row);
                    total.1 += u64::from(is_selected);
                    if is_selected { *number } else { 0.0 }
                }));
                sum.extend(&masked);
                Ok(())
            }
            Chunk::Mixed(cells) => {
                for index in 0..cells.len() {
                    match cells.get(index) {
                        _ if !has_bit(mask, first_row + index as u32) => sum.skip(1),
                        ValueRef::Number(number) => {
                            sum.push(number);
                            total.1 += 1;
                        }
                        ValueRef::Error(error) => return Err(error),
                        _ => sum.skip(1),
                    }
                }
                Ok(())
            }
        })?;
        total.0 += sum.finish();
        Ok(())
    })?;
    Ok(total)
}

/// Cells that are read sequentially in the time of one random access.
const SEQUENTIAL_READS_PER_RANDOM_READ: usize = 16;

/// Returns sum and count of the numbers in some rows of the first column.
fn sum_of_rows(
    source: &dyn RangeView,
    rows: &mut dyn ExactSizeIterator<Item = u32>,
) -> Result<(f64, u64), ErrorValue> {
    let mut sum = SegmentSum::new();
    let mut count = 0;
    let mut next = 0;
    for row in rows {
        sum.skip(row - next);
        match source.value(row, 0) {
            Value::Number(number) => {
                sum.push(number);
                count += 1;
            }
            Value::Error(error) => return Err(error),
            _ => sum.skip(1),
        }
        next = row + 1;
    }
    Ok((sum.finish(), count))
}

/// Calls `visit` with the first row and cells of each chunk of a column within the mask. No chunk
/// extends beyond the mask, since both end at or before the used rows.
fn for_each_selected(
    source: &dyn RangeView,
    column: u32,
    mask: &[u64],
    visit: &mut dyn FnMut(u32, Chunk<'_>) -> Result<(), ErrorValue>,
) -> Result<(), ErrorValue> {
    let rows_max = mask.len() as u32 * 64;
    let mut row = 0;
    let mut outcome = Ok(());
    source.for_each_chunk(column, &mut |chunk| {
        if row + chunk.len() > rows_max {
            return ControlFlow::Break(());
        }
        outcome = visit(row, chunk);
        row += chunk.len();
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    outcome
}

fn sum_if_parts(context: &mut CallContext, arguments: &[Operand]) -> Result<(f64, u64), ErrorValue> {
    let conditions = Conditions::new(context, &arguments[..2])?;
    let source = view(arguments.get(2).unwrap_or(&arguments[0]))?;
    let source: &dyn RangeView = match source.rows() > conditions.rows {
        true => &FirstRows { source, rows: conditions.rows },
        false => source,
    };
    sum_selected(context, &conditions, source)
}

/// A view of the first rows of a taller view.
struct FirstRows<'a> {
    source: &'a dyn RangeView,
    rows: u32,
}

impl RangeView for FirstRows<'_> {
    fn rows(&self) -> u32 {
        self.rows
    }

    fn columns(&self) -> u32 {
        self.source.columns()
    }

    fn used_rows(&self) -> u32 {
        self.source.used_rows().min(self.rows)
    }

    fn value(&self, row: u32, column: u32) -> Value {
        self.source.value(row, column)
    }

    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        let mut left = self.rows;
        self.source.for_each_chunk(column, &mut |chunk| {
            chunk.with_length_max(left, |part| {
                left -= part.len();
                visit(part)
            })?;
            if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
}

fn sum_if(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(sum_if_parts(context, arguments)?.0.into())
}

fn mean((sum, count): (f64, u64)) -> OperandResult {
    if count == 0 { Err(ErrorValue::DivideByZero) } else { Ok((sum / count as f64).into()) }
}

fn average_if(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    mean(sum_if_parts(context, arguments)?)
}

/// Reads the aggregated range and the conditions, which must have the same size.
fn source_and_conditions<'a>(
    context: &mut CallContext,
    arguments: &'a [Operand<'a>],
) -> Result<(&'a dyn RangeView, Conditions<'a>), ErrorValue> {
    let source = view(&arguments[0])?;
    let conditions = Conditions::new(context, &arguments[1..])?;
    if (source.rows(), source.columns()) != (conditions.rows, conditions.columns) {
        return Err(ErrorValue::Value);
    }
    Ok((source, conditions))
}

fn sum_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (source, conditions) = source_and_conditions(context, arguments)?;
    Ok(sum_selected(context, &conditions, source)?.0.into())
}

fn average_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (source, conditions) = source_and_conditions(context, arguments)?;
    mean(sum_selected(context, &conditions, source)?)
}

fn extreme_selected(
    context: &mut CallContext,
    arguments: &[Operand],
    is_better: fn(f64, f64) -> bool,
) -> OperandResult {
    let (source, conditions) = source_and_conditions(context, arguments)?;
    let mut best: Option<f64> = None;
    let mut take = |number: f64| {
        if best.is_none_or(|best| is_better(number, best)) {
            best = Some(number);
        }
    };
    conditions.for_each_mask(context, source, &mut |column, mask| {
        for_each_selected(source, column, mask, &mut |first_row, chunk| {
            match chunk {
                Chunk::Blank(_) => {}
                Chunk::Numbers(numbers) => {
                    for (number, row) in numbers.iter().zip(first_row..) {
                        if has_bit(mask, row) {
                            take(*number);
                        }
                    }
                }
                Chunk::Mixed(cells) => {
                    for index in (0..cells.len()).filter(|index| has_bit(mask, first_row + *index as u32)) {
                        match cells.get(index) {
                            ValueRef::Number(number) => take(number),
                            ValueRef::Error(error) => return Err(error),
                            _ => {}
                        }
                    }
                }
            }
            Ok(())
        })
    })?;
    Ok(best.unwrap_or(0.0).into())
}

fn min_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme_selected(context, arguments, |number, best| number < best)
}

fn max_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme_selected(context, arguments, |number, best| number > best)
}

fn count_unique_ifs(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (source, conditions) = source_and_conditions(context, arguments)?;
    charge_view(context, source)?;
    let mut selected = Vec::new();
    for column in 0..source.columns() {
        let rows = source.used_rows();
        let mask = conditions.mask(column, rows);
        selected.extend((0..rows).filter(|row| has_bit(&mask, *row)).map(|row| source.value(row, column)));
    }
    selected.retain(|value| !value.is_blank());
    context.budget.charge(selected.len() as u64 * 16)?;
    let cancel = &context.budget.cancel;
    let codes = codes(cancel, selected.iter().map(ValueRef::from), CodePurpose::Equality)?;
    let mut codes: Vec<u64> = codes.into_iter().map(SortCode::bits).collect();
    sort_keys(&mut codes, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(ErrorValue::Calculation)?;
    codes.dedup();
    Ok((codes.len() as f64).into())
}
