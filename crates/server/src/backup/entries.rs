//! [`Entry`]: a piece of what a backup has, and its bytes in a segment.
//!
//! A segment is a sequence of entries: the kind as u8, the length of the rest as u64, then the rest. Numbers are
//! little-endian. Records have the form of the crate `journal`; rows of accounts and access are JSON.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use quadrille_access::tables::{TABLES, Table, TableRow, TableValue};
use quadrille_journal::entry::{self, HEADER_BYTES};
use quadrille_journal::{ImageId, RoomKey, Snapshot, StoredRecord};
use quadrille_protocol::{Incarnation, Revision, RoomName};
use serde_json::{Value as Json, json};

/// A piece of what a backup has. Entries are applied in their order.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A room that is new, or whose history begins elsewhere. Its records after `base` follow, or are there.
    Room {
        room: Incarnation,
        name: RoomName,
        created_ms: i64,
        changed_ms: i64,
        /// The snapshot at which the history begins; `None` for a history that begins at revision 0.
        base: Option<Snapshot>,
    },
    /// Records of one room that follow those before.
    Records {
        room: Incarnation,
        records: Vec<StoredRecord>,
    },
    Snapshot {
        room: Incarnation,
        snapshot: Snapshot,
    },
    /// Messages that were added to a chat.
    Chat {
        room: Incarnation,
        /// Messages up to this number are deleted.
        forget_up_to: u64,
        messages: Vec<(u64, Arc<[u8]>)>,
    },
    Image {
        room: Incarnation,
        id: ImageId,
        bytes: Arc<[u8]>,
    },
    RoomDeleted {
        room: Incarnation,
    },
    /// Rows that were added or changed.
    Rows {
        table: &'static Table,
        rows: Vec<TableRow>,
    },
    RowsDeleted {
        table: &'static Table,
        keys: Vec<Vec<TableValue>>,
    },
    /// Rows of a numbered table before a number were deleted.
    RowsForgotten {
        table: &'static Table,
        before: i64,
    },
    /// The highest number that a numbered table has given.
    LastNumber {
        table: &'static Table,
        number: i64,
    },
    /// The file of EtherCalc's time triggers; empty when there is none.
    TimeTriggers(Vec<u8>),
}

const ROOM: u8 = 1;
const RECORDS: u8 = 2;
const SNAPSHOT: u8 = 3;
const CHAT: u8 = 4;
const IMAGE: u8 = 5;
const ROOM_DELETED: u8 = 6;
const ROWS: u8 = 7;
const ROWS_DELETED: u8 = 8;
const ROWS_FORGOTTEN: u8 = 9;
const LAST_NUMBER: u8 = 10;
const TIME_TRIGGERS: u8 = 11;

/// Bytes of kind and length.
const ENTRY_HEADER_BYTES: usize = 9;

impl Entry {
    /// The room that it is of; `None` for everything else.
    pub fn room(&self) -> Option<Incarnation> {
        match self {
            Entry::Room { room, .. }
            | Entry::Records { room, .. }
            | Entry::Snapshot { room, .. }
            | Entry::Chat { room, .. }
            | Entry::Image { room, .. }
            | Entry::RoomDeleted { room } => Some(*room),
            _ => None,
        }
    }

    /// Appends its bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; ENTRY_HEADER_BYTES]);
        let kind = self.write_contents(out);
        let length = (out.len() - start - ENTRY_HEADER_BYTES) as u64;
        out[start] = kind;
        out[start + 1..start + ENTRY_HEADER_BYTES].copy_from_slice(&length.to_le_bytes());
    }

    fn write_contents(&self, out: &mut Vec<u8>) -> u8 {
        let mut numbers = |numbers: &[u64]| {
            numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        };
        match self {
            Entry::Room { room, name, created_ms, changed_ms, base } => {
                let revision = base.as_ref().map_or(0, |base| base.revision.0);
                let length = name.as_str().len() as u64;
                numbers(&[room.0, *created_ms as u64, *changed_ms as u64, revision, length]);
                out.extend_from_slice(name.as_str().as_bytes());
                out.extend_from_slice(base.as_ref().map_or(&[], |base| &base.bytes));
                ROOM
            }
            Entry::Records { room, records } => {
                for record in records {
                    entry::write(out, RoomKey(room.0), record.revision, record.time_ms, &record.bytes);
                }
                RECORDS
            }
            Entry::Snapshot { room, snapshot } => {
                numbers(&[room.0, snapshot.revision.0]);
                out.extend_from_slice(&snapshot.bytes);
                SNAPSHOT
            }
            Entry::Chat { room, forget_up_to, messages } => {
                numbers(&[room.0, *forget_up_to]);
                for (number, bytes) in messages {
                    out.extend_from_slice(&number.to_le_bytes());
                    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                    out.extend_from_slice(bytes);
                }
                CHAT
            }
            Entry::Image { room, id, bytes } => {
                numbers(&[room.0]);
                out.extend_from_slice(&id.0);
                out.extend_from_slice(bytes);
                IMAGE
            }
            Entry::RoomDeleted { room } => {
                numbers(&[room.0]);
                ROOM_DELETED
            }
            Entry::Rows { table, rows } => {
                write_json(out, table, rows);
                ROWS
            }
            Entry::RowsDeleted { table, keys } => {
                write_json(out, table, keys);
                ROWS_DELETED
            }
            Entry::RowsForgotten { table, before } => {
                write_json(out, table, &[vec![TableValue::Integer(*before)]]);
                ROWS_FORGOTTEN
            }
            Entry::LastNumber { table, number } => {
                write_json(out, table, &[vec![TableValue::Integer(*number)]]);
                LAST_NUMBER
            }
            Entry::TimeTriggers(bytes) => {
                out.extend_from_slice(bytes);
                TIME_TRIGGERS
            }
        }
    }
}

