//! Encoding of items: kind, anchors, and fields by ascending number, each value after a byte for
//! its type.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{COLUMNS_MAX, CellAddress, ROWS_MAX, Range, canonical_number};
use quadrille_operation::ItemPatch;
use quadrille_workbook::{Color, Field, FieldValue, Item, ItemId, ItemKind};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::expression::{read_number_bits, read_template, write_template};
use crate::limits::{ANCHORS_MAX, ITEM_TEXT_BYTES_MAX, ITEM_VALUE_DEPTH_MAX, ITEM_VALUES_MAX};
use crate::ranges::{read_flag, read_range, write_range};

mod tag {
    /// In a patch: the field is cleared.
    pub const NONE: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    /// Integers below 2^53, zigzag; other numbers take eight bytes.
    pub const WHOLE: u8 = 3;
    pub const NUMBER: u8 = 4;
    pub const TEXT: u8 = 5;
    pub const COLOR: u8 = 6;
    pub const FORMULA: u8 = 7;
    pub const LIST: u8 = 8;
    pub const RECORD: u8 = 9;
}

const WHOLE_MAX: f64 = 9_007_199_254_740_991.0; // 2^53 - 1

pub(crate) fn write_item_id(writer: &mut Writer, id: ItemId) {
    writer.varint(id.0);
}

pub(crate) fn read_item_id(reader: &mut Reader) -> Result<ItemId, DecodeError> {
    Ok(ItemId(reader.bounded("item", ItemId::MAX)?))
}

/// Writes kind, anchors and fields.
pub(crate) fn write_item(writer: &mut Writer, item: &Item) {
    writer.varint(item.kind.code().into());
    write_anchors(writer, &item.anchors);
    writer.varint(item.fields.len() as u64);
    for (field, value) in &item.fields {
        writer.varint(field.code().into());
        write_value(writer, value);
    }
}

pub(crate) fn read_item(reader: &mut Reader) -> Result<Item, DecodeError> {
    let kind = read_kind(reader)?;
    let anchors = read_anchors(reader)?;
    let mut fields = BTreeMap::new();
    let mut remaining = ITEM_VALUES_MAX;
    read_fields(reader, &mut |reader, field| {
        let value = read_value(reader, ITEM_VALUE_DEPTH_MAX, &mut remaining)?;
        fields.insert(field, value.ok_or(DecodeError::Unknown { what: "value of a field", value: 0 })?);
        Ok(())
    })?;
    Ok(Item { kind, anchors, fields })
}

/// Writes kind, optional anchors and changed fields.
pub(crate) fn write_item_patch(writer: &mut Writer, patch: &ItemPatch) {
    writer.varint(patch.kind.code().into());
    writer.byte(patch.anchors.is_some().into());
    if let Some(anchors) = &patch.anchors {
        write_anchors(writer, anchors);
    }
    writer.varint(patch.fields.len() as u64);
    for (field, value) in &patch.fields {
        writer.varint(field.code().into());
        match value {
            Some(value) => write_value(writer, value),
            None => writer.byte(tag::NONE),
        }
    }
}

pub(crate) fn read_item_patch(reader: &mut Reader) -> Result<ItemPatch, DecodeError> {
    let kind = read_kind(reader)?;
    let anchors = if read_flag(reader)? { Some(read_anchors(reader)?) } else { None };
    let mut fields = BTreeMap::new();
    let mut remaining = ITEM_VALUES_MAX;
    read_fields(reader, &mut |reader, field| {
        fields.insert(field, read_value(reader, ITEM_VALUE_DEPTH_MAX, &mut remaining)?);
        Ok(())
    })?;
    Ok(ItemPatch { kind, anchors, fields })
}

fn read_kind(reader: &mut Reader) -> Result<ItemKind, DecodeError> {
    let code = reader.varint()?;
    ItemKind::from_code(code).ok_or(DecodeError::Unknown { what: "kind of item", value: code })
}

fn write_anchors(writer: &mut Writer, anchors: &[Range]) {
    writer.varint(anchors.len() as u64);
    anchors.iter().for_each(|anchor| write_range(writer, *anchor));
}

fn read_anchors(reader: &mut Reader) -> Result<Vec<Range>, DecodeError> {
    let count = reader.count("ranges of an item", ANCHORS_MAX)?;
    (0..count).map(|_| read_range(reader)).collect()
}

