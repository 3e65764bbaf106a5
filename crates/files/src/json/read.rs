//! Reads three forms of JSON: Quadrille's workbook format; an array of rows (EtherCalc's
//! `csv.json`), whose texts are read like typed text; and an array of records, whose keys become
//! the header and whose texts remain text.

use std::collections::HashMap;
use std::fmt;

use quadrille_cell::{CellAddress, ErrorValue, Range, Value, parse_column_name};
use quadrille_operation::{FormatChange, ItemDetails, ItemValue};
use quadrille_workbook::{Field, Format, ItemId, ItemKind};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::tree::{Tree, TreeVisitor};
use crate::contents::{CellStyle, Contents, FieldTexts, FormulaSource, ItemContents};
use crate::error::{FileError, FileErrorCode};
use crate::limits::{FORMULA_LENGTH_MAX, NAMES_MAX, TEXT_RUNS_MAX};
use crate::progress::ProgressWatch;
use crate::text::FieldParser;

/// Reads a JSON file. Fails with `BadJson` and the line, `NotAWorkbook`, or the limit that is
/// exceeded.
pub(crate) fn read(
    bytes: &[u8],
    sheet_name: &str,
    parser: FieldParser,
    watch: &mut ProgressWatch,
) -> Result<Contents, FileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut document = Document {
        contents: Contents::default(),
        sheet_name,
        parser,
        watch,
        columns: HashMap::new(),
        failure: None,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let outcome = (&mut document).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match (document.failure, outcome) {
        (Some(failure), _) => Err(failure),
        (None, Ok(())) => Ok(document.contents),
        (None, Err(error)) => {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            Err(FileError::new(FileErrorCode::BadJson, error.to_string()).at_row(line))
        }
    }
}

/// State of the deserializer.
struct Document<'a, 'w> {
    contents: Contents,
    sheet_name: &'a str,
    parser: FieldParser,
    watch: &'a mut ProgressWatch<'w>,
    /// Columns of the keys of records.
    columns: HashMap<String, u32>,
    /// The error that stopped the deserializer, if it was not a JSON error.
    failure: Option<FileError>,
}

impl<'de> DeserializeSeed<'de> for &mut Document<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a workbook, an array of rows or an array of records")
    }

    /// Reads row by row, so that a long file is never in memory as a tree.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        let name = self.sheet_name;
        let mut outcome = self.contents.add_sheet(name).map(|_| ());
        let mut row = 0;
        while outcome.is_ok() {
            let Some(item) = sequence.next_element::<Tree>()? else { return Ok(()) };
            outcome = self.item(&mut row, &item).and_then(|()| self.watch.row(0));
        }
        self.failure = outcome.err();
        Err(A::Error::custom("stopped"))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let tree = TreeVisitor.visit_map(map)?;
        self.workbook(&tree).map_err(|failure| {
            self.failure = Some(failure);
            A::Error::custom("stopped")
        })
    }
}

impl Document<'_, '_> {
    /// Adds an array or object as the row `row`, and increments `row`.
    fn item(&mut self, row: &mut u32, item: &Tree) -> Result<(), FileError> {
        match item {
            Tree::Array(fields) => {
                for (column, field) in fields.iter().enumerate() {
                    match field {
                        Tree::Text(text) => {
                            self.parser.put(&mut self.contents, *row, column as u32, text)?;
                        }
                        field => self.value(*row, column as u32, field)?,
                    }
                }
            }
            Tree::Object(entries) => {
                *row = (*row).max(1);
                for (key, field) in entries {
                    let column = self.column(key)?;
                    self.value(*row, column, field)?;
                }
            }
            Tree::Null => {}
            _ => {
                let reason = "a row is an array of values or an object";
                return Err(FileError::new(FileErrorCode::BadJson, reason).at_row(*row + 1));
            }
        }
        *row += 1;
        Ok(())
    }

    /// The column of a key. A new key gets the next column and a header cell.
    fn column(&mut self, key: &str) -> Result<u32, FileError> {
        if let Some(column) = self.columns.get(key) {
            return Ok(*column);
        }
        let column = self.columns.len() as u32;
        self.contents.put_text(0, column, key)?;
        self.columns.insert(key.to_owned(), column);
        Ok(column)
    }

    fn value(&mut self, row: u32, column: u32, tree: &Tree) -> Result<(), FileError> {
        match tree {
            Tree::Null => Ok(()),
            Tree::Boolean(boolean) => self.contents.put(row, column, Value::Boolean(*boolean)),
            Tree::Number(number) => self.contents.put(row, column, Value::number(*number)),
            Tree::Text(text) if text.is_empty() => Ok(()),
            Tree::Text(text) => self.contents.put_text(row, column, text),
            nested => self.contents.put_text(row, column, &nested.to_string()),
        }
    }

