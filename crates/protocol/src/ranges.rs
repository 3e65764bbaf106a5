//! Encoding of ranges and flags.

use crate::bytes::{DecodeError, Reader, Writer};
use quadrille_cell::{COLUMNS_MAX, ROWS_MAX, Range};

/// Writes first row, first column, rows - 1, columns - 1.
pub(crate) fn write_range(writer: &mut Writer, range: Range) {
    writer.varint(range.first().row.get().into());
    writer.varint(range.first().column.get().into());
    writer.varint((range.row_count() - 1).into());
    writer.varint((range.column_count() - 1).into());
}

pub(crate) fn read_range(reader: &mut Reader) -> Result<Range, DecodeError> {
    let row = reader.bounded("row", u64::from(ROWS_MAX - 1))? as u32;
    let column = reader.bounded("column", u64::from(COLUMNS_MAX - 1))? as u32;
    let last_row = row + reader.bounded("rows", u64::from(ROWS_MAX - 1 - row))? as u32;
    let last_column = column + reader.bounded("columns", u64::from(COLUMNS_MAX - 1 - column))? as u32;
    Ok(Range::from_indices(row, column, last_row, last_column).expect("bounded above"))
}

pub(crate) fn read_flag(reader: &mut Reader) -> Result<bool, DecodeError> {
    match reader.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(DecodeError::Unknown { what: "flag", value: other.into() }),
    }
}
