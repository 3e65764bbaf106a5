//! [`Record`]: an entry of a room's journal. Clients receive the same bytes as confirmed
//! transactions.

use std::sync::Arc;

use quadrille_operation::Transaction;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::{Author, Counter, ReplicaId, Revision, TimeAndSeed};
use crate::limits::AUTHOR_BYTES_MAX;
use crate::transaction::{read_transaction, write_transaction};

/// First byte of every record. A later format gets the next number; readers support both.
const RECORD_VERSION: u8 = 1;

/// A transaction with its revision, author, time and seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    pub author: Author,
    pub time_and_seed: TimeAndSeed,
    pub transaction: Transaction,
}

/// The part of a record before its transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    pub author: Author,
    pub time_and_seed: TimeAndSeed,
}

impl Record {
    /// Encodes the record.
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

    /// Decodes a record.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut reader = Reader::new(bytes);
        let RecordHeader { revision, replica, counter, author, time_and_seed } = read_header(&mut reader)?;
        let transaction = read_transaction(&mut reader)?;
        reader.finish()?;
        Ok(Record { revision, replica, counter, author, time_and_seed, transaction })
    }
}

impl RecordHeader {
    /// Decodes the header and ignores the transaction.
    ///
    /// # Errors
    ///
    /// Fails if the header is damaged or of another version.
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

/// Writes time and seed.
pub fn write_time_and_seed(writer: &mut Writer, time_and_seed: TimeAndSeed) {
    writer.zigzag(time_and_seed.time_ms);
    writer.fixed64(time_and_seed.seed);
}

/// Reads time and seed.
pub fn read_time_and_seed(reader: &mut Reader) -> Result<TimeAndSeed, DecodeError> {
    Ok(TimeAndSeed { time_ms: reader.zigzag()?, seed: reader.fixed64()? })
}
