//! A workbook as .xlsx, the values of its formulas included.

use quadrille_cell::{CellAddress, Dimension, Range, Value};
use quadrille_formula::{Expression, Host, Template};
use quadrille_workbook::{
    Border, BorderStyle, Color, Format, HorizontalAlignment, Input, Overflow, Sheet, VerticalAlignment,
    Workbook,
};
use rust_xlsxwriter as xlsx;

use super::formulas::file_text;
use super::implicit_intersection::{intersected, without_signs};
use super::workbook_settings::put_settings;
use super::write_images::write_images;
use super::write_target::Target;
use crate::error::{FileError, FileErrorCode};
use crate::images::Images;

pub(crate) fn write(workbook: &Workbook, images: &Images) -> Result<Vec<u8>, FileError> {
    let cannot = |error: String| FileError::new(FileErrorCode::CannotWrite, error);
    let file = write_workbook(workbook, images).map_err(|error| cannot(error.to_string()))?;
    put_settings(file, workbook).map_err(|error| cannot(error.to_string()))
}

fn write_workbook(workbook: &Workbook, images: &Images) -> Result<Vec<u8>, xlsx::XlsxError> {
    let mut file = xlsx::Workbook::new();
    if let Some(title) = workbook.title() {
        file.set_properties(&xlsx::DocProperties::new().set_title(title));
    }
    let mut titles: Vec<String> = Vec::new();
    for sheet in workbook.sheets() {
        let title = title(sheet.name(), &titles);
        write_sheet(workbook, sheet, images, file.add_worksheet().set_name(&title)?)?;
        titles.push(title);
    }
    let host = Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() };
    for (name, definition) in workbook.names() {
        let definition = format!("={}", file_text(definition, host, workbook));
        let name = file_text(&Template::new(Expression::Name(name.clone())), host, workbook);
        // A name that Excel does not allow would make it refuse the file; the rest is worth more.
        let _refused = file.define_name(name, &definition);
    }
    file.save_to_buffer()
}

/// Excel allows 31 characters and not all of them; equal titles get a number.
fn title(name: &str, taken: &[String]) -> String {
    let clean: String = name.chars().map(|c| if "[]:*?/\\".contains(c) { ' ' } else { c }).collect();
    let clean = clean.trim_matches('\'');
    let clean = if clean.trim().is_empty() { "Sheet" } else { clean };
    let shortened = |length: usize| clean.chars().take(length).collect::<String>();
    let is_free = |title: &String| !taken.iter().any(|other| other.to_lowercase() == title.to_lowercase());
    let numbered = (2..).map(|n| format!("{} ({n})", shortened(25)));
    let mut candidates = std::iter::once(shortened(31)).chain(numbered);
    candidates.find(is_free).expect("the numbers do not end before the sheets")
}

fn write_sheet(
    workbook: &Workbook,
    sheet: &Sheet,
    images: &Images,
    target: &mut xlsx::Worksheet,
) -> Result<(), xlsx::XlsxError> {
    for (first, count, width) in sheet.size_runs(Dimension::Columns) {
        for column in first..first + count {
            target.set_column_width_pixels(column as u16, u32::from(width))?;
        }
    }
    for (first, count, height) in sheet.size_runs(Dimension::Rows) {
        for row in first..first + count {
            target.set_row_height_pixels(row, u32::from(height))?;
        }
    }
    let items = Target { workbook, sheet };
    items.write_before_cells(target, &|range| convert(sheet.format(range.first())));
    // Formats of blank cells first; cells with content bring theirs along and replace these.
    let used = sheet.used_range();
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        write_format(target, range, format, used)?;
    }
    for (cell, input) in sheet.inputs_in(Range::whole_sheet()) {
        write_cell(workbook, sheet, target, cell, &input)?;
    }
    items.write_after_cells(target);
    write_images(target, sheet, images);
    Ok(())
}

