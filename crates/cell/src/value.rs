//! [`Value`], [`ErrorValue`] and [`Array`]: the values of cells and formulas.

use std::fmt;
use std::sync::Arc;

use crate::deferred_drop::DeferredVec;

/// The error values of Excel, and [`Circular`](ErrorValue::Circular), which Excel does not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ErrorValue {
    /// The intersection of two ranges is empty.
    Null = 1,
    /// A division by zero, or an average of no numbers.
    DivideByZero = 2,
    /// A value has the wrong type.
    Value = 3,
    /// A reference is not valid, for example because its cells were deleted.
    Reference = 4,
    /// A name or function is unknown, or the formula has a syntax error.
    Name = 5,
    /// A number is out of the domain or too large, or an iteration does not converge.
    Number = 6,
    /// A lookup finds no match, or a value is not available.
    NotAvailable = 7,
    /// An array formula cannot spill because cells are occupied.
    Spill = 8,
    /// The calculation exceeds its budget, or has no value, such as an empty array.
    Calculation = 9,
    /// A circular reference. Excel shows a warning and 0 instead.
    Circular = 10,
}

impl ErrorValue {
    /// All error values, in the order of their codes.
    pub const ALL: [ErrorValue; 10] = [
        ErrorValue::Null,
        ErrorValue::DivideByZero,
        ErrorValue::Value,
        ErrorValue::Reference,
        ErrorValue::Name,
        ErrorValue::Number,
        ErrorValue::NotAvailable,
        ErrorValue::Spill,
        ErrorValue::Calculation,
        ErrorValue::Circular,
    ];

    /// The text of the error in cells and formulas, such as `#DIV/0!`.
    pub const fn text(self) -> &'static str {
        match self {
            ErrorValue::Null => "#NULL!",
            ErrorValue::DivideByZero => "#DIV/0!",
            ErrorValue::Value => "#VALUE!",
            ErrorValue::Reference => "#REF!",
            ErrorValue::Name => "#NAME?",
            ErrorValue::Number => "#NUM!",
            ErrorValue::NotAvailable => "#N/A",
            ErrorValue::Spill => "#SPILL!",
            ErrorValue::Calculation => "#CALC!",
            ErrorValue::Circular => "#CIRC!",
        }
    }

    /// Parses the text of an error, with letters of either case; `None` when there is no such
    /// error.
    pub fn parse(text: &str) -> Option<ErrorValue> {
        ErrorValue::ALL.into_iter().find(|error| error.text().eq_ignore_ascii_case(text))
    }

    /// The number of the error in binary encodings, from 1 on. It never changes.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The error with this [`code`](Self::code); `None` when there is no such error.
    pub fn from_code(code: u8) -> Option<ErrorValue> {
        ErrorValue::ALL.into_iter().find(|error| error.code() == code)
    }
}

impl fmt::Display for ErrorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The value of one cell. Numbers are finite and never `-0.0`; see [`canonical_number`].
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Blank,
    Number(f64),
    Boolean(bool),
    Text(Arc<str>),
    Error(ErrorValue),
}

impl Value {
    /// A text value.
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Text(text.into())
    }

    /// A number value; `#NUM!` when the number is infinite or NaN. Negative zero becomes zero.
    pub fn number(number: f64) -> Value {
        match canonical_number(number) {
            Some(number) => Value::Number(number),
            None => Value::Error(ErrorValue::Number),
        }
    }

    /// Returns `true` for the value of an empty cell.
    pub fn is_blank(&self) -> bool {
        matches!(self, Value::Blank)
    }
}

/// The number with negative zero replaced by zero; `None` when it is infinite or NaN.
pub fn canonical_number(number: f64) -> Option<f64> {
    number.is_finite().then_some(number + 0.0)
}

/// Equality of type and bits, unlike the `=` operator of formulas, which ignores case.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Blank, Value::Blank) => true,
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Error(a), Value::Error(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Blank => {}
            Value::Number(number) => number.to_bits().hash(state),
            Value::Boolean(boolean) => boolean.hash(state),
            Value::Text(text) => text.hash(state),
            Value::Error(error) => error.hash(state),
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::number(number)
    }
}

impl From<bool> for Value {
    fn from(boolean: bool) -> Value {
        Value::Boolean(boolean)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text)
    }
}

impl From<ErrorValue> for Value {
    fn from(error: ErrorValue) -> Value {
        Value::Error(error)
    }
}

/// A rectangle of values with at least one row and one column, stored in row order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    rows: u32,
    columns: u32,
    values: DeferredVec<Value>,
}

impl Array {
    /// An array of `values` in row order; `None` when it would be empty or when there are not
    /// exactly `rows` × `columns` values.
    pub fn new(rows: u32, columns: u32, values: impl Into<DeferredVec<Value>>) -> Option<Array> {
        let values = values.into();
        let fits = rows > 0 && columns > 0 && values.len() as u64 == u64::from(rows) * u64::from(columns);
        fits.then_some(Array { rows, columns, values })
    }

    /// Number of rows; at least 1.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Number of columns; at least 1.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The values in row order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values in row order, without a copy.
    pub fn into_values(self) -> Vec<Value> {
        self.values.into_vec()
    }

    /// The value at zero-based indices; `None` outside the array.
    pub fn get(&self, row: u32, column: u32) -> Option<&Value> {
        if row >= self.rows || column >= self.columns {
            return None;
        }
        self.values.get(row as usize * self.columns as usize + column as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_zero_has_no_sign() {
        assert_eq!(Value::number(-0.0), Value::Number(0.0));
        assert_eq!(Value::number(f64::INFINITY), Value::Error(ErrorValue::Number));
        assert_eq!(Value::number(f64::NAN), Value::Error(ErrorValue::Number));
    }

    #[test]
    fn texts_and_codes_of_errors_round_trip() {
        for error in ErrorValue::ALL {
            assert_eq!(ErrorValue::parse(&error.text().to_lowercase()), Some(error));
            assert_eq!(ErrorValue::from_code(error.code()), Some(error));
        }
        assert_eq!(ErrorValue::parse("#WHAT!"), None);
    }
}
