//! Bessel functions of whole order.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::Outcome;
use crate::coerce::{integer, number};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "BESSELJ",
        "x, order",
        "The Bessel function of the first kind.",
        |context, arguments| {
            let (x, order) = place(context, arguments)?;
            Ok(Value::number(libm::jn(order, x)))
        },
    )
    .examples(&[("=ROUND(BESSELJ(1.9,2),8)", "0.32992573"), ("=BESSELJ(1,-1)", "#NUM!")]),
    Function::scalar(
        "BESSELY",
        "x, order",
        "The Bessel function of the second kind.",
        |context, arguments| {
            let (x, order) = place(context, arguments)?;
            if x <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(libm::yn(order, x))) }
        },
    )
    .examples(&[("=ROUND(BESSELY(2.5,1),8)", "0.14591814"), ("=BESSELY(0,1)", "#NUM!")]),
    Function::scalar(
        "BESSELI",
        "x, order",
        "The modified Bessel function of the first kind.",
        |context, arguments| {
            let (x, order) = place(context, arguments)?;
            modified_first(x, order)
        },
    )
    .examples(&[("=ROUND(BESSELI(1.5,1),8)", "0.98166643")]),
    Function::scalar(
        "BESSELK",
        "x, order",
        "The modified Bessel function of the second kind.",
        |context, arguments| {
            let (x, order) = place(context, arguments)?;
            if x <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(modified_second(x, order))) }
        },
    )
    .examples(&[("=ROUND(BESSELK(1.5,1),8)", "0.2773878")]),
];

/// Argument and order. The recurrences take a step per order.
fn place(context: &mut CallContext, arguments: &[Value]) -> Result<(f64, i32), ErrorValue> {
    const ORDER_MAX: i64 = 100_000;
    let (x, order) = (number(&arguments[0])?, integer(&arguments[1])?);
    if !(0..=ORDER_MAX).contains(&order) {
        return Err(ErrorValue::Number);
    }
    context.budget.charge(order as u64)?;
    Ok((x, order as i32))
}

/// The power series; all its terms have one sign, so nothing is lost.
fn modified_first(x: f64, order: i32) -> Outcome {
    // Beyond this every order that matters is larger than any double.
    const X_MAX: f64 = 1_500.0;
    if x.abs() > X_MAX {
        return Err(ErrorValue::Number);
    }
    if x == 0.0 {
        return Ok(Value::number(f64::from(u8::from(order == 0))));
    }
    let half = x.abs() / 2.0;
    let order_number = f64::from(order);
    // Kept as a logarithm: the first term may be too small where the sum is not.
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

/// The integral of exp(-x cosh t) cosh(n t) by the trapezoidal rule, which for it converges faster than any power.
fn modified_second(x: f64, order: i32) -> f64 {
    const STEP: f64 = 1.0 / 16.0;
    let order = f64::from(order);
    // Below this exponent nothing is added.
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
