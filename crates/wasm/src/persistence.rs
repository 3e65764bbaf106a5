//! Encoding of the state that the client's worker persists in IndexedDB.
//!
//! A sequence of pieces, each with a header of 16 bytes: kind and length as 32-bit integers and the
//! key as a 64-bit float, all little-endian; then the bytes. `web/session/src/replica-store.ts` has
//! the same layout.

use quadrille_protocol::Counter;
use quadrille_replica::{PersistedChanges, PersistedReplica};

/// The head of the replica: its identity and counters. Key: 0.
const HEAD: u32 = 1;
/// A snapshot. Key: its revision. It replaces earlier snapshots and the records up to its revision.
const BASE: u32 = 2;
/// A record. Key: its revision.
const RECORD: u32 = 3;
/// The removal of an unconfirmed transaction. Key: its counter. Without bytes.
const REMOVED: u32 = 4;
/// An unconfirmed transaction. Key: its counter.
const UNCONFIRMED: u32 = 5;
const HEADER_BYTES: usize = 16;

/// Encodes the changes to persist.
pub fn encode(state: &PersistedChanges) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The base precedes the records that follow it.
    if let Some((revision, base)) = &state.base {
        push(&mut bytes, BASE, revision.0, base);
    }
    for (revision, record) in &state.records {
        push(&mut bytes, RECORD, revision.0, record);
    }
    for counter in &state.removed {
        push(&mut bytes, REMOVED, counter.0, &[]);
    }
    for (counter, transaction) in &state.unconfirmed {
        push(&mut bytes, UNCONFIRMED, counter.0, transaction);
    }
    push(&mut bytes, HEAD, 0, &state.head);
    bytes
}

fn push(bytes: &mut Vec<u8>, kind: u32, key: u64, piece: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend((piece.len() as u32).to_le_bytes()); // memory of WebAssembly is smaller than 4 GiB
    bytes.extend((key as f64).to_le_bytes());
    bytes.extend(piece);
}

/// Decodes pieces; records and transactions are in the order of their keys. `None` when the bytes
/// are damaged.
pub fn decode(mut bytes: &[u8]) -> Option<PersistedReplica> {
    let mut restored = PersistedReplica::default();
    while !bytes.is_empty() {
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
        let kind = u32::from_le_bytes(header[..4].try_into().ok()?);
        let length = u32::from_le_bytes(header[4..8].try_into().ok()?);
        let key = f64::from_le_bytes(header[8..].try_into().ok()?) as u64;
        let (piece, rest) = rest.split_at_checked(length as usize)?;
        bytes = rest;
        match kind {
            HEAD => restored.head = piece.to_vec(),
            BASE => restored.base = piece.to_vec(),
            RECORD => restored.records.push(piece.to_vec()),
            UNCONFIRMED => restored.unconfirmed.push((Counter(key), piece.to_vec())),
            _ => return None,
        }
    }
    Some(restored)
}

#[cfg(test)]
mod tests {
    use quadrille_protocol::Revision;

    use super::*;

    #[test]
    fn pieces_round_trip_and_damaged_bytes_are_rejected() {
        let state = PersistedChanges {
            head: vec![1, 2],
            base: Some((Revision(3), vec![4])),
            records: vec![(Revision(4), vec![5, 6].into())],
            removed: Vec::new(),
            unconfirmed: vec![(Counter(9), vec![7])],
        };
        let bytes = encode(&state);
        let expected = PersistedReplica {
            head: vec![1, 2],
            base: vec![4],
            records: vec![vec![5, 6]],
            unconfirmed: vec![(Counter(9), vec![7])],
        };
        assert_eq!(decode(&bytes), Some(expected));
        assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
        assert_eq!(decode(&[9; 16]), None);
    }
}
