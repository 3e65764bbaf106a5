//! Messages → text.

use serde::Serialize;

/// The JSON of one of our messages.
///
/// # Panics
/// When the message has maps whose keys are no texts, which none of ours has.
pub fn write(message: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    message
        .serialize(&mut serde_json::Serializer::with_formatter(&mut json, ShortestNumbers))
        .expect("our messages have text keys and no custom serializers");
    json
}

/// Numbers as Rust prints them: the shortest text that reads back the same. The formatter of `serde_json` yields the same
/// numbers with tables of its own, 10 KB that the browser's engine would have twice.
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
    fn numbers_are_read_as_they_were_written() {
        for number in [0.1, 1.0, -2.5e-300, f64::MAX, f64::MIN_POSITIVE, 5e-324, 123_456_789.123, 1e21] {
            let text = write(&[number]);
            let read = Json::parse(&text).and_then(|json| json.list()?[0].number()).expect("a number");
            assert_eq!(read.to_bits(), number.to_bits(), "{}", String::from_utf8_lossy(&text));
        }
        assert_eq!(write(&[f64::NAN]), b"[null]");
    }
}
