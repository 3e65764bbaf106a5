//! Comparing a copy with its source: both are read completely.
//!
//! A room's digest is the SHA-256 of its number, its revisions and times, its records, the snapshot at which its
//! history begins, its chat messages and images. Other snapshots are derived from the records.

use std::collections::BTreeMap;
use std::fmt;

use quadrille_access::tables::{TABLES, Table, TableStore, TableValue};
use quadrille_journal::{RoomInfo, RoomKey, Storage};
use sha2::{Digest as _, Sha256};

use super::progress::Progress;
use super::rooms::{base_snapshot, for_each_room};
use super::stores::{Numbers, Stores, of_source};
use super::tables::for_each_page;

/// Bytes of records that are read at once.
const BYTES_AT_ONCE: usize = 4 << 20;

/// What a source and its copy have alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    pub rooms: u64,
    pub records: u64,
    /// Rows of the access store.
    pub rows: u64,
    /// SHA-256 of the digests of all rooms and tables.
    pub digest: [u8; 32],
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verified { rooms, records, rows, digest } = self;
        let [rooms, records, rows] = [(rooms, "room"), (records, "record"), (rows, "row")]
            .map(|(count, noun)| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" }));
        write!(f, "{rooms}, {records}, {rows} of accounts and access, SHA-256 ")?;
        digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Compares a copy with its source.
///
/// # Errors
/// A message that names the room or table that differs or cannot be read.
pub fn verify(
    from: &mut Stores,
    to: &mut Stores,
    numbers: Numbers,
    progress: &mut Progress,
) -> Result<Verified, String> {
    let mut rooms = 0;
    for_each_room(&mut *from.rooms, &mut |_, _| {
        rooms += 1;
        Ok(())
    })?;
    let mut copied = BTreeMap::new();
    for_each_room(&mut *to.rooms, &mut |_, info| {
        copied.insert(info.name.clone(), info.clone());
        Ok(())
    })?;
    if copied.len() as u64 != rooms {
        return Err(format!("the source has {rooms} rooms, the copy has {}", copied.len()));
    }
    progress.begin("compared", rooms);
    let mut all = Sha256::new();
    let mut verified = Verified { rooms: 0, records: 0, rows: 0, digest: [0; 32] };
    let copies = &mut *to.rooms;
    for_each_room(&mut *from.rooms, &mut |source, info| {
        let room = RoomDigest::of(source, info, &|incarnation| numbers.of(incarnation), progress)?;
        let missing = || format!("room {}: it is missing in the copy", info.name);
        let info = copied.get(&info.name).ok_or_else(missing)?;
        if RoomDigest::of(copies, info, &|incarnation| RoomKey(incarnation.0), progress)? != room {
            return Err(format!("room {}: the copy differs from the source", info.name));
        }
        verified.rooms += 1;
        verified.records += room.records;
        all.update(room.digest);
        progress.room();
        Ok(())
    })?;
    progress.end();
    for table in &TABLES {
        let (rows, digest) = table_digest(&mut *from.tables, table)?;
        if table_digest(&mut *to.tables, table)? != (rows, digest) {
            return Err(format!("the table {}: the copy differs from the source", table.name));
        }
        verified.rows += rows;
        all.update(digest);
    }
    verified.digest = all.finalize().into();
    Ok(verified)
}

#[derive(PartialEq, Eq)]
struct RoomDigest {
    records: u64,
    digest: [u8; 32],
}

impl RoomDigest {
    fn of(
        storage: &mut dyn Storage,
        info: &RoomInfo,
        number: &dyn Fn(quadrille_protocol::Incarnation) -> RoomKey,
        progress: &mut Progress,
    ) -> Result<RoomDigest, String> {
        let in_room = |error: String| format!("room {}: {error}", info.name);
        let claim = storage.find(&info.name).map_err(of_source)?.ok_or("the source changes")?;
        let (key, mut records, mut digest) = (claim.key, 0, Sha256::new());
        add(&mut digest, info.name.as_str().as_bytes());
        let (created, changed) = (info.created_ms as u64, info.changed_ms as u64);
        for number in [number(claim.incarnation).0, claim.base.0, claim.head.0, created, changed] {
            digest.update(number.to_le_bytes());
        }
        if let Some(snapshot) = base_snapshot(storage, key, claim.base).map_err(in_room)? {
            add(&mut digest, &snapshot.bytes);
        }
        let mut read = claim.base;
        while read < claim.head {
            let tail = storage.tail(key, read, BYTES_AT_ONCE).map_err(of_source).map_err(in_room)?;
            read = tail.last().ok_or_else(|| in_room("a record is missing".into()))?.revision;
            for record in tail {
                digest.update(record.revision.0.to_le_bytes());
                digest.update(record.time_ms.to_le_bytes());
                add(&mut digest, &record.bytes);
                progress.bytes(record.bytes.len());
                records += 1;
            }
        }
        for message in storage.chat_messages(key).map_err(of_source)? {
            add(&mut digest, &message);
        }
        for id in storage.image_ids(key).map_err(of_source)? {
            if let Some(image) = storage.image(key, id).map_err(of_source)? {
                add(&mut digest, &id.0);
                add(&mut digest, &image);
            }
        }
        Ok(RoomDigest { records, digest: digest.finalize().into() })
    }
}

fn table_digest(store: &mut dyn TableStore, table: &'static Table) -> Result<(u64, [u8; 32]), String> {
    let (mut count, mut digest) = (0, Sha256::new());
    for_each_page(store, table, &mut |rows| {
        count += rows.len() as u64;
        for value in rows.iter().flatten() {
            match value {
                TableValue::Null => digest.update([0]),
                TableValue::Integer(number) => {
                    digest.update([1]);
                    digest.update(number.to_le_bytes());
                }
                TableValue::Text(text) => {
                    digest.update([2]);
                    add(&mut digest, text.as_bytes());
                }
                TableValue::Bytes(bytes) => {
                    digest.update([3]);
                    add(&mut digest, bytes);
                }
            }
        }
        Ok(())
    })?;
    Ok((count, digest.finalize().into()))
}

/// Adds bytes with their length, so that no two sequences give the same stream.
fn add(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}
