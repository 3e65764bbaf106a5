//! [`snapshot_bytes`]: the canonical bytes of a workbook: inputs, formats, sizes, names and items,
//! but no results of formulas. Equal workbooks have equal bytes whatever their history (P13),
//! because all parts are written in a fixed order and as the longest possible runs.

use std::sync::Arc;

use quadrille_cell::{COLUMNS_MAX, ColumnIndex, Dimension, ROWS_MAX, Range, SheetId, Value};
use quadrille_formula::Template;
use quadrille_operation::refresh_cell_styles;
use quadrille_workbook::{Column, Format, FormatPatch, Input, Literal, Sheet, Slice, Workbook};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::expression::{read_template, write_template};
use crate::format_patch::{read_patch, write_patch};
use crate::inputs::{RunWriter, end_runs, read_runs_to_end};
use crate::item::{read_item, read_item_id, write_item, write_item_id};
use crate::limits::ITEMS_MAX;
use crate::ranges::{read_flag, read_range, write_range};

/// `Q` and the format version.
const SNAPSHOT_HEAD: [u8; 2] = [b'Q', 1];

/// Returns the canonical bytes of a workbook.
pub fn snapshot_bytes(workbook: &Workbook) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bytes.extend_from_slice(&SNAPSHOT_HEAD);
    writer.varint(workbook.sheets().len() as u64);
    for sheet in workbook.sheets() {
        write_sheet(&mut writer, sheet);
    }
    let mut names: Vec<(&Arc<str>, &Template)> = workbook.names().collect();
    quadrille_cell::stable_sort_by(&mut names, &mut |a, b| a.0.cmp(b.0));
    writer.varint(names.len() as u64);
    for (name, definition) in names {
        writer.text(name);
        write_template(&mut writer, definition);
    }
    write_extras(&mut writer, workbook);
    writer.bytes
}

/// Decodes a workbook.
///
/// # Errors
///
/// Fails if the bytes are damaged or of another version.
pub fn decode_snapshot(bytes: &[u8]) -> Result<Workbook, DecodeError> {
    let mut reader = Reader::new(bytes);
    match [reader.byte()?, reader.byte()?] {
        SNAPSHOT_HEAD => {}
        [_, version] => return Err(DecodeError::UnknownVersion { version: version.into() }),
    }
    let count = reader.count("sheets", usize::MAX)?;
    if count == 0 {
        return Err(DecodeError::OutOfBounds { what: "number of sheets", value: 0 });
    }
    let mut workbook = Workbook::new();
    let first = workbook.sheets()[0].id();
    *workbook.sheet_mut(first).expect("a new workbook has this sheet") = read_sheet(&mut reader)?;
    for position in 1..count {
        let sheet = read_sheet(&mut reader)?;
        let id = sheet.id();
        if !workbook.insert_sheet(Arc::new(sheet), position) {
            return Err(DecodeError::Unknown { what: "sheet that already exists", value: id.0.into() });
        }
    }
    let names = reader.count("names", usize::MAX)?;
    for _ in 0..names {
        let name = reader.text()?;
        workbook.define_name(&name, Some(read_template(&mut reader)?));
    }
    read_extras(&mut reader, &mut workbook)?;
    reader.finish()?;
    workbook.refresh_tables();
    refresh_cell_styles(&mut workbook);
    Ok(workbook)
}

/// Returns the 64-bit XXH3 with seed 0 of the canonical bytes. The room sends it so that replicas
/// can compare their document.
pub fn digest(workbook: &Workbook) -> u64 {
    digest_of_snapshot(&snapshot_bytes(workbook))
}

/// Returns the digest of canonical bytes.
pub fn digest_of_snapshot(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}

/// Parts added after the first release of version 1. Each follows the names with its tag, in the
/// order of tags, and only if it is not empty, so that the bytes of workbooks without it do not
/// change.
mod extra {
    /// A sheet's identity, a dimension, and runs of hidden rows or columns.
    pub const HIDDEN: u8 = 1;
    /// A sheet's identity + 1, or 0 for the workbook, and its items by ascending identity.
    pub const ITEMS: u8 = 2;
}

