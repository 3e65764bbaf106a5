//! Encoding of transactions and operations.

use std::sync::Arc;

use quadrille_cell::{
    COLUMNS_MAX, CellAddress, Dimension, EditKind, ROWS_MAX, Range, SheetId, StructuralEdit,
};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Input, ItemId};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::expression::{read_template, write_template};
use crate::format_patch::{read_patch, write_patch};
use crate::inputs::{RunWriter, read_input, read_runs, write_input};
use crate::item::{read_item, read_item_id, read_item_patch, write_item, write_item_id, write_item_patch};
use crate::limits::{CELLS_FREE, CELLS_PER_BYTE_MAX, OPERATIONS_MAX};
use crate::ranges::{read_flag, read_range, write_range};

mod tag {
    pub const SET_CELLS: u8 = 1;
    pub const FILL_CELLS: u8 = 2;
    pub const SET_FORMAT: u8 = 3;
    pub const RESTRUCTURE: u8 = 4;
    pub const SET_SIZES: u8 = 5;
    pub const PERMUTE_ROWS: u8 = 6;
    pub const ADD_SHEET: u8 = 7;
    pub const REMOVE_SHEET: u8 = 8;
    pub const RENAME_SHEET: u8 = 9;
    pub const MOVE_SHEET: u8 = 10;
    pub const DEFINE_NAME: u8 = 11;
    /// `SET_CELLS` with at least one byte per cell, for repeated contents that exceed the limit of
    /// cells per byte.
    pub const SET_CELLS_EACH: u8 = 12;
    pub const SET_HIDDEN: u8 = 13;
    pub const PUT_ITEM: u8 = 14;
    pub const PATCH_ITEM: u8 = 15;
    pub const REMOVE_ITEM: u8 = 16;
    pub const TICK: u8 = 17;
}

/// Encodes a transaction.
pub fn encode_transaction(transaction: &Transaction) -> Vec<u8> {
    let mut writer = Writer::default();
    write_transaction(&mut writer, transaction);
    writer.bytes
}

/// Decodes a transaction.
///
/// # Errors
///
/// Fails if the bytes are damaged. Limits that are not about memory are checked by
/// [`validate`](quadrille_operation::validate).
pub fn decode_transaction(bytes: &[u8]) -> Result<Transaction, DecodeError> {
    let mut reader = Reader::new(bytes);
    let transaction = read_transaction(&mut reader)?;
    reader.finish()?;
    Ok(transaction)
}

/// Writes the number of operations and each operation.
pub(crate) fn write_transaction(writer: &mut Writer, transaction: &Transaction) {
    writer.varint(transaction.operations.len() as u64);
    for operation in &transaction.operations {
        write_operation(writer, operation);
    }
}

/// Reads a transaction.
pub(crate) fn read_transaction(reader: &mut Reader) -> Result<Transaction, DecodeError> {
    let count = reader.count("operations", OPERATIONS_MAX)?;
    let mut cells_remaining = CELLS_FREE + CELLS_PER_BYTE_MAX * reader.remaining() as u64;
    let mut operations = Vec::new();
    for _ in 0..count {
        operations.push(read_operation(reader, &mut cells_remaining)?);
    }
    Ok(Transaction { operations })
}

fn write_operation(writer: &mut Writer, operation: &Operation) {
    match operation {
        Operation::SetCells { sheet, range, inputs } => write_set_cells(writer, *sheet, *range, inputs),
        Operation::FillCells { sheet, range, input } => {
            write_head(writer, tag::FILL_CELLS, *sheet);
            write_range(writer, *range);
            write_input(writer, input);
        }
        Operation::SetFormat { sheet, range, patch } => {
            write_head(writer, tag::SET_FORMAT, *sheet);
            write_range(writer, *range);
            write_patch(writer, patch);
        }
        Operation::Restructure(edit) => {
            write_head(writer, tag::RESTRUCTURE, edit.sheet);
            let kind = match edit.kind {
                EditKind::Insert => 0,
                EditKind::Delete => 2,
                EditKind::Move { .. } => 4,
            };
            writer.byte(dimension_bit(edit.dimension) | kind);
            writer.varint(edit.at.into());
            writer.varint(edit.count.into());
            if let EditKind::Move { to } = edit.kind {
                writer.varint(to.into());
            }
        }
        Operation::SetSizes { sheet, dimension, first, count, size } => {
            write_head(writer, tag::SET_SIZES, *sheet);
            writer.byte(dimension_bit(*dimension));
            writer.varint((*first).into());
            writer.varint((*count).into());
            writer.varint(size.map_or(0, |size| u64::from(size) + 1));
        }
        Operation::PermuteRows { sheet, range, order } => {
            write_head(writer, tag::PERMUTE_ROWS, *sheet);
            write_range(writer, *range);
            // Differences to the previous row, because sorting moves blocks of rows: a block costs
            // one byte per row.
            let mut expected = 0i64;
            for &row in order.iter() {
                writer.zigzag(i64::from(row) - expected);
                expected = i64::from(row) + 1;
            }
        }
        Operation::AddSheet { sheet, name, position } => {
            write_head(writer, tag::ADD_SHEET, *sheet);
            writer.text(name);
            writer.varint((*position).into());
        }
        Operation::RemoveSheet { sheet } => write_head(writer, tag::REMOVE_SHEET, *sheet),
        Operation::RenameSheet { sheet, name } => {
            write_head(writer, tag::RENAME_SHEET, *sheet);
            writer.text(name);
        }
        Operation::MoveSheet { sheet, position } => {
            write_head(writer, tag::MOVE_SHEET, *sheet);
            writer.varint((*position).into());
        }
        Operation::DefineName { name, definition } => {
            writer.byte(tag::DEFINE_NAME);
            writer.text(name);
            writer.byte(definition.is_some().into());
            if let Some(definition) = definition {
                write_template(writer, definition);
            }
        }
        Operation::SetHidden { sheet, dimension, first, count, is_hidden } => {
            write_head(writer, tag::SET_HIDDEN, *sheet);
            writer.byte(dimension_bit(*dimension) | u8::from(*is_hidden) << 1);
            writer.varint((*first).into());
            writer.varint((*count).into());
        }
        Operation::PutItem { sheet, item, content } => {
            write_item_head(writer, tag::PUT_ITEM, *sheet, *item);
            write_item(writer, content);
        }
        Operation::PatchItem { sheet, item, patch } => {
            write_item_head(writer, tag::PATCH_ITEM, *sheet, *item);
            write_item_patch(writer, patch);
        }
        Operation::RemoveItem { sheet, item } => write_item_head(writer, tag::REMOVE_ITEM, *sheet, *item),
        Operation::Tick => writer.byte(tag::TICK),
    }
}

