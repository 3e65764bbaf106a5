//! Little-endian numbers and texts from the data of a record.

/// The data of a record, from the next byte that is not read. Every method returns `None` beyond the
/// end.
#[derive(Clone, Copy)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of one byte.
    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// A number of two bytes.
    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A floating-point number of eight bytes.
    pub fn f64(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of 30 bits ("RK"): an integer or the upper half of an `f64`, possibly in hundredths.
    pub fn rk(&mut self) -> Option<f64> {
        let bits = self.u32()?;
        let number = match bits & 2 {
            0 => f64::from_bits(u64::from(bits & !3) << 32),
            _ => f64::from(bits.cast_signed() >> 2),
        };
        Some(if bits & 1 != 0 { number / 100.0 } else { number })
    }

    /// `count` characters of UTF-16, or of its lower bytes.
    pub fn text(&mut self, count: usize, is_utf16: bool) -> Option<String> {
        Some(match is_utf16 {
            true => utf16(self.take(count.checked_mul(2)?)?),
            false => self.take(count)?.iter().map(|byte| char::from(*byte)).collect(),
        })
    }

    /// A text of BIFF8 with a given number of characters: its flags, then the characters.
    pub fn flagged_text(&mut self, count: usize) -> Option<String> {
        let flags = self.u8()?;
        self.text(count, flags & 1 != 0)
    }

    /// A text of BIFF12: the number of characters, then UTF-16.
    pub fn wide_text(&mut self) -> Option<String> {
        let count = self.u32()? as usize;
        self.text(count, true)
    }
}

/// Text of UTF-16; unpaired surrogates become U+FFFD.
pub fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_30_bits_are_integers_or_halves_of_floats() {
        // The examples of [MS-XLS] 2.5.217 and of OpenOffice's description of the format.
        for (bits, number) in [
            (0x3ff0_0000_u32, 1.0),
            (0x3ff0_0001, 0.01),
            (0x004b_5646, 1_234_321.0),
            (0x004b_5647, 12_343.21),
        ] {
            assert_eq!(ByteReader(&bits.to_le_bytes()).rk(), Some(number), "{bits:x}");
        }
    }
}
