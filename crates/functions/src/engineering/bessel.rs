//! Bessel functions of integer order: BESSELJ, BESSELY, BESSELI, BESSELK.
//!
//! Described in ECMA-376 part 1, 18.17.7. J and Y are those of `libm`; I is the power series
//! (Abramowitz and Stegun, 9.6.10), K the integral representation (9.6.24).

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::ValueResult;
use crate::coerce::{integer, number};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "BESSELJ",
        "x, order",
        "The Bessel function of the first kind.",
        |context, arguments| {
            let (x, order) = argument_and_order(context, arguments)?;
            Ok(Value::number(libm::jn(order, x)))
        },
    )
    .examples(&[("=ROUND(BESSELJ(1.9,2),8)", "0.32992573"), ("=BESSELJ(1,-1)", "#NUM!")]),
    Function::scalar(
        "BESSELY",
        "x, order",
        "The Bessel function of the second kind.",
        |context, arguments| {
            let (x, order) = argument_and_order(context, arguments)?;
            if x <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(libm::yn(order, x))) }
        },
    )
    .examples(&[("=ROUND(BESSELY(2.5,1),8)", "0.14591814"), ("=BESSELY(0,1)", "#NUM!")]),
    Function::scalar(
        "BESSELI",
        "x, order",
        "The modified Bessel function of the first kind.",
        |context, arguments| {
            let (x, order) = argument_and_order(context, arguments)?;
            modified_first(x, order)
        },
    )
    .examples(&[("=ROUND(BESSELI(1.5,1),8)", "0.98166643")]),
    Function::scalar(
        "BESSELK",
        "x, order",
        "The modified Bessel function of the second kind.",
        |context, arguments| {
            let (x, order) = argument_and_order(context, arguments)?;
            if x <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(modified_second(x, order))) }
        },
    )
    .examples(&[("=ROUND(BESSELK(1.5,1),8)", "0.2773878")]),
];

/// Reads argument and order, and charges a step per order for the recurrences.
fn argument_and_order(context: &mut CallContext, arguments: &[Value]) -> Result<(f64, i32), ErrorValue> {
    const ORDER_MAX: i64 = 100_000;
    let (x, order) = (number(&arguments[0])?, integer(&arguments[1])?);
    if !(0..=ORDER_MAX).contains(&order) {
        return Err(ErrorValue::Number);
    }
    context.budget.charge(order as u64)?;
    Ok((x, order as i32))
}

/// I by its power series. All terms have the same sign, so there is no cancellation.
fn modified_first(x: f64, order: i32) -> ValueResult {
    // Beyond this, results exceed the largest double.
    const X_MAX: f64 = 1_500.0;
    if x.abs() > X_MAX {
        return Err(ErrorValue::Number);
    }
    if x == 0.0 {
        return Ok(Value::number(f64::from(u8::from(order == 0))));
    }
    let half = x.abs() / 2.0;
    let order_number = f64::from(order);
    // As a logarithm, because the first term can underflow when the sum does not.
    let first = order_number * libm::log(half) - libm::lgamma(order_number + 1.0);
    let (mut term, mut sum, mut scale) = (1.0, 1.0, 0.0);
    let mut step = 1.0;
    while term > sum * 1e-17 {
        term *= half / step * (half / (step + order_number));
        sum += term;
        if sum > 1e200 {
            (term, sum, scale) = (term * 1e-200, sum * 1e-200, scale + 200.0 * std::f64::consts::LN_10);
        }
        step += 1.0;
    }
    let sign = if x < 0.0 && order % 2 == 1 { -1.0 } else { 1.0 };
    Ok(Value::number(sign * sum * libm::exp(first + scale)))
}

/// K as the integral of exp(-x cosh t) cosh(n t) over t ≥ 0, by the trapezoidal rule, which
/// converges exponentially for it.
fn modified_second(x: f64, order: i32) -> f64 {
    const STEP: f64 = 1.0 / 16.0;
    let order = f64::from(order);
    // Terms below this exponent are negligible.
    let least = (order * libm::asinh(order / x) - libm::sqrt(x * x + order * order)).max(-x) - 50.0;
    let mut sum = 0.5 * libm::exp(-x);
    for index in 1..20_000 {
        let t = f64::from(index) * STEP;
        let exponent = order * t - x * libm::cosh(t);
        sum += 0.5 * libm::exp(exponent) * (1.0 + libm::exp(-2.0 * order * t));
        if exponent < least && x * libm::sinh(t) > order {
            break;
        }
    }
    sum * STEP
}
