//! Access documents in memory, so that deciding a role reads nothing from the disk.

use std::collections::HashMap;
use std::sync::Arc;

use quadrille_access::{Versioned, WorkbookAccess};
use quadrille_protocol::RoomName;

/// The document of a workbook; `None` for an unclaimed one.
pub type Document = Option<Arc<Versioned<WorkbookAccess>>>;

/// Documents per generation. A document has a few hundred bytes, so that the cache takes a few
/// megabytes.
const GENERATION_MAX: usize = 10_000;

/// Keeps the documents that were used most recently, at least [`GENERATION_MAX`] and at most twice
/// as many: when the young generation is full it becomes the old one, and the old one is dropped.
/// Each operation is O(1).
#[derive(Default)]
pub struct DocumentCache {
    young: HashMap<RoomName, Document>,
    old: HashMap<RoomName, Document>,
}

impl DocumentCache {
    /// The cached document, if there is one.
    pub fn get(&mut self, room: &RoomName) -> Option<Document> {
        if let Some(document) = self.young.get(room) {
            return Some(document.clone());
        }
        let document = self.old.remove(room)?;
        self.put(room.clone(), document.clone());
        Some(document)
    }

    /// Adds or replaces a document.
    pub fn put(&mut self, room: RoomName, document: Document) {
        self.old.remove(&room);
        if self.young.len() >= GENERATION_MAX && !self.young.contains_key(&room) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(room, document);
    }

    /// Removes a document that was changed in the store.
    pub fn remove(&mut self, room: &RoomName) {
        self.young.remove(room);
        self.old.remove(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(number: usize) -> RoomName {
        RoomName::new(&format!("room-{number}")).expect("a valid name")
    }

    #[test]
    fn recently_used_documents_stay() {
        let mut cache = DocumentCache::default();
        for number in 0..3 * GENERATION_MAX {
            cache.put(room(number), None);
            assert!(cache.get(&room(0)).is_some(), "used all the time");
        }
        assert!(cache.get(&room(1)).is_none(), "not used for two generations");
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION_MAX);
    }

    #[test]
    fn a_removed_document_is_read_anew() {
        let mut cache = DocumentCache::default();
        cache.put(room(1), None);
        cache.remove(&room(1));
        assert!(cache.get(&room(1)).is_none());
    }
}
