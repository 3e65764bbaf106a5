//! [`Manifest`]: what belongs to one increment of a chain. It is written last, so that an increment exists once it
//! has one.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::hexadecimal::hex;

/// Format of manifests, indexes and segments. A higher number is of a newer program.
pub const FORMAT: u32 = 1;

/// The manifest that every chain has.
pub const FIRST_MANIFEST: &str = "000001.manifest";

/// End of the names of manifests.
pub const SUFFIX: &str = ".manifest";

/// The files of one increment. Numbers begin at 1, which is the full backup.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// The data directory or database.
    pub source: String,
    pub chain: String,
    pub number: u64,
    /// A random name of this increment.
    pub id: String,
    /// The `id` of the increment before; `None` for the full backup.
    pub previous: Option<String>,
    /// Everything that was acknowledged before this time is in the chain up to here. Milliseconds since 1970-01-01
    /// UTC, by the clock of the machine that wrote it.
    pub moment_ms: i64,
    /// Whether index and segments are encrypted.
    pub encryption: Encryption,
    pub index: File,
    pub segments: Vec<File>,
}

/// How index and segments are encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encryption {
    None,
    /// <https://age-encryption.org/v1>
    Age,
}

/// A file of an increment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// A manifest with the digest of its compact JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    manifest: Manifest,
    sha256: String,
}

impl Manifest {
    /// The name of its file.
    pub fn file_name(number: u64) -> String {
        format!("{number:06}{SUFFIX}")
    }

    /// Returns the number in the name of a manifest.
    pub fn number_of(file: &str) -> Option<u64> {
        let number = file.strip_suffix(SUFFIX)?.parse().ok()?;
        (file == Manifest::file_name(number)).then_some(number)
    }

    /// Returns the bytes of its file.
    pub fn encode(&self) -> Vec<u8> {
        let signed = Signed { manifest: self.clone(), sha256: self.digest() };
        let mut bytes = serde_json::to_vec_pretty(&signed).expect("strings and numbers only");
        bytes.push(b'\n');
        bytes
    }

    /// Reads the bytes of its file.
    ///
    /// # Errors
    /// A message when it is torn or changed, or of a newer program.
    pub fn decode(bytes: &[u8]) -> Result<Manifest, String> {
        let json: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| format!("it is damaged: {error}"))?;
        match json["manifest"]["format"].as_u64() {
            Some(format) if format > u64::from(FORMAT) => {
                return Err(format!(
                    "it was written by a newer version of quadrille (format {format}, this one knows {FORMAT})"
                ));
            }
            _ => {}
        }
        let signed: Signed =
            serde_json::from_value(json).map_err(|error| format!("it is damaged: {error}"))?;
        match signed.manifest.digest() == signed.sha256 {
            true => Ok(signed.manifest),
            false => Err("it is damaged: its digest does not match".to_owned()),
        }
    }

    /// Bytes of the index and all segments.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().chain([&self.index]).map(|file| file.bytes).sum()
    }

    fn digest(&self) -> String {
        sha256(&serde_json::to_vec(self).expect("strings and numbers only"))
    }
}

impl File {
    /// Describes a file with these bytes.
    pub fn of(name: String, bytes: &[u8]) -> File {
        File { name, bytes: bytes.len() as u64, sha256: sha256(bytes) }
    }

    /// Checks bytes that were read.
    ///
    /// # Errors
    /// A message when they are not those that were written.
    pub fn check(&self, bytes: Option<&[u8]>) -> Result<(), String> {
        self.check_length(bytes.map(|bytes| bytes.len() as u64))?;
        match bytes {
            Some(bytes) if sha256(bytes) != self.sha256 => {
                Err("it is damaged: its SHA-256 does not match".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Checks the length of a file that was not read; `None` when there is no file.
    ///
    /// # Errors
    /// As for [`check`](File::check).
    pub fn check_length(&self, bytes: Option<u64>) -> Result<(), String> {
        match bytes {
            None => Err("it is missing".to_owned()),
            Some(bytes) if bytes != self.bytes => {
                Err(format!("it has {bytes} bytes, its manifest says {}", self.bytes))
            }
            Some(_) => Ok(()),
        }
    }
}

/// Returns a SHA-256 in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            format: FORMAT,
            program: "0.2.0".into(),
            source: "/data".into(),
            chain: "2026-11-25T03-00-00.412Z".into(),
            number: 2,
            id: "b".into(),
            previous: Some("a".into()),
            moment_ms: 7,
            encryption: Encryption::None,
            index: File::of("000002-0001.index".into(), b"abc"),
            segments: vec![],
        }
    }

    #[test]
    fn a_torn_or_changed_manifest_is_noticed() {
        let bytes = manifest().encode();
        assert_eq!(Manifest::decode(&bytes), Ok(manifest()));
        for length in 0..bytes.len() - 2 {
            assert!(Manifest::decode(&bytes[..length]).is_err(), "cut at {length}");
        }
        let text = String::from_utf8(bytes).expect("JSON");
        for (old, new) in [("\"number\": 2", "\"number\": 3"), ("\"moment_ms\": 7", "\"moment_ms\": 8")] {
            let changed = text.replace(old, new);
            assert_ne!(changed, text);
            assert_eq!(
                Manifest::decode(changed.as_bytes()),
                Err("it is damaged: its digest does not match".into())
            );
        }
        let newer = text.replace("\"format\": 1", "\"format\": 2");
        assert!(Manifest::decode(newer.as_bytes()).is_err_and(|error| error.contains("newer version")));
    }

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn files_are_compared_with_their_digest() {
        let file = File::of("x".into(), b"abc");
        assert_eq!(file.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(file.check(Some(b"abc")), Ok(()));
        assert_eq!(file.check(Some(b"abd")), Err("it is damaged: its SHA-256 does not match".into()));
        assert_eq!(file.check(Some(b"ab")), Err("it has 2 bytes, its manifest says 3".into()));
        assert_eq!(file.check(None), Err("it is missing".into()));
    }

    #[test]
    fn names_of_manifests_have_their_numbers() {
        assert_eq!(Manifest::file_name(17), "000017.manifest");
        for (name, number) in [("000017.manifest", Some(17)), ("1234567.manifest", Some(1_234_567))] {
            assert_eq!(Manifest::number_of(name), number);
        }
        for name in ["17.manifest", "000017.segment", "lock", "+00017.manifest"] {
            assert_eq!(Manifest::number_of(name), None, "{name}");
        }
    }
}
