//! Bonds with regular coupons: PRICE, YIELD, DURATION, MDURATION, ACCRINT, ACCRINTM.
//!
//! Described in ECMA-376 part 1, 18.17.7; the formulas are those of Excel's help for the functions.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, boolean_or, integer_or};
use crate::coerce::number;
use crate::context::CallContext;
use crate::dates::date_differences::{Basis, days_between, days_of_period, years_between};
use crate::dates::day;
use crate::function::Function;

use super::cashflow::root;
use super::coupons::{Coupons, frequency, months_away, period_days};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "PRICE",
        "settlement, maturity, rate, yield, redemption, frequency, [basis]",
        "The price of a bond for 100 of face value.",
        price,
    )
    .examples(&[
        ("=ROUND(PRICE(DATE(2008,2,15),DATE(2017,11,15),0.0575,0.065,100,2,0),5)", "94.63436"),
        ("=PRICE(2,1,0.05,0.05,100,2)", "#NUM!"),
    ]),
    Function::scalar(
        "YIELD",
        "settlement, maturity, rate, price, redemption, frequency, [basis]",
        "The yearly yield of a bond.",
        yield_of_bond,
    )
    .examples(&[("=ROUND(YIELD(DATE(2008,2,15),DATE(2016,11,15),0.0575,95.04287,100,2,0),6)", "0.065")]),
    Function::scalar(
        "DURATION",
        "settlement, maturity, rate, yield, frequency, [basis]",
        "The mean time in years until a bond has paid (Macaulay).",
        |context, arguments| Ok(Value::number(duration(context, arguments)?)),
    )
    .examples(&[("=ROUND(DURATION(DATE(2018,7,1),DATE(2048,1,1),0.08,0.09,2,1),4)", "10.9191")]),
    Function::scalar(
        "MDURATION",
        "settlement, maturity, rate, yield, frequency, [basis]",
        "By how much a bond's price falls when its yield rises (modified duration).",
        |context, arguments| {
            let per_period = number(&arguments[3])? / number(&arguments[4])?.trunc();
            Ok(Value::number(duration(context, arguments)? / (1.0 + per_period)))
        },
    )
    .examples(&[("=ROUND(MDURATION(DATE(2008,1,1),DATE(2016,1,1),0.08,0.09,2,1),5)", "5.73567")]),
    Function::scalar(
        "ACCRINT",
        "issue, first_interest, settlement, rate, par, frequency, [basis], [from_issue]",
        "The interest that a bond with coupons has accrued.",
        accrued,
    )
    .examples(&[
        ("=ROUND(ACCRINT(DATE(2008,3,1),DATE(2008,8,31),DATE(2008,5,1),0.1,1000,2,0),6)", "16.666667"),
        ("=ACCRINT(2,3,1,0.1,1000,2)", "#NUM!"),
    ]),
    Function::scalar(
        "ACCRINTM",
        "issue, settlement, rate, [par], [basis]",
        "The interest accrued that is paid at maturity.",
        accrued_at_maturity,
    )
    .examples(&[("=ROUND(ACCRINTM(39539,39614,0.1,1000,3),6)", "20.547945")]),
];

/// A bond per 100 of face value.
struct Bond {
    coupons: Coupons,
    /// Payment per period.
    coupon: f64,
    redemption: f64,
    /// Elapsed fraction of the current period.
    share_passed: f64,
    share_left: f64,
}

impl Bond {
    fn new(coupons: Coupons, rate: f64, redemption: f64) -> Result<Bond, ErrorValue> {
        let (share_passed, share_left) = coupons.shares()?;
        Ok(Bond { coupons, coupon: 100.0 * rate / coupons.frequency, redemption, share_passed, share_left })
    }

    fn price(&self, yearly_yield: f64) -> f64 {
        let (count, per_period) = (self.coupons.count, yearly_yield / self.coupons.frequency);
        let accrued = self.coupon * self.share_passed;
        if count == 1.0 {
            // In the last period, simple interest.
            return (self.coupon + self.redemption) / (1.0 + per_period * self.share_left) - accrued;
        }
        let discount = 1.0 / (1.0 + per_period);
        let to_next = libm::pow(discount, self.share_left);
        let coupons = match per_period.abs() < 1e-12 {
            true => count,
            false => (1.0 - libm::pow(discount, count)) / (1.0 - discount),
        };
        to_next * (self.coupon * coupons + self.redemption * libm::pow(discount, count - 1.0)) - accrued
    }
}