fn write_extras(writer: &mut Writer, workbook: &Workbook) {
    for sheet in workbook.sheets() {
        for dimension in [Dimension::Rows, Dimension::Columns] {
            write_hidden(writer, sheet, dimension);
        }
    }
    let sheets = workbook.sheets().iter().map(|sheet| (u64::from(sheet.id().0) + 1, sheet.items()));
    for (container, items) in std::iter::once((0, workbook.items())).chain(sheets) {
        if items.is_empty() {
            continue;
        }
        writer.byte(extra::ITEMS);
        writer.varint(container);
        writer.varint(items.len() as u64);
        for (id, item) in items.iter() {
            write_item_id(writer, id);
            write_item(writer, item);
        }
    }
}

fn read_extras(reader: &mut Reader, workbook: &mut Workbook) -> Result<(), DecodeError> {
    while reader.remaining() > 0 {
        match reader.byte()? {
            extra::HIDDEN => read_hidden(reader, workbook)?,
            extra::ITEMS => read_items(reader, workbook)?,
            other => return Err(DecodeError::Unknown { what: "part of a snapshot", value: other.into() }),
        }
    }
    Ok(())
}

fn write_hidden(writer: &mut Writer, sheet: &Sheet, dimension: Dimension) {
    let runs: Vec<(u32, u32)> = sheet.hidden_runs(dimension).collect();
    if runs.is_empty() {
        return;
    }
    writer.byte(extra::HIDDEN);
    writer.varint(sheet.id().0.into());
    writer.byte((dimension == Dimension::Columns).into());
    writer.varint(runs.len() as u64);
    for (first, count) in runs {
        writer.varint(first.into());
        writer.varint(count.into());
    }
}

fn read_hidden(reader: &mut Reader, workbook: &mut Workbook) -> Result<(), DecodeError> {
    let id = reader.varint32("sheet")?;
    let dimension = if read_flag(reader)? { Dimension::Columns } else { Dimension::Rows };
    let unknown = DecodeError::Unknown { what: "sheet of hidden rows or columns", value: id.into() };
    let sheet = workbook.sheet_mut(SheetId(id)).ok_or(unknown)?;
    for _ in 0..reader.count("spans of hidden rows or columns", usize::MAX)? {
        let first = reader.bounded("row or column", u64::from(dimension.len_max() - 1))? as u32;
        let count =
            reader.bounded("number of rows or columns", u64::from(dimension.len_max() - first))? as u32;
        sheet.set_hidden(dimension, first, count, true);
    }
    Ok(())
}

fn read_items(reader: &mut Reader, workbook: &mut Workbook) -> Result<(), DecodeError> {
    let container = reader.bounded("sheet", u64::from(u32::MAX) + 1)?;
    let container = container.checked_sub(1).map(|id| SheetId(id as u32));
    if let Some(SheetId(id)) = container.filter(|id| workbook.sheet(*id).is_none()) {
        return Err(DecodeError::Unknown { what: "sheet of items", value: id.into() });
    }
    for _ in 0..reader.count("items", ITEMS_MAX)? {
        let id = read_item_id(reader)?;
        let item = read_item(reader)?;
        workbook.set_item(container, id, Some(item));
    }
    Ok(())
}

fn write_sheet(writer: &mut Writer, sheet: &Sheet) {
    writer.varint(sheet.id().0.into());
    writer.text(sheet.name());
    // Columns: index + 1 and contents; 0 ends the list.
    for (index, column) in sheet.columns_in(Range::whole_sheet()) {
        write_column(writer, index, column);
    }
    writer.varint(0);
    write_formats(writer, sheet);
    for dimension in [Dimension::Rows, Dimension::Columns] {
        write_sizes(writer, sheet, dimension);
    }
}

