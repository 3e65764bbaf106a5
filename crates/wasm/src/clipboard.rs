//! Cells as other programs paste them: text with tabs, and a table with styles.

use std::fmt::Write;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_workbook::{Format, HorizontalAlignment, Sheet};

use crate::messages::CopiedText;

/// More cells than this are not for the clipboard: a table of them is tens of megabytes.
const CELLS_MAX: u64 = 200_000;

/// Rows and columns beyond what is used are left out; rows beyond the limit as well.
pub fn copy(document: &Document, sheet: SheetId, range: Range) -> CopiedText {
    let mut copied = CopiedText { text: String::new(), html: String::new(), is_cut_short: false };
    let Some(sheet) = document.workbook().sheet(sheet) else { return copied };
    let range = within_use(sheet, range);
    let rows_max = (CELLS_MAX / u64::from(range.column_count())).max(1);
    copied.is_cut_short = u64::from(range.row_count()) > rows_max;
    copied.html.push_str("<table><tbody>");
    for row in (range.first().row.get()..=range.last().row.get()).take(rows_max as usize) {
        if row > range.first().row.get() {
            copied.text.push('\n');
        }
        copied.html.push_str("<tr>");
        for column in range.first().column.get()..=range.last().column.get() {
            if column > range.first().column.get() {
                copied.text.push('\t');
            }
            let cell = CellAddress::clamped(row, column);
            let (value, format) = (sheet.value(cell), sheet.format(cell));
            let shown = document.display_value(&value, format).text;
            push_field(&mut copied.text, &shown);
            push_table_cell(&mut copied.html, &shown, &value, format);
        }
        copied.html.push_str("</tr>");
    }
    copied.html.push_str("</tbody></table>");
    copied
}

/// Whole rows, columns or sheets end where the sheet's use ends.
fn within_use(sheet: &Sheet, range: Range) -> Range {
    let reaches_far = range.is_whole_rows() || range.is_whole_columns();
    let used = sheet.used_range().map(|used| Range::new(CellAddress::clamped(0, 0), used.last()));
    match used.and_then(|used| used.intersection(range)) {
        Some(inside) if reaches_far => inside,
        None if reaches_far => Range::cell(range.first()),
        _ => range,
    }
}

/// Quoted where a tab, a line break or a quote inside would be misread.
fn push_field(text: &mut String, shown: &str) {
    if shown.contains(['\t', '\n', '\r']) || shown.starts_with('"') {
        text.push('"');
        text.push_str(&shown.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(shown);
    }
}

fn push_table_cell(html: &mut String, shown: &str, value: &Value, format: &Format) {
    let mut style = String::new();
    if format.bold {
        style.push_str("font-weight:bold;");
    }
    if format.italic {
        style.push_str("font-style:italic;");
    }
    match (format.underline, format.strikethrough) {
        (true, true) => style.push_str("text-decoration:underline line-through;"),
        (true, false) => style.push_str("text-decoration:underline;"),
        (false, true) => style.push_str("text-decoration:line-through;"),
        (false, false) => {}
    }
    let alignment =
        format.horizontal.or(matches!(value, Value::Number(_)).then_some(HorizontalAlignment::Right));
    match alignment {
        Some(HorizontalAlignment::Right) => style.push_str("text-align:right;"),
        Some(HorizontalAlignment::Center) => style.push_str("text-align:center;"),
        Some(HorizontalAlignment::Left) | None => {}
    }
    let never = "writing into a text does not fail";
    if let Some(color) = format.text_color {
        write!(style, "color:#{:06x};", color.0).expect(never);
    }
    if let Some(color) = format.fill_color {
        write!(style, "background-color:#{:06x};", color.0).expect(never);
    }
    html.push_str("<td");
    if !style.is_empty() {
        write!(html, " style=\"{style}\"").expect(never);
    }
    html.push('>');
    for character in shown.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '\n' => html.push_str("<br>"),
            other => html.push(other),
        }
    }
    html.push_str("</td>");
}
