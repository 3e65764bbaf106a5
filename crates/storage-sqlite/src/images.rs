//! Images: kept once for each room that shows them, as long as the room (J9).

use quadrille_journal::{Image, ImagePut, RoomKey, StorageError};
use rusqlite::params;

use crate::error::engine;
use crate::reader::read_image;
use crate::row_checksums::image_checksum;
use crate::storage::SqliteStorage;

impl SqliteStorage {
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
        let kept: i64 = self
            .files
            .rooms
            .query_row(
                "SELECT coalesce(sum(length(data)), 0) FROM image WHERE room = ?1 AND hash <> ?2",
                params![key, &image.id.0[..]],
                |row| row.get(0),
            )
            .map_err(engine)?;
        if kept as u64 + image.bytes.len() as u64 > bytes_max {
            return Ok(ImagePut::TooMuch);
        }
        let checksum = image_checksum(room, &image.id.0, &image.bytes);
        // In the place of one that is damaged.
        let put = "INSERT OR REPLACE INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
        let row = params![key, &image.id.0[..], checksum, &image.bytes[..]];
        self.files.rooms.execute(put, row).map_err(engine)?;
        Ok(ImagePut::Stored)
    }

    /// How many images of a room are sound, and the rows of those that are not.
    pub(crate) fn inspect_images(&self, room: RoomKey) -> Result<(usize, Vec<i64>), StorageError> {
        let query = "SELECT id, hash, checksum, data FROM image WHERE room = ?1 ORDER BY id";
        let mut query = self.files.rooms.prepare(query).map_err(engine)?;
        let mut rows = query.query([room.0 as i64]).map_err(engine)?;
        let (mut sound, mut damaged) = (0, Vec::new());
        while let Some(row) = rows.next().map_err(engine)? {
            let id = row.get(0).map_err(engine)?;
            let (hash, data) = (row.get_ref(1).map_err(engine)?, row.get_ref(3).map_err(engine)?);
            let is_sound = match (hash.as_blob(), row.get::<_, i64>(2), data.as_blob()) {
                (Ok(hash), Ok(expected), Ok(data)) => expected == i64::from(image_checksum(room, hash, data)),
                _ => false,
            };
            match is_sound {
                true => sound += 1,
                false => damaged.push(id),
            }
        }
        Ok((sound, damaged))
    }

    pub(crate) fn drop_image(&self, row: i64) -> Result<(), StorageError> {
        self.files.rooms.execute("DELETE FROM image WHERE id = ?1", [row]).map_err(engine).map(drop)
    }

    /// A room that was cut goes on under another number, which the checksums are over.
    pub(crate) fn move_images(&self, from: RoomKey, to: RoomKey) -> Result<(), StorageError> {
        let query = "SELECT hash, data FROM image WHERE room = ?1 ORDER BY id";
        let mut query = self.files.rooms.prepare(query).map_err(engine)?;
        let mut rows = query.query([from.0 as i64]).map_err(engine)?;
        let put = "INSERT INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
        // What cannot be read stays behind.
        while let Ok(Some(row)) = rows.next() {
            let (Ok(hash), Ok(data)) = (row.get::<_, Vec<u8>>(0), row.get::<_, Vec<u8>>(1)) else { continue };
            let checksum = image_checksum(to, &hash, &data);
            let row = params![to.0 as i64, hash, checksum, data];
            self.files.rooms.execute(put, row).map_err(engine)?;
        }
        Ok(())
    }
}
