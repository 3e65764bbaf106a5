//! Images of rooms: kept by the storage beside the journal, never part of it.

use std::sync::Arc;

use quadrille_files::Images;
use quadrille_journal::{Image, ImageId, ImagePut};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Field, ItemKind, Workbook};
use tokio::sync::oneshot;

use super::journal::Request;
use super::{Change, MissingRoom, Rooms, storage_error, thread_ended};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

impl Rooms {
    /// Keeps a image, durably, of a room that is made when it does not exist; whether it is a new one.
    pub async fn put_image(&self, room: &RoomName, image: Image) -> Result<bool, ApiError> {
        if !self.inner.role.can_edit() {
            return Err(ApiError::new(ErrorCode::Forbidden, "nobody may change workbooks over this address"));
        }
        if self.inner.journal.is_overloaded() {
            return Err(ApiError::new(ErrorCode::Overloaded, "too much waits to be stored; try again later"));
        }
        if !self.exists(room).await? {
            self.change(room, Change::new(MissingRoom::MakeIt, |_, _| Ok(Default::default()))).await?;
        }
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |put| drop(reply.send(put)));
        self.inner.journal.ask(Request::PutImage { room: room.clone(), image, reply });
        let put = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        match put {
            Some(ImagePut::Stored) => Ok(true),
            Some(ImagePut::Known) => Ok(false),
            Some(ImagePut::TooMuch) => {
                let message = format!(
                    "the images of this workbook would take more than {} bytes",
                    limits::IMAGES_BYTES_PER_ROOM_MAX
                );
                Err(ApiError::new(ErrorCode::TooManyImages, message))
            }
            None => Err(super::no_such_room(room)),
        }
    }

    /// The bytes of a image.
    pub async fn image(&self, room: &RoomName, image: ImageId) -> Result<Arc<[u8]>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.inner.journal.ask(Request::Image { room: room.clone(), image, reply });
        let found = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        found.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "the room has no such image"))
    }

    /// Keeps the images of a file; what cannot be kept is said in words.
    pub async fn put_images(&self, room: &RoomName, images: &Images) -> Result<Vec<String>, ApiError> {
        for (name, bytes) in images {
            let Some(id) = image_id(name) else { continue };
            match self.put_image(room, Image { id, bytes: bytes.clone() }).await {
                Ok(_) => {}
                Err(error) if error.code == ErrorCode::TooManyImages => {
                    return Ok(vec![format!("left out: images, {}", error.message)]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Vec::new())
    }

    /// The images that a workbook shows, as far as the room has them.
    pub async fn images_of(&self, room: &RoomName, workbook: &Workbook) -> Result<Images, ApiError> {
        let items = workbook.sheets().iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Image));
        let sources = items.filter_map(|(_, item)| item.text(Field::Source));
        let mut images: Images = sources
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

/// The digits as [`image_name`] writes them, and no others: one image has one name.
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

pub fn image_name(id: ImageId) -> String {
    id.0.iter().map(|byte| format!("{byte:02x}")).collect()
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
