//! [`RoomSnapshot`]: the workbook of a room at a revision and the last transaction of each replica.

use quadrille_workbook::Workbook;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::{Counter, ReplicaId, Revision, TimeAndSeed};
use crate::record::{read_time_and_seed, write_time_and_seed};
use crate::snapshot::{decode_snapshot, snapshot_bytes};

/// `R` and the format version.
const ROOM_SNAPSHOT_HEAD: [u8; 2] = [b'R', 1];

/// The state of a room at `revision`. It is derived from the journal; losing it costs time, not
/// data.
#[derive(Clone, Debug)]
pub struct RoomSnapshot {
    pub revision: Revision,
    /// Time and seed of that revision. Times of a room never decrease, so that `NOW` never jumps
    /// back.
    pub time_and_seed: TimeAndSeed,
    /// Last transaction of each replica, by replica. Without it, a resend after a restart would be
    /// applied twice.
    pub submitted: Vec<(ReplicaId, Submitted)>,
    pub workbook: Workbook,
}

/// The last transaction of a replica and its revision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Submitted {
    pub counter: Counter,
    pub revision: Revision,
}

impl RoomSnapshot {
    /// Encodes the snapshot.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_with(&snapshot_bytes(&self.workbook))
    }

    /// Like [`encode`](Self::encode), with the workbook's canonical bytes from the caller.
    pub fn encode_with(&self, workbook_bytes: &[u8]) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes.extend_from_slice(&ROOM_SNAPSHOT_HEAD);
        writer.varint(self.revision.0);
        write_time_and_seed(&mut writer, self.time_and_seed);
        writer.varint(self.submitted.len() as u64);
        for (replica, submitted) in &self.submitted {
            writer.fixed64(replica.0);
            writer.varint(submitted.counter.0);
            writer.varint(submitted.revision.0);
        }
        writer.bytes.extend_from_slice(workbook_bytes);
        writer.bytes
    }

    /// Decodes a snapshot.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<RoomSnapshot, DecodeError> {
        let mut reader = Reader::new(bytes);
        match [reader.byte()?, reader.byte()?] {
            ROOM_SNAPSHOT_HEAD => {}
            [_, version] => return Err(DecodeError::UnknownVersion { version: version.into() }),
        }
        let revision = Revision(reader.varint()?);
        let time_and_seed = read_time_and_seed(&mut reader)?;
        let count = reader.count("replicas", usize::MAX)?;
        let mut submitted = Vec::new();
        for _ in 0..count {
            let replica = ReplicaId(reader.fixed64()?);
            let counter = Counter(reader.varint()?);
            submitted.push((replica, Submitted { counter, revision: Revision(reader.varint()?) }));
        }
        let workbook = decode_snapshot(reader.take(reader.remaining())?)?;
        Ok(RoomSnapshot { revision, time_and_seed, submitted, workbook })
    }
}