fn bond(arguments: &[Value]) -> Result<(Bond, f64), ErrorValue> {
    let coupons = Coupons::read(arguments, 5)?;
    let (rate, yield_or_price, redemption) =
        (number(&arguments[2])?, number(&arguments[3])?, number(&arguments[4])?);
    if rate < 0.0 || redemption <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok((Bond::new(coupons, rate, redemption)?, yield_or_price))
}

fn price(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (bond, yearly_yield) = bond(arguments)?;
    if yearly_yield < 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(bond.price(yearly_yield))) }
}

fn yield_of_bond(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (bond, price) = bond(arguments)?;
    if price <= 0.0 {
        return Err(ErrorValue::Number);
    }
    if bond.coupons.count == 1.0 {
        let paid = price + bond.coupon * bond.share_passed;
        let gained = (bond.coupon + bond.redemption - paid) / paid;
        return Ok(Value::number(gained * bond.coupons.frequency / bond.share_left));
    }
    root(0.1, |yearly_yield| bond.price(yearly_yield) - price).map(Value::number)
}

fn duration(context: &mut CallContext, arguments: &[Value]) -> Result<f64, ErrorValue> {
    let coupons = Coupons::read(arguments, 4)?;
    let (rate, yearly_yield) = (number(&arguments[2])?, number(&arguments[3])?);
    if rate < 0.0 || yearly_yield < 0.0 {
        return Err(ErrorValue::Number);
    }
    context.budget.charge(coupons.count as u64)?;
    let (_, share_left) = coupons.shares()?;
    let growth = 1.0 + yearly_yield / coupons.frequency;
    let (mut weighted, mut worth) = (0.0, 0.0);
    for period in 0..coupons.count as u64 {
        let time = period as f64 + share_left;
        let redemption = if period as f64 + 1.0 == coupons.count { 100.0 } else { 0.0 };
        let part = (100.0 * rate / coupons.frequency + redemption) / libm::pow(growth, time);
        weighted += part * time;
        worth += part;
    }
    Ok(weighted / worth / coupons.frequency)
}

/// ACCRINT: sums the interest of quasi-coupon periods counted from the first interest date, also
/// back before it. Without `from_issue`, whole periods before the last one are omitted. A
/// settlement more than a period before the first interest date is counted back from that date, as
/// in Excel.
fn accrued(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (issue, first, settlement) = (day(&arguments[0])?, day(&arguments[1])?, day(&arguments[2])?);
    let (rate, par) = (number(&arguments[3])?, number(&arguments[4])?);
    let frequency = frequency(&arguments[5])?;
    let basis = Basis::from_number(integer_or(arguments, 6, 0)?)?;
    let from_issue = boolean_or(arguments, 7, true)?;
    if rate <= 0.0 || par <= 0.0 || issue >= settlement {
        return Err(ErrorValue::Number);
    }
    let months = 12 / frequency;
    context.budget.charge(((settlement.max(first) - issue.min(first)) / 28 / months + 1) as u64)?;
    let date = |period: i64| months_away(first, period * months);
    // The last period that starts before the settlement.
    let mut period = -1;
    if settlement > first && from_issue {
        while date(period + 1)? < settlement {
            period += 1;
        }
    }
    let mut start = date(period)?;
    let days = days_between(issue.max(start), settlement, basis)?;
    let mut periods = days / period_days(date(-1)?, first, frequency as f64, basis)?;
    while start > issue {
        let end = start;
        period -= 1;
        start = date(period)?;
        periods += match issue > start {
            true => days_between(issue, end, basis)? / whole_period(start, end, frequency, basis)?,
            false => f64::from(u8::from(from_issue)),
        };
    }
    Ok(Value::number(par * rate / frequency as f64 * periods))
}

/// Returns the length of the period of the issue.
fn whole_period(start: i64, end: i64, frequency: i64, basis: Basis) -> Result<f64, ErrorValue> {
    match basis {
        Basis::ActualBy365 => Ok(365.0 / frequency as f64),
        Basis::ActualBy360 => days_between(start, end, Basis::American),
        _ => days_of_period(start, end, basis),
    }
}

fn accrued_at_maturity(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (issue, settlement) = (day(&arguments[0])?, day(&arguments[1])?);
    let rate = number(&arguments[2])?;
    let par = arguments.get(3).filter(|par| !par.is_blank()).map_or(Ok(1000.0), number)?;
    let basis = Basis::from_number(integer_or(arguments, 4, 0)?)?;
    if rate <= 0.0 || par <= 0.0 || issue >= settlement {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(par * rate * years_between(issue, settlement, basis)?))
}