/// Reads fields, which must be in ascending order, so that an item has one encoding.
fn read_fields(
    reader: &mut Reader,
    read: &mut dyn FnMut(&mut Reader, Field) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let count = reader.count("fields", Field::ALL.len())?;
    let mut before: Option<Field> = None;
    for _ in 0..count {
        let code = reader.varint()?;
        let field = Field::from_code(code).filter(|field| Some(*field) > before);
        let field = field.ok_or(DecodeError::Unknown { what: "field", value: code })?;
        before = Some(field);
        read(reader, field)?;
    }
    Ok(())
}

fn write_value(writer: &mut Writer, value: &FieldValue) {
    match value {
        FieldValue::Boolean(boolean) => writer.byte(if *boolean { tag::TRUE } else { tag::FALSE }),
        FieldValue::Number(number) if number.fract() == 0.0 && number.abs() <= WHOLE_MAX => {
            writer.byte(tag::WHOLE);
            writer.zigzag(*number as i64);
        }
        FieldValue::Number(number) => {
            writer.byte(tag::NUMBER);
            writer.fixed64(number.to_bits());
        }
        FieldValue::Text(text) => {
            writer.byte(tag::TEXT);
            writer.plain_text(text);
        }
        FieldValue::Color(Color(rgb)) => {
            writer.byte(tag::COLOR);
            writer.varint((*rgb).into());
        }
        FieldValue::Formula { at, template } => {
            writer.byte(tag::FORMULA);
            writer.varint(at.row.get().into());
            writer.varint(at.column.get().into());
            write_template(writer, template);
        }
        FieldValue::List(values) => {
            writer.byte(tag::LIST);
            writer.varint(values.len() as u64);
            values.iter().for_each(|value| write_value(writer, value));
        }
        FieldValue::Record(fields) => {
            writer.byte(tag::RECORD);
            writer.varint(fields.len() as u64);
            for (field, value) in fields {
                writer.varint(field.code().into());
                write_value(writer, value);
            }
        }
    }
}

/// Reads a value; `None` for a cleared field. `remaining` limits the number of values in all.
fn read_value(
    reader: &mut Reader,
    depth: usize,
    remaining: &mut usize,
) -> Result<Option<FieldValue>, DecodeError> {
    let too_many = DecodeError::TooMany { what: "values of an item", limit: ITEM_VALUES_MAX as u64 };
    *remaining = remaining.checked_sub(1).ok_or(too_many)?;
    let inner = |what: &'static str| {
        depth.checked_sub(1).ok_or(DecodeError::TooMany { what, limit: ITEM_VALUE_DEPTH_MAX as u64 })
    };
    let missing = || DecodeError::Unknown { what: "value of a field", value: 0 };
    Ok(Some(match reader.byte()? {
        tag::NONE => return Ok(None),
        tag::FALSE => FieldValue::Boolean(false),
        tag::TRUE => FieldValue::Boolean(true),
        tag::WHOLE => {
            let whole = reader.zigzag()? as f64;
            if whole.abs() > WHOLE_MAX {
                return Err(DecodeError::NotANumber);
            }
            FieldValue::Number(whole)
        }
        tag::NUMBER => {
            let number = read_number_bits(reader)?;
            let is_whole = number.fract() == 0.0 && number.abs() <= WHOLE_MAX;
            if is_whole || canonical_number(number).map(f64::to_bits) != Some(number.to_bits()) {
                return Err(DecodeError::NotANumber);
            }
            FieldValue::Number(number)
        }
        tag::TEXT => FieldValue::Text(Arc::from(reader.plain_text("bytes in a text", ITEM_TEXT_BYTES_MAX)?)),
        tag::COLOR => FieldValue::Color(Color(reader.bounded("colour", 0xff_ffff)? as u32)),
        tag::FORMULA => {
            let row = reader.bounded("row", u64::from(ROWS_MAX - 1))? as u32;
            let column = reader.bounded("column", u64::from(COLUMNS_MAX - 1))? as u32;
            FieldValue::Formula { at: CellAddress::clamped(row, column), template: read_template(reader)? }
        }
        tag::LIST => {
            let depth = inner("lists within lists")?;
            let count = reader.count("values of an item", ITEM_VALUES_MAX)?;
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(read_value(reader, depth, remaining)?.ok_or_else(missing)?);
            }
            FieldValue::List(values)
        }
        tag::RECORD => {
            let depth = inner("records within records")?;
            let mut fields = BTreeMap::new();
            read_fields(reader, &mut |reader, field| {
                let value = read_value(reader, depth, remaining)?.ok_or_else(missing)?;
                fields.insert(field, value);
                Ok(())
            })?;
            FieldValue::Record(fields)
        }
        other => return Err(DecodeError::Unknown { what: "value of a field", value: other.into() }),
    }))
}
