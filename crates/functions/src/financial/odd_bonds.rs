//! Bonds with an odd first or last coupon period: ODDFPRICE, ODDFYIELD, ODDLPRICE, ODDLYIELD.
//!
//! Described in ECMA-376 part 1, 18.17.7; the formulas are those of Excel's help for the functions.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, days_in_month};

use crate::arguments::integer_or;
use crate::coerce::number;
use crate::context::CallContext;
use crate::dates::date_differences::{Basis, days_between, days_of_period};
use crate::dates::{civil, day};
use crate::function::Function;

use super::cashflow::root;
use super::coupons::{Coupons, frequency, same_day_away};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "ODDFPRICE",
        "settlement, maturity, issue, first_coupon, rate, yield, redemption, frequency, [basis]",
        "The price of a bond with an odd first period, for 100 of face value.",
        |context, arguments| {
            let bond = OddFirst::read(context, arguments)?;
            let yearly_yield = number(&arguments[5])?;
            if yearly_yield < 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(bond.price(yearly_yield))) }
        },
    )
    .examples(&[(
        "=ROUND(ODDFPRICE(DATE(2008,11,11),DATE(2021,3,1),DATE(2008,10,15),DATE(2009,3,1),0.0785,0.0625,100,2,1),6)",
        "113.597717",
    )]),
    Function::scalar(
        "ODDFYIELD",
        "settlement, maturity, issue, first_coupon, rate, price, redemption, frequency, [basis]",
        "The yield of a bond with an odd first period.",
        |context, arguments| {
            let bond = OddFirst::read(context, arguments)?;
            let price = number(&arguments[5])?;
            if price <= 0.0 {
                return Err(ErrorValue::Number);
            }
            root(0.1, |yearly_yield| bond.price(yearly_yield) - price).map(Value::number)
        },
    )
    .examples(&[(
        "=ROUND(ODDFYIELD(DATE(2008,11,11),DATE(2021,3,1),DATE(2008,10,15),DATE(2009,3,1),0.0575,84.5,100,2,0),6)",
        "0.077246",
    )]),
    Function::scalar(
        "ODDLPRICE",
        "settlement, maturity, last_interest, rate, yield, redemption, frequency, [basis]",
        "The price of a bond with an odd last period, for 100 of face value.",
        |context, arguments| {
            let bond = OddLast::read(context, arguments)?;
            let yearly_yield = number(&arguments[4])?;
            if yearly_yield < 0.0 {
                return Err(ErrorValue::Number);
            }
            let paid = bond.redemption + bond.coupon * bond.whole;
            Ok(Value::number(paid / (1.0 + yearly_yield / bond.frequency * bond.left) - bond.coupon * bond.passed))
        },
    )
    .examples(&[(
        "=ROUND(ODDLPRICE(DATE(2008,2,7),DATE(2008,6,15),DATE(2007,10,15),0.0375,0.0405,100,2,0),6)",
        "99.878286",
    )]),
    Function::scalar(
        "ODDLYIELD",
        "settlement, maturity, last_interest, rate, price, redemption, frequency, [basis]",
        "The yield of a bond with an odd last period.",
        |context, arguments| {
            let bond = OddLast::read(context, arguments)?;
            let price = number(&arguments[4])?;
            if price <= 0.0 {
                return Err(ErrorValue::Number);
            }
            let paid = price + bond.coupon * bond.passed;
            let gained = (bond.redemption + bond.coupon * bond.whole - paid) / paid;
            Ok(Value::number(gained * bond.frequency / bond.left))
        },
    )
    .examples(&[(
        "=ROUND(ODDLYIELD(DATE(2008,4,20),DATE(2008,6,15),DATE(2007,12,24),0.0375,99.875,100,2,0),6)",
        "0.045192",
    )]),
];

/// A bond with an odd first period, per 100 of face value. Times are in coupon periods.
#[derive(Default)]
struct OddFirst {
    coupon: f64,
    redemption: f64,
    frequency: f64,
    /// From issue to the first coupon; also the first payment as a fraction of a coupon.
    first: f64,
    /// From issue to settlement.
    passed: f64,
    /// From settlement to the first coupon.
    to_first: f64,
    /// Coupons after the first one.
    regular: f64,
}

impl OddFirst {
    fn read(context: &mut CallContext, arguments: &[Value]) -> Result<OddFirst, ErrorValue> {
        let (settlement, maturity) = (day(&arguments[0])?, day(&arguments[1])?);
        let (issue, first) = (day(&arguments[2])?, day(&arguments[3])?);
        let (rate, redemption) = (number(&arguments[4])?, number(&arguments[6])?);
        let frequency = frequency(&arguments[7])?;
        let basis = Basis::from_number(integer_or(arguments, 8, 0)?)?;
        let are_in_order = issue < settlement && settlement < first && first < maturity;
        if !are_in_order || rate < 0.0 || redemption <= 0.0 {
            return Err(ErrorValue::Number);
        }
        // The first coupon must be a coupon date counted back from the maturity.
        let later = Coupons::around(first, maturity, frequency, basis)?;
        if later.previous != first {
            return Err(ErrorValue::Number);
        }
        let current = Coupons::around(settlement, first, frequency, basis)?;
        let period = current.period_days()?;
        let first_days = days_between(issue, first, basis)?;
        let coupon = 100.0 * rate / frequency as f64;
        let bond = OddFirst { coupon, redemption, frequency: frequency as f64, ..OddFirst::default() };
        if first_days < period {
            return Ok(OddFirst {
                first: first_days / period,
                passed: days_between(issue, settlement, basis)? / period,
                to_first: days_between(settlement, first, basis)? / period,
                regular: Coupons::around(settlement, maturity, frequency, basis)?.count - 1.0,
                ..bond
            });
        }
        let (share_first, passed) = periods_before(context, issue, settlement, first, period, &current)?;
        let days_left = match basis {
            Basis::ActualBy360 | Basis::ActualBy365 => (current.next - settlement) as f64,
            _ => period - current.days_before()?,
        };
        Ok(OddFirst {
            first: share_first,
            passed,
            to_first: days_left / period + whole_periods(settlement, first, 12 / frequency)?,
            regular: later.count,
            ..bond
        })
    }

