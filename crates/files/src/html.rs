//! Writes a sheet as an HTML page with a table. All content is escaped or, for texts in HTML and the like,
//! sanitised; the page has no scripts and loads nothing.

use quadrille_cell::{CellAddress, DateSystem, Dimension, Value};
use quadrille_rich_text::{pieces, to_html};
use quadrille_workbook::{
    Color, FontScript, Format, FormatPatch, HorizontalAlignment, ReadingOrder, Sheet, TextFormat, TextRuns,
    UnderlineStyle, VerticalAlignment,
};

use crate::displayed_rows::{Row, rows};
use crate::error::FileError;
use crate::write_options::WriteOptions;

/// Pixels of a column without a width of its own, in EtherCalc's tables.
const ETHERCALC_COLUMN_PX: f64 = 80.0;
/// The style of EtherCalc's cells, before what a cell has of its own.
const ETHERCALC_CELL: &str = "padding:2px 2px 1px 2px;vertical-align:top;font-size:small;\
                              font-family:Verdana,Arial,Helvetica,sans-serif;";

/// Returns the HTML page; as EtherCalc writes it, only its table, for other pages to contain, with the
/// coordinates of cells as identifiers.
pub(crate) fn write(sheet: &Sheet, dates: DateSystem, options: &WriteOptions) -> Result<String, FileError> {
    let (mut text, end) = match options.ethercalc {
        true => (ethercalc_table_start(sheet), "</tbody></table>"),
        false => (page_start(sheet), "</table>\n</body>\n</html>\n"),
    };
    rows(sheet, options.numbers, dates, |row: &Row| {
        text.push_str("<tr>");
        for (column, field) in row.fields().enumerate() {
            let cell = CellAddress::clamped(row.index, column as u32);
            let rich = sheet.rich_text(cell).filter(|(text, _)| **text == *field);
            let format = sheet.format(cell);
            // A line of the cell would be drawn through every part, so each part has its own.
            let unlined = Format { underline: false, strikethrough: false, ..format.clone() };
            let style = style(if rich.is_some() { &unlined } else { format }, &sheet.value(cell));
            text.push_str("<td");
            match options.ethercalc {
                true => text.push_str(&format!(" id=\"cell_{cell}\" style=\"{ETHERCALC_CELL}{style}\"")),
                false if style.is_empty() => {}
                false => text.push_str(&format!(" style=\"{style}\"")),
            }
            text.push('>');
            let content = match &rich {
                Some((text, runs)) if format.text_format.is_none() => {
                    rich_text_html(text, runs, format, &css_color)
                }
                _ => content(sheet, cell, field, options),
            };
            match format.script.filter(|_| rich.is_none()) {
                Some(FontScript::Superscript) => text.push_str(&format!("<sup>{content}</sup>")),
                Some(FontScript::Subscript) => text.push_str(&format!("<sub>{content}</sub>")),
                None => text.push_str(&content),
            }
            text.push_str("</td>");
        }
        text.push_str("</tr>\n");
        text.len()
    })?;
    text.push_str(end);
    Ok(text)
}

/// The content of a cell that displays `field`. EtherCalc's server shows HTML, links and images; its page
/// alone knows wiki text. In a page of its own nothing is loaded from elsewhere, so that images are links.
fn content(sheet: &Sheet, cell: CellAddress, field: &str, options: &WriteOptions) -> String {
    let format = sheet.format(cell).text_format;
    let format = format.filter(|format| !options.ethercalc || *format != TextFormat::Wiki);
    match (format, sheet.value(cell)) {
        (Some(format), Value::Text(text)) if !field.is_empty() => {
            to_html(&pieces(format, &text), options.ethercalc)
        }
        _ if field.is_empty() && options.ethercalc => "&nbsp;".to_owned(),
        _ => escaped(field),
    }
}

/// A text of which parts have fonts of their own, as HTML; empty if the runs were made for another text.
/// `format` is that of the cell, whose lines under and through the text are repeated for each part. `color`
/// writes a color in CSS.
pub fn rich_text_html(
    text: &str,
    runs: &TextRuns,
    format: &Format,
    color: &dyn Fn(Color) -> String,
) -> String {
    let mut content = String::new();
    for (part, font) in runs.parts(text).unwrap_or_default() {
        let whole = font.apply_to(format);
        let style = font_style(&font, &whole, color);
        let text = escaped(part);
        let text = match whole.script {
            Some(FontScript::Superscript) => format!("<sup>{text}</sup>"),
            Some(FontScript::Subscript) => format!("<sub>{text}</sub>"),
            None => text,
        };
        match style.is_empty() {
            true => content += &text,
            false => content += &format!("<span style=\"{style}\">{text}</span>"),
        }
    }
    content
}

