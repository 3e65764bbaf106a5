//! When links, grants, sessions and workbooks were used: counters that are stored in batches.

use quadrille_protocol::RoomName;

use crate::account::{AccountId, Email};
use crate::secret::SecretId;

/// A counter of use that is written in batches and may lose the last seconds in a crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    Link {
        room: RoomName,
        id: SecretId,
        count: u64,
        time_ms: i64,
    },
    Grant {
        room: RoomName,
        account: AccountId,
        email: Option<Email>,
        time_ms: i64,
    },
    Account {
        id: AccountId,
        time_ms: i64,
    },
    Session {
        id: SecretId,
        time_ms: i64,
    },
    Token {
        id: SecretId,
        time_ms: i64,
    },
    /// What a list shows of a workbook, as its room reports it; `None` for a deleted workbook.
    Workbook {
        room: RoomName,
        facts: Option<WorkbookFacts>,
    },
}

/// What a list shows of a workbook without loading it. A crash may lose the last minute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkbookFacts {
    pub title: Option<String>,
    /// When it was changed last, in milliseconds since 1970-01-01 UTC.
    pub changed_ms: i64,
}
