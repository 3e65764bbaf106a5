//! The display text of a cell and the text with which editing starts.

use std::sync::Arc;

use quadrille_cell::{CellAddress, DateSystem, SheetId, Value};
use quadrille_formula::{Host, localized, print, print_r1c1};
use quadrille_number_format::{InputContext, Locale, NumberFormat, general_in, parse_input_with};
use quadrille_operation::separators;
use quadrille_workbook::{Color, Format, HorizontalAlignment, Input, Literal};

use crate::cell_text::{boolean_text, text_without_code, with_number_format};
use crate::document::Document;

/// A cell's text, color and alignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Display {
    pub text: String,
    /// From the number format if it names a color (`[Red]`), otherwise from the cell's format.
    pub color: Option<Color>,
    /// From the cell's format, otherwise by type: numbers right, truth values and errors centered.
    pub alignment: HorizontalAlignment,
}

impl Document {
    /// Returns the display of a cell; empty for a blank cell and for an unknown sheet.
    pub fn display(&self, sheet: SheetId, cell: CellAddress) -> Display {
        let Some(sheet) = self.workbook().sheet(sheet) else {
            return Display { text: String::new(), color: None, alignment: HorizontalAlignment::Left };
        };
        self.display_value(&sheet.value(cell), &self.format(sheet, cell))
    }

    /// As [`display`](Self::display) for a given value and format.
    pub fn display_value(&self, value: &Value, format: &Format) -> Display {
        let alignment = format.horizontal.unwrap_or(match value {
            Value::Number(_) => HorizontalAlignment::Right,
            Value::Boolean(_) | Value::Error(_) => HorizontalAlignment::Center,
            Value::Text(_) | Value::Blank => HorizontalAlignment::Left,
        });
        let mut display = Display { text: String::new(), color: format.text_color, alignment };
        match (value, &format.number_format) {
            (Value::Number(_) | Value::Text(_), Some(code)) => {
                let formatted = self.with_number_format(code, |format| format.format_in(value, self.locale));
                display.text = formatted.text;
                display.color = formatted.color.map(Color).or(display.color);
            }
            _ => display.text = text_without_code(value, self.locale),
        }
        display
    }

    /// Returns the text of the formula bar. Entering it again gives the same content, up to 15
    /// digits.
    pub fn edit_text(&self, sheet: SheetId, cell: CellAddress) -> String {
        let Some(found) = self.workbook().sheet(sheet) else { return String::new() };
        match found.input(cell) {
            Input::Blank => String::new(),
            Input::Formula(template) => {
                let print = if self.is_r1c1 { print_r1c1 } else { print };
                let stored = print(&template, Host { sheet, cell }, self.workbook());
                format!("={}", localized(&stored, separators(self.locale), &self.names))
            }
            Input::Value(Literal::Boolean(boolean)) => boolean_text(boolean).to_owned(),
            Input::Value(Literal::Error(error)) => error.text().to_owned(),
            Input::Value(Literal::Text(text)) => {
                text_as_typed(&text, self.locale, self.workbook().date_system())
            }
            Input::Value(Literal::Number(number)) => {
                self.number_as_typed(number, found.format(cell).number_format.as_ref())
            }
        }
    }

    /// Whether the format displays days, months or years.
    pub fn shows_day(&self, format: &Format) -> bool {
        let code = format.number_format.as_ref();
        code.is_some_and(|code| self.with_number_format(code, NumberFormat::shows_day))
    }

    /// Whether the format displays dates or times.
    pub fn shows_date(&self, format: &Format) -> bool {
        let code = format.number_format.as_ref();
        code.is_some_and(|code| self.with_number_format(code, NumberFormat::is_date))
    }

    /// Percentages and dates in their formats, other numbers with all their digits.
    fn number_as_typed(&self, number: f64, code: Option<&Arc<str>>) -> String {
        let plain = general_in(number, None, self.locale);
        let Some(code) = code else { return plain };
        if code.contains('%') {
            return format!("{}%", general_in(number * 100.0, None, self.locale));
        }
        if !self.with_number_format(code, NumberFormat::is_date) || number < 0.0 {
            return plain;
        }
        let iso = match (number >= 1.0, number % 1.0 != 0.0) {
            (true, false) => "yyyy-mm-dd",
            (true, true) => "yyyy-mm-dd hh:mm:ss",
            (false, _) => "hh:mm:ss",
        };
        let dates = self.workbook().date_system();
        let text = NumberFormat::parse(iso).with_date_system(dates).format(&Value::Number(number)).text;
        // Fractions of a second do not fit this form.
        if parse_input_with(&text, InputContext::invariant(dates)).value == Value::Number(number) {
            text
        } else {
            plain
        }
    }

    fn with_number_format<T>(&self, code: &Arc<str>, use_format: impl FnOnce(&NumberFormat) -> T) -> T {
        with_number_format(&self.number_formats, code, self.workbook().date_system(), use_format)
    }
}

/// Adds an apostrophe to texts that would otherwise be read as another value or a formula.
fn text_as_typed(text: &str, locale: Locale, dates: DateSystem) -> String {
    // A day of a leap year within all date systems: a text must stay a text in every year.
    const IN_2000: i64 = 36_526;
    let typing = InputContext { locale, today: Some(IN_2000), dates, ..InputContext::default() };
    let is_read_as_text = match parse_input_with(text, typing).value {
        Value::Text(read) => *read == *text,
        _ => false,
    };
    if text.starts_with(['=', '\'']) || !is_read_as_text { format!("'{text}") } else { text.to_owned() }
}
