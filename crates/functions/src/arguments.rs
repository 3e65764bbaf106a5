//! Access to arguments: conversion, optional arguments, and iteration over the numbers of ranges.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{Array, DeferredVec, ErrorValue, Value};

use crate::cancel::Cancel;
use crate::coerce;
use crate::context::CallContext;
use crate::operands::{Chunk, Operand, RangeView, ValueRef};

/// Result of a function over single values.
pub(crate) type ValueResult = Result<Value, ErrorValue>;
/// Result of a function over operands.
pub(crate) type OperandResult = Result<Operand<'static>, ErrorValue>;

/// Converts the first `COUNT` arguments to numbers; omitted ones are zero.
pub(crate) fn numbers<const COUNT: usize>(arguments: &[Value]) -> Result<[f64; COUNT], ErrorValue> {
    let mut numbers = [0.0; COUNT];
    for (number, argument) in numbers.iter_mut().zip(arguments) {
        *number = coerce::number(argument)?;
    }
    Ok(numbers)
}

/// Converts the argument at `index` to a number; `default` when there are fewer arguments.
pub(crate) fn number_or(arguments: &[Value], index: usize, default: f64) -> Result<f64, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::number)
}

/// As [`number_or`], for integers.
pub(crate) fn integer_or(arguments: &[Value], index: usize, default: i64) -> Result<i64, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::integer)
}

/// As [`number_or`], for Booleans.
pub(crate) fn boolean_or(arguments: &[Value], index: usize, default: bool) -> Result<bool, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::boolean)
}

/// Returns the single value of an operand. Fails with `#VALUE!` for several cells.
pub(crate) fn single(operand: &Operand) -> ValueResult {
    operand.single().ok_or(ErrorValue::Value)
}

/// Returns the operand at `index`, or `None` when it is omitted or empty.
pub(crate) fn optional<'a, 'b>(arguments: &'b [Operand<'a>], index: usize) -> Option<&'b Operand<'a>> {
    arguments.get(index).filter(|argument| !argument.is_missing())
}

/// Converts the operand at `index` to a number; `default` when it is omitted.
pub(crate) fn optional_number(arguments: &[Operand], index: usize, default: f64) -> Result<f64, ErrorValue> {
    optional(arguments, index).map_or(Ok(default), |argument| coerce::number(&single(argument)?))
}

/// As [`optional_number`], for integers.
pub(crate) fn optional_integer(arguments: &[Operand], index: usize, default: i64) -> Result<i64, ErrorValue> {
    optional(arguments, index).map_or(Ok(default), |argument| coerce::integer(&single(argument)?))
}

/// As [`optional_number`], for Booleans.
pub(crate) fn optional_boolean(
    arguments: &[Operand],
    index: usize,
    default: bool,
) -> Result<bool, ErrorValue> {
    optional(arguments, index).map_or(Ok(default), |argument| coerce::boolean(&single(argument)?))
}

/// As [`optional_number`], for text.
pub(crate) fn optional_text(
    arguments: &[Operand],
    index: usize,
    default: &str,
) -> Result<Arc<str>, ErrorValue> {
    optional(arguments, index).map_or(Ok(default.into()), |argument| coerce::text(&single(argument)?))
}

/// Returns the view of an operand. Fails with `#VALUE!` for references with several areas.
pub(crate) fn view<'b>(operand: &'b Operand) -> Result<&'b dyn RangeView, ErrorValue> {
    operand.view().ok_or(ErrorValue::Value)
}

/// Charges the budget for reading the used cells of a view.
pub(crate) fn charge_view(context: &mut CallContext, view: &dyn RangeView) -> Result<(), ErrorValue> {
    context.budget.charge(u64::from(view.used_rows()) * u64::from(view.columns()))?;
    Ok(())
}