/// Whole columns and rows as such; of other ranges the part that can be seen near the cells.
fn write_format(
    target: &mut xlsx::Worksheet,
    range: Range,
    format: &Format,
    used: Option<Range>,
) -> Result<(), xlsx::XlsxError> {
    /// Blank formatted cells written one by one, at most; more than this is a mistake of whoever formatted.
    const BLANKS_MAX: u64 = 100_000;
    let look = convert(format);
    let (first, last) = (range.first(), range.last());
    if range.is_whole_columns() {
        let (first, last) = (first.column.get() as u16, last.column.get() as u16);
        target.set_column_range_format(first, last, &look)?;
        return Ok(());
    }
    if range.is_whole_rows() {
        for row in first.row.get()..=last.row.get() {
            target.set_row_format(row, &look)?;
        }
        return Ok(());
    }
    let range = if range.cell_count() > BLANKS_MAX {
        used.and_then(|used| used.intersection(range))
    } else {
        Some(range)
    };
    let Some(range) = range else { return Ok(()) };
    for row in range.first().row.get()..=range.last().row.get() {
        for column in range.first().column.get()..=range.last().column.get() {
            target.write_blank(row, column as u16, &look)?;
        }
    }
    Ok(())
}

fn write_cell(
    workbook: &Workbook,
    sheet: &Sheet,
    target: &mut xlsx::Worksheet,
    cell: CellAddress,
    input: &Input,
) -> Result<(), xlsx::XlsxError> {
    let (row, column) = (cell.row.get(), cell.column.get() as u16);
    let format = sheet.format(cell);
    let look = (*format != Format::default()).then(|| convert(format));
    let look = look.as_ref();
    let value = sheet.value(cell);
    if let Input::Formula(template) = input {
        // Without being told, Excel takes one value out of an array.
        let below = CellAddress::new(row + 1, cell.column.get());
        let beside = CellAddress::new(row, cell.column.get() + 1);
        let has_spilled =
            [below, beside].into_iter().flatten().any(|next| sheet.spill_anchor(next) == Some(cell));
        let (text, is_dynamic) =
            formula_text(template, Host { sheet: sheet.id(), cell }, workbook, has_spilled);
        let formula = xlsx::Formula::new(format!("={text}")).set_result(cached(&value));
        if is_dynamic {
            match look {
                Some(look) => target.write_dynamic_formula_with_format(row, column, formula, look)?,
                None => target.write_dynamic_formula(row, column, formula)?,
            };
            return Ok(());
        }
        match look {
            Some(look) => target.write_formula_with_format(row, column, formula, look)?,
            None => target.write_formula(row, column, formula)?,
        };
        return Ok(());
    }
    match (&value, look) {
        (Value::Blank, _) => target,
        (Value::Number(number), Some(look)) => target.write_number_with_format(row, column, *number, look)?,
        (Value::Number(number), None) => target.write_number(row, column, *number)?,
        (Value::Boolean(boolean), Some(look)) => {
            target.write_boolean_with_format(row, column, *boolean, look)?
        }
        (Value::Boolean(boolean), None) => target.write_boolean(row, column, *boolean)?,
        (Value::Text(text), Some(look)) => target.write_string_with_format(row, column, &**text, look)?,
        (Value::Text(text), None) => target.write_string(row, column, &**text)?,
        // The writer has no error cells; a formula that is only the error shows the same.
        (Value::Error(error), look) => {
            let formula = xlsx::Formula::new(format!("={error}")).set_result(error.text());
            match look {
                Some(look) => target.write_formula_with_format(row, column, formula, look)?,
                None => target.write_formula(row, column, formula)?,
            }
        }
    };
    Ok(())
}

/// A formula without its equals sign, and whether it is to be written as one that may spill.
fn formula_text(template: &Template, host: Host, workbook: &Workbook, has_spilled: bool) -> (String, bool) {
    // Also when nothing is beside it, a range that gives all its values must not come back with `@`.
    if has_spilled || intersected(template, workbook).is_some() {
        return (file_text(template, host, workbook), true);
    }
    if let Some(bare) = without_signs(template, workbook) {
        let text = file_text(&bare, host, workbook);
        // The writer makes formulas with some of the younger functions such that spill; those keep their signs.
        if !text.contains("_xlfn.") {
            return (text, false);
        }
    }
    (file_text(template, host, workbook), false)
}

