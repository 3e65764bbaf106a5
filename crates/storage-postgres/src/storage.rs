//! [`PostgresStorage`]: the state of an open database, and the `Storage` trait on it.
//!
//! The heads of claimed rooms are also in memory, so that appends of a batch are checked against each
//! other without a round trip; the database decides.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::ownership::{ClaimedRoom, ClaimedRooms, Head};
use quadrille_journal::{
    Append, Availability, BlobReader, Claim, CopiedRoom, Image, ImageId, ImagePut, Loaded, ObjectReference,
    Outcome, OwnedRooms, Peers, ProcessLoad, RoomInfo, RoomKey, RoomUsage, Snapshot, Storage, StorageError,
    StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Incarnation, Revision, RoomName};

use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::error::Failure;
use crate::heartbeat::Heartbeat;
use crate::node::{self, Claimed, NodeId};
use crate::reader::Reader;
use crate::session::Session;
use crate::{chat, cleanup, images, objects, records, schema, snapshots};

/// Storage in a PostgreSQL database. Its calls block while the database commits, so it needs a thread of its
/// own. An append waits as long as the database is away; other calls fail with `Away` then.
pub struct PostgresStorage {
    /// `None` for a reader of one moment, which is none of the servers of the database.
    _heartbeat: Option<Heartbeat>,
    pub(crate) connection: Connection,
    pub(crate) address: Address,
    /// The beginning of the names of this server's connections.
    name: String,
    pub(crate) node: NodeId,
    /// Rooms that were claimed or found, as far as this server knows.
    pub(crate) rooms: BTreeMap<RoomKey, Head>,
    /// Rooms that this server has claimed.
    pub(crate) owned: ClaimedRooms,
    pub(crate) availability: Availability,
    /// Who is told that other servers have left.
    peers: Peers,
    /// The snapshot being written in pieces, and the number of bytes written.
    pub(crate) writing: Option<((RoomKey, Revision), usize)>,
}

impl PostgresStorage {
    /// Connects to a database, creates or migrates its tables, and joins the servers that use it until this
    /// value is dropped. `url` is where they reach this one; empty for a command that serves nobody.
    ///
    /// # Errors
    /// Fails with a message when the database cannot be reached, refuses the user, is read-only or was written
    /// by a newer version.
    pub fn open(address: &Address, url: &str) -> Result<PostgresStorage, StorageError> {
        PostgresStorage::join(address, url, None)
    }

    /// Like [`open`](Self::open), for the target of a copy from `source`: until
    /// [`finish_copy`](crate::finish_copy), other programs refuse the database.
    ///
    /// # Errors
    /// As for `open`, and when the database has data of its own, or of a copy from another source.
    pub fn open_copy(address: &Address, source: &str) -> Result<PostgresStorage, StorageError> {
        PostgresStorage::join(address, "", Some(source))
    }

    fn join(
        address: &Address,
        url: &str,
        copied_from: Option<&str>,
    ) -> Result<PostgresStorage, StorageError> {
        let failed = |failure: Failure| StorageError::Engine { reason: format!("{address}: {failure}") };
        let name = new_name();
        let mut connection =
            Connection::open(address, format!("{name} rooms"), RETRY_DELAY_MAX).map_err(failed)?;
        connection.run(|session| schema::migrate(session, copied_from)).map_err(failed)?;
        connection.run(|session| node::check_url(session, url)).map_err(failed)?;
        let node = connection.run(|session| node::join(session, &name, url)).map_err(failed)?;
        let availability = Availability::default();
        let peers = Peers::of(&[node.peer()]);
        let beat = format!("{name} beat");
        let heartbeat = Heartbeat::start(address, beat, node, availability.clone(), peers.clone());
        Ok(PostgresStorage {
            _heartbeat: Some(heartbeat.map_err(failed)?),
            connection,
            address: address.clone(),
            name,
            node,
            rooms: BTreeMap::new(),
            owned: ClaimedRooms::default(),
            availability,
            peers,
            writing: None,
        })
    }

    /// Reads rooms over a connection that sees one moment. Servers may go on.
    pub(crate) fn in_snapshot(address: &Address, connection: Connection) -> PostgresStorage {
        PostgresStorage {
            _heartbeat: None,
            connection,
            address: address.clone(),
            name: new_name(),
            node: NodeId(0),
            rooms: BTreeMap::new(),
            owned: ClaimedRooms::default(),
            availability: Availability::default(),
            peers: Peers::default(),
            writing: None,
        }
    }

