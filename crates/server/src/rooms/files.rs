//! Files of responses to forms. The storage keeps them with the images of their room: as long as the
//! room, in its quotas and backups. Before the bytes stands a line with the name, so that the identity,
//! the SHA-256 of all of it, is that of a file with its name.

use bytes::Bytes;
use quadrille_journal::{Image, ImageId};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Field, ItemKind, Workbook};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::errors::journal_overloaded;
use super::images::{image_id, image_name};
use super::registry::Rooms;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::room_name::percent_encoded;

/// The first line of what is stored. No image begins like it.
const MARK: &[u8] = b"Quadrille file 1\n";

/// A file with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredFile {
    pub name: String,
    pub bytes: Bytes,
}

/// Whether stored bytes are those of a file, and not of an image.
pub fn is_stored_file(stored: &[u8]) -> bool {
    stored.starts_with(MARK)
}

impl StoredFile {
    fn to_image(&self) -> Image {
        let head = json!({ "name": self.name }).to_string();
        let stored = [MARK, head.as_bytes(), b"\n", &self.bytes].concat();
        Image { id: ImageId(Sha256::digest(&stored).into()), bytes: stored.into() }
    }

    /// Reads what is stored; `None` for an image.
    fn from_stored(stored: &Bytes) -> Option<StoredFile> {
        let rest = stored.strip_prefix(MARK)?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let head: Json = serde_json::from_slice(&rest[..end]).ok()?;
        let name = head["name"].as_str()?.to_owned();
        Some(StoredFile { name, bytes: stored.slice(MARK.len() + end + 1..) })
    }
}

/// The path of a file in the REST API, which is the link of its cell. It has no host, so that nobody who
/// sends a response chooses one.
pub fn file_path(room: &RoomName, id: ImageId) -> String {
    format!("/api/v1/rooms/{}/files/{}", percent_encoded(room.as_str()), image_name(id))
}

/// The file that a link of a cell names, of whatever room: a copy has the files of the original.
pub fn file_id(link: &str) -> Option<ImageId> {
    let (room, file) = link.strip_prefix("/api/v1/rooms/")?.split_once("/files/")?;
    image_id(file).filter(|_| !room.contains('/'))
}

/// The files to which the cells of a workbook link.
pub fn linked_files(workbook: &Workbook) -> Vec<ImageId> {
    let links = workbook.sheets().iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Link));
    links.filter_map(|(_, link)| file_id(link.text(Field::Url)?)).collect()
}

impl Rooms {
    /// Stores a file of a response durably, and returns its identity.
    ///
    /// # Errors
    /// `too_many_images` when the room would have more than `FORM_FILES_BYTES_PER_ROOM_MAX`.
    pub async fn put_file(&self, room: &RoomName, file: &StoredFile) -> Result<ImageId, ApiError> {
        if self.journal().is_overloaded(room) {
            return Err(journal_overloaded());
        }
        let image = file.to_image();
        let id = image.id;
        self.store_image(room, image, limits::FORM_FILES_BYTES_PER_ROOM_MAX).await?;
        Ok(id)
    }

    /// Returns a file.
    ///
    /// # Errors
    /// `not_found`, also for the name of an image.
    pub async fn file(&self, room: &RoomName, id: ImageId) -> Result<StoredFile, ApiError> {
        let missing = || ApiError::new(ErrorCode::NotFound, "no such file");
        let stored = match self.image(room, id).await {
            Err(error) if error.code == ErrorCode::NotFound => return Err(missing()),
            stored => stored?,
        };
        StoredFile::from_stored(&Bytes::from_owner(stored)).ok_or_else(missing)
    }

    /// Copies files of one room to another, as far as they exist.
    ///
    /// # Errors
    /// `too_many_images` when the other room would have more than `IMAGES_BYTES_PER_ROOM_MAX`.
    pub async fn copy_files(
        &self,
        from: &RoomName,
        to: &RoomName,
        files: &[ImageId],
    ) -> Result<(), ApiError> {
        for id in files {
            let bytes = match self.image(from, *id).await {
                Ok(bytes) if is_stored_file(&bytes) => bytes,
                Err(error) if error.code != ErrorCode::NotFound => return Err(error),
                _ => continue,
            };
            self.store_image(to, Image { id: *id, bytes }, limits::IMAGES_BYTES_PER_ROOM_MAX).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_survives_its_storage_and_is_no_image() {
        let file = StoredFile { name: "a \"b\"\n.pdf".into(), bytes: Bytes::from_static(b"%PDF-1.7\n") };
        let image = file.to_image();
        assert_eq!(StoredFile::from_stored(&Bytes::from_owner(image.bytes.clone())), Some(file.clone()));
        assert!(is_stored_file(&image.bytes) && quadrille_files::image_type(&image.bytes).is_none());
        let renamed = StoredFile { name: "c.pdf".into(), ..file };
        assert_ne!(renamed.to_image().id, image.id);
        for other in
            [&b""[..], b"\x89PNG\r\n\x1a\n", MARK, b"Quadrille file 1\n{}\nx", b"Quadrille file 1\n{"]
        {
            assert_eq!(StoredFile::from_stored(&Bytes::from_static(other)), None);
        }
    }

    #[test]
    fn links_of_files_are_paths_of_this_server() {
        let id = ImageId([0xab; 32]);
        let path = file_path(&RoomName::new("übersicht").expect("a name"), id);
        assert_eq!(file_id(&path), Some(id));
        for other in [
            format!("https://example.org{path}"),
            path.replace("/files/", "/images/"),
            path.replace("ab", "AB"),
            format!("{path}/x"),
            "/api/v1/rooms/a/b/files/x".to_owned(),
        ] {
            assert_eq!(file_id(&other), None, "{other}");
        }
    }
}