/// The value of a formula as the file keeps it.
fn cached(value: &Value) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(true) => "TRUE".to_owned(),
        Value::Boolean(false) => "FALSE".to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Error(error) => error.text().to_owned(),
    }
}

fn convert(format: &Format) -> xlsx::Format {
    let color = |Color(color)| xlsx::Color::RGB(color);
    let mut look = xlsx::Format::new();
    if let Some(code) = &format.number_format {
        look = look.set_num_format(&**code);
    }
    if format.bold {
        look = look.set_bold();
    }
    if format.italic {
        look = look.set_italic();
    }
    if format.underline {
        look = look.set_underline(xlsx::FormatUnderline::Single);
    }
    if format.strikethrough {
        look = look.set_font_strikethrough();
    }
    if format.wrap {
        look = look.set_text_wrap();
    }
    if let Some(horizontal) = format.horizontal {
        look = look.set_align(match horizontal {
            HorizontalAlignment::Left => xlsx::FormatAlign::Left,
            HorizontalAlignment::Center => xlsx::FormatAlign::Center,
            HorizontalAlignment::Right => xlsx::FormatAlign::Right,
        });
    }
    if let Some(vertical) = format.vertical {
        look = look.set_align(match vertical {
            VerticalAlignment::Top => xlsx::FormatAlign::Top,
            VerticalAlignment::Middle => xlsx::FormatAlign::VerticalCenter,
            VerticalAlignment::Bottom => xlsx::FormatAlign::Bottom,
        });
    }
    if let Some(text_color) = format.text_color {
        look = look.set_font_color(color(text_color));
    }
    if let Some(fill_color) = format.fill_color {
        look = look.set_background_color(color(fill_color));
    }
    if let Some(border) = format.border_top {
        look = look.set_border_top(line(border)).set_border_top_color(line_color(border));
    }
    if let Some(border) = format.border_right {
        look = look.set_border_right(line(border)).set_border_right_color(line_color(border));
    }
    if let Some(border) = format.border_bottom {
        look = look.set_border_bottom(line(border)).set_border_bottom_color(line_color(border));
    }
    if let Some(border) = format.border_left {
        look = look.set_border_left(line(border)).set_border_left_color(line_color(border));
    }
    if let Some(family) = &format.font_family {
        look = look.set_font_name(&**family);
    }
    if let Some(size) = format.font_size {
        look = look.set_font_size(size.points());
    }
    if format.indent > 0 {
        look = look.set_indent(format.indent);
    }
    match format.rotation.degrees() {
        0 => {}
        255 => look = look.set_rotation(270), // the writer's number for letters below one another
        degrees => look = look.set_rotation(degrees),
    }
    if format.overflow == Some(Overflow::Shrink) {
        look = look.set_shrink();
    }
    look
}

fn line(border: Border) -> xlsx::FormatBorder {
    match border.style {
        BorderStyle::Thin => xlsx::FormatBorder::Thin,
        BorderStyle::Medium => xlsx::FormatBorder::Medium,
        BorderStyle::Thick => xlsx::FormatBorder::Thick,
        BorderStyle::Dashed => xlsx::FormatBorder::Dashed,
        BorderStyle::Dotted => xlsx::FormatBorder::Dotted,
        BorderStyle::Double => xlsx::FormatBorder::Double,
        BorderStyle::Hair => xlsx::FormatBorder::Hair,
        BorderStyle::MediumDashed => xlsx::FormatBorder::MediumDashed,
        BorderStyle::DashDot => xlsx::FormatBorder::DashDot,
        BorderStyle::MediumDashDot => xlsx::FormatBorder::MediumDashDot,
        BorderStyle::DashDotDot => xlsx::FormatBorder::DashDotDot,
        BorderStyle::MediumDashDotDot => xlsx::FormatBorder::MediumDashDotDot,
        BorderStyle::SlantDashDot => xlsx::FormatBorder::SlantDashDot,
    }
}

fn line_color(border: Border) -> xlsx::Color {
    border.color.map_or(xlsx::Color::Automatic, |Color(rgb)| xlsx::Color::RGB(rgb))
}
