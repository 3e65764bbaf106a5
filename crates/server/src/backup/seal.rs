//! The form of indexes and segments in a file: compressed, and encrypted if that is wanted.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::manifest::Encryption;

/// How files are encrypted, and which can be decrypted.
#[derive(Clone, Default)]
pub struct Keys {}

impl Keys {
    /// How new files are encrypted.
    pub fn encryption(&self) -> Encryption {
        Encryption::None
    }

    /// Whether files can be read.
    pub fn can_read(&self, encryption: Encryption) -> bool {
        encryption == Encryption::None
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// A message when they cannot be encrypted.
    pub fn close(&self, contents: &[u8]) -> Result<Vec<u8>, String> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(COMPRESSION));
        encoder
            .write_all(contents)
            .and_then(|()| encoder.finish())
            .map_err(|error| format!("cannot be compressed: {error}"))
    }

    /// Returns the contents of a file.
    ///
    /// # Errors
    /// A message when it is damaged, or needs another key.
    pub fn open(&self, encryption: Encryption, bytes: &[u8]) -> Result<Vec<u8>, String> {
        debug_assert!(self.can_read(encryption));
        let mut contents = Vec::new();
        let mut decoder = ZlibDecoder::new(bytes);
        decoder.read_to_end(&mut contents).map_err(|error| format!("it is damaged: {error}"))?;
        Ok(contents)
    }
}

/// The level of zlib. Higher ones make records hardly smaller.
const COMPRESSION: u32 = 3;
