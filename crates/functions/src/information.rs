//! Functions that test and convert the type of a value: ISNUMBER, N, TYPE, ERROR.TYPE etc.
//! Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

/// Declares a test of a value's type. Errors are tested like other values.
macro_rules! type_test {
    ($name:literal, $summary:literal, $pattern:pat, $($example:expr),+) => {{
        fn test(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
            Ok(Value::Boolean(matches!(&arguments[0], $pattern)))
        }
        Function::scalar($name, "value", $summary, test).examples(&[$($example),+])
    }};
}

pub(crate) const FUNCTIONS: &[Function] = &[
    type_test!("ISBLANK", "Whether the cell is blank.", Value::Blank, ("=ISBLANK(\"\")", "FALSE")),
    type_test!(
        "ISNUMBER",
        "Whether the value is a number.",
        Value::Number(_),
        ("=ISNUMBER(1)", "TRUE"),
        ("=ISNUMBER(\"1\")", "FALSE")
    ),
    type_test!("ISTEXT", "Whether the value is text.", Value::Text(_), ("=ISTEXT(\"x\")", "TRUE")),
    type_test!(
        "ISLOGICAL",
        "Whether the value is a truth value.",
        Value::Boolean(_),
        ("=ISLOGICAL(TRUE)", "TRUE")
    ),
    type_test!(
        "ISERROR",
        "Whether the value is an error.",
        Value::Error(_),
        ("=ISERROR(1/0)", "TRUE"),
        ("=ISERROR(1)", "FALSE")
    ),
    type_test!(
        "ISNA",
        "Whether the value is #N/A.",
        Value::Error(ErrorValue::NotAvailable),
        ("=ISNA(#N/A)", "TRUE"),
        ("=ISNA(1/0)", "FALSE")
    ),
    Function::scalar("ISERR", "value", "Whether the value is an error other than #N/A.", is_err)
        .examples(&[("=ISERR(1/0)", "TRUE"), ("=ISERR(#N/A)", "FALSE")]),
    Function::scalar("ISNONTEXT", "value", "Whether the value is anything but text.", is_non_text)
        .examples(&[("=ISNONTEXT(1)", "TRUE")]),
    Function::scalar("ISEVEN", "number", "Whether the number is even.", is_even)
        .examples(&[("=ISEVEN(2.5)", "TRUE"), ("=ISEVEN(-1)", "FALSE")]),
    Function::scalar("ISODD", "number", "Whether the number is odd.", is_odd)
        .examples(&[("=ISODD(-1)", "TRUE")]),
    Function::evaluator("ISREF", "value", "Whether the argument is a reference.")
        .examples(&[("=ISREF(A1)", "TRUE"), ("=ISREF(1)", "FALSE")]),
    Function::evaluator("ISFORMULA", "reference", "Whether a cell holds a formula.")
        .examples(&[("=ISFORMULA(A1)", "FALSE")]),
    Function::scalar("NA", "", "The error #N/A.", not_available).examples(&[("=NA()", "#N/A")]),
    Function::scalar("N", "value", "The value as a number: text and blanks are 0.", as_number)
        .examples(&[("=N(TRUE)", "1"), ("=N(\"7\")", "0")]),
    Function::whole(
        "TYPE",
        "value",
        "1 for a number, 2 for text, 4 for a truth value, 16 for an error, 64 for an array.",
        type_number,
    )
    .examples(&[("=TYPE(1)", "1"), ("=TYPE(\"x\")", "2"), ("=TYPE({1,2})", "64"), ("=TYPE(1/0)", "16")]),
    Function::scalar("ERROR.TYPE", "value", "A number for an error.", error_type)
        .examples(&[("=ERROR.TYPE(1/0)", "2"), ("=ERROR.TYPE(1)", "#N/A")]),
];

fn is_err(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(matches!(arguments[0], Value::Error(error) if error != ErrorValue::NotAvailable)))
}

fn is_non_text(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(!matches!(arguments[0], Value::Text(_))))
}

fn is_odd_number(value: &Value) -> Result<bool, ErrorValue> {
    // Excel rejects Booleans here.
    if matches!(value, Value::Boolean(_)) {
        return Err(ErrorValue::Value);
    }
    Ok(libm::fmod(number(value)?.trunc(), 2.0) != 0.0)
}

fn is_even(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(!is_odd_number(&arguments[0])?))
}

fn is_odd(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(is_odd_number(&arguments[0])?))
}

fn not_available(_: &mut CallContext, _: &[Value]) -> ValueResult {
    Err(ErrorValue::NotAvailable)
}

fn as_number(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    match &arguments[0] {
        Value::Text(_) => Ok(Value::number(0.0)),
        other => number(other).map(Value::number),
    }
}

fn type_number(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let number: f64 = match arguments[0].single() {
        Some(Value::Number(_) | Value::Blank) => 1.0,
        Some(Value::Text(_)) => 2.0,
        Some(Value::Boolean(_)) => 4.0,
        Some(Value::Error(_)) => 16.0,
        None => 64.0,
    };
    Ok(number.into())
}

fn error_type(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let Value::Error(error) = arguments[0] else { return Err(ErrorValue::NotAvailable) };
    let number: f64 = match error {
        ErrorValue::Null => 1.0,
        ErrorValue::DivideByZero => 2.0,
        ErrorValue::Value => 3.0,
        ErrorValue::Reference => 4.0,
        ErrorValue::Name => 5.0,
        ErrorValue::Number => 6.0,
        ErrorValue::NotAvailable => 7.0,
        ErrorValue::Spill => 9.0,
        ErrorValue::Calculation => 14.0,
        // Excel has no such error.
        ErrorValue::Circular => return Err(ErrorValue::NotAvailable),
    };
    Ok(Value::number(number))
}
