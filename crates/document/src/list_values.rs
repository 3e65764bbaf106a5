//! Values of dropdown lists: which are equal, and several of them in one cell.

use std::ops::Range;

use quadrille_cell::Value;

/// Choices in one cell; a value with more of them is not valid.
pub(crate) const SELECTED_CHOICES_MAX: usize = 1_000;

/// A list value; equal ones match.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListValue {
    Text(String),
    Number(u64),
    Boolean(bool),
}

impl ListValue {
    pub(crate) fn new(value: &Value) -> Option<ListValue> {
        match value {
            Value::Text(text) => Some(ListValue::Text(text.to_lowercase())),
            Value::Number(number) => Some(ListValue::Number(number.to_bits())),
            Value::Boolean(boolean) => Some(ListValue::Boolean(*boolean)),
            Value::Blank | Value::Error(_) => None,
        }
    }
}

/// Returns the choices in a text such as `A, B`, without the spaces around them.
pub(crate) fn selected_choices(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut choices = Vec::new();
    for part in text.split(',') {
        let trimmed = part.trim();
        if !trimmed.is_empty() {
            let from = start + part.len() - part.trim_start().len();
            choices.push(from..from + trimmed.len());
        }
        start += part.len() + 1;
    }
    choices
}
