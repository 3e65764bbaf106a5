//! Securities without coupons (DISC, INTRATE, RECEIVED, PRICEDISC, PRICEMAT etc.), Treasury bills,
//! and prices in fractions (DOLLARDE, DOLLARFR).
//!
//! Described in ECMA-376 part 1, 18.17.7; the formulas are those of Excel's help for the functions.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    CountMode, OperandResult, ValueResult, collect_numbers, integer_or, numbers, optional_number,
};
use crate::coerce::number;
use crate::context::CallContext;
use crate::dates::date_differences::{Basis, days_between, days_of_year, years_between};
use crate::dates::{civil, day};
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "DISC",
        "settlement, maturity, price, redemption, [basis]",
        "The discount rate of a security.",
        |_, arguments| simple(arguments, |price, redemption, years| (1.0 - price / redemption) / years),
    )
    .examples(&[("=ROUND(DISC(DATE(2018,7,1),DATE(2048,1,1),97.975,100,1),6)", "0.000686")]),
    Function::scalar(
        "INTRATE",
        "settlement, maturity, investment, redemption, [basis]",
        "The interest rate of a fully invested security.",
        |_, arguments| simple(arguments, |paid, redemption, years| (redemption / paid - 1.0) / years),
    )
    .examples(&[("=ROUND(INTRATE(DATE(2008,2,15),DATE(2008,5,15),1000000,1014420,2),5)", "0.05768")]),
    Function::scalar(
        "RECEIVED",
        "settlement, maturity, investment, discount, [basis]",
        "What a fully invested security pays at maturity.",
        |_, arguments| simple(arguments, |paid, discount, years| paid / (1.0 - discount * years)),
    )
    .examples(&[("=ROUND(RECEIVED(DATE(2008,2,15),DATE(2008,5,15),1000000,0.0575,2),2)", "1014584.65")]),
    Function::scalar(
        "PRICEDISC",
        "settlement, maturity, discount, redemption, [basis]",
        "The price of a discounted security for 100 of face value.",
        |_, arguments| simple(arguments, |discount, redemption, years| redemption * (1.0 - discount * years)),
    )
    .examples(&[("=ROUND(PRICEDISC(DATE(2008,2,16),DATE(2008,3,1),0.0525,100,2),5)", "99.79583")]),
    Function::scalar(
        "YIELDDISC",
        "settlement, maturity, price, redemption, [basis]",
        "The yearly yield of a discounted security.",
        |_, arguments| simple(arguments, |price, redemption, years| (redemption / price - 1.0) / years),
    )
    .examples(&[("=ROUND(YIELDDISC(DATE(2008,2,16),DATE(2008,3,1),99.795,100,2),6)", "0.052823")]),
    Function::scalar(
        "PRICEMAT",
        "settlement, maturity, issue, rate, yield, [basis]",
        "The price of a security that pays interest at maturity, for 100 of face value.",
        |_, arguments| {
            let times = Times::read(arguments)?;
            let (rate, yearly_yield) = (number(&arguments[3])?, number(&arguments[4])?);
            if rate < 0.0 || yearly_yield < 0.0 {
                return Err(ErrorValue::Number);
            }
            let worth = (1.0 + times.whole * rate) / (1.0 + times.left * yearly_yield) - times.passed * rate;
            Ok(Value::number(100.0 * worth))
        },
    )
    .examples(&[(
        "=ROUND(PRICEMAT(DATE(2008,2,15),DATE(2008,4,13),DATE(2007,11,11),0.061,0.061,0),5)",
        "99.9845",
    )]),
    Function::scalar(
        "YIELDMAT",
        "settlement, maturity, issue, rate, price, [basis]",
        "The yearly yield of a security that pays interest at maturity.",
        |_, arguments| {
            let times = Times::read(arguments)?;
            let (rate, price) = (number(&arguments[3])?, number(&arguments[4])?);
            if rate < 0.0 || price <= 0.0 {
                return Err(ErrorValue::Number);
            }
            let growth = (1.0 + times.whole * rate) / (price / 100.0 + times.passed * rate);
            Ok(Value::number((growth - 1.0) / times.left))
        },
    )
    .examples(&[(
        "=ROUND(YIELDMAT(DATE(2008,3,15),DATE(2008,11,3),DATE(2007,11,8),0.0625,100.0123,0),6)",
        "0.060954",
    )]),
    Function::scalar(
        "TBILLPRICE",
        "settlement, maturity, discount",
        "The price of a treasury bill for 100 of face value.",
        |_, arguments| {
            let (days, discount) = treasury_bill(arguments)?;
            let price = 100.0 * (1.0 - discount * days / 360.0);
            if price < 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(price)) }
        },
    )
    .examples(&[("=ROUND(TBILLPRICE(DATE(2008,3,31),DATE(2008,6,1),0.09),4)", "98.45")]),
    Function::scalar(
        "TBILLYIELD",
        "settlement, maturity, price",
        "The yield of a treasury bill.",
        |_, arguments| {
            let (days, price) = treasury_bill(arguments)?;
            Ok(Value::number((100.0 - price) / price * 360.0 / days))
        },
    )
    .examples(&[("=ROUND(TBILLYIELD(DATE(2008,3,31),DATE(2008,6,1),98.45),6)", "0.091417")]),
    Function::scalar(
        "TBILLEQ",
        "settlement, maturity, discount",
        "The yield of a treasury bill as that of a bond.",
        |_, arguments| bond_equivalent(treasury_bill(arguments)?),
    )
    .examples(&[("=ROUND(TBILLEQ(DATE(2008,3,31),DATE(2008,6,1),0.0914),6)", "0.094151")]),
    Function::scalar(
        "DOLLARDE",
        "price, fraction",
        "A price written with a fraction, as a decimal number.",
        |_, arguments| {
            let (price, fraction, digits) = fraction(arguments)?;
            Ok(Value::number(price.trunc() + (price - price.trunc()) * digits / fraction))
        },
    )
    .examples(&[
        ("=DOLLARDE(1.02,16)", "1.125"),
        ("=DOLLARDE(1.1,32)", "1.3125"),
        ("=DOLLARDE(1,0)", "#DIV/0!"),
    ]),
    Function::scalar(
        "DOLLARFR",
        "price, fraction",
        "A decimal price, written with a fraction.",
        |_, arguments| {
            let (price, fraction, digits) = fraction(arguments)?;
            Ok(Value::number(price.trunc() + (price - price.trunc()) * fraction / digits))
        },
    )
    .examples(&[
        ("=DOLLARFR(1.125,16)", "1.02"),
        ("=DOLLARFR(1.125,32)", "1.04"),
        ("=DOLLARFR(1,-1)", "#NUM!"),
    ]),
    Function::whole("FVSCHEDULE", "principal, rates", "What a principal grows to at changing rates.", growth)
        .examples(&[("=ROUND(FVSCHEDULE(1,{0.09,0.11,0.1}),5)", "1.33089")]),
];

