//! The state of a replica in the client's local storage, in parts that are written separately:
//! [`PersistedHead`], each [`PersistedTransaction`], a snapshot, and records as the room sent them.
//!
//! The bytes stay on one machine. A version that cannot read them starts from the room's snapshot.

use quadrille_operation::Transaction;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::frame::PROTOCOL_VERSION;
use crate::identity::{Counter, Incarnation, ReplicaId, ReplicaSecret, Revision, Role, TimeAndSeed};
use crate::record::{read_time_and_seed, write_time_and_seed};
use crate::transaction::{read_transaction, write_transaction};

/// `K` and the format version.
const PERSISTED_HEAD: [u8; 2] = [b'K', 2];

/// Identity and position of a replica.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PersistedHead {
    /// `None` until the room has assigned an identity.
    pub identity: Option<(ReplicaId, Incarnation)>,
    /// The secret of the identity.
    pub secret: Option<ReplicaSecret>,
    /// Last confirmed revision.
    pub revision: Revision,
    pub last_counter: Counter,
    /// Role of the last session; it applies while offline.
    pub role: Role,
    pub color: u32,
    /// Revision of the snapshot that the records follow.
    pub base_revision: Revision,
    /// Time and seed of that revision.
    pub base_time_and_seed: TimeAndSeed,
}

/// An unconfirmed transaction, rebased over the head's revision and the unconfirmed transactions
/// before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersistedTransaction {
    pub time_and_seed: TimeAndSeed,
    pub transaction: Transaction,
}

impl PersistedHead {
    /// Encodes the head.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes.extend_from_slice(&PERSISTED_HEAD);
        writer.varint(PROTOCOL_VERSION);
        writer.byte(self.identity.is_some().into());
        if let Some((replica, incarnation)) = self.identity {
            writer.fixed64(replica.0);
            writer.fixed64(incarnation.0);
        }
        writer.varint(self.revision.0);
        writer.varint(self.last_counter.0);
        writer.byte(match self.role {
            Role::Owner => 0,
            Role::Edit => 1,
            Role::Comment => 2,
            Role::View => 3,
        });
        writer.varint(self.color.into());
        writer.varint(self.base_revision.0);
        write_time_and_seed(&mut writer, self.base_time_and_seed);
        writer.byte(self.secret.is_some().into());
        if let Some(ReplicaSecret(secret)) = self.secret {
            writer.fixed64(secret);
        }
        writer.bytes
    }

    /// Decodes a head.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<PersistedHead, DecodeError> {
        let mut reader = Reader::new(bytes);
        match [reader.byte()?, reader.byte()?] {
            PERSISTED_HEAD => {}
            [_, version] => return Err(DecodeError::UnknownVersion { version: version.into() }),
        }
        match reader.varint()? {
            PROTOCOL_VERSION => {}
            version => return Err(DecodeError::UnknownVersion { version }),
        }
        let head = PersistedHead {
            identity: match reader.byte()? {
                0 => None,
                1 => Some((ReplicaId(reader.fixed64()?), Incarnation(reader.fixed64()?))),
                value => return Err(DecodeError::Unknown { what: "flag", value: value.into() }),
            },
            revision: Revision(reader.varint()?),
            last_counter: Counter(reader.varint()?),
            role: match reader.byte()? {
                0 => Role::Owner,
                1 => Role::Edit,
                2 => Role::Comment,
                3 => Role::View,
                value => return Err(DecodeError::Unknown { what: "role", value: value.into() }),
            },
            color: reader.varint32("a colour")?,
            base_revision: Revision(reader.varint()?),
            base_time_and_seed: read_time_and_seed(&mut reader)?,
            secret: match reader.byte()? {
                0 => None,
                1 => Some(ReplicaSecret(reader.fixed64()?)),
                value => return Err(DecodeError::Unknown { what: "flag", value: value.into() }),
            },
        };
        reader.finish()?;
        Ok(head)
    }
}

impl PersistedTransaction {
    /// Encodes an unconfirmed transaction.
    pub fn encode(time_and_seed: TimeAndSeed, transaction: &Transaction) -> Vec<u8> {
        let mut writer = Writer::default();
        write_time_and_seed(&mut writer, time_and_seed);
        write_transaction(&mut writer, transaction);
        writer.bytes
    }

    /// Decodes an unconfirmed transaction.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Result<PersistedTransaction, DecodeError> {
        let mut reader = Reader::new(bytes);
        let transaction = PersistedTransaction {
            time_and_seed: read_time_and_seed(&mut reader)?,
            transaction: read_transaction(&mut reader)?,
        };
        reader.finish()?;
        Ok(transaction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persisted_head_round_trips_and_other_versions_are_refused() {
        let head = PersistedHead {
            identity: Some((ReplicaId(u64::MAX), Incarnation(7))),
            secret: Some(ReplicaSecret(9)),
            revision: Revision(300),
            last_counter: Counter(4),
            role: Role::View,
            color: 0x00ff_8000,
            base_revision: Revision(256),
            base_time_and_seed: TimeAndSeed { time_ms: -5, seed: 9 },
        };
        let bytes = head.encode();
        assert_eq!(PersistedHead::decode(&bytes), Ok(head));
        for end in 0..bytes.len() {
            assert!(PersistedHead::decode(&bytes[..end]).is_err());
        }
        let newer = [&[b'K', 3], &bytes[2..]].concat();
        assert_eq!(PersistedHead::decode(&newer), Err(DecodeError::UnknownVersion { version: 3 }));
    }
}
