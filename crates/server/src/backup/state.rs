//! [`State`]: what a chain has, so that the next increment has only what is new; and [`Changes`], which an increment
//! adds to it and which its index holds.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// What a chain has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Rooms by the number of their incarnation.
    pub rooms: BTreeMap<u64, RoomState>,
    /// Tables by name.
    pub tables: BTreeMap<String, TableState>,
    /// SHA-256 of the file of time triggers.
    pub time_triggers: String,
}

/// What a chain has of a room.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RoomState {
    pub name: String,
    /// The last revision.
    pub head: u64,
    /// Where the history began when it was last looked at.
    pub base: u64,
    /// The first and the last number of the chat; zero without messages.
    pub chat: (u64, u64),
    pub images: BTreeSet<String>,
    /// The revision of the newest snapshot.
    pub snapshot: u64,
    pub snapshot_bytes: u64,
    /// Bytes of the records after that snapshot.
    pub bytes_since_snapshot: u64,
    /// Numbers of the increments with something of the room.
    pub increments: Vec<u64>,
}

/// What a chain has of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableState {
    /// The beginnings of the SHA-256 of rows, by their keys as JSON. Empty for the audit log.
    pub rows: BTreeMap<String, String>,
    /// Of the audit log, whose rows do not change.
    pub first: i64,
    pub last: i64,
    /// The highest number that a numbered table has given.
    pub last_number: i64,
}

/// What an increment adds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Changes {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<RoomChange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rooms_deleted: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_triggers: Option<String>,
}

/// The new state of a room, and the images that it got.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomChange {
    pub room: u64,
    pub name: String,
    pub head: u64,
    pub base: u64,
    pub chat: (u64, u64),
    pub snapshot: u64,
    pub snapshot_bytes: u64,
    pub bytes_since_snapshot: u64,
    pub images: Vec<String>,
}

/// Rows of a table that were added, changed or deleted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableChange {
    pub table: String,
    pub rows: Vec<(String, String)>,
    pub deleted: Vec<String>,
    pub first: i64,
    pub last: i64,
    pub last_number: i64,
}

impl Changes {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }
}

impl State {
    /// Adds the changes of an increment.
    pub fn apply(&mut self, changes: &Changes, increment: u64) {
        for change in &changes.rooms {
            let room = self.rooms.entry(change.room).or_default();
            room.name.clone_from(&change.name);
            room.head = change.head;
            room.base = change.base;
            room.chat = change.chat;
            room.snapshot = change.snapshot;
            room.snapshot_bytes = change.snapshot_bytes;
            room.bytes_since_snapshot = change.bytes_since_snapshot;
            room.images.extend(change.images.iter().cloned());
            if room.increments.last() != Some(&increment) {
                room.increments.push(increment);
            }
        }
        for room in &changes.rooms_deleted {
            self.rooms.remove(room);
        }
        for change in &changes.tables {
            let table = self.tables.entry(change.table.clone()).or_default();
            for key in &change.deleted {
                table.rows.remove(key);
            }
            table.rows.extend(change.rows.iter().cloned());
            table.first = change.first;
            table.last = change.last;
            table.last_number = change.last_number;
        }
        if let Some(time_triggers) = &changes.time_triggers {
            self.time_triggers.clone_from(time_triggers);
        }
    }

    /// Returns the state as changes of nothing, to keep it beside an encrypted chain.
    pub fn as_changes(&self) -> Changes {
        let room = |(room, state): (&u64, &RoomState)| RoomChange {
            room: *room,
            name: state.name.clone(),
            head: state.head,
            base: state.base,
            chat: state.chat,
            snapshot: state.snapshot,
            snapshot_bytes: state.snapshot_bytes,
            bytes_since_snapshot: state.bytes_since_snapshot,
            images: state.images.iter().cloned().collect(),
        };
        let table = |(table, state): (&String, &TableState)| TableChange {
            table: table.clone(),
            rows: state.rows.iter().map(|(key, row)| (key.clone(), row.clone())).collect(),
            deleted: Vec::new(),
            first: state.first,
            last: state.last,
            last_number: state.last_number,
        };
        Changes {
            rooms: self.rooms.iter().map(room).collect(),
            rooms_deleted: Vec::new(),
            tables: self.tables.iter().map(table).collect(),
            time_triggers: Some(self.time_triggers.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(room: u64, head: u64, images: &[&str]) -> RoomChange {
        let images = images.iter().map(|id| (*id).to_owned()).collect();
        RoomChange { room, name: format!("room-{room}"), head, images, ..RoomChange::default() }
    }

    #[test]
    fn a_state_is_the_sum_of_its_changes() {
        let text = |text: &str| text.to_owned();
        let mut state = State::default();
        let rows = vec![(text("[1]"), text("a")), (text("[2]"), text("b"))];
        let first = Changes {
            rooms: vec![room(1, 4, &["x"]), room(2, 1, &[])],
            tables: vec![TableChange { table: text("session"), rows, ..TableChange::default() }],
            time_triggers: Some(text("t")),
            ..Changes::default()
        };
        state.apply(&first, 1);
        let second = Changes {
            rooms: vec![room(1, 9, &["y"])],
            rooms_deleted: vec![2],
            tables: vec![TableChange {
                table: text("session"),
                rows: vec![(text("[2]"), text("c"))],
                deleted: vec![text("[1]")],
                ..TableChange::default()
            }],
            ..Changes::default()
        };
        state.apply(&second, 2);
        assert_eq!(state.rooms.keys().collect::<Vec<_>>(), [&1]);
        let plan = &state.rooms[&1];
        assert_eq!((plan.head, plan.images.len(), &plan.increments[..]), (9, 2, &[1, 2][..]));
        assert_eq!(state.tables["session"].rows, BTreeMap::from([(text("[2]"), text("c"))]));
        assert_eq!(state.time_triggers, "t");

        let mut copy = State::default();
        copy.apply(&state.as_changes(), 2);
        copy.rooms.get_mut(&1).expect("copied").increments = vec![1, 2];
        assert_eq!(copy, state);
    }
}
