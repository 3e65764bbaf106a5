//! The days on which a bond pays interest, counted back from its maturity.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, days_in_month, serial_from_civil};

use crate::arguments::integer_or;
use crate::coerce::integer;
use crate::context::CallContext;
use crate::dates::between::{Basis, days_between};
use crate::dates::{civil, day, serial_value};
use crate::registry::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("COUPPCD", ARGUMENTS, "The last coupon date up to the settlement.", |_, arguments| {
        serial_value(Some(Coupons::read(arguments, 2)?.previous))
    })
    .examples(&[("=COUPPCD(DATE(2011,1,25),DATE(2011,11,15),2,1)", "40497"), ("=COUPPCD(2,1,2)", "#NUM!")]),
    Function::scalar("COUPNCD", ARGUMENTS, "The next coupon date after the settlement.", |_, arguments| {
        serial_value(Some(Coupons::read(arguments, 2)?.next))
    })
    .examples(&[("=COUPNCD(DATE(2011,1,25),DATE(2011,11,15),2,1)", "40678")]),
    Function::scalar("COUPNUM", ARGUMENTS, "How many coupons are left.", |_, arguments| {
        Ok(Value::number(Coupons::read(arguments, 2)?.count))
    })
    .examples(&[("=COUPNUM(DATE(2007,1,25),DATE(2008,11,15),2,1)", "4")]),
    Function::scalar("COUPDAYS", ARGUMENTS, "The days of the current coupon period.", |_, arguments| {
        Ok(Value::number(Coupons::read(arguments, 2)?.period_days()?))
    })
    .examples(&[("=COUPDAYS(DATE(2011,1,25),DATE(2011,11,15),2,1)", "181")]),
    Function::scalar(
        "COUPDAYBS",
        ARGUMENTS,
        "The days from the start of the coupon period to the settlement.",
        |_, arguments| Ok(Value::number(Coupons::read(arguments, 2)?.days_before()?)),
    )
    .examples(&[("=COUPDAYBS(DATE(2011,1,25),DATE(2011,11,15),2,1)", "71")]),
    Function::scalar(
        "COUPDAYSNC",
        ARGUMENTS,
        "The days from the settlement to the next coupon.",
        |_, arguments| Ok(Value::number(Coupons::read(arguments, 2)?.days_after()?)),
    )
    .examples(&[("=COUPDAYSNC(DATE(2011,1,25),DATE(2011,11,15),2,1)", "110")]),
];

const ARGUMENTS: &str = "settlement, maturity, frequency, [basis]";

/// Where the settlement of a bond lies among its coupons.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupons {
    pub settlement: i64,
    /// The coupon dates around the settlement.
    pub previous: i64,
    pub next: i64,
    /// From the next one to the maturity.
    pub count: f64,
    /// A year.
    pub frequency: f64,
    pub basis: Basis,
}

impl Coupons {
    /// Settlement and maturity are the first arguments; the frequency stands at an index and the basis after it.
    pub fn read(arguments: &[Value], frequency_index: usize) -> Result<Coupons, ErrorValue> {
        let (settlement, maturity) = (day(&arguments[0])?, day(&arguments[1])?);
        let frequency = frequency(&arguments[frequency_index])?;
        let basis = Basis::from_number(integer_or(arguments, frequency_index + 1, 0)?)?;
        if settlement >= maturity {
            return Err(ErrorValue::Number);
        }
        let months = 12 / frequency;
        let (from, to) = (civil(settlement)?, civil(maturity)?);
        let apart = i64::from(to.year - from.year) * 12 + i64::from(to.month) - i64::from(from.month);
        // One period more than whole periods lie between may be needed, or one less.
        let mut periods = apart / months + 1;
        let date = |periods: i64| months_away(maturity, -periods * months);
        while periods > 1 && date(periods - 1)? <= settlement {
            periods -= 1;
        }
        Ok(Coupons {
            settlement,
            previous: date(periods)?,
            next: date(periods - 1)?,
            count: periods as f64,
            frequency: frequency as f64,
            basis,
        })
    }

    pub fn period_days(&self) -> Result<f64, ErrorValue> {
        period_days(self.previous, self.next, self.frequency, self.basis)
    }

    pub fn days_before(&self) -> Result<f64, ErrorValue> {
        days_between(self.previous, self.settlement, self.basis)
    }

    pub fn days_after(&self) -> Result<f64, ErrorValue> {
        match self.basis {
            // What months of 30 days leave of the period.
            Basis::American | Basis::European => Ok(self.period_days()? - self.days_before()?),
            _ => Ok((self.next - self.settlement) as f64),
        }
    }

    /// The share of the period that has passed, and the share to come.
    pub fn shares(&self) -> Result<(f64, f64), ErrorValue> {
        let period = self.period_days()?;
        Ok((self.days_before()? / period, self.days_after()? / period))
    }
}

/// Once, twice or four times a year.
pub(super) fn frequency(value: &Value) -> Result<i64, ErrorValue> {
    let frequency = integer(value)?;
    if matches!(frequency, 1 | 2 | 4) { Ok(frequency) } else { Err(ErrorValue::Number) }
}

/// How long a coupon period counts.
pub(super) fn period_days(first: i64, last: i64, frequency: f64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(match basis {
        Basis::Actual => (last - first) as f64,
        Basis::ActualBy365 => 365.0 / frequency,
        _ => 360.0 / frequency,
    })
}

/// How many coupon periods lie between two days, parts included, if one of the coupons were paid on the day `anchor`.
pub(super) fn periods_between(
    context: &mut CallContext,
    anchor: i64,
    from: i64,
    to: i64,
    frequency: i64,
    basis: Basis,
) -> Result<f64, ErrorValue> {
    let months = 12 / frequency;
    let apart = (to.max(anchor) - from.min(anchor)) / 28 / months;
    context.budget.charge(apart as u64 + 1)?;
    let date = |period: i64| months_away(anchor, period * months);
    let mut period = (from - anchor) / 31 / months;
    while date(period)? > from {
        period -= 1;
    }
    let mut sum = 0.0;
    loop {
        let (start, end) = (date(period)?, date(period + 1)?);
        if start >= to {
            return Ok(sum);
        }
        if end > from {
            let days = days_between(start.max(from), end.min(to), basis)?;
            sum += days / period_days(start, end, frequency as f64, basis)?;
        }
        period += 1;
    }
}

/// The same day some months later or earlier; the last day of a month stays the last.
pub(super) fn months_away(serial: i64, months: i64) -> Result<i64, ErrorValue> {
    let date = civil(serial)?;
    let month = i64::from(date.year) * 12 + i64::from(date.month) - 1 + months;
    let (year, month) = (month.div_euclid(12) as i32, month.rem_euclid(12) as u32 + 1);
    let length = days_in_month(year, month);
    let is_last = date.day >= days_in_month(date.year, date.month);
    let day = if is_last { length } else { date.day.min(length) };
    serial_from_civil(Civil { year, month, day }).ok_or(ErrorValue::Number)
}
