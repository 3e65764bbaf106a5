//! Dates and times as serial numbers.
//!
//! Here and in the financial functions days are counted from 1900 ([`quadrille_number_format::date`]), whatever the workbook counts
//! from: [`day`] reads a number of the workbook, [`serial_value`] and [`shown_serial`] make one.

pub(crate) mod calendar;
pub(crate) mod clock;
pub(crate) mod date_differences;
pub(crate) mod workdays;

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, SERIAL_MAX, civil_from_serial};

use crate::coerce::number;
use crate::date_system::date_system;

fn offset_from_1900() -> f64 {
    date_system().offset_from_1900() as f64
}

/// The day of a serial number of the workbook, its time cut off.
pub(crate) fn day(value: &Value) -> Result<i64, ErrorValue> {
    let serial = number(value)?.floor();
    let day = serial + offset_from_1900();
    if serial >= 0.0 && day <= SERIAL_MAX as f64 { Ok(day as i64) } else { Err(ErrorValue::Number) }
}

/// Of any number of the workbook; `None` where there is no such day.
pub(crate) fn civil_of(serial: f64) -> Option<Civil> {
    if serial < 0.0 { None } else { civil_from_serial((serial + offset_from_1900()).floor() as i64) }
}

/// The number that the workbook has for one that counts from 1900.
pub(crate) fn displayed_serial(serial: f64) -> f64 {
    serial - offset_from_1900()
}

pub(crate) fn civil(serial: i64) -> Result<Civil, ErrorValue> {
    civil_from_serial(serial).ok_or(ErrorValue::Number)
}

/// A serial number that a calculation yields, if there is such a day.
pub(crate) fn serial_value(serial: Option<i64>) -> Result<Value, ErrorValue> {
    let first = date_system().offset_from_1900();
    match serial {
        Some(serial) if (first..=SERIAL_MAX).contains(&serial) => Ok(Value::number((serial - first) as f64)),
        _ => Err(ErrorValue::Number),
    }
}
