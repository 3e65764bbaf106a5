//! Bits in bytes, the first one in the lowest bit, as both formats have them.

/// Packs bits; the unused ones of the last byte are 0.
pub(crate) fn pack(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, bit) in bits.enumerate() {
        if index % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(bit) << (index % 8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bit_is_the_lowest() {
        let bits = [true, false, false, true, false, false, false, false, true];
        assert_eq!(pack(bits.into_iter()), [0b0000_1001, 0b0000_0001]);
    }
}
