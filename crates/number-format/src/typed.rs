//! What typing a text into a cell means.

use quadrille_cell::{ErrorValue, Value};

/// A typed text's value, and the format that shows it the way it was typed.
#[derive(Clone, PartialEq, Debug)]
pub struct TypedInput {
    pub value: Value,
    /// `None`: whatever the cell has.
    pub number_format: Option<&'static str>,
}

/// Reads numbers, truth values and error names; a leading apostrophe makes text of anything.
pub fn read_typed(text: &str) -> TypedInput {
    let plain = |value| TypedInput { value, number_format: None };
    if text.is_empty() {
        return plain(Value::Blank);
    }
    if let Some(literally) = text.strip_prefix('\'') {
        return plain(Value::text(literally));
    }
    let trimmed = text.trim();
    if trimmed.eq_ignore_ascii_case("true") || trimmed.eq_ignore_ascii_case("false") {
        return plain(Value::Boolean(trimmed.eq_ignore_ascii_case("true")));
    }
    if let Some(error) = ErrorValue::parse(trimmed) {
        return plain(Value::Error(error));
    }
    let starts_as_number = trimmed.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    match trimmed.parse::<f64>() {
        Ok(number) if starts_as_number && number.is_finite() => plain(Value::number(number)),
        _ => plain(Value::text(text)),
    }
}
