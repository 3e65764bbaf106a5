//! Interpretation of a field of a text file as a cell (rule F4).

use quadrille_cell::{Value, canonical_number};
use quadrille_number_format::{InputContext, Locale, parse_input_with};

use crate::contents::{Contents, FormulaSource};
use crate::error::FileError;
use crate::limits::FORMULA_LENGTH_MAX;

/// Converts the fields of a text file to cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldParser {
    /// Whether fields that start with `=` become formulas, even in quotes: a formula with a comma
    /// must be quoted.
    pub formulas: bool,
    /// How numbers, dates and truth values are written. Formulas are in the notation of stored ones.
    pub typing: InputContext,
}

impl FieldParser {
    /// Sets a cell as if `text` had been typed, but without loss: a text with a leading apostrophe
    /// keeps it, and a number with leading zeros or more than 15 digits (postcodes, account
    /// numbers) remains text. Returns the number format that the notation implies, for example of a
    /// date.
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
        let has_point = self.typing.locale.decimal_separator() == '.';
        if let Some(number) = plain_number(text).filter(|_| has_point || !text.contains('.')) {
            contents.put(row, column, Value::Number(number))?;
            return Ok(None);
        }
        if text.starts_with('\'') || loses_digits(text) || is_surely_text(text, self.typing.locale) {
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
        let typed = parse_input_with(text, self.typing);
        match typed.value {
            Value::Text(_) | Value::Blank => contents.put_text(row, column, text)?,
            value => contents.put(row, column, value)?,
        }
        Ok(typed.number_format)
    }
}

/// Parses `12` or `-3.5`, by far the most frequent fields, without trying dates and currencies.
fn plain_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_one_notation = whole == "0" || !whole.starts_with('0');
    if !all_digits(whole) || !all_digits(fraction) || !has_one_notation || whole.len() > DIGITS_MAX {
        return None;
    }
    text.parse().ok().and_then(canonical_number)
}

/// Decimal digits that every double preserves.
const DIGITS_MAX: usize = 15;

/// Whether a whole number would be displayed with other digits than the file has.
fn loses_digits(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && (digits.len() > DIGITS_MAX || digits.len() > 1 && digits.starts_with('0'))
}

/// A quick test for long words: every number, date, boolean and error is short or contains a digit.
fn is_surely_text(text: &str, locale: Locale) -> bool {
    // FALSE, and VERDADERO.
    let word_length_max = if locale == Locale::INVARIANT { 5 } else { 9 };
    let first = text.as_bytes().first().copied().unwrap_or_default();
    text.len() > 64
        || first.is_ascii_alphabetic()
            && text.len() > word_length_max
            && !text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_those_with_a_single_notation() {
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
