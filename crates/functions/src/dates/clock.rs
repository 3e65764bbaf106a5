//! Time functions: NOW, TODAY, TIME, TIMEVALUE, HOUR, MINUTE, SECOND. Described in ECMA-376 part 1,
//! 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::serial_from_unix_ms;

use super::displayed_serial;
use crate::arguments::ValueResult;
use crate::coerce::{integer, number, number_in_text, text};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("NOW", "", "The date and time of the last calculation, in UTC.", now)
        .volatile()
        .examples(&[("=NOW()>=TODAY()", "TRUE")]),
    Function::scalar("TODAY", "", "The date of the last calculation, in UTC.", today)
        .volatile()
        .examples(&[("=TODAY()=INT(TODAY())", "TRUE")]),
    Function::scalar("TIME", "hour, minute, second", "A time of day; minutes and seconds carry over.", time)
        .examples(&[("=TIME(12,0,0)", "0.5"), ("=TIME(25,0,0)*24", "1"), ("=TIME(0,0,-1)", "#NUM!")]),
    Function::scalar("TIMEVALUE", "text", "The time of day that a text names.", time_value).examples(&[
        ("=TIMEVALUE(\"6:00\")", "0.25"),
        ("=TIMEVALUE(\"2024-05-01 6:00 PM\")", "0.75"),
        ("=TIMEVALUE(\"-0.2\")", "#VALUE!"),
    ]),
    Function::scalar("HOUR", "time", "The hour, 0 to 23.", hour)
        .examples(&[("=HOUR(0.75)", "18"), ("=HOUR(\"6:30 PM\")", "18")]),
    Function::scalar("MINUTE", "time", "The minute, 0 to 59.", minute)
        .examples(&[("=MINUTE(\"6:30\")", "30")]),
    Function::scalar("SECOND", "time", "The second, 0 to 59.", second)
        .examples(&[("=SECOND(\"6:30:15\")", "15")]),
];

const DAY_SECONDS: i64 = 86_400;

fn now(context: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::number(displayed_serial(serial_from_unix_ms(context.time_and_seed.time_ms))))
}

fn today(context: &mut CallContext, _: &[Value]) -> ValueResult {
    Ok(Value::number(displayed_serial(serial_from_unix_ms(context.time_and_seed.time_ms).floor())))
}

fn time(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (hour, minute, second) = (integer(&arguments[0])?, integer(&arguments[1])?, integer(&arguments[2])?);
    // As in Excel, each argument must fit 16 bits.
    if [hour, minute, second].iter().any(|part| !(-32_768..=32_767).contains(part)) {
        return Err(ErrorValue::Number);
    }
    let seconds = hour * 3600 + minute * 60 + second;
    if seconds < 0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number((seconds % DAY_SECONDS) as f64 / DAY_SECONDS as f64))
}

fn time_value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    let serial = number_in_text(&text).ok_or(ErrorValue::Value)?;
    // A leading sign does not make a time.
    let unsigned = text.trim_start_matches([' ', '-']);
    let names_time = unsigned.contains([':', '-', '/']) || text.to_ascii_lowercase().ends_with('m');
    if names_time { Ok(Value::number(serial - serial.floor())) } else { Err(ErrorValue::Value) }
}

/// Returns the seconds since midnight, rounded to integers.
fn seconds(value: &Value) -> Result<i64, ErrorValue> {
    let serial = number(value)?;
    if serial < 0.0 {
        return Err(ErrorValue::Number);
    }
    let seconds = ((serial - serial.floor()) * DAY_SECONDS as f64).round() as i64;
    Ok(seconds % DAY_SECONDS)
}

fn hour(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number((seconds(&arguments[0])? / 3600) as f64))
}

fn minute(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number((seconds(&arguments[0])? / 60 % 60) as f64))
}

fn second(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number((seconds(&arguments[0])? % 60) as f64))
}
