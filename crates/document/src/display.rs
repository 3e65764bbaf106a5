//! What a cell shows, and what editing it starts from.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, DateSystem, SheetId, Value};
use quadrille_formula::{Host, localized, print, print_r1c1};
use quadrille_number_format::{GENERAL_WIDTH, Locale, NumberFormat, Typing, general_in, read_typed_in};
use quadrille_operation::separators;
use quadrille_workbook::{Color, Format, HorizontalAlignment, Input, Literal};

use crate::Document;

/// A cell as it is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Display {
    pub text: String,
    /// From the number format where that names one (`[Red]`), otherwise from the cell's format.
    pub color: Option<Color>,
    /// The cell's own, or what its value asks for: numbers right, logical values and errors in the middle.
    pub alignment: HorizontalAlignment,
}

impl Document {
    /// Empty for a blank cell and for a sheet that is gone.
    pub fn display(&self, sheet: SheetId, cell: CellAddress) -> Display {
        let Some(sheet) = self.workbook().sheet(sheet) else {
            return Display { text: String::new(), color: None, alignment: HorizontalAlignment::Left };
        };
        self.display_value(&sheet.value(cell), sheet.format(cell))
    }

    /// As [`display`](Self::display), for a value and a format that the caller has at hand.
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

    /// What the formula bar shows: typing it again gives the same content, as far as 15 digits go.
    pub fn edit_text(&self, sheet: SheetId, cell: CellAddress) -> String {
        let Some(found) = self.workbook().sheet(sheet) else { return String::new() };
        match found.input(cell) {
            Input::Blank => String::new(),
            Input::Formula(template) => {
                let print = if self.is_r1c1 { print_r1c1 } else { print };
                let stored = print(&template, Host { sheet, cell }, self.workbook());
                format!("={}", localized(&stored, separators(self.locale)))
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

    /// Whether numbers in this format are days, months or years.
    pub fn shows_day(&self, format: &Format) -> bool {
        let code = format.number_format.as_ref();
        code.is_some_and(|code| self.with_number_format(code, NumberFormat::shows_day))
    }

    /// Whether numbers in this format are days or times.
    pub fn shows_date(&self, format: &Format) -> bool {
        let code = format.number_format.as_ref();
        code.is_some_and(|code| self.with_number_format(code, NumberFormat::is_date))
    }

    /// Percentages and dates as such, everything else with all its digits.
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
        let text = NumberFormat::parse(iso).counting(dates).format(&Value::Number(number)).text;
        // Fractions of a second do not fit this form.
        if read_typed_in(&text, Typing::stored(dates)).value == Value::Number(number) { text } else { plain }
    }

    fn with_number_format<T>(&self, code: &Arc<str>, use_format: impl FnOnce(&NumberFormat) -> T) -> T {
        with_number_format(&self.number_formats, code, self.workbook().date_system(), use_format)
    }
}

/// Reads a format unless it is known already. All that are known count dates alike.
pub(crate) fn with_number_format<T>(
    known: &RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    code: &Arc<str>,
    dates: DateSystem,
    use_format: impl FnOnce(&NumberFormat) -> T,
) -> T {
    let mut known = known.borrow_mut();
    // A workbook has few formats; someone who sends thousands does not fill the memory.
    const NUMBER_FORMATS_MAX: usize = 4_096;
    if known.len() >= NUMBER_FORMATS_MAX {
        known.clear();
    }
    if !known.contains_key(code) {
        known.insert(code.clone(), NumberFormat::parse(code).counting(dates));
    }
    use_format(&known[code])
}

/// What a cell without a number format shows.
pub(crate) fn text_without_code(value: &Value, locale: Locale) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => general_in(*number, Some(GENERAL_WIDTH), locale),
        Value::Text(text) => text.to_string(),
        Value::Boolean(boolean) => boolean_text(*boolean).to_owned(),
        Value::Error(error) => error.text().to_owned(),
    }
}

fn boolean_text(boolean: bool) -> &'static str {
    if boolean { "TRUE" } else { "FALSE" }
}

/// With an apostrophe before what would otherwise be read as something else.
fn text_as_typed(text: &str, locale: Locale, dates: DateSystem) -> String {
    // Some day of a leap year that all date systems have: what is text is text in every year.
    const IN_2000: i64 = 36_526;
    let typing = Typing { locale, today: Some(IN_2000), dates, ..Typing::default() };
    let is_read_as_text = match read_typed_in(text, typing).value {
        Value::Text(read) => *read == *text,
        _ => false,
    };
    if text.starts_with(['=', '\'']) || !is_read_as_text { format!("'{text}") } else { text.to_owned() }
}
