//! Reads the tables of an OpenDocument spreadsheet (`content.xml`) as sheets.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, DateSystem, Dimension, ErrorValue, Range, Value};
use quadrille_workbook::{Field, Format, FormatPatch, ItemKind};

use super::chart_xml::Attributes;
use super::conditional_formats;
use super::filters;
use super::formulas::from_openformula;
use super::frames::{self, OpenFrame};
use super::groups::OpenGroups;
use super::pivots;
use super::styles::Styles;
use super::validations::{ValidatedCells, Validations};
use super::view_settings;
use crate::contents::{CellStyle, Contents, FieldTexts, FormatRuns, FormulaSource, ItemContents};
use crate::document_title;
use crate::error::{FileError, FileErrorCode};
use crate::limits::{CELLS_MAX, COLUMNS_MAX, ROWS_MAX};
use crate::progress::ProgressWatch;
use crate::xlsx::archive::{Archive, Part};
use crate::xlsx::xml::{Element, Node};
use crate::xlsx::{put_page_break, whole};

/// Rows with content that one `number-rows-repeated` may stand for, at most. Blank rows may repeat
/// to the end of the sheet.
const REPEATED_MAX: u32 = 10_000;
/// Page breaks before consecutive rows or columns with one style, at most; as many as in Excel.
const PAGE_BREAKS_MAX: u32 = 1_026;

/// Reads an `.ods` file. Fails with `NotAWorkbook` if it contains no table, and with the errors of
/// [`Archive`] and of the limits.
pub(crate) fn read(bytes: &[u8], watch: &mut ProgressWatch) -> Result<Contents, FileError> {
    let mut archive = Archive::open(bytes)?;
    let mut contents = Contents::default();
    document_title::read(&mut archive, "meta.xml", &mut contents);
    let mut styles = Styles::default();
    if let Some(mut part) = archive.part("styles.xml")? {
        styles.read(&mut part)?;
    }
    let missing = || FileError::new(FileErrorCode::NotAWorkbook, "the archive has no content.xml");
    let mut part = archive.part("content.xml")?.ok_or_else(missing)?;
    styles.read(&mut part)?;
    let mut dates = DateSystem::From1900;
    let mut validations = Validations::default();
    let mut frames = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "table" => {
                let name = element.attribute("table:name").unwrap_or_default();
                let style_name = element.attribute("table:style-name").unwrap_or_default();
                let style = styles.table(&style_name);
                let sheet = contents.add_sheet(name)?;
                sheet.rows_of_one_line = Some(Vec::new());
                styles.put_page_setup(&style_name, &mut sheet.settings);
                sheet.settings.flag(Field::Hidden, Some(style.is_hidden), false);
                sheet.settings.flag(Field::RightToLeft, Some(style.is_right_to_left), false);
                sheet.settings.color(Field::TabColor, style.tab_color);
                let table = Table::new(&styles, &validations, dates);
                frames.push(table.read(&mut part, &mut contents, watch)?);
            }
            // Precedes the tables. Other epochs are practically not found in files and are not
            // preserved.
            Node::Start(element)
                if element.name() == "null-date"
                    && element.attribute("table:date-value").as_deref() == Some("1904-01-01") =>
            {
                dates = DateSystem::From1904;
                contents.settings.flag(Field::Date1904, Some(true), false);
            }
            Node::Start(element) if matches!(element.name(), "named-range" | "named-expression") => {
                super::names::read(&mut contents, &element, false);
            }
            Node::Start(element) if element.name() == "content-validations" => {
                validations.read(&mut part, &mut contents)?;
            }
            Node::Start(element) if element.name() == "database-ranges" => {
                filters::read(&mut part, &mut contents)?;
            }
            Node::Start(element) if element.name() == "data-pilot-tables" => {
                pivots::read(&mut part, &mut contents)?;
            }
            Node::EndOfPart => break,
            _ => {}
        }
    }
    drop(part);
    frames::read_objects(&mut archive, frames, &mut contents)?;
    if let Some(mut part) = archive.part("settings.xml")? {
        view_settings::read(&mut part, &mut contents)?;
    }
    if contents.sheets.is_empty() {
        let reason = "the document holds no table: it is not a spreadsheet";
        return Err(FileError::new(FileErrorCode::NotAWorkbook, reason));
    }
    put_cell_styles(styles.own_cell_styles(), &mut contents);
    super::names::resolve_scopes(&mut contents);
    Ok(contents)
}

