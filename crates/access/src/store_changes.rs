//! [`Comparison`]: what has changed in the stores of one engine since they were looked at before. A program that follows
//! the stores reads only that.

use std::collections::BTreeSet;

use quadrille_protocol::{Incarnation, RoomName};

use crate::tables::{Table, TableValue};

/// How the next read of stores that servers write compares with the last one.
#[derive(Debug)]
pub enum Comparison {
    /// Nothing was committed.
    Same,
    Changed(StoreChanges),
    /// It is not known what has changed.
    Unknown,
}

/// What may have changed. It can name more than has, not less.
#[derive(Debug, Default)]
pub struct StoreChanges {
    /// Rooms that are new or have new records, chat messages, images or another beginning of their history.
    pub rooms: BTreeSet<RoomName>,
    /// Rooms that were deleted, as far as the engine knows.
    pub deleted: Vec<Incarnation>,
    /// Keys of rows of all tables but the audit log.
    pub rows: Vec<(&'static Table, Vec<TableValue>)>,
    /// How much there is, of an engine that does not know what was deleted.
    pub counts: Option<StoreCounts>,
}

/// How much is stored.
#[derive(Debug, Default)]
pub struct StoreCounts {
    pub rooms: u64,
    /// Rows of all tables but the audit log.
    pub rows: Vec<(&'static Table, u64)>,
}
