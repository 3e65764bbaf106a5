//! Parsing of cell input: converts typed text to a value and a number format.

mod date;
mod input_context;
mod number;

pub use input_context::InputContext;

use quadrille_cell::{ErrorValue, Value};

use crate::locale::Locale;

/// The value of typed text, and the number format that displays it as it was typed.
#[derive(Clone, PartialEq, Debug)]
pub struct ParsedInput {
    pub value: Value,
    /// `None` leaves the format of the cell unchanged.
    pub number_format: Option<&'static str>,
}

/// Longer input is text without further parsing, in bytes.
const LENGTH_MAX: usize = 64;

/// Parses text in the invariant locale, as in files and formulas, where the result must not depend
/// on the user.
///
/// Recognizes numbers (`1,234.5`, `12%`, `$5`, `(3)`, `1e3`, `1 1/2`), dates (`2024-05-01`,
/// `5/1/2024`, `1-May-24`, `May 1, 2024`), times (`13:30`, `1:30 PM`), dates with times, Booleans
/// and error values. Everything else, and anything after a leading apostrophe, is text.
pub fn parse_input(text: &str) -> ParsedInput {
    parse_input_with(text, InputContext::default())
}

/// As [`parse_input`], with the separators, date order, month names and currency of a locale: in
/// German `1.234,5`, `1.5.2024`, `1. Mai`, `5 €`, `WAHR`.
///
/// ISO dates and English names of months, truth values and errors are recognized in every locale. Amounts in common foreign
/// currencies (`€5`, `£3`, `100 ¥`) are recognized when `context.today` is set, that is, for input
/// by a user.
pub fn parse_input_with(text: &str, context: InputContext) -> ParsedInput {
    let plain = |value| ParsedInput { value, number_format: None };
    if text.is_empty() {
        return plain(Value::Blank);
    }
    if let Some(literally) = text.strip_prefix('\'') {
        return plain(Value::text(literally));
    }
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.len() > LENGTH_MAX {
        return plain(Value::text(text));
    }
    if let Some((number, number_format)) =
        number::read(trimmed, context).or_else(|| date::read(trimmed, context))
    {
        return ParsedInput { value: Value::number(number), number_format };
    }
    plain(constant(trimmed, context.locale).unwrap_or_else(|| Value::text(text)))
}

/// The truth value or error value that a text is, in the language of the locale or in English.
fn constant(text: &str, locale: Locale) -> Option<Value> {
    if text.starts_with('#') {
        let local = locale.errors().iter().find(|(local, _)| local.to_lowercase() == text.to_lowercase());
        return local.map(|(_, error)| *error).or_else(|| ErrorValue::parse(text)).map(Value::Error);
    }
    for [no, yes] in [locale.truth_values(), Locale::INVARIANT.truth_values()] {
        if text.eq_ignore_ascii_case(yes) {
            return Some(Value::Boolean(true));
        } else if text.eq_ignore_ascii_case(no) {
            return Some(Value::Boolean(false));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: impl Into<Value>, number_format: Option<&'static str>) {
        let read = parse_input(text);
        let expected = value.into();
        let same = match (&read.value, &expected) {
            (Value::Number(a), Value::Number(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        assert!(same && read.number_format == number_format, "{text:?} reads as {read:?}, not {expected:?}");
    }

    #[test]
    fn numbers_get_the_format_of_their_notation() {
        check("12", 12.0, None);
        check(" -1.5 ", -1.5, None);
        check("+.5", 0.5, None);
        check("5.", 5.0, None);
        check("1,234", 1234.0, Some("#,##0"));
        check("1,234,567.5", 1_234_567.5, Some("#,##0.00"));
        check("12%", 0.12, Some("0%"));
        check("12.5%", 0.125, Some("0.00%"));
        check("$5", 5.0, Some("$#,##0"));
        check("-$1,234.50", -1234.5, Some("$#,##0.00"));
        check("$-5", -5.0, Some("$#,##0"));
        check("($5)", -5.0, Some("$#,##0"));
        check("(3)", -3.0, None);
        check("1e3", 1000.0, Some("0.00E+00"));
        check("1.5E-3", 0.0015, Some("0.00E+00"));
        check("1 1/2", 1.5, Some("# ?/?"));
        check("0 3/16", 0.1875, Some("# ??/??"));
    }

    #[test]
    fn dates_and_times_become_serial_numbers() {
        check("2024-05-01", 45_413.0, Some("yyyy-mm-dd"));
        check("2024/5/1", 45_413.0, Some("yyyy-mm-dd"));
        check("5/1/2024", 45_413.0, Some("m/d/yyyy"));
        check("5/1/24", 45_413.0, Some("m/d/yyyy"));
        check("5-1-2024", 45_413.0, Some("m/d/yyyy"));
        check("1-May-24", 45_413.0, Some("d-mmm-yy"));
        check("1 May 2024", 45_413.0, Some("d-mmm-yy"));
        check("May 1, 2024", 45_413.0, Some("d-mmm-yy"));
        check("september 1 1930", 11_202.0, Some("d-mmm-yy"));
        check("May 2024", 45_413.0, Some("mmm-yy"));
        check("1/1/29", 47_119.0, Some("m/d/yyyy"));
        check("1/1/30", 10_959.0, Some("m/d/yyyy"));
        check("13:30", 0.5625, Some("h:mm"));
        check("1:30 PM", 0.5625, Some("h:mm AM/PM"));
        check("1:30:30 pm", 0.562_847_222_2, Some("h:mm:ss AM/PM"));
        check("5 PM", 17.0 / 24.0, Some("h:mm AM/PM"));
        check("12 am", 0.0, Some("h:mm AM/PM"));
        check("27:30", 1.145_833_333_3, Some("[h]:mm:ss"));
        check("0:00:01.5", 1.5 / 86_400.0, Some("mm:ss.0"));
        check("2024-05-01 13:30", 45_413.562_5, Some("yyyy-mm-dd h:mm"));
        check("2024-05-01T13:30:00Z", 45_413.562_5, Some("yyyy-mm-dd h:mm"));
        check("5/1/2024 1:30 PM", 45_413.562_5, Some("m/d/yyyy h:mm"));
    }

    #[test]
    fn booleans_errors_and_text_are_recognized() {
        check("TRUE", true, None);
        check("false", false, None);
        check("#n/a", ErrorValue::NotAvailable, None);
        check("'12", "12", None);
        check("", Value::Blank, None);
        for text in [
            "abc",
            "1,23",
            "1,2345",
            "12,34,567",
            "1.2.3",
            "--5",
            "5-",
            "e5",
            "1e",
            "inf",
            "nan",
            "0x10",
            "%",
            "$",
            "1 2",
            "2024-13-01",
            "2024-02-30",
            "2/30/2024",
            "13/13/2024",
            "1/2",
            "May 1",
            "25:61",
            "1:30 XM",
            "13:30 PM",
            "1/0/2024",
            "10000-01-01",
            "1899-12-31",
            "(5",
            "5)",
            "(-5)",
            "1 1/0",
            "12%%",
            "1_000",
            "٣",
            "1.5 1/2",
            " ",
            "MAR1",
            "1e999",
        ] {
            check(text, text, None);
        }
    }
}