/// The table being read.
struct Table<'s> {
    styles: &'s Styles,
    validations: &'s Validations,
    validated: ValidatedCells,
    dates: DateSystem,
    /// Default cell styles of columns: first column, column after the last, style name.
    column_styles: Vec<(u32, u32, String)>,
    next_column: u32,
    row: u32,
    row_groups: OpenGroups,
    column_groups: OpenGroups,
    /// Runs of formats by their index in `formats`.
    runs: FormatRuns<usize>,
    formats: Vec<Format>,
    formats_by_name: HashMap<String, usize>,
    /// The named styles of cells.
    cell_styles: Vec<CellStyle>,
    frames: Vec<OpenFrame>,
    /// Cells visited so far, including blank ones.
    visited: u64,
}

/// Visited cells of a table, at most: a small file can declare enormous repetitions.
const VISITED_MAX: u64 = 8 * CELLS_MAX;

/// A part of a text, and the names of the text styles around it from the outermost.
type TextPart = (String, Vec<String>);

/// A cell as the file describes it.
#[derive(Default)]
struct ReadCell {
    repeated: u32,
    columns_spanned: u32,
    rows_spanned: u32,
    style: Option<String>,
    validation: Option<String>,
    formula: Option<String>,
    value: Option<Value>,
    note: Option<String>,
    link: Option<String>,
    /// Parts of the text with the names of their styles; empty if none has a style.
    parts: Vec<TextPart>,
    frames: Vec<OpenFrame>,
    is_covered: bool,
}

