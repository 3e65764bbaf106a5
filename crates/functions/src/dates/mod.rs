//! Dates and times, as serial numbers of the 1900 date system; see `quadrille_number_format::date`.

pub(crate) mod between;
pub(crate) mod calendar;
pub(crate) mod clock;
pub(crate) mod workdays;

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{Civil, SERIAL_MAX, civil_from_serial};

use crate::coerce::number;

/// The day of a serial number, its time cut off.
pub(crate) fn day(value: &Value) -> Result<i64, ErrorValue> {
    let serial = number(value)?.floor();
    if (0.0..=SERIAL_MAX as f64).contains(&serial) { Ok(serial as i64) } else { Err(ErrorValue::Number) }
}

pub(crate) fn civil(serial: i64) -> Result<Civil, ErrorValue> {
    civil_from_serial(serial).ok_or(ErrorValue::Number)
}

/// A serial number that a calculation yields, if there is such a day.
pub(crate) fn serial_value(serial: Option<i64>) -> Result<Value, ErrorValue> {
    match serial {
        Some(serial @ 0..=SERIAL_MAX) => Ok(Value::number(serial as f64)),
        _ => Err(ErrorValue::Number),
    }
}
