//! Reads a worksheet part: cells row by row, columns, and the items that are stored in the part.

use std::collections::HashMap;

use quadrille_cell::{
    CellAddress, ColumnIndex, DateSystem, Dimension, ErrorValue, Range, RowIndex, Value, canonical_number,
};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::arrays::{self, ArrayFormula, Arrays};
use super::colors::Theme;
use super::controls::SheetObjects;
use super::data_tables::{DataTable, ReadTables, with_own_function};
use super::protection::Protection;
use super::rich_values::CellImages;
use super::strings::{FontContext, StringPart, Strings};
use super::styled_cells::StyledCells;
use super::styles::Styles;
use super::workbook_part::Relationship;
use super::xml::{Element, Node};
use super::{checkboxes, conditional_formats, filters, page_setup, scenarios, sparklines, strings};
use crate::contents::{
    Contents, FieldTexts, FormatRuns, FormulaSource, ItemContents, ONE_LINE_POINTS, SheetContents,
};
use crate::error::{FileError, FileErrorCode};
use crate::limits::{COLUMNS_MAX, FORMULA_LENGTH_MAX};
use crate::progress::ProgressWatch;
use crate::shapes::XmlElement;

/// Data that the sheets of a workbook share.
pub struct Shared<'a> {
    pub strings: &'a Strings,
    pub styles: &'a Styles,
    pub theme: &'a Theme,
    pub dates: DateSystem,
    pub cell_images: &'a CellImages,
}

/// Elements of a worksheet that are left out, and what warnings call them.
const LEFT_OUT: [(&str, &str); 4] = [
    ("picture", "background images"),
    ("dataConsolidate", "consolidations"),
    ("pane", "split panes"),
    ("customPr", "custom properties of sheets"),
];
/// Width of columns in pixels if a file says nothing else.
const COLUMN_PIXELS_DEFAULT: u16 = 64;
/// Array formulas over several cells whose range is taken into account; others are left to
/// spilling.
const ARRAYS_MAX: usize = 10_000;
/// Cells of the ranges of all these formulas of a sheet whose cached values are examined: ranges of a
/// damaged file may overlap.
const ARRAY_CELLS_MAX: usize = 1_000_000;