impl<'s> Table<'s> {
    fn new(styles: &'s Styles, validations: &'s Validations, dates: DateSystem) -> Table<'s> {
        Table {
            styles,
            validations,
            validated: ValidatedCells::default(),
            dates,
            column_styles: Vec::new(),
            next_column: 0,
            row: 0,
            row_groups: OpenGroups::new(Dimension::Rows),
            column_groups: OpenGroups::new(Dimension::Columns),
            runs: FormatRuns::new(),
            formats: Vec::new(),
            formats_by_name: HashMap::new(),
            cell_styles: Vec::new(),
            frames: Vec::new(),
            visited: 0,
        }
    }

    fn read(
        mut self,
        part: &mut Part,
        contents: &mut Contents,
        watch: &mut ProgressWatch,
    ) -> Result<Vec<OpenFrame>, FileError> {
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "table-column" => self.column(&element, contents),
                    "table-row" => {
                        let repeated = element.number("table:number-rows-repeated").unwrap_or(1_u32).max(1);
                        let style = element.attribute("table:style-name");
                        let visibility = element.attribute("table:visibility");
                        self.read_row(part, contents, repeated, style.as_deref(), visibility.as_deref())?;
                        watch.row(part.packed_position())?;
                    }
                    "table-row-group" => self.row_groups.begin(&element, self.row),
                    "table-column-group" => self.column_groups.begin(&element, self.next_column),
                    "shapes" => {
                        frames::read_shapes(part, self.styles.drawn(), contents, &mut self.frames)?;
                    }
                    "conditional-formats" => {
                        conditional_formats::read(part, self.styles, contents)?;
                    }
                    "named-range" | "named-expression" => {
                        super::names::read(contents, &element, true);
                    }
                    _ => {}
                },
                node if node.ends("table-row-group") => self.row_groups.end(self.row, contents),
                node if node.ends("table-column-group") => {
                    self.column_groups.end(self.next_column, contents);
                }
                node if node.ends("table") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        let Table { runs, formats, validated, validations, cell_styles, frames, .. } = self;
        put_cell_styles(cell_styles, contents);
        validations.put_items(validated, contents);
        for (range, index) in runs.finish() {
            put_format(contents, range, &formats[index])?;
        }
        Ok(frames)
    }

    fn column(&mut self, element: &Element, contents: &mut Contents) {
        let first = self.next_column;
        self.column_groups.add(element.attribute("table:visibility").as_deref());
        let repeated = element.number("table:number-columns-repeated").unwrap_or(1_u32).max(1);
        let count = repeated.min(COLUMNS_MAX.saturating_sub(first));
        self.next_column = first + count;
        if count == 0 {
            return;
        }
        if element.attribute("table:style-name").is_some_and(|name| self.styles.has_page_break(&name)) {
            page_breaks(Dimension::Columns, first, count, contents);
        }
        let sheet = contents.sheets.last_mut().expect("a sheet is added before its columns");
        if let Some(width) = element.attribute("table:style-name").and_then(|name| self.styles.size(&name)) {
            // A run up to the last column is the default width of unused columns.
            if first + count < COLUMNS_MAX {
                sheet.column_widths.push((first, count, width));
            }
        }
        if element.attribute("table:visibility").is_some_and(|visibility| visibility != "visible") {
            sheet.hidden_columns.push((first, count));
        }
        if let Some(style) = element.attribute("table:default-cell-style-name") {
            self.column_styles.push((first, first + count, style));
        }
    }

    fn read_row(
        &mut self,
        part: &mut Part,
        contents: &mut Contents,
        repeated: u32,
        style: Option<&str>,
        visibility: Option<&str>,
    ) -> Result<(), FileError> {
        let mut cells = Vec::new();
        loop {
            match part.next()? {
                Node::Start(element) if matches!(element.name(), "table-cell" | "covered-table-cell") => {
                    let cell = begin_cell(&element, self.dates);
                    let is_text = element.attribute("office:value-type").as_deref() == Some("string");
                    let has_string = element.attribute("office:string-value").is_some();
                    let name = element.name().to_owned();
                    cells.push(read_cell(part, self.styles, contents, cell, &name, is_text && !has_string)?);
                }
                node if node.ends("table-row") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        let first = self.row;
        self.row_groups.add(visibility);
        let count = repeated.min(ROWS_MAX.saturating_sub(first));
        self.row = first.saturating_add(repeated);
        self.place_frames(first, &mut cells, contents);
        self.add_validations(first, count, &cells);
        let has_content =
            cells.iter().any(|cell| cell.value.is_some() || cell.formula.is_some() || cell.note.is_some());
        // Blank rows that repeat to the end of the sheet are its unused rest.
        let is_rest =
            !has_content && u64::from(first) + u64::from(repeated) >= u64::from(ROWS_MAX).min(1_000_000);
        if count == 0 || is_rest && cells.iter().all(|cell| cell.style.is_none() || cell.repeated > 100) {
            return Ok(());
        }
        if has_content && count > REPEATED_MAX {
            let reason = format!("a row repeats more than {REPEATED_MAX} times");
            return Err(FileError::new(FileErrorCode::TooManyCells, reason).at_row(first + 1));
        }
        if style.is_some_and(|name| self.styles.has_page_break(name)) {
            page_breaks(Dimension::Rows, first, count, contents);
        }
        let sheet = contents.sheets.last_mut().expect("a sheet is added before its rows");
        if let Some(height) = style.and_then(|name| self.styles.size(name)).filter(|_| !is_rest) {
            sheet.row_heights.push((first, count, height));
        } else if style.is_some_and(|name| self.styles.has_one_line(name)) {
            sheet.rows_of_one_line.get_or_insert_default().push((first, count));
        }
        // The value `filter` marks rows hidden by a filter, which the filters recalculate.
        if visibility == Some("collapse") {
            sheet.hidden_rows.push((first, count));
        }
        for row in first..first + count.min(REPEATED_MAX) {
            self.put_row(contents, row, &cells)?;
        }
        Ok(())
    }

    /// Takes the frames of the cells of a row.
    fn place_frames(&mut self, row: u32, cells: &mut [ReadCell], contents: &mut Contents) {
        let mut column = 0_u32;
        for cell in cells {
            for mut frame in cell.frames.drain(..) {
                frame.cell = CellAddress::new(row, column);
                let is_in_sheet = frame.cell.is_some();
                frames::push(&mut self.frames, Some(frame).filter(|_| is_in_sheet), contents);
            }
            column = column.saturating_add(cell.repeated);
        }
    }

    /// Notes which cells of `count` rows from `first` on name a validation.
    fn add_validations(&mut self, first: u32, count: u32, cells: &[ReadCell]) {
        // The name, the first column and the column after the last of cells beside one another.
        let mut spans: Vec<(&str, u32, u32)> = Vec::new();
        let mut column = 0_u32;
        for cell in cells {
            let end = column.saturating_add(cell.repeated).min(COLUMNS_MAX);
            match (&cell.validation, spans.last_mut()) {
                (Some(name), Some((open, _, open_end))) if *open == name && *open_end == column => {
                    *open_end = end;
                }
                (Some(name), _) => spans.push((name, column, end)),
                (None, _) => {}
            }
            column = end;
        }
        for (name, column, end) in spans {
            if let (Some(last_row), Some(last_column)) = ((first + count).checked_sub(1), end.checked_sub(1))
                && let Some(range) = Range::from_indices(first, column, last_row, last_column)
            {
                self.validated.add(name, range);
            }
        }
    }

    fn put_row(&mut self, contents: &mut Contents, row: u32, cells: &[ReadCell]) -> Result<(), FileError> {
        let mut column = 0_u32;
        for cell in cells {
            let last = column.saturating_add(cell.repeated).min(COLUMNS_MAX);
            let has_content = cell.value.is_some() || cell.formula.is_some();
            let is_far = !has_content && cell.repeated > 256;
            let end = if is_far { column } else { last };
            self.visited += u64::from(end - column);
            if self.visited > VISITED_MAX {
                let reason = format!("more than {VISITED_MAX} cells, blank ones included");
                return Err(FileError::new(FileErrorCode::TooManyCells, reason).at_row(row + 1));
            }
            for at in column..end {
                let format = self.format_of(cell.style.as_deref(), at);
                if let Some(format) = format
                    && let Some((range, format)) = self.runs.put(row, at, format)
                {
                    put_format(contents, range, &self.formats[format])?;
                }
                self.put_cell(contents, row, at, cell)?;
                if !cell.parts.is_empty() {
                    self.put_text_runs(contents, CellAddress::clamped(row, at), &cell.parts, format);
                }
            }
            column = last;
        }
        Ok(())
    }

    /// Index of a cell's format in `formats`; `None` for the default format.
    fn format_of(&mut self, own: Option<&str>, column: u32) -> Option<usize> {
        let name = match own {
            Some(name) => name,
            None => {
                let next = self.column_styles.partition_point(|(_, end, _)| *end <= column);
                let (first, _, name) = self.column_styles.get(next)?;
                (*first <= column).then_some(name.as_str())?
            }
        };
        let index = match self.formats_by_name.get(name) {
            Some(index) => *index,
            None => {
                self.formats.push(self.styles.cell_format(name));
                self.cell_styles.extend(self.styles.cell_style(name));
                self.formats_by_name.insert(name.to_owned(), self.formats.len() - 1);
                self.formats.len() - 1
            }
        };
        (self.formats[index] != Format::default()).then_some(index)
    }

    /// Sets the fonts of the parts of a text; `format` is the index of the cell's format.
    fn put_text_runs(
        &self,
        contents: &mut Contents,
        cell: CellAddress,
        parts: &[TextPart],
        format: Option<usize>,
    ) {
        let font = |styles: &[String]| {
            let fonts = styles.iter().map(|name| self.styles.font(name));
            fonts.fold(FormatPatch::default(), |outer, inner| inner.over(&outer))
        };
        let fonts: Vec<FormatPatch> = parts.iter().map(|(_, styles)| font(styles)).collect();
        let parts = parts.iter().zip(&fonts).map(|((text, _), font)| (text.as_str(), font));
        let format = format.map(|format| self.formats[format].clone()).unwrap_or_default();
        contents.put_text_runs(cell, parts, &format);
    }

    fn put_cell(
        &self,
        contents: &mut Contents,
        row: u32,
        column: u32,
        cell: &ReadCell,
    ) -> Result<(), FileError> {
        let here = CellAddress::clamped(row, column);
        if let Some(formula) = &cell.formula {
            contents.put_formula(
                row,
                column,
                FormulaSource::Legacy(from_openformula(formula).into_boxed_str()),
            )?;
        } else {
            match &cell.value {
                Some(Value::Text(text)) => contents.put_text(row, column, text)?,
                Some(value) if !cell.is_covered => contents.put(row, column, value.clone())?,
                _ => {}
            }
        }
        if cell.columns_spanned > 1 || cell.rows_spanned > 1 {
            let last = CellAddress::clamped(
                row.saturating_add(cell.rows_spanned - 1),
                column.saturating_add(cell.columns_spanned - 1),
            );
            put_item(contents, ItemKind::Merge, Range::new(here, last), FieldTexts::default());
        }
        if let Some(note) = &cell.note {
            let mut fields = FieldTexts::default();
            fields.text(Field::Text, Some(note.as_str()));
            put_item(contents, ItemKind::Note, Range::cell(here), fields);
        }
        if let Some(link) = &cell.link {
            let mut fields = FieldTexts::default();
            fields.text(Field::Url, Some(link.as_str()));
            put_item(contents, ItemKind::Link, Range::cell(here), fields);
        }
        Ok(())
    }
}

/// Adds the named styles that are not there yet.
fn put_cell_styles(styles: Vec<CellStyle>, contents: &mut Contents) {
    for style in styles {
        if contents.cell_styles.iter().all(|there| there.id != style.id) {
            contents.cell_styles.push(style);
        }
    }
}

/// Adds the page breaks before rows or columns; there is none before the first one.
fn page_breaks(dimension: Dimension, first: u32, count: u32, contents: &mut Contents) {
    for index in first.max(1)..first + count.min(PAGE_BREAKS_MAX) {
        if let Some(range) = whole(dimension, index) {
            put_page_break(range, contents);
        }
    }
}

fn put_item(contents: &mut Contents, kind: ItemKind, anchor: Range, fields: FieldTexts) {
    contents.put_item(ItemContents { kind, anchors: vec![anchor], fields, parent: None });
}

fn put_format(contents: &mut Contents, range: Range, format: &Format) -> Result<(), FileError> {
    contents.put_format(range, format.clone())
}

fn begin_cell(element: &Element, dates: DateSystem) -> ReadCell {
    let count = |name: &str| element.number::<u32>(name).unwrap_or(1).max(1);
    let number =
        || element.number::<f64>("office:value").filter(|number| number.is_finite()).map(Value::number);
    let value = match element.attribute("office:value-type").as_deref() {
        Some("float" | "percentage" | "currency") => number(),
        Some("boolean") => {
            Some(Value::Boolean(element.attribute("office:boolean-value").as_deref() == Some("true")))
        }
        Some("date") => element
            .attribute("office:date-value")
            .and_then(|date| date_number(&date, dates))
            .map(Value::number),
        Some("time") => {
            element.attribute("office:time-value").and_then(|time| time_number(&time)).map(Value::number)
        }
        Some("string") => element.attribute("office:string-value").map(|text| Value::Text(text.into())),
        _ => None,
    };
    ReadCell {
        repeated: count("table:number-columns-repeated"),
        columns_spanned: count("table:number-columns-spanned"),
        rows_spanned: count("table:number-rows-spanned"),
        style: element.attribute("table:style-name"),
        validation: element.attribute("table:content-validation-name"),
        formula: element.attribute("table:formula"),
        value,
        note: None,
        link: None,
        parts: Vec::new(),
        frames: Vec::new(),
        is_covered: element.name() == "covered-table-cell",
    }
}

/// Reads up to the end of a cell: its note, and its text if that is its value.
fn read_cell(
    part: &mut Part,
    styles: &Styles,
    contents: &mut Contents,
    mut cell: ReadCell,
    name: &str,
    value_is_text: bool,
) -> Result<ReadCell, FileError> {
    let mut parts: Vec<TextPart> = Vec::new();
    let mut has_lines = false;
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "p" => {
                if has_lines {
                    // A line break has no style; it continues that of its line.
                    let styles = parts.last().map(|(_, styles)| styles.clone());
                    parts.push(("\n".to_owned(), styles.unwrap_or_default()));
                }
                has_lines = true;
                parts.extend(paragraph(part, &mut cell.link)?);
            }
            Node::Start(element) if element.name() == "annotation" => cell.note = Some(note(part)?),
            Node::Start(element) if frames::is_drawn(element.name()) => {
                let (name, attributes) = (element.name().to_owned(), Attributes::of(&element));
                let frame = OpenFrame::read(part, &name, &attributes, styles.drawn(), contents)?;
                frames::push(&mut cell.frames, frame, contents);
            }
            node if node.ends(name) => break,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    if value_is_text && has_lines {
        cell.value = Some(Value::Text(joined(&parts).into()));
        if cell.formula.is_none() && parts.iter().any(|(_, styles)| !styles.is_empty()) {
            cell.parts = parts;
        }
    }
    // A calculated error is stored as its text.
    if cell.formula.is_none()
        && let Some(Value::Text(text)) = &cell.value
        && let Some(error) = ErrorValue::ALL.into_iter().find(|error| error.text() == &**text)
    {
        cell.value = Some(Value::Error(error));
    }
    Ok(cell)
}

fn note(part: &mut Part) -> Result<String, FileError> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "p" => {
                lines.push(joined(&paragraph(part, &mut None)?));
            }
            // Author and date.
            Node::Start(element) if matches!(element.name(), "creator" | "date" | "date-string") => {
                part.skip()?
            }
            node if node.ends("annotation") => break,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    Ok(lines.join("\n").chars().take(32_767).collect())
}

