//! Rounding functions: ROUND, TRUNC, INT, MROUND, CEILING, FLOOR, EVEN, ODD and variants. They
//! round the 15 decimal digits that Excel displays, not the binary number. Described in ECMA-376
//! part 1, 18.17.7, Excel's help and OpenFormula 6.17.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::{Decimal, Rounding};

use crate::arguments::{ValueResult, number_or};
use crate::coerce::{integer, number};
use crate::compare::compare_numbers;
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("ROUND", "number, digits", "Rounds to so many digits, a half away from zero.", round)
        .examples(&[
            ("=ROUND(2.5,0)", "3"),
            ("=ROUND(2.675,2)", "2.68"),
            ("=ROUND(-1.5,0)", "-2"),
            ("=ROUND(1234,-2)", "1200"),
        ]),
    Function::scalar("ROUNDUP", "number, digits", "Rounds away from zero.", round_up).examples(&[
        ("=ROUNDUP(3.2,0)", "4"),
        ("=ROUNDUP(-3.14159,1)", "-3.2"),
        ("=ROUNDUP(31415.92654,-2)", "31500"),
    ]),
    Function::scalar("ROUNDDOWN", "number, digits", "Rounds towards zero.", round_down)
        .examples(&[("=ROUNDDOWN(3.9,0)", "3"), ("=ROUNDDOWN(-3.14159,1)", "-3.1")]),
    Function::scalar("TRUNC", "number, [digits]", "Cuts off the digits behind so many.", truncate)
        .examples(&[("=TRUNC(8.9)", "8"), ("=TRUNC(-8.99,1)", "-8.9"), ("=TRUNC(5,1E+50)", "5")]),
    Function::scalar("INT", "number", "Rounds down to a whole number.", int)
        .examples(&[("=INT(8.9)", "8"), ("=INT(-8.1)", "-9")]),
    Function::scalar("MROUND", "number, multiple", "Rounds to the nearest multiple.", round_multiple)
        .examples(&[
            ("=MROUND(10,3)", "9"),
            ("=MROUND(1.3,0.2)", "1.4"),
            ("=MROUND(6.05,0.1)", "6"),
            ("=MROUND(5,-2)", "#NUM!"),
        ]),
    Function::scalar("CEILING", "number, significance", "Rounds up to a multiple.", ceiling).examples(&[
        ("=CEILING(2.5,1)", "3"),
        ("=CEILING(-2.5,-2)", "-4"),
        ("=CEILING(-2.5,2)", "-2"),
        ("=CEILING(2.5,-2)", "#NUM!"),
        ("=CEILING(709,2.3E-308)", "#NUM!"),
    ]),
    Function::scalar("FLOOR", "number, significance", "Rounds down to a multiple.", floor).examples(&[
        ("=FLOOR(3.7,2)", "2"),
        ("=FLOOR(-2.5,-2)", "-2"),
        ("=FLOOR(2.5,-2)", "#NUM!"),
        ("=FLOOR(0.234,0.01)", "0.23"),
    ]),
    Function::scalar(
        "CEILING.MATH",
        "number, [significance], [mode]",
        "Rounds up to a multiple; with a mode, negative numbers away from zero.",
        ceiling_math,
    )
    .examples(&[
        ("=CEILING.MATH(24.3,5)", "25"),
        ("=CEILING.MATH(-8.1,2)", "-8"),
        ("=CEILING.MATH(-5.5,2,-1)", "-6"),
    ])
    .excel_only(),
    Function::scalar(
        "FLOOR.MATH",
        "number, [significance], [mode]",
        "Rounds down to a multiple; with a mode, negative numbers towards zero.",
        floor_math,
    )
    .examples(&[
        ("=FLOOR.MATH(24.3,5)", "20"),
        ("=FLOOR.MATH(-8.1,2)", "-10"),
        ("=FLOOR.MATH(-5.5,2,-1)", "-4"),
    ])
    .excel_only(),
    Function::scalar(
        "CEILING.PRECISE",
        "number, [significance]",
        "Rounds up to a multiple, whatever the signs.",
        ceiling_precise,
    )
    .examples(&[("=CEILING.PRECISE(-4.1,-2)", "-4")])
    .excel_only(),
    Function::scalar(
        "ISO.CEILING",
        "number, [significance]",
        "Rounds up to a multiple, whatever the signs.",
        ceiling_precise,
    )
    .examples(&[("=ISO.CEILING(4.3,2)", "6")])
    .excel_only(),
    Function::scalar(
        "FLOOR.PRECISE",
        "number, [significance]",
        "Rounds down to a multiple, whatever the signs.",
        floor_precise,
    )
    .examples(&[("=FLOOR.PRECISE(-3.2,-1)", "-4")])
    .excel_only(),
    Function::scalar("EVEN", "number", "Rounds away from zero to an even number.", even).examples(&[
        ("=EVEN(1.5)", "2"),
        ("=EVEN(3)", "4"),
        ("=EVEN(-1)", "-2"),
    ]),
    Function::scalar("ODD", "number", "Rounds away from zero to an odd number.", odd).examples(&[
        ("=ODD(1.5)", "3"),
        ("=ODD(2)", "3"),
        ("=ODD(-2)", "-3"),
        ("=ODD(0)", "1"),
    ]),
];

