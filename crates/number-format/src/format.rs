//! A parsed format code.

use quadrille_cell::Value;

use crate::general::{GENERAL_WIDTH, general};

/// What a cell shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Formatted {
    pub text: String,
    /// `0xRRGGBB`, where the format names a colour.
    pub color: Option<u32>,
}

/// A code in Excel's format language.
#[derive(Clone, Debug)]
pub struct NumberFormat {
    is_valid: bool,
}

impl NumberFormat {
    /// Never fails: a code that cannot be read shows values as General does and says so by `is_valid`.
    pub fn parse(code: &str) -> NumberFormat {
        NumberFormat { is_valid: code.is_empty() || code.eq_ignore_ascii_case("general") }
    }

    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Shows dates or times of day.
    pub fn is_date(&self) -> bool {
        false
    }

    pub fn format(&self, value: &Value) -> Formatted {
        let text = match value {
            Value::Blank => String::new(),
            Value::Number(number) => general(*number, Some(GENERAL_WIDTH)),
            Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
            Value::Text(text) => text.to_string(),
            Value::Error(error) => error.text().to_owned(),
        };
        Formatted { text, color: None }
    }
}