/// Reads a paragraph as parts of one style each.
fn paragraph(part: &mut Part, link: &mut Option<String>) -> Result<Vec<TextPart>, FileError> {
    let mut parts: Vec<TextPart> = Vec::new();
    let mut styles: Vec<String> = Vec::new();
    let mut push = |text: &str, styles: &[String]| match parts.last_mut() {
        Some((last, of_last)) if of_last == styles => last.push_str(text),
        _ => parts.push((text.to_owned(), styles.to_vec())),
    };
    loop {
        match part.next()? {
            Node::Text(more) => push(&more, &styles),
            Node::Start(element) => match element.name() {
                "s" => {
                    let count = element.number("text:c").unwrap_or(1_usize).min(1_000);
                    push(&" ".repeat(count), &styles);
                }
                "tab" => push("\t", &styles),
                "line-break" => push("\n", &styles),
                "a" => *link = element.attribute("xlink:href").filter(|url| is_address(url)),
                // A span without a style is counted as well, for its end.
                "span" => styles.push(element.attribute("text:style-name").unwrap_or_default()),
                _ => {}
            },
            node if node.ends("span") => drop(styles.pop()),
            node if node.ends("p") => return Ok(parts),
            Node::EndOfPart => return Ok(parts),
            _ => {}
        }
    }
}

