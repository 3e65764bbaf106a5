//! [`Source`]: where EtherCalc's rooms are read from. EtherCalc keeps the same keys in Redis and in its
//! files.
//!
//! | key | holds |
//! |---|---|
//! | `snapshot-R` | the save of the room `R` |
//! | `log-R` | commands since that save, in their order |
//! | `audit-R` | all commands since the room was created or replaced |
//! | `chat-R` | chat messages |
//! | `timestamps` | by `timestamp-R`, when the save was written, in milliseconds since 1970 |
//! | `cron-list` | by `R!A1`, the times of a mail formula, in minutes since 1970 with commas between them |

use std::collections::BTreeMap;

/// The keys that a room has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RoomKeys {
    pub snapshot: bool,
    pub log: bool,
    pub audit: bool,
    pub chat: bool,
}

impl RoomKeys {
    /// Whether EtherCalc shows a sheet for it. Without one there may be commands and messages of a room that
    /// has expired.
    pub fn has_sheet(self) -> bool {
        self.snapshot || self.log
    }
}

/// What a source contains.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inventory {
    /// By the name in the key.
    pub rooms: BTreeMap<String, RoomKeys>,
    /// Keys that EtherCalc does not use.
    pub other_keys: u64,
    /// Keys of rooms whose name is not UTF-8, escaped.
    pub unreadable_keys: Vec<String>,
}

impl Inventory {
    /// Notes a key. Returns whether it is one of EtherCalc's.
    pub fn add(&mut self, key: &str) -> bool {
        let known = [
            ("snapshot-", RoomKeys { snapshot: true, ..RoomKeys::default() }),
            ("log-", RoomKeys { log: true, ..RoomKeys::default() }),
            ("audit-", RoomKeys { audit: true, ..RoomKeys::default() }),
            ("chat-", RoomKeys { chat: true, ..RoomKeys::default() }),
        ];
        for (prefix, keys) in known {
            if let Some(room) = key.strip_prefix(prefix) {
                let noted = self.rooms.entry(room.to_owned()).or_default();
                noted.snapshot |= keys.snapshot;
                noted.log |= keys.log;
                noted.audit |= keys.audit;
                noted.chat |= keys.chat;
                return true;
            }
        }
        // Cursors are not kept, and the next time follows from the list of times.
        let is_known = key.starts_with("ecell-")
            || matches!(key, "timestamps" | "save_timestamps" | "cron-list" | "cron-nextTriggerTime");
        self.other_keys += u64::from(!is_known);
        is_known
    }
}

/// A room as EtherCalc has stored it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredRoom {
    /// The name in its keys.
    pub name: String,
    /// Empty when there is none.
    pub snapshot: Vec<u8>,
    pub log: Vec<String>,
    pub audit: Vec<String>,
    pub chat: Vec<String>,
    /// When it was changed last, in milliseconds since 1970; `None` when EtherCalc does not tell.
    pub changed_ms: Option<i64>,
}

/// Rooms of EtherCalc.
pub trait Source {
    /// Lists the rooms.
    ///
    /// # Errors
    /// A message when the source cannot be read, or is not of EtherCalc.
    fn inventory(&mut self) -> Result<Inventory, String>;

    /// Reads rooms of the inventory, in the order of `names`. A room that cannot be read has a message.
    ///
    /// # Errors
    /// A message when the source cannot be read any more.
    fn rooms(&mut self, names: &[&str]) -> Result<Vec<Result<StoredRoom, String>>, String>;

    /// Reads the times of mail formulas: the fields and values of `cron-list`.
    ///
    /// # Errors
    /// A message when the source cannot be read.
    fn triggers(&mut self) -> Result<Vec<(String, String)>, String>;
}

/// The time of a value of `timestamps`: a number, which JSON may have as a number or a text.
pub fn time_ms(text: &str) -> Option<i64> {
    text.trim().parse::<i64>().ok().filter(|time_ms| *time_ms > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_by_room_and_others_are_counted() {
        let mut inventory = Inventory::default();
        for key in ["snapshot-plan", "log-plan", "chat-plan-2", "audit-", "ecell-plan", "timestamps"] {
            assert!(inventory.add(key), "{key}");
        }
        for key in ["session:1", "snapshots", "plan"] {
            assert!(!inventory.add(key), "{key}");
        }
        let plan = RoomKeys { snapshot: true, log: true, ..RoomKeys::default() };
        assert_eq!(inventory.rooms["plan"], plan);
        assert!(!inventory.rooms["plan-2"].has_sheet());
        assert_eq!((inventory.rooms.len(), inventory.other_keys), (3, 3));
    }
}
