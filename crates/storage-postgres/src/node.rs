//! Which server runs which room.
//!
//! - **O1** A server has a row in `node`, with the URL at which the others reach it, and raises the row's
//!   beat four times a second (`heartbeat.rs`).
//! - **O2** A room that a server has in memory has a row in `room_owner`: the server and an epoch, which no
//!   claim ever gets twice. A claim writes its epoch into the room's head, so it waits for a commit that has
//!   this row, and sees its records. An append moves the head only if that has the epoch of the append, in
//!   the same statement. So a server that was paused or cut off stores nothing in a room, and acknowledges
//!   nothing, after another has claimed it. Chat messages, snapshots and deletions prove the epoch as well.
//! - **O3** Each server polls the heartbeats of the others when it raises its own. A node whose heartbeat is
//!   the same for [`SILENT_POLLS_MAX`] polls, or for `DISCONNECTED_POLLS_MAX` when it has no connection, is
//!   removed, and its rooms are free (`journal::ownership`, which decides this). No clocks are compared: a poll counts only when the database has
//!   answered, so time during which the database or the polling server is paused does not count.
//! - **O4** A server that finds its row removed ends: it reads and writes nothing more.
//! - **O5** A room that is no longer in memory is released, and so are all rooms of a server that stops.
//! - **O6** A server with more rooms than the others gives some to them. Such a room belongs to its new server
//!   as soon as the old one has it no longer in memory; the epoch stays until the new one claims it.

use std::time::Duration;

use quadrille_journal::ownership::{Epoch, Head, Heartbeat, PeerMonitor, SILENT_POLLS_MAX};
use quadrille_journal::{PeerId, ProcessLoad, RoomKey, RoomOwner, StorageError};
use quadrille_protocol::{Revision, RoomName};
use tokio_postgres::Row;

use crate::error::Failure;
use crate::session::Session;

/// Time between two beats.
pub const BEAT_INTERVAL: Duration = Duration::from_millis(250);
/// Attempts to claim a room whose owner releases it at the same time.
const CLAIM_ATTEMPTS: u32 = 5;

/// The row of a server in `node`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub i64);

impl NodeId {
    /// The number by which other servers know this one.
    pub fn peer(self) -> PeerId {
        PeerId(self.0 as u64)
    }

    fn of(peer: PeerId) -> NodeId {
        NodeId(peer.0 as i64)
    }
}

/// The result of a claim.
pub enum Claimed {
    /// The room is claimed. `found` is its number and head, if it has records.
    Own { epoch: Epoch, found: Option<(RoomKey, Head)> },
    /// The server at this URL has the room; the URL may be empty.
    Elsewhere { url: String },
}

