//! The stores that are copied, and what the parts of a copy have in common.

use quadrille_access::AccessError;
use quadrille_access::tables::TableStore;
use quadrille_journal::{RoomKey, Storage, StorageError};
use quadrille_protocol::Incarnation;

/// The stores of one engine.
pub struct Stores {
    pub rooms: Box<dyn Storage>,
    pub tables: Box<dyn TableStore>,
}

/// The numbers that rooms get, by which clients know them.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    /// Those of the source: clients go on, and send what they have not sent yet.
    Same,
    /// Others, which depend on a random number: clients may know later revisions than the source has, and
    /// load their workbooks anew.
    Renewed(u64),
}

impl Numbers {
    /// Returns the number of a room in the copy.
    pub fn of(self, incarnation: Incarnation) -> RoomKey {
        let Numbers::Renewed(salt) = self else { return RoomKey(incarnation.0) };
        // The finalizer of MurmurHash3 is a bijection; 52 bits of it are exact in JSON, and leave higher
        // numbers for new rooms.
        let mut hash = salt ^ incarnation.0;
        for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
        }
        RoomKey(((hash ^ (hash >> 33)) >> 12).max(1))
    }
}

/// The message of an error of the source.
pub fn of_source(error: StorageError) -> String {
    format!("the source: {error}")
}

/// The message of an error of the target.
pub fn of_target(error: StorageError) -> String {
    format!("the target: {error}")
}

/// As [`of_source`], of the tables.
pub fn of_source_tables(error: AccessError) -> String {
    format!("the source: {error}")
}

/// As [`of_target`], of the tables.
pub fn of_target_tables(error: AccessError) -> String {
    format!("the target: {error}")
}