    fn price(&self, yearly_yield: f64) -> f64 {
        let per_period = yearly_yield / self.frequency;
        let discount = 1.0 / (1.0 + per_period);
        // The regular coupons, discounted to the first coupon date.
        let coupons = match per_period.abs() < 1e-12 {
            true => self.regular,
            false => discount * (1.0 - libm::pow(discount, self.regular)) / (1.0 - discount),
        };
        let at_first =
            self.coupon * (self.first + coupons) + self.redemption * libm::pow(discount, self.regular);
        libm::pow(discount, self.to_first) * at_first - self.coupon * self.passed
    }
}

/// Returns the length of a long first period and its elapsed part at settlement, in quasi-coupon
/// periods counted back from the first coupon.
fn periods_before(
    context: &mut CallContext,
    issue: i64,
    settlement: i64,
    first: i64,
    period: f64,
    current: &Coupons,
) -> Result<(f64, f64), ErrorValue> {
    let (basis, months) = (current.basis, 12 / current.frequency as i64);
    let count = Coupons::around(issue, first, current.frequency as i64, basis)?.count as u64;
    context.budget.charge(count)?;
    let (mut worth, mut passed) = (0.0, 0.0);
    let mut late = first;
    for left in (1..=count).rev() {
        let early = same_day_away(late, -months)?;
        let length = if basis == Basis::Actual { (late - early) as f64 } else { period };
        worth += if left > 1 { 1.0 } else { forward(issue, late, basis)? / length };
        passed += forward(issue.max(early), settlement.min(late), basis)? / length;
        late = early;
    }
    Ok((worth, passed))
}

/// Returns the whole periods between the period of the settlement and the first coupon. For coupons
/// on last days of months, Excel counts from the end of the settlement's month, and one more for an
/// earlier settlement.
fn whole_periods(settlement: i64, first: i64, months: i64) -> Result<f64, ErrorValue> {
    let (from, to) = (civil(settlement)?, civil(first)?);
    let is_last = |date: Civil| date.day >= days_in_month(date.year, date.month);
    let by_month_ends = is_last(to) || (to.month != 2 && to.day > 28 && is_last(from));
    let apart = i64::from(to.year - from.year) * 12 + i64::from(to.month) - i64::from(from.month);
    let is_multiple = apart % months == 0;
    let one_more = match by_month_ends {
        true => !is_last(from),
        false => apart > 0 && is_multiple && from.day < to.day,
    };
    Ok(((apart / months - i64::from(is_multiple)).max(0) + i64::from(one_more)) as f64)
}

/// Returns the days from one date to another, zero if that is earlier.
fn forward(from: i64, to: i64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(days_between(from, to, basis)?.max(0.0))
}

/// A bond with an odd last period, per 100 of face value. Times are in coupon periods from the last
/// interest date.
struct OddLast {
    coupon: f64,
    redemption: f64,
    frequency: f64,
    whole: f64,
    passed: f64,
    left: f64,
}

impl OddLast {
    fn read(context: &mut CallContext, arguments: &[Value]) -> Result<OddLast, ErrorValue> {
        let (settlement, maturity, last) = (day(&arguments[0])?, day(&arguments[1])?, day(&arguments[2])?);
        let (rate, redemption) = (number(&arguments[3])?, number(&arguments[5])?);
        let frequency = frequency(&arguments[6])?;
        let basis = Basis::from_number(integer_or(arguments, 7, 0)?)?;
        if !(last < settlement && settlement < maturity) || rate < 0.0 || redemption <= 0.0 {
            return Err(ErrorValue::Number);
        }
        let months = 12 / frequency;
        let count = Coupons::around(last, maturity, frequency, basis)?.count as u64;
        context.budget.charge(count)?;
        let (mut whole, mut passed, mut left) = (0.0, 0.0, 0.0);
        let mut early = last;
        for period in 1..=count {
            let late = same_day_away(early, months)?;
            let length = days_of_period(early, late, basis)?;
            let worth =
                if period < count { length } else { days_of_period(early, maturity, basis)?.max(0.0) };
            whole += worth / length;
            passed += match late < settlement {
                true => worth,
                false => forward(early, settlement, basis)?,
            } / length;
            left += forward(settlement.max(early), maturity.min(late), basis)? / length;
            early = late;
        }
        Ok(OddLast {
            coupon: 100.0 * rate / frequency as f64,
            redemption,
            frequency: frequency as f64,
            whole,
            passed,
            left,
        })
    }
}
