//! What typing a text into a cell means.

mod date;
mod number;
mod typing;

pub use typing::Typing;

use quadrille_cell::{ErrorValue, Value};

/// A typed text's value, and the format that shows it the way it was typed.
#[derive(Clone, PartialEq, Debug)]
pub struct TypedInput {
    pub value: Value,
    /// `None`: whatever the cell has.
    pub number_format: Option<&'static str>,
}

/// No number or date that a person types is longer; longer texts are not looked at.
const LENGTH_MAX: usize = 64;

/// Reads numbers (`1,234.5`, `12%`, `$5`, `(3)`, `1e3`, `1 1/2`), dates (`2024-05-01`, `5/1/2024`, `1-May-24`, `May 1, 2024`),
/// times (`13:30`, `1:30 PM`), both together, truth values and error names. A leading apostrophe makes text of
/// anything, as does everything that is none of these.
///
/// As texts are read that everyone must read alike: in files, in formulas, and where no one types.
pub fn read_typed(text: &str) -> TypedInput {
    read_typed_in(text, Typing::default())
}

/// As [`read_typed`] with the separators, the order of dates, the names of months and the currency of someone's place:
/// in German `1.234,5`, `1.5.2024`, `1. Mai`, `5 €`. ISO dates and English names of months are read everywhere, and by a person
/// who types (where the day is known) amounts with common signs of money from elsewhere: `€5`, `£3`, `100 ¥`.
pub fn read_typed_in(text: &str, typing: Typing) -> TypedInput {
    let plain = |value| TypedInput { value, number_format: None };
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
        number::read(trimmed, typing).or_else(|| date::read(trimmed, typing))
    {
        return TypedInput { value: Value::number(number), number_format };
    }
    match trimmed.as_bytes()[0] {
        b't' | b'T' if trimmed.eq_ignore_ascii_case("true") => plain(Value::Boolean(true)),
        b'f' | b'F' if trimmed.eq_ignore_ascii_case("false") => plain(Value::Boolean(false)),
        b'#' => plain(ErrorValue::parse(trimmed).map_or_else(|| Value::text(text), Value::Error)),
        _ => plain(Value::text(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: impl Into<Value>, number_format: Option<&'static str>) {
        let read = read_typed(text);
        let wanted = value.into();
        let same = match (&read.value, &wanted) {
            (Value::Number(a), Value::Number(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        assert!(same && read.number_format == number_format, "{text:?} reads as {read:?}, not {wanted:?}");
    }

    #[test]
    fn numbers_take_the_format_they_were_typed_in() {
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
    fn other_replies_match_their_description() {
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
