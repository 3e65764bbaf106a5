//! Pages as gzip (RFC 1952) whose table is compressed once for all readers: compressed parts, each of which
//! ends at a byte and refers to nothing before it, make one stream.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// The header of a member without a name, a time or an operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// An empty last block of a deflate stream (RFC 1951).
const LAST_BLOCK: [u8; 2] = [0x03, 0x00];

/// A part of a page.
#[derive(Clone)]
pub struct Part {
    deflated: Bytes,
    /// Checksum and length of what is compressed.
    crc: Arc<Crc>,
}

impl Part {
    /// Compresses a part.
    pub fn new(bytes: &[u8]) -> Part {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let written = encoder.write_all(bytes).and_then(|()| encoder.flush());
        written.expect("writing to memory does not fail");
        let mut crc = Crc::new();
        crc.update(bytes);
        Part { deflated: encoder.get_ref().clone().into(), crc: Arc::new(crc) }
    }
}

/// The chunks of the stream of some parts.
pub fn gzip(parts: &[Part]) -> Vec<Bytes> {
    let mut chunks = vec![Bytes::from_static(&HEADER)];
    let mut crc = Crc::new();
    for part in parts {
        chunks.push(part.deflated.clone());
        crc.combine(&part.crc);
    }
    let trailer = [&LAST_BLOCK[..], &crc.sum().to_le_bytes(), &crc.amount().to_le_bytes()].concat();
    chunks.push(trailer.into());
    chunks
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn parts_make_one_stream_that_other_programs_read() {
        let texts = ["<html>", "", &"<td>1</td>".repeat(5_000), "ü</html>\n"];
        let parts: Vec<Part> = texts.iter().map(|text| Part::new(text.as_bytes())).collect();
        let stream = gzip(&parts).concat();
        let mut read = String::new();
        // Checks the checksum and the length, too.
        flate2::read::GzDecoder::new(&stream[..]).read_to_string(&mut read).expect("a gzip stream");
        assert_eq!(read, texts.concat());
        assert!(stream.len() < 1_000, "{} bytes", stream.len());
    }
}
