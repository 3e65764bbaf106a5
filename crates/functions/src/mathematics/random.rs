//! RAND, RANDBETWEEN and RANDARRAY. Random numbers depend on the seed of the evaluation context, so
//! that all replicas compute the same ones. Described in Excel's help.

use quadrille_cell::{DeferredVec, ErrorValue, Value};

use crate::arguments::{
    OperandResult, ValueResult, array_operand, optional_boolean, optional_integer, optional_number,
};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("RAND", "", "A random number from 0 up to but not 1.", rand)
        .volatile()
        .examples(&[("=AND(RAND()>=0,RAND()<1)", "TRUE")]),
    Function::scalar("RANDBETWEEN", "lowest, highest", "A random whole number between two.", rand_between)
        .volatile()
        .examples(&[("=RANDBETWEEN(3,3)", "3"), ("=RANDBETWEEN(2,1)", "#NUM!")]),
    Function::whole(
        "RANDARRAY",
        "[rows], [columns], [lowest], [highest], [whole]",
        "An array of random numbers.",
        rand_array,
    )
    .volatile()
    .excel_only()
    .examples(&[("=ROWS(RANDARRAY(3,2))", "3")]),
];

fn rand(context: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::number(context.random()))
}

fn rand_between(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    whole_between(context, number(&arguments[0])?, number(&arguments[1])?).map(Value::number)
}

fn whole_between(context: &mut CallContext, lowest: f64, highest: f64) -> Result<f64, ErrorValue> {
    let (lowest, highest) = (lowest.ceil(), highest.floor());
    if lowest > highest {
        return Err(ErrorValue::Number);
    }
    Ok((lowest + (context.random() * (highest - lowest + 1.0)).floor()).min(highest))
}

fn rand_array(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (rows, columns) = (optional_integer(arguments, 0, 1)?, optional_integer(arguments, 1, 1)?);
    let (lowest, highest) = (optional_number(arguments, 2, 0.0)?, optional_number(arguments, 3, 1.0)?);
    let is_whole = optional_boolean(arguments, 4, false)?;
    let (rows, columns, count) = crate::array::shape::extent(context, rows, columns)?;
    if lowest > highest {
        return Err(ErrorValue::Value);
    }
    let mut values = DeferredVec::with_capacity(count);
    for _ in 0..count {
        context.work(1)?;
        values.push(Value::number(match is_whole {
            true => whole_between(context, lowest, highest)?,
            false => lowest + context.random() * (highest - lowest),
        }));
    }
    array_operand(rows, columns, values)
}
