//! Writes a workbook as `.xlsx`, including the results of formulas.

use quadrille_cell::{CellAddress, Dimension, Range, Value};
use quadrille_formula::{Host, TableRows, Template, name_scope, structured_name};
use quadrille_workbook::{
    Border, BorderStyle, Color, Field, FillPattern, FontScript, Format, FormatPatch, HorizontalAlignment,
    Input, ItemId, Overflow, ReadingOrder, Sheet, UnderlineStyle, VerticalAlignment, Workbook,
};
use rust_xlsxwriter as xlsx;

use super::added_parts::AddedParts;
use super::chart_ranges::without_marks;
use super::data_tables::{DataTables, add_data_tables};
use super::formulas::file_text;
use super::implicit_intersection::{with_implicit_intersection, without_implicit_intersection};
use super::package_parts::PackageParts;
use super::page_setup::add_headers;
use super::placeholders::Placeholders;
use super::protection::add_file_attributes;
use super::slicer_plan::SlicerPlan;
use super::threaded_comments::add_threads;
use super::workbook_settings::add_settings;
use super::write_bubbles::with_bubbles;
use super::write_cell_styles::add_cell_styles;
use super::write_charts::with_price_lines;
use super::write_filters::add_filters;
use super::write_images::write_images;
use super::write_newer_charts::add_newer_charts;
use super::write_package_parts::put_package_parts;
use super::write_pivots::add_pivots;
use super::write_shapes::WrittenShapes;
use super::write_slicers::{add_slicers, write_frames};
use super::write_target::{TITLE_LENGTH_MAX, Target};
use super::{chart_sheets, checkboxes};
use crate::error::{FileError, FileErrorCode};
use crate::filtered_rows::FilteredRows;
use crate::images::Images;
use crate::limits::{CELLS_MAX, COLUMNS_MAX, ROWS_MAX};
use crate::pivot_source::{filled_pivots, pivot_format};
use crate::printed_name::printed_name;
use crate::sheet_titles::with_titles;

/// Returns the bytes of the `.xlsx` file. Fails with `CannotWrite`.
pub(crate) fn write(
    workbook: &Workbook,
    images: &Images,
    filtered: &FilteredRows,
) -> Result<Vec<u8>, FileError> {
    let cannot = |error: String| FileError::new(FileErrorCode::CannotWrite, error);
    let workbook = &with_titles(workbook, Some(TITLE_LENGTH_MAX));
    let kept = PackageParts::of(workbook, images);
    let plan = SlicerPlan::of(workbook);
    let mut shapes = WrittenShapes::default();
    let (file, titles) = write_workbook(workbook, images, filtered, &kept, &plan, &mut shapes)
        .map_err(|error| cannot(error.to_string()))?;
    let mut added = AddedParts::new(chart_sheets::sheet_parts(workbook));
    add_cell_styles(workbook, &|format| convert(format, &kept), &mut added)
        .map_err(|error| cannot(error.to_string()))?;
    add_file_attributes(workbook, &mut added);
    add_settings(workbook, &mut added);
    add_pivots(workbook, &plan.pivots, &plan.sliced_caches(), &titles, &mut added);
    add_headers(workbook, &mut added);
    add_filters(workbook, &file, &mut added);
    add_threads(workbook, &mut added);
    add_data_tables(workbook, &mut added);
    add_slicers(workbook, &plan, &file, &mut added).map_err(|error| cannot(error.to_string()))?;
    add_newer_charts(workbook, &file, &mut added);
    shapes.add(&file, &mut added);
    added.change_below("xl/charts/", |chart| without_marks(&with_bubbles(&with_price_lines(chart))));
    let file = added.put_into(file).map_err(|error| cannot(error.to_string()))?;
    put_package_parts(file, workbook, &titles, &kept).map_err(|error| cannot(error.to_string()))
}

