//! Images, stored once per room for as long as the room exists (J9).

use quadrille_journal::{Image, ImageId, ImagePut, ObjectReference, RoomKey, StorageError};
use rusqlite::params;

use crate::error::engine;
use crate::objects::bytes_elsewhere;
use crate::reader::read_image;
use crate::row_checksums::image_checksum;
use crate::storage::SqliteStorage;

impl SqliteStorage {
    /// Stores an image, unless the images of the room would exceed `bytes_max`.
    pub(crate) fn write_image(
        &self,
        room: RoomKey,
        image: &Image,
        bytes_max: u64,
    ) -> Result<ImagePut, StorageError> {
        let key = room.0 as i64;
        if read_image(&self.files.rooms, room, image.id)?.is_some() {
            return Ok(ImagePut::Known);
        }
        let stored_bytes: i64 = self
            .files
            .rooms
            .query_row(
                "SELECT coalesce(sum(length(data)), 0) FROM image WHERE room = ?1 AND hash <> ?2",
                params![key, &image.id.0[..]],
                |row| row.get(0),
            )
            .map_err(engine)?;
        let elsewhere = bytes_elsewhere(&self.files.rooms, "image", room, Some(&image.id.0))?;
        let all = (stored_bytes as u64).saturating_add(elsewhere);
        if all.saturating_add(ObjectReference::length_of(&image.bytes)) > bytes_max {
            return Ok(ImagePut::TooMuch);
        }
        let checksum = image_checksum(room, &image.id.0, &image.bytes);
        // Replaces a damaged one.
        let put = "INSERT OR REPLACE INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
        let row = params![key, &image.id.0[..], checksum, &image.bytes[..]];
        self.files.rooms.execute(put, row).map_err(engine)?;
        Ok(ImagePut::Stored)
    }

    /// Returns the identities of the images of a room.
    pub(crate) fn list_images(&self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        let query = "SELECT hash FROM image WHERE room = ?1 ORDER BY hash";
        let mut query = self.files.rooms.prepare_cached(query).map_err(engine)?;
        let ids = query.query_map([room.0 as i64], |row| row.get(0).map(ImageId)).map_err(engine)?;
        ids.collect::<Result<_, _>>().map_err(engine)
    }

    /// Returns the number of intact images of a room, and the row ids of damaged ones.
    pub(crate) fn inspect_images(&self, room: RoomKey) -> Result<(usize, Vec<i64>), StorageError> {
        let query = "SELECT id, hash, checksum, data FROM image WHERE room = ?1 ORDER BY id";
        let mut query = self.files.rooms.prepare(query).map_err(engine)?;
        let mut rows = query.query([room.0 as i64]).map_err(engine)?;
        let (mut intact, mut damaged) = (0, Vec::new());
        while let Some(row) = rows.next().map_err(engine)? {
            let id = row.get(0).map_err(engine)?;
            let (hash, data) = (row.get_ref(1).map_err(engine)?, row.get_ref(3).map_err(engine)?);
            let is_intact = match (hash.as_blob(), row.get::<_, i64>(2), data.as_blob()) {
                (Ok(hash), Ok(expected), Ok(data)) => expected == i64::from(image_checksum(room, hash, data)),
                _ => false,
            };
            match is_intact {
                true => intact += 1,
                false => damaged.push(id),
            }
        }
        Ok((intact, damaged))
    }

    pub(crate) fn drop_image(&self, row: i64) -> Result<(), StorageError> {
        self.files.rooms.execute("DELETE FROM image WHERE id = ?1", [row]).map_err(engine).map(drop)
    }

    /// Copies the images of a room that was cut to its new id. The checksums include the id.
    pub(crate) fn move_images(&self, from: RoomKey, to: RoomKey) -> Result<(), StorageError> {
        let query = "SELECT hash, data FROM image WHERE room = ?1 ORDER BY id";
        let mut query = self.files.rooms.prepare(query).map_err(engine)?;
        let mut rows = query.query([from.0 as i64]).map_err(engine)?;
        let put = "INSERT INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
        // Unreadable images are not copied.
        while let Ok(Some(row)) = rows.next() {
            let (Ok(hash), Ok(data)) = (row.get::<_, Vec<u8>>(0), row.get::<_, Vec<u8>>(1)) else { continue };
            let checksum = image_checksum(to, &hash, &data);
            let row = params![to.0 as i64, hash, checksum, data];
            self.files.rooms.execute(put, row).map_err(engine)?;
        }
        Ok(())
    }
}
