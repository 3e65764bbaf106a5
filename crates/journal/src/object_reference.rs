//! [`ObjectReference`]: what a storage keeps of a snapshot or image whose bytes are in an object store.
//!
//! To the engine a reference is bytes like any others. Engines look at its length only, so that an image counts
//! with its own bytes.
//!
//! | bytes | field |
//! |---|---|
//! | 16 | `Quadrille object` |
//! | 1 | version, 1 |
//! | 8 | length of the object, big-endian |
//! | 32 | SHA-256 of the object |
//! | 16 | name of the object |

use std::fmt;

/// First bytes of a reference: a mark that no snapshot and no image has, and the version.
pub const OBJECT_REFERENCE_MARK: &[u8; 17] = b"Quadrille object\x01";

/// Bytes of an encoded reference.
pub const OBJECT_REFERENCE_BYTES: usize = 73;

/// The name of an object: 16 random bytes. Each upload has another, so an object is written once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub [u8; 16]);

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ObjectId {
    /// Reads 32 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<ObjectId> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.as_bytes().iter().all(is_digit) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|number| ObjectId(number.to_be_bytes()))
    }
}

/// An object with what its bytes must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectReference {
    pub object: ObjectId,
    pub length: u64,
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
}

impl ObjectReference {
    /// Returns the bytes that the storage keeps.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(OBJECT_REFERENCE_BYTES);
        bytes.extend_from_slice(OBJECT_REFERENCE_MARK);
        bytes.extend_from_slice(&self.length.to_be_bytes());
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(&self.object.0);
        bytes
    }

    /// Reads stored bytes; `None` when they are those of the value itself.
    pub fn decode(bytes: &[u8]) -> Option<ObjectReference> {
        let rest = bytes.strip_prefix(OBJECT_REFERENCE_MARK)?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (digest, rest) = rest.split_first_chunk::<32>()?;
        let object = ObjectId(rest.try_into().ok()?);
        Some(ObjectReference { object, length: u64::from_be_bytes(*length), digest: *digest })
    }

    /// Returns the bytes that a stored value has, wherever they are.
    pub fn length_of(stored: &[u8]) -> u64 {
        ObjectReference::decode(stored).map_or(stored.len() as u64, |reference| reference.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_its_documented_bytes() {
        let reference = ObjectReference { object: ObjectId([0xab; 16]), length: 0x0102, digest: [0xcd; 32] };
        let mut expected = b"Quadrille object\x01\0\0\0\0\0\0\x01\x02".to_vec();
        expected.extend([0xcd; 32]);
        expected.extend([0xab; 16]);
        assert_eq!(reference.encode(), expected);
        assert_eq!(expected.len(), OBJECT_REFERENCE_BYTES);
        assert_eq!(ObjectReference::decode(&expected), Some(reference));
        assert_eq!(ObjectReference::length_of(&expected), 258);
        for other in [&expected[..72], &[&expected[..], b"x"].concat(), b"", b"\x89PNG\r\n\x1a\n"] {
            assert_eq!(ObjectReference::decode(other), None);
            assert_eq!(ObjectReference::length_of(other), other.len() as u64);
        }
        let name = reference.object.to_string();
        assert_eq!(ObjectId::parse(&name), Some(reference.object));
        assert_eq!(ObjectId::parse(&name.to_uppercase()), None);
        assert_eq!(ObjectId::parse(&name[1..]), None);
    }
}
