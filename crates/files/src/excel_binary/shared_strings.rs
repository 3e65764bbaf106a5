//! The shared strings of an `.xls` workbook, which continue over several records.

use std::sync::Arc;

/// Reads the strings of an SST record ([MS-XLS] 2.4.265) and of the records that continue it.
/// Damaged ones end the list.
pub fn read(segments: &[&[u8]]) -> Vec<Arc<str>> {
    let mut reader = Segments { segments, at: 0 };
    let mut strings = Vec::new();
    // The numbers of uses and of strings; some programs write wrong ones.
    if reader.skip(8).is_none() {
        return strings;
    }
    while let Some(string) = reader.string() {
        strings.push(Arc::from(string));
    }
    strings
}

/// Consecutive records, the first with the next byte that is not read.
struct Segments<'a> {
    segments: &'a [&'a [u8]],
    at: usize,
}

impl Segments<'_> {
    fn string(&mut self) -> Option<String> {
        let count = usize::from(self.u16()?);
        let flags = self.u8()?;
        let runs = if flags & 8 != 0 { usize::from(self.u16()?) } else { 0 };
        let extension = if flags & 4 != 0 {
            let (low, high) = (self.u16()?, self.u16()?);
            (usize::from(high) << 16) | usize::from(low)
        } else {
            0
        };
        let text = self.characters(count, flags & 1 != 0)?;
        self.skip(runs * 4)?;
        self.skip(extension)?;
        Some(text)
    }

    /// Characters of UTF-16 or of its lower bytes. A record that continues them begins with its own flags.
    fn characters(&mut self, count: usize, is_utf16: bool) -> Option<String> {
        let mut is_utf16 = is_utf16;
        let mut units: Vec<u16> = Vec::new();
        while units.len() < count {
            if self.segments.first()?.len() <= self.at {
                self.segments = &self.segments[1..];
                self.at = 0;
                is_utf16 = self.u8()? & 1 != 0;
            }
            units.push(if is_utf16 { self.u16()? } else { u16::from(self.u8()?) });
        }
        Some(String::from_utf16_lossy(&units))
    }

    fn u8(&mut self) -> Option<u8> {
        while self.segments.first()?.len() <= self.at {
            self.segments = &self.segments[1..];
            self.at = 0;
        }
        self.at += 1;
        Some(self.segments[0][self.at - 1])
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.u8()?, self.u8()?]))
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        let mut left = count;
        while left > 0 {
            let here = self.segments.first()?.len() - self.at;
            if here > left {
                self.at += left;
                return Some(());
            }
            left -= here;
            self.segments = &self.segments[1..];
            self.at = 0;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_continues_in_the_next_record_with_another_width() {
        let first = b"\x02\0\0\0\x02\0\0\0\x04\0\0ab";
        let second = b"\x01c\0\xac\x20\x01\0\x08\x01\0x1234";
        let strings = read(&[first, second]);
        assert_eq!(strings.iter().map(|string| &**string).collect::<Vec<_>>(), ["abc\u{20ac}", "x"]);
    }
}