/// Reads the contents of `part` into the sheet added last. `bytes_before` is the number of bytes of
/// the file before this part. Controls and embedded objects are added to `objects`. Returns the cells that have
/// images, with the numbers of these.
pub fn read(
    mut part: Part,
    shared: &Shared,
    contents: &mut Contents,
    watch: &mut ProgressWatch,
    bytes_before: u64,
    links: &[Relationship],
    objects: &mut SheetObjects,
) -> Result<Vec<(CellAddress, usize)>, FileError> {
    let mut fits_pages = false;
    let mut broken = Dimension::Rows;
    let mut sheet = SheetReader {
        shared,
        contents,
        formats: FormatRuns::new(),
        styled_columns: Vec::new(),
        is_row_styled: false,
        outlines: [Outline::default(), Outline::default()],
        shared_formulas: HashMap::new(),
        arrays: Arrays::default(),
        array_cells: 0,
        data_tables: ReadTables::default(),
        protection: Protection::new(),
        checkboxes: StyledCells::new(),
        with_images: Vec::new(),
        column_pixels: COLUMN_PIXELS_DEFAULT,
        row: 0,
        next_row: 0,
        next_column: 0,
    };
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                // They have panes and page settings of their own.
                "customSheetViews" => {
                    part.skip()?;
                    sheet.warn("custom views");
                }
                "sheetFormatPr" => {
                    let pixels = element.number::<f64>("defaultColWidth").map(pixels_of_width);
                    let pixels = pixels.filter(|pixels| *pixels != COLUMN_PIXELS_DEFAULT && *pixels > 0);
                    if let Some(pixels) = pixels {
                        sheet.column_pixels = pixels;
                        sheet.sheet().column_widths.push((0, COLUMNS_MAX, pixels));
                    }
                }
                "col" => sheet.column(&element)?,
                "row" => sheet.start_row(&element)?,
                "c" => {
                    let cell = sheet.start_cell(&element)?;
                    sheet.read_cell(&mut part, cell)?;
                }
                "mergeCell" => sheet.merge(&element),
                "sheetProtection" => sheet.protection.sheet(&element, sheet.contents),
                "protectedRange" => sheet.protection.range(&element, sheet.contents),
                "conditionalFormatting" => {
                    let anchors =
                        conditional_formats::ranges(&element.attribute("sqref").unwrap_or_default());
                    conditional_formats::conditional(
                        &mut part,
                        &anchors,
                        shared.styles,
                        shared.theme,
                        sheet.contents,
                    )?;
                }
                "dataValidation" => {
                    let start = conditional_formats::ValidationStart::read(&element);
                    conditional_formats::validation(&mut part, start, sheet.contents)?;
                }
                "hyperlink" => sheet.link(&element, links),
                "autoFilter" => {
                    let range = element.attribute("ref").and_then(|range| Range::parse_a1(&range).ok());
                    if let Some(range) = range {
                        filters::read(&mut part, range, shared.styles, sheet.contents)?;
                    }
                }
                "scenario" => {
                    let fields = scenarios::attributes(&element);
                    scenarios::read(&mut part, fields, sheet.contents)?;
                }
                "pageSetUpPr" => fits_pages = element.flag("fitToPage").unwrap_or(false),
                name if page_setup::is_header(name) => {
                    let name = name.to_owned();
                    let text = part.text()?;
                    page_setup::read_header(sheet.settings(), &name, &text);
                }
                "rowBreaks" => broken = Dimension::Rows,
                "colBreaks" => broken = Dimension::Columns,
                "brk" => page_setup::page_break(&element, broken, sheet.contents),
                "extLst" => sparklines::read(&mut part, shared.theme, sheet.contents)?,
                "control" | "oleObject" => {
                    let start = XmlElement::start(&element);
                    objects.read(start, &mut part, sheet.contents)?;
                }
                _ if page_setup::read(sheet.settings(), &element, shared.theme) => {}
                name => {
                    if let Some((_, what)) = LEFT_OUT.iter().find(|(element, _)| *element == name) {
                        sheet.warn(what);
                    }
                }
            },
            node if node.ends("row") => watch.row(bytes_before + part.packed_position())?,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    match fits_pages {
        true => page_setup::set_default_fit(sheet.settings()),
        false => page_setup::clear_fit(sheet.settings()),
    }
    sheet.finish()
}

/// The worksheet part being read.
struct SheetReader<'a> {
    shared: &'a Shared<'a>,
    contents: &'a mut Contents,
    formats: FormatRuns<usize>,
    /// First and last column and style of columns with a style.
    styled_columns: Vec<(u32, u32, usize)>,
    is_row_styled: bool,
    /// Outlines of the rows and of the columns.
    outlines: [Outline; 2],
    /// Index of each shared formula by its number in the file.
    shared_formulas: HashMap<u32, usize>,
    arrays: Arrays,
    array_cells: usize,
    data_tables: ReadTables,
    protection: Protection,
    checkboxes: StyledCells,
    /// Cells that have images, with the numbers of these.
    with_images: Vec<(CellAddress, usize)>,
    /// Width of columns without a width of their own.
    column_pixels: u16,
    row: u32,
    next_row: u32,
    next_column: u32,
}

/// The attributes of a cell.
struct CellStart {
    address: CellAddress,
    /// Index of the cell's style.
    style: usize,
    kind: CellKind,
    /// Whether the formula is marked as dynamic, so that it can spill. The value of the attribute
    /// identifies the metadata; formulas have no other metadata.
    is_dynamic: bool,
    /// The number of the image that is the cell's value.
    image: Option<usize>,
}

/// The type of a cell's value.
#[derive(Clone, Copy)]
enum CellKind {
    Number,
    SharedText,
    Text,
    Boolean,
    Error,
    Date,
}