fn read_operation(reader: &mut Reader, cells_remaining: &mut u64) -> Result<Operation, DecodeError> {
    let tag = reader.byte()?;
    if tag == tag::DEFINE_NAME {
        let name = reader.text()?;
        let definition = if read_flag(reader)? { Some(read_template(reader)?) } else { None };
        return Ok(Operation::DefineName { name, definition });
    }
    match tag {
        tag::TICK => return Ok(Operation::Tick),
        tag::PUT_ITEM | tag::PATCH_ITEM | tag::REMOVE_ITEM => return read_item_operation(reader, tag),
        _ => {}
    }
    let sheet = SheetId(reader.varint32("sheet")?);
    match tag {
        tag::SET_HIDDEN => {
            let head = reader.bounded("hidden rows or columns", 3)? as u8;
            let dimension = dimension_from(head & 1)?;
            let (first, count) = read_span(reader, dimension)?;
            Ok(Operation::SetHidden { sheet, dimension, first, count, is_hidden: head & 2 != 0 })
        }
        tag::SET_CELLS | tag::SET_CELLS_EACH => read_set_cells(reader, tag, sheet, cells_remaining),
        tag::FILL_CELLS => {
            Ok(Operation::FillCells { sheet, range: read_range(reader)?, input: read_input(reader)? })
        }
        tag::SET_FORMAT => {
            Ok(Operation::SetFormat { sheet, range: read_range(reader)?, patch: read_patch(reader)? })
        }
        tag::RESTRUCTURE => {
            let head = reader.byte()?;
            if head > 5 {
                return Err(DecodeError::Unknown { what: "structural edit", value: head.into() });
            }
            let dimension = dimension_from(head & 1)?;
            let (at, count) = read_span(reader, dimension)?;
            let kind = match head >> 1 {
                0 => EditKind::Insert,
                1 => EditKind::Delete,
                _ => {
                    let to =
                        reader.bounded("target of moved rows or columns", dimension.len_max().into())? as u32;
                    EditKind::Move { to }
                }
            };
            Ok(Operation::Restructure(StructuralEdit { sheet, dimension, kind, at, count }))
        }
        tag::SET_SIZES => {
            let dimension = dimension_from(reader.byte()?)?;
            let (first, count) = read_span(reader, dimension)?;
            let size = match reader.bounded("size", u64::from(u16::MAX) + 1)? {
                0 => None,
                size => Some((size - 1) as u16),
            };
            Ok(Operation::SetSizes { sheet, dimension, first, count, size })
        }
        tag::PERMUTE_ROWS => read_permutation(reader, sheet),
        tag::ADD_SHEET => {
            let name = reader.text()?;
            Ok(Operation::AddSheet { sheet, name, position: reader.varint32("position")? })
        }
        tag::REMOVE_SHEET => Ok(Operation::RemoveSheet { sheet }),
        tag::RENAME_SHEET => Ok(Operation::RenameSheet { sheet, name: reader.text()? }),
        tag::MOVE_SHEET => Ok(Operation::MoveSheet { sheet, position: reader.varint32("position")? }),
        other => Err(DecodeError::Unknown { what: "operation", value: other.into() }),
    }
}

fn write_head(writer: &mut Writer, tag: u8, sheet: SheetId) {
    writer.byte(tag);
    writer.varint(sheet.0.into());
}

