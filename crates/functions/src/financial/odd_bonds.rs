//! Bonds whose first or last coupon period is shorter or longer than the others.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::integer_or;
use crate::coerce::number;
use crate::context::CallContext;
use crate::dates::between::Basis;
use crate::dates::day;
use crate::registry::Function;

use super::cashflow::root;
use super::coupons::{frequency, months_away, periods_between};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "ODDFPRICE",
        "settlement, maturity, issue, first_coupon, rate, yield, redemption, frequency, [basis]",
        "The price of a bond with an odd first period, for 100 of face value.",
        |context, arguments| {
            let bond = OddFirst::read(context, arguments)?;
            let given = number(&arguments[5])?;
            if given < 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(bond.price(given))) }
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
            let given = number(&arguments[4])?;
            if given < 0.0 {
                return Err(ErrorValue::Number);
            }
            let paid = bond.redemption + bond.coupon * bond.whole;
            Ok(Value::number(paid / (1.0 + given / bond.frequency * bond.left) - bond.coupon * bond.passed))
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

/// Times are in coupon periods.
struct OddFirst {
    coupon: f64,
    redemption: f64,
    frequency: f64,
    /// From issue to the first coupon: what share of a coupon that one is.
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
        let mut regular = ((maturity - first) / 31 * frequency / 12).max(1);
        context.budget.charge(regular as u64)?;
        while months_away(first, regular * 12 / frequency)? < maturity {
            regular += 1;
        }
        let mut periods = |from: i64, to: i64| periods_between(context, first, from, to, frequency, basis);
        Ok(OddFirst {
            coupon: 100.0 * rate / frequency as f64,
            redemption,
            frequency: frequency as f64,
            first: periods(issue, first)?,
            passed: periods(issue, settlement)?,
            to_first: periods(settlement, first)?,
            regular: regular as f64,
        })
    }

    fn price(&self, yearly_yield: f64) -> f64 {
        let per_period = yearly_yield / self.frequency;
        let discount = 1.0 / (1.0 + per_period);
        // From one period after the first coupon on.
        let coupons = match per_period.abs() < 1e-12 {
            true => self.regular,
            false => discount * (1.0 - libm::pow(discount, self.regular)) / (1.0 - discount),
        };
        let at_first =
            self.coupon * (self.first + coupons) + self.redemption * libm::pow(discount, self.regular);
        libm::pow(discount, self.to_first) * at_first - self.coupon * self.passed
    }
}

/// Times are in coupon periods from the last interest date.
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
        let mut periods = |from: i64, to: i64| periods_between(context, last, from, to, frequency, basis);
        Ok(OddLast {
            coupon: 100.0 * rate / frequency as f64,
            redemption,
            frequency: frequency as f64,
            whole: periods(last, maturity)?,
            passed: periods(last, settlement)?,
            left: periods(settlement, maturity)?,
        })
    }
}
