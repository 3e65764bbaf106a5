//! Writes a workbook as `.ods`, including the results of formulas.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::sync::Arc;

use quadrille_cell::{CellAddress, DateSystem, Dimension, Range, Value};
use quadrille_formula::Host;
use quadrille_number_format::NumberFormat;
use quadrille_operation::style_format;
use quadrille_workbook::{Color, Field, Format, FormatPatch, ItemId, ItemKind, Sheet, TextRuns, Workbook};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::format_properties::{properties, properties_in_style};
use super::groups::Groups;
use super::lengths::POINT_PX;
use super::names::openformula;
use super::numbers::{data_style, escaped};
use super::page_styles::WrittenPages;
use super::sheet_parts::{SheetParts, written_range};
use super::styles::CONDITIONAL_STYLE;
use super::write_charts::{CHART_MEDIA_TYPE, Charts};
use super::write_conditional_formats::conditional_formats;
use super::write_images::{ImageFile, WrittenImages};
use super::write_text::{font_properties, paragraph, paragraphs, spaced};
use super::written_cells::WrittenCells;
use crate::displayed_rows::{Numbers, displayed_text};
use crate::error::{FileError, FileErrorCode};
use crate::images::Images;
use crate::limits::{COLUMNS_MAX, ROWS_MAX};
use crate::pivot_source::pivot_format;
use crate::sheet_titles::with_titles;
use crate::xlsx::page_breaks;

const MEDIA_TYPE: &str = "application/vnd.oasis.opendocument.spreadsheet";
const NAMESPACES: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" \
    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
    xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" \
    xmlns:number=\"urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0\" \
    xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\" \
    xmlns:calcext=\"urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0\" \
    xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\" \
    xmlns:css3t=\"http://www.w3.org/TR/css3-text/\" \
    xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
    xmlns:of=\"urn:oasis:names:tc:opendocument:xmlns:of:1.2\" office:version=\"1.3\"";
const DEFAULT_STYLE: &str = "<style:style style:name=\"Default\" style:family=\"table-cell\"/>";

/// Returns the bytes of the `.ods` file. Fails with `CannotWrite`.
pub(crate) fn write(workbook: &Workbook, images: &Images) -> Result<Vec<u8>, FileError> {
    let mut written = WrittenImages::new(images, false);
    let parts = Content::default().parts(workbook, &mut written);
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-content {NAMESPACES}>{}\
         <office:automatic-styles>{}</office:automatic-styles>{}</office:document-content>",
        parts.fonts, parts.styles, parts.body
    );
    archive(&content, &parts, &written, workbook.title())
        .map_err(|error| FileError::new(FileErrorCode::CannotWrite, error.to_string()))
}

/// Returns the workbook as one XML document, a `.fods` file.
pub(crate) fn write_flat(workbook: &Workbook, images: &Images) -> String {
    let content = Content { charts: Charts::flat(), ..Content::default() };
    let DocumentParts { settings, fonts, named_styles, layouts, masters, styles, body, .. } =
        content.parts(workbook, &mut WrittenImages::new(images, true));
    let title = workbook.title().map(|title| format!("<dc:title>{}</dc:title>", escaped(title)));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document {NAMESPACES} \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" office:mimetype=\"{MEDIA_TYPE}\">\
         <office:meta>{}</office:meta>{settings}{fonts}<office:styles>{DEFAULT_STYLE}{named_styles}</office:styles>\
         <office:automatic-styles>{layouts}{styles}</office:automatic-styles>{masters}{body}\
         </office:document>",
        title.unwrap_or_default()
    )
}

