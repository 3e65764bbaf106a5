//! Serialization of messages as JSON text.

use serde::Serialize;

/// The JSON text of a message, in UTF-8. Infinite numbers and NaN are written as `null`.
///
/// # Panics
/// When the message has a map whose keys are not strings, or a serializer of its own that fails.
pub fn write(message: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    message
        .serialize(&mut serde_json::Serializer::with_formatter(&mut json, ShortestNumbers))
        .expect("messages have string keys and derived serializers");
    json
}

/// Writes numbers as [`Display`](std::fmt::Display) does: the shortest text that parses to the same
/// number.
///
/// The default formatter writes equal numbers with tables of its own, which would be in the
/// browser's module twice (10 KB).
struct ShortestNumbers;

impl serde_json::ser::Formatter for ShortestNumbers {
    fn write_f64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: f64) -> std::io::Result<()> {
        write!(writer, "{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::Json;

    #[test]
    fn written_numbers_are_read_back_exactly() {
        for number in [0.1, 1.0, -2.5e-300, f64::MAX, f64::MIN_POSITIVE, 5e-324, 123_456_789.123, 1e21] {
            let text = write(&[number]);
            let read = Json::parse(&text).and_then(|json| json.array()?[0].number()).expect("a number");
            assert_eq!(read.to_bits(), number.to_bits(), "{}", String::from_utf8_lossy(&text));
        }
        assert_eq!(write(&[f64::NAN]), b"[null]");
    }
}