/// Doubles have no digits beyond this decimal place on either side.
const PLACES_MAX: i64 = 400;

fn places(value: &Value) -> Result<i32, ErrorValue> {
    Ok(integer(value)?.clamp(-PLACES_MAX, PLACES_MAX) as i32)
}

pub(crate) fn round_number(number: f64, places: i32) -> f64 {
    if (0..=15).contains(&places) {
        let power = POWERS_OF_TEN[places as usize];
        let scaled = number.abs() * power;
        let distance_from_half = (scaled - scaled.floor() - 0.5).abs();
        // Away from a half, binary rounding equals decimal rounding and the division is correctly
        // rounded.
        if scaled < 1e14 && distance_from_half > 1e-6 * scaled.max(1.0) {
            return (scaled.round() / power).copysign(number);
        }
    }
    Decimal::new(number).round(places).to_f64()
}

const POWERS_OF_TEN: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

fn round(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(round_number(number(&arguments[0])?, places(&arguments[1])?)))
}

fn round_up(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    toward(arguments, places(&arguments[1])?, Rounding::AwayFromZero)
}

fn round_down(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    toward(arguments, places(&arguments[1])?, Rounding::TowardZero)
}

fn truncate(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let places = number_or(arguments, 1, 0.0)?.clamp(-PLACES_MAX as f64, PLACES_MAX as f64);
    toward(arguments, places as i32, Rounding::TowardZero)
}

fn toward(arguments: &[Value], places: i32, rounding: Rounding) -> ValueResult {
    Ok(Value::number(Decimal::new(number(&arguments[0])?).round_toward(places, rounding).to_f64()))
}

fn int(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(number(&arguments[0])?.floor()))
}

/// Returns the quotient of number and step, rounded to an integer if it equals one in 15 digits.
fn steps(number: f64, step: f64) -> f64 {
    let quotient = number / step;
    let nearest = quotient.round();
    if compare_numbers(quotient, nearest).is_eq() { nearest } else { quotient }
}

/// Fails with `#NUM!` when the quotient is infinite.
fn countable(steps: f64) -> Result<f64, ErrorValue> {
    if steps.is_finite() { Ok(steps) } else { Err(ErrorValue::Number) }
}

/// Returns `steps * step` in 15 digits: three steps of 0.1 are 0.3.
fn multiple(steps: f64, step: f64) -> ValueResult {
    Ok(Value::number(Decimal::new(steps * step).to_f64()))
}

fn round_multiple(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, step) = (number(&arguments[0])?, number(&arguments[1])?);
    if number == 0.0 || step == 0.0 {
        return Ok(Value::number(0.0));
    }
    if (number < 0.0) != (step < 0.0) {
        return Err(ErrorValue::Number);
    }
    // Binary rounding, as Excel's help documents: MROUND(6.05,0.1) is 6 and not 6.1.
    multiple((number / step).round(), step)
}

fn ceiling(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, step) = (number(&arguments[0])?, number(&arguments[1])?);
    if number == 0.0 || step == 0.0 {
        return Ok(Value::number(0.0));
    }
    if number > 0.0 && step < 0.0 {
        return Err(ErrorValue::Number);
    }
    multiple(countable(steps(number, step))?.ceil(), step)
}

fn floor(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, step) = (number(&arguments[0])?, number(&arguments[1])?);
    if number == 0.0 {
        return Ok(Value::number(0.0));
    }
    if step == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    if number > 0.0 && step < 0.0 {
        return Err(ErrorValue::Number);
    }
    multiple(steps(number, step).floor(), step)
}

/// Returns number and magnitude of the step; `None` for a step of zero, for which the result is
/// zero.
fn number_and_step(arguments: &[Value]) -> Result<Option<(f64, f64)>, ErrorValue> {
    let (number, step) = (number(&arguments[0])?, number_or(arguments, 1, 1.0)?.abs());
    Ok((step != 0.0).then_some((number, step)))
}

fn ceiling_math(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let away = number_or(arguments, 2, 0.0)? != 0.0;
    let Some((number, step)) = number_and_step(arguments)? else { return Ok(Value::number(0.0)) };
    let steps = countable(steps(number, step))?;
    multiple(if number < 0.0 && away { steps.floor() } else { steps.ceil() }, step)
}

fn floor_math(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let towards_zero = number_or(arguments, 2, 0.0)? != 0.0;
    let Some((number, step)) = number_and_step(arguments)? else { return Ok(Value::number(0.0)) };
    let steps = steps(number, step);
    multiple(if number < 0.0 && towards_zero { steps.ceil() } else { steps.floor() }, step)
}

fn ceiling_precise(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let Some((number, step)) = number_and_step(arguments)? else { return Ok(Value::number(0.0)) };
    multiple(steps(number, step).ceil(), step)
}

fn floor_precise(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let Some((number, step)) = number_and_step(arguments)? else { return Ok(Value::number(0.0)) };
    multiple(steps(number, step).floor(), step)
}

fn even(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?;
    Ok(Value::number((2.0 * (number.abs() / 2.0).ceil()).copysign(number)))
}

fn odd(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?;
    let magnitude = 2.0 * ((number.abs() - 1.0) / 2.0).ceil().max(0.0) + 1.0;
    Ok(Value::number(if number < 0.0 { -magnitude } else { magnitude }))
}
