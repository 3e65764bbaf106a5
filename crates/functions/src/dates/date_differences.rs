//! Differences of dates by day count conventions: DAYS, DAYS360, DATEDIF, YEARFRAC, and the
//! [`Basis`] of the financial functions.
//!
//! Described in ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.10; the conventions in
//! OpenFormula 4.11 (Basis).

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, days_in_month, is_leap_year, serial_with_carry};

use super::{civil, day};
use crate::arguments::{ValueResult, boolean_or, integer_or};
use crate::coerce::text;
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("DAYS", "end_date, start_date", "The days from one date to another.", days)
        .examples(&[("=DAYS(\"2024-03-01\",\"2024-02-01\")", "29")]),
    Function::scalar(
        "DAYS360",
        "start_date, end_date, [european]",
        "The days between two dates in years of 360 days.",
        days_360,
    )
    .examples(&[
        ("=DAYS360(DATE(2011,1,30),DATE(2011,2,1))", "1"),
        ("=DAYS360(DATE(2011,1,1),DATE(2011,12,31))", "360"),
        ("=DAYS360(DATE(2011,1,1),DATE(2011,12,31),TRUE)", "359"),
    ]),
    Function::scalar(
        "DATEDIF",
        "start_date, end_date, unit",
        "Whole years (Y), months (M), days (D), or what is left of them (YM, MD, YD).",
        date_difference,
    )
    .examples(&[
        ("=DATEDIF(DATE(2001,6,1),DATE(2002,8,15),\"D\")", "440"),
        ("=DATEDIF(DATE(2001,6,1),DATE(2002,8,15),\"YD\")", "75"),
        ("=DATEDIF(DATE(2020,1,31),DATE(2024,3,1),\"Y\")", "4"),
        ("=DATEDIF(DATE(2020,1,31),DATE(2020,3,1),\"M\")", "1"),
        ("=DATEDIF(2,1,\"D\")", "#NUM!"),
    ]),
    Function::scalar(
        "YEARFRAC",
        "start_date, end_date, [basis]",
        "The share of a year between two dates.",
        year_fraction,
    )
    .examples(&[
        ("=YEARFRAC(DATE(2012,1,1),DATE(2012,7,30))", "0.580555555555556"),
        ("=ROUND(YEARFRAC(DATE(2012,1,1),DATE(2012,7,30),1),8)", "0.57650273"),
        ("=YEARFRAC(1,2,5)", "#NUM!"),
    ]),
];

fn days(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number((day(&arguments[0])? - day(&arguments[1])?) as f64))
}

fn is_last_of_february(date: Civil) -> bool {
    date.month == 2 && date.day >= days_in_month(date.year, 2)
}

fn months_of_30(start: Civil, end: Civil, start_day: u32, end_day: u32) -> i64 {
    let months = i64::from(end.year - start.year) * 12 + i64::from(end.month) - i64::from(start.month);
    months * 30 + i64::from(end_day) - i64::from(start_day)
}

fn european_days(start: Civil, end: Civil) -> i64 {
    months_of_30(start, end, start.day.min(30), end.day.min(30))
}

fn days_360(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (start, end) = (civil(day(&arguments[0])?)?, civil(day(&arguments[1])?)?);
    if boolean_or(arguments, 2, false)? {
        return Ok(Value::number(european_days(start, end) as f64));
    }
    let start_day = if is_last_of_february(start) { 30 } else { start.day.min(30) };
    // The 31st counts as the first of the next month, unless the start is the 30th or 31st.
    let end_day = if end.day == 31 && start_day < 30 { 31 } else { end.day.min(30) };
    Ok(Value::number(months_of_30(start, end, start_day, end_day) as f64))
}

fn date_difference(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (first, last) = (day(&arguments[0])?, day(&arguments[1])?);
    if first > last {
        return Err(ErrorValue::Number);
    }
    let (start, end) = (civil(first)?, civil(last)?);
    let serial = |year: i32, month: i64, day: u32| {
        serial_with_carry(i64::from(year), month, i64::from(day)).ok_or(ErrorValue::Number)
    };
    let months = i64::from(end.year - start.year) * 12 + i64::from(end.month)
        - i64::from(start.month)
        - i64::from(end.day < start.day);
    let difference = match text(&arguments[2])?.to_ascii_uppercase().as_str() {
        "Y" => months / 12,
        "M" => months,
        "D" => last - first,
        "YM" => months % 12,
        "MD" if end.day >= start.day => i64::from(end.day - start.day),
        "MD" => last - serial(end.year, i64::from(end.month) - 1, start.day)?,
        "YD" => {
            let is_before = (end.month, end.day) < (start.month, start.day);
            last - serial(end.year - i32::from(is_before), i64::from(start.month), start.day)?
        }
        _ => return Err(ErrorValue::Number),
    };
    Ok(Value::number(difference as f64))
}