fn read_sheet(reader: &mut Reader) -> Result<Sheet, DecodeError> {
    let id = SheetId(reader.varint32("sheet")?);
    let name = reader.text()?;
    let mut sheet = Sheet::new(id, &name);
    loop {
        match reader.bounded("column", COLUMNS_MAX.into())? {
            0 => break,
            index => read_column(reader, &mut sheet, ColumnIndex::clamped(index as u32 - 1))?,
        }
    }
    read_formats(reader, &mut sheet)?;
    for dimension in [Dimension::Rows, Dimension::Columns] {
        read_sizes(reader, &mut sheet, dimension)?;
    }
    Ok(sheet)
}

/// Writes the column's inputs from row 1 to the last one that is not blank; nothing for a blank
/// column.
fn write_column(writer: &mut Writer, index: ColumnIndex, column: &Column) {
    let last = ROWS_MAX - 1;
    let mut formulas = column.formula_runs(0, last).peekable();
    let mut literals = column.literal_slices(0, last).peekable();
    let mut column = ColumnWriter { next_row: 0, runs: None };
    loop {
        let formula_first = formulas.peek().map(|run| run.first);
        let literal_first = literals.peek().map(|(row, _)| *row);
        let formula_is_next = match (formula_first, literal_first) {
            (None, None) => break,
            (Some(formula), Some(literal)) => formula < literal,
            (formula, _) => formula.is_some(),
        };
        if formula_is_next {
            let run = formulas.next().expect("peeked");
            let count = u64::from(run.last - run.first + 1);
            column.push(writer, index, run.first, Input::Formula(run.value.clone()), count);
            continue;
        }
        let (row, slice) = literals.next().expect("peeked");
        match slice {
            Slice::Numbers(numbers) => {
                for (row, number) in (row..).zip(numbers) {
                    column.push(writer, index, row, Input::Value(Literal::Number(*number)), 1);
                }
            }
            Slice::Mixed(values) => {
                for (row, offset) in (row..).zip(0..values.len()) {
                    let value = values.get(offset);
                    if !value.is_blank() {
                        column.push(writer, index, row, Input::from(value), 1);
                    }
                }
            }
        }
    }
    if let Some(runs) = column.runs {
        runs.finish(writer);
        end_runs(writer);
    }
}

/// Writes the column's index before its first content, and blanks between contents.
struct ColumnWriter {
    next_row: u32,
    runs: Option<RunWriter>,
}

impl ColumnWriter {
    fn push(&mut self, writer: &mut Writer, index: ColumnIndex, row: u32, input: Input, count: u64) {
        let runs = self.runs.get_or_insert_with(|| {
            writer.varint(u64::from(index.get()) + 1);
            RunWriter::default()
        });
        if row > self.next_row {
            runs.push(writer, Input::Blank, u64::from(row - self.next_row));
        }
        runs.push(writer, input, count);
        self.next_row = row + count as u32;
    }
}

fn read_column(reader: &mut Reader, sheet: &mut Sheet, column: ColumnIndex) -> Result<(), DecodeError> {
    let mut row = 0u32;
    // Values that are not yet in the sheet, from `literals_first` on; written in blocks.
    let mut literals: Vec<Value> = Vec::new();
    let mut literals_first = 0u32;
    read_runs_to_end(reader, ROWS_MAX.into(), &mut |input, count| {
        let (first, count) = (row, count as u32);
        row += count;
        match (input, count) {
            (Input::Value(literal), 1) => {
                if literals.is_empty() {
                    literals_first = first;
                }
                literals.push(literal.into());
                if literals.len() < LITERALS_PER_BLOCK {
                    return Ok(());
                }
                sheet.set_column_values(column, literals_first, &literals);
                literals.clear();
            }
            (input, count) => {
                sheet.set_column_values(column, literals_first, &literals);
                literals.clear();
                if input != Input::Blank {
                    let rows = Range::from_indices(first, column.get(), first + count - 1, column.get());
                    sheet.fill_input(rows.expect("runs lie within the sheet"), &input);
                }
            }
        }
        Ok(())
    })?;
    sheet.set_column_values(column, literals_first, &literals);
    Ok(())
}