    fn workbook(&mut self, tree: &Tree) -> Result<(), FileError> {
        let Some(Tree::Array(sheets)) = tree.get("sheets") else {
            let reason = "an object without \"sheets\": not a workbook in Quadrille's JSON format";
            return Err(FileError::new(FileErrorCode::NotAWorkbook, reason));
        };
        if let Some(settings) = tree.get("settings") {
            let fields = serde_json::from_value(settings.to_json());
            self.contents.settings = FieldTexts(fields.map_err(|error| bad(format!("settings: {error}")))?);
        }
        for sheet in sheets {
            let name = sheet.get("name").and_then(Tree::as_text).unwrap_or_default();
            self.contents.add_sheet(name)?;
            self.sheet(sheet)
                .map_err(|error| FileError { reason: format!("{name}: {}", error.reason), ..error })?;
        }
        if self.contents.sheets.is_empty() {
            return Err(FileError::new(FileErrorCode::NotAWorkbook, "a workbook without sheets"));
        }
        for style in list(tree, "cellStyles") {
            self.contents.cell_styles.extend(read_style(style));
        }
        let names = tree.get("names").map(Tree::entries).unwrap_or_default();
        if names.len() > NAMES_MAX {
            let reason = format!("more than {NAMES_MAX} defined names");
            return Err(FileError::new(FileErrorCode::BadJson, reason));
        }
        for (name, definition) in names {
            let definition = definition.as_text().unwrap_or_default();
            let definition = definition.strip_prefix('=').unwrap_or(definition);
            self.contents.names.push((name.clone(), definition.to_owned()));
        }
        Ok(())
    }

    fn sheet(&mut self, sheet: &Tree) -> Result<(), FileError> {
        let mut cells = Vec::new();
        for (address, cell) in sheet.get("cells").map(Tree::entries).unwrap_or_default() {
            let address = CellAddress::parse_a1(address).map_err(bad)?;
            cells.push((address, cell));
        }
        cells.sort_by_key(|(address, _)| (address.column, address.row));
        for (address, cell) in cells {
            self.cell(address, cell)?;
            self.watch.row(0)?;
        }
        for (range, format) in sheet.get("formats").map(Tree::entries).unwrap_or_default() {
            let range = Range::parse_a1(range).map_err(bad)?;
            self.contents.put_format(range, read_format(format))?;
        }
        for (columns, width) in sheet.get("columnWidths").map(Tree::entries).unwrap_or_default() {
            let (first, last) = columns.split_once(':').unwrap_or((columns, columns));
            let ends = parse_column_name(first).zip(parse_column_name(last));
            let (first, last) = ends.ok_or_else(|| bad(format!("not a column: {columns}")))?;
            let size = size(width)?;
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
            sheet.column_widths.push((first.get(), last.get().saturating_sub(first.get()) + 1, size));
        }
        for (rows, height) in sheet.get("rowHeights").map(Tree::entries).unwrap_or_default() {
            let range =
                Range::parse_a1(&if rows.contains(':') { rows.clone() } else { format!("{rows}:{rows}") });
            let range = range.map_err(bad)?;
            let size = size(height)?;
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
            sheet.row_heights.push((range.first().row.get(), range.row_count(), size));
        }
        for rows in list(sheet, "hiddenRows") {
            let range = Range::parse_a1(rows.as_text().unwrap_or_default()).map_err(bad)?;
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
            sheet.hidden_rows.push((range.first().row.get(), range.row_count()));
        }
        for columns in list(sheet, "hiddenColumns") {
            let range = Range::parse_a1(columns.as_text().unwrap_or_default()).map_err(bad)?;
            let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
            sheet.hidden_columns.push((range.first().column.get(), range.column_count()));
        }
        self.items(list(sheet, "items"))
    }