fn year_fraction(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (a, b) = (day(&arguments[0])?, day(&arguments[1])?);
    let basis = Basis::from_number(integer_or(arguments, 2, 0)?)?;
    Ok(Value::number(years_between(a.min(b), a.max(b), basis)?))
}

/// A day count convention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Basis {
    /// Basis 0: 30/360, US (NASD).
    American,
    /// Basis 1: actual/actual.
    Actual,
    /// Basis 2: actual/360.
    ActualBy360,
    /// Basis 3: actual/365.
    ActualBy365,
    /// Basis 4: 30/360, European.
    European,
}

impl Basis {
    pub(crate) fn from_number(number: i64) -> Result<Basis, ErrorValue> {
        const ALL: [Basis; 5] =
            [Basis::American, Basis::Actual, Basis::ActualBy360, Basis::ActualBy365, Basis::European];
        usize::try_from(number).ok().and_then(|index| ALL.get(index).copied()).ok_or(ErrorValue::Number)
    }
}

/// Returns the days from one serial number to a later one.
pub(crate) fn days_between(first: i64, last: i64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(match basis {
        Basis::American => american_days(civil(first)?, civil(last)?) as f64,
        Basis::European => european_days(civil(first)?, civil(last)?) as f64,
        _ => (last - first) as f64,
    })
}

/// Returns the years from one serial number to a later one.
pub(crate) fn years_between(first: i64, last: i64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(days_between(first, last, basis)? / days_of_year(first, last, basis)?)
}

/// As [`days_between`], for a whole coupon period: by the US rules its end counts as the 30th when
/// it is the last of February or the 31st, whatever its start.
pub(crate) fn days_of_period(first: i64, last: i64, basis: Basis) -> Result<f64, ErrorValue> {
    let (start, end) = (civil(first)?, civil(last)?);
    if basis != Basis::American {
        return days_between(first, last, basis);
    }
    let start_day = if is_last_of_february(start) { 30 } else { start.day.min(30) };
    let end_day = if is_last_of_february(end) { 30 } else { end.day.min(30) };
    Ok(months_of_30(start, end, start_day, end_day) as f64)
}

/// Returns the length of the year by which [`years_between`] divides.
pub(crate) fn days_of_year(first: i64, last: i64, basis: Basis) -> Result<f64, ErrorValue> {
    Ok(match basis {
        Basis::Actual => average_year(civil(first)?, civil(last)?),
        Basis::ActualBy365 => 365.0,
        _ => 360.0,
    })
}

/// Counts days by 30/360, US (NASD).
fn american_days(start: Civil, end: Civil) -> i64 {
    let (mut start_day, mut end_day) = (start.day, end.day);
    if is_last_of_february(start) {
        if is_last_of_february(end) {
            end_day = 30;
        }
        start_day = 30;
    }
    // A start on the last of February does not change an end on the 31st.
    if end_day == 31 && start.day >= 30 {
        end_day = 30;
    }
    months_of_30(start, end, start_day.min(30), end_day)
}

/// Returns the average length of the years from start to end, for actual/actual.
fn average_year(start: Civil, end: Civil) -> f64 {
    let is_within_a_year = end.year == start.year
        || end.year == start.year + 1 && (start.month, start.day) >= (end.month, end.day);
    if !is_within_a_year {
        let leap_years = (start.year..=end.year).filter(|year| is_leap_year(*year)).count();
        return 365.0 + leap_years as f64 / f64::from(end.year - start.year + 1);
    }
    let leap_day_lies_between = match (is_leap_year(start.year), is_leap_year(end.year)) {
        (true, _) if start.year == end.year => true,
        (true, _) if (start.month, start.day) <= (2, 29) => true,
        (_, true) => (end.month, end.day) >= (2, 29),
        _ => false,
    };
    if leap_day_lies_between { 366.0 } else { 365.0 }
}
