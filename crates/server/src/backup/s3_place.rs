//! [`S3Place`]: backups in a bucket of S3 or of a server that speaks its protocol.
//!
//! An object is written as a whole, as the place needs it.

use std::collections::BTreeMap;
use std::time::SystemTime;

use chrono::DateTime;
use quadrille_storage_sqlite::DirectoryLock;

use super::place::{Place, Stored};
use crate::limits;
use crate::s3::{S3Bucket, S3Object, Variables};

/// Validity of a signed request, and the time that it may take.
const REQUEST_SECONDS_MAX: u64 = 300;

/// A prefix within a bucket.
pub struct S3Place {
    bucket: S3Bucket,
}

impl S3Place {
    /// Opens `s3://bucket/prefix`, with the credentials, the region and the endpoint that the variables name.
    ///
    /// # Errors
    /// A message that names what is missing or wrong.
    pub fn open(address: &str, variables: Variables<'_>) -> Result<S3Place, String> {
        Ok(S3Place { bucket: S3Bucket::open(address, variables, REQUEST_SECONDS_MAX)? })
    }
}

impl Place for S3Place {
    fn describe(&self, chain: &str, file: &str) -> String {
        self.bucket.address(&format!("{chain}/{file}"))
    }

    fn chains(&self) -> Result<Vec<String>, String> {
        Ok(self.bucket.list("").map_err(|failure| failure.to_string())?.folders)
    }

    fn files(&self, chain: &str) -> Result<Vec<String>, String> {
        Ok(self.stored(chain)?.into_keys().collect())
    }

    fn stored(&self, chain: &str) -> Result<BTreeMap<String, Stored>, String> {
        let list = self.bucket.list(&format!("{chain}/")).map_err(|failure| failure.to_string())?;
        let stored = |object: S3Object| {
            let written = DateTime::parse_from_rfc3339(&object.modified).ok().map(SystemTime::from);
            (object.name, Stored { bytes: object.bytes, written })
        };
        Ok(list.objects.into_iter().map(stored).collect())
    }

    fn read(&self, chain: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        self.bucket.get(&format!("{chain}/{file}")).map_err(|failure| failure.to_string())
    }

    fn write(&self, chain: &str, file: &str, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() as u64 > limits::BACKUP_FILE_BYTES_MAX {
            let (length, max) = (bytes.len(), limits::BACKUP_FILE_BYTES_MAX);
            let address = self.describe(chain, file);
            return Err(format!("{address}: it would have {length} bytes, more than {max}"));
        }
        self.bucket.put(&format!("{chain}/{file}"), bytes).map_err(|failure| failure.to_string())
    }

    fn remove(&self, chain: &str, file: &str) -> Result<(), String> {
        self.bucket.remove(&format!("{chain}/{file}")).map_err(|failure| failure.to_string())
    }

    fn remove_chain(&self, chain: &str) -> Result<(), String> {
        let mut files = self.files(chain)?;
        files.sort_by_key(|file| !file.ends_with(super::manifest::SUFFIX));
        files.iter().try_for_each(|file| self.remove(chain, file))
    }

    /// A bucket has no locks: who writes to it from two machines at once spoils the chain, which is noticed.
    fn lock(&self) -> Result<Option<DirectoryLock>, String> {
        Ok(None)
    }
}
