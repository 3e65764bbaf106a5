//! One sheet as a Markdown table; the first row is its header.

use quadrille_cell::DateSystem;
use quadrille_workbook::Sheet;

use crate::displayed_rows::{Row, rows};
use crate::write_options::WriteOptions;

pub(crate) fn write(sheet: &Sheet, dates: DateSystem, options: &WriteOptions) -> String {
    let mut text = String::new();
    rows(sheet, options.numbers, dates, |row: &Row| {
        text.push('|');
        for field in row.fields() {
            text.push_str(&format!(" {} |", escaped(field)));
        }
        text.push('\n');
        if row.index == 0 {
            text.push('|');
            for _ in row.fields() {
                text.push_str(" --- |");
            }
            text.push('\n');
        }
    });
    text
}

/// A cell stays in its cell: bars and line ends are the table's own marks, `<` would start HTML.
fn escaped(field: &str) -> String {
    let field = field.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
    field.replace("\r\n", "<br>").replace(['\n', '\r'], "<br>")
}