/// Checks that no other server runs with a URL: the errors of the others would send clients to the wrong one. A
/// server that is connected but has no heartbeat has lost its machine or network.
///
/// # Errors
/// `Refused` when another server has a heartbeat.
pub fn check_url(session: &mut Session<'_>, url: &str) -> Result<(), Failure> {
    let beat = |session: &mut Session<'_>| {
        let row = session.query_opt(
            "SELECT sum(beat)::bigint FROM node WHERE url = $1 AND url <> '' AND EXISTS (
                 SELECT FROM pg_stat_activity
                 WHERE application_name LIKE node.name || ' %' AND datname = current_database()
             )",
            &[&url],
        )?;
        Ok::<Option<i64>, Failure>(row.and_then(|row| row.get(0)))
    };
    let Some(first) = beat(session)? else { return Ok(()) };
    for _ in 0..SILENT_POLLS_MAX {
        std::thread::sleep(BEAT_INTERVAL);
        match beat(session)? {
            Some(now) if now > first => {
                return Err(Failure::Refused(format!(
                    "another server has the URL {url}: set node_url of each to where the others reach it"
                )));
            }
            Some(_) => {}
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Adds this server. One that had the same URL and has ended is removed: two programs do not listen there.
///
/// # Errors
/// Those of the database.
pub fn join(session: &mut Session<'_>, name: &str, url: &str) -> Result<NodeId, Failure> {
    session.transaction(|session| {
        session.execute(
            "DELETE FROM node WHERE url = $1 AND url <> '' AND NOT EXISTS (
                 SELECT FROM pg_stat_activity
                 WHERE application_name LIKE node.name || ' %' AND datname = current_database()
             )",
            &[&url],
        )?;
        let row = session.query_opt(
            "INSERT INTO node (name, url, beat) VALUES ($1, $2, 0) RETURNING id",
            &[&name, &url],
        )?;
        row.map(|row| NodeId(row.get(0))).ok_or_else(|| Failure::Other("no row was inserted".into()))
    })
}

/// Removes this server, which releases its rooms (O5).
///
/// # Errors
/// Those of the database.
pub fn leave(session: &mut Session<'_>, node: NodeId) -> Result<(), Failure> {
    session.execute("DELETE FROM node WHERE id = $1", &[&node.0])?;
    Ok(())
}

/// Raises the beat. Returns whether this server still has its row.
///
/// # Errors
/// Those of the database.
pub fn beat(session: &mut Session<'_>, node: NodeId) -> Result<bool, Failure> {
    Ok(session.execute("UPDATE node SET beat = beat + 1 WHERE id = $1", &[&node.0])? > 0)
}

/// Tells whether this server still has its row.
///
/// # Errors
/// `Replaced` when it has not (O4).
pub fn check(session: &mut Session<'_>, node: NodeId) -> Result<(), Failure> {
    let row = session.query_opt("SELECT 1 FROM node WHERE id = $1", &[&node.0])?;
    row.map(drop).ok_or(Failure::Replaced)
}

/// Claims a room (O2).
///
/// # Errors
/// `Replaced` when this server has lost its row.
pub fn claim(session: &mut Session<'_>, node: NodeId, room: &RoomName) -> Result<Claimed, StorageError> {
    for _ in 0..CLAIM_ATTEMPTS {
        let own = session.transaction(|session| {
            // The foreign key holds the node's row, so that it is not removed before the claim is stored.
            let row = session.query_opt(
                "INSERT INTO room_owner (room, node, epoch) VALUES ($1, $2, nextval('owner_epoch'))
                 ON CONFLICT (room) DO UPDATE SET epoch = excluded.epoch
                 WHERE room_owner.node = excluded.node RETURNING epoch",
                &[&room.as_str(), &node.0],
            )?;
            let Some(row) = row else { return Ok::<_, Failure>(None) };
            let epoch = Epoch(row.get(0));
            let head = session.query_opt(
                "UPDATE room_head SET epoch = $2 FROM room WHERE room.id = room_head.room AND room.name = $1
                 RETURNING room_head.room, revision, base",
                &[&room.as_str(), &epoch.0],
            )?;
            let found = head.map(|row| {
                let number = |column: usize| row.get::<_, i64>(column) as u64;
                (RoomKey(number(0)), Head { revision: Revision(number(1)), base: Revision(number(2)) })
            });
            Ok(Some(Claimed::Own { epoch, found }))
        })?;
        if let Some(own) = own {
            return Ok(own);
        }
        if let Some(RoomOwner { url, .. }) = owner(session, node, room)? {
            return Ok(Claimed::Elsewhere { url });
        }
    }
    Err(StorageError::Engine { reason: format!("other servers keep claiming the room {room}; try again") })
}

/// Returns the other server that has a room.
///
/// # Errors
/// Those of the database.
pub fn owner(session: &mut Session<'_>, node: NodeId, room: &RoomName) -> Result<Option<RoomOwner>, Failure> {
    let row = session.query_opt(
        "SELECT url, node.id FROM room_owner JOIN node ON node.id = room_owner.node
         WHERE room = $1 AND node.id <> $2",
        &[&room.as_str(), &node.0],
    )?;
    Ok(row.map(|row| RoomOwner { url: row.get(0), peer: NodeId(row.get(1)).peer() }))
}

/// Releases a room (O5).
///
/// # Errors
/// Those of the database.
pub fn release(session: &mut Session<'_>, room: &RoomName, epoch: Epoch) -> Result<(), Failure> {
    session.execute("DELETE FROM room_owner WHERE room = $1 AND epoch = $2", &[&room.as_str(), &epoch.0])?;
    Ok(())
}

/// Gives a room to the server at `url`, or releases it when there is none (O6).
///
/// # Errors
/// Those of the database.
pub fn hand_over(
    session: &mut Session<'_>,
    node: NodeId,
    room: &RoomName,
    epoch: Epoch,
    url: &str,
) -> Result<(), Failure> {
    // The row of the other server is held, so that it is not removed before it has the room.
    let given = session.execute(
        "WITH heir AS (
             SELECT id FROM node WHERE url = $3 AND url <> '' AND id <> $4
             ORDER BY id DESC LIMIT 1 FOR KEY SHARE
         )
         UPDATE room_owner SET node = heir.id FROM heir WHERE room = $1 AND epoch = $2",
        &[&room.as_str(), &epoch.0, &url, &node.0],
    )?;
    if given == 0 {
        release(session, room, epoch)?;
    }
    Ok(())
}

