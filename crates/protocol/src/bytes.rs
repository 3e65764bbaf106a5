//! [`Writer`] and [`Reader`]: the encoding of integers, texts and lengths, and [`DecodeError`].

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use quadrille_formula::Template;

use crate::limits::TEXT_BYTES_MAX;

/// The reason why bytes could not be decoded. No partial result is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// The bytes end inside a value.
    Truncated,
    /// Bytes are left after the value.
    TrailingBytes { count: usize },
    /// An unknown format version.
    UnknownVersion { version: u64 },
    /// A tag, index or flag with no meaning here.
    Unknown { what: &'static str, value: u64 },
    /// A number outside its bounds.
    OutOfBounds { what: &'static str, value: u64 },
    /// More elements than a limit allows.
    TooMany { what: &'static str, limit: u64 },
    /// Text that is not UTF-8.
    NotText,
    /// A number that no cell can contain: infinite, NaN or negative zero.
    NotANumber,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated => write!(f, "unexpected end of bytes"),
            DecodeError::TrailingBytes { count } => write!(f, "trailing bytes: {count}"),
            DecodeError::UnknownVersion { version } => write!(f, "unknown version: {version}"),
            DecodeError::Unknown { what, value } => write!(f, "unknown {what}: {value}"),
            DecodeError::OutOfBounds { what, value } => write!(f, "{what} out of bounds: {value}"),
            DecodeError::TooMany { what, limit } => write!(f, "more {what} than allowed: {limit}"),
            DecodeError::NotText => write!(f, "text is not valid UTF-8"),
            DecodeError::NotANumber => write!(f, "number is infinite, NaN or negative zero"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Encodes values. A text or formula that occurs again is written as the number of its first
/// occurrence, so that a column of ten categories costs one or two bytes per cell.
#[derive(Default)]
pub(crate) struct Writer {
    pub bytes: Vec<u8>,
    texts: HashMap<Arc<str>, u64>,
    templates: HashMap<Template, u64>,
}

impl Writer {
    /// Writes one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// LEB128: seven bits per byte, least significant first.
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Zigzag encoding: small magnitudes are short: 0, -1, 1, -2 …
    pub fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63) as u64);
    }

    /// Writes eight bytes, least significant first.
    pub fn fixed64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A length followed by that many bytes.
    pub fn slice(&mut self, slice: &[u8]) {
        self.varint(slice.len() as u64);
        self.bytes.extend_from_slice(slice);
    }

    /// A text without a back reference.
    pub fn plain_text(&mut self, text: &str) {
        self.slice(text.as_bytes());
    }

    /// `length << 1` and the bytes, or `number << 1 | 1` for an equal text written before.
    pub fn text(&mut self, text: &Arc<str>) {
        if let Some(number) = self.texts.get(text) {
            return self.varint(number << 1 | 1);
        }
        self.texts.insert(text.clone(), self.texts.len() as u64);
        self.varint((text.len() as u64) << 1);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Returns the number of an equal template written before. Otherwise returns `None`, and the
    /// caller writes the template now.
    pub fn template_number(&mut self, template: &Template) -> Option<u64> {
        let number = self.templates.len() as u64;
        match self.templates.entry(template.clone()) {
            std::collections::hash_map::Entry::Occupied(known) => Some(*known.get()),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(number);
                None
            }
        }
    }
}

/// Decodes the output of [`Writer`].
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    texts: Vec<Arc<str>>,
    pub templates: Vec<Template>,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, texts: Vec::new(), templates: Vec::new() }
    }

    /// Returns the number of remaining bytes, which bounds every count of elements of at least one
    /// byte.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Reads one byte. Fails at the end of the bytes.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&byte, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }

    /// Reads a LEB128 number. Fails at the end of the bytes, or when it exceeds 64 bits.
    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(DecodeError::OutOfBounds { what: "varint", value: bits });
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::OutOfBounds { what: "varint", value })
    }

    /// Reads a varint of at most `max`.
    pub fn bounded(&mut self, what: &'static str, max: u64) -> Result<u64, DecodeError> {
        let value = self.varint()?;
        if value > max { Err(DecodeError::OutOfBounds { what, value }) } else { Ok(value) }
    }

    /// Reads a varint of at most 32 bits; `what` names it in the error.
    pub fn varint32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        Ok(self.bounded(what, u64::from(u32::MAX))? as u32)
    }

    /// Reads a number in zigzag encoding.
    pub fn zigzag(&mut self) -> Result<i64, DecodeError> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads eight bytes, least significant first.
    pub fn fixed64(&mut self) -> Result<u64, DecodeError> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("took eight bytes")))
    }

    /// Reads `count` bytes. Fails when fewer remain.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        if count > self.rest.len() {
            return Err(DecodeError::Truncated);
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a length and that many bytes.
    pub fn slice(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.varint()?;
        self.take(usize::try_from(length).map_err(|_| DecodeError::Truncated)?)
    }

    /// Reads a text without a back reference. Fails when it is longer than `bytes_max` or not UTF-8.
    pub fn plain_text(&mut self, what: &'static str, bytes_max: usize) -> Result<&'a str, DecodeError> {
        let slice = self.slice()?;
        if slice.len() > bytes_max {
            return Err(DecodeError::TooMany { what, limit: bytes_max as u64 });
        }
        std::str::from_utf8(slice).map_err(|_| DecodeError::NotText)
    }

    /// Reads a text, which can be a reference to an earlier equal one.
    pub fn text(&mut self) -> Result<Arc<str>, DecodeError> {
        let head = self.varint()?;
        if head & 1 == 1 {
            let number = head >> 1;
            let text = usize::try_from(number).ok().and_then(|number| self.texts.get(number));
            return text.cloned().ok_or(DecodeError::Unknown { what: "text", value: number });
        }
        let length = head >> 1;
        if length > TEXT_BYTES_MAX as u64 {
            return Err(DecodeError::TooMany { what: "bytes in a text", limit: TEXT_BYTES_MAX as u64 });
        }
        let bytes = self.take(length as usize)?;
        let text: Arc<str> = std::str::from_utf8(bytes).map_err(|_| DecodeError::NotText)?.into();
        self.texts.push(text.clone());
        Ok(text)
    }

    /// Reads a count of elements of at least one byte each.
    pub fn count(&mut self, what: &'static str, max: usize) -> Result<usize, DecodeError> {
        let count = self.varint()?;
        if count > max as u64 {
            return Err(DecodeError::TooMany { what, limit: max as u64 });
        }
        if count > self.rest.len() as u64 {
            return Err(DecodeError::Truncated);
        }
        Ok(count as usize)
    }

    /// Ends the reading. Fails when bytes remain.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            count => Err(DecodeError::TrailingBytes { count }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_round_trip(unsigned: u64, signed: i64) {
            let mut writer = Writer::default();
            writer.varint(unsigned);
            writer.zigzag(signed);
            let mut reader = Reader::new(&writer.bytes);
            prop_assert_eq!(reader.varint(), Ok(unsigned));
            prop_assert_eq!(reader.zigzag(), Ok(signed));
            prop_assert_eq!(reader.finish(), Ok(()));
        }
    }

    #[test]
    fn repeated_texts_share_one_allocation() {
        let mut writer = Writer::default();
        for text in ["north", "south", "north"] {
            writer.text(&text.into());
        }
        let mut reader = Reader::new(&writer.bytes);
        let texts: Vec<_> = (0..3).map(|_| reader.text().expect("written above")).collect();
        assert!(Arc::ptr_eq(&texts[0], &texts[2]));
        assert_eq!(&*texts[1], "south");
    }
}
