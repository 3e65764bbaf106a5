//! ABS, SIGN, roots, powers, logarithms, MOD and QUOTIENT. Described in ECMA-376 part 1, 18.17.7,
//! and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("ABS", "number", "The number without its sign.", abs)
        .examples(&[("=ABS(-2)", "2"), ("=ABS(\"x\")", "#VALUE!")]),
    Function::scalar("SIGN", "number", "1, 0 or -1, as the number is above, at or below zero.", sign)
        .examples(&[("=SIGN(-3)", "-1"), ("=SIGN(0)", "0")]),
    Function::scalar("SQRT", "number", "The square root.", sqrt)
        .examples(&[("=SQRT(16)", "4"), ("=SQRT(-1)", "#NUM!")]),
    Function::scalar("SQRTPI", "number", "The square root of the number times pi.", sqrt_pi)
        .examples(&[("=ROUND(SQRTPI(1),6)", "1.772454")]),
    Function::scalar("POWER", "number, exponent", "The number raised to a power.", power_function)
        .examples(&[("=POWER(2,10)", "1024"), ("=POWER(0,0)", "#NUM!"), ("=POWER(0,-1)", "#DIV/0!")]),
    Function::scalar("EXP", "number", "e raised to a power.", exp).examples(&[("=EXP(0)", "1")]),
    Function::scalar("LN", "number", "The natural logarithm.", ln)
        .examples(&[("=LN(1)", "0"), ("=LN(0)", "#NUM!")]),
    Function::scalar("LOG", "number, [base]", "The logarithm to a base, 10 if none is given.", log)
        .examples(&[("=LOG(8,2)", "3"), ("=LOG(100)", "2"), ("=LOG(10,1)", "#DIV/0!")]),
    Function::scalar("LOG10", "number", "The logarithm to base 10.", log10)
        .examples(&[("=LOG10(1000)", "3")]),
    Function::scalar("PI", "", "The ratio of a circle's circumference to its diameter.", pi)
        .examples(&[("=PI()", "3.14159265358979")]),
    Function::scalar("MOD", "number, divisor", "The remainder, with the sign of the divisor.", modulo)
        .examples(&[("=MOD(-3,2)", "1"), ("=MOD(3,-2)", "-1"), ("=MOD(3,0)", "#DIV/0!")]),
    Function::scalar("QUOTIENT", "numerator, denominator", "The whole part of a division.", quotient)
        .examples(&[("=QUOTIENT(-7,2)", "-3"), ("=QUOTIENT(1,0)", "#DIV/0!")]),
];

fn abs(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(number(&arguments[0])?.abs()))
}

fn sign(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?;
    Ok(Value::number(if number == 0.0 { 0.0 } else { number.signum() }))
}

fn sqrt(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(number(&arguments[0])?.sqrt()))
}

fn sqrt_pi(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number((number(&arguments[0])? * std::f64::consts::PI).sqrt()))
}

/// Raises a number to a power, as the `^` operator and POWER do.
///
/// Fails with `#NUM!` for 0^0, even roots of negative numbers and results that are not finite, and
/// with `#DIV/0!` for negative powers of 0.
pub fn power(base: f64, exponent: f64) -> Result<f64, ErrorValue> {
    if base == 0.0 && exponent == 0.0 {
        return Err(ErrorValue::Number);
    }
    if base == 0.0 && exponent < 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let result = if base < 0.0 && is_odd_root(exponent) {
        -libm::pow(-base, exponent)
    } else {
        libm::pow(base, exponent)
    };
    if result.is_finite() { Ok(result) } else { Err(ErrorValue::Number) }
}

/// Whether an exponent is an odd root such as 1/3, which negative numbers have: `(-8)^(1/3)` is -2
/// in Excel and LibreOffice.
fn is_odd_root(exponent: f64) -> bool {
    let degree = (1.0 / exponent).round();
    degree.abs() < 1e9 && degree % 2.0 != 0.0 && exponent != degree && 1.0 / degree == exponent
}

fn power_function(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    power(number(&arguments[0])?, number(&arguments[1])?).map(Value::number)
}

fn exp(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(libm::exp(number(&arguments[0])?)))
}

fn positive(number: f64) -> Result<f64, ErrorValue> {
    if number > 0.0 { Ok(number) } else { Err(ErrorValue::Number) }
}

fn ln(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(libm::log(positive(number(&arguments[0])?)?)))
}

fn log(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = positive(number(&arguments[0])?)?;
    let base = positive(number_or(arguments, 1, 10.0)?)?;
    if base == 1.0 {
        return Err(ErrorValue::DivideByZero);
    }
    // log2 and log10 are exact for powers of 2 and 10; quotients are not.
    Ok(Value::number(match base {
        10.0 => libm::log10(number),
        2.0 => libm::log2(number),
        _ => libm::log(number) / libm::log(base),
    }))
}

fn log10(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(libm::log10(positive(number(&arguments[0])?)?)))
}

fn pi(_: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::number(std::f64::consts::PI))
}

/// Quotients from 2^52 on are always integers.
const QUOTIENT_MAX: f64 = 4_503_599_627_370_496.0;

fn modulo(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, divisor) = (number(&arguments[0])?, number(&arguments[1])?);
    if divisor == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    // By the documented formula n - d * INT(n / d), MOD(1,0.1) is 0, although the double 0.1 does
    // not divide 1.
    let quotient = number / divisor;
    if quotient == quotient.trunc() && quotient.abs() < QUOTIENT_MAX {
        return Ok(Value::number(0.0));
    }
    let remainder = libm::fmod(number, divisor);
    let has_other_sign = remainder != 0.0 && (remainder < 0.0) != (divisor < 0.0);
    Ok(Value::number(if has_other_sign { remainder + divisor } else { remainder }))
}

fn quotient(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (numerator, denominator) = (number(&arguments[0])?, number(&arguments[1])?);
    if denominator == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(Value::number((numerator / denominator).trunc()))
}
