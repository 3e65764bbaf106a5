//! A parsed format code, and which of its sections a value takes.

mod color;
mod date;
mod fraction;
mod number;
mod section;
mod tokens;

use quadrille_cell::Value;

use crate::decimal::Decimal;
use crate::general::{GENERAL_WIDTH, general};
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
}

/// Where Excel fills the cell with `#`: a date before 1900 or after 9999, a number that no section takes.
const NOT_SHOWABLE: &str = "########";

impl NumberFormat {
    /// Never fails: a code that cannot be read shows values as General does and says so by `is_valid`.
    pub fn parse(code: &str) -> NumberFormat {
        match NumberFormat::parse_sections(code) {
            Some(format) => format,
            None => NumberFormat { sections: vec![Section::general()], text: None, is_valid: false },
        }
    }

    fn parse_sections(code: &str) -> Option<NumberFormat> {
        if code.is_empty() {
            return Some(NumberFormat { sections: vec![Section::general()], text: None, is_valid: true });
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
        Some(NumberFormat { sections, text, is_valid: true })
    }

    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Shows dates or times of day.
    pub fn is_date(&self) -> bool {
        self.sections.iter().any(|section| matches!(section.body, Body::Date(_)))
    }

    pub fn format(&self, value: &Value) -> Formatted {
        self.try_format(value).unwrap_or_else(|| Formatted { text: NOT_SHOWABLE.to_owned(), color: None })
    }

    /// `None` where Excel fills the cell with `#`, and TEXT yields `#VALUE!`.
    pub fn try_format(&self, value: &Value) -> Option<Formatted> {
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
                let text = show_number(section, *number, shows_minus)?;
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

fn show_number(section: &Section, number: f64, shows_minus: bool) -> Option<String> {
    let magnitude = number.abs();
    let mut has_minus = number < 0.0 && shows_minus;
    let text = match &section.body {
        Body::Date(pieces) => return date::show(pieces, number),
        Body::Text(pieces) if pieces.is_empty() => return Some(String::new()),
        Body::Text(pieces) => section::show_text_pieces(pieces, &general(magnitude, Some(GENERAL_WIDTH))),
        Body::Number(layout) => {
            let decimal = Decimal::new(magnitude);
            has_minus &= !number::shows_zero(layout, &decimal);
            number::show(layout, &decimal)
        }
        Body::Fraction(layout) => fraction::show(layout, magnitude),
    };
    Some(if has_minus { format!("-{text}") } else { text })
}