fn archive(
    content: &str,
    parts: &DocumentParts,
    images: &WrittenImages<'_>,
    title: Option<&str>,
) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // The first entry is uncompressed, so that programs recognize the file by its first bytes.
    let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let packed = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    zip.start_file("mimetype", plain)?;
    zip.write_all(MEDIA_TYPE.as_bytes())?;
    let object = |number: usize| format!("Object {number}");
    let mut objects = String::new();
    for number in 1..=parts.charts.len() {
        let object = object(number);
        objects += &format!(
            "<manifest:file-entry manifest:full-path=\"{object}/\" manifest:version=\"1.3\" \
             manifest:media-type=\"{CHART_MEDIA_TYPE}\"/><manifest:file-entry \
             manifest:full-path=\"{object}/content.xml\" manifest:media-type=\"text/xml\"/>"
        );
    }
    for (path, ImageFile { media_type, .. }) in &images.files {
        objects += &format!(
            "<manifest:file-entry manifest:full-path=\"{path}\" manifest:media-type=\"{media_type}\"/>"
        );
    }
    let manifest = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest:manifest \
         xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\" manifest:version=\"1.3\">\
         <manifest:file-entry manifest:full-path=\"/\" manifest:version=\"1.3\" manifest:media-type=\"{MEDIA_TYPE}\"/>\
         <manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\"/>\
         <manifest:file-entry manifest:full-path=\"meta.xml\" manifest:media-type=\"text/xml\"/>\
         <manifest:file-entry manifest:full-path=\"settings.xml\" manifest:media-type=\"text/xml\"/>\
         <manifest:file-entry manifest:full-path=\"styles.xml\" manifest:media-type=\"text/xml\"/>{objects}</manifest:manifest>"
    );
    let title = title.map(|title| format!("<dc:title>{}</dc:title>", escaped(title))).unwrap_or_default();
    let meta = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-meta {NAMESPACES} \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><office:meta>{title}</office:meta></office:document-meta>"
    );
    let styles = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-styles {NAMESPACES}>{}<office:styles>\
         {DEFAULT_STYLE}{}</office:styles><office:automatic-styles>{}</office:automatic-styles>{}\
         </office:document-styles>",
        parts.fonts, parts.named_styles, parts.layouts, parts.masters
    );
    let settings = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-settings {NAMESPACES}>{}\
         </office:document-settings>",
        parts.settings
    );
    for (name, text) in [
        ("content.xml", content),
        ("meta.xml", &meta),
        ("settings.xml", &settings),
        ("styles.xml", &styles),
        ("META-INF/manifest.xml", &manifest),
    ] {
        zip.start_file(name, packed)?;
        zip.write_all(text.as_bytes())?;
    }
    for (chart, number) in parts.charts.iter().zip(1..) {
        zip.start_file(format!("{}/content.xml", object(number)), packed)?;
        zip.write_all(chart.as_bytes())?;
    }
    for (path, ImageFile { bytes, .. }) in &images.files {
        // They are compressed.
        zip.start_file(path.as_str(), plain)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The parts of `content.xml` while the sheets are written.
#[derive(Default)]
struct Content {
    /// Cell styles, and styles of conditional formats.
    named_styles: String,
    pages: WrittenPages,
    charts: Charts,
    /// Names and formats of cell styles.
    cell_styles: HashMap<ItemId, (String, Format)>,
    conditional: HashMap<Format, String>,
    styles: String,
    body: String,
    cells: HashMap<Format, String>,
    texts: HashMap<FormatPatch, String>,
    codes: HashMap<String, Option<String>>,
    axis_styles: HashMap<(Dimension, AxisStyle), String>,
    fonts: BTreeSet<Arc<str>>,
}

/// The elements of a document that differ from workbook to workbook, in their order.
struct DocumentParts {
    settings: String,
    fonts: String,
    named_styles: String,
    /// Page layouts, which are automatic styles, and master pages.
    layouts: String,
    masters: String,
    styles: String,
    body: String,
    /// The documents of the charts in an archive.
    charts: Vec<String>,
}

impl Content {
    fn parts(mut self, workbook: &Workbook, images: &mut WrittenImages<'_>) -> DocumentParts {
        let workbook = &with_titles(workbook, None);
        self.named_styles(workbook);
        if workbook.date_system() == DateSystem::From1904 {
            self.body.push_str(
                "<table:calculation-settings><table:null-date table:date-value=\"1904-01-01\"/></table:calculation-settings>",
            );
        }
        self.body.push_str(&super::validations::content_validations(workbook));
        for sheet in workbook.sheets() {
            self.sheet(workbook, sheet, images);
        }
        self.body.push_str(&super::names::named_expressions(workbook, None));
        self.body.push_str(&super::filters::database_ranges(workbook));
        self.body.push_str(&super::pivots::data_pilot_tables(workbook));
        let Content { named_styles, styles, body, fonts, pages, charts, .. } = self;
        let mut faces = String::new();
        for font in fonts {
            let name = escaped(&font);
            faces += &format!("<style:font-face style:name=\"{name}\" svg:font-family=\"'{name}'\"/>");
        }
        DocumentParts {
            settings: super::view_settings::settings(workbook),
            named_styles: named_styles + &images.shape_styles.named,
            layouts: pages.layouts,
            masters: format!("<office:master-styles>{}</office:master-styles>", pages.masters),
            fonts: format!("<office:font-face-decls>{faces}</office:font-face-decls>"),
            styles: styles + &images.shape_styles.automatic,
            charts: charts.documents,
            body: format!("<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"),
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("writing to a string does not fail");
    }

    fn sheet(&mut self, workbook: &Workbook, sheet: &Sheet, images: &mut WrittenImages<'_>) {
        let settings = sheet.items().of_kind(ItemKind::SheetSettings).next().map(|(_, item)| item);
        let is = |field| settings.and_then(|item| item.boolean(field)) == Some(true);
        let page = self.pages.add(sheet);
        let tab = settings.and_then(|item| item.color(Field::TabColor));
        let table_style = self.table_style(is(Field::Hidden), is(Field::RightToLeft), tab, page);
        self.put(format_args!(
            "<table:table table:name=\"{}\" table:style-name=\"{table_style}\">",
            escaped(sheet.name())
        ));
        let range = written_range(sheet);
        self.columns(sheet, range);
        let mut frames = self.charts.frames(workbook, sheet);
        images.add_frames(sheet, self.charts.count, &mut frames);
        let parts = SheetParts::new(workbook, sheet, frames);
        let mut blank_rows = 0_u32;
        let mut written = WrittenCells::new(sheet, &parts, range);
        for row in 0..=range.last().row.get() {
            self.between_rows(parts.row_groups.starts(row), &mut blank_rows);
            let before = self.body.len();
            let is_blank = !self.row(workbook, sheet, &parts, row, &mut written);
            if is_blank {
                self.body.truncate(before);
                blank_rows += 1;
            } else if blank_rows > 0 {
                let this = self.body.split_off(before);
                self.blank_rows(&mut blank_rows);
                self.body.push_str(&this);
            }
            self.between_rows(parts.row_groups.ends(row), &mut blank_rows);
        }
        self.blank_rows(&mut blank_rows);
        self.rows_below(&parts, range.last().row.get() + 1);
        self.body.push_str(&super::names::named_expressions(workbook, Some(sheet)));
        let rules = conditional_formats(workbook, sheet, |format| self.conditional_style(format));
        self.body.push_str(&rules);
        self.body.push_str("</table:table>");
    }

    /// Writes the blank rows so far.
    fn blank_rows(&mut self, count: &mut u32) {
        if *count > 0 {
            self.put(format_args!(
                "<table:table-row table:number-rows-repeated=\"{count}\"><table:table-cell/></table:table-row>"
            ));
        }
        *count = 0;
    }

    /// Writes the elements between two rows, and the blank rows before them.
    fn between_rows(&mut self, elements: &str, blank_rows: &mut u32) {
        if !elements.is_empty() {
            self.blank_rows(blank_rows);
            self.body.push_str(elements);
        }
    }

    /// Writes the rows below the written range, whose cells only have images, charts and the validation of their
    /// column.
    fn rows_below(&mut self, parts: &SheetParts, first: u32) {
        let mut row = first;
        let framed: BTreeSet<u32> = parts.frames.range((first, 0)..).map(|((row, _), _)| *row).collect();
        for framed_row in framed {
            self.plain_rows(parts, row, framed_row);
            self.plain_rows(parts, framed_row, framed_row + 1);
            row = framed_row + 1;
        }
        if !parts.validated_columns.is_empty() {
            self.plain_rows(parts, row, ROWS_MAX);
        }
    }

    /// Writes the rows from `row` to the one before `end`, as one row with the frames of the first.
    fn plain_rows(&mut self, parts: &SheetParts, row: u32, end: u32) {
        if row >= end {
            return;
        }
        // Columns with frames, and ranges of columns with a validation between them.
        let mut spans: BTreeMap<u32, (u32, Option<&str>, &str)> = BTreeMap::new();
        let mut column = 0;
        let framed = parts.framed_columns(row, 0);
        for (range, name) in &parts.validated_columns {
            let (first, last) = (range.first().column.get().max(column), range.last().column.get());
            column = column.max(last + 1);
            let mut start = first;
            for framed in framed.iter().copied().filter(|framed| (first..=last).contains(framed)) {
                spans.insert(start, (framed, Some(name), ""));
                spans.insert(framed, (framed + 1, Some(name), ""));
                start = framed + 1;
            }
            if start <= last {
                spans.insert(start, (last + 1, Some(name), ""));
            }
        }
        for column in framed {
            let frame = parts.frames.get(&(row, column)).map_or("", String::as_str);
            spans.entry(column).or_insert((column + 1, None, "")).2 = frame;
        }
        self.put(format_args!("<table:table-row table:number-rows-repeated=\"{}\">", end - row));
        let mut column = 0;
        for (first, (end, name, frame)) in spans.into_iter().filter(|(first, (end, ..))| first < end) {
            if first > column {
                let blanks = first - column;
                self.put(format_args!("<table:table-cell table:number-columns-repeated=\"{blanks}\"/>"));
            }
            self.body.push_str("<table:table-cell");
            if let Some(name) = name {
                self.put(format_args!(" table:content-validation-name=\"{name}\""));
            }
            self.put(format_args!(
                " table:number-columns-repeated=\"{}\">{frame}</table:table-cell>",
                end - first
            ));
            column = end;
        }
        if column == 0 {
            self.body.push_str("<table:table-cell/>");
        }
        self.body.push_str("</table:table-row>");
    }

    fn table_style(
        &mut self,
        is_hidden: bool,
        is_right_to_left: bool,
        tab: Option<Color>,
        page: Option<String>,
    ) -> String {
        let page = page.unwrap_or_default();
        let tab = tab.map_or_else(String::new, |Color(color)| format!("{color:06x}"));
        let name = format!("ta{}{}{tab}{page}", u8::from(is_hidden), u8::from(is_right_to_left));
        let master = match page.as_str() {
            "" => String::new(),
            page => format!(" style:master-page-name=\"{page}\""),
        };
        if !self.styles.contains(&format!("style:name=\"{name}\"")) {
            let direction = if is_right_to_left { "rl-tb" } else { "lr-tb" };
            self.styles += &format!(
                "<style:style style:name=\"{name}\" style:family=\"table\"{master}><style:table-properties \
                 table:display=\"{}\" style:writing-mode=\"{direction}\"{}/></style:style>",
                !is_hidden,
                if tab.is_empty() { tab } else { format!(" table:tab-color=\"#{tab}\"") }
            );
        }
        name
    }

    fn columns(&mut self, sheet: &Sheet, range: Range) {
        let last = range.last().column.get();
        let sized = sheet.size_runs(Dimension::Columns).map(|(first, count, _)| first + count);
        let breaks = page_breaks(sheet, Dimension::Columns);
        let broken = breaks.iter().map(|column| column + 1);
        let groups = Groups::of(sheet, Dimension::Columns);
        let end = sized.chain(broken).chain([last + 1, groups.end()]).max().unwrap_or(1).min(COLUMNS_MAX);
        let mut column = 0;
        while column < end {
            let of = |column| {
                let size = sheet.size(Dimension::Columns, column);
                let style = AxisStyle { size, begins_page: breaks.contains(&column) };
                (style, sheet.is_hidden(Dimension::Columns, column) || groups.hides(column))
            };
            let (style, is_hidden) = of(column);
            let continues = |at: &u32| {
                let is_bound = !groups.starts(*at).is_empty() || !groups.ends(*at - 1).is_empty();
                of(*at) == (style, is_hidden) && !is_bound
            };
            let count = 1 + (column + 1..end).take_while(continues).count() as u32;
            self.body.push_str(groups.starts(column));
            let style = self.axis_style(Dimension::Columns, style);
            let hidden = if is_hidden { " table:visibility=\"collapse\"" } else { "" };
            self.put(format_args!(
                "<table:table-column{style}{hidden} table:number-columns-repeated=\"{count}\"/>"
            ));
            column += count;
            self.body.push_str(groups.ends(column - 1));
        }
    }

    /// Writes a row with those of its cells that are written. Returns `false` if the row has neither content nor format, size or hidden
    /// state.
    fn row(
        &mut self,
        workbook: &Workbook,
        sheet: &Sheet,
        parts: &SheetParts,
        row: u32,
        written: &mut WrittenCells,
    ) -> bool {
        let size = sheet.size(Dimension::Rows, row);
        let style = AxisStyle { size, begins_page: parts.page_breaks.contains(&row) };
        let is_hidden = sheet.is_hidden(Dimension::Rows, row) || parts.row_groups.hides(row);
        let mut has_any = style != AxisStyle::default() || is_hidden;
        let style = self.axis_style(Dimension::Rows, style);
        let hidden = if is_hidden { " table:visibility=\"collapse\"" } else { "" };
        self.put(format_args!("<table:table-row{style}{hidden}>"));
        let mut next = 0_u32;
        for column in written.columns(row) {
            let cell = CellAddress::clamped(row, column);
            let before = self.body.len();
            let is_plain = !self.cell(workbook, sheet, parts, cell, &mut written.blanks_left);
            if is_plain {
                self.body.truncate(before);
                continue;
            }
            has_any = true;
            let blanks = column - next;
            if blanks > 0 {
                let this = self.body.split_off(before);
                self.put(format_args!("<table:table-cell table:number-columns-repeated=\"{blanks}\"/>"));
                self.body.push_str(&this);
            }
            next = column + 1;
        }
        // A row contains at least one cell.
        let blanks = written.columns_end.saturating_sub(next);
        if blanks > 0 {
            self.put(format_args!("<table:table-cell table:number-columns-repeated=\"{blanks}\"/>"));
        }
        self.body.push_str("</table:table-row>");
        has_any
    }

    /// Writes a cell. Returns `false` for a blank cell without format, merge and note.
    fn cell(
        &mut self,
        workbook: &Workbook,
        sheet: &Sheet,
        parts: &SheetParts,
        cell: CellAddress,
        blanks_left: &mut u64,
    ) -> bool {
        let pivot = parts.pivots.iter().find(|pivot| pivot.area.contains(cell));
        let value = sheet.value(cell);
        let own = pivot.map(|pivot| pivot_format(workbook, sheet, pivot, cell));
        let format = own.as_ref().unwrap_or_else(|| sheet.format(cell));
        let is_formatted = *format != Format::default() && (!value.is_blank() || *blanks_left > 0);
        if is_formatted && value.is_blank() {
            *blanks_left -= 1;
        }
        let merge = parts.merges.get(&cell);
        let is_covered = parts.covered.contains(&cell);
        let note = parts.notes.get(&cell);
        let formula = sheet.formula(cell);
        let validation = parts.validations.get(&cell);
        let frame = parts.frames.get(&(cell.row.get(), cell.column.get()));
        if value.is_blank()
            && formula.is_none()
            && validation.is_none()
            && !is_formatted
            && merge.is_none()
            && !is_covered
            && note.is_none()
            && frame.is_none()
        {
            return false;
        }
        let element = if is_covered { "covered-table-cell" } else { "table-cell" };
        self.put(format_args!("<table:{element}"));
        if is_formatted {
            let style = self.cell_style(format);
            self.put(format_args!(" table:style-name=\"{style}\""));
        }
        if let Some(name) = validation {
            self.put(format_args!(" table:content-validation-name=\"{name}\""));
        }
        if let Some(range) = merge {
            let (rows, columns) = (range.row_count(), range.column_count());
            self.put(format_args!(
                " table:number-columns-spanned=\"{columns}\" table:number-rows-spanned=\"{rows}\""
            ));
        }
        if let Some(template) = formula {
            // A formula that OpenFormula cannot express is written as its value.
            if let Some(open) = openformula(template, Host { sheet: sheet.id(), cell }, workbook) {
                self.put(format_args!(" table:formula=\"of:={}\"", escaped(&open)));
                let spilled = sheet.spilled_range(cell);
                if spilled.cell_count() > 1 {
                    let (rows, columns) = (spilled.row_count(), spilled.column_count());
                    self.put(format_args!(
                        " table:number-matrix-columns-spanned=\"{columns}\" table:number-matrix-rows-spanned=\"{rows}\""
                    ));
                }
            }
        }
        let dates = workbook.date_system();
        let code =
            format.number_format.as_deref().map(|code| NumberFormat::parse(code).with_date_system(dates));
        self.value_attributes(&value, code.as_ref(), dates);
        self.body.push('>');
        if let Some(text) = note {
            self.put(format_args!("<office:annotation>{}</office:annotation>", paragraphs(text, None)));
        }
        let text = displayed_text(&value, Numbers::AsShown, code.as_ref());
        let link = parts.links.get(&cell).map(String::as_str);
        match sheet.rich_text(cell).filter(|(rich, _)| **rich == *text) {
            Some((_, runs)) => self.rich_paragraphs(&text, runs, link),
            None if text.is_empty() => {}
            None => self.body.push_str(&paragraphs(&text, link)),
        }
        self.body.push_str(frame.map_or("", String::as_str));
        self.put(format_args!("</table:{element}>"));
        true
    }

    fn value_attributes(&mut self, value: &Value, code: Option<&NumberFormat>, dates: DateSystem) {
        match value {
            Value::Blank => {}
            Value::Number(number) if code.is_some_and(NumberFormat::is_date) && *number >= 1.0 => {
                let date = NumberFormat::parse("yyyy-mm-dd\"T\"hh:mm:ss").with_date_system(dates);
                let date = date.format(value).text;
                self.put(format_args!(" office:value-type=\"date\" office:date-value=\"{date}\""));
            }
            Value::Number(number) => {
                self.put(format_args!(" office:value-type=\"float\" office:value=\"{number}\""));
            }
            Value::Boolean(boolean) => {
                self.put(format_args!(" office:value-type=\"boolean\" office:boolean-value=\"{boolean}\""));
            }
            Value::Text(_) | Value::Error(_) => self.body.push_str(" office:value-type=\"string\""),
        }
    }

    /// The attribute with the style of a row or a column; empty for the default style.
    fn axis_style(&mut self, dimension: Dimension, style: AxisStyle) -> String {
        if style == AxisStyle::default() {
            return String::new();
        }
        let number = self.axis_styles.len() + 1;
        let name = self.axis_styles.entry((dimension, style)).or_insert_with(|| {
            let (element, prefix, property, more) = match dimension {
                Dimension::Columns => ("column", "co", "column-width", ""),
                Dimension::Rows => ("row", "ro", "row-height", " style:use-optimal-row-height=\"false\""),
            };
            let size = style
                .size
                .map(|size| format!(" style:{property}=\"{:.2}pt\"{more}", f64::from(size) / POINT_PX));
            let begins_page = if style.begins_page { " fo:break-before=\"page\"" } else { "" };
            self.styles += &format!(
                "<style:style style:name=\"{prefix}{number}\" style:family=\"table-{element}\">\
                 <style:table-{element}-properties{}{begins_page}/></style:style>",
                size.unwrap_or_default()
            );
            format!("{prefix}{number}")
        });
        format!(" table:style-name=\"{name}\"")
    }

    /// Writes a text of which parts have fonts of their own.
    fn rich_paragraphs(&mut self, text: &str, runs: &TextRuns, link: Option<&str>) {
        let mut line = String::new();
        for (part, font) in runs.parts(text).unwrap_or_default() {
            let style = (!font.is_empty()).then(|| self.text_style(&font));
            for (at, more) in part.split('\n').enumerate() {
                if at > 0 {
                    let paragraph = paragraph(&std::mem::take(&mut line), link);
                    self.body.push_str(&paragraph);
                }
                match &style {
                    _ if more.is_empty() => {}
                    None => line += &spaced(more),
                    Some(style) => {
                        line +=
                            &format!("<text:span text:style-name=\"{style}\">{}</text:span>", spaced(more));
                    }
                }
            }
        }
        self.body.push_str(&paragraph(&line, link));
    }

    fn text_style(&mut self, font: &FormatPatch) -> String {
        if let Some(name) = self.texts.get(font) {
            return name.clone();
        }
        let name = format!("T{}", self.texts.len() + 1);
        self.fonts.extend(font.font_family.clone().flatten());
        self.styles += &format!(
            "<style:style style:name=\"{name}\" style:family=\"text\"><style:text-properties{}/></style:style>",
            font_properties(font)
        );
        self.texts.insert(font.clone(), name.clone());
        name
    }

    fn cell_style(&mut self, format: &Format) -> String {
        let format = &Format { text_runs: None, ..format.clone() };
        if let Some(name) = self.cells.get(format) {
            return name.clone();
        }
        let named = format.cell_style.and_then(|id| self.cell_styles.get(&id)).cloned();
        let (parent, style) = named.unwrap_or_else(|| ("Default".to_owned(), Format::default()));
        let style = Format { cell_style: format.cell_style, direct: format.direct, ..style };
        if *format == style && format.cell_style.is_some() {
            return parent;
        }
        let name = format!("ce{}", self.cells.len() + 1);
        self.fonts.extend(format.font_family.clone());
        let general = style.number_format.is_some().then_some("General");
        let data = format.number_format.as_deref().or(general).and_then(|code| self.data_style(code));
        let data = data.map_or(String::new(), |data| format!(" style:data-style-name=\"{data}\""));
        self.styles += &format!(
            "<style:style style:name=\"{name}\" style:family=\"table-cell\" style:parent-style-name=\"{parent}\"{data}>\
             {}</style:style>",
            properties_in_style(format, &style)
        );
        self.cells.insert(format.clone(), name.clone());
        name
    }

    /// Writes the cell styles.
    fn named_styles(&mut self, workbook: &Workbook) {
        for ((id, item), number) in workbook.items().of_kind(ItemKind::CellStyle).zip(1..) {
            let format = style_format(workbook, id);
            let name = format!("Style{number}");
            let displayed = escaped(item.text(Field::Name).map_or("", |name| name));
            self.named_style(&name, &displayed, &format, &format!("NS{number}"));
            self.cell_styles.insert(id, (name, format));
        }
    }

    fn named_style(&mut self, name: &str, displayed: &str, format: &Format, data: &str) {
        self.fonts.extend(format.font_family.clone());
        let data_style = format.number_format.as_deref().and_then(|code| data_style(code, data));
        let of_data = data_style.as_ref().map(|_| format!(" style:data-style-name=\"{data}\""));
        self.named_styles += &format!(
            "{}<style:style style:name=\"{name}\" style:display-name=\"{displayed}\" \
             style:family=\"table-cell\" style:parent-style-name=\"Default\"{}>{}</style:style>",
            data_style.unwrap_or_default(),
            of_data.unwrap_or_default(),
            properties(format)
        );
    }

    /// The named style of cells that meet a rule.
    fn conditional_style(&mut self, format: &Format) -> String {
        if let Some(name) = self.conditional.get(format) {
            return name.clone();
        }
        let number = self.conditional.len() + 1;
        let name = format!("{CONDITIONAL_STYLE}{number}");
        self.named_style(&name, &name, format, &format!("NC{number}"));
        self.conditional.insert(format.clone(), name.clone());
        name
    }

    fn data_style(&mut self, code: &str) -> Option<String> {
        if let Some(name) = self.codes.get(code) {
            return name.clone();
        }
        let name = format!("N{}", self.codes.len() + 100);
        let style = data_style(code, &name);
        let name = style.map(|style| {
            self.styles += &style;
            name
        });
        self.codes.insert(code.to_owned(), name.clone());
        name
    }
}

/// The style of a row or a column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct AxisStyle {
    /// In CSS pixels.
    size: Option<u16>,
    begins_page: bool,
}