/// Reads the entries of a segment one after the other.
pub struct Entries<'a> {
    bytes: &'a [u8],
}

impl<'a> Entries<'a> {
    /// Reads from the beginning.
    pub fn of(segment: &'a [u8]) -> Entries<'a> {
        Entries { bytes: segment }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, String>;

    fn next(&mut self) -> Option<Result<Entry, String>> {
        if self.bytes.is_empty() {
            return None;
        }
        let read = read_entry(self.bytes);
        self.bytes = match &read {
            Ok((_, rest)) => rest,
            Err(_) => &[],
        };
        Some(read.map(|(entry, _)| entry))
    }
}

/// Reads the first entry, and returns it with the bytes after it.
fn read_entry(bytes: &[u8]) -> Result<(Entry, &[u8]), String> {
    let torn = || "it ends in the middle of an entry".to_owned();
    let (kind, rest) = bytes.split_first().ok_or_else(torn)?;
    let mut rest = Fields { bytes: rest };
    let length = rest.number().ok_or_else(torn)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= rest.bytes.len());
    let (contents, rest) = rest.bytes.split_at(length.ok_or_else(torn)?);
    let entry = read_contents(*kind, Fields { bytes: contents });
    Ok((entry.ok_or_else(|| format!("an entry of kind {kind} cannot be read"))?, rest))
}

fn read_contents(kind: u8, mut fields: Fields<'_>) -> Option<Entry> {
    let entry = match kind {
        ROOM => {
            let room = fields.room()?;
            let (created_ms, changed_ms) = (fields.number()? as i64, fields.number()? as i64);
            let (revision, length) = (Revision(fields.number()?), fields.number()?);
            let name = RoomName::new(std::str::from_utf8(fields.take(length)?).ok()?).ok()?;
            let bytes = fields.rest().into();
            let base = (revision > Revision(0)).then_some(Snapshot { revision, bytes });
            Entry::Room { room, name, created_ms, changed_ms, base }
        }
        RECORDS => {
            let (mut records, mut room) = (Vec::new(), None);
            let bytes = fields.rest();
            for (offset, header) in entry::scan(bytes).ok()? {
                let payload = &bytes[offset + HEADER_BYTES..offset + header.entry_bytes()];
                records.push(header.record(payload)?);
                if *room.get_or_insert(header.room) != header.room {
                    return None;
                }
            }
            Entry::Records { room: Incarnation(room?.0), records }
        }
        SNAPSHOT => {
            let (room, revision) = (fields.room()?, Revision(fields.number()?));
            Entry::Snapshot { room, snapshot: Snapshot { revision, bytes: fields.rest().into() } }
        }
        CHAT => {
            let (room, forget_up_to) = (fields.room()?, fields.number()?);
            let mut messages = Vec::new();
            while !fields.bytes.is_empty() {
                let (number, length) = (fields.number()?, fields.number()?);
                messages.push((number, fields.take(length)?.into()));
            }
            Entry::Chat { room, forget_up_to, messages }
        }
        IMAGE => {
            let (room, id) = (fields.room()?, fields.take(32)?.try_into().ok()?);
            Entry::Image { room, id: ImageId(id), bytes: fields.rest().into() }
        }
        ROOM_DELETED => Entry::RoomDeleted { room: fields.room()? },
        ROWS => {
            let (table, rows) = read_json(fields.rest())?;
            Entry::Rows { table, rows }
        }
        ROWS_DELETED => {
            let (table, keys) = read_json(fields.rest())?;
            Entry::RowsDeleted { table, keys }
        }
        ROWS_FORGOTTEN => {
            let (table, before) = read_number(fields.rest())?;
            Entry::RowsForgotten { table, before }
        }
        LAST_NUMBER => {
            let (table, number) = read_number(fields.rest())?;
            Entry::LastNumber { table, number }
        }
        TIME_TRIGGERS => Entry::TimeTriggers(fields.rest().to_vec()),
        _ => return None,
    };
    fields.bytes.is_empty().then_some(entry)
}

/// Reads numbers and bytes from the front.
struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.bytes.split_first_chunk::<8>()?;
        self.bytes = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn room(&mut self) -> Option<Incarnation> {
        self.number().map(Incarnation)
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.bytes.len())?;
        let (taken, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        Some(taken)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }
}

