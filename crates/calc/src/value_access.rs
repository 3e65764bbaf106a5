//! How formulas see stored values.

use quadrille_cell::Value;
use quadrille_functions::ValueRef;
use quadrille_workbook::{MixedSlice, Tag};

/// Borrows a value of a mixed block.
pub(crate) fn borrowed_value<'a>(mixed: &MixedSlice<'a>, index: usize) -> ValueRef<'a> {
    match mixed.tag(index) {
        Tag::Blank => ValueRef::Blank,
        Tag::Text => mixed.text(index).map_or(ValueRef::Blank, ValueRef::Text),
        _ => match mixed.get(index) {
            Value::Number(number) => ValueRef::Number(number),
            Value::Boolean(boolean) => ValueRef::Boolean(boolean),
            Value::Error(error) => ValueRef::Error(error),
            Value::Blank | Value::Text(_) => ValueRef::Blank,
        },
    }
}

/// Turns a blank result into zero, as a formula shows it.
pub(crate) fn blank_as_zero(value: Value) -> Value {
    match value {
        Value::Blank => Value::Number(0.0),
        other => other,
    }
}
