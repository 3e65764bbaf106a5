//! Mathematics.

use quadrille_cell::{ErrorValue, Value};

use crate::coerce::number;
use crate::context::CallContext;
use crate::operand::Operand;
use crate::registry::Function;
use crate::sum::sum_view;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("ABS", "number", "The number without its sign.", abs).examples(&[("=ABS(-2)", "2")]),
    Function::whole("SUM", "number1, [number2], …", "Adds numbers; text in ranges is passed over.", sum)
        .examples(&[("=SUM(1,2,3)", "6"), ("=SUM(\"3\",TRUE)", "4")]),
];

fn abs(_: &mut CallContext, arguments: &[Value]) -> Result<Value, ErrorValue> {
    Ok(Value::number(number(&arguments[0])?.abs()))
}

fn sum(context: &mut CallContext, arguments: &[Operand]) -> Result<Operand<'static>, ErrorValue> {
    let mut total = 0.0;
    for argument in arguments {
        if let Operand::Value(value) = argument {
            total += number(value)?;
            continue;
        }
        for view in argument.views() {
            context.budget.charge(u64::from(view.used_rows()) * u64::from(view.columns()))?;
            total += sum_view(view)?.0;
        }
    }
    Ok(Operand::Value(Value::number(total)))
}
