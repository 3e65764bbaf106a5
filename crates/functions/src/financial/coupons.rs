//! Coupon dates of a bond, counted back from its maturity: COUPPCD, COUPNCD, COUPNUM, COUPDAYS etc.
//!
//! Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, days_in_month, serial_from_civil};

use crate::arguments::integer_or;
use crate::coerce::integer;
use crate::dates::date_differences::{Basis, days_between, days_of_period};
use crate::dates::{civil, day, serial_value};
use crate::function::Function;

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

/// The coupon period that contains the settlement of a bond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupons {
    pub settlement: i64,
    /// The last coupon date up to the settlement.
    pub previous: i64,
    /// The first coupon date after the settlement.
    pub next: i64,
    /// Number of coupons from `next` to the maturity.
    pub count: f64,
    /// Coupons per year.
    pub frequency: f64,
    pub basis: Basis,
}

impl Coupons {
    /// Reads settlement and maturity from the first arguments, and the frequency at
    /// `frequency_index` with the basis after it. Fails with `#NUM!` when the settlement is not
    /// before the maturity.
    pub fn read(arguments: &[Value], frequency_index: usize) -> Result<Coupons, ErrorValue> {
        let (settlement, maturity) = (day(&arguments[0])?, day(&arguments[1])?);
        let frequency = frequency(&arguments[frequency_index])?;
        let basis = Basis::from_number(integer_or(arguments, frequency_index + 1, 0)?)?;
        Coupons::around(settlement, maturity, frequency, basis)
    }

    /// Returns the coupon period of a settlement, with coupon dates counted back from the maturity.
    pub fn around(
        settlement: i64,
        maturity: i64,
        frequency: i64,
        basis: Basis,
    ) -> Result<Coupons, ErrorValue> {
        if settlement >= maturity {
            return Err(ErrorValue::Number);
        }
        let months = 12 / frequency;
        let (from, to) = (civil(settlement)?, civil(maturity)?);
        let apart = i64::from(to.year - from.year) * 12 + i64::from(to.month) - i64::from(from.month);
        // The estimate is at most one period too high.
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

    /// Returns the length of the coupon period in days.
    pub fn period_days(&self) -> Result<f64, ErrorValue> {
        period_days(self.previous, self.next, self.frequency, self.basis)
    }

    /// Returns the days from the start of the period to the settlement.
    pub fn days_before(&self) -> Result<f64, ErrorValue> {
        days_between(self.previous, self.settlement, self.basis)
    }

    /// Returns the days from the settlement to the next coupon.
    pub fn days_after(&self) -> Result<f64, ErrorValue> {
        match self.basis {
            Basis::American => {
                Ok(days_of_period(self.previous, self.next, self.basis)? - self.days_before()?)
            }
            _ => days_between(self.settlement, self.next, self.basis),
        }
    }

    /// Returns the elapsed and the remaining fraction of the period. For prices the remainder is
    /// the period less the elapsed days, which by actual days differs from
    /// [`days_after`](Self::days_after).
    pub fn shares(&self) -> Result<(f64, f64), ErrorValue> {
        let (period, before) = (self.period_days()?, self.days_before()?);
        Ok((before / period, (period - before) / period))
    }
}

/// Reads the number of coupons per year: 1, 2 or 4. Fails with `#NUM!` for others.
pub(super) fn frequency(value: &Value) -> Result<i64, ErrorValue> {
    let frequency = integer(value)?;
    if matches!(frequency, 1 | 2 | 4) { Ok(frequency) } else { Err(ErrorValue::Number) }
}

/// Returns the length of a coupon period in days.
pub(super) fn period_days(first: i64, last: i64, frequency: f64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(match basis {
        Basis::Actual => (last - first) as f64,
        Basis::ActualBy365 => 365.0 / frequency,
        _ => 360.0 / frequency,
    })
}

/// Returns the same day some months away; the last day of a month maps to the last day of a month.
pub(super) fn months_away(serial: i64, months: i64) -> Result<i64, ErrorValue> {
    let date = civil(serial)?;
    let is_last = date.day >= days_in_month(date.year, date.month);
    shifted(if is_last { Civil { day: 31, ..date } } else { date }, months)
}

/// Returns the same day some months away, also for the last day of a month.
pub(super) fn same_day_away(serial: i64, months: i64) -> Result<i64, ErrorValue> {
    shifted(civil(serial)?, months)
}

fn shifted(date: Civil, months: i64) -> Result<i64, ErrorValue> {
    let month = i64::from(date.year) * 12 + i64::from(date.month) - 1 + months;
    let (year, month) = (month.div_euclid(12) as i32, month.rem_euclid(12) as u32 + 1);
    let day = date.day.min(days_in_month(year, month));
    serial_from_civil(Civil { year, month, day }).ok_or(ErrorValue::Number)
}
