//! Removing objects that nothing refers to: of snapshots that were replaced, of deleted rooms, and of uploads whose
//! reference was not stored.

use std::collections::HashSet;

use chrono::DateTime;
use quadrille_journal::{ObjectId, ObjectReference};

use super::ObjectStorage;
use crate::limits;

const HOUR_MS: i64 = 3_600_000;

/// What a sweep has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    pub objects: u64,
    pub removed: u64,
}

impl ObjectStorage {
    /// Returns the objects that were written so long ago that their references are stored, if they ever will be
    /// (B2). The caller reads the references after this.
    ///
    /// # Errors
    /// A message when the server does not answer or refuses.
    pub fn old_objects(&self, now_ms: i64) -> Result<Vec<ObjectId>, String> {
        let before_ms = now_ms - limits::OBJECT_UNREFERENCED_HOURS as i64 * HOUR_MS;
        let list = self.bucket.list("").map_err(|failure| failure.to_string())?;
        let is_old = |modified: &str| {
            DateTime::parse_from_rfc3339(modified).is_ok_and(|time| time.timestamp_millis() < before_ms)
        };
        let old = list.objects.iter().filter(|object| is_old(&object.modified));
        Ok(old.filter_map(|object| ObjectId::parse(&object.name)).collect())
    }

    /// Removes those of `old` that no reference names.
    ///
    /// # Errors
    /// As for [`old_objects`](Self::old_objects). What was removed until then stays removed.
    pub fn remove_unreferenced(
        &self,
        old: &[ObjectId],
        references: &[ObjectReference],
    ) -> Result<Swept, String> {
        let named: HashSet<ObjectId> = references.iter().map(|reference| reference.object).collect();
        let mut swept = Swept { objects: old.len() as u64, removed: 0 };
        for object in old.iter().filter(|object| !named.contains(object)) {
            self.bucket.remove(&object.to_string()).map_err(|failure| failure.to_string())?;
            swept.removed += 1;
        }
        Ok(swept)
    }
}
