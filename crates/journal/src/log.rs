//! A log of batches as bytes, and its recovery after a crash: the complete batches up to the first
//! incomplete one. Used by storage on plain bytes; SQLite provides the same for the engine in
//! `storage-sqlite`.
//!
//! A batch is its length as u32 and the CRC-32 of its contents, little-endian, then
//! [entries](crate::entry).

use crate::Append;
use crate::entry::{self, HEADER_BYTES};

const BATCH_HEADER_BYTES: usize = 8;

/// Appends a batch to the log.
pub fn write_batch(log: &mut Vec<u8>, batch: &[Append]) {
    let start = log.len();
    log.extend_from_slice(&[0; BATCH_HEADER_BYTES]);
    for append in batch {
        let mut revision = append.base;
        for record in &append.records {
            revision = revision.next();
            entry::write(log, append.room, revision, append.time_ms, record);
        }
    }
    let contents = &log[start + BATCH_HEADER_BYTES..];
    let length = u32::try_from(contents.len()).expect("batches are bounded far below 4 GiB");
    let checksum = crc32fast::hash(contents);
    log[start..start + 4].copy_from_slice(&length.to_le_bytes());
    log[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
}

/// The contents of a recovered log.
#[derive(Debug)]
pub struct Recovered {
    pub batches: Vec<Vec<Append>>,
    /// Length of the complete part; the log must be truncated there.
    pub bytes: usize,
}

/// Reads the complete batches up to the first incomplete one.
pub fn recover(log: &[u8]) -> Recovered {
    let mut recovered = Recovered { batches: Vec::new(), bytes: 0 };
    while let Some((batch, bytes)) = read_batch(&log[recovered.bytes..]) {
        recovered.batches.push(batch);
        recovered.bytes += bytes;
    }
    recovered
}

/// Reads the batch at the start of `bytes`. Returns it with its length.
fn read_batch(bytes: &[u8]) -> Option<(Vec<Append>, usize)> {
    let u32_at =
        |at: usize| bytes.get(at..at + 4).map(|four| u32::from_le_bytes(four.try_into().expect("four")));
    let length = u32_at(0)? as usize;
    let contents = bytes.get(BATCH_HEADER_BYTES..BATCH_HEADER_BYTES.checked_add(length)?)?;
    let is_checked =
        !quadrille_fault_injection::is_planted(quadrille_fault_injection::Fault::TornBatchesAccepted);
    if length == 0 || is_checked && crc32fast::hash(contents) != u32_at(4)? {
        return None;
    }
    let mut batch: Vec<Append> = Vec::new();
    for (offset, header) in entry::scan(contents).ok()? {
        let payload = &contents[offset + HEADER_BYTES..offset + header.entry_bytes()];
        let record = payload.into();
        match batch.last_mut() {
            Some(last) if last.room == header.room && last.head().next() == header.revision => {
                last.records.push(record);
            }
            _ => batch.push(Append {
                room: header.room,
                base: header.revision.previous()?,
                records: vec![record],
                time_ms: header.time_ms,
            }),
        }
    }
    Some((batch, BATCH_HEADER_BYTES + length))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quadrille_protocol::Revision;

    use super::*;
    use crate::RoomKey;

    fn append(room: u64, base: u64, records: &[&str]) -> Append {
        let records = records.iter().map(|record| Arc::from(record.as_bytes())).collect();
        Append { room: RoomKey(room), base: Revision(base), records, time_ms: 7 }
    }

    #[test]
    fn recovery_returns_complete_batches_before_damage() {
        let mut log = Vec::new();
        write_batch(&mut log, &[append(1, 0, &["a", "b"]), append(2, 4, &["c"])]);
        let first = log.len();
        write_batch(&mut log, &[append(1, 2, &["d"])]);

        let whole = recover(&log);
        assert_eq!((whole.batches.len(), whole.bytes), (2, log.len()));
        assert_eq!(whole.batches[0][0].records.len(), 2);
        assert_eq!((whole.batches[0][1].room, whole.batches[0][1].base), (RoomKey(2), Revision(4)));
        for at in 0..log.len() {
            let expected = if at < first { 0 } else { first };
            assert_eq!(recover(&log[..at]).bytes, expected, "cut at {at}");
            let mut damaged = log.clone();
            damaged[at] ^= 0x40;
            assert_eq!(recover(&damaged).bytes, expected, "damaged at {at}");
        }
    }
}
