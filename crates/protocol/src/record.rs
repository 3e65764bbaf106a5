//! One entry of a room's journal, which is also one confirmed message: the same bytes in both places.

use std::sync::Arc;

use quadrille_operation::Transaction;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::{Author, Counter, ReplicaId, Revision, TimeAndSeed};
use crate::limits::AUTHOR_BYTES_MAX;
use crate::transaction::{read_transaction, write_transaction};

/// First byte of every record; a later format gets the next number and both are read.
const RECORD_VERSION: u8 = 1;

/// A transaction in its place, with who and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    pub author: Author,
    pub time_and_seed: TimeAndSeed,
    pub transaction: Transaction,
}

/// What can be known of a record without reading its transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    pub author: Author,
    pub time_and_seed: TimeAndSeed,
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.byte(RECORD_VERSION);
        writer.varint(self.revision.0);
        writer.fixed64(self.replica.0);
        writer.varint(self.counter.0);
        writer.plain_text(&self.author.id);
        writer.plain_text(&self.author.name);
        write_time_and_seed(&mut writer, self.time_and_seed);
        write_transaction(&mut writer, &self.transaction);
        writer.bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut reader = Reader::new(bytes);
        let RecordHeader { revision, replica, counter, author, time_and_seed } = read_header(&mut reader)?;
        let transaction = read_transaction(&mut reader)?;
        reader.finish()?;
        Ok(Record { revision, replica, counter, author, time_and_seed, transaction })
    }
}

impl RecordHeader {
    pub fn decode(bytes: &[u8]) -> Result<RecordHeader, DecodeError> {
        read_header(&mut Reader::new(bytes))
    }
}

fn read_header(reader: &mut Reader) -> Result<RecordHeader, DecodeError> {
    match reader.byte()? {
        RECORD_VERSION => {}
        other => return Err(DecodeError::UnknownVersion { version: other.into() }),
    }
    Ok(RecordHeader {
        revision: Revision(reader.varint()?),
        replica: ReplicaId(reader.fixed64()?),
        counter: Counter(reader.varint()?),
        author: Author {
            id: Arc::from(reader.plain_text("bytes in an author's identity", AUTHOR_BYTES_MAX)?),
            name: Arc::from(reader.plain_text("bytes in a name", AUTHOR_BYTES_MAX)?),
        },
        time_and_seed: read_time_and_seed(reader)?,
    })
}

pub fn write_time_and_seed(writer: &mut Writer, time_and_seed: TimeAndSeed) {
    writer.zigzag(time_and_seed.time_ms);
    writer.fixed64(time_and_seed.seed);
}

pub fn read_time_and_seed(reader: &mut Reader) -> Result<TimeAndSeed, DecodeError> {
    Ok(TimeAndSeed { time_ms: reader.zigzag()?, seed: reader.fixed64()? })
}
