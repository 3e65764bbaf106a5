//! What the page's worker writes down of the replica, piece after piece: kind and length as 32 bits, key as a
//! 64-bit float, then the bytes; all little-endian. `web/session/src/keeper.ts` reads and writes the same.

use quadrille_protocol::Counter;
use quadrille_replica::{PersistedState, Restored};

const HEAD: u32 = 1;
/// Key: the revision. Earlier bases, and records up to it, are of no use any more.
const BASE: u32 = 2;
/// Key: the revision.
const RECORD: u32 = 3;
/// Key: the counter of an own transaction that waits no more.
const REMOVED: u32 = 4;
/// Key: the counter.
const UNCONFIRMED: u32 = 5;
const HEADER_BYTES: usize = 16;

pub fn encode(kept: &PersistedState) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A base comes before the records that follow it.
    if let Some((revision, base)) = &kept.base {
        push(&mut bytes, BASE, revision.0, base);
    }
    for (revision, record) in &kept.records {
        push(&mut bytes, RECORD, revision.0, record);
    }
    for counter in &kept.gone {
        push(&mut bytes, REMOVED, counter.0, &[]);
    }
    for (counter, transaction) in &kept.unconfirmed {
        push(&mut bytes, UNCONFIRMED, counter.0, transaction);
    }
    push(&mut bytes, HEAD, 0, &kept.head);
    bytes
}

fn push(bytes: &mut Vec<u8>, kind: u32, key: u64, piece: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend((piece.len() as u32).to_le_bytes()); // wasm memory is smaller than 4 GiB
    bytes.extend((key as f64).to_le_bytes());
    bytes.extend(piece);
}

/// Pieces as they were written, records and transactions in the order of their keys.
pub fn decode(mut bytes: &[u8]) -> Option<Restored> {
    let mut restored = Restored::default();
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
    fn pieces_are_read_back_and_nonsense_is_refused() {
        let kept = PersistedState {
            head: vec![1, 2],
            base: Some((Revision(3), vec![4])),
            records: vec![(Revision(4), vec![5, 6].into())],
            gone: Vec::new(),
            unconfirmed: vec![(Counter(9), vec![7])],
        };
        let bytes = encode(&kept);
        let expected = Restored {
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
