//! The compact protocol of Apache Thrift, in which Parquet writes its metadata: the parts that are needed.

/// A struct that is being written. Fields are added in the order of their numbers.
#[derive(Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// The end of a struct.
const STOP: u8 = 0;

impl Struct {
    fn field(&mut self, number: u8, kind: u8) {
        let step = number - self.last;
        debug_assert!((1..16).contains(&step), "numbers grow in small steps");
        self.bytes.push(step << 4 | kind);
        self.last = number;
    }

    /// Adds a boolean.
    pub fn boolean(mut self, number: u8, value: bool) -> Struct {
        self.field(number, if value { TRUE } else { FALSE });
        self
    }

    /// Adds a number of 32 bits.
    pub fn i32(mut self, number: u8, value: i32) -> Struct {
        self.field(number, I32);
        varint(&mut self.bytes, zigzag(i64::from(value)));
        self
    }

    /// Adds a number of 64 bits.
    pub fn i64(mut self, number: u8, value: i64) -> Struct {
        self.field(number, I64);
        varint(&mut self.bytes, zigzag(value));
        self
    }

    /// Adds a text.
    pub fn text(mut self, number: u8, value: &str) -> Struct {
        self.field(number, BINARY);
        text(&mut self.bytes, value);
        self
    }

    /// Adds a struct.
    pub fn nested(mut self, number: u8, value: Struct) -> Struct {
        self.field(number, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    /// Adds a list of numbers of 32 bits.
    pub fn i32_list(self, number: u8, values: &[i32]) -> Struct {
        self.list(number, I32, values, |bytes, value| varint(bytes, zigzag(i64::from(*value))))
    }

    /// Adds a list of texts.
    pub fn text_list(self, number: u8, values: &[&str]) -> Struct {
        self.list(number, BINARY, values, |bytes, value| text(bytes, value))
    }

    /// Adds a list of structs.
    pub fn struct_list(self, number: u8, values: Vec<Struct>) -> Struct {
        let values: Vec<Vec<u8>> = values.into_iter().map(Struct::finish).collect();
        self.list(number, STRUCT, &values, |bytes, value| bytes.extend(value))
    }

    fn list<T>(mut self, number: u8, kind: u8, values: &[T], write: impl Fn(&mut Vec<u8>, &T)) -> Struct {
        self.field(number, LIST);
        match u8::try_from(values.len()) {
            Ok(length @ 0..15) => self.bytes.push(length << 4 | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                varint(&mut self.bytes, values.len() as u64);
            }
        }
        for value in values {
            write(&mut self.bytes, value);
        }
        self
    }

    /// The bytes of the struct.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(STOP);
        self.bytes
    }
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    varint(bytes, value.len() as u64);
    bytes.extend_from_slice(value.as_bytes());
}

/// Small numbers of either sign become small numbers.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Seven bits a byte, the lowest first (ULEB128).
pub(crate) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification of the compact protocol.
    #[test]
    fn integers_are_zigzag_varints() {
        for (value, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1)] {
            assert_eq!(zigzag(value), expected);
        }
        let mut bytes = Vec::new();
        varint(&mut bytes, 50_399);
        assert_eq!(bytes, [0xdf, 0x89, 0x03]);
    }
}