fn joined(parts: &[TextPart]) -> String {
    parts.iter().map(|(text, _)| text.as_str()).collect()
}

fn is_address(url: &str) -> bool {
    ["http://", "https://", "mailto:"].iter().any(|start| url.starts_with(start)) && url.len() <= 2_083
}

/// The serial number of `2026-03-01` or `2026-03-01T12:30:00` in the date system `dates`.
fn date_number(text: &str, dates: DateSystem) -> Option<f64> {
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=9_999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 0000-03-01, so that the leap day is the last day of a year.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted_year + shifted_year / 4 - shifted_year / 100
        + shifted_year / 400
        + (153 * shifted_month + 2) / 5
        + day
        - 1;
    // 693,899 is the number of days up to 1899-12-30.
    let serial = (days - 693_899 - dates.offset_from_1900()) as f64;
    let mut clock = time.splitn(3, ':').map(|part| part.trim_end_matches('Z').parse::<f64>().unwrap_or(0.0));
    let seconds = clock.next().unwrap_or(0.0) * 3_600.0
        + clock.next().unwrap_or(0.0) * 60.0
        + clock.next().unwrap_or(0.0);
    Some(serial + seconds / 86_400.0)
}

/// The duration `PT12H30M00S` as a fraction of a day.
fn time_number(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix("PT")?;
    let mut seconds = 0.0;
    while let Some(at) = rest.find(['H', 'M', 'S']) {
        let number: f64 = rest[..at].parse().ok()?;
        seconds += number
            * match &rest[at..=at] {
                "H" => 3_600.0,
                "M" => 60.0,
                _ => 1.0,
            };
        rest = &rest[at + 1..];
    }
    Some(seconds / 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_in_days_since_1899_12_30() {
        for (text, serial) in [
            ("1899-12-30", 0.0),
            ("1900-03-01", 61.0),
            ("2024-02-29", 45_351.0),
            ("2000-01-01T12:00:00", 36_526.5),
        ] {
            assert_eq!(date_number(text, DateSystem::From1900), Some(serial), "{text}");
        }
        assert_eq!(date_number("yesterday", DateSystem::From1900), None);
        assert_eq!(time_number("PT06H00M00S"), Some(0.25));
    }
}
