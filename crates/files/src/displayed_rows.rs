//! The rows of a sheet as displayed texts, which csv, html and markdown contain.

use quadrille_cell::{CellAddress, DateSystem, Range, Value};
use quadrille_number_format::{NumberFormat, general};
use quadrille_workbook::{Format, Sheet, Slice};

use crate::error::{FileError, FileErrorCode};
use crate::limits::{TABLE_BYTES_MAX, TABLE_CELLS_MAX};

/// Form of numbers in text formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numbers {
    /// As displayed in the cell: `12.5%`, `2024-03-01`.
    #[default]
    AsShown,
    /// With shortest_number precision, so that reading yields the same number: `0.125`, `45352`.
    Raw,
    /// As `Raw`, with the notation of EtherCalc: `1e+30` for large numbers, 1 and 0 for booleans.
    SocialCalc,
}

/// A row of displayed texts.
pub(crate) struct Row {
    pub index: u32,
    fields: Vec<String>,
}

impl Row {
    /// The texts from column A to the last used column of the sheet.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(String::as_str)
    }
}

/// Visits the rows from the first to the last used one; visits none of an empty sheet. `visit` returns
/// the bytes that the text has then.
///
/// # Errors
///
/// Fails with `TooManyCells` when the table would have more than [`TABLE_CELLS_MAX`] cells, or its text
/// more than [`TABLE_BYTES_MAX`] bytes: a single value far from A1 makes a table of millions of blank cells.
pub(crate) fn rows(
    sheet: &Sheet,
    numbers: Numbers,
    dates: DateSystem,
    mut visit: impl FnMut(&Row) -> usize,
) -> Result<(), FileError> {
    let Some(used) = sheet.used_range() else { return Ok(()) };
    let (last_row, last_column) = (used.last().row.get(), used.last().column.get());
    let cells = (u64::from(last_row) + 1) * (u64::from(last_column) + 1);
    if cells > TABLE_CELLS_MAX {
        let last = used.last();
        let reason = format!(
            "the table from A1 to {last} has {cells} cells, and a file in this format at most \
             {TABLE_CELLS_MAX}; clear what is far from the other cells, or choose .xlsx or .ods"
        );
        return Err(FileError::new(FileErrorCode::TooManyCells, reason));
    }
    let codes = FormatColumns::new(sheet, last_row, last_column, dates);
    let mut row = Row { index: 0, fields: vec![String::new(); last_column as usize + 1] };
    for index in 0..=last_row {
        row.index = index;
        for (column, field) in row.fields.iter_mut().enumerate() {
            let value = sheet.value(CellAddress::clamped(index, column as u32));
            *field = displayed_text(&value, numbers, codes.at(index, column as u32));
        }
        if visit(&row) > TABLE_BYTES_MAX {
            let reason = format!("the file would be larger than {TABLE_BYTES_MAX} bytes");
            return Err(FileError::new(FileErrorCode::TooManyCells, reason));
        }
    }
    Ok(())
}

/// Relative difference from which on a displayed number is another one. The General format shows ten digits
/// and more.
const ROUNDING: f64 = 1e-8;

/// Visits the row and column of every cell whose displayed text is not the whole number, such as `0.33` for
/// a third. Dates, and texts that are no number, are left out.
pub(crate) fn rounded_numbers(sheet: &Sheet, dates: DateSystem, mut visit: impl FnMut(u32, u32)) {
    let Some(used) = sheet.used_range() else { return };
    let (last_row, last_column) = (used.last().row.get(), used.last().column.get());
    let codes = FormatColumns::new(sheet, last_row, last_column, dates);
    for (column, cells) in sheet.columns_in(used) {
        let column = column.get();
        for (first, slice) in cells.slices(0, last_row) {
            for index in 0..slice.len() {
                let value = match slice {
                    Slice::Numbers(numbers) => Value::Number(numbers[index]),
                    Slice::Mixed(mixed) => mixed.get(index),
                };
                let row = first + index as u32; // within a block
                let code = codes.at(row, column);
                if let (Value::Number(number), false) = (&value, code.is_some_and(NumberFormat::is_date))
                    && let Some(displayed) = number_of(&displayed_text(&value, Numbers::AsShown, code))
                    && (displayed - number).abs() > number.abs() * ROUNDING
                {
                    visit(row, column);
                }
            }
        }
    }
}