/// Calls `visit` with the row and value of each used cell of a column, until it fails or the
/// evaluation is cancelled.
pub(crate) fn for_each_cell(
    cancel: &Cancel,
    view: &dyn RangeView,
    column: u32,
    visit: &mut dyn FnMut(u32, ValueRef<'_>) -> Result<(), ErrorValue>,
) -> Result<(), ErrorValue> {
    let mut row = 0;
    let mut outcome = Ok(());
    view.for_each_chunk(column, &mut |chunk| {
        outcome = cancel.work(u64::from(chunk.len())).map_err(ErrorValue::from);
        if outcome.is_err() {
            return ControlFlow::Break(());
        }
        for index in 0..chunk.len() {
            let value = match chunk {
                Chunk::Blank(_) => ValueRef::Blank,
                Chunk::Numbers(numbers) => ValueRef::Number(numbers[index as usize]),
                Chunk::Mixed(cells) => cells.get(index as usize),
            };
            outcome = visit(row + index, value);
            if outcome.is_err() {
                return ControlFlow::Break(());
            }
        }
        row += chunk.len();
        ControlFlow::Continue(())
    });
    outcome
}

/// Which values inside ranges and arrays count as numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountMode {
    /// Numbers only; other values are ignored.
    Numbers,
    /// Booleans as 1 and 0, text as 0, as in the functions whose name ends in A.
    Everything,
}

/// Calls `visit` with slices of all numbers in the arguments. Direct arguments are converted;
/// ranges and arrays are read column by column. Fails with the first error value.
pub(crate) fn for_each_number_slice(
    context: &mut CallContext,
    arguments: &[Operand],
    mode: CountMode,
    visit: &mut dyn FnMut(&[f64]),
) -> Result<(), ErrorValue> {
    for argument in arguments {
        match argument {
            Operand::Value(value) => visit(&[coerce::number(value)?]),
            Operand::Missing => visit(&[0.0]),
            _ => {
                for view in argument.views() {
                    charge_view(context, view)?;
                    for column in 0..view.columns() {
                        for_each_number_slice_in_column(&context.budget.cancel, view, column, mode, visit)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// As [`for_each_number_slice`], for one column.
pub(crate) fn for_each_number_slice_in_column(
    cancel: &Cancel,
    view: &dyn RangeView,
    column: u32,
    mode: CountMode,
    visit: &mut dyn FnMut(&[f64]),
) -> Result<(), ErrorValue> {
    let mut numbers: Vec<f64> = Vec::new();
    let mut error = None;
    view.for_each_chunk(column, &mut |chunk| {
        if cancel.is_requested_within(u64::from(chunk.len())) {
            error = Some(ErrorValue::Calculation);
            return ControlFlow::Break(());
        }
        match chunk {
            Chunk::Blank(_) => {}
            Chunk::Numbers(slice) => visit(slice),
            Chunk::Mixed(cells) => {
                numbers.clear();
                for index in 0..cells.len() {
                    match cells.get(index) {
                        ValueRef::Number(number) => numbers.push(number),
                        ValueRef::Error(first) => {
                            error = Some(first);
                            return ControlFlow::Break(());
                        }
                        ValueRef::Boolean(boolean) if mode == CountMode::Everything => {
                            numbers.push(f64::from(u8::from(boolean)));
                        }
                        ValueRef::Text(_) if mode == CountMode::Everything => numbers.push(0.0),
                        _ => {}
                    }
                }
                visit(&numbers);
            }
        }
        ControlFlow::Continue(())
    });
    error.map_or(Ok(()), Err)
}

/// Collects all numbers in the arguments; see [`for_each_number_slice`].
pub(crate) fn collect_numbers(
    context: &mut CallContext,
    arguments: &[Operand],
    mode: CountMode,
) -> Result<Vec<f64>, ErrorValue> {
    let mut all = Vec::new();
    for_each_number_slice(context, arguments, mode, &mut |numbers| all.extend_from_slice(numbers))?;
    Ok(all)
}

/// Returns the values of an operand row by row, without the rows after the used ones.
pub(crate) fn values_by_row(context: &mut CallContext, operand: &Operand) -> Result<Vec<Value>, ErrorValue> {
    let mut values = Vec::new();
    for view in operand.views() {
        charge_view(context, view)?;
        for row in 0..view.used_rows() {
            context.work(u64::from(view.columns()))?;
            for column in 0..view.columns() {
                values.push(view.value(row, column));
            }
        }
    }
    Ok(values)
}

/// Builds an array result.
pub(crate) fn array_operand(rows: u32, columns: u32, values: impl Into<DeferredVec<Value>>) -> OperandResult {
    match Array::new(rows, columns, values) {
        Some(array) => Ok(Operand::Array(array)),
        // Excel does not support empty arrays.
        None => Err(ErrorValue::Calculation),
    }
}
