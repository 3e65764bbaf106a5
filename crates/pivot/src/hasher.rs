//! A fast hasher for codes and short texts. Nothing depends on the order of the tables.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map of keys that need no protection against collisions made on purpose: tables hold at
/// most one entry per row of a sheet.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Multiplies eight bytes at a time.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The table takes its buckets from the low bits, which a product mixes least.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(last) ^ (rest.len() as u64) << 56);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word ^ (word >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
