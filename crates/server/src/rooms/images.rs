//! Images of rooms. The storage keeps them beside the journal.

use std::sync::Arc;

use quadrille_files::{Images, package_parts};
use quadrille_journal::{Image, ImageId, ImagePut, ObjectReference};
use quadrille_protocol::{Role, RoomName};
use quadrille_workbook::{Field, ItemKind, Workbook};
use tokio::sync::oneshot;

use super::change::{Change, MissingRoom};
use super::errors::{journal_overloaded, no_such_room, storage_error, thread_ended};
use super::journal_request::Request;
use super::registry::Rooms;
use crate::error::{ApiError, ErrorCode};
use crate::hexadecimal::hex;
use crate::limits;

impl Rooms {
    /// Stores an image durably, and creates the room when it does not exist. Returns whether the
    /// image is new.
    ///
    /// # Errors
    ///
    /// Fails with `forbidden` when the role does not allow editing, and with
    /// `too_many_images` when the room's images would exceed `IMAGES_BYTES_PER_ROOM_MAX`.
    pub async fn put_image(&self, room: &RoomName, role: Role, image: Image) -> Result<bool, ApiError> {
        if !role.can_edit() {
            return Err(ApiError::new(ErrorCode::Forbidden, "your role does not allow editing"));
        }
        if self.journal().is_overloaded(room) {
            return Err(journal_overloaded());
        }
        if !self.exists(room).await? {
            self.change(room, role, Change::new(MissingRoom::Create, |_, _| Ok(Default::default()))).await?;
        }
        self.store_image(room, image, limits::IMAGES_BYTES_PER_ROOM_MAX).await
    }

    /// Stores bytes of a room that exists, durably, while all of its images have at most `bytes_max`.
    /// Returns whether they are new.
    pub(super) async fn store_image(
        &self,
        room: &RoomName,
        image: Image,
        bytes_max: usize,
    ) -> Result<bool, ApiError> {
        let Image { id, bytes } = image;
        let (bytes, reference) = match self.objects().filter(|objects| objects.takes(&bytes)) {
            Some(objects) => {
                let store = Arc::clone(objects);
                let put = tokio::task::spawn_blocking(move || store.put(&bytes));
                let put = put.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
                (put.encode().into(), Some(put))
            }
            None => (bytes, None),
        };
        let image = Image { id, bytes };
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |put| drop(reply.send(put)));
        let bytes_max = bytes_max as u64;
        self.journal().send(Request::PutImage { room: room.clone(), image, bytes_max, reply });
        let put = self.stored(room, answer).await?.map_err(|error| storage_error(&error))?;
        if let (Some(reference), Some(objects)) = (reference, self.objects())
            && put != Some(ImagePut::Stored)
        {
            let objects = Arc::clone(objects);
            tokio::task::spawn_blocking(move || objects.discard(&reference));
        }
        match put {
            Some(ImagePut::Stored) => Ok(true),
            Some(ImagePut::Known) => Ok(false),
            Some(ImagePut::TooMuch) => {
                let message = format!("the images of a workbook can have at most {bytes_max} bytes");
                Err(ApiError::new(ErrorCode::TooManyImages, message))
            }
            None => Err(no_such_room(room)),
        }
    }

    /// Returns the bytes of an image.
    pub async fn image(&self, room: &RoomName, image: ImageId) -> Result<Arc<[u8]>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.journal().send(Request::Image { room: room.clone(), image, reply });
        let found = self.found(room, answer).await?.map_err(|error| storage_error(&error))?;
        let reference = found.as_deref().and_then(ObjectReference::decode);
        if let (Some(reference), Some(objects)) = (reference, self.objects())
            && reference.digest == image.0
        {
            let objects = Arc::clone(objects);
            let read = tokio::task::spawn_blocking(move || objects.get(&reference));
            return read.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error));
        }
        match found {
            Some(bytes) => Ok(bytes),
            // The same answer as for a room that the client cannot read.
            None if !self.exists(room).await? => Err(no_such_room(room)),
            None => Err(ApiError::new(ErrorCode::NotFound, "no such image")),
        }
    }

    /// Returns the id of an image or file, or the error of its name.
    ///
    /// # Errors
    /// For a missing room `no_such_room`, as for one that the client cannot read: otherwise a wrong name
    /// would tell which rooms exist.
    pub async fn valid_image_id(
        &self,
        room: &RoomName,
        id: Result<ImageId, ApiError>,
    ) -> Result<ImageId, ApiError> {
        match id {
            Err(_) if !self.exists(room).await? => Err(no_such_room(room)),
            id => id,
        }
    }

    /// Stores the images of a file. Returns a warning when some could not be stored.
    pub async fn put_images(
        &self,
        room: &RoomName,
        role: Role,
        images: &Images,
    ) -> Result<Vec<String>, ApiError> {
        for (name, bytes) in images {
            let Some(id) = image_id(name) else { continue };
            match self.put_image(room, role, Image { id, bytes: bytes.clone() }).await {
                Ok(_) => {}
                Err(error) if error.code == ErrorCode::TooManyImages => {
                    return Ok(vec![format!("images are missing: {}", error.message)]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Vec::new())
    }

    /// Returns the images that a workbook displays and the parts of its imported file, as far as the
    /// room has them.
    pub async fn images_of(&self, room: &RoomName, workbook: &Workbook) -> Result<Images, ApiError> {
        let items = workbook.sheets().iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Image));
        let sources = items.filter_map(|(_, item)| item.text(Field::Source)).map(|source| &**source);
        let mut images: Images = sources
            .chain(package_parts(workbook))
            .filter(|source| image_id(source).is_some())
            .map(|source| (source.to_string(), Arc::from([])))
            .collect();
        for (name, bytes) in &mut images {
            let Some(id) = image_id(name) else { continue };
            match self.image(room, id).await {
                Ok(found) => *bytes = found,
                Err(error) if error.code == ErrorCode::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        images.retain(|_, bytes| !bytes.is_empty());
        Ok(images)
    }
}

/// Parses a name as [`image_name`] writes it; other spellings return `None`, so that an image has
/// one name.
pub fn image_id(text: &str) -> Option<ImageId> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.as_bytes().iter().all(is_digit) {
        return None;
    }
    let mut id = [0; 32];
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(ImageId(id))
}

/// Returns the SHA-256 of an image in 64 lower-case hexadecimal digits.
pub fn image_name(id: ImageId) -> String {
    hex(&id.0)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn an_image_has_one_name() {
        let id = ImageId(Sha256::digest(b"abc").into());
        // FIPS 180-4, the first example.
        assert_eq!(image_name(id), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(image_id(&image_name(id)), Some(id));
        assert_eq!(image_id(&image_name(id).to_uppercase()), None);
        assert_eq!(image_id(&image_name(id)[1..]), None);
        assert_eq!(image_id(&"é".repeat(32)), None);
    }
}