/// Applies a function to the third and fourth argument, which must be positive, and to the years
/// between settlement and maturity.
fn simple(arguments: &[Value], function: fn(f64, f64, f64) -> f64) -> ValueResult {
    let (settlement, maturity) = (day(&arguments[0])?, day(&arguments[1])?);
    let (first, second) = (number(&arguments[2])?, number(&arguments[3])?);
    let basis = Basis::from_number(integer_or(arguments, 4, 0)?)?;
    if settlement >= maturity || first <= 0.0 || second <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(function(first, second, years_between(settlement, maturity, basis)?)))
}

/// Years from issue to maturity, before the settlement (`passed`) and after it (`left`).
struct Times {
    whole: f64,
    passed: f64,
    left: f64,
}

impl Times {
    fn read(arguments: &[Value]) -> Result<Times, ErrorValue> {
        let (settlement, maturity, issue) = (day(&arguments[0])?, day(&arguments[1])?, day(&arguments[2])?);
        let basis = Basis::from_number(integer_or(arguments, 5, 0)?)?;
        if settlement >= maturity || issue > settlement {
            return Err(ErrorValue::Number);
        }
        // All in years of the length that applies from issue to settlement.
        let year = days_of_year(issue, settlement, basis)?;
        let (whole, passed) =
            (days_between(issue, maturity, basis)?, days_between(issue, settlement, basis)?);
        Ok(Times { whole: whole / year, passed: passed / year, left: (whole - passed) / year })
    }
}

/// Returns the days to maturity of a bill, at most a year, and the third argument.
fn treasury_bill(arguments: &[Value]) -> Result<(f64, f64), ErrorValue> {
    let (settlement, maturity) = (day(&arguments[0])?, day(&arguments[1])?);
    let rate_or_price = number(&arguments[2])?;
    let (start, end) = (civil(settlement)?, civil(maturity)?);
    let is_over_a_year = (end.year, end.month, end.day) > (start.year + 1, start.month, start.day);
    if settlement >= maturity || is_over_a_year || rate_or_price <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(((maturity - settlement) as f64, rate_or_price))
}

/// TBILLEQ. A bill of more than half a year is compared with a bond with one coupon in between.
fn bond_equivalent((days, discount): (f64, f64)) -> ValueResult {
    const HALF_YEAR: f64 = 182.0;
    if days <= HALF_YEAR {
        return Ok(Value::number(365.0 * discount / (360.0 - discount * days)));
    }
    let price = 1.0 - discount * days / 360.0;
    let years = days / if days > 365.0 { 366.0 } else { 365.0 };
    let root = (years * years - (2.0 * years - 1.0) * (1.0 - 1.0 / price)).sqrt();
    Ok(Value::number(2.0 * (root - years) / (2.0 * years - 1.0)))
}

/// Returns the price, the denominator of the fraction, and the power of ten of its digits.
fn fraction(arguments: &[Value]) -> Result<(f64, f64, f64), ErrorValue> {
    let [price, fraction] = numbers(arguments)?;
    if fraction < 0.0 {
        return Err(ErrorValue::Number);
    }
    let fraction = fraction.trunc();
    if fraction == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok((price, fraction, libm::pow(10.0, libm::log10(fraction).ceil())))
}

fn growth(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let principal = optional_number(arguments, 0, 0.0)?;
    let rates = collect_numbers(context, &arguments[1..], CountMode::Numbers)?;
    Ok(rates.into_iter().fold(principal, |worth, rate| worth * (1.0 + rate)).into())
}
