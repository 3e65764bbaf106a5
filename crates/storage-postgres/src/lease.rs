//! The lease of the database: which server may write rooms, proven by its epoch in every commit.
//!
//! - **L1** The row of the table `lease` has an epoch, which every new holder raises. A commit stores
//!   records only if the row still has the epoch of the server that commits, and holds the row's lock until
//!   its end. So a server that was paused or cut off stores nothing after another has taken over, and what
//!   it has stored before is seen by the other.
//! - **L2** The holder raises the beat in `lease_beat` twice a second (`heartbeat.rs`). Another server takes over when it has seen the
//!   same beat for [`SILENCE`], by its own monotonic clock and by answers of the database only. No clocks
//!   of machines are compared, and time during which the database is away does not count.
//! - **L3** The holder also has an advisory lock, which ends with its connection: a server that has ended is
//!   replaced at once.
//! - **L4** A holder that finds another epoch in the row stops: it reads and writes nothing more.

use std::time::{Duration, Instant};

use crate::error::Failure;
use crate::session::Session;

/// A holder that is silent for this long has lost its lease. Three beats may come late.
const SILENCE: Duration = Duration::from_secs(2);
/// How long a server that starts tries to replace a silent holder.
const GIVE_UP: Duration = Duration::from_secs(10);
/// Time between two looks of a server that waits for the lease.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The advisory lock of the holder: "Quad" in ASCII.
const LOCK: i64 = 0x5175_6164;

/// Raised by each new holder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(pub i64);

/// What another server sees of the lease.
#[derive(Clone, PartialEq, Eq)]
struct Seen {
    epoch: i64,
    beat: i64,
    holder: String,
}

fn look(session: &mut Session<'_>) -> Result<Seen, Failure> {
    let row = session.query_opt("SELECT epoch, beat, holder FROM lease, lease_beat", &[])?;
    let row = row.ok_or_else(|| Failure::Damaged("the table lease is empty".into()))?;
    Ok(Seen { epoch: row.get(0), beat: row.get(1), holder: row.get(2) })
}

/// Takes the lease for a server that starts. Waits for as long as it takes to tell whether the holder lives.
///
/// # Errors
/// `InUse` when the holder lives.
pub fn acquire(session: &mut Session<'_>, name: &str) -> Result<Epoch, Failure> {
    let first = look(session)?;
    let began = Instant::now();
    while !try_lock(session)? {
        let seen = look(session)?;
        // The database may refuse to end connections of another user.
        if seen != first || began.elapsed() >= GIVE_UP {
            return Err(Failure::InUse);
        }
        if began.elapsed() >= SILENCE {
            // Ends its connections, and with them its lock and a commit that has not reached the lease yet.
            terminate(session, &seen.holder)?;
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
    // Waits for commits that have the lease's row.
    let row =
        session.query_opt("UPDATE lease SET epoch = epoch + 1, holder = $1 RETURNING epoch", &[&name])?;
    row.map(|row| Epoch(row.get(0))).ok_or_else(|| Failure::Damaged("the table lease is empty".into()))
}

/// Takes the lock again on a new connection of the holder.
///
/// # Errors
/// `InUse` when another server has taken the lease meanwhile (L4).
pub fn resume(session: &mut Session<'_>, name: &str, epoch: Epoch) -> Result<(), Failure> {
    // A connection of this server that was lost may still hold the lock and execute a statement.
    terminate(session, name)?;
    loop {
        if look(session)?.epoch != epoch.0 {
            return Err(Failure::InUse);
        }
        if try_lock(session)? {
            return Ok(());
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

/// Tells whether a server still holds the lease.
///
/// # Errors
/// `InUse` when another server does (L4).
pub fn check(session: &mut Session<'_>, epoch: Epoch) -> Result<(), Failure> {
    if look(session)?.epoch == epoch.0 { Ok(()) } else { Err(Failure::InUse) }
}

fn try_lock(session: &mut Session<'_>) -> Result<bool, Failure> {
    Ok(session.query("SELECT pg_try_advisory_lock($1)", &[&LOCK])?[0].get(0))
}

/// Ends the connections of a server that may hold the lock.
fn terminate(session: &mut Session<'_>, name: &str) -> Result<(), Failure> {
    session.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()
           AND usename = current_user",
        &[&name],
    )?;
    Ok(())
}

/// Gives a sign of life. Returns whether this server still holds the lease.
///
/// # Errors
/// Those of the database.
pub fn beat(session: &mut Session<'_>, epoch: Epoch) -> Result<bool, Failure> {
    // A row of its own, so that beats and commits do not wait for each other.
    let beat = "UPDATE lease_beat SET beat = beat + 1 WHERE EXISTS (SELECT FROM lease WHERE epoch = $1)";
    Ok(session.execute(beat, &[&epoch.0])? > 0)
}