/// The file without what `rust_xlsxwriter` does not support, and the names of its sheets.
fn write_workbook(
    workbook: &Workbook,
    images: &Images,
    filtered: &FilteredRows,
    kept: &PackageParts,
    plan: &SlicerPlan,
    shapes: &mut WrittenShapes,
) -> Result<(Vec<u8>, Vec<String>), xlsx::XlsxError> {
    let mut file = xlsx::Workbook::new();
    if let Some(title) = workbook.title() {
        file.set_properties(&xlsx::DocProperties::new().set_title(title));
    }
    let is_visible = |sheet: &Sheet| {
        sheet.item(ItemId::SETTINGS).is_none_or(|settings| settings.boolean(Field::Hidden) != Some(true))
    };
    let active = workbook.sheets().iter().find(|sheet| is_visible(sheet)).map(|sheet| sheet.id());
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        if let Some(mut target) = chart_sheets::written(workbook, sheet) {
            target.set_name(sheet.name().to_string())?.set_active(active == Some(sheet.id()));
            file.push_worksheet(target);
            continue;
        }
        let target = file.add_worksheet().set_name(sheet.name().to_string())?;
        // Without an active sheet, the first one is shown even if it is hidden.
        if active == Some(sheet.id()) {
            target.set_active(true);
        }
        write_sheet(workbook, sheet, images, kept, target)?;
        let mut placeholders = Placeholders::default();
        let items = Target { workbook, sheet };
        shapes.write(target, &items, position, images, kept.has_macros(), &mut placeholders);
        write_frames(target, sheet, position, plan, &mut placeholders);
        for (first, count) in filtered.get(&sheet.id()).into_iter().flatten() {
            for row in *first..first.saturating_add(*count).min(ROWS_MAX) {
                target.set_row_hidden(row)?;
            }
        }
    }
    let host = Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() };
    for (name, definition) in workbook.names() {
        // `rejected_names` returns the rejected ones.
        if let Some(written) = written_name(name, workbook) {
            let numbered = kept.with_numbers(definition);
            let definition = numbered.as_ref().unwrap_or(definition);
            file.define_name(written, &format!("={}", file_text(definition, host, workbook)))?;
        }
    }
    let titles = workbook.sheets().iter().map(|sheet| sheet.name().to_string()).collect();
    Ok((file.save_to_buffer()?, titles))
}

/// The defined names that Excel rejects, sorted.
pub(crate) fn rejected_names(workbook: &Workbook) -> Vec<String> {
    let rejected = workbook.names().filter(|(name, _)| written_name(name, workbook).is_none());
    let mut names: Vec<String> = rejected.map(|(name, _)| printed_name(name, workbook)).collect();
    names.sort();
    names
}

/// A defined name with the sheet of its scope as `rust_xlsxwriter` expects it; `None` if Excel
/// rejects the name, or a table has it.
fn written_name(name: &str, workbook: &Workbook) -> Option<String> {
    let (sheet, local) = match name_scope(name) {
        Some((id, local)) => (Some(workbook.sheet(id)?), local),
        None => (None, name),
    };
    let is_of_table = workbook.name(&structured_name(local, TableRows::This, None)).is_some();
    let is_allowed = !is_of_table && xlsx::Workbook::new().define_name(local, "=0").is_ok();
    is_allowed.then(|| match sheet {
        Some(sheet) => format!("'{}'!{local}", sheet.name().replace('\'', "''")),
        None => local.to_owned(),
    })
}

fn write_sheet(
    workbook: &Workbook,
    sheet: &Sheet,
    images: &Images,
    kept: &PackageParts,
    target: &mut xlsx::Worksheet,
) -> Result<(), xlsx::XlsxError> {
    let settings = sheet.item(ItemId::SETTINGS);
    if kept.has_macros()
        && let Some(name) = settings.and_then(|settings| settings.text(Field::CodeName))
    {
        let _rejected = target.set_vba_name(name.to_string());
    }
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
    items.write_before_cells(target, &|range| convert(sheet.format(range.first()), kept));
    // Formats of blank cells come first; cells with content are written with their formats
    // afterwards.
    let used = sheet.used_range();
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        write_format(target, sheet, range, &convert(format, kept), used)?;
    }
    // `add_data_tables` adds the formula of a table to its first cell.
    let values = DataTables::of(sheet).into_values();
    for (cell, mut input) in sheet.inputs_in(Range::whole_sheet()) {
        if values.contains(&cell) {
            input = Input::Blank;
        }
        write_formatted(workbook, sheet, kept, target, cell, &input, sheet.format(cell))?;
    }
    write_spilled_values(workbook, sheet, kept, target)?;
    checkboxes::write(target, sheet, used, &|format| convert(format, kept))?;
    if sheet.items().has_pivot_tables() {
        write_pivot_tables(workbook, sheet, kept, target)?;
    }
    items.write_after_cells(target);
    for (cell, name) in items.table_headers() {
        let style = convert(sheet.format(cell), kept);
        target.write_string_with_format(cell.row.get(), cell.column.get() as u16, name, &style)?;
    }
    write_images(target, sheet, images, &|format| convert(format, kept));
    Ok(())
}

