//! A parsed format code, and which of its sections a value takes.

mod color;
mod date;
mod fraction;
mod literal;
mod number;
mod section;
mod tokens;

use quadrille_cell::{DateSystem, Value};

use crate::general::{GENERAL_WIDTH, general_in};
use crate::locale::Locale;
use crate::rounded_decimal::Decimal;
use section::{Body, Condition, Section};

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
    /// For numbers: one to three.
    sections: Vec<Section>,
    /// For text.
    text: Option<Section>,
    is_valid: bool,
    short_date: ShortDate,
    dates: DateSystem,
}

/// Dates in numbers are shown as everyone writes them: the code is that of English (United States).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ShortDate {
    No,
    Alone,
    WithTime,
}

const SHORT_DATE: &str = "m/d/yyyy";
const SHORT_DATE_AND_TIME: &str = "m/d/yyyy h:mm";

/// Where Excel fills the cell with `#`: a date before 1900 or after 9999, a number that no section takes.
const NOT_SHOWABLE: &str = "########";

impl NumberFormat {
    /// Never fails: a code that cannot be read shows values as General does and says so by `is_valid`.
    pub fn parse(code: &str) -> NumberFormat {
        match NumberFormat::parse_sections(code) {
            Some(format) => format,
            None => NumberFormat { is_valid: false, ..NumberFormat::general() },
        }
    }

    fn parse_sections(code: &str) -> Option<NumberFormat> {
        if code.is_empty() {
            return Some(NumberFormat::general());
        }
        let mut sections = Vec::new();
        for code in tokens::split_sections(code) {
            sections.push(Section::parse(code)?);
        }
        if sections.len() > 4 {
            return None;
        }
        let is_for_text = sections.len() == 4 || sections.last().is_some_and(Section::is_for_text);
        let text = if is_for_text { sections.pop() } else { None };
        if sections.is_empty() {
            // A lone `@` shows numbers in General too.
            sections.push(text.clone().unwrap_or_else(Section::general));
        }
        let short_date = match code {
            SHORT_DATE => ShortDate::Alone,
            SHORT_DATE_AND_TIME => ShortDate::WithTime,
            _ => ShortDate::No,
        };
        let dates = DateSystem::default();
        Some(NumberFormat { sections, text, is_valid: true, short_date, dates })
    }

    fn general() -> NumberFormat {
        NumberFormat {
            sections: vec![Section::general()],
            text: None,
            is_valid: true,
            short_date: ShortDate::No,
            dates: DateSystem::default(),
        }
    }

    /// For the numbers of a workbook whose dates count so; without this they count from 1900.
    pub fn counting(self, dates: DateSystem) -> NumberFormat {
        NumberFormat { dates, ..self }
    }

    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Shows dates or times of day.
    pub fn is_date(&self) -> bool {
        self.sections.iter().any(|section| matches!(section.body, Body::Date(_)))
    }

    /// Shows a day, its month or its year, and not a time alone.
    pub fn shows_day(&self) -> bool {
        let of_day =
            |section: &Section| matches!(&section.body, Body::Date(pieces) if date::shows_day(pieces));
        self.sections.iter().any(of_day)
    }

    pub fn format(&self, value: &Value) -> Formatted {
        self.format_in(value, Locale::STORED)
    }

    /// What someone sees: separators, names and the order of dates are those of their place. A locale in the code
    /// (`[$-407]`) decides about names.
    pub fn format_in(&self, value: &Value, locale: Locale) -> Formatted {
        self.try_format_in(value, locale)
            .unwrap_or_else(|| Formatted { text: NOT_SHOWABLE.to_owned(), color: None })
    }

    /// `None` where Excel fills the cell with `#`, and TEXT yields `#VALUE!`.
    pub fn try_format(&self, value: &Value) -> Option<Formatted> {
        self.try_format_in(value, Locale::STORED)
    }

    fn try_format_in(&self, value: &Value, locale: Locale) -> Option<Formatted> {
        if self.short_date != ShortDate::No && locale != Locale::STORED {
            let time = if self.short_date == ShortDate::WithTime { " h:mm" } else { "" };
            return NumberFormat::parse(&format!("{}{time}", locale.short_date()))
                .counting(self.dates)
                .try_format_in(value, locale);
        }
        let plain = |text: String| Some(Formatted { text, color: None });
        match value {
            Value::Blank => plain(String::new()),
            Value::Boolean(boolean) => plain(if *boolean { "TRUE" } else { "FALSE" }.to_owned()),
            Value::Error(error) => plain(error.text().to_owned()),
            Value::Text(text) => match &self.text {
                Some(section) => Some(Formatted { text: section.show_text(text), color: section.color }),
                None => plain(text.to_string()),
            },
            Value::Number(number) => {
                let (section, shows_minus) = self.section_for(*number)?;
                let text = show_number(section, *number, shows_minus, locale, self.dates)?;
                Some(Formatted { text, color: section.color })
            }
        }
    }

    /// The section for a number, and whether a negative number shows its minus there.
    fn section_for(&self, number: f64) -> Option<(&Section, bool)> {
        let sections = &self.sections[..];
        if sections.iter().all(|section| section.condition.is_none()) {
            return Some(match sections {
                [all] => (all, true),
                [_, negative, ..] if number < 0.0 => (negative, false),
                [_, _, zero] if number == 0.0 => (zero, false),
                [positive, ..] => (positive, false),
                [] => return None,
            });
        }
        for (index, section) in sections.iter().enumerate() {
            let is_last = index + 1 == sections.len();
            let condition = match section.condition {
                Some(condition) => condition,
                // Without a condition of its own the last one takes what is left, the second the negative ones.
                None if is_last && index > 0 => return Some((section, true)),
                None if index == 0 => Condition::POSITIVE,
                None => Condition::NEGATIVE,
            };
            if condition.holds(number) {
                return Some((section, !condition.is_only_negative()));
            }
        }
        None
    }
}

fn show_number(
    section: &Section,
    number: f64,
    shows_minus: bool,
    locale: Locale,
    dates: DateSystem,
) -> Option<String> {
    let magnitude = number.abs();
    let mut has_minus = number < 0.0 && shows_minus;
    let text = match &section.body {
        Body::Date(pieces) => {
            // From 1904 there are dates and times below zero: as far above, with a minus.
            let shown = if dates == DateSystem::From1904 { magnitude } else { number };
            date::show(pieces, shown, dates, locale, section.locale.unwrap_or(locale))?
        }
        Body::Text(pieces) if pieces.is_empty() => return Some(String::new()),
        Body::Text(pieces) => {
            section::show_text_pieces(pieces, &general_in(magnitude, Some(GENERAL_WIDTH), locale))
        }
        Body::Number(layout) => {
            let decimal = Decimal::new(magnitude);
            has_minus &= !number::shows_zero(layout, &decimal);
            number::show(layout, &decimal, locale)
        }
        Body::Fraction(layout) => fraction::show(layout, magnitude),
    };
    Some(if has_minus { format!("-{text}") } else { text })
}
