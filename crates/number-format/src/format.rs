//! [`NumberFormat`]: a parsed format code, and the choice of the section that applies to a value.
//!
//! Format codes are those of ECMA-376 part 1, 18.8.31 (numFmts).

mod color;
mod date;
mod fraction;
mod kind;
mod literal;
mod number;
mod section;
mod tokens;

use quadrille_cell::{DateSystem, Value};

use crate::general::{GENERAL_WIDTH, general_in};
use crate::locale::Locale;
use crate::rounded_decimal::Decimal;
pub use kind::NumberFormatKind;
use section::{Body, Condition, Section};

/// The text of a formatted value and the color that the format sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Formatted {
    pub text: String,
    /// `0xRRGGBB`, if the section names a color.
    pub color: Option<u32>,
}

/// A parsed number format code.
#[derive(Clone, Debug)]
pub struct NumberFormat {
    /// The one to three sections for numbers.
    sections: Vec<Section>,
    /// The section for text.
    text: Option<Section>,
    is_valid: bool,
    date: Option<LocaleDate>,
    dates: DateSystem,
}

/// Dates of Excel that follow the locale of the reader: the formats 14 to 17 and 22 (ECMA-376 part 1,
/// 18.8.30).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LocaleDate {
    Short,
    ShortWithTime,
    DayMonthYear,
    DayMonth,
    MonthYear,
}

impl LocaleDate {
    fn of(code: &str) -> Option<LocaleDate> {
        match code {
            "m/d/yyyy" => Some(LocaleDate::Short),
            "m/d/yyyy h:mm" => Some(LocaleDate::ShortWithTime),
            "d-mmm-yy" => Some(LocaleDate::DayMonthYear),
            "d-mmm" => Some(LocaleDate::DayMonth),
            "mmm-yy" => Some(LocaleDate::MonthYear),
            _ => None,
        }
    }

    /// The format code for the readers of a locale.
    fn code(self, locale: Locale) -> String {
        let [day_month_year, day_month, month_year] = locale.medium_dates();
        match self {
            LocaleDate::Short => locale.short_date().to_owned(),
            LocaleDate::ShortWithTime => format!("{} h:mm", locale.short_date()),
            LocaleDate::DayMonthYear => day_month_year.to_owned(),
            LocaleDate::DayMonth => day_month.to_owned(),
            LocaleDate::MonthYear => month_year.to_owned(),
        }
    }
}

/// Result for values that the format cannot represent: a date before 1900 or after 9999, or a
/// number that no section applies to. Excel fills the cell with `#`.
const NOT_REPRESENTABLE: &str = "########";

impl NumberFormat {
    /// Parses a format code. Never fails: an invalid code formats values as General does, and
    /// [`is_valid`](NumberFormat::is_valid) returns `false`.
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
            // The code `@` alone also formats numbers, as General.
            sections.push(text.clone().unwrap_or_else(Section::general));
        }
        let (date, dates) = (LocaleDate::of(code), DateSystem::default());
        Some(NumberFormat { sections, text, is_valid: true, date, dates })
    }

    fn general() -> NumberFormat {
        NumberFormat {
            sections: vec![Section::general()],
            text: None,
            is_valid: true,
            date: None,
            dates: DateSystem::default(),
        }
    }

    /// Returns this format for serial numbers of the given date system. The default is the 1900
    /// date system.
    pub fn with_date_system(self, dates: DateSystem) -> NumberFormat {
        NumberFormat { dates, ..self }
    }

    /// Whether the format code was valid.
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Whether a section formats numbers as dates or times.
    pub fn is_date(&self) -> bool {
        self.sections.iter().any(|section| matches!(section.body, Body::Date(_)))
    }

    /// Whether a section shows a day, month or year, as opposed to a time only.
    pub fn shows_day(&self) -> bool {
        let has_day =
            |section: &Section| matches!(&section.body, Body::Date(pieces) if date::shows_day(pieces));
        self.sections.iter().any(has_day)
    }

    /// Formats a value in the invariant locale, English (United States). Values that the format
    /// cannot represent become `########`.
    pub fn format(&self, value: &Value) -> Formatted {
        self.format_in(value, Locale::INVARIANT)
    }

    /// Formats a value with the separators, names and date order of `locale`. A locale in the code
    /// (`[$-407]`) takes precedence for the names of months and weekdays.
    pub fn format_in(&self, value: &Value, locale: Locale) -> Formatted {
        self.try_format_in(value, locale)
            .unwrap_or_else(|| Formatted { text: NOT_REPRESENTABLE.to_owned(), color: None })
    }

    /// As [`format`](NumberFormat::format), but returns `None` for values that the format cannot
    /// represent, for which TEXT returns `#VALUE!`.
    pub fn try_format(&self, value: &Value) -> Option<Formatted> {
        self.try_format_in(value, Locale::INVARIANT)
    }

    fn try_format_in(&self, value: &Value, locale: Locale) -> Option<Formatted> {
        if let Some(date) = self.date.filter(|_| locale != Locale::INVARIANT) {
            let code = date.code(locale);
            // English (GB) has a code that is in the list itself.
            let format = NumberFormat { date: None, ..NumberFormat::parse(&code) };
            return format.with_date_system(self.dates).try_format_in(value, locale);
        }
        let plain = |text: String| Some(Formatted { text, color: None });
        match value {
            Value::Blank => plain(String::new()),
            Value::Boolean(boolean) => plain(if *boolean { "TRUE" } else { "FALSE" }.to_owned()),
            Value::Error(error) => plain(error.text().to_owned()),
            Value::Text(text) => match &self.text {
                Some(section) => Some(Formatted { text: section.format_text(text), color: section.color }),
                None => plain(text.to_string()),
            },
            Value::Number(number) => {
                let (section, shows_minus) = self.section_for(*number)?;
                let text = format_number(section, *number, shows_minus, locale, self.dates)?;
                Some(Formatted { text, color: section.color })
            }
        }
    }

    /// Returns the section for a number, and whether it shows the minus sign of negative numbers.
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
                // Without a condition the last section applies to all remaining numbers, the second
                // to negative ones.
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

fn format_number(
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
            // The 1904 date system has negative dates and times: the magnitude with a minus sign.
            let serial = if dates == DateSystem::From1904 { magnitude } else { number };
            date::format(pieces, serial, dates, locale, section.locale.unwrap_or(locale))?
        }
        Body::Text(pieces) if pieces.is_empty() => return Some(String::new()),
        Body::Text(pieces) => {
            section::format_text_pieces(pieces, &general_in(magnitude, Some(GENERAL_WIDTH), locale))
        }
        Body::Number(layout) => {
            let decimal = Decimal::new(magnitude);
            has_minus &= !number::rounds_to_zero(layout, &decimal);
            number::format(layout, &decimal, locale)
        }
        Body::Fraction(layout) => fraction::format(layout, magnitude),
    };
    Some(if has_minus { format!("-{text}") } else { text })
}
