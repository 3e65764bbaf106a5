//! Group commit: the records of all rooms in one statement.
//!
//! When the connection ends during a commit, whether the batch is stored is unknown. It is then sent again
//! on a new connection. Heads that the first attempt has moved do not match any more, so nothing is stored
//! twice; for those rooms the stored records are compared with the sent ones. Records contain the identity
//! of their author and its counter, so equal bytes at the same revision are the same records.

use std::collections::BTreeMap;

use quadrille_journal::{Append, Outcome, RoomKey, StorageError, entry};
use quadrille_protocol::Revision;
use tokio_postgres::types::ToSql;

use crate::error::Failure;
use crate::node;
use crate::session::Session;
use crate::storage::PostgresStorage;

/// Moves the heads that are where the batch expects them and have the epoch of its claims (O2), and stores the
/// records of those rooms.
const APPEND: &str = "
    WITH given AS (
        SELECT * FROM unnest(
            $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::bytea[], $7::bigint[]
        ) AS given (room, base, last, time_ms, bytes, data, epoch)
    ), moved AS (
        UPDATE room_head SET revision = given.last, changed_ms = given.time_ms FROM given
        WHERE room_head.room = given.room AND room_head.revision = given.base
          AND room_head.epoch = given.epoch
        RETURNING room_head.room
    )
    INSERT INTO record (room, last, bytes, data)
    SELECT given.room, given.last, given.bytes, given.data FROM given JOIN moved ON moved.room = given.room
    RETURNING room";

/// Creates the rows of new rooms, unless another server has claimed or created a room of that name.
const CREATE: &str = "
    WITH held AS (
        SELECT given.* FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
            AS given (id, name, created_ms, epoch)
        JOIN room_owner ON room_owner.room = given.name AND room_owner.epoch = given.epoch
        FOR SHARE OF room_owner
    ), created AS (
        INSERT INTO room (id, name, created_ms) SELECT id, name, created_ms FROM held
        ON CONFLICT DO NOTHING RETURNING id
    )
    INSERT INTO room_head (room, revision, base, changed_ms, epoch)
    SELECT id, 0, 0, 0, epoch FROM created JOIN held USING (id)";

/// Whether the records after a head are already stored, and are the last ones.
const STORED: &str = "
    SELECT 1 FROM room_head JOIN record ON record.room = room_head.room AND record.last = room_head.revision
    WHERE room_head.room = $1 AND room_head.revision = $2 AND record.data = $3";

/// The records of one room in a batch, as columns of [`APPEND`].
#[derive(Default)]
struct Columns {
    rooms: Vec<i64>,
    bases: Vec<i64>,
    lasts: Vec<i64>,
    times_ms: Vec<i64>,
    bytes: Vec<i32>,
    data: Vec<Vec<u8>>,
    epochs: Vec<i64>,
}

/// The rooms of a batch that do not exist yet, as columns of [`CREATE`].
#[derive(Default)]
struct NewRooms {
    rooms: Vec<i64>,
    names: Vec<String>,
    times_ms: Vec<i64>,
    epochs: Vec<i64>,
}

impl PostgresStorage {
    /// Stores a batch, and waits while the database is away.
    pub(crate) fn commit(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        if self.availability.is_lost() {
            return Err(Failure::Replaced.into());
        }
        let accepted = self.accept(batch);
        let columns = self.columns(batch, &accepted);
        if columns.rooms.is_empty() {
            return Ok(vec![Outcome::Fenced; batch.len()]);
        }
        let (new_rooms, node) = (self.new_rooms(&columns), self.node);
        let mut is_retried = false;
        let stored = loop {
            let result = self.connection.run(|session| {
                // An attempt that fails may have been committed.
                let is_repeated = std::mem::replace(&mut is_retried, true);
                let mut stored = send(session, &columns, &new_rooms)?;
                if is_repeated {
                    find_stored(session, &columns, &mut stored)?;
                }
                if stored.len() < columns.rooms.len() {
                    node::check(session, node)?;
                }
                Ok::<_, Failure>(stored)
            });
            match result {
                Ok(stored) => break stored,
                Err(Failure::Away(reason)) => {
                    if !self.availability.is_away() {
                        tracing::warn!(reason, "the database is away; changes wait until it is back");
                    }
                    self.availability.set_away(true);
                    self.connection.wait();
                }
                Err(Failure::Busy(reason)) => tracing::info!(reason, "repeating a commit"),
                Err(failure) => return Err(failure.into()),
            }
        };
        if self.availability.is_away() {
            tracing::info!("the database is back");
        }
        self.availability.set_away(false);
        for (index, room) in columns.rooms.iter().enumerate() {
            let key = RoomKey(*room as u64);
            match (stored.contains(room), self.rooms.get_mut(&key)) {
                (true, Some(head)) => {
                    head.revision = Revision(columns.lasts[index] as u64);
                    self.owned.mark_written(key);
                }
                // The head in memory is not that of the database, or the room is not this server's any more.
                _ => {
                    self.rooms.remove(&key);
                    self.owned.remove(key);
                }
            }
        }
        let outcome = |(append, accepted): (&Append, &bool)| match *accepted
            && stored.contains(&(append.room.0 as i64))
        {
            true => Outcome::Durable { head: append.head() },
            false => Outcome::Fenced,
        };
        Ok(batch.iter().zip(&accepted).map(outcome).collect())
    }

