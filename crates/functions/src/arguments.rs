//! Reading arguments: optional ones, and all the numbers in several.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{Array, DeferredVec, ErrorValue, Value};

use crate::cancel::Cancel;
use crate::coerce;
use crate::context::CallContext;
use crate::operands::{Chunk, Operand, RangeView, ValueRef};

pub(crate) type Outcome = Result<Value, ErrorValue>;
pub(crate) type WholeOutcome = Result<Operand<'static>, ErrorValue>;

/// The first arguments as numbers; those left out are zero.
pub(crate) fn numbers<const COUNT: usize>(arguments: &[Value]) -> Result<[f64; COUNT], ErrorValue> {
    let mut numbers = [0.0; COUNT];
    for (number, argument) in numbers.iter_mut().zip(arguments) {
        *number = coerce::number(argument)?;
    }
    Ok(numbers)
}

/// The number at `index`, or what stands for it when there are fewer arguments.
pub(crate) fn number_or(arguments: &[Value], index: usize, default: f64) -> Result<f64, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::number)
}

pub(crate) fn integer_or(arguments: &[Value], index: usize, default: i64) -> Result<i64, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::integer)
}

pub(crate) fn boolean_or(arguments: &[Value], index: usize, default: bool) -> Result<bool, ErrorValue> {
    arguments.get(index).map_or(Ok(default), coerce::boolean)
}

/// The one value of an operand that must not be a rectangle.
pub(crate) fn single(operand: &Operand) -> Outcome {
    operand.single().ok_or(ErrorValue::Value)
}

/// The operand at `index` unless it is left out.
pub(crate) fn given<'a, 'b>(arguments: &'b [Operand<'a>], index: usize) -> Option<&'b Operand<'a>> {
    arguments.get(index).filter(|argument| !argument.is_missing())
}

pub(crate) fn given_number(arguments: &[Operand], index: usize, default: f64) -> Result<f64, ErrorValue> {
    given(arguments, index).map_or(Ok(default), |argument| coerce::number(&single(argument)?))
}

pub(crate) fn given_integer(arguments: &[Operand], index: usize, default: i64) -> Result<i64, ErrorValue> {
    given(arguments, index).map_or(Ok(default), |argument| coerce::integer(&single(argument)?))
}

pub(crate) fn given_boolean(arguments: &[Operand], index: usize, default: bool) -> Result<bool, ErrorValue> {
    given(arguments, index).map_or(Ok(default), |argument| coerce::boolean(&single(argument)?))
}

pub(crate) fn given_text(arguments: &[Operand], index: usize, default: &str) -> Result<Arc<str>, ErrorValue> {
    given(arguments, index).map_or(Ok(default.into()), |argument| coerce::text(&single(argument)?))
}

/// The operand as one rectangle.
pub(crate) fn view<'b>(operand: &'b Operand) -> Result<&'b dyn RangeView, ErrorValue> {
    operand.view().ok_or(ErrorValue::Value)
}

/// Pays for reading a rectangle's used cells.
pub(crate) fn charge_view(context: &mut CallContext, view: &dyn RangeView) -> Result<(), ErrorValue> {
    context.budget.charge(u64::from(view.used_rows()) * u64::from(view.columns()))?;
    Ok(())
}

/// Visits the used cells of a column with their rows, until `visit` fails or the evaluation is to end.
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
                Chunk::Mixed(lane) => lane.get(index as usize),
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

/// What counts as a number inside ranges and arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountMode {
    /// Numbers; all else is passed over.
    Numbers,
    /// Truth values as 1 and 0, text as 0: the functions whose name ends in A.
    Everything,
}

/// Hands out all numbers in the arguments, in slices: direct arguments are converted, ranges and arrays are read column
/// by column. The first error ends it.
pub(crate) fn for_each_numbers(
    context: &mut CallContext,
    arguments: &[Operand],
    counted: CountMode,
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
                        for_each_numbers_in_column(&context.budget.cancel, view, column, counted, visit)?;
                    }
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn for_each_numbers_in_column(
    cancel: &Cancel,
    view: &dyn RangeView,
    column: u32,
    counted: CountMode,
    visit: &mut dyn FnMut(&[f64]),
) -> Result<(), ErrorValue> {
    let mut found: Vec<f64> = Vec::new();
    let mut error = None;
    view.for_each_chunk(column, &mut |chunk| {
        if cancel.is_requested_within(u64::from(chunk.len())) {
            error = Some(ErrorValue::Calculation);
            return ControlFlow::Break(());
        }
        match chunk {
            Chunk::Blank(_) => {}
            Chunk::Numbers(numbers) => visit(numbers),
            Chunk::Mixed(lane) => {
                found.clear();
                for index in 0..lane.len() {
                    match lane.get(index) {
                        ValueRef::Number(number) => found.push(number),
                        ValueRef::Error(first) => {
                            error = Some(first);
                            return ControlFlow::Break(());
                        }
                        ValueRef::Boolean(boolean) if counted == CountMode::Everything => {
                            found.push(f64::from(u8::from(boolean)));
                        }
                        ValueRef::Text(_) if counted == CountMode::Everything => found.push(0.0),
                        _ => {}
                    }
                }
                visit(&found);
            }
        }
        ControlFlow::Continue(())
    });
    error.map_or(Ok(()), Err)
}

pub(crate) fn collect_numbers(
    context: &mut CallContext,
    arguments: &[Operand],
    counted: CountMode,
) -> Result<Vec<f64>, ErrorValue> {
    let mut all = Vec::new();
    for_each_numbers(context, arguments, counted, &mut |numbers| all.extend_from_slice(numbers))?;
    Ok(all)
}

/// All values of an operand, row by row, blanks at the end of used rows not included when it is a range.
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

/// An array, or its one value.
pub(crate) fn array_operand(rows: u32, columns: u32, values: impl Into<DeferredVec<Value>>) -> WholeOutcome {
    match Array::new(rows, columns, values) {
        Some(array) => Ok(Operand::Array(array)),
        // Excel has no empty arrays.
        None => Err(ErrorValue::Calculation),
    }
}