/// Returns rows as JSON. Bytes are an object, so that they differ from text.
pub fn row_json(row: &[TableValue]) -> Json {
    let value = |value: &TableValue| match value {
        TableValue::Null => Json::Null,
        TableValue::Integer(number) => json!(number),
        TableValue::Text(text) => json!(text),
        TableValue::Bytes(bytes) => json!({ "base64": BASE64.encode(bytes) }),
    };
    row.iter().map(value).collect()
}

pub fn json_row(json: &Json) -> Option<TableRow> {
    let value = |json: &Json| match json {
        Json::Null => Some(TableValue::Null),
        Json::String(text) => Some(TableValue::Text(text.clone())),
        Json::Object(fields) => Some(TableValue::Bytes(BASE64.decode(fields.get("base64")?.as_str()?).ok()?)),
        number => number.as_i64().map(TableValue::Integer),
    };
    json.as_array()?.iter().map(value).collect()
}

fn write_json(out: &mut Vec<u8>, table: &Table, rows: &[TableRow]) {
    let rows: Vec<Json> = rows.iter().map(|row| row_json(row)).collect();
    let json = json!({ "table": table.name, "rows": rows });
    serde_json::to_writer(out, &json).expect("a vector grows");
}

fn read_json(bytes: &[u8]) -> Option<(&'static Table, Vec<TableRow>)> {
    let json: Json = serde_json::from_slice(bytes).ok()?;
    let name = json["table"].as_str()?;
    let table = TABLES.iter().find(|table| table.name == name)?;
    let rows = json["rows"].as_array()?.iter().map(json_row).collect::<Option<Vec<_>>>()?;
    Some((table, rows))
}

fn read_number(bytes: &[u8]) -> Option<(&'static Table, i64)> {
    let (table, rows) = read_json(bytes)?;
    match rows.first()?.first()? {
        TableValue::Integer(number) => Some((table, *number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<Entry> {
        let room = Incarnation(7);
        let snapshot = Snapshot { revision: Revision(3), bytes: Arc::from(&b"snapshot"[..]) };
        let record = |revision: u64, text: &str| StoredRecord {
            revision: Revision(revision),
            time_ms: -5,
            bytes: Arc::from(text.as_bytes()),
        };
        let table = |name: &str| TABLES.iter().find(|table| table.name == name).expect("a table");
        let text = |text: &str| TableValue::Text(text.to_owned());
        let name = RoomName::new("plan").expect("a name");
        let base = Some(snapshot.clone());
        vec![
            Entry::Room { room, name: name.clone(), created_ms: 1, changed_ms: -2, base: None },
            Entry::Room { room, name, created_ms: 1, changed_ms: -2, base },
            Entry::Records { room, records: vec![record(4, "one"), record(5, "")] },
            Entry::Snapshot { room, snapshot },
            Entry::Chat { room, forget_up_to: 2, messages: vec![(3, Arc::from(&b"hello"[..]))] },
            Entry::Image { room, id: ImageId([9; 32]), bytes: Arc::from(&b"png"[..]) },
            Entry::RoomDeleted { room },
            Entry::Rows {
                table: table("server_secret"),
                rows: vec![vec![text("a"), TableValue::Bytes(vec![0, 255])]],
            },
            Entry::Rows {
                table: table("workbook"),
                rows: vec![vec![text("plan"), TableValue::Integer(i64::MAX), TableValue::Null, text("{}")]],
            },
            Entry::RowsDeleted { table: table("session"), keys: vec![vec![text("x")], vec![text("y")]] },
            Entry::RowsForgotten { table: table("audit"), before: 12 },
            Entry::LastNumber { table: table("audit"), number: 40 },
            Entry::TimeTriggers(b"{}".to_vec()),
        ]
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let mut segment = Vec::new();
        examples().iter().for_each(|entry| entry.write(&mut segment));
        let read: Result<Vec<Entry>, String> = Entries::of(&segment).collect();
        assert_eq!(format!("{read:?}"), format!("{:?}", Ok::<_, String>(examples())));
    }

    #[test]
    fn nothing_makes_reading_panic() {
        for entry in examples() {
            let mut bytes = Vec::new();
            entry.write(&mut bytes);
            for length in 1..bytes.len() {
                assert!(Entries::of(&bytes[..length]).any(|read| read.is_err()), "{entry:?} cut at {length}");
            }
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x81;
                let _ = Entries::of(&damaged).count();
            }
        }
    }
}
