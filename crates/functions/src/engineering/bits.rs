//! Bitwise functions on integers below 2^48, DELTA, GESTEP, and the error functions ERF and ERFC.
//! Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or, numbers};
use crate::coerce::{integer, number};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("BITAND", "number1, number2", "The bits that both numbers have.", |_, arguments| {
        bits(arguments, |a, b| a & b)
    })
    .examples(&[("=BITAND(13,25)", "9"), ("=BITAND(-1,1)", "#NUM!")]),
    Function::scalar("BITOR", "number1, number2", "The bits that either number has.", |_, arguments| {
        bits(arguments, |a, b| a | b)
    })
    .examples(&[("=BITOR(23,10)", "31")]),
    Function::scalar("BITXOR", "number1, number2", "The bits that only one number has.", |_, arguments| {
        bits(arguments, |a, b| a ^ b)
    })
    .examples(&[("=BITXOR(5,3)", "6")]),
    Function::scalar("BITLSHIFT", "number, places", "A number with its bits moved up.", |_, arguments| {
        shift(whole(&arguments[0])?, integer(&arguments[1])?)
    })
    .examples(&[("=BITLSHIFT(4,2)", "16"), ("=BITLSHIFT(1,48)", "#NUM!")]),
    Function::scalar("BITRSHIFT", "number, places", "A number with its bits moved down.", |_, arguments| {
        shift(whole(&arguments[0])?, -integer(&arguments[1])?)
    })
    .examples(&[("=BITRSHIFT(13,2)", "3")]),
    Function::scalar(
        "DELTA",
        "number1, [number2]",
        "1 if two numbers are equal, otherwise 0.",
        |_, arguments| {
            let is_equal = number(&arguments[0])? == number_or(arguments, 1, 0.0)?;
            Ok(Value::number(f64::from(u8::from(is_equal))))
        },
    )
    .examples(&[("=DELTA(5,4)", "0"), ("=DELTA(5,5)", "1")]),
    Function::scalar(
        "GESTEP",
        "number, [step]",
        "1 if a number reaches a step, otherwise 0.",
        |_, arguments| {
            let reaches = number(&arguments[0])? >= number_or(arguments, 1, 0.0)?;
            Ok(Value::number(f64::from(u8::from(reaches))))
        },
    )
    .examples(&[("=GESTEP(5,4)", "1"), ("=GESTEP(-4,-5)", "1"), ("=GESTEP(-1)", "0")]),
    Function::scalar(
        "ERF",
        "from, [to]",
        "The error function, up to or between two numbers.",
        |_, arguments| {
            let from = libm::erf(number(&arguments[0])?);
            match arguments.get(1) {
                Some(to) => Ok(Value::number(libm::erf(number(to)?) - from)),
                _ => Ok(Value::number(from)),
            }
        },
    )
    .examples(&[("=ROUND(ERF(0.745),8)", "0.70792892"), ("=ROUND(ERF(0,1),8)", "0.84270079")]),
    Function::scalar("ERF.PRECISE", "x", "The error function.", |_, arguments| {
        Ok(Value::number(libm::erf(numbers::<1>(arguments)?[0])))
    })
    .excel_only()
    .examples(&[("=ROUND(ERF.PRECISE(0.745),8)", "0.70792892")]),
    Function::scalar("ERFC", "x", COMPLEMENT, error_function_complement)
        .examples(&[("=ROUND(ERFC(1),8)", "0.15729921")]),
    Function::scalar("ERFC.PRECISE", "x", COMPLEMENT, error_function_complement)
        .excel_only()
        .examples(&[("=ROUND(ERFC.PRECISE(1),8)", "0.15729921")]),
];

const COMPLEMENT: &str = "The complementary error function.";
/// Excel's limit for bitwise functions: 2^48.
const WHOLE_END: f64 = 281_474_976_710_656.0;

fn whole(value: &Value) -> Result<u64, ErrorValue> {
    let number = number(value)?;
    if (0.0..WHOLE_END).contains(&number) && number == number.trunc() {
        Ok(number as u64)
    } else {
        Err(ErrorValue::Number)
    }
}

fn bits(arguments: &[Value], combine: fn(u64, u64) -> u64) -> ValueResult {
    Ok(Value::number(combine(whole(&arguments[0])?, whole(&arguments[1])?) as f64))
}

fn shift(number: u64, up: i64) -> ValueResult {
    if up.abs() > 53 {
        return Err(ErrorValue::Number);
    }
    // 48 bits shifted by 53 fit 128 bits.
    let shifted = if up >= 0 { u128::from(number) << up } else { u128::from(number >> -up) };
    if (shifted as f64) < WHOLE_END { Ok(Value::number(shifted as f64)) } else { Err(ErrorValue::Number) }
}

fn error_function_complement(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(libm::erfc(numbers::<1>(arguments)?[0])))
}
