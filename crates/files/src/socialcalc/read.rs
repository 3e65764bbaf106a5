//! Reads a save as one sheet. Contents without an equivalent are left out, each with a warning that
//! names it.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, Range, parse_column_name};
use quadrille_workbook::{Color, Format, ItemKind};

use super::defaults::Defaults;
use super::{decode, dialect, edit, envelope, styles};
use crate::contents::{Contents, FieldTexts, FormatRuns, ItemContents, OtherSheets, SheetContents};
use crate::error::{FileError, FileErrorCode};
use crate::limits::NAMES_MAX;

/// Ranges of one protection, at most; further ranges take further items.
const LOCKED_RANGES_MAX: usize = 1_000;

/// Reads a save. Fails with `InvalidEncoding`, `BadSave` or a limit that is exceeded.
pub(crate) fn read(bytes: &[u8], sheet_name: &str) -> Result<Contents, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        FileError::new(
            FileErrorCode::InvalidEncoding,
            format!("a save is UTF-8, but byte {} is not", error.valid_up_to()),
        )
    })?;
    let parts = envelope::unwrap(text.trim_start_matches('\u{feff}'))?;
    let mut save = Save::default();
    save.contents.add_sheet(sheet_name)?;
    save.contents.other_sheets = OtherSheets::Rooms;
    let mut cells = Vec::new();
    for (number, line) in parts.sheet.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        let bad =
            |reason: String| FileError::new(FileErrorCode::BadSave, format!("line {}: {reason}", number + 1));
        match save.line(line).map_err(|reason| bad(reason.to_owned()))? {
            Line::Cell(address) => {
                let address = CellAddress::parse_a1(address).map_err(|error| bad(error.to_string()))?;
                cells.push((address, number, line));
            }
            Line::Other => {}
        }
    }
    if cells.is_empty() && !parts.sheet.trim_start().starts_with("version:") {
        return Err(FileError::new(FileErrorCode::BadSave, "not a SocialCalc save: no version and no cell"));
    }
    save.format_by_default()?;
    cells.sort_by_key(|(address, ..)| (address.column, address.row));
    for (address, number, line) in &cells {
        save.cell(*address, line).map_err(|error| FileError {
            reason: format!("line {}: {}", number + 1, error.reason),
            ..error
        })?;
    }
    save.size_by_default();
    save.merge();
    save.lock();
    save.other_parts(&parts);
    let warnings = save.left_out.iter().map(|what| format!("left out: {what}"));
    save.contents.warnings.extend(warnings);
    Ok(save.contents)
}

/// A line of a save, as far as the reader of lines is concerned.
enum Line<'a> {
    /// A cell with its address. Cells are read when all formats are known.
    Cell(&'a str),
    Other,
}

/// The state of the reader.
#[derive(Default)]
pub(super) struct Save {
    pub contents: Contents,
    /// Entries of the numbered format tables, by table and number.
    formats: BTreeMap<(&'static str, usize), String>,
    pub defaults: Defaults,
    /// Locked cells and merged ranges, in the order of the cells.
    pub locked: Vec<CellAddress>,
    pub merged: Vec<Range>,
    /// Names of the contents that are not imported.
    pub left_out: BTreeSet<&'static str>,
}

impl Save {
    /// Reads a line, except cells.
    fn line<'a>(&mut self, line: &'a str) -> Result<Line<'a>, &'static str> {
        let mut fields = line.split(':');
        match fields.next().unwrap_or_default() {
            "cell" => return Ok(Line::Cell(fields.next().unwrap_or_default())),
            "col" => self.column(line).ok_or("not a column")?,
            "row" => self.row(line).ok_or("not a row")?,
            "name" => self.name(line),
            "sheet" => self.left_out.extend(self.defaults.read(line)),
            "font" | "color" | "border" | "layout" | "cellformat" | "valueformat" => self.format_entry(line),
            // The range of a clipboard, whose cells are the cells of the save.
            "copiedfrom" | "clipboard" | "clipboardrange" | "version" | "" => {}
            _ => {
                self.left_out.insert("features of later versions of SocialCalc");
            }
        }
        Ok(Line::Other)
    }