    /// Adds items in their order. They get new ids; references to parents are preserved.
    fn items(&mut self, trees: &[Tree]) -> Result<(), FileError> {
        let mut indices: HashMap<u64, usize> = HashMap::new();
        let mut children: Vec<(usize, u64)> = Vec::new();
        for tree in trees {
            let details: ItemDetails = serde_json::from_value(tree.to_json())
                .map_err(|error| bad(format!("not an item: {tree}: {error}")))?;
            let kind = ItemKind::from_name(&details.kind);
            let kind = kind.ok_or_else(|| bad(format!("unknown kind of item: {}", details.kind)))?;
            let anchors: Result<Vec<Range>, _> =
                details.anchors.iter().map(|anchor| Range::parse_a1(anchor)).collect();
            let anchors = anchors.map_err(bad)?;
            let mut fields = FieldTexts(details.fields);
            if kind == ItemKind::SheetSettings {
                let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
                sheet.settings = fields;
                continue;
            }
            let parent = match fields.0.remove(Field::Parent.name()) {
                Some(ItemValue::Number(parent)) => Some(parent as u64),
                _ => None,
            };
            let index = self.contents.put_item(ItemContents { kind, anchors, fields, parent: None });
            indices.insert(details.id, index);
            children.extend(parent.map(|parent| (index, parent)));
        }
        let sheet = self.contents.sheets.last_mut().expect("the sheet was added by the caller");
        for (child, parent) in children {
            if let Some(item) = sheet.items.get_mut(child) {
                item.parent = indices.get(&parent).copied();
            }
        }
        Ok(())
    }

    fn cell(&mut self, address: CellAddress, cell: &Tree) -> Result<(), FileError> {
        let (row, column) = (address.row.get(), address.column.get());
        if let Some(formula) = cell.get("formula").and_then(Tree::as_text) {
            let formula = formula.strip_prefix('=').unwrap_or(formula);
            if formula.len() > FORMULA_LENGTH_MAX {
                let reason = format!("{address}: a formula of more than {FORMULA_LENGTH_MAX} characters");
                return Err(FileError::new(FileErrorCode::TextTooLong, reason).at(row + 1, column + 1));
            }
            return self.contents.put_formula(row, column, FormulaSource::Text(formula.into()));
        }
        if let Some(error) = cell.get("error").and_then(Tree::as_text) {
            let error =
                ErrorValue::parse(error).ok_or_else(|| bad(format!("{address}: no error value: {error}")))?;
            return self.contents.put(row, column, Value::Error(error));
        }
        match cell {
            Tree::Object(_) => self.value(row, column, cell.get("value").unwrap_or(&Tree::Null)),
            cell => self.value(row, column, cell),
        }
    }
}

fn bad(reason: impl ToString) -> FileError {
    FileError::new(FileErrorCode::BadJson, reason.to_string())
}

/// The elements of an array; empty if the value is missing or not an array.
fn list<'t>(tree: &'t Tree, key: &str) -> &'t [Tree] {
    match tree.get(key) {
        Some(Tree::Array(items)) => items,
        _ => &[],
    }
}

fn size(tree: &Tree) -> Result<u16, FileError> {
    let pixels = tree.as_number().filter(|pixels| (0.0..=f64::from(u16::MAX)).contains(pixels));
    pixels.map(|pixels| pixels as u16).ok_or_else(|| bad(format!("not a size in pixels: {tree}")))
}

/// Reads a cell style; `None` without an id and a name.
fn read_style(tree: &Tree) -> Option<CellStyle> {
    let details: ItemDetails = serde_json::from_value(tree.to_json()).ok()?;
    let is_valid = (1..=ItemId::MAX).contains(&details.id);
    let Some(ItemValue::Text(name)) = details.fields.get(Field::Name.name()) else { return None };
    let builtin_id = match details.fields.get(Field::BuiltinId.name()) {
        Some(ItemValue::Number(number)) => Some(*number as u8),
        _ => None,
    };
    let is_partial = matches!(details.fields.get(Field::Partial.name()), Some(ItemValue::Boolean(true)));
    let format = tree.get("fields").and_then(|fields| fields.get(Field::Format.name()));
    let format = format.map(read_format).unwrap_or_default();
    let style = CellStyle { is_partial, format, ..CellStyle::new(name, builtin_id) };
    is_valid.then_some(CellStyle { id: ItemId(details.id), ..style })
}

/// Reads a format; unknown and malformed attributes keep their default.
fn read_format(tree: &Tree) -> Format {
    let style = tree.get("cellStyle").and_then(Tree::as_number).filter(|id| *id >= 1.0 && id.fract() == 0.0);
    let mut format = Format { cell_style: style.map(|id| ItemId(id as u64)), ..Format::default() };
    for (name, value) in tree.entries().iter().filter(|(name, _)| name != "cellStyle") {
        let single = serde_json::Map::from_iter([(name.clone(), value.to_json())]);
        let change: Result<FormatChange, _> = serde_json::from_value(single.into());
        if let Some(patch) = change.ok().and_then(|change| change.to_patch().ok()) {
            format = patch.apply_to(&format);
        }
    }
    format.text_runs = format.text_runs.filter(|runs| runs.runs().len() <= TEXT_RUNS_MAX);
    format
}
