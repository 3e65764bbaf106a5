//! Writes a sheet as a Markdown table; the first row is the header.

use quadrille_cell::DateSystem;
use quadrille_workbook::Sheet;

use crate::displayed_rows::{Row, rows};
use crate::write_options::WriteOptions;

/// Returns the Markdown table.
pub(crate) fn write(sheet: &Sheet, dates: DateSystem, options: &WriteOptions) -> String {
    let mut text = String::new();
    let (padding, rule) = if options.ethercalc { ("", " ---- |") } else { (" ", " --- |") };
    rows(sheet, options.numbers, dates, |row: &Row| {
        text.push('|');
        for field in row.fields() {
            text.push_str(&format!("{padding}{}{padding}|", escaped(field)));
        }
        text.push('\n');
        if row.index == 0 {
            text.push('|');
            for _ in row.fields() {
                text.push_str(rule);
            }
            text.push('\n');
        }
    });
    text
}

/// Escapes the characters that would end the cell or start HTML.
fn escaped(field: &str) -> String {
    let field = field.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
    field.replace("\r\n", "<br>").replace(['\n', '\r'], "<br>")
}
