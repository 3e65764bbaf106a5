//! Writes a sheet as a Markdown table; the first row is the header.

use quadrille_cell::{CellAddress, DateSystem};
use quadrille_workbook::{Sheet, TextRuns};

use crate::displayed_rows::{Row, rows};
use crate::error::FileError;
use crate::write_options::WriteOptions;

/// Returns the Markdown table.
pub(crate) fn write(sheet: &Sheet, dates: DateSystem, options: &WriteOptions) -> Result<String, FileError> {
    let mut text = String::new();
    let (padding, rule) = if options.ethercalc { ("", " ---- |") } else { (" ", " --- |") };
    rows(sheet, options.numbers, dates, |row: &Row| {
        text.push('|');
        for (column, field) in row.fields().enumerate() {
            let cell = CellAddress::clamped(row.index, column as u32);
            let field = match sheet.rich_text(cell).filter(|(text, _)| **text == *field) {
                Some((text, runs)) => rich(&text, runs),
                None => escaped(field),
            };
            text.push_str(&format!("{padding}{field}{padding}|"));
        }
        text.push('\n');
        if row.index == 0 {
            text.push('|');
            for _ in row.fields() {
                text.push_str(rule);
            }
            text.push('\n');
        }
        text.len()
    })?;
    Ok(text)
}

/// A text with bold, italic and struck parts.
fn rich(text: &str, runs: &TextRuns) -> String {
    let mut marked = String::new();
    for (part, font) in runs.parts(text).unwrap_or_default() {
        // A mark next to a space, or around a line break, is none.
        for (at, line) in part.split('\n').enumerate() {
            let letters = line.trim();
            let mut field = escaped(letters);
            for (is_set, mark) in [(font.strikethrough, "~~"), (font.italic, "*"), (font.bold, "**")] {
                if is_set == Some(true) && !letters.is_empty() {
                    field = format!("{mark}{field}{mark}");
                }
            }
            let before = &line[..line.len() - line.trim_start().len()];
            let after = if letters.is_empty() { "" } else { &line[line.trim_end().len()..] };
            marked += &format!("{}{before}{field}{after}", if at > 0 { "<br>" } else { "" });
        }
    }
    marked
}

/// Escapes the characters that would end the cell or start HTML.
fn escaped(field: &str) -> String {
    let field = field.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
    field.replace("\r\n", "<br>").replace(['\n', '\r'], "<br>")
}
