//! Large snapshots and images in an object store: a prefix of a bucket of S3, or of a server that speaks its
//! protocol. The storage keeps a reference with length and digest.
//!
//! - **B1** An object is written before its reference. Until both are stored, nothing is acknowledged that needs
//!   them; records are never in an object store.
//! - **B2** Each upload has a name of its own, so that an object is written once, and removed only when nothing has
//!   referred to it for [`OBJECT_UNREFERENCED_HOURS`](crate::limits::OBJECT_UNREFERENCED_HOURS).
//! - **B3** What is read is compared with length and digest. A missing or different snapshot is skipped, as a
//!   damaged one in the storage (J5); an image is an error that names the object.
//! - **B4** While the object store is away, edits go on. Snapshots wait and are tried again; a room whose newest
//!   snapshot is in the object store cannot be opened until it is back.
//! - **B5** The objects of a storage are in a folder of its own, with an object `storage`, so that a wrong bucket is
//!   noticed before anything is missing.
//!
//! `with_objects.rs` has the storage that commands use, `sweep.rs` removes objects; in the server,
//! `rooms/snapshot_uploads.rs` writes snapshots and `rooms/object_reads.rs` reads them.

mod sweep;
mod with_objects;

use std::sync::Arc;

use quadrille_journal::{ObjectId, ObjectReference, Storage, StorageError};
use sha2::{Digest as _, Sha256};

use crate::limits;
use crate::s3::{S3Bucket, S3Failure, Variables};

pub use sweep::Swept;
pub use with_objects::WithObjects;

/// The object that every folder has.
const MARKER: &str = "storage";

/// The object store of one storage.
pub struct ObjectStorage {
    bucket: S3Bucket,
    /// Values with at least so many bytes become objects; `None`: objects are only read.
    bytes_min: Option<usize>,
}

impl ObjectStorage {
    /// The property of a storage with the address of its folder.
    pub const PROPERTY: &str = "object_storage";

    /// Looks at an object store without using it. `used` is the folder that the storage has used. Returns what was
    /// found; `None` when there is none.
    ///
    /// # Errors
    /// A message when the address cannot be used, the server does not answer or refuses, or the bucket does not
    /// have the objects of the storage.
    pub fn inspect(address: &str, used: Option<&str>) -> Result<Option<String>, String> {
        let folder = match (used, address.trim_end_matches('/')) {
            (None, "") => return Ok(None),
            (Some(used), "") => used.to_owned(),
            (Some(used), address) => format!("{address}/{}", name_of(used)),
            (None, address) => address.to_owned(),
        };
        let variable = |name: &str| std::env::var(name).ok();
        let bucket = S3Bucket::open(&folder, &variable, limits::OBJECT_REQUEST_SECONDS_MAX)?;
        match used {
            None => {
                bucket.list("").map_err(|failure| failure.to_string())?;
                Ok(Some(format!("{folder} answers; it is not used yet")))
            }
            Some(_) => match bucket.get(MARKER).map_err(|failure| failure.to_string())? {
                Some(_) => Ok(Some(format!("{folder} has the objects of this storage"))),
                None => Err(format!("{folder} does not have the objects of this storage")),
            },
        }
    }

    /// Opens the object store that a storage has used, or is to use from now on. `address` is that of the setting
    /// `object_storage`; empty means the one that the storage has used, for reading only. `None` without either.
    ///
    /// # Errors
    /// A message when the address cannot be used, the server refuses, or the bucket does not have the objects of
    /// this storage.
    pub fn open(
        storage: &mut dyn Storage,
        address: &str,
        bytes_min: usize,
        variables: Variables<'_>,
    ) -> Result<Option<ObjectStorage>, String> {
        let stored = storage.property(ObjectStorage::PROPERTY).map_err(|error| error.to_string())?;
        let folder = match (&stored, address.trim_end_matches('/')) {
            (None, "") => return Ok(None),
            (Some(stored), "") => stored.clone(),
            // Objects may have been moved to another bucket, in the folder with the same name.
            (Some(stored), address) => format!("{address}/{}", name_of(stored)),
            (None, address) => format!("{address}/{}", ObjectId(random())),
        };
        let bytes_min = (!address.is_empty()).then_some(bytes_min);
        let open = |folder: &str| S3Bucket::open(folder, variables, limits::OBJECT_REQUEST_SECONDS_MAX);
        let bucket = open(&folder).map_err(|error| format!("object_storage: {error}"))?;
        if stored.is_some() {
            return check_marker(&bucket, &folder).map(|()| Some(ObjectStorage { bucket, bytes_min }));
        }
        let failed = |failure: S3Failure| format!("object_storage: {failure}");
        bucket.put(MARKER, b"objects of a Quadrille storage\n").map_err(failed)?;
        let won =
            storage.put_property(ObjectStorage::PROPERTY, &folder).map_err(|error| error.to_string())?;
        if won == folder {
            return Ok(Some(ObjectStorage { bucket, bytes_min }));
        }
        // Another server with the same database was first.
        bucket.remove(MARKER).map_err(failed)?;
        let folder = format!("{}/{}", address.trim_end_matches('/'), name_of(&won));
        let bucket = open(&folder).map_err(|error| format!("object_storage: {error}"))?;
        check_marker(&bucket, &folder)?;
        Ok(Some(ObjectStorage { bucket, bytes_min }))
    }