/// Writes the results of formulas in the cells that they fill, for programs that do not calculate.
fn write_spilled_values(
    workbook: &Workbook,
    sheet: &Sheet,
    kept: &PackageParts,
    target: &mut xlsx::Worksheet,
) -> Result<(), xlsx::XlsxError> {
    for (column, cells) in sheet.columns_in(Range::whole_sheet()) {
        for run in cells.spilled().iter().filter(|run| is_written_formula(sheet, run.value, kept)) {
            for row in run.first..=run.last {
                let cell = CellAddress::clamped(row, column.get());
                write_formatted(workbook, sheet, kept, target, cell, &Input::Blank, sheet.format(cell))?;
            }
        }
    }
    Ok(())
}

fn is_written_formula(sheet: &Sheet, cell: CellAddress, kept: &PackageParts) -> bool {
    sheet.formula(cell).is_some_and(|template| kept.can_express(template))
}

/// Writes the values of the cells of pivot tables, which are marked as filled from a cell without a
/// formula.
fn write_pivot_tables(
    workbook: &Workbook,
    sheet: &Sheet,
    kept: &PackageParts,
    target: &mut xlsx::Worksheet,
) -> Result<(), xlsx::XlsxError> {
    let pivots = filled_pivots(workbook, sheet);
    for (column, cells) in sheet.columns_in(Range::whole_sheet()) {
        for run in cells.spilled().iter().filter(|run| sheet.formula(run.value).is_none()) {
            for row in run.first..=run.last {
                let cell = CellAddress::clamped(row, column.get());
                let pivot = pivots.iter().find(|pivot| pivot.area.contains(cell));
                let format = match pivot {
                    Some(pivot) => pivot_format(workbook, sheet, pivot, cell),
                    None => sheet.format(cell).clone(),
                };
                write_formatted(workbook, sheet, kept, target, cell, &Input::Blank, &format)?;
            }
        }
    }
    Ok(())
}

/// Whether every cell of the columns above the first row is written with its own style, so that the
/// columns can have another one.
fn is_written_above(sheet: &Sheet, first: CellAddress, last: CellAddress) -> bool {
    /// Cells above, at most; more are rarely different from the rest of their column.
    const ABOVE_MAX: u32 = 1_000;
    let columns = last.column.get() - first.column.get() + 1;
    first.row.get().saturating_mul(columns) <= ABOVE_MAX
        && (0..first.row.get())
            .all(|row| (first.column.get()..=last.column.get()).all(|column| is_styled(sheet, row, column)))
}

/// Whether every cell of the rows before the range is written with its own style.
fn is_written_beside(sheet: &Sheet, range: Range) -> bool {
    /// Cells before, at most; the same as above.
    const BESIDE_MAX: u32 = 1_000;
    let (first, last) = (range.first(), range.last());
    let rows = last.row.get() - first.row.get() + 1;
    first.column.get().saturating_mul(rows) <= BESIDE_MAX
        && (first.row.get()..=last.row.get())
            .all(|row| (0..first.column.get()).all(|column| is_styled(sheet, row, column)))
}

fn is_styled(sheet: &Sheet, row: u32, column: u32) -> bool {
    let cell = CellAddress::clamped(row, column);
    *sheet.format(cell) != Format::default() || sheet.input(cell) != Input::Blank
}

/// Writes the format of whole columns and rows as such, and of other ranges cell by cell within the
/// used range.
fn write_format(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    range: Range,
    style: &xlsx::Format,
    used: Option<Range>,
) -> Result<(), xlsx::XlsxError> {
    /// Blank formatted cells of one range, at most; larger ranges are formatted within the used
    /// range only, and up to the limit of cells of a file.
    const BLANKS_MAX: u64 = 100_000;
    let (first, last) = (range.first(), range.last());
    if range.is_whole_columns() {
        let (first, last) = (first.column.get() as u16, last.column.get() as u16);
        target.set_column_range_format(first, last, style)?;
        return Ok(());
    }
    if last.row.get() + 1 == ROWS_MAX && is_written_above(sheet, first, last) {
        target.set_column_range_format(first.column.get() as u16, last.column.get() as u16, style)?;
        return Ok(());
    }
    if last.column.get() + 1 == COLUMNS_MAX && !range.is_whole_rows() && is_written_beside(sheet, range) {
        for row in first.row.get()..=last.row.get() {
            target.set_row_format(row, style)?;
        }
        return Ok(());
    }
    if range.is_whole_rows() {
        for row in first.row.get()..=last.row.get() {
            target.set_row_format(row, style)?;
        }
        return Ok(());
    }
    let range = if range.cell_count() > BLANKS_MAX {
        used.and_then(|used| used.intersection(range))
    } else {
        Some(range)
    };
    let Some(range) = range.filter(|range| range.cell_count() <= CELLS_MAX) else { return Ok(()) };
    for row in range.first().row.get()..=range.last().row.get() {
        for column in range.first().column.get()..=range.last().column.get() {
            target.write_blank(row, column as u16, style)?;
        }
    }
    Ok(())
}