/// The number in a displayed text such as `-1,234.50 €`, `(12)` or `12.5%`. Fractions are none.
fn number_of(text: &str) -> Option<f64> {
    if text.contains('/') {
        return None;
    }
    let mut digits = String::new();
    for (at, c) in text.char_indices() {
        let is_exponent = c == 'E' && digits.ends_with(|before: char| before.is_ascii_digit());
        let is_sign = c == '-' && (digits.is_empty() || digits.ends_with('E'));
        if c.is_ascii_digit() || c == '.' || is_exponent && text[at + 1..].starts_with(['+', '-']) || is_sign
        {
            digits.push(c);
        }
    }
    let number: f64 = digits.parse().ok()?;
    let number = if text.starts_with('(') && text.ends_with(')') { -number } else { number };
    Some(if text.contains('%') { number / 100.0 } else { number })
}

/// The text of a value with the cell's number format.
pub(crate) fn displayed_text(value: &Value, numbers: Numbers, format: Option<&NumberFormat>) -> String {
    match (value, numbers) {
        (Value::Number(number), Numbers::Raw) => shortest_number(*number),
        (Value::Number(number), Numbers::SocialCalc) => {
            shortest_number(*number).replace("e", "e+").replace("e+-", "e-")
        }
        (Value::Boolean(boolean), Numbers::SocialCalc) => u8::from(*boolean).to_string(),
        (Value::Number(number), Numbers::AsShown) => match format {
            Some(format) => format.format(value).text,
            None => general(*number, Some(GENERAL_WIDTH)),
        },
        (Value::Text(_), Numbers::AsShown) if format.is_some() => {
            format.map(|format| format.format(value).text).unwrap_or_default()
        }
        (Value::Blank, _) => String::new(),
        (Value::Boolean(true), _) => "TRUE".to_owned(),
        (Value::Boolean(false), _) => "FALSE".to_owned(),
        (Value::Text(text), _) => text.to_string(),
        (Value::Error(error), _) => error.text().to_owned(),
    }
}

/// The shortest text that parses to the same number.
pub(crate) fn shortest_number(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) { number.to_string() } else { format!("{number:e}") }
}

/// Characters of a number in the General format, as in Excel.
const GENERAL_WIDTH: usize = 11;

/// Number formats of the used range: each code is parsed once and found by binary search in its
/// column.
struct FormatColumns {
    /// For each column, in order: first row, last row and format of each run.
    columns: Vec<Vec<(u32, u32, usize)>>,
    parsed: Vec<NumberFormat>,
}

impl FormatColumns {
    fn new(sheet: &Sheet, last_row: u32, last_column: u32, dates: DateSystem) -> FormatColumns {
        let mut columns =
            FormatColumns { columns: vec![Vec::new(); last_column as usize + 1], parsed: Vec::new() };
        let mut codes: Vec<std::sync::Arc<str>> = Vec::new();
        let used = Range::from_indices(0, 0, last_row, last_column).expect("a used range lies in the sheet");
        for (range, format) in sheet.format_runs(used) {
            let Format { number_format: Some(code), .. } = format else { continue };
            let existing = codes.iter().position(|existing| existing == code);
            let index = existing.unwrap_or_else(|| {
                codes.push(code.clone());
                columns.parsed.push(NumberFormat::parse(code).with_date_system(dates));
                codes.len() - 1
            });
            for column in range.first().column.get()..=range.last().column.get() {
                let run = (range.first().row.get(), range.last().row.get(), index);
                columns.columns[column as usize].push(run);
            }
        }
        for column in &mut columns.columns {
            column.sort_unstable();
        }
        columns
    }

    fn at(&self, row: u32, column: u32) -> Option<&NumberFormat> {
        let runs = &self.columns[column as usize];
        let index = runs.partition_point(|(_, last, _)| *last < row);
        let (first, _, format) = runs.get(index)?;
        (*first <= row).then(|| &self.parsed[*format])
    }
}
