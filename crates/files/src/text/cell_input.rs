//! What a field of a text file means as a cell.

use quadrille_cell::{Value, canonical_number};
use quadrille_number_format::read_typed;

use crate::contents::{Contents, FormulaSource};
use crate::error::FileError;
use crate::limits::FORMULA_LENGTH_MAX;

/// How the fields of a file become cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typing {
    /// Fields that start with `=` become formulas, in quotes too: one with a comma cannot be written otherwise.
    pub formulas: bool,
}

impl Typing {
    /// Puts `text` into the cell as if it had been typed there, except that nothing is lost: what starts with an
    /// apostrophe keeps it, and what has leading zeros or more digits than a number holds (postcodes, account
    /// numbers) stays text. Returns the number format that the spelling suggests.
    pub fn put(
        self,
        contents: &mut Contents,
        row: u32,
        column: u32,
        text: &str,
    ) -> Result<Option<&'static str>, FileError> {
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(number) = plain_number(text) {
            contents.put(row, column, Value::Number(number))?;
            return Ok(None);
        }
        if text.starts_with('\'') || loses_digits(text) || cannot_be_typed(text) {
            contents.put_text(row, column, text)?;
            return Ok(None);
        }
        if let Some(formula) = text.strip_prefix('=') {
            if self.formulas && !formula.is_empty() && formula.len() <= FORMULA_LENGTH_MAX {
                contents.put_formula(row, column, FormulaSource::Text(formula.into()))?;
            } else {
                contents.put_text(row, column, text)?;
            }
            return Ok(None);
        }
        let typed = read_typed(text);
        match typed.value {
            Value::Text(_) | Value::Blank => contents.put_text(row, column, text)?,
            value => contents.put(row, column, value)?,
        }
        Ok(typed.number_format)
    }
}

/// `12`, `-3.5`: by far the most frequent fields, read without asking for dates and currencies.
fn plain_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_one_spelling = whole == "0" || !whole.starts_with('0');
    if !all_digits(whole) || !all_digits(fraction) || !has_one_spelling || whole.len() > DIGITS_MAX {
        return None;
    }
    text.parse().ok().and_then(canonical_number)
}

/// A number keeps 15 decimal digits in any case.
const DIGITS_MAX: usize = 15;

/// Whole numbers that would not come back as they were written.
fn loses_digits(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && (digits.len() > DIGITS_MAX || digits.len() > 1 && digits.starts_with('0'))
}

/// Every number, date, truth value and error has a digit or is short; long words need no closer look.
fn cannot_be_typed(text: &str) -> bool {
    let first = text.as_bytes().first().copied().unwrap_or_default();
    text.len() > 64
        || first.is_ascii_alphabetic() && text.len() > 5 && !text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_have_one_spelling() {
        for (text, number) in [
            ("0", Some(0.0)),
            ("-3.5", Some(-3.5)),
            ("123456789012345", Some(123_456_789_012_345.0)),
            ("-0", Some(0.0)),
            ("007", None),
            ("1234567890123456", None),
            ("1e3", None),
            (".5", None),
            ("1.", None),
            ("-", None),
        ] {
            assert_eq!(plain_number(text), number, "{text}");
        }
    }
}
