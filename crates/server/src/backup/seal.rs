//! The form of indexes and segments in a file: compressed, and encrypted if that is wanted.
//!
//! Files are encrypted by age (<https://age-encryption.org/v1>) to recipients. Who backs up needs no secret: keys are
//! in no backup, and only who restores has them.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::str::FromStr as _;

use age::{Decryptor, Encryptor, IdentityFile, x25519};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::manifest::Encryption;

/// To whom new files are encrypted, and the keys of files that can be read.
#[derive(Default)]
pub struct Keys {
    recipients: Vec<x25519::Recipient>,
    identities: Vec<Box<dyn age::Identity + Send + Sync>>,
}

impl Keys {
    /// Reads recipients, such as `age1…`, and the file of `age-keygen` with the keys.
    ///
    /// # Errors
    /// A message that says which is wrong. It does not contain a key.
    pub fn new(recipients: &[String], identity: Option<&Path>) -> Result<Keys, String> {
        let recipients = recipients.iter().map(|text| {
            x25519::Recipient::from_str(text).map_err(|error| match text.starts_with("age1") {
                true => format!("--encrypt-to {text}: {error}; name a public key such as age1…"),
                // It may be a secret key.
                false => "--encrypt-to: it is no public key; name one such as age1…".to_owned(),
            })
        });
        let recipients = recipients.collect::<Result<_, _>>()?;
        let Some(path) = identity else { return Ok(Keys { recipients, identities: Vec::new() }) };
        let failed = |error: String| format!("--identity {}: {error}", path.display());
        let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
        let file = IdentityFile::from_buffer(std::io::BufReader::new(file))
            .map_err(|_| failed("it is not a file of age-keygen".to_owned()))?;
        let identities = file.into_identities().map_err(|error| failed(error.to_string()))?;
        if identities.is_empty() {
            return Err(failed("it has no key".to_owned()));
        }
        Ok(Keys { recipients, identities })
    }

    /// How new files are encrypted.
    pub fn encryption(&self) -> Encryption {
        match self.recipients.is_empty() {
            true => Encryption::None,
            false => Encryption::Age,
        }
    }

    /// Whether files can be read, if they are for these keys.
    pub fn can_read(&self, encryption: Encryption) -> bool {
        encryption == Encryption::None || !self.identities.is_empty()
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// A message when they cannot be encrypted.
    pub fn close(&self, contents: &[u8]) -> Result<Vec<u8>, String> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(COMPRESSION));
        let compressed = encoder
            .write_all(contents)
            .and_then(|()| encoder.finish())
            .map_err(|error| format!("cannot be compressed: {error}"))?;
        if self.recipients.is_empty() {
            return Ok(compressed);
        }
        let recipients = self.recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
        let encryptor = Encryptor::with_recipients(recipients).map_err(|error| error.to_string())?;
        let mut encrypted = Vec::with_capacity(compressed.len() + AGE_BYTES);
        encryptor
            .wrap_output(&mut encrypted)
            .and_then(|mut writer| {
                writer.write_all(&compressed)?;
                writer.finish()
            })
            .map_err(|error| format!("cannot be encrypted: {error}"))?;
        Ok(encrypted)
    }

    /// Returns the contents of a file.
    ///
    /// # Errors
    /// A message when it is damaged, or needs another key.
    pub fn open(&self, encryption: Encryption, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut compressed = Vec::new();
        let bytes = match encryption {
            Encryption::None => bytes,
            Encryption::Age => {
                let identities = self.identities.iter().map(|identity| &**identity as &dyn age::Identity);
                let decryptor = Decryptor::new_buffered(bytes).map_err(|error| error.to_string())?;
                let mut reader = decryptor.decrypt(identities).map_err(|error| match error {
                    age::DecryptError::NoMatchingKeys => "it is encrypted for another key".to_owned(),
                    error => format!("it cannot be decrypted: {error}"),
                })?;
                reader
                    .read_to_end(&mut compressed)
                    .map_err(|error| format!("it cannot be decrypted: {error}"))?;
                &compressed[..]
            }
        };
        let mut contents = Vec::new();
        let mut decoder = ZlibDecoder::new(bytes);
        decoder.read_to_end(&mut contents).map_err(|error| format!("it is damaged: {error}"))?;
        Ok(contents)
    }
}

/// The level of zlib. Higher ones make records hardly smaller.
const COMPRESSION: u32 = 3;
/// About what a file of age has besides its contents.
const AGE_BYTES: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    // Of the tests of the crate `age`.
    const RECIPIENT: &str = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa";
    const KEY: &str = "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";
    const OTHER_KEY: &str = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";

    /// Made by `age-encryption` 0.3 of npm, the implementation in TypeScript, of the zlib stream of `a segment`.
    const BY_TYPESCRIPT: &str = "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBFaVdWZnUyL21CUmp6dFExTXdDRFlOcmt1\
        ZXpuQTNSNm1MbU8vYjlWR0E0CmNKdyt5azdYMFh0SUpibUYyQjJJWkJTNHB5SXZINkJ3Y2NESmNhMlNjbWMKLS0tIE8ydk4rb2xCQ2xh\
        aktrQk5JMVRjaGNjUURwbTU4R0xVTHpQTzVZOW9LdVEK9BY7SHenqcUy090ljZ3m5fblhrBEtH2Mei4PknkMJx+hQBFRn8Pp+cO3D4Xp\
        xoClSg==";

    fn with_key(key: &str) -> Keys {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), format!("# created: 2026-11-25T03:00:00Z\n{key}\n")).expect("written");
        Keys::new(&[], Some(file.path())).expect("a key")
    }

    #[test]
    fn files_are_read_with_the_key_and_not_without() {
        let keys = Keys::new(&[RECIPIENT.to_owned()], None).expect("a recipient");
        assert_eq!((keys.encryption(), keys.can_read(Encryption::Age)), (Encryption::Age, false));
        let contents = b"a segment".repeat(10_000);
        let bytes = keys.close(&contents).expect("encrypted");
        assert!(bytes.starts_with(b"age-encryption.org/v1\n"));
        let open = |key: &str, bytes: &[u8]| with_key(key).open(Encryption::Age, bytes);
        assert_eq!(open(KEY, &bytes), Ok(contents));
        assert_eq!(open(OTHER_KEY, &bytes), Err("it is encrypted for another key".into()));
        for at in [0, 100, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(open(KEY, &changed).is_err(), "byte {at}");
        }
        assert!(open(KEY, &bytes[..bytes.len() - 1]).is_err(), "torn");
    }

    #[test]
    fn files_of_another_implementation_are_read() {
        use base64::Engine as _;
        let bytes = base64::engine::general_purpose::STANDARD.decode(BY_TYPESCRIPT).expect("base64");
        assert_eq!(with_key(KEY).open(Encryption::Age, &bytes), Ok(b"a segment".to_vec()));
    }

    #[test]
    fn what_is_no_key_is_refused_without_showing_it() {
        let refused = |recipient: &str| Keys::new(&[recipient.to_owned()], None).err().expect("refused");
        assert!(refused("age1nonsense").contains("--encrypt-to age1nonsense"));
        assert!(!refused(KEY).contains("GQ9778"), "a secret key is not repeated");
        let file = tempfile::NamedTempFile::new().expect("a file");
        let read = || Keys::new(&[], Some(file.path())).err().expect("refused");
        assert!(read().contains("it has no key"), "{}", read());
        std::fs::write(file.path(), "AGE-SECRET-KEY-1NONSENSE").expect("written");
        assert!(read().contains("not a file of age-keygen") && !read().contains("NONSENSE"), "{}", read());
    }
}
