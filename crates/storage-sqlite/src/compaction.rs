//! What a compaction of the log moves to the tails.

use std::collections::{BTreeSet, VecDeque};

use quadrille_journal::RoomKey;
use quadrille_journal::entry::Header;

/// Rows of the log being moved to the tails.
#[derive(Default)]
pub(crate) struct Compaction {
    pub rows: BTreeSet<i64>,
    /// Rooms with records in those rows.
    pub rooms: BTreeSet<RoomKey>,
    /// Bytes of those rows.
    pub bytes: usize,
    /// Rows of the tails still to be written, in order of room and revision.
    pub tails: VecDeque<Tail>,
}

/// Consecutive records of one room: a row of the table `tail`.
pub struct Tail {
    pub first: Header,
    pub last: Header,
    pub bytes: Vec<u8>,
}
