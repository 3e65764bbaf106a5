//! Calendar functions: DATE, DATEVALUE, YEAR, MONTH, DAY, WEEKDAY, WEEKNUM, ISOWEEKNUM, EDATE,
//! EOMONTH. Described in ECMA-376 part 1, 18.17.7, and Excel's help; week numbers of ISOWEEKNUM in
//! ISO 8601.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, serial_with_carry, weekday};

use super::{civil, day, serial_value};
use crate::arguments::{ValueResult, integer_or};
use crate::coerce::{integer, number, number_in_text, text};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("DATE", "year, month, day", "The date of a day; months and days carry over.", date)
        .examples(&[
            ("=DATE(2024,5,1)", "45413"),
            ("=DATE(2023,14,0)", "45322"),
            ("=DATE(24,1,1)", "8767"),
            ("=DATE(1900,2,29)", "60"),
            ("=DATE(10000,1,1)", "#NUM!"),
        ]),
    Function::scalar("DATEVALUE", "text", "The date that a text names.", date_value).examples(&[
        ("=DATEVALUE(\"2024-05-01\")", "45413"),
        ("=DATEVALUE(\"5/1/2024\")", "45413"),
        ("=DATEVALUE(\" 2024-05-01 \")", "45413"),
        ("=DATEVALUE(\" 10 \")", "#VALUE!"),
        ("=DATEVALUE(\"x\")", "#VALUE!"),
    ]),
    Function::scalar("YEAR", "date", "The year of a date.", year)
        .examples(&[("=YEAR(45413)", "2024"), ("=YEAR(-1)", "#NUM!")]),
    Function::scalar("MONTH", "date", "The month of a date, 1 to 12.", month)
        .examples(&[("=MONTH(\"2024-05-01\")", "5")]),
    Function::scalar("DAY", "date", "The day of the month.", day_of_month)
        .examples(&[("=DAY(45413)", "1"), ("=DAY(60)", "29")]),
    Function::scalar(
        "WEEKDAY",
        "date, [type]",
        "The day of the week, by default 1 for Sunday to 7 for Saturday.",
        weekday_function,
    )
    .examples(&[
        ("=WEEKDAY(45413)", "4"),
        ("=WEEKDAY(45413,2)", "3"),
        ("=WEEKDAY(45413,3)", "2"),
        ("=WEEKDAY(1,9)", "#NUM!"),
        ("=WEEKDAY(-1,\"x\")", "#VALUE!"),
    ]),
    Function::scalar(
        "WEEKNUM",
        "date, [type]",
        "The week of the year; the week of 1 January is the first.",
        week_number,
    )
    .examples(&[
        ("=WEEKNUM(DATE(2012,3,9))", "10"),
        ("=WEEKNUM(DATE(2012,3,9),2)", "11"),
        ("=WEEKNUM(DATE(2021,1,1),21)", "53"),
        ("=WEEKNUM(-1,\"x\")", "#NUM!"),
        ("=WEEKNUM(\"x\",0)", "#VALUE!"),
    ]),
    Function::scalar(
        "ISOWEEKNUM",
        "date",
        "The week of the year; the one with the first Thursday is the first.",
        iso_week_number,
    )
    .examples(&[("=ISOWEEKNUM(DATE(2021,1,1))", "53"), ("=ISOWEEKNUM(DATE(2024,1,1))", "1")]),
    Function::scalar("EDATE", "date, months", "The same day some months later.", same_day_later)
        .examples(&[("=EDATE(DATE(2024,1,31),1)", "45351"), ("=EDATE(DATE(2024,1,31),-1)", "45291")]),
    Function::scalar("EOMONTH", "date, months", "The last day of the month some months later.", month_end)
        .examples(&[("=EOMONTH(DATE(2024,1,15),1)", "45351"), ("=EOMONTH(DATE(2024,1,15),0)", "45322")]),
];

