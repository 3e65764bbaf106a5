//! Excel's rules for a value of one type where another is wanted.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::{TypedInput, Typing, general, read_typed_in};

use crate::date_system::date_system;

/// Characters a cell can hold; longer results are `#VALUE!`.
pub const TEXT_LENGTH_MAX: usize = 32_767;

/// A number where one is wanted: blank is 0, TRUE is 1, text is read as if typed (`"12%"`, `"2024-05-01"`).
pub fn number(value: &Value) -> Result<f64, ErrorValue> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Blank => Ok(0.0),
        Value::Boolean(boolean) => Ok(f64::from(u8::from(*boolean))),
        Value::Text(text) => number_in_text(text).ok_or(ErrorValue::Value),
        Value::Error(error) => Err(*error),
    }
}

/// What typing the text into the workbook would give.
pub(crate) fn read_typed(text: &str) -> TypedInput {
    read_typed_in(text, Typing::stored(date_system()))
}

/// The number, date, time or percentage that typing the text into a cell would give. Spaces may stand around a number, but
/// not around a date, as in Excel.
pub(crate) fn number_in_text(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(' ');
    match read_typed(trimmed).value {
        Value::Number(_) if trimmed.len() != text.len() && is_written_as_date(trimmed) => None,
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// Two signs between digits: `2024-01-10`, `1/10/2024`. What else reads as a number has at most one, before its exponent.
fn is_written_as_date(text: &str) -> bool {
    let digits_after = |sign: char| text.match_indices(sign).filter(|(at, _)| *at > 0).count();
    digits_after('-') == 2 || digits_after('/') == 2
}

/// A truth value where one is wanted: numbers other than 0 are TRUE, `"true"` is TRUE.
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

/// Text where it is wanted: numbers in General with up to 15 digits.
pub fn text(value: &Value) -> Result<Arc<str>, ErrorValue> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Blank => Ok("".into()),
        Value::Number(number) => Ok(general(*number, None).into()),
        Value::Boolean(boolean) => Ok(if *boolean { "TRUE" } else { "FALSE" }.into()),
        Value::Error(error) => Err(*error),
    }
}

/// A text result, unless it is longer than a cell can hold.
pub fn text_value(text: String) -> Result<Value, ErrorValue> {
    // A byte is at least as short as a character, so most texts need no counting.
    if text.len() > TEXT_LENGTH_MAX && text.encode_utf16().count() > TEXT_LENGTH_MAX {
        return Err(ErrorValue::Value);
    }
    Ok(Value::Text(text.into()))
}

/// A number cut to an integer towards minus infinity no less, as most integer arguments are: towards zero.
pub(crate) fn integer(value: &Value) -> Result<i64, ErrorValue> {
    let number = number(value)?.trunc();
    // Beyond ±2^53 a double no longer counts in ones, and no argument means so much.
    if number.abs() > 9_007_199_254_740_992.0 {
        return Err(ErrorValue::Number);
    }
    Ok(number as i64)
}
