//! Group commit: the records of all rooms in one statement.
//!
//! When the connection ends during a commit, the batch is sent again on a new connection
//! (`journal::ownership::Commit`).

use quadrille_journal::ownership::Commit;
use quadrille_journal::{Append, Outcome, RoomKey, StorageError, entry};
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
        let mut commit = Commit::new(batch, &self.rooms, &self.owned);
        if commit.rooms().is_empty() {
            return Ok(vec![Outcome::Fenced; batch.len()]);
        }
        let (columns, new_rooms) = (columns(batch, &commit), new_rooms(&commit));
        let node = self.node;
        let stored = loop {
            let result = self.connection.run(|session| {
                // An attempt that fails may have been committed.
                let is_repeated = commit.begin_attempt();
                let mut stored = send(session, &columns, &new_rooms)?;
                if is_repeated {
                    find_stored(session, &commit, &columns, &mut stored)?;
                }
                if commit.has_fenced(&stored) {
                    node::check(session, node)?;
                }
                Ok::<_, Failure>(stored)
            });
            match result {
                Ok(stored) => break stored,
                Err(Failure::Away(reason)) => {
                    if !self.availability.set_away(true) {
                        tracing::warn!(address = %self.address, reason, "the database is away; changes wait until it is back");
                    }
                    self.connection.wait();
                }
                Err(Failure::Busy(reason)) => tracing::info!(reason, "repeating a commit"),
                Err(failure) => return Err(failure.into()),
            }
        };
        if self.availability.set_away(false) {
            tracing::info!(address = %self.address, "the database is back");
        }
        Ok(commit.finish(batch, &stored, &mut self.rooms, &mut self.owned))
    }
}

fn new_rooms(commit: &Commit) -> NewRooms {
    let mut columns = NewRooms::default();
    for room in commit.rooms() {
        if let Some(new) = &room.new {
            columns.rooms.push(room.room.0 as i64);
            columns.names.push(new.name.as_str().to_owned());
            columns.times_ms.push(new.created_ms);
            columns.epochs.push(room.epoch.0);
        }
    }
    columns
}

fn columns(batch: &[Append], commit: &Commit) -> Columns {
    let mut columns = Columns::default();
    for room in commit.rooms() {
        let (mut data, mut bytes) = (Vec::new(), 0);
        for append in room.appends.iter().map(|index| &batch[*index]) {
            let mut revision = append.base;
            for record in &append.records {
                revision = revision.next();
                entry::write(&mut data, room.room, revision, append.time_ms, record);
                bytes += record.len();
            }
        }
        columns.rooms.push(room.room.0 as i64);
        columns.bases.push(room.base.0 as i64);
        columns.lasts.push(room.last.0 as i64);
        columns.times_ms.push(room.time_ms);
        columns.bytes.push(i32::try_from(bytes).expect("a commit is bounded far below 2 GiB"));
        columns.data.push(data);
        columns.epochs.push(room.epoch.0);
    }
    columns
}

/// Sends the batch. Returns the rooms whose records were stored.
fn send(session: &mut Session<'_>, columns: &Columns, new: &NewRooms) -> Result<Vec<RoomKey>, Failure> {
    let Columns { rooms, bases, lasts, times_ms, bytes, data, epochs } = columns;
    let append: [&(dyn ToSql + Sync); 7] = [rooms, bases, lasts, times_ms, bytes, data, epochs];
    let rows = match new.rooms.is_empty() {
        true => session.query(APPEND, &append)?,
        false => session
            .pipelined((CREATE, &[&new.rooms, &new.names, &new.times_ms, &new.epochs]), (APPEND, &append))?,
    };
    Ok(rows.iter().map(|row| RoomKey(row.get::<_, i64>(0) as u64)).collect())
}

/// Adds the rooms whose records an earlier attempt has stored.
fn find_stored(
    session: &mut Session<'_>,
    commit: &Commit,
    columns: &Columns,
    stored: &mut Vec<RoomKey>,
) -> Result<(), Failure> {
    let unknown: Vec<RoomKey> = commit.unknown(stored).map(|room| room.room).collect();
    for (index, room) in commit.rooms().iter().enumerate() {
        let Columns { rooms, lasts, data, .. } = columns;
        if unknown.contains(&room.room)
            && session.query_opt(STORED, &[&rooms[index], &lasts[index], &data[index]])?.is_some()
        {
            stored.push(room.room);
        }
    }
    Ok(())
}
