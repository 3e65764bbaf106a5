//! The on-disk envelope of a record: an entry in a row of the log or of a room's tail.
//!
//! Layout, little-endian: room number u64, revision u64, time i64, payload length u32, CRC-32 of
//! the payload u32, CRC-32 of the header so far u32; then the payload. The header has its own
//! checksum because its length locates the next entry: a damaged payload must not hide the records
//! after it.

use std::sync::Arc;

use quadrille_protocol::Revision;

use crate::{RoomKey, StoredRecord};

/// Length of a header in bytes.
pub const HEADER_BYTES: usize = 36;

/// The header of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub room: RoomKey,
    pub revision: Revision,
    pub time_ms: i64,
    pub payload_bytes: u32,
    payload_checksum: u32,
}

/// Appends an entry to `out`. Returns its header.
pub fn write(out: &mut Vec<u8>, room: RoomKey, revision: Revision, time_ms: i64, payload: &[u8]) -> Header {
    let header = Header {
        room,
        revision,
        time_ms,
        payload_bytes: u32::try_from(payload.len()).expect("records are bounded far below 4 GiB"),
        payload_checksum: crc32fast::hash(payload),
    };
    let start = out.len();
    out.extend_from_slice(&room.0.to_le_bytes());
    out.extend_from_slice(&revision.0.to_le_bytes());
    out.extend_from_slice(&time_ms.to_le_bytes());
    out.extend_from_slice(&header.payload_bytes.to_le_bytes());
    out.extend_from_slice(&header.payload_checksum.to_le_bytes());
    let header_checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&header_checksum.to_le_bytes());
    out.extend_from_slice(payload);
    header
}

/// Returns the header at the start of `bytes`; `None` if there is no valid header.
pub fn read_header(bytes: &[u8]) -> Option<Header> {
    let header = bytes.get(..HEADER_BYTES)?;
    let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let u64_at = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
    if crc32fast::hash(&header[..HEADER_BYTES - 4]) != u32_at(HEADER_BYTES - 4) {
        return None;
    }
    Some(Header {
        room: RoomKey(u64_at(0)),
        revision: Revision(u64_at(8)),
        time_ms: u64_at(16) as i64,
        payload_bytes: u32_at(24),
        payload_checksum: u32_at(28),
    })
}

impl Header {
    /// Returns the length of header and payload in bytes.
    pub fn entry_bytes(&self) -> usize {
        HEADER_BYTES + self.payload_bytes as usize
    }

    /// Returns the record if `payload` matches the checksum.
    pub fn record(&self, payload: &[u8]) -> Option<StoredRecord> {
        let whole =
            payload.len() == self.payload_bytes as usize && crc32fast::hash(payload) == self.payload_checksum;
        whole.then(|| StoredRecord {
            revision: self.revision,
            time_ms: self.time_ms,
            bytes: Arc::from(payload),
        })
    }
}

/// Returns the headers of a row with their offsets.
///
/// # Errors
///
/// Fails with the offset of the first entry that cannot be read.
pub fn scan(row: &[u8]) -> Result<Vec<(usize, Header)>, usize> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < row.len() {
        let header =
            read_header(&row[at..]).filter(|header| at + header.entry_bytes() <= row.len()).ok_or(at)?;
        entries.push((at, header));
        at += header.entry_bytes();
    }
    Ok(entries)
}

/// Returns the headers of a row that may be damaged, with their offsets, and the byte ranges
/// between them that are not entries. Each header has a checksum, so the entries after a damaged
/// one are found again.
pub fn scan_damaged(row: &[u8]) -> (Vec<(usize, Header)>, Vec<std::ops::Range<usize>>) {
    let (mut entries, mut unreadable) = (Vec::new(), Vec::new());
    let (mut at, mut readable_up_to) = (0, 0);
    while at < row.len() {
        match read_header(&row[at..]).filter(|header| at + header.entry_bytes() <= row.len()) {
            Some(header) => {
                if at > readable_up_to {
                    unreadable.push(readable_up_to..at);
                }
                entries.push((at, header));
                at += header.entry_bytes();
                readable_up_to = at;
            }
            None => at += 1,
        }
    }
    if readable_up_to < row.len() {
        unreadable.push(readable_up_to..row.len());
    }
    (entries, unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_entries_are_detected_and_later_ones_found() {
        let mut row = Vec::new();
        write(&mut row, RoomKey(7), Revision(1), 1_000, b"first");
        write(&mut row, RoomKey(8), Revision(4), 1_001, b"second");
        let entries = scan(&row).expect("as written");
        assert_eq!(
            entries.iter().map(|(at, header)| (*at, header.room.0)).collect::<Vec<_>>(),
            [(0, 7), (41, 8)]
        );
        let payload = |row: &[u8], index: usize| {
            let (at, header) = entries[index];
            header.record(&row[at + HEADER_BYTES..at + header.entry_bytes()])
        };
        assert_eq!(payload(&row, 1).map(|record| record.bytes.to_vec()), Some(b"second".to_vec()));

        for at in 0..row.len() {
            let mut damaged = row.clone();
            damaged[at] ^= 0x10;
            let noticed = match scan(&damaged) {
                Err(offset) => offset <= at,
                Ok(_) => payload(&damaged, 0).is_none() || payload(&damaged, 1).is_none(),
            };
            assert!(noticed, "byte {at}");
        }
        assert_eq!(scan(&row[..row.len() - 1]), Err(41), "torn");

        let offsets = |row: &[u8]| {
            let (entries, unreadable) = scan_damaged(row);
            (entries.iter().map(|(at, _)| *at).collect::<Vec<_>>(), unreadable)
        };
        assert_eq!(offsets(&row), (vec![0, 41], vec![]));
        let mut damaged = row.clone();
        damaged[3] ^= 1;
        let (found, unreadable) = offsets(&damaged);
        assert_eq!(found, [41], "the second is found again");
        assert_eq!(unreadable.iter().map(|part| (part.start, part.end)).collect::<Vec<_>>(), [(0, 41)]);
    }
}