impl SheetReader<'_> {
    fn column(&mut self, element: &Element) -> Result<(), FileError> {
        let (Some(first), Some(last)) = (element.number::<u32>("min"), element.number::<u32>("max")) else {
            return Ok(());
        };
        let Some(first) = first.checked_sub(1).and_then(ColumnIndex::new) else { return Ok(()) };
        let last = ColumnIndex::clamped(last.saturating_sub(1)).max(first);
        let count = last.get() - first.get() + 1;
        // Programs differ in which widths they mark as custom, and all of them show the others too.
        let is_custom = element.flag("customWidth").unwrap_or(false);
        let pixels = element.number::<f64>("width").map(pixels_of_width);
        if let Some(pixels) = pixels.filter(|pixels| is_custom || *pixels != self.column_pixels) {
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added before it is read");
            sheet.column_widths.push((first.get(), count, pixels));
        }
        if element.flag("hidden").unwrap_or(false) {
            self.sheet().hidden_columns.push((first.get(), count));
        }
        let level = element.number::<u32>("outlineLevel").unwrap_or(0);
        let is_collapsed = element.flag("hidden").unwrap_or(false);
        self.outlines[1].add(first.get(), count, level, is_collapsed);
        let style = element.number::<usize>("style");
        if style.is_some_and(|style| self.shared.styles.is_unlocked(style)) {
            self.protection.column(first.get(), last.get());
        }
        if style.is_some_and(|style| self.shared.styles.is_checkbox(style)) {
            self.checkboxes.add_columns(first.get(), last.get());
        }
        if let Some(style) = style
            && !self.shared.styles.is_default(style)
        {
            self.styled_columns.push((first.get(), last.get(), style));
            self.contents.put_format(Range::columns(first, last), self.shared.styles.format(style))?;
        }
        Ok(())
    }

    fn start_row(&mut self, element: &Element) -> Result<(), FileError> {
        self.row = match element.number::<u32>("r") {
            Some(row) => row.saturating_sub(1),
            None => self.next_row,
        };
        let Some(row) = RowIndex::new(self.row) else {
            let reason = "a sheet has no such row";
            return Err(FileError::new(FileErrorCode::TooManyRows, reason).at_row(self.row.saturating_add(1)));
        };
        self.next_row = self.row + 1;
        self.next_column = 0;
        // Excel has fitted rows without `customHeight` to their texts.
        if let Some(points) = element.number::<f64>("ht") {
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added before it is read");
            if element.flag("customHeight").unwrap_or(false) || points > ONE_LINE_POINTS {
                let pixels = (points * 4.0 / 3.0).round().clamp(0.0, f64::from(u16::MAX)) as u16;
                sheet.row_heights.push((self.row, 1, pixels));
            } else {
                sheet.rows_of_one_line.get_or_insert_default().push((self.row, 1));
            }
        }
        let is_hidden = element.flag("hidden").unwrap_or(false);
        if is_hidden {
            let row = self.row;
            match self.sheet().hidden_rows.last_mut() {
                Some((first, count)) if *first + *count == row => *count += 1,
                _ => self.sheet().hidden_rows.push((row, 1)),
            }
        }
        let level = element.number::<u32>("outlineLevel").unwrap_or(0);
        self.outlines[0].add(self.row, 1, level, is_hidden);
        let style = element.number::<usize>("s").filter(|_| element.flag("customFormat").unwrap_or(false));
        let style = style.filter(|style| !self.shared.styles.is_default(*style));
        self.is_row_styled = style.is_some();
        if let Some(style) = style {
            self.contents.put_format(Range::rows(row, row), self.shared.styles.format(style))?;
        }
        Ok(())
    }

    fn start_cell(&mut self, element: &Element) -> Result<CellStart, FileError> {
        let address = match element.attribute("r") {
            Some(address) => CellAddress::parse_a1(&address).map_err(|error| {
                FileError::new(FileErrorCode::BadXml, error.to_string()).at_row(self.row + 1)
            })?,
            None => CellAddress::new(self.row, self.next_column).ok_or_else(|| {
                FileError::new(FileErrorCode::TooManyColumns, "more columns than a sheet has")
                    .at_row(self.row + 1)
            })?,
        };
        self.next_column = address.column.get() + 1;
        let style = element.number::<usize>("s").unwrap_or(0);
        self.protection.cell(address, self.shared.styles.is_unlocked(style));
        if self.shared.styles.has_checkboxes() {
            self.checkboxes.add_cell(address, self.shared.styles.is_checkbox(style));
        }
        let column = address.column.get();
        let is_column_styled =
            self.styled_columns.iter().any(|(first, last, _)| (*first..=*last).contains(&column));
        if (is_column_styled || self.is_row_styled || !self.shared.styles.is_default(style))
            && let Some((range, style)) = self.formats.put(address.row.get(), column, style)
        {
            self.contents.put_format(range, self.shared.styles.format(style))?;
        }
        let kind = match element.attribute("t").as_deref() {
            Some("s") => CellKind::SharedText,
            Some("str" | "inlineStr") => CellKind::Text,
            Some("b") => CellKind::Boolean,
            Some("e") => CellKind::Error,
            Some("d") => CellKind::Date,
            _ => CellKind::Number,
        };
        let is_dynamic = element.attribute("cm").is_some();
        let image = element.number("vm").filter(|number| self.shared.cell_images.has(*number));
        Ok(CellStart { address, style, kind, is_dynamic, image })
    }

    /// Reads a `c` element up to its end.
    fn read_cell(&mut self, part: &mut Part, cell: CellStart) -> Result<(), FileError> {
        let mut formula = None;
        let mut value = None;
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "f" => {
                        let attributes = FormulaAttributes::read(&element);
                        if attributes.kind.as_deref() == Some("dataTable") {
                            self.data_table(DataTable::read(&element));
                            part.skip()?;
                        } else {
                            formula = self.formula(&cell, attributes, part.text()?)?;
                        }
                    }
                    "v" => value = Some(part.text()?),
                    "is" => {
                        let (theme, default_font) = (self.shared.theme, self.shared.styles.default_font());
                        let (text, parts) = strings::item(part, FontContext { theme, default_font })?;
                        value = Some(text);
                        self.put_text_runs(&cell, &parts);
                    }
                    _ => part.skip()?,
                },
                node if node.ends("c") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        let (row, column) = (cell.address.row.get(), cell.address.column.get());
        let in_table = self.data_tables.formula(cell.address);
        match (in_table.map(|text| FormulaSource::Text(text.into())).or(formula), value) {
            (Some(source), value) => {
                if let (Some(array), Some(value)) = (self.arrays.at_anchor(cell.address), value) {
                    array.set_cached(cell.address, &value);
                }
                self.contents.put_formula(row, column, source)
            }
            // The value is the error that other programs show.
            (None, Some(_)) if cell.image.is_some() => {
                self.with_images.extend(cell.image.map(|image| (cell.address, image)));
                Ok(())
            }
            (None, Some(value)) => {
                match self.arrays.filling(cell.address) {
                    Some(array) => array.set_cached(cell.address, &value),
                    None => self.value(&cell, &value)?,
                }
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// Returns `None` if the cell has no formula that can be imported, so that its cached value
    /// remains.
    fn formula(
        &mut self,
        cell: &CellStart,
        attributes: FormulaAttributes,
        text: String,
    ) -> Result<Option<FormulaSource>, FileError> {
        if text.len() > FORMULA_LENGTH_MAX {
            let reason = format!("a formula of more than {FORMULA_LENGTH_MAX} characters");
            let error = FileError::new(FileErrorCode::TextTooLong, reason);
            return Err(error.at(cell.address.row.get() + 1, cell.address.column.get() + 1));
        }
        let text = with_own_function(text);
        if attributes.kind.as_deref() == Some("array")
            && let Some(area) = attributes.area
            && area.cell_count() > 1
            && self.arrays.count() < ARRAYS_MAX
        {
            let sheet = self.contents.sheets.last().expect("the sheet was added before it is read");
            let is_examined = !cell.is_dynamic && !text.is_empty() && self.array_cells < ARRAY_CELLS_MAX;
            let array = ArrayFormula::new(cell.address, area, is_examined.then_some(sheet.formulas.len()));
            self.array_cells += array.cells_examined();
            self.arrays.push(array);
        }
        let Some(number) = attributes.shared.filter(|_| attributes.kind.as_deref() == Some("shared")) else {
            let is_legacy = !cell.is_dynamic && attributes.kind.as_deref() != Some("array");
            let source = if is_legacy { FormulaSource::Legacy } else { FormulaSource::Text };
            return Ok((!text.is_empty()).then(|| source(text.into())));
        };
        if !text.is_empty() {
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added before it is read");
            sheet.shared_formulas.push((cell.address, text));
            self.shared_formulas.insert(number, sheet.shared_formulas.len() - 1);
        }
        Ok(self.shared_formulas.get(&number).map(|index| FormulaSource::Shared(*index)))
    }

    fn data_table(&mut self, table: Option<DataTable>) {
        if !table.is_some_and(|table| self.data_tables.add(table)) {
            self.warn("what-if data tables");
        }
    }

    fn value(&mut self, cell: &CellStart, text: &str) -> Result<(), FileError> {
        let (row, column) = (cell.address.row.get(), cell.address.column.get());
        let bad = |reason: String| FileError::new(FileErrorCode::BadXml, reason).at(row + 1, column + 1);
        let value = match cell.kind {
            CellKind::SharedText => {
                let index: usize =
                    text.parse().map_err(|_| bad(format!("not the number of a text: {text}")))?;
                let shared = self.shared.strings.texts.get(index);
                let shared = shared.ok_or_else(|| bad(format!("there is no text number {index}")))?;
                if shared.is_empty() {
                    return Ok(());
                }
                if let Some(parts) = self.shared.strings.parts.get(&index) {
                    self.put_text_runs(cell, parts);
                }
                return self.contents.put_shared_text(row, column, shared);
            }
            CellKind::Text if text.is_empty() => return Ok(()),
            CellKind::Text => {
                let text = strings::unescape(text.to_owned());
                return self.contents.put_text(row, column, &text);
            }
            CellKind::Boolean => Value::Boolean(text.trim() == "1" || text.trim() == "true"),
            CellKind::Error => Value::Error(ErrorValue::parse(text.trim()).unwrap_or(ErrorValue::Value)),
            CellKind::Date => parse_input_with(text, InputContext::invariant(self.shared.dates)).value,
            CellKind::Number => {
                let number = text.trim().parse().ok().and_then(canonical_number);
                Value::Number(number.ok_or_else(|| bad(format!("not a number: {text}")))?)
            }
        };
        self.contents.put(row, column, value)
    }

    fn put_text_runs(&mut self, cell: &CellStart, parts: &[StringPart]) {
        let parts = parts.iter().map(|(text, font)| (text.as_str(), font));
        self.contents.put_text_runs(cell.address, parts, &self.shared.styles.format(cell.style));
    }

    fn warn(&mut self, what: &str) {
        self.contents.warn(format!("left out: {what}"));
    }

    fn sheet(&mut self) -> &mut SheetContents {
        self.contents.sheets.last_mut().expect("the sheet was added before it is read")
    }

    fn settings(&mut self) -> &mut FieldTexts {
        &mut self.sheet().settings
    }

    fn merge(&mut self, element: &Element) {
        let range = element.attribute("ref").and_then(|range| Range::parse_a1(&range).ok());
        if let Some(range) = range.filter(|range| range.cell_count() > 1) {
            let fields = FieldTexts::default();
            let anchors = vec![range];
            self.contents.put_item(ItemContents { kind: ItemKind::Merge, anchors, fields, parent: None });
        }
    }

    /// Reads a hyperlink to another document or, with a leading `#`, to a location in this one.
    fn link(&mut self, element: &Element, links: &[Relationship]) {
        let Some(range) = element.attribute("ref").and_then(|range| Range::parse_a1(&range).ok()) else {
            return;
        };
        let location = element.attribute("location").map(|location| format!("#{location}"));
        let id = element.attribute("r:id").or_else(|| element.attribute("id"));
        let target =
            id.and_then(|id| links.iter().find(|link| link.id == id)).map(|link| link.raw_target.clone());
        let Some(url) =
            target.map(|target| target + location.as_deref().unwrap_or_default()).or(location.clone())
        else {
            return;
        };
        let mut fields = FieldTexts::default();
        fields.text(Field::Url, Some(url));
        fields.text(Field::Tooltip, element.attribute("tooltip"));
        let anchors = vec![range];
        self.contents.put_item(ItemContents { kind: ItemKind::Link, anchors, fields, parent: None });
    }

    fn finish(mut self) -> Result<Vec<(CellAddress, usize)>, FileError> {
        std::mem::replace(&mut self.protection, Protection::new()).finish(self.contents);
        let checkboxes = std::mem::replace(&mut self.checkboxes, StyledCells::new());
        checkboxes::put_rule(checkboxes, self.contents);
        let sheet = self.contents.sheets.last_mut().expect("the sheet was added before it is read");
        for (formula, rows, columns) in self.arrays.explicit_sizes() {
            if let Some(FormulaSource::Text(text)) =
                sheet.formulas.get_mut(formula).map(|cell| &mut cell.source)
            {
                *text = arrays::with_size(text, rows, columns).into();
            }
        }
        let [rows, columns] = std::mem::take(&mut self.outlines);
        let rows = rows.groups().into_iter().filter_map(|(first, last, is_collapsed)| {
            let (first, last) = (RowIndex::new(first)?, RowIndex::new(last)?);
            Some((Range::rows(first, last), "rows", is_collapsed))
        });
        let columns = columns.groups().into_iter().filter_map(|(first, last, is_collapsed)| {
            let (first, last) = (ColumnIndex::new(first)?, ColumnIndex::new(last)?);
            Some((Range::columns(first, last), "columns", is_collapsed))
        });
        for (range, dimension, is_collapsed) in rows.chain(columns) {
            let mut fields = FieldTexts::default();
            fields.text(Field::Dimension, Some(dimension));
            fields.flag(Field::Collapsed, Some(is_collapsed), false);
            let anchors = vec![range];
            let item = ItemContents { kind: ItemKind::OutlineGroup, anchors, fields, parent: None };
            self.contents.put_item(item);
        }
        for (range, style) in self.formats.finish() {
            self.contents.put_format(range, self.shared.styles.format(style))?;
        }
        Ok(self.with_images)
    }
}

/// Removes rows hidden by a filter from the hidden rows, because they follow from the filter's
/// conditions; the file lists both.
pub fn unhide_filtered_rows(sheet: &mut SheetContents) {
    let filters = sheet.items.iter().filter(|item| item.kind == ItemKind::FilterColumn);
    let filters: Vec<usize> = filters.filter_map(|column| column.parent).collect();
    let areas = filters.iter().filter_map(|filter| sheet.items.get(*filter)?.anchors.first().copied());
    for area in areas.collect::<Vec<Range>>() {
        let (first, last) = (area.first().row.get() + 1, area.last().row.get());
        let hidden = std::mem::take(&mut sheet.hidden_rows);
        sheet.hidden_rows = hidden
            .into_iter()
            .flat_map(|(start, count)| {
                let end = start + count; // exclusive
                [(start, end.min(first)), (start.max(last + 1), end)]
            })
            .filter(|(start, end)| start < end)
            .map(|(start, end)| (start, end - start))
            .collect();
    }
}

/// Converts the outline levels of consecutive rows or columns to nested groups.
#[derive(Default)]
struct Outline {
    /// First index of each unfinished group, outermost first, and whether any of its rows or
    /// columns is visible.
    open: Vec<(u32, bool)>,
    next: u32,
    /// First and last index of each finished group, and whether all of its rows or columns are
    /// hidden.
    closed: Vec<(u32, u32, bool)>,
}

impl Outline {
    /// Outline levels, as in Excel.
    const LEVELS_MAX: usize = 7;

    /// Adds `count` rows or columns from `first` on.
    fn add(&mut self, first: u32, count: u32, level: u32, is_hidden: bool) {
        if first != self.next {
            self.close(0);
        }
        let level = (level as usize).min(Outline::LEVELS_MAX);
        self.close(level);
        while self.open.len() < level {
            self.open.push((first, false));
        }
        for (_, is_visible) in &mut self.open {
            *is_visible |= !is_hidden;
        }
        self.next = first.saturating_add(count);
    }

    fn close(&mut self, level: usize) {
        while self.open.len() > level {
            if let Some((first, is_visible)) = self.open.pop() {
                self.closed.push((first, self.next.saturating_sub(1), !is_visible));
            }
        }
    }

    fn groups(mut self) -> Vec<(u32, u32, bool)> {
        self.close(0);
        self.closed
    }
}

/// The attributes of an `f` element.
struct FormulaAttributes {
    kind: Option<String>,
    shared: Option<u32>,
    area: Option<Range>,
}

impl FormulaAttributes {
    fn read(element: &Element) -> FormulaAttributes {
        FormulaAttributes {
            kind: element.attribute("t"),
            shared: element.number("si"),
            area: element.attribute("ref").and_then(|area| Range::parse_a1(&area).ok()),
        }
    }
}

/// Converts a column width, in characters of the default font, to pixels; its digits are 7 pixels
/// wide.
fn pixels_of_width(width: f64) -> u16 {
    let pixels = ((256.0 * width + (128.0f64 / 7.0).floor()) / 256.0 * 7.0).floor();
    pixels.clamp(0.0, f64::from(u16::MAX)) as u16
}