/// Counts the rooms of each server.
///
/// # Errors
/// Those of the database.
pub fn loads(session: &mut Session<'_>, node: NodeId) -> Result<Vec<ProcessLoad>, Failure> {
    let rows = session.query(
        "SELECT url, count(room_owner.room), node.id FROM node LEFT JOIN room_owner ON room_owner.node = node.id
         GROUP BY node.id ORDER BY node.id",
        &[],
    )?;
    let load = |row: &Row| ProcessLoad {
        url: row.get(0),
        rooms: row.get::<_, i64>(1) as u64,
        is_own: NodeId(row.get(2)) == node,
    };
    Ok(rows.iter().map(load).collect())
}

/// Holds a room's head until the end of the transaction, so that nobody claims the room meanwhile (O2).
///
/// # Errors
/// `Engine` when another server has claimed the room.
pub fn hold(session: &mut Session<'_>, room: RoomKey, epoch: Epoch) -> Result<(), StorageError> {
    let held = session.query_opt(
        "SELECT 1 FROM room_head WHERE room = $1 AND epoch = $2 FOR SHARE",
        &[&(room.0 as i64), &epoch.0],
    )?;
    held.map(drop).ok_or_else(not_claimed)
}

/// The error of a change to a room that this server does not run.
pub fn not_claimed() -> StorageError {
    StorageError::Engine { reason: "another server has claimed the room".into() }
}

/// Reads the heartbeats of the other nodes, and removes nodes that have stopped (O3). Returns those that are
/// no longer there.
///
/// # Errors
/// Those of the database.
pub fn poll(
    monitor: &mut PeerMonitor,
    session: &mut Session<'_>,
    node: NodeId,
) -> Result<Vec<PeerId>, Failure> {
    let rows = session.query(
        "SELECT id, beat, name, EXISTS (
             SELECT FROM pg_stat_activity
             WHERE application_name LIKE node.name || ' %' AND datname = current_database()
         ) FROM node WHERE id <> $1",
        &[&node.0],
    )?;
    let heartbeat =
        |row: &Row| Heartbeat { peer: NodeId(row.get(0)).peer(), beat: row.get(1), is_connected: row.get(3) };
    let heartbeats: Vec<Heartbeat> = rows.iter().map(heartbeat).collect();
    let mut poll = monitor.poll(&heartbeats);
    for silent in std::mem::take(&mut poll.silent) {
        let row = rows.iter().zip(&heartbeats).find(|(_, heartbeat)| **heartbeat == silent);
        let name = row.map_or("", |(row, _)| row.get(2));
        if remove(session, NodeId::of(silent.peer), silent.beat, name)? {
            poll.removed(silent.peer);
        }
    }
    Ok(monitor.finish(poll))
}

/// Removes a node without heartbeat, unless it has one by now. Returns whether it was removed.
fn remove(session: &mut Session<'_>, node: NodeId, beat: i64, name: &str) -> Result<bool, Failure> {
    let is_removed = session.execute("DELETE FROM node WHERE id = $1 AND beat = $2", &[&node.0, &beat])? > 0;
    if is_removed {
        tracing::warn!(node = node.0, "another server has no heartbeat any more; its rooms are free");
        // A transaction that its process cannot finish would hold rows that others need.
        session.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name LIKE $1 || ' %' AND datname = current_database()
               AND usename = current_user",
            &[&name],
        )?;
    }
    Ok(is_removed)
}