    /// Reads `col:B:w:120:hide:yes`.
    fn column(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split(':').collect();
        let column = parse_column_name(fields.get(1)?)?.get();
        for (key, value) in attributes(&fields) {
            match (key, value, value.parse::<f64>()) {
                ("w", "", _) => {}
                ("w", _, Ok(width)) if (0.0..=f64::from(u16::MAX)).contains(&width) => {
                    self.sheet().column_widths.push((column, 1, width.round() as u16));
                }
                ("w", ..) => {
                    self.left_out.insert("column widths other than pixels");
                }
                ("hide", "yes", _) => self.sheet().hidden_columns.push((column, 1)),
                _ => {}
            }
        }
        Some(())
    }

    /// Reads `row:3:h:40:hide:yes`.
    fn row(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split(':').collect();
        let row = fields.get(1)?.parse::<u32>().ok()?.checked_sub(1)?;
        for (key, value) in attributes(&fields) {
            match (key, value.parse::<f64>()) {
                ("h", Ok(height)) if (1.0..=f64::from(u16::MAX)).contains(&height) => {
                    self.sheet().row_heights.push((row, 1, height.round() as u16));
                }
                ("hide", _) if value == "yes" => self.sheet().hidden_rows.push((row, 1)),
                _ => {}
            }
        }
        Some(())
    }

    /// Reads `name:TAX:description:A1`, or with a formula `name:TAX:description:=A1*2`.
    fn name(&mut self, line: &str) {
        let fields: Vec<&str> = line.split(':').collect();
        let [_, name, description, definition, ..] = fields[..] else { return };
        self.left_out.extend((!description.is_empty()).then_some("descriptions of names"));
        let definition = dialect::name_definition(&decode(definition));
        let definition = definition.strip_prefix('=').unwrap_or(&definition);
        match self.contents.names.len() < NAMES_MAX && !definition.is_empty() {
            true => self.contents.names.push((decode(name), definition.to_owned())),
            false => {
                self.left_out.insert("names without a definition, or beyond the limit");
            }
        }
    }

    /// Reads `font:1:italic bold * *` and the other format tables. SocialCalc escapes the colons of
    /// some tables only, so an entry is the whole rest of the line.
    fn format_entry(&mut self, line: &str) {
        let mut fields = line.splitn(3, ':');
        let (kind, number, entry) = (fields.next(), fields.next(), fields.next());
        let tables = ["font", "color", "border", "layout", "cellformat", "valueformat"];
        let table = tables.into_iter().find(|table| Some(*table) == kind);
        if let (Some(table), Some(Ok(number)), Some(entry)) = (table, number.map(str::parse), entry) {
            self.formats.insert((table, number), decode(entry));
        }
    }

    /// Formats the cells within the size of the sheet by its defaults: a sheet has none here.
    fn format_by_default(&mut self) -> Result<(), FileError> {
        let entries = self.defaults.clone();
        let mut format = Format::default();
        self.font(&entries.font, &mut format);
        self.layout(&entries.layout, &mut format);
        format.text_color = self.color(&entries.color);
        format.fill_color = self.color(&entries.fill);
        format.number_format =
            self.entry("valueformat", &entries.number_format).and_then(styles::number_format).map(Into::into);
        if format != Format::default() {
            self.left_out.insert("default formats beyond the last row and column of the sheet");
            if let Some(range) = entries.size() {
                self.contents.put_format(range, format.clone())?;
            }
        }
        self.defaults.format = format;
        Ok(())
    }