    /// As [`open`](Self::open), for a command, with the variables of the environment.
    ///
    /// # Errors
    /// As for `open`.
    pub fn of_command(storage: &mut dyn Storage) -> Result<Option<ObjectStorage>, String> {
        let stored = storage.property(ObjectStorage::PROPERTY).map_err(|error| error.to_string())?;
        let address = match stored {
            None => return Ok(None),
            Some(_) => std::env::var("QUADRILLE_OBJECT_STORAGE").unwrap_or_default(),
        };
        ObjectStorage::open(storage, &address, limits::OBJECT_BYTES_MIN, &|name| std::env::var(name).ok())
    }

    /// Whether a value is to be stored as an object.
    pub fn takes(&self, bytes: &[u8]) -> bool {
        self.bytes_min.is_some_and(|min| bytes.len() >= min.max(limits::OBJECT_BYTES_FLOOR))
    }

    /// Writes an object, and returns the reference that the storage is to keep.
    ///
    /// # Errors
    /// `ObjectsAway`, or `Engine` when the server refuses.
    pub fn put(&self, bytes: &[u8]) -> Result<ObjectReference, StorageError> {
        let reference = ObjectReference {
            object: ObjectId(random()),
            length: bytes.len() as u64,
            digest: Sha256::digest(bytes).into(),
        };
        self.bucket.put(&reference.object.to_string(), bytes).map_err(failure)?;
        Ok(reference)
    }

    /// Reads an object and compares it with its reference.
    ///
    /// # Errors
    /// `ObjectsAway`; `ObjectDamaged` when it is missing or differs; `Engine` when the server refuses.
    pub fn get(&self, reference: &ObjectReference) -> Result<Arc<[u8]>, StorageError> {
        let key = reference.object.to_string();
        let damaged = |what: &str| {
            let reason = format!("{}: {what}", self.bucket.address(&key));
            StorageError::ObjectDamaged { reason }
        };
        let bytes =
            self.bucket.get(&key).map_err(failure)?.ok_or_else(|| damaged("the object is missing"))?;
        if bytes.len() as u64 != reference.length {
            let (found, expected) = (bytes.len(), reference.length);
            return Err(damaged(&format!("the object has {found} bytes, not {expected}")));
        }
        if <[u8; 32]>::from(Sha256::digest(&bytes)) != reference.digest {
            return Err(damaged("the object does not have the digest that was stored"));
        }
        Ok(bytes.into())
    }

    /// Returns stored bytes, or those of the object that they refer to.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn resolve(&self, stored: Arc<[u8]>) -> Result<Arc<[u8]>, StorageError> {
        match ObjectReference::decode(&stored) {
            Some(reference) => self.get(&reference),
            None => Ok(stored),
        }
    }

    /// Removes an object that nothing refers to: its reference was not stored.
    pub fn discard(&self, reference: &ObjectReference) {
        if let Err(failure) = self.bucket.remove(&reference.object.to_string()) {
            tracing::info!(%failure, "an object that is not needed stays until unreferenced objects are removed");
        }
    }

    /// The folder, for messages.
    pub fn address(&self) -> String {
        self.bucket.address("")
    }
}

/// Checks that a folder is the one of the storage. While the server is away, this is not known.
fn check_marker(bucket: &S3Bucket, folder: &str) -> Result<(), String> {
    match bucket.get(MARKER) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(format!(
            "object_storage: {folder} does not have the objects of this storage: name the bucket and prefix that \
             it has used, or copy all objects there first"
        )),
        Err(S3Failure::Away(reason)) => {
            tracing::warn!(%reason, "the object storage does not answer; what is in it cannot be read until it does");
            Ok(())
        }
        Err(S3Failure::Refused(reason)) => Err(format!("object_storage: {reason}")),
    }
}

/// The last part of a folder's address, which is the same wherever the objects are.
fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn failure(failure: S3Failure) -> StorageError {
    match failure {
        S3Failure::Away(reason) => StorageError::ObjectsAway { reason },
        S3Failure::Refused(reason) => StorageError::Engine { reason: format!("object storage: {reason}") },
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides random numbers");
    bytes
}

/// The errors of references whose objects cannot be read.
pub fn unreadable(objects: &ObjectStorage, references: &[ObjectReference]) -> Vec<String> {
    references
        .iter()
        .filter_map(|reference| objects.get(reference).err())
        .map(|error| error.to_string())
        .collect()
}
