//! COUNT, COUNTA and COUNTBLANK. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use std::ops::ControlFlow;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, charge_view};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Chunk, Operand, ValueRef};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("COUNT", "value1, [value2], …", "How many numbers there are.", count)
        .examples(&[("=COUNT(1,\"2\",\"x\",TRUE)", "3"), ("=COUNT({1,\"2\",TRUE})", "1")]),
    Function::whole("COUNTA", "value1, [value2], …", "How many values are not blank.", count_a)
        .examples(&[("=COUNTA(1,\"\",#N/A)", "3")]),
    Function::whole("COUNTBLANK", "range", "How many cells are blank or hold empty text.", count_blank)
        .examples(&[("=COUNTBLANK({\"\",1})", "1")]),
];

/// Counts the cells of an argument for which a test holds, without blanks after the used rows.
fn count_cells(
    context: &mut CallContext,
    argument: &Operand,
    counts_numbers: bool,
    holds: fn(ValueRef<'_>) -> bool,
) -> Result<u64, ErrorValue> {
    let mut count = 0u64;
    for view in argument.views() {
        charge_view(context, view)?;
        for column in 0..view.columns() {
            view.for_each_chunk(column, &mut |chunk| {
                if context.work(u64::from(chunk.len())).is_err() {
                    return ControlFlow::Break(());
                }
                count += match chunk {
                    Chunk::Blank(_) => 0,
                    Chunk::Numbers(numbers) => u64::from(counts_numbers) * numbers.len() as u64,
                    Chunk::Mixed(cells) => {
                        (0..cells.len()).filter(|index| holds(cells.get(*index))).count() as u64
                    }
                };
                ControlFlow::Continue(())
            });
        }
    }
    Ok(count)
}

pub(crate) fn count(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut total = 0;
    for argument in arguments {
        total += match argument {
            Operand::Value(value) => u64::from(number(value).is_ok()),
            Operand::Missing => 1,
            _ => count_cells(context, argument, true, |value| matches!(value, ValueRef::Number(_)))?,
        };
    }
    Ok((total as f64).into())
}

pub(crate) fn count_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut total = 0;
    for argument in arguments {
        total += match argument {
            Operand::Value(value) => u64::from(!value.is_blank()),
            Operand::Missing => 1,
            _ => count_cells(context, argument, true, |value| !matches!(value, ValueRef::Blank))?,
        };
    }
    Ok((total as f64).into())
}

fn count_blank(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    if let Operand::Value(Value::Error(error)) = &arguments[0] {
        return Err(*error);
    }
    let cells: u64 =
        arguments[0].views().iter().map(|view| u64::from(view.rows()) * u64::from(view.columns())).sum();
    let filled = count_cells(context, &arguments[0], true, |value| match value {
        ValueRef::Blank => false,
        ValueRef::Text(text) => !text.is_empty(),
        _ => true,
    })?;
    Ok(((cells - filled) as f64).into())
}