    /// Whether the database loses acknowledged commits when its machine crashes, against J1, because its
    /// setting `fsync` is off.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn is_unsynced(&mut self) -> Result<bool, StorageError> {
        self.read(|session| {
            let row = session.query("SELECT current_setting('fsync') = 'off'", &[])?;
            Ok(row[0].get(0))
        })
    }

    /// Runs statements, and notes whether the database was reached.
    pub(crate) fn read<T>(
        &mut self,
        work: impl FnMut(&mut Session<'_>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        if self.availability.is_lost() {
            return Err(Failure::Replaced.into());
        }
        let result = self.connection.run(work);
        self.availability.set_away(matches!(result, Err(StorageError::Away { .. })));
        result
    }

    /// Returns the stored head of a room; revision 0 for one without records.
    ///
    /// # Errors
    /// `UnknownRoom` when the room does not exist.
    pub(crate) fn head(&mut self, room: RoomKey) -> Result<Head, StorageError> {
        if self.owned.get(room).is_some_and(|room| !room.is_written) {
            return Ok(Head { revision: Revision(0), base: Revision(0) });
        }
        let head = self.read(|session| records::head(session, room))?;
        match head {
            Some(head) => {
                self.rooms.insert(room, head);
                Ok(head)
            }
            None => {
                self.rooms.remove(&room);
                Err(StorageError::UnknownRoom { room })
            }
        }
    }

    /// Returns a number for a new room.
    fn new_key(&mut self) -> Result<RoomKey, StorageError> {
        self.read(|session| {
            loop {
                let row = session.query(
                    "SELECT id, EXISTS (SELECT FROM room WHERE room.id = next.id)
                     FROM (SELECT nextval('room_id') AS id) AS next",
                    &[],
                )?;
                // Rooms that were restored from a backup have numbers that are not of the sequence.
                let is_taken: bool = row[0].get(1);
                if !is_taken {
                    return Ok(RoomKey(row[0].get::<_, i64>(0) as u64));
                }
            }
        })
    }

    /// Claims a room that this server does not have. A copy from another storage has chosen the number.
    fn claim_from_others(
        &mut self,
        room: &RoomName,
        copied: Option<&CopiedRoom<'_>>,
    ) -> Result<Claim, StorageError> {
        let node = self.node;
        match self.read(|session| node::claim(session, node, room))? {
            Claimed::Elsewhere { url } => Err(StorageError::Elsewhere { url }),
            Claimed::Own { epoch, found } => {
                let is_written = found.is_some();
                let (key, head) = match found {
                    Some(found) => found,
                    None => {
                        let key = copied.map_or_else(|| self.new_key(), |copied| Ok(copied.key))?;
                        (key, Head { revision: Revision(0), base: Revision(0) })
                    }
                };
                let created_ms = copied.map(|copied| copied.created_ms);
                self.owned.insert(key, ClaimedRoom { name: room.clone(), epoch, created_ms, is_written });
                self.rooms.insert(key, head);
                Ok(claim_of(key, head))
            }
        }
    }
}

impl Drop for PostgresStorage {
    fn drop(&mut self) {
        // Otherwise the others notice that this server has no connection any more.
        if self._heartbeat.is_some() && self.connection.is_open() && !self.availability.is_lost() {
            let node = self.node;
            if let Err(failure) = self.connection.run(|session| node::leave(session, node)) {
                tracing::info!(%failure, "the rooms of this server were not released");
            }
        }
    }
}

/// Reads a row with name, revision and times.
fn info_of(row: &tokio_postgres::Row) -> Result<RoomInfo, StorageError> {
    let name: &str = row.get(0);
    let name = RoomName::new(name).map_err(|error| StorageError::JournalDamaged {
        reason: format!("a room's name: {}: {error}", name.escape_default()),
    })?;
    let (created_ms, changed_ms) = (row.get(2), row.get(3));
    Ok(RoomInfo { name, head: Revision(row.get::<_, i64>(1) as u64), created_ms, changed_ms })
}

fn claim_of(key: RoomKey, head: Head) -> Claim {
    Claim { key, incarnation: Incarnation(key.0), head: head.revision, base: head.base }
}

