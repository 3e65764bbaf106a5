//! Depreciation: SLN, SYD, DDB, DB. Described in ECMA-376 part 1, 18.17.7; the formulas are those
//! of Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "SLN",
        "cost, salvage, life",
        "The loss of value each period, in a straight line.",
        straight_line,
    )
    .examples(&[("=SLN(30000,7500,10)", "2250"), ("=SLN(1,0,0)", "#DIV/0!")]),
    Function::scalar(
        "SYD",
        "cost, salvage, life, period",
        "The loss of value by the sum of years' digits.",
        years_digits,
    )
    .examples(&[("=ROUND(SYD(30000,7500,10,1),2)", "4090.91")]),
    Function::scalar(
        "DDB",
        "cost, salvage, life, period, [factor]",
        "The loss of value at a multiple of the straight line's rate.",
        declining,
    )
    .examples(&[("=ROUND(DDB(2400,300,10,1),2)", "480"), ("=ROUND(DDB(2400,300,10,10),2)", "22.12")]),
    Function::scalar(
        "DB",
        "cost, salvage, life, period, [months]",
        "The loss of value at a fixed rate.",
        fixed_declining,
    )
    .examples(&[
        ("=ROUND(DB(1000000,100000,6,1,7),2)", "186083.33"),
        ("=ROUND(DB(1000000,100000,6,7,7),2)", "15845.1"),
    ]),
];

fn straight_line(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (cost, salvage, life) = (number(&arguments[0])?, number(&arguments[1])?, number(&arguments[2])?);
    if life == 0.0 { Err(ErrorValue::DivideByZero) } else { Ok(Value::number((cost - salvage) / life)) }
}

fn years_digits(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (cost, salvage) = (number(&arguments[0])?, number(&arguments[1])?);
    let (life, period) = (number(&arguments[2])?, number(&arguments[3])?);
    if period <= 0.0 || period > life {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number((cost - salvage) * (life - period + 1.0) * 2.0 / (life * (life + 1.0))))
}

fn declining(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (cost, salvage) = (number(&arguments[0])?, number(&arguments[1])?);
    let (life, period) = (number(&arguments[2])?, number(&arguments[3])?);
    let factor = number_or(arguments, 4, 2.0)?;
    if cost < 0.0 || salvage < 0.0 || factor <= 0.0 || !(1.0..=life).contains(&period) {
        return Err(ErrorValue::Number);
    }
    let rate = (factor / life).min(1.0);
    let book_value = |periods: f64| (cost * libm::pow(1.0 - rate, periods)).max(salvage.min(cost));
    Ok(Value::number((book_value(period - 1.0) - book_value(period)).max(0.0)))
}

fn fixed_declining(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (cost, salvage) = (number(&arguments[0])?, number(&arguments[1])?);
    let (life, period) = (number(&arguments[2])?, number(&arguments[3])?.trunc());
    let months = number_or(arguments, 4, 12.0)?.trunc();
    let last = if months < 12.0 { life + 1.0 } else { life };
    if cost < 0.0 || salvage < 0.0 || !(1.0..=12.0).contains(&months) || !(1.0..=last).contains(&period) {
        return Err(ErrorValue::Number);
    }
    if cost == 0.0 {
        return Ok(Value::number(0.0));
    }
    context.budget.charge(period as u64)?;
    // Excel rounds the rate to three digits.
    let rate = ((1.0 - libm::pow(salvage / cost, 1.0 / life)) * 1000.0).round() / 1000.0;
    let mut lost = cost * rate * months / 12.0;
    let mut this_period = lost;
    for current in 2..=period as u64 {
        this_period = (cost - lost) * rate;
        if current as f64 > life {
            this_period = this_period * (12.0 - months) / 12.0;
        }
        lost += this_period;
    }
    Ok(Value::number(this_period))
}