fn write_formatted(
    workbook: &Workbook,
    sheet: &Sheet,
    kept: &PackageParts,
    target: &mut xlsx::Worksheet,
    cell: CellAddress,
    input: &Input,
    format: &Format,
) -> Result<(), xlsx::XlsxError> {
    let (row, column) = (cell.row.get(), cell.column.get() as u16);
    let value = sheet.value(cell);
    let style = (*format != Format::default()).then(|| match format.quote_prefix {
        // Excel would read a formula or number as text when the cell is edited.
        true if matches!(input, Input::Formula(_)) || !matches!(value, Value::Text(_)) => {
            convert(&Format { quote_prefix: false, ..format.clone() }, kept)
        }
        _ => convert(format, kept),
    });
    let style = style.as_ref();
    if let Input::Formula(template) = input
        && kept.can_express(template)
    {
        let numbered = kept.with_numbers(template);
        let template = numbered.as_ref().unwrap_or(template);
        // Unless the formula is marked as dynamic, Excel applies implicit intersection to its
        // array.
        let below = CellAddress::new(row + 1, cell.column.get());
        let beside = CellAddress::new(row, cell.column.get() + 1);
        let has_spilled =
            [below, beside].into_iter().flatten().any(|next| sheet.spill_anchor(next) == Some(cell));
        let (text, is_dynamic) =
            formula_text(template, Host { sheet: sheet.id(), cell }, workbook, has_spilled);
        let formula = xlsx::Formula::new(format!("={text}")).set_result(cached(&value));
        if is_dynamic {
            let end = sheet.spilled_range(cell).last();
            let (last, end) = (end.row.get(), end.column.get() as u16);
            match style {
                Some(style) => {
                    target.write_dynamic_array_formula_with_format(row, column, last, end, formula, style)?
                }
                None => target.write_dynamic_array_formula(row, column, last, end, formula)?,
            };
            return Ok(());
        }
        match style {
            Some(style) => target.write_formula_with_format(row, column, formula, style)?,
            None => target.write_formula(row, column, formula)?,
        };
        return Ok(());
    }
    if let Some(result) = write_rich_text(sheet, cell, format, kept, target, style) {
        return result;
    }
    match (&value, style) {
        (Value::Blank, _) => target,
        (Value::Number(number), Some(style)) => {
            target.write_number_with_format(row, column, *number, style)?
        }
        (Value::Number(number), None) => target.write_number(row, column, *number)?,
        (Value::Boolean(boolean), Some(style)) => {
            target.write_boolean_with_format(row, column, *boolean, style)?
        }
        (Value::Boolean(boolean), None) => target.write_boolean(row, column, *boolean)?,
        (Value::Text(text), Some(style)) => target.write_string_with_format(row, column, &**text, style)?,
        (Value::Text(text), None) => target.write_string(row, column, &**text)?,
        // `rust_xlsxwriter` has no error values; a formula that consists of the error is
        // equivalent.
        (Value::Error(error), style) => {
            let formula = xlsx::Formula::new(format!("={error}")).set_result(error.text());
            match style {
                Some(style) => target.write_formula_with_format(row, column, formula, style)?,
                None => target.write_formula(row, column, formula)?,
            }
        }
    };
    Ok(())
}

