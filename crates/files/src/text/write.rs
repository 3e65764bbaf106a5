//! Writes one sheet as delimited text, or as EtherCalc's `csv.json`.

use quadrille_cell::DateSystem;
use quadrille_workbook::Sheet;

use crate::displayed_rows::{Row, rows};
use crate::error::FileError;
use crate::write_options::WriteOptions;

/// Returns one record per row, from the first row of the sheet to the last used one.
pub(crate) fn write_delimited(
    sheet: &Sheet,
    dates: DateSystem,
    separator: char,
    options: &WriteOptions,
) -> Result<String, FileError> {
    let mut text = String::new();
    rows(sheet, options.numbers, dates, |row: &Row| {
        for (column, field) in row.fields().enumerate() {
            if column > 0 {
                text.push(separator);
            }
            let safe = if options.formula_safe && starts_a_formula(field) {
                format!("'{field}")
            } else {
                field.into()
            };
            push_field(&mut text, &safe, separator, options.ethercalc);
        }
        text.push('\n');
        text.len()
    })?;
    // Readers take a file with a zero byte for a binary one. HTML puts the same character in its place.
    Ok(if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text })
}

/// Returns the rows as a JSON array of arrays of texts.
pub(crate) fn write_rows_json(
    sheet: &Sheet,
    dates: DateSystem,
    options: &WriteOptions,
) -> Result<String, FileError> {
    let mut text = String::from("[");
    rows(sheet, options.numbers, dates, |row: &Row| {
        if text.len() > 1 {
            text.push(',');
        }
        text.push('[');
        for (column, field) in row.fields().enumerate() {
            if column > 0 {
                text.push(',');
            }
            text.push_str(&serde_json::Value::from(field).to_string());
        }
        text.push(']');
        text.len()
    })?;
    text.push_str("]\n");
    Ok(text)
}

fn push_field(text: &mut String, field: &str, separator: char, quotes_spaces: bool) {
    let needs_quotes = field.contains([separator, '"', '\n', '\r']) || quotes_spaces && field.contains(' ');
    if !needs_quotes {
        text.push_str(field);
        return;
    }
    text.push('"');
    text.push_str(&field.replace('"', "\"\""));
    text.push('"');
}

/// Whether spreadsheet programs interpret the field as a formula. A signed number is not a formula.
fn starts_a_formula(field: &str) -> bool {
    let is_number = field.parse::<f64>().is_ok();
    field.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number
}
