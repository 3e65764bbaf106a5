//! What a cell holds.

use std::fmt;
use std::sync::Arc;

use crate::long_list::LongList;

/// The errors a cell can show, with Excel's names; [`Circular`](ErrorValue::Circular) is ours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ErrorValue {
    /// Two ranges that do not meet.
    Null = 1,
    DivideByZero = 2,
    /// A value of the wrong kind.
    Value = 3,
    /// A reference to what no longer exists.
    Reference = 4,
    /// An unknown name or function, or a formula that cannot be read.
    Name = 5,
    /// No number can be given: out of domain, overflow, no convergence.
    Number = 6,
    NotAvailable = 7,
    /// An array has no room to spill into.
    Spill = 8,
    /// The calculation went beyond its budget, or cannot give a value.
    Calculation = 9,
    /// The cell depends on itself. Excel warns and shows 0; we show the error.
    Circular = 10,
}

impl ErrorValue {
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

    /// As shown in a cell and written in a formula: `#DIV/0!`.
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

    /// Reads `#DIV/0!` and its like, letters of either case.
    pub fn parse(text: &str) -> Option<ErrorValue> {
        ErrorValue::ALL.into_iter().find(|error| error.text().eq_ignore_ascii_case(text))
    }

    /// The number that stands for the error in bytes; see [`ErrorValue::from_code`].
    pub const fn code(self) -> u8 {
        self as u8
    }

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
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Text(text.into())
    }

    /// A number if it is finite, otherwise `#NUM!`.
    pub fn number(number: f64) -> Value {
        match canonical_number(number) {
            Some(number) => Value::Number(number),
            None => Value::Error(ErrorValue::Number),
        }
    }

    pub fn is_blank(&self) -> bool {
        matches!(self, Value::Blank)
    }
}

/// The one form in which a number is kept: finite, zero without a sign. `None` for infinities and NaN.
pub fn canonical_number(number: f64) -> Option<f64> {
    number.is_finite().then_some(number + 0.0)
}

/// Same kind and same bits; not the loose equality of the `=` operator in formulas.
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

/// A rectangle of values, row by row; at least one row and one column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    rows: u32,
    columns: u32,
    values: LongList<Value>,
}

impl Array {
    /// `None` when empty or when `values` does not hold `rows` × `columns` values.
    pub fn new(rows: u32, columns: u32, values: impl Into<LongList<Value>>) -> Option<Array> {
        let values = values.into();
        let fits = rows > 0 && columns > 0 && values.len() as u64 == u64::from(rows) * u64::from(columns);
        fits.then_some(Array { rows, columns, values })
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Row by row.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    pub fn into_values(self) -> Vec<Value> {
        self.values.into_vec()
    }

    /// Zero-based; `None` outside the array.
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
    fn numbers_have_one_form() {
        assert_eq!(Value::number(-0.0), Value::Number(0.0));
        assert_eq!(Value::number(f64::INFINITY), Value::Error(ErrorValue::Number));
        assert_eq!(Value::number(f64::NAN), Value::Error(ErrorValue::Number));
    }

    #[test]
    fn errors_read_and_write_their_names_and_codes() {
        for error in ErrorValue::ALL {
            assert_eq!(ErrorValue::parse(&error.text().to_lowercase()), Some(error));
            assert_eq!(ErrorValue::from_code(error.code()), Some(error));
        }
        assert_eq!(ErrorValue::parse("#WHAT!"), None);
    }
}