/// Writes a text of which parts have fonts of their own. Returns `None` if the cell has no such text,
/// or the file cannot have it.
fn write_rich_text(
    sheet: &Sheet,
    cell: CellAddress,
    format: &Format,
    kept: &PackageParts,
    target: &mut xlsx::Worksheet,
    style: Option<&xlsx::Format>,
) -> Option<Result<(), xlsx::XlsxError>> {
    let (text, runs) = sheet.rich_text(cell)?;
    let parts = runs.parts(&text)?;
    // A first part without a font has that of the cell.
    let font_of = |(at, (_, font)): (usize, &(&str, FormatPatch))| match at == 0 && font.is_empty() {
        true => xlsx::Format::new(),
        // The mark of the named style belongs to the cell.
        false => convert(&Format { cell_style: None, ..font.apply_to(format) }, kept),
    };
    let fonts: Vec<xlsx::Format> = parts.iter().enumerate().map(font_of).collect();
    let parts = parts.iter().zip(&fonts).filter(|((text, _), _)| !text.is_empty());
    let parts: Vec<(&xlsx::Format, &str)> = parts.map(|((text, _), font)| (font, *text)).collect();
    let (row, column) = (cell.row.get(), cell.column.get() as u16);
    let written = match style {
        Some(style) => target.write_rich_string_with_format(row, column, &parts, style),
        None => target.write_rich_string(row, column, &parts),
    };
    match written {
        // `rust_xlsxwriter` counts the markup as well.
        Err(xlsx::XlsxError::MaxStringLengthExceeded) => None,
        written => Some(written.map(|_| ())),
    }
}

/// Whether a file can have the fonts of the parts of a cell's text.
pub(crate) fn can_have_rich_text(sheet: &Sheet, cell: CellAddress) -> bool {
    let (kept, mut target) = (PackageParts::default(), xlsx::Worksheet::new());
    write_rich_text(sheet, cell, sheet.format(cell), &kept, &mut target, None).is_some()
}

/// The formula without `=`, and whether it must be written as a dynamic array formula.
fn formula_text(template: &Template, host: Host, workbook: &Workbook, has_spilled: bool) -> (String, bool) {
    // A formula that would get an `@` when the file is read is dynamic even if nothing has spilled.
    if has_spilled || with_implicit_intersection(template, workbook).is_some() {
        return (file_text(template, host, workbook), true);
    }
    if let Some(bare) = without_implicit_intersection(template, workbook) {
        let text = file_text(&bare, host, workbook);
        // `rust_xlsxwriter` makes formulas with some newer functions dynamic; those keep the
        // operator `@`.
        if !text.contains("_xlfn.") {
            return (text, false);
        }
    }
    (file_text(template, host, workbook), false)
}

/// The cached value of a formula.
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

