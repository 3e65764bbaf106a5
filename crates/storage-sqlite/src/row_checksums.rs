//! Checksums of rows, and the directory of a row of the log, which lists the rooms with records in
//! it when the row itself cannot be read.
//!
//! Numbers are little-endian; every checksum is a CRC-32.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_journal::RoomKey;
use quadrille_journal::entry::Header;
use quadrille_protocol::{Revision, RoomName};

/// Returns the checksum of a row of `room`.
pub fn room_checksum(id: i64, name: &str, created_ms: i64) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&id.to_le_bytes());
    hasher.update(&created_ms.to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.finalize()
}

/// The contents of a row of `room`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomRow {
    pub id: i64,
    pub name: String,
    pub created_ms: i64,
}

/// Returns the row with this checksum that differs from the damaged row in at most one bit, or has
/// another of the names. A CRC-32 distinguishes rows that differ in up to three bits, so there is
/// at most one such row.
pub fn repaired_row(id: i64, names: &BTreeSet<String>, created_ms: i64, checksum: i64) -> Option<RoomRow> {
    let fits = |id: i64, name: &str, created_ms: i64| {
        let sum = i64::from(room_checksum(id, name, created_ms));
        let row = RoomRow { id, name: name.to_owned(), created_ms };
        (sum == checksum && RoomName::new(name).is_ok()).then_some(row)
    };
    let bits = || (0..63).map(|bit| 1i64 << bit);
    for name in names {
        // The name is right, and at most one of the numbers is wrong.
        let candidate = fits(id, name, created_ms)
            .or_else(|| bits().find_map(|bit| fits(id, name, created_ms ^ bit)))
            .or_else(|| bits().find_map(|bit| fits(id ^ bit, name, created_ms)));
        if candidate.is_some() {
            return candidate;
        }
        let wrong = checksum ^ i64::from(room_checksum(id, name, created_ms));
        if wrong.count_ones() == 1 && RoomName::new(name).is_ok() {
            return Some(RoomRow { id, name: name.clone(), created_ms });
        }
        let flipped = (0..name.len() * 8).find_map(|bit| {
            let mut bytes = name.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fits(id, &String::from_utf8(bytes).ok()?, created_ms)
        });
        if flipped.is_some() {
            return flipped;
        }
    }
    None
}

/// Returns the checksum of a row of numbers: `head`, and the seal of a snapshot.
pub fn numbers_checksum(numbers: &[i64]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize()
}

/// Returns the checksum of a row of `chat`.
pub fn chat_message_checksum(room: RoomKey, number: i64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&room.0.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

/// Consecutive records of one room in a row of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordRun {
    pub room: RoomKey,
    pub first: Revision,
    pub last: Revision,
}

/// Bytes of an encoded run.
const RUN_BYTES: usize = 24;

/// Encodes the directory of a row with these entries: a run for each room, then the checksum of the
/// row id and the runs.
pub fn write_directory<'a>(row: i64, headers: impl IntoIterator<Item = &'a Header>) -> Vec<u8> {
    let mut rooms: BTreeMap<RoomKey, (Revision, Revision)> = BTreeMap::new();
    for header in headers {
        rooms.entry(header.room).or_insert((header.revision, header.revision)).1 = header.revision;
    }
    let runs = rooms.into_iter().map(|(room, (first, last))| RecordRun { room, first, last });
    write_runs(row, runs)
}

/// Encodes a directory with these runs.
pub fn write_runs(row: i64, runs: impl IntoIterator<Item = RecordRun>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for RecordRun { room, first, last } in runs {
        for number in [room.0, first.0, last.0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    let checksum = directory_checksum(row, &bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Decodes the directory of a row; `None` when its checksum does not match.
pub fn read_directory(row: i64, bytes: &[u8]) -> Option<Vec<RecordRun>> {
    let (runs, checksum) = bytes.split_last_chunk::<4>()?;
    if directory_checksum(row, runs) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let number =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let run = |bytes: &[u8]| RecordRun {
        room: RoomKey(number(bytes, 0)),
        first: Revision(number(bytes, 8)),
        last: Revision(number(bytes, 16)),
    };
    Some(runs.chunks_exact(RUN_BYTES).map(run).collect())
}

fn directory_checksum(row: i64, runs: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&row.to_le_bytes());
    hasher.update(runs);
    hasher.finalize()
}

/// Returns the checksum of a row of `image`, including its key.
pub(crate) fn image_checksum(room: RoomKey, hash: &[u8], data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&room.0.to_le_bytes());
    hasher.update(hash);
    hasher.update(data);
    hasher.finalize()
}
