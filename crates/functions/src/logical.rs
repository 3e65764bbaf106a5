//! Logical functions. Described in ECMA-376 part 1, 18.17.7, and Excel's help. The evaluator
//! implements IF, IFS, IFERROR, IFNA and SWITCH.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, charge_view, for_each_cell};
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Operand, ValueRef};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::evaluator("IF", "test, if_true, [if_false]", "One of two values, by a test.").examples(&[
        ("=IF(1>2,\"yes\",\"no\")", "no"),
        ("=IF(TRUE,1)", "1"),
        ("=IF(FALSE,1)", "FALSE"),
        ("=IF(TRUE,1,1/0)", "1"),
    ]),
    Function::evaluator(
        "IFS",
        "test1, value1, [test2], [value2], …",
        "The value after the first test that is true.",
    )
    .excel_only()
    .examples(&[("=IFS(FALSE,1,TRUE,2)", "2"), ("=IFS(FALSE,1)", "#N/A")]),
    Function::evaluator("IFERROR", "value, if_error", "The value, or another one if it is an error.")
        .examples(&[("=IFERROR(1/0,\"none\")", "none"), ("=IFERROR(5,0)", "5")]),
    Function::evaluator("IFNA", "value, if_na", "The value, or another one if it is #N/A.")
        .examples(&[("=IFNA(#N/A,0)", "0"), ("=IFNA(1/0,0)", "#DIV/0!")]),
    Function::evaluator(
        "SWITCH",
        "expression, value1, result1, [value2_or_default], [result2], …",
        "The result after the first value that equals the expression.",
    )
    .excel_only()
    .examples(&[
        ("=SWITCH(2,1,\"a\",2,\"b\")", "b"),
        ("=SWITCH(3,1,\"a\",\"other\")", "other"),
        ("=SWITCH(3,1,\"a\")", "#N/A"),
    ]),
    Function::whole("AND", "test1, [test2], …", "Whether all tests are true.", and).examples(&[
        ("=AND(TRUE,1)", "TRUE"),
        ("=AND(TRUE,0)", "FALSE"),
        ("=AND(\"x\")", "#VALUE!"),
    ]),
    Function::whole("OR", "test1, [test2], …", "Whether any test is true.", or)
        .examples(&[("=OR(FALSE,1)", "TRUE"), ("=OR(FALSE,0)", "FALSE")]),
    Function::whole("XOR", "test1, [test2], …", "Whether an odd number of tests is true.", xor)
        .examples(&[("=XOR(TRUE,TRUE)", "FALSE"), ("=XOR(TRUE,FALSE)", "TRUE")]),
    Function::scalar("NOT", "test", "The opposite.", not)
        .examples(&[("=NOT(TRUE)", "FALSE"), ("=NOT(0)", "TRUE")]),
    Function::scalar("TRUE", "", "The truth value TRUE.", constant_true).examples(&[("=TRUE()", "TRUE")]),
    Function::scalar("FALSE", "", "The truth value FALSE.", constant_false)
        .examples(&[("=FALSE()", "FALSE")]),
];

/// Returns the number of true tests and of all tests. Text and blanks in ranges are ignored.
fn tests(context: &mut CallContext, arguments: &[Operand]) -> Result<(u64, u64), ErrorValue> {
    let (mut trues, mut count) = (0, 0);
    let mut count_test = |is_true: bool| {
        trues += u64::from(is_true);
        count += 1;
    };
    for argument in arguments {
        match argument {
            // Excel ignores empty text, but not other text.
            Operand::Value(Value::Text(text)) if text.is_empty() => {}
            Operand::Value(value) => count_test(boolean(value)?),
            Operand::Missing => count_test(false),
            _ => {
                for view in argument.views() {
                    charge_view(context, view)?;
                    for column in 0..view.columns() {
                        for_each_cell(&context.budget.cancel, view, column, &mut |_, value| {
                            match value {
                                ValueRef::Boolean(boolean) => count_test(boolean),
                                ValueRef::Number(number) => count_test(number != 0.0),
                                ValueRef::Error(error) => return Err(error),
                                ValueRef::Text(_) | ValueRef::Blank => {}
                            }
                            Ok(())
                        })?;
                    }
                }
            }
        }
    }
    if count == 0 { Err(ErrorValue::Value) } else { Ok((trues, count)) }
}

fn and(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (trues, count) = tests(context, arguments)?;
    Ok((trues == count).into())
}

fn or(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok((tests(context, arguments)?.0 > 0).into())
}

fn xor(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok((tests(context, arguments)?.0 % 2 == 1).into())
}

fn not(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(!boolean(&arguments[0])?))
}

fn constant_true(_: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::Boolean(true))
}

fn constant_false(_: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::Boolean(false))
}