    /// Returns which appends are for rooms of this server, and continue at their room's head in memory, after
    /// the earlier ones of the batch (J3).
    fn accept(&self, batch: &[Append]) -> Vec<bool> {
        let mut heads: BTreeMap<RoomKey, Revision> = BTreeMap::new();
        let mut accepted = Vec::with_capacity(batch.len());
        for append in batch {
            debug_assert!(!append.records.is_empty());
            let is_own = self.owned.get(append.room).is_some();
            let known = || self.rooms.get(&append.room).filter(|_| is_own).map(|head| head.revision);
            let is_accepted = heads.get(&append.room).copied().or_else(known) == Some(append.base);
            if is_accepted {
                heads.insert(append.room, append.head());
            }
            accepted.push(is_accepted);
        }
        accepted
    }

    fn new_rooms(&self, columns: &Columns) -> NewRooms {
        let mut new = NewRooms::default();
        for (room, time_ms) in columns.rooms.iter().zip(&columns.times_ms) {
            if let Some(owned) = self.owned.get(RoomKey(*room as u64)).filter(|owned| !owned.is_written) {
                new.rooms.push(*room);
                new.names.push(owned.name.as_str().to_owned());
                new.times_ms.push(owned.created_ms.unwrap_or(*time_ms));
                new.epochs.push(owned.epoch.0);
            }
        }
        new
    }

    /// The accepted appends of a batch with the epochs of their rooms.
    fn columns(&self, batch: &[Append], accepted: &[bool]) -> Columns {
        let mut columns = columns(batch, accepted);
        let epoch = |room: &i64| self.owned.get(RoomKey(*room as u64)).expect("accepted above").epoch.0;
        columns.epochs = columns.rooms.iter().map(epoch).collect();
        columns
    }
}

/// The accepted appends of a batch, those of a room together, in the order of the rooms' numbers: two
/// servers that append to the same rooms lock them in the same order.
fn columns(batch: &[Append], accepted: &[bool]) -> Columns {
    let mut by_room: BTreeMap<RoomKey, Vec<&Append>> = BTreeMap::new();
    for (append, _) in batch.iter().zip(accepted).filter(|(_, accepted)| **accepted) {
        by_room.entry(append.room).or_default().push(append);
    }
    let mut columns = Columns::default();
    for (room, appends) in by_room {
        let (first, last) = (appends[0], appends[appends.len() - 1]);
        let (mut data, mut bytes) = (Vec::new(), 0);
        for append in appends {
            let mut revision = append.base;
            for record in &append.records {
                revision = revision.next();
                entry::write(&mut data, room, revision, append.time_ms, record);
                bytes += record.len();
            }
        }
        columns.rooms.push(room.0 as i64);
        columns.bases.push(first.base.0 as i64);
        columns.lasts.push(last.head().0 as i64);
        columns.times_ms.push(last.time_ms);
        columns.bytes.push(i32::try_from(bytes).expect("a commit is bounded far below 2 GiB"));
        columns.data.push(data);
    }
    columns
}

/// Sends the batch. Returns the rooms whose records were stored.
fn send(session: &mut Session<'_>, columns: &Columns, new: &NewRooms) -> Result<Vec<i64>, Failure> {
    let Columns { rooms, bases, lasts, times_ms, bytes, data, epochs } = columns;
    let append: [&(dyn ToSql + Sync); 7] = [rooms, bases, lasts, times_ms, bytes, data, epochs];
    let rows = match new.rooms.is_empty() {
        true => session.query(APPEND, &append)?,
        false => session
            .pipelined((CREATE, &[&new.rooms, &new.names, &new.times_ms, &new.epochs]), (APPEND, &append))?,
    };
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Adds the rooms whose records an earlier attempt has stored.
fn find_stored(session: &mut Session<'_>, columns: &Columns, stored: &mut Vec<i64>) -> Result<(), Failure> {
    for (index, room) in columns.rooms.iter().enumerate() {
        if !stored.contains(room)
            && session.query_opt(STORED, &[room, &columns.lasts[index], &columns.data[index]])?.is_some()
        {
            stored.push(*room);
        }
    }
    Ok(())
}