fn date(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (year, month, day) = (integer(&arguments[0])?, integer(&arguments[1])?, integer(&arguments[2])?);
    // Years 0 to 1899 are added to 1900, as in Excel.
    let year = match year {
        0..1900 => year + 1900,
        1900..10_000 => year,
        _ => return Err(ErrorValue::Number),
    };
    serial_value(serial_with_carry(year, month, day))
}

fn date_value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    let text = text.trim_matches(' ');
    // A plain number is not a date text.
    let is_date = text.contains(['-', '/', ' ', ',']) && !text.starts_with(['-', '$', '(']);
    let serial = number_in_text(text).filter(|_| is_date).ok_or(ErrorValue::Value)?;
    Ok(Value::number(serial.floor()))
}

fn year(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(f64::from(civil(day(&arguments[0])?)?.year)))
}

fn month(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(f64::from(civil(day(&arguments[0])?)?.month)))
}

fn day_of_month(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(f64::from(civil(day(&arguments[0])?)?.day)))
}

fn weekday_function(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    number(&arguments[0])?;
    // As in Excel, an invalid type is reported before an invalid date; WEEKNUM reports the date
    // first.
    let kind = integer_or(arguments, 1, 1)?;
    let from_sunday = weekday(day(&arguments[0])?) as i64;
    let number = match kind {
        1 | 17 => from_sunday + 1,
        2 | 11 => (from_sunday + 6) % 7 + 1,
        3 => (from_sunday + 6) % 7,
        first @ 12..=16 => (from_sunday + 17 - first) % 7 + 1,
        _ => return Err(ErrorValue::Number),
    };
    Ok(Value::number(number as f64))
}

fn week_number(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let serial = day(&arguments[0])?;
    // The first weekday of a week, 0 for Sunday.
    let first_weekday = match integer_or(arguments, 1, 1)? {
        1 | 17 => 0,
        2 | 11 => 1,
        first @ 12..=16 => first - 10,
        21 => return iso_week_number(context, &arguments[..1]),
        _ => return Err(ErrorValue::Number),
    };
    let new_year = serial_with_carry(i64::from(civil(serial)?.year), 1, 1).ok_or(ErrorValue::Number)?;
    let days_before = (i64::from(weekday(new_year)) - first_weekday).rem_euclid(7);
    Ok(Value::number(((serial - new_year + days_before).div_euclid(7) + 1) as f64))
}

fn iso_week_number(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let serial = day(&arguments[0])?;
    // A week belongs to the year of its Thursday.
    let thursday = serial + 3 - (i64::from(weekday(serial)) + 6) % 7;
    if thursday < 1 {
        // Week 52 of 1899.
        return Ok(Value::number(52.0));
    }
    let year = civil(thursday)?.year;
    let new_year = serial_with_carry(i64::from(year), 1, 1).ok_or(ErrorValue::Number)?;
    Ok(Value::number(((thursday - new_year).div_euclid(7) + 1) as f64))
}

/// Returns year and month some months later, and the day of the month of the date.
fn later_month(serial: i64, months: i64) -> Result<(i32, u32, u32), ErrorValue> {
    let Civil { year, month, day } = civil(serial)?;
    let months = i64::from(year) * 12 + i64::from(month) - 1 + months.clamp(-1_000_000, 1_000_000);
    Ok((months.div_euclid(12) as i32, months.rem_euclid(12) as u32 + 1, day))
}

/// Returns the serial number of the first of a month. By serial numbers, February 1900 has 29 days.
fn month_start(year: i32, month: u32) -> Result<i64, ErrorValue> {
    serial_with_carry(i64::from(year), i64::from(month), 1).ok_or(ErrorValue::Number)
}

fn same_day_later(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (year, month, day) = later_month(day(&arguments[0])?, integer(&arguments[1])?)?;
    let first = month_start(year, month)?;
    let length = month_start(year, month + 1)? - first;
    serial_value(Some(first + i64::from(day).clamp(1, length) - 1))
}

fn month_end(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (year, month, _) = later_month(day(&arguments[0])?, integer(&arguments[1])?)?;
    serial_value(Some(month_start(year, month + 1)? - 1))
}
