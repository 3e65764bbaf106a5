//! Apache Arrow's stream format: a schema, then batches of rows.
//!
//! See <https://arrow.apache.org/docs/format/Columnar.html> for the layout, and `Schema.fbs` and `Message.fbs`
//! of Arrow for the slots of tables.

use crate::bitmap::pack;
use crate::data_frame::{Column, ColumnValues, DataFrame};
use crate::flatbuffer::{Builder, Field, Position};

/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;
/// Begins a message, and ends the stream before a length of 0.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Metadata version 5.
const VERSION: i16 = 4;
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;

/// Writes a frame as an Arrow stream.
pub fn write_arrow(frame: &DataFrame) -> Vec<u8> {
    let mut stream = Vec::new();
    let mut builder = Builder::default();
    let fields: Vec<Position> = frame.columns.iter().map(|column| field(&mut builder, column)).collect();
    let fields = builder.objects(&fields);
    let schema = builder.table(&[(1, Field::Object(fields))]);
    write_message(&mut stream, builder, (SCHEMA, schema), &[]);
    for first in (0..frame.rows).step_by(BATCH_ROWS) {
        write_batch(&mut stream, frame, first..frame.rows.min(first + BATCH_ROWS));
    }
    stream.extend(CONTINUATION);
    stream.extend([0; 4]);
    stream
}

fn field(builder: &mut Builder, column: &Column) -> Position {
    let name = builder.text(&column.name);
    let children = builder.objects(&[]);
    let (number, kind) = match column.values {
        // Of double precision.
        ColumnValues::Numbers(_) => (3, builder.table(&[(0, Field::I16(2))])),
        ColumnValues::Booleans(_) => (6, builder.table(&[])),
        // In milliseconds, without a time zone.
        ColumnValues::Times(_) => (10, builder.table(&[(0, Field::I16(1))])),
        // With offsets of 64 bits: the texts of a batch may be longer than 2 GiB.
        ColumnValues::Texts(_) => (20, builder.table(&[])),
    };
    builder.table(&[
        (0, Field::Object(name)),
        (3, Field::Object(kind)),
        (5, Field::Object(children)),
        (1, Field::U8(1)),
        (2, Field::U8(number)),
    ])
}

/// The buffers of a batch, one after the other.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    /// First byte and length of each buffer.
    buffers: Vec<(i64, i64)>,
    /// Number of rows and of missing values of each column.
    nodes: Vec<(i64, i64)>,
}

impl Body {
    fn buffer(&mut self, bytes: &[u8]) {
        self.buffers.push((self.bytes.len() as i64, bytes.len() as i64));
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    fn validity<T>(&mut self, values: &[Option<T>]) {
        let missing = values.iter().filter(|value| value.is_none()).count();
        self.nodes.push((values.len() as i64, missing as i64));
        self.buffer(&pack(values.iter().map(Option::is_some)));
    }
}

fn write_batch(stream: &mut Vec<u8>, frame: &DataFrame, rows: std::ops::Range<usize>) {
    let mut body = Body::default();
    for column in &frame.columns {
        match &column.values {
            ColumnValues::Numbers(values) => {
                let values = &values[rows.clone()];
                body.validity(values);
                let bytes: Vec<u8> =
                    values.iter().flat_map(|value| value.unwrap_or_default().to_le_bytes()).collect();
                body.buffer(&bytes);
            }
            ColumnValues::Times(values) => {
                let values = &values[rows.clone()];
                body.validity(values);
                let bytes: Vec<u8> =
                    values.iter().flat_map(|value| value.unwrap_or_default().to_le_bytes()).collect();
                body.buffer(&bytes);
            }
            ColumnValues::Booleans(values) => {
                let values = &values[rows.clone()];
                body.validity(values);
                body.buffer(&pack(values.iter().map(|value| value.unwrap_or_default())));
            }
            ColumnValues::Texts(values) => {
                let values = &values[rows.clone()];
                body.validity(values);
                let (mut offsets, mut texts) = (0_i64.to_le_bytes().to_vec(), Vec::new());
                for value in values {
                    texts.extend_from_slice(value.as_deref().unwrap_or_default().as_bytes());
                    offsets.extend((texts.len() as i64).to_le_bytes());
                }
                body.buffer(&offsets);
                body.buffer(&texts);
            }
        }
    }
    let mut builder = Builder::default();
    let nodes = builder.pairs(&body.nodes);
    let buffers = builder.pairs(&body.buffers);
    let batch = builder.table(&[
        (0, Field::I64(rows.len() as i64)),
        (1, Field::Object(nodes)),
        (2, Field::Object(buffers)),
    ]);
    write_message(stream, builder, (RECORD_BATCH, batch), &body.bytes);
}

/// Writes the metadata, padded so that the body begins at a multiple of 8, and the body.
fn write_message(stream: &mut Vec<u8>, mut builder: Builder, header: (u8, Position), body: &[u8]) {
    let message = builder.table(&[
        (3, Field::I64(body.len() as i64)),
        (2, Field::Object(header.1)),
        (0, Field::I16(VERSION)),
        (1, Field::U8(header.0)),
    ]);
    let metadata = builder.finish(message);
    let length = metadata.len().next_multiple_of(8);
    stream.extend(CONTINUATION);
    stream.extend((length as u32).to_le_bytes());
    stream.extend(&metadata);
    stream.resize(stream.len() + length - metadata.len(), 0);
    stream.extend_from_slice(body);
}