    /// Gives the columns and rows within the size of the sheet its default sizes.
    fn size_by_default(&mut self) {
        let Some(range) = self.defaults.size() else { return };
        let (width, height) = (self.defaults.column_width, self.defaults.row_height);
        let (columns, rows) = (range.last().column.get() + 1, range.last().row.get() + 1);
        let sheet = self.sheet();
        // Sizes of single columns follow, so that they win.
        sheet.column_widths.splice(0..0, width.map(|width| (0, columns, width)));
        sheet.row_heights.splice(0..0, height.map(|height| (0, rows, height)));
    }

    /// Merges cells. Of ranges that overlap, the first row by row wins, as in SocialCalc.
    fn merge(&mut self) {
        let mut ranges = std::mem::take(&mut self.merged);
        ranges.sort_by_key(|range| (range.first().row, range.first().column));
        let mut merged: Vec<Range> = Vec::new();
        for range in ranges {
            if merged.iter().any(|earlier| earlier.intersects(range)) {
                self.left_out.insert("merged cells that overlap others");
                continue;
            }
            merged.push(range);
            self.item(ItemKind::Merge, vec![range], FieldTexts::default());
        }
    }

    /// Protects the locked cells. There are no editors: as in SocialCalc, everybody may unlock them.
    fn lock(&mut self) {
        let mut runs = FormatRuns::new();
        let mut ranges = Vec::new();
        for cell in std::mem::take(&mut self.locked) {
            ranges.extend(runs.put(cell.row.get(), cell.column.get(), ()).map(|(range, ())| range));
        }
        ranges.extend(runs.finish().into_iter().map(|(range, ())| range));
        for anchors in ranges.chunks(LOCKED_RANGES_MAX) {
            self.item(ItemKind::ProtectedRange, anchors.to_vec(), FieldTexts::default());
        }
    }

    /// Reads the parts beside the sheet.
    fn other_parts(&mut self, parts: &envelope::Parts<'_>) {
        if !parts.audit.trim().is_empty() {
            self.left_out.insert("the audit trail");
        }
        let (graph, left_out) = edit::read(parts.edit, &mut self.sheet().settings);
        self.left_out.extend(left_out);
        if let Some(graph) = graph {
            let columns = self.defaults.size().map_or(1, |size| size.column_count());
            let name = self.sheet().name.clone();
            let name = if name.trim().is_empty() { "Sheet1" } else { &name };
            self.contents.put_item(graph.chart(name, columns));
        }
    }

    /// Adds an item to the sheet.
    pub fn item(&mut self, kind: ItemKind, anchors: Vec<Range>, fields: FieldTexts) {
        self.contents.put_item(ItemContents { kind, anchors, fields, parent: None });
    }

    /// Reads the font with this number into a format.
    pub fn font(&mut self, number: &str, format: &mut Format) {
        let Some(font) = self.entry("font", number) else { return };
        if !styles::font(font, format) {
            self.left_out.insert("font sizes, weights and alternative families that cells cannot have");
        }
    }

    /// Reads the layout with this number into a format.
    pub fn layout(&mut self, number: &str, format: &mut Format) {
        let Some(layout) = self.entry("layout", number) else { return };
        let (alignment, has_padding) = styles::layout(layout);
        format.vertical = alignment.or(format.vertical);
        self.left_out.extend(has_padding.then_some("padding"));
    }

    /// The color with this number.
    pub fn color(&mut self, number: &str) -> Option<Color> {
        let color = self.entry("color", number)?;
        let read = styles::color(color);
        self.left_out.extend((read.is_none() && !color.is_empty()).then_some("colors other than RGB"));
        read
    }

    /// The entry of a format table with this number.
    pub fn entry(&self, table: &'static str, number: &str) -> Option<&str> {
        self.formats.get(&(table, number.parse().ok()?)).map(String::as_str)
    }

    fn sheet(&mut self) -> &mut SheetContents {
        self.contents.sheets.last_mut().expect("the sheet was added before its lines are read")
    }
}

/// The keys and values of a line, after its kind and number.
fn attributes<'a>(fields: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    fields
        .get(2..)
        .unwrap_or_default()
        .chunks(2)
        .map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default()))
}
