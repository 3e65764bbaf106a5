//! Excel's implicit conversions between value types.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::{InputContext, ParsedInput, general, parse_input_with};

use crate::date_system::date_system;

/// Maximum length of text in a cell in UTF-16 code units, as in Excel. Longer results are
/// `#VALUE!`.
pub const TEXT_LENGTH_MAX: usize = 32_767;

/// Converts a value to a number: blank is 0, TRUE is 1, text is parsed as cell input (`"12%"`,
/// `"2024-05-01"`).
///
/// Fails with `#VALUE!` for other text, and with the value itself if it is an error.
pub fn number(value: &Value) -> Result<f64, ErrorValue> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Blank => Ok(0.0),
        Value::Boolean(boolean) => Ok(f64::from(u8::from(*boolean))),
        Value::Text(text) => number_in_text(text).ok_or(ErrorValue::Value),
        Value::Error(error) => Err(*error),
    }
}

/// Parses text as cell input in the invariant locale and the workbook's date system.
pub(crate) fn parse_input(text: &str) -> ParsedInput {
    parse_input_with(text, InputContext::invariant(date_system()))
}

/// Parses text as a number, date, time or percentage. Spaces around a number are allowed, around a
/// date they are not, as in Excel.
pub(crate) fn number_in_text(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(' ');
    match parse_input(trimmed).value {
        Value::Number(_) if trimmed.len() != text.len() && is_written_as_date(trimmed) => None,
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// Whether a number is written as a date, that is, with two separators: `2024-01-10`, `1/10/2024`.
/// Other numbers have at most one sign, that of the exponent.
fn is_written_as_date(text: &str) -> bool {
    let digits_after = |sign: char| text.match_indices(sign).filter(|(at, _)| *at > 0).count();
    digits_after('-') == 2 || digits_after('/') == 2
}

/// Converts a value to a Boolean: numbers other than 0 are TRUE, as is the text `"true"`; blank is
/// FALSE.
///
/// Fails with `#VALUE!` for other text, and with the value itself if it is an error.
pub fn boolean(value: &Value) -> Result<bool, ErrorValue> {
    match value {
        Value::Boolean(boolean) => Ok(*boolean),
        Value::Number(number) => Ok(*number != 0.0),
        Value::Blank => Ok(false),
        Value::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Value::Text(_) => Err(ErrorValue::Value),
        Value::Error(error) => Err(*error),
    }
}

/// Converts a value to text: numbers in the format General with up to 15 digits, Booleans as `TRUE`
/// and `FALSE`, blank as empty text.
///
/// Fails with the value itself if it is an error.
pub fn text(value: &Value) -> Result<Arc<str>, ErrorValue> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Blank => Ok("".into()),
        Value::Number(number) => Ok(general(*number, None).into()),
        Value::Boolean(boolean) => Ok(if *boolean { "TRUE" } else { "FALSE" }.into()),
        Value::Error(error) => Err(*error),
    }
}

/// Returns a text result. Fails with `#VALUE!` when it is longer than [`TEXT_LENGTH_MAX`].
pub fn text_value(text: String) -> Result<Value, ErrorValue> {
    // A text has at least as many bytes as code units, so most texts need no counting.
    if text.len() > TEXT_LENGTH_MAX && text.encode_utf16().count() > TEXT_LENGTH_MAX {
        return Err(ErrorValue::Value);
    }
    Ok(Value::Text(text.into()))
}

/// Converts a value to a number and truncates it toward zero, as for most integer arguments.
///
/// Fails with `#NUM!` beyond ±2^53, and as [`number`] does.
pub(crate) fn integer(value: &Value) -> Result<i64, ErrorValue> {
    let number = number(value)?.trunc();
    // Beyond ±2^53 doubles do not represent all integers.
    if number.abs() > 9_007_199_254_740_992.0 {
        return Err(ErrorValue::Number);
    }
    Ok(number as i64)
}