/// The style of a format. What the format leaves to the default font is that of the file.
fn convert(format: &Format, kept: &PackageParts) -> xlsx::Format {
    let color = |Color(color)| xlsx::Color::RGB(color);
    let mut style = xlsx::Format::new();
    if let Some(code) = &format.number_format {
        style = style.set_num_format(&**code);
    }
    if format.bold {
        style = style.set_bold();
    }
    if format.italic {
        style = style.set_italic();
    }
    if format.underline {
        style = style.set_underline(match format.underline_style {
            None => xlsx::FormatUnderline::Single,
            Some(UnderlineStyle::Double) => xlsx::FormatUnderline::Double,
            Some(UnderlineStyle::SingleAccounting) => xlsx::FormatUnderline::SingleAccounting,
            Some(UnderlineStyle::DoubleAccounting) => xlsx::FormatUnderline::DoubleAccounting,
        });
    }
    if let Some(script) = format.script {
        style = style.set_font_script(match script {
            FontScript::Superscript => xlsx::FormatScript::Superscript,
            FontScript::Subscript => xlsx::FormatScript::Subscript,
        });
    }
    if format.strikethrough {
        style = style.set_font_strikethrough();
    }
    if format.wrap {
        style = style.set_text_wrap();
    }
    if let Some(horizontal) = format.horizontal {
        style = style.set_align(match horizontal {
            HorizontalAlignment::Left => xlsx::FormatAlign::Left,
            HorizontalAlignment::Center => xlsx::FormatAlign::Center,
            HorizontalAlignment::Right => xlsx::FormatAlign::Right,
            HorizontalAlignment::Justify => xlsx::FormatAlign::Justify,
            HorizontalAlignment::Distributed => xlsx::FormatAlign::Distributed,
            HorizontalAlignment::Fill => xlsx::FormatAlign::Fill,
            HorizontalAlignment::CenterContinuous => xlsx::FormatAlign::CenterAcross,
        });
    }
    if let Some(vertical) = format.vertical {
        style = style.set_align(match vertical {
            VerticalAlignment::Top => xlsx::FormatAlign::Top,
            VerticalAlignment::Middle => xlsx::FormatAlign::VerticalCenter,
            VerticalAlignment::Bottom => xlsx::FormatAlign::Bottom,
            VerticalAlignment::Justify => xlsx::FormatAlign::VerticalJustify,
            VerticalAlignment::Distributed => xlsx::FormatAlign::VerticalDistributed,
        });
    }
    if let Some(text_color) = format.text_color {
        style = style.set_font_color(color(text_color));
    }
    if let Some(fill_color) = format.fill_color {
        style = style.set_background_color(color(fill_color));
    }
    if let Some(border) = format.border_top {
        style = style.set_border_top(line(border)).set_border_top_color(line_color(border));
    }
    if let Some(border) = format.border_right {
        style = style.set_border_right(line(border)).set_border_right_color(line_color(border));
    }
    if let Some(border) = format.border_bottom {
        style = style.set_border_bottom(line(border)).set_border_bottom_color(line_color(border));
    }
    if let Some(border) = format.border_left {
        style = style.set_border_left(line(border)).set_border_left_color(line_color(border));
    }
    if let Some(pattern) = format.fill_pattern {
        style = style.set_pattern(fill_pattern(pattern));
        if let Some(pattern_color) = format.fill_pattern_color {
            style = style.set_foreground_color(color(pattern_color));
        }
    }
    // A file has one line style for both diagonals.
    let (up, down) = (format.border_diagonal_up, format.border_diagonal_down);
    if let Some(border) = down.or(up) {
        style = style
            .set_border_diagonal(line(border))
            .set_border_diagonal_color(line_color(border))
            .set_border_diagonal_type(match (up, down) {
                (Some(_), Some(_)) => xlsx::FormatDiagonalBorder::BorderUpDown,
                (Some(_), None) => xlsx::FormatDiagonalBorder::BorderUp,
                (None, _) => xlsx::FormatDiagonalBorder::BorderDown,
            });
    }
    if format.quote_prefix {
        style = style.set_quote_prefix();
    }
    if let Some(order) = format.reading_order {
        style = style.set_reading_direction(match order {
            ReadingOrder::LeftToRight => 1,
            ReadingOrder::RightToLeft => 2,
        });
    }
    let default = kept.manifest.default_font.as_ref();
    if let Some(family) = &format.font_family {
        style = style.set_font_name(&**family);
    } else if let Some(default) = default {
        style = style.set_font_name(&default.name);
        style = style.set_font_scheme(match default.scheme.as_deref() {
            Some("minor") => xlsx::FontScheme::Body,
            Some(_) => xlsx::FontScheme::Headings,
            None => xlsx::FontScheme::None,
        });
    }
    if let Some(points) = format.font_size.map(|size| size.points()).or(default.map(|font| font.points)) {
        style = style.set_font_size(points);
    }
    if format.indent > 0 {
        style = style.set_indent(format.indent);
    }
    match format.rotation.degrees() {
        0 => {}
        255 => style = style.set_rotation(270), // stacked text in `rust_xlsxwriter`
        degrees => style = style.set_rotation(degrees),
    }
    if format.overflow == Some(Overflow::Shrink) {
        style = style.set_shrink();
    }
    kept.cell_styles.mark(style, format)
}

fn fill_pattern(pattern: FillPattern) -> xlsx::FormatPattern {
    match pattern {
        FillPattern::MediumGray => xlsx::FormatPattern::MediumGray,
        FillPattern::DarkGray => xlsx::FormatPattern::DarkGray,
        FillPattern::LightGray => xlsx::FormatPattern::LightGray,
        FillPattern::DarkHorizontal => xlsx::FormatPattern::DarkHorizontal,
        FillPattern::DarkVertical => xlsx::FormatPattern::DarkVertical,
        FillPattern::DarkDown => xlsx::FormatPattern::DarkDown,
        FillPattern::DarkUp => xlsx::FormatPattern::DarkUp,
        FillPattern::DarkGrid => xlsx::FormatPattern::DarkGrid,
        FillPattern::DarkTrellis => xlsx::FormatPattern::DarkTrellis,
        FillPattern::LightHorizontal => xlsx::FormatPattern::LightHorizontal,
        FillPattern::LightVertical => xlsx::FormatPattern::LightVertical,
        FillPattern::LightDown => xlsx::FormatPattern::LightDown,
        FillPattern::LightUp => xlsx::FormatPattern::LightUp,
        FillPattern::LightGrid => xlsx::FormatPattern::LightGrid,
        FillPattern::LightTrellis => xlsx::FormatPattern::LightTrellis,
        FillPattern::Gray125 => xlsx::FormatPattern::Gray125,
        FillPattern::Gray0625 => xlsx::FormatPattern::Gray0625,
    }
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
