//! Writes a sheet as an HTML page with a table. All content is escaped; the page has neither
//! scripts nor links.

use quadrille_cell::{CellAddress, DateSystem, Dimension, Value};
use quadrille_workbook::{Format, HorizontalAlignment, Sheet, VerticalAlignment};

use crate::displayed_rows::{Row, rows};
use crate::write_options::WriteOptions;

/// Returns the HTML page; as EtherCalc writes it, only its table, for other pages to contain, with the
/// coordinates of cells as identifiers.
pub(crate) fn write(sheet: &Sheet, dates: DateSystem, options: &WriteOptions) -> String {
    let (mut text, end) = match options.ethercalc {
        true => ("<table style=\"border-collapse:collapse;\">\n".to_owned(), "</table>\n"),
        false => (page_start(sheet), "</table>\n</body>\n</html>\n"),
    };
    if let Some(used) = sheet.used_range() {
        for column in 0..=used.last().column.get() {
            match sheet.size(Dimension::Columns, column) {
                Some(width) => text.push_str(&format!("<col style=\"width:{width}px\">\n")),
                None => text.push_str("<col>\n"),
            }
        }
    }
    rows(sheet, options.numbers, dates, |row: &Row| {
        text.push_str("<tr>");
        for (column, field) in row.fields().enumerate() {
            let cell = CellAddress::clamped(row.index, column as u32);
            let style = style(sheet.format(cell), &sheet.value(cell));
            text.push_str("<td");
            if options.ethercalc {
                text.push_str(&format!(" id=\"cell_{cell}\""));
            }
            if !style.is_empty() {
                text.push_str(&format!(" style=\"{style}\""));
            }
            match field.is_empty() && options.ethercalc {
                true => text.push_str(">&nbsp;</td>"),
                false => text.push_str(&format!(">{}</td>", escaped(field))),
            }
        }
        text.push_str("</tr>\n");
    });
    text.push_str(end);
    text
}

fn page_start(sheet: &Sheet) -> String {
    let title = escaped(sheet.name());
    format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n\
         table {{ border-collapse: collapse; font-family: sans-serif; font-size: 13px; }}\n\
         td {{ border: 1px solid #d0d0d0; padding: 2px 4px; white-space: pre; }}\n\
         </style>\n</head>\n<body>\n<table>\n"
    )
}

/// The cell's format as CSS. Without an alignment, numbers are aligned right, as in the grid.
fn style(format: &Format, value: &Value) -> String {
    let mut style = String::new();
    let horizontal = match format.horizontal {
        Some(HorizontalAlignment::Left) => "left",
        Some(HorizontalAlignment::Center) => "center",
        Some(HorizontalAlignment::Right) => "right",
        None if matches!(value, Value::Number(_)) => "right",
        None if matches!(value, Value::Boolean(_) | Value::Error(_)) => "center",
        None => "",
    };
    let vertical = match format.vertical {
        Some(VerticalAlignment::Top) => "top",
        Some(VerticalAlignment::Middle) => "middle",
        Some(VerticalAlignment::Bottom) => "bottom",
        None => "",
    };
    let decoration = match (format.underline, format.strikethrough) {
        (true, true) => "underline line-through",
        (true, false) => "underline",
        (false, true) => "line-through",
        (false, false) => "",
    };
    let color =
        |color: Option<quadrille_workbook::Color>| color.map_or(String::new(), |c| format!("#{:06x}", c.0));
    for (property, setting) in [
        ("text-align", horizontal),
        ("vertical-align", vertical),
        ("font-weight", if format.bold { "bold" } else { "" }),
        ("font-style", if format.italic { "italic" } else { "" }),
        ("text-decoration", decoration),
        ("white-space", if format.wrap { "pre-wrap" } else { "" }),
        ("color", &color(format.text_color)),
        ("background", &color(format.fill_color)),
    ] {
        if !setting.is_empty() {
            style.push_str(&format!("{property}:{setting};"));
        }
    }
    style
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
