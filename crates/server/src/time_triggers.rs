//! [`TimeTriggers`]: the times at which EtherCalc's mail formulas are carried out, by room and cell.
//!
//! They are stored in the data directory as JSON, `{"room!A1": [29926715]}`, with times in minutes since
//! 1970. `http/ethercalc_mail.rs` carries them out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use quadrille_cell::CellAddress;
use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::{create_directory, create_file};

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Name of the file within the data directory.
pub const FILE: &str = "time-triggers.json";

/// Times in minutes since 1970 by room and cell, such as `sales!A1`.
pub type Triggers = BTreeMap<String, Vec<i64>>;

/// The triggers of all rooms.
pub struct TimeTriggers {
    path: PathBuf,
    triggers: Mutex<Triggers>,
}

impl TimeTriggers {
    /// Reads the triggers of a data directory.
    ///
    /// # Errors
    /// A message when the file cannot be read.
    pub fn open(directory: &Path) -> Result<TimeTriggers, String> {
        let path = directory.join(FILE);
        let triggers = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Triggers::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        Ok(TimeTriggers { path, triggers: Mutex::new(triggers) })
    }

    /// Sets the times of a cell that are not past; without any, the cell has no trigger. Waits for the
    /// disk.
    ///
    /// # Errors
    /// `conflict` beyond `ETHERCALC_TRIGGERS_MAX`, `storage_failed` when the file cannot be written.
    pub fn set(
        &self,
        room: &RoomName,
        cell: CellAddress,
        times: &[i64],
        now_min: i64,
    ) -> Result<(), ApiError> {
        let mut triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = triggers.clone();
        let key = format!("{room}!{cell}");
        let times: Vec<i64> = times.iter().copied().filter(|time| *time >= now_min).collect();
        match times.is_empty() {
            true => changed.remove(&key),
            false => changed.insert(key, times),
        };
        if changed.len() > limits::ETHERCALC_TRIGGERS_MAX {
            return Err(ApiError::new(ErrorCode::Conflict, "this server has too many time triggers"));
        }
        self.store(&mut triggers, changed)
    }

    /// The names `R.1` … of a room's sheets that have triggers. Rooms of their own may have such names.
    pub fn sheet_names(&self, room: &RoomName) -> BTreeSet<RoomName> {
        let triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
        let names = triggers.keys().filter_map(|key| {
            let (name, _) = key.rsplit_once('!')?;
            let number = name.strip_prefix(room.as_str())?.strip_prefix('.')?;
            number.bytes().all(|byte| byte.is_ascii_digit()).then(|| RoomName::new(name))?.ok()
        });
        names.collect()
    }

    /// Removes the triggers of rooms and sheets that were deleted. Waits for the disk.
    ///
    /// # Errors
    /// `storage_failed` when the file cannot be written.
    pub fn forget(&self, names: &BTreeSet<RoomName>) -> Result<(), ApiError> {
        let mut triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = triggers.clone();
        changed.retain(|key, _| {
            let name = key.rsplit_once('!').map_or(key.as_str(), |(name, _)| name);
            !names.iter().any(|deleted| deleted.as_str() == name)
        });
        self.store(&mut triggers, changed)
    }

    /// Removes the times that have come. Returns the triggers that there were, and those that are due.
    /// Waits for the disk.
    ///
    /// # Errors
    /// `storage_failed` when the file cannot be written; then nothing is due, so that no mail is sent
    /// twice.
    pub fn take_due(&self, now_min: i64) -> Result<(Triggers, Vec<String>), ApiError> {
        let mut triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
        let before = triggers.clone();
        let is_due = |times: &[i64]| times.iter().any(|time| *time <= now_min);
        let due: Vec<String> =
            before.iter().filter(|(_, times)| is_due(times)).map(|(key, _)| key.clone()).collect();
        if !due.is_empty() {
            let mut changed = before.clone();
            changed.retain(|_, times| {
                times.retain(|time| *time > now_min);
                !times.is_empty()
            });
            self.store(&mut triggers, changed)?;
        }
        Ok((before, due))
    }

    /// Writes the file, then changes the memory.
    fn store(&self, triggers: &mut Triggers, changed: Triggers) -> Result<(), ApiError> {
        if *triggers == changed {
            return Ok(());
        }
        let write = || {
            if let Some(directory) = self.path.parent() {
                // With PostgreSQL there may be none yet.
                create_directory(directory)?;
            }
            let new = self.path.with_extension("json.new");
            create_file(&new)?;
            let mut file = std::fs::File::create(&new)?;
            file.write_all(&serde_json::to_vec(&changed)?)?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(|error| {
            ApiError::new(ErrorCode::StorageFailed, format!("cannot store time triggers: {error}"))
        })?;
        *triggers = changed;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> RoomName {
        RoomName::new("sales").expect("a valid name")
    }

    fn cell(address: &str) -> CellAddress {
        CellAddress::parse_a1(address).expect("a cell")
    }

    #[test]
    fn due_times_are_taken_once_and_survive_a_restart_until_then() {
        let data = tempfile::tempdir().expect("a temporary directory");
        let triggers = TimeTriggers::open(data.path()).expect("no file");
        triggers.set(&room(), cell("A1"), &[9, 10, 12], 10).expect("writable");
        triggers.set(&room(), cell("B2"), &[20], 10).expect("writable");
        let triggers = TimeTriggers::open(data.path()).expect("readable");
        let all = [("sales!A1".to_owned(), vec![10, 12]), ("sales!B2".to_owned(), vec![20])];
        assert_eq!(triggers.take_due(9).expect("writable"), (Triggers::from(all.clone()), Vec::new()));
        let due = vec!["sales!A1".to_owned()];
        assert_eq!(triggers.take_due(11).expect("writable"), (Triggers::from(all), due.clone()));
        let triggers = TimeTriggers::open(data.path()).expect("readable");
        assert_eq!(triggers.take_due(12).expect("writable").1, due);
        assert_eq!(triggers.take_due(12).expect("writable").1, Vec::<String>::new());
        triggers.set(&room(), cell("B2"), &[], 12).expect("writable");
        assert_eq!(triggers.take_due(99).expect("writable"), (Triggers::new(), Vec::new()));
    }

    #[test]
    fn a_deleted_room_has_no_triggers() {
        let data = tempfile::tempdir().expect("a temporary directory");
        let triggers = TimeTriggers::open(data.path()).expect("no file");
        let other = RoomName::new("sales2").expect("a valid name");
        let sheet = RoomName::new("sales.2").expect("a valid name");
        for name in [&room(), &other, &sheet] {
            triggers.set(name, cell("A1"), &[20], 10).expect("writable");
        }
        assert_eq!(triggers.sheet_names(&room()), BTreeSet::from([sheet.clone()]));
        triggers.forget(&BTreeSet::from([room()])).expect("writable");
        assert_eq!(triggers.take_due(9).expect("writable").0.len(), 2);
        triggers.forget(&BTreeSet::from([room(), sheet])).expect("writable");
        assert_eq!(triggers.take_due(20).expect("writable").1, ["sales2!A1"]);
    }
}
