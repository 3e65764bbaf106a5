//! Date and time functions.
//!
//! These and the financial functions compute with serial numbers of the 1900 date system
//! ([`quadrille_number_format::date`]). [`day`] converts from the date system of the workbook,
//! [`serial_value`] and [`displayed_serial`] convert to it.

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

/// Converts a serial number of the workbook to the 1900 date system, without its time.
///
/// Fails with `#NUM!` outside the dates of the date system.
pub(crate) fn day(value: &Value) -> Result<i64, ErrorValue> {
    let serial = number(value)?.floor();
    let day = serial + offset_from_1900();
    if serial >= 0.0 && day <= SERIAL_MAX as f64 { Ok(day as i64) } else { Err(ErrorValue::Number) }
}

/// Returns the date of a serial number of the workbook; `None` when there is no such date.
pub(crate) fn civil_of(serial: f64) -> Option<Civil> {
    if serial < 0.0 { None } else { civil_from_serial((serial + offset_from_1900()).floor() as i64) }
}

/// Converts a serial number of the 1900 date system to that of the workbook.
pub(crate) fn displayed_serial(serial: f64) -> f64 {
    serial - offset_from_1900()
}

/// Returns the date of a serial number of the 1900 date system. Fails with `#NUM!` for other
/// numbers.
pub(crate) fn civil(serial: i64) -> Result<Civil, ErrorValue> {
    civil_from_serial(serial).ok_or(ErrorValue::Number)
}

/// Converts a computed serial number of the 1900 date system to a result. Fails with `#NUM!`
/// outside the dates of the workbook's date system.
pub(crate) fn serial_value(serial: Option<i64>) -> Result<Value, ErrorValue> {
    let first = date_system().offset_from_1900();
    match serial {
        Some(serial) if (first..=SERIAL_MAX).contains(&serial) => Ok(Value::number((serial - first) as f64)),
        _ => Err(ErrorValue::Number),
    }
}
