//! A cache of past workbooks, so that paging through one does not replay it for every page.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use quadrille_journal::RoomKey;
use quadrille_protocol::Revision;
use quadrille_workbook::Workbook;

use crate::limits;

/// A workbook at a past revision.
#[derive(Clone)]
pub struct HistoricalWorkbook {
    pub inputs: Workbook,
    /// With the values of all formulas, calculated in the evaluation context of the revision.
    pub values: Workbook,
}

/// The most recently read past workbooks, the latest first.
#[derive(Default)]
pub struct HistoryCache {
    entries: Mutex<VecDeque<(RoomKey, Revision, HistoricalWorkbook)>>,
}

impl HistoryCache {
    /// Returns the workbook of the room at exactly this revision.
    pub fn get(&self, key: RoomKey, revision: Revision) -> Option<HistoricalWorkbook> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let index = entries.iter().position(|(of, at, _)| (*of, *at) == (key, revision))?;
        let entry = entries.remove(index)?;
        let workbook = entry.2.clone();
        entries.push_front(entry);
        Some(workbook)
    }

    /// Returns the newest cached workbook of the room that is not after `revision`, with its
    /// revision.
    pub fn newest_before(&self, key: RoomKey, revision: Revision) -> Option<(Revision, Workbook)> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let of_room = entries.iter().filter(|(of, at, _)| *of == key && *at <= revision);
        of_room.max_by_key(|(_, at, _)| *at).map(|(_, at, past)| (*at, past.inputs.clone()))
    }

    pub fn insert(&self, key: RoomKey, revision: Revision, past: HistoricalWorkbook) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push_front((key, revision, past));
        entries.truncate(limits::HISTORY_WORKBOOKS_CACHED);
    }
}