/// What a part of a text has of its own, as CSS; `whole` is its font with the cell's attributes.
fn font_style(font: &FormatPatch, whole: &Format, color: &dyn Fn(Color) -> String) -> String {
    let mut style = String::new();
    if let Some(bold) = font.bold {
        style += if bold { "font-weight:bold;" } else { "font-weight:normal;" };
    }
    if let Some(italic) = font.italic {
        style += if italic { "font-style:italic;" } else { "font-style:normal;" };
    }
    let line = decoration(whole);
    if !line.is_empty() {
        style += &format!("text-decoration:{line};");
        if whole.underline && is_double(whole) {
            style += "text-decoration-style:double;";
        }
    }
    if let Some(own) = font.text_color.flatten() {
        style += &format!("color:{};", color(own));
    }
    if let Some(size) = font.font_size.flatten() {
        style += &format!("font-size:{}pt;", size.points());
    }
    if let Some(Some(family)) = &font.font_family {
        // Letters, digits and the like, so that the name needs no escapes.
        let name: String = family.chars().filter(|c| c.is_alphanumeric() || " -_.".contains(*c)).collect();
        style += &format!("font-family:'{name}';");
    }
    style
}

fn css_color(color: Color) -> String {
    format!("#{:06x}", color.0)
}

fn decoration(format: &Format) -> &'static str {
    match (format.underline, format.strikethrough) {
        (true, true) => "underline line-through",
        (true, false) => "underline",
        (false, true) => "line-through",
        (false, false) => "",
    }
}

fn is_double(format: &Format) -> bool {
    matches!(format.underline_style, Some(UnderlineStyle::Double | UnderlineStyle::DoubleAccounting))
}

/// EtherCalc's table, with its first row that only has the widths of columns.
fn ethercalc_table_start(sheet: &Sheet) -> String {
    let columns = sheet.used_range().map_or(1, |used| used.last().column.get() + 1);
    let widths = (0..columns)
        .map(|column| sheet.size(Dimension::Columns, column).map_or(ETHERCALC_COLUMN_PX, f64::from));
    let widths: Vec<f64> = widths.collect();
    let (mut table, mut row) = (String::new(), String::new());
    for width in &widths {
        table += &format!("<col width=\"{width}\"></col>");
        row += &format!("<td width=\"{width}\" height=\"1\"></td>");
    }
    let total: f64 = widths.iter().sum();
    format!(
        "<table style=\"border-collapse:collapse;width:{total}px\"><colgroup>{table}</colgroup>\n<tbody><tr>{row}</tr>\n"
    )
}

fn page_start(sheet: &Sheet) -> String {
    let title = escaped(sheet.name());
    let mut columns = String::new();
    if let Some(used) = sheet.used_range() {
        for column in 0..=used.last().column.get() {
            match sheet.size(Dimension::Columns, column) {
                Some(width) => columns.push_str(&format!("<col style=\"width:{width}px\">\n")),
                None => columns.push_str("<col>\n"),
            }
        }
    }
    format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n\
         table {{ border-collapse: collapse; font-family: sans-serif; font-size: 13px; }}\n\
         td {{ border: 1px solid #d0d0d0; padding: 2px 4px; white-space: pre; }}\n\
         </style>\n</head>\n<body>\n<table>\n{columns}"
    )
}

/// The cell's format as CSS declarations, without borders and fonts. Without an alignment, numbers are aligned
/// right, as in the grid.
pub fn style(format: &Format, value: &Value) -> String {
    let mut style = String::new();
    let horizontal = match format.horizontal {
        Some(HorizontalAlignment::Left | HorizontalAlignment::Fill) => "left",
        Some(HorizontalAlignment::Center | HorizontalAlignment::CenterContinuous) => "center",
        Some(HorizontalAlignment::Justify | HorizontalAlignment::Distributed) => "justify",
        Some(HorizontalAlignment::Right) => "right",
        None if matches!(value, Value::Number(_)) => "right",
        None if matches!(value, Value::Boolean(_) | Value::Error(_)) => "center",
        None => "",
    };
    let vertical = match format.vertical {
        Some(VerticalAlignment::Top | VerticalAlignment::Justify) => "top",
        Some(VerticalAlignment::Middle | VerticalAlignment::Distributed) => "middle",
        Some(VerticalAlignment::Bottom) => "bottom",
        None => "",
    };
    let direction = match format.reading_order {
        Some(ReadingOrder::LeftToRight) => "ltr",
        Some(ReadingOrder::RightToLeft) => "rtl",
        None => "",
    };
    let color = |color: Option<Color>| color.map_or(String::new(), |c| format!("#{:06x}", c.0));
    // Half of the pixels of a pattern have its color.
    let pattern = |background: Color| {
        let ink = format.fill_pattern_color.unwrap_or(Color(0));
        let half = |shift: u32| ((background.0 >> shift & 0xff) + (ink.0 >> shift & 0xff)) / 2;
        Color(half(16) << 16 | half(8) << 8 | half(0))
    };
    let fill = match format.fill_pattern {
        None => format.fill_color,
        Some(_) => Some(pattern(format.fill_color.unwrap_or(Color(0xff_ffff)))),
    };
    for (property, setting) in [
        ("text-align", horizontal),
        ("vertical-align", vertical),
        ("font-weight", if format.bold { "bold" } else { "" }),
        ("font-style", if format.italic { "italic" } else { "" }),
        ("text-decoration", decoration(format)),
        ("text-decoration-style", if format.underline && is_double(format) { "double" } else { "" }),
        ("direction", direction),
        ("white-space", if format.wrap { "pre-wrap" } else { "" }),
        ("color", &color(format.text_color)),
        ("background", &color(fill)),
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