/// Writes the sheet's identity + 1; 0 for an item of the workbook.
fn write_item_head(writer: &mut Writer, tag: u8, sheet: Option<SheetId>, item: ItemId) {
    writer.byte(tag);
    writer.varint(sheet.map_or(0, |sheet| u64::from(sheet.0) + 1));
    write_item_id(writer, item);
}

fn read_item_operation(reader: &mut Reader, tag: u8) -> Result<Operation, DecodeError> {
    let sheet = reader.bounded("sheet", u64::from(u32::MAX) + 1)?;
    let sheet = sheet.checked_sub(1).map(|sheet| SheetId(sheet as u32));
    let item = read_item_id(reader)?;
    Ok(match tag {
        tag::PUT_ITEM => Operation::PutItem { sheet, item, content: Arc::new(read_item(reader)?) },
        tag::PATCH_ITEM => Operation::PatchItem { sheet, item, patch: read_item_patch(reader)? },
        _ => Operation::RemoveItem { sheet, item },
    })
}

fn write_set_cells(writer: &mut Writer, sheet: SheetId, range: Range, inputs: &[Input]) {
    debug_assert_eq!(inputs.len() as u64, range.cell_count(), "one input per cell");
    let runs_are_enough = inputs.len() as u64 <= CELLS_FREE / 2;
    write_head(writer, if runs_are_enough { tag::SET_CELLS } else { tag::SET_CELLS_EACH }, sheet);
    write_range(writer, range);
    if !runs_are_enough {
        return inputs.iter().for_each(|input| write_input(writer, input));
    }
    let mut runs = RunWriter::default();
    for input in inputs {
        runs.push(writer, input.clone(), 1);
    }
    runs.finish(writer);
}

fn read_set_cells(
    reader: &mut Reader,
    tag: u8,
    sheet: SheetId,
    cells_remaining: &mut u64,
) -> Result<Operation, DecodeError> {
    let range = read_range(reader)?;
    let cells = range.cell_count();
    let mut inputs = Vec::new();
    if tag == tag::SET_CELLS_EACH {
        if cells > reader.remaining() as u64 {
            return Err(DecodeError::Truncated);
        }
        for _ in 0..cells {
            inputs.push(read_input(reader)?);
        }
        return Ok(Operation::SetCells { sheet, range, inputs });
    }
    let Some(remaining) = cells_remaining.checked_sub(cells) else {
        return Err(DecodeError::TooMany { what: "cells", limit: *cells_remaining });
    };
    *cells_remaining = remaining;
    read_runs(reader, cells, &mut |input, count| {
        inputs.extend(std::iter::repeat_n(input, count as usize));
        Ok(())
    })?;
    Ok(Operation::SetCells { sheet, range, inputs })
}

fn read_permutation(reader: &mut Reader, sheet: SheetId) -> Result<Operation, DecodeError> {
    let range = read_range(reader)?;
    let count = range.row_count();
    if count as usize > reader.remaining() {
        return Err(DecodeError::Truncated);
    }
    let mut order = Vec::new();
    let mut is_used = vec![false; count as usize];
    let mut expected = 0i64;
    for _ in 0..count {
        let row = expected.saturating_add(reader.zigzag()?);
        match usize::try_from(row).ok().and_then(|row| is_used.get_mut(row)) {
            Some(used) if !*used => *used = true,
            _ => {
                return Err(DecodeError::OutOfBounds {
                    what: "row of a permutation",
                    value: row.unsigned_abs(),
                });
            }
        }
        order.push(row as u32);
        expected = row + 1;
    }
    Ok(Operation::PermuteRows { sheet, range, order: Arc::from(order) })
}

/// Writes row and column.
pub(crate) fn write_cell(writer: &mut Writer, cell: CellAddress) {
    writer.varint(cell.row.get().into());
    writer.varint(cell.column.get().into());
}

pub(crate) fn read_cell(reader: &mut Reader) -> Result<CellAddress, DecodeError> {
    let row = reader.bounded("row", u64::from(ROWS_MAX - 1))? as u32;
    let column = reader.bounded("column", u64::from(COLUMNS_MAX - 1))? as u32;
    Ok(CellAddress::clamped(row, column))
}

/// Reads first index and count, which is at least one.
fn read_span(reader: &mut Reader, dimension: Dimension) -> Result<(u32, u32), DecodeError> {
    let first = reader.bounded("row or column", u64::from(dimension.len_max() - 1))? as u32;
    let count = reader.bounded("number of rows or columns", u64::from(dimension.len_max()))? as u32;
    match count {
        0 => Err(DecodeError::OutOfBounds { what: "number of rows or columns", value: 0 }),
        _ => Ok((first, count)),
    }
}

fn dimension_bit(dimension: Dimension) -> u8 {
    match dimension {
        Dimension::Rows => 0,
        Dimension::Columns => 1,
    }
}

fn dimension_from(bit: u8) -> Result<Dimension, DecodeError> {
    match bit {
        0 => Ok(Dimension::Rows),
        1 => Ok(Dimension::Columns),
        other => Err(DecodeError::Unknown { what: "dimension", value: other.into() }),
    }
}
