//! Apache Parquet: one row group, plain encoding, no compression, which every reader knows.
//!
//! See the format's specification, <https://parquet.apache.org/docs/file-format/>, for the numbers of fields.

use crate::bitmap::pack;
use crate::data_frame::{Column, ColumnValues, DataFrame};
use crate::thrift::{Struct, varint};

const MAGIC: &[u8] = b"PAR1";
/// Rows of a page: readers decode a page as a whole.
const PAGE_ROWS: usize = 20_000;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const OPTIONAL: i32 = 1;

/// Writes a frame as a Parquet file.
pub fn write_parquet(frame: &DataFrame) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    let mut chunks = Vec::new();
    for column in &frame.columns {
        let start = file.len();
        for first in (0..frame.rows).step_by(PAGE_ROWS) {
            write_page(&mut file, &column.values, first..frame.rows.min(first + PAGE_ROWS));
        }
        chunks.push(chunk(column, frame.rows, start, file.len() - start));
    }
    let bytes = file.len() - MAGIC.len();
    let mut schema = vec![Struct::default().text(4, "schema").i32(5, frame.columns.len() as i32)];
    schema.extend(frame.columns.iter().map(element));
    // A row group without rows is not allowed.
    let groups = match frame.rows {
        0 => Vec::new(),
        rows => {
            vec![Struct::default().struct_list(1, chunks).i64(2, bytes as i64).i64(3, rows as i64)]
        }
    };
    let metadata = Struct::default()
        .i32(1, 1)
        .struct_list(2, schema)
        .i64(3, frame.rows as i64)
        .struct_list(4, groups)
        .text(6, concat!("quadrille version ", env!("CARGO_PKG_VERSION")))
        .finish();
    file.extend_from_slice(&metadata);
    file.extend((metadata.len() as u32).to_le_bytes());
    file.extend(MAGIC);
    file
}

/// The number of the physical type.
fn physical_type(values: &ColumnValues) -> i32 {
    match values {
        ColumnValues::Booleans(_) => 0,
        ColumnValues::Times(_) => 2,
        ColumnValues::Numbers(_) => 5,
        ColumnValues::Texts(_) => 6,
    }
}

/// The column in the schema.
fn element(column: &Column) -> Struct {
    let element =
        Struct::default().i32(1, physical_type(&column.values)).i32(3, OPTIONAL).text(4, &column.name);
    match column.values {
        ColumnValues::Numbers(_) | ColumnValues::Booleans(_) => element,
        // UTF8 for older readers; the logical type STRING.
        ColumnValues::Texts(_) => {
            element.i32(6, 0).nested(10, Struct::default().nested(1, Struct::default()))
        }
        // TIMESTAMP without a time zone, in milliseconds. The older type means UTC, so it is not given.
        ColumnValues::Times(_) => {
            let unit = Struct::default().nested(1, Struct::default());
            element
                .nested(10, Struct::default().nested(8, Struct::default().boolean(1, false).nested(2, unit)))
        }
    }
}

fn chunk(column: &Column, rows: usize, start: usize, bytes: usize) -> Struct {
    let metadata = Struct::default()
        .i32(1, physical_type(&column.values))
        .i32_list(2, &[PLAIN, RLE])
        .text_list(3, &[&column.name])
        .i32(4, 0)
        .i64(5, rows as i64)
        .i64(6, bytes as i64)
        .i64(7, bytes as i64)
        .i64(9, start as i64);
    Struct::default().i64(2, start as i64).nested(3, metadata)
}

fn write_page(file: &mut Vec<u8>, values: &ColumnValues, rows: std::ops::Range<usize>) {
    let count = rows.len();
    let mut body = Vec::new();
    match values {
        ColumnValues::Numbers(values) => {
            let values = &values[rows];
            write_levels(&mut body, values);
            values.iter().flatten().for_each(|value| body.extend(value.to_le_bytes()));
        }
        ColumnValues::Times(values) => {
            let values = &values[rows];
            write_levels(&mut body, values);
            values.iter().flatten().for_each(|value| body.extend(value.to_le_bytes()));
        }
        ColumnValues::Booleans(values) => {
            let values = &values[rows];
            write_levels(&mut body, values);
            body.extend(pack(values.iter().flatten().copied()));
        }
        ColumnValues::Texts(values) => {
            let values = &values[rows];
            write_levels(&mut body, values);
            for value in values.iter().flatten() {
                body.extend((value.len() as u32).to_le_bytes());
                body.extend_from_slice(value.as_bytes());
            }
        }
    }
    let data_page = Struct::default().i32(1, count as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    let size = body.len() as i32;
    file.extend(Struct::default().i32(1, 0).i32(2, size).i32(3, size).nested(5, data_page).finish());
    file.extend(body);
}

/// Which rows have a value: definition levels of one bit, bit-packed in groups of eight.
fn write_levels<T>(body: &mut Vec<u8>, values: &[Option<T>]) {
    let mut levels = Vec::new();
    varint(&mut levels, (values.len().div_ceil(8) as u64) << 1 | 1);
    levels.extend(pack(values.iter().map(Option::is_some)));
    body.extend((levels.len() as u32).to_le_bytes());
    body.extend(levels);
}