impl Storage for PostgresStorage {
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        Ok(Some(Box::new(Reader::open(
            &self.address,
            format!("{} reader {}", self.name, new_name()),
            self.node,
        )?)))
    }

    fn owned_rooms(&self) -> Option<OwnedRooms> {
        Some(self.owned.names())
    }

    fn peers(&self) -> Option<Peers> {
        Some(self.peers.clone())
    }

    /// A reader of one moment has no heartbeat.
    fn availability(&self) -> Option<Availability> {
        self._heartbeat.as_ref().map(|_| self.availability.clone())
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        let Some((key, owned)) = self.owned.named(room) else { return self.claim_from_others(room, None) };
        if !owned.is_written {
            return Ok(claim_of(key, Head { revision: Revision(0), base: Revision(0) }));
        }
        match self.find(room)? {
            Some(claim) if claim.key == key => Ok(claim),
            _ => {
                self.owned.remove(key);
                self.claim_from_others(room, None)
            }
        }
    }

    fn release(&mut self, room: RoomKey) -> Result<(), StorageError> {
        self.rooms.remove(&room);
        let Some(owned) = self.owned.remove(room) else { return Ok(()) };
        self.read(|session| Ok(node::release(session, &owned.name, owned.epoch)?))
    }

    fn hand_over(&mut self, room: RoomKey, url: &str) -> Result<(), StorageError> {
        self.rooms.remove(&room);
        let Some(owned) = self.owned.remove(room) else { return Ok(()) };
        let node = self.node;
        self.read(|session| Ok(node::hand_over(session, node, &owned.name, owned.epoch, url)?))
    }

    fn loads(&mut self) -> Result<Vec<ProcessLoad>, StorageError> {
        let node = self.node;
        self.read(|session| Ok(node::loads(session, node)?))
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let found = self.read(|session| {
            let row = session.query_opt(
                "SELECT id, revision, base FROM room JOIN room_head ON room_head.room = room.id WHERE name = $1",
                &[&room.as_str()],
            )?;
            Ok(row.map(|row| {
                let number = |column: usize| row.get::<_, i64>(column) as u64;
                (RoomKey(number(0)), Head { revision: Revision(number(1)), base: Revision(number(2)) })
            }))
        })?;
        let Some((key, head)) = found else { return Ok(None) };
        self.rooms.insert(key, head);
        self.owned.mark_written(key);
        Ok(Some(claim_of(key, head)))
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.commit(batch)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let head = self.head(room)?;
        let snapshot = self.read(|session| snapshots::newest(session, room, head.revision))?;
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        if after < head.base {
            let reason = format!(
                "the history begins at revision {}, and no snapshot at or after it can be read",
                head.base
            );
            return Err(StorageError::Damaged { room, revision: head.base, reason });
        }
        let records = self.read(|session| records::after(session, room, after, head.revision, usize::MAX))?;
        Ok(Loaded { snapshot, records })
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let head = self.head(room)?;
        if after < head.base {
            return Err(StorageError::Forgotten { base: head.base });
        }
        self.read(|session| records::after(session, room, after, head.revision, bytes_max))
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let head = self.head(room)?.revision;
        self.read(|session| snapshots::newest(session, room, head.min(revision)))
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.write_piece(room, snapshot, from, bytes_max)
    }

    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        let mut written = self.write_piece(room, snapshot, 0, usize::MAX)?;
        while written < snapshot.bytes.len() {
            written = self.write_piece(room, snapshot, written, usize::MAX)?;
        }
        Ok(())
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        Ok(self.head(room)?.base)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.head(room)?;
        self.read(|session| snapshots::list(session, room))
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        let head = self.head(room)?;
        if revision <= head.base || revision > head.revision {
            return Ok(None);
        }
        self.read(|session| records::time_of(session, room, revision))
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        let head = self.head(room)?;
        if base > head.base && self.read(|session| snapshots::read(session, room, base))?.is_some() {
            self.read(|session| cleanup::forget_before(session, room, base))?;
        }
        Ok(())
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.read(|session| chat::read(session, room))
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        let epochs: BTreeMap<RoomKey, _> = chat_messages
            .iter()
            .filter_map(|message| Some((message.room, self.owned.get(message.room)?.epoch)))
            .collect();
        self.read(|session| chat::write(session, chat_messages, |room| epochs.get(&room).copied()))
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        if self.find(room)?.is_none() {
            return match self.owned.named(room) {
                Some((key, _)) => self.release(key).map(|()| false),
                None => Ok(false),
            };
        }
        let key = self.claim(room)?.key;
        let epoch = self.owned.get(key).ok_or_else(node::not_claimed)?.epoch;
        let deleted = self.read(|session| cleanup::delete(session, room, epoch))?;
        self.rooms.remove(&key);
        self.owned.remove(key);
        match deleted {
            None if self.find(room)?.is_some() => Err(node::not_claimed()),
            deleted => Ok(deleted.is_some()),
        }
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.head(room)?;
        self.read(|session| images::write(session, room, image, bytes_max))
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.read(|session| images::read(session, room, id))
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.read(|session| images::list(session, room))
    }

    fn claim_copy(&mut self, copied: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        let claim = match self.owned.named(copied.name) {
            Some(_) => self.claim(copied.name)?,
            None => self.claim_from_others(copied.name, Some(copied))?,
        };
        if claim.key != copied.key {
            let reason = format!("the room {} has the number {}", copied.name, claim.key.0);
            return Err(StorageError::Engine { reason });
        }
        let Some(snapshot) = copied.base.filter(|_| claim.head == Revision(0)) else { return Ok(claim) };
        self.begin_history(copied, snapshot)?;
        self.owned.mark_written(copied.key);
        let head = Head { revision: snapshot.revision, base: snapshot.revision };
        self.rooms.insert(copied.key, head);
        Ok(claim_of(copied.key, head))
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        self.read(|session| objects::property(session, name))
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        self.read(|session| objects::put_property(session, name, value))
    }

    fn set_property(&mut self, name: &str, value: Option<&str>) -> Result<(), StorageError> {
        self.read(|session| objects::set_property(session, name, value))
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        self.read(|session| objects::properties(session, prefix, count))
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        self.read(objects::references)
    }

    fn is_being_removed(&mut self, room: RoomKey) -> Result<bool, StorageError> {
        self.read(|session| {
            let query = "SELECT EXISTS (SELECT FROM cleanup WHERE room = $1 AND is_deleted)";
            Ok(session.query(query, &[&(room.0 as i64)])?[0].get(0))
        })
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        self.read(|session| {
            let row =
                session.query("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM room_id", &[])?;
            Ok(RoomKey(row[0].get::<_, i64>(0) as u64))
        })
    }

    fn reserve_keys(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        self.read(|session| {
            session.query(
                "SELECT setval('room_id', $1) FROM room_id WHERE last_value < $1",
                &[&(up_to.0 as i64)],
            )?;
            Ok(())
        })
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.rooms_after(None, usize::MAX)
    }

    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let (after, count) = (after.map_or("", RoomName::as_str), i64::try_from(count).unwrap_or(i64::MAX));
        self.read(|session| {
            let rows = session.query(
                "SELECT name, revision, created_ms, changed_ms
                 FROM room JOIN room_head ON room_head.room = room.id
                 WHERE name > $1 ORDER BY name LIMIT $2",
                &[&after, &count],
            )?;
            rows.iter().map(info_of).collect()
        })
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        self.read(|session| {
            let row = session.query_opt(
                "SELECT name, revision, created_ms, changed_ms
                 FROM room JOIN room_head ON room_head.room = room.id WHERE name = $1",
                &[&room.as_str()],
            )?;
            row.as_ref().map(info_of).transpose()
        })
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        self.read(|session| {
            let row = session.query_opt(
                r"SELECT h.revision, h.changed_ms, (
                     coalesce((SELECT sum(bytes) FROM record WHERE record.room = h.room AND last > h.base), 0)
                   + coalesce((SELECT sum(CASE WHEN bytes = 73
                         AND substring(data FROM 1 FOR 17) = '\x5175616472696c6c65206f626a65637401'::bytea
                     THEN ('x' || encode(substring(data FROM 18 FOR 8), 'hex'))::bit(64)::bigint
                     ELSE bytes END) FROM snapshot WHERE snapshot.room = h.room), 0)
                   + coalesce((SELECT sum(length(data)) FROM chat WHERE chat.room = h.room), 0)
                   + coalesce((SELECT sum(CASE WHEN length(data) = 73
                         AND substring(data FROM 1 FOR 17) = '\x5175616472696c6c65206f626a65637401'::bytea
                     THEN ('x' || encode(substring(data FROM 18 FOR 8), 'hex'))::bit(64)::bigint
                     ELSE length(data) END) FROM image WHERE image.room = h.room), 0)
                 )::bigint
                 FROM room JOIN room_head h ON h.room = room.id WHERE name = $1",
                &[&room.as_str()],
            )?;
            Ok(row.map(|row| RoomUsage {
                head: Revision(row.get::<_, i64>(0) as u64),
                changed_ms: row.get(1),
                bytes: row.get::<_, i64>(2) as u64,
            }))
        })
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        match self.read(cleanup::step) {
            // Maintenance is done when the database is back.
            Err(StorageError::Away { .. }) => Ok(false),
            result => result,
        }
    }
}
