//! Images, stored once per room for as long as the room exists (J9).

use std::sync::Arc;

use quadrille_journal::{Image, ImageId, ImagePut, ObjectReference, RoomKey, StorageError};

use crate::session::Session;

/// Stores an image, unless the images of the room would exceed `bytes_max`. Replaces a damaged one.
///
/// # Errors
/// Those of the database.
pub fn write(
    session: &mut Session<'_>,
    room: RoomKey,
    image: &Image,
    bytes_max: u64,
) -> Result<ImagePut, StorageError> {
    if read(session, room, image.id)?.is_some() {
        return Ok(ImagePut::Known);
    }
    let (key, hash, bytes) = (room.0 as i64, &image.id.0[..], &image.bytes[..]);
    let length = ObjectReference::length_of(bytes) as i64;
    let stored = session.execute(
        r"INSERT INTO image (room, hash, checksum, data)
         SELECT room, $2::bytea, $3::bigint, $4::bytea FROM room_head
         WHERE room = $1 AND $5::bigint >= $6::bigint + (
             SELECT coalesce(sum(CASE WHEN length(data) = 73
                     AND substring(data FROM 1 FOR 17) = '\x5175616472696c6c65206f626a65637401'::bytea
                 THEN ('x' || encode(substring(data FROM 18 FOR 8), 'hex'))::bit(64)::bigint
                 ELSE length(data) END), 0) FROM image WHERE image.room = $1 AND hash <> $2
         )
         ON CONFLICT (room, hash) DO UPDATE SET checksum = excluded.checksum, data = excluded.data",
        &[
            &key,
            &hash,
            &checksum(room, hash, bytes),
            &bytes,
            &i64::try_from(bytes_max).unwrap_or(i64::MAX),
            &length,
        ],
    )?;
    Ok(if stored > 0 { ImagePut::Stored } else { ImagePut::TooMuch })
}

/// Returns an image; `None` when the room has none of that name or it is damaged.
///
/// # Errors
/// Those of the database.
pub fn read(
    session: &mut Session<'_>,
    room: RoomKey,
    id: ImageId,
) -> Result<Option<Arc<[u8]>>, StorageError> {
    let row = session.query_opt(
        "SELECT image.checksum, image.data FROM image JOIN room_head USING (room)
         WHERE room = $1 AND hash = $2",
        &[&(room.0 as i64), &&id.0[..]],
    )?;
    Ok(row.and_then(|row| {
        let bytes: &[u8] = row.get(1);
        (checksum(room, &id.0, bytes) == row.get::<_, i64>(0)).then(|| Arc::from(bytes))
    }))
}

/// Returns the identities of the images of a room.
///
/// # Errors
/// Those of the database.
pub fn list(session: &mut Session<'_>, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
    let rows = session.query("SELECT hash FROM image WHERE room = $1 ORDER BY hash", &[&(room.0 as i64)])?;
    let id = |row: &tokio_postgres::Row| {
        let hash: &[u8] = row.get(0);
        let damaged = |_| StorageError::JournalDamaged { reason: "the identity of an image".into() };
        hash.try_into().map(ImageId).map_err(damaged)
    };
    rows.iter().map(id).collect()
}

fn checksum(room: RoomKey, hash: &[u8], bytes: &[u8]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&room.0.to_le_bytes());
    hasher.update(hash);
    hasher.update(bytes);
    i64::from(hasher.finalize())
}