/// Number of values of a block of the cell store.
const LITERALS_PER_BLOCK: usize = 4_096;

/// Writes rectangles of equal format, as bands of columns from the left, each from above.
fn write_formats(writer: &mut Writer, sheet: &Sheet) {
    let rectangles = longest_rectangles(sheet.format_runs(Range::whole_sheet()));
    writer.varint(rectangles.len() as u64);
    for (range, format) in rectangles {
        write_range(writer, range);
        // Only differences from the default, so that attributes added later do not change these
        // bytes.
        let patch = match format.cell_style {
            Some(_) => FormatPatch::replacing_with(format),
            None => FormatPatch::difference_from_default(format),
        };
        write_patch(writer, &patch);
    }
}

/// Joins adjacent rectangles of equal format: first vertically, then bands of columns that are
/// equal as a whole. The input must be bands of columns from the left, each from above.
fn longest_rectangles<'a>(rectangles: impl Iterator<Item = (Range, &'a Format)>) -> Vec<(Range, &'a Format)> {
    let columns = |range: Range| (range.first().column.get(), range.last().column.get());
    let rows = |range: Range| (range.first().row.get(), range.last().row.get());
    let mut bands: Vec<Vec<(Range, &Format)>> = Vec::new();
    for (range, format) in rectangles {
        let band = bands.last_mut().filter(|band| columns(band[0].0) == columns(range));
        let Some(band) = band else {
            bands.push(vec![(range, format)]);
            continue;
        };
        let last = band.last_mut().expect("a band begins with a rectangle");
        if rows(last.0).1 + 1 == rows(range).0 && *last.1 == *format {
            last.0 = last.0.union(range);
        } else {
            band.push((range, format));
        }
    }
    let mut joined: Vec<Vec<(Range, &Format)>> = Vec::new();
    for band in bands {
        let looks_like = |before: &Vec<(Range, &Format)>| {
            columns(before[0].0).1 + 1 == columns(band[0].0).0
                && before.len() == band.len()
                && before.iter().zip(&band).all(|(a, b)| rows(a.0) == rows(b.0) && a.1 == b.1)
        };
        match joined.last_mut().filter(|before| looks_like(before)) {
            Some(before) => before.iter_mut().zip(&band).for_each(|(a, b)| a.0 = a.0.union(b.0)),
            None => joined.push(band),
        }
    }
    joined.into_iter().flatten().collect()
}

fn read_formats(reader: &mut Reader, sheet: &mut Sheet) -> Result<(), DecodeError> {
    let count = reader.count("formats", usize::MAX)?;
    for _ in 0..count {
        let range = read_range(reader)?;
        let patch = read_patch(reader)?;
        sheet.patch_format(range, &patch);
    }
    sheet.deduplicate_formats();
    Ok(())
}

fn write_sizes(writer: &mut Writer, sheet: &Sheet, dimension: Dimension) {
    let runs: Vec<(u32, u32, u16)> = sheet.size_runs(dimension).collect();
    writer.varint(runs.len() as u64);
    for (first, count, size) in runs {
        writer.varint(first.into());
        writer.varint(count.into());
        writer.varint(size.into());
    }
}

fn read_sizes(reader: &mut Reader, sheet: &mut Sheet, dimension: Dimension) -> Result<(), DecodeError> {
    let count = reader.count("sizes", usize::MAX)?;
    for _ in 0..count {
        let first = reader.bounded("row or column", u64::from(dimension.len_max() - 1))? as u32;
        let count =
            reader.bounded("number of rows or columns", u64::from(dimension.len_max() - first))? as u32;
        let size = reader.bounded("size", u16::MAX.into())? as u16;
        sheet.set_sizes(dimension, first, count, Some(size));
    }
    Ok(())
}
