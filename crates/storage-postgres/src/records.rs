//! Reading records.

use quadrille_journal::entry::{self, HEADER_BYTES};
use quadrille_journal::ownership::Head;
use quadrille_journal::{RoomKey, StorageError, StoredRecord};
use quadrille_protocol::Revision;

use crate::session::Session;

/// Rows that are read at once; a row has the records of one commit.
const ROWS_AT_ONCE: i64 = 1_000;
/// Bytes of records that are read at once.
const BYTES_AT_ONCE: usize = 4 << 20;

/// Returns the head of a room that has a row.
///
/// # Errors
/// Those of the database.
pub fn head(session: &mut Session<'_>, room: RoomKey) -> Result<Option<Head>, StorageError> {
    let row =
        session.query_opt("SELECT revision, base FROM room_head WHERE room = $1", &[&(room.0 as i64)])?;
    let number = |number: i64| Revision(number as u64);
    Ok(row.map(|row| Head { revision: number(row.get(0)), base: number(row.get(1)) }))
}

/// Returns the records from a revision to the head, as `Storage::tail` does.
///
/// # Errors
/// `Damaged` with the first revision that is missing or unreadable.
pub fn after(
    session: &mut Session<'_>,
    room: RoomKey,
    after: Revision,
    head: Revision,
    bytes_max: usize,
) -> Result<Vec<StoredRecord>, StorageError> {
    let mut found: Vec<StoredRecord> = Vec::new();
    let (mut read, mut bytes) = (after, 0);
    while read < head && (found.is_empty() || bytes < bytes_max) {
        let wanted = (bytes_max - bytes).min(BYTES_AT_ONCE);
        let rows = session.query(
            "SELECT data FROM (
                 SELECT last, data, sum(bytes) OVER (ORDER BY last) - bytes AS bytes_before
                 FROM record WHERE room = $1 AND last > $2 ORDER BY last LIMIT $3
             ) AS rows WHERE bytes_before <= $4 ORDER BY last",
            &[&(room.0 as i64), &(read.0 as i64), &ROWS_AT_ONCE, &(wanted as i64)],
        )?;
        if rows.is_empty() {
            return Err(damaged(room, read.next(), "the record is missing"));
        }
        for row in rows {
            for record in decode(row.get(0), room, read)? {
                bytes += record.bytes.len();
                if bytes > bytes_max && !found.is_empty() {
                    return Ok(found);
                }
                read = record.revision;
                found.push(record);
            }
        }
    }
    Ok(found)
}

/// Returns the records of a row after a revision. They have to continue at it.
fn decode(row: &[u8], room: RoomKey, after: Revision) -> Result<Vec<StoredRecord>, StorageError> {
    let mut expected = after.next();
    let entries = entry::scan(row).map_err(|_| damaged(room, expected, "the header is unreadable"))?;
    let mut records = Vec::with_capacity(entries.len());
    for (offset, header) in entries {
        if header.revision <= after {
            continue;
        }
        if (header.room, header.revision) != (room, expected) {
            return Err(damaged(room, expected, "the record is missing"));
        }
        let payload = &row[offset + HEADER_BYTES..offset + header.entry_bytes()];
        let record = header.record(payload);
        records.push(record.ok_or_else(|| damaged(room, expected, "the checksum does not match"))?);
        expected = expected.next();
    }
    Ok(records)
}

/// Returns when the record of a revision was stored.
///
/// # Errors
/// `Damaged` when it is missing or unreadable.
pub fn time_of(
    session: &mut Session<'_>,
    room: RoomKey,
    revision: Revision,
) -> Result<Option<i64>, StorageError> {
    let row = session.query_opt(
        "SELECT data FROM record WHERE room = $1 AND last >= $2 ORDER BY last LIMIT 1",
        &[&(room.0 as i64), &(revision.0 as i64)],
    )?;
    let row = row.ok_or_else(|| damaged(room, revision, "the record is missing"))?;
    let entries = entry::scan(row.get(0)).map_err(|_| damaged(room, revision, "the header is unreadable"))?;
    let header = entries.iter().map(|(_, header)| header).find(|header| header.revision == revision);
    Ok(header.map(|header| header.time_ms))
}

fn damaged(room: RoomKey, revision: Revision, reason: &str) -> StorageError {
    StorageError::Damaged { room, revision, reason: reason.to_owned() }
}
