//! `quadrille serve --trace FILE`: the stages of every transaction as a Chrome trace (JSON), for
//! `chrome://tracing` and Perfetto. `docs/operations-guide.md` describes the format and how to
//! merge the client's trace.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use quadrille_protocol::{Counter, ReplicaId, Revision, RoomName};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

/// Microseconds since 1970-01-01 UTC, monotonic while the server runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TraceTime(pub u64);

/// The identity of a transaction, the same on server and client: the replica in 16 hexadecimal
/// digits, and its counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionId {
    pub replica: ReplicaId,
    pub counter: Counter,
}

/// A stage of a transaction in the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// At a server that relays: from receiving the frame until the server of the room receives it.
    Relay,
    /// From receiving the frame until the room's thread handles it.
    Queue,
    /// Checking, rebasing, applying and recording.
    Order,
    /// Until its commit is durable.
    Journal,
    /// Until the room's next round of writing begins.
    Wait,
    /// Until it is written to the last member; members that are behind are written to by their own
    /// tasks.
    FanOut,
    /// At a server that relays: from receiving the record until it is written to the last client that
    /// keeps up.
    RelayFanOut,
}

/// The number of the client in its traces.
const CLIENT_PROCESS: u32 = 2;

/// Events waiting to be written to the file; more are dropped.
const QUEUE_MAX: usize = 65_536;

struct Tracer {
    spans: SyncSender<Json>,
    process: u32,
    started: Instant,
    /// `started` in microseconds since 1970-01-01 UTC.
    started_us: u64,
}

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Starts tracing to a file. To be called once. `server` is the address of this server among those
/// of its database, or empty.
///
/// # Errors
///
/// Fails with a message when the file cannot be created.
pub fn start(path: &Path, server: &str) -> Result<(), String> {
    let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let (spans, received) = sync_channel(QUEUE_MAX);
    let process = process_number(server);
    let name = format!("quadrille {server}").trim_end().to_owned();
    let run = move || {
        if let Err(error) = write(file, process, &name, &received) {
            tracing::warn!(%error, "writing the trace failed; tracing stops");
        }
    };
    std::thread::Builder::new().name("trace".into()).spawn(run).map_err(|error| error.to_string())?;
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tracer =
        Tracer { spans, process, started: Instant::now(), started_us: since_epoch.as_micros() as u64 };
    TRACER.set(tracer).map_err(|_| "tracing has already been started".to_owned())
}

/// Returns the current time; `None` when tracing is off.
pub fn now() -> Option<TraceTime> {
    TRACER.get()?;
    at(Instant::now())
}

/// Returns the time of `moment`; `None` when tracing is off.
pub fn at(moment: Instant) -> Option<TraceTime> {
    let tracer = TRACER.get()?;
    Some(TraceTime(tracer.started_us + moment.saturating_duration_since(tracer.started).as_micros() as u64))
}

/// Writes a finished stage of a transaction.
pub fn span(
    transaction: TransactionId,
    stage: Stage,
    from: TraceTime,
    to: TraceTime,
    room: &RoomName,
    revision: Revision,
) {
    let Some(tracer) = TRACER.get() else { return };
    for event in events(tracer.process, transaction, stage, (from, to), room, revision) {
        // The queue is full when the disk cannot keep up; a trace with gaps is better than a slow
        // server.
        let _ = tracer.spans.try_send(event);
    }
}

/// Returns a pair of nestable async events. All stages of a transaction form one track, also those
/// of the client.
fn events(
    process: u32,
    transaction: TransactionId,
    stage: Stage,
    (from, to): (TraceTime, TraceTime),
    room: &RoomName,
    revision: Revision,
) -> [Json; 2] {
    let event = |phase: &str, at: TraceTime| {
        json!({
            "name": stage.name(), "cat": "transaction", "ph": phase, "ts": at.0, "pid": process, "tid": 1,
            "id": format!("{:016x}-{}", transaction.replica.0, transaction.counter.0),
        })
    };
    let mut begin = event("b", from);
    begin["args"] = json!({ "room": room.as_str(), "revision": revision.0 });
    [begin, event("e", to)]
}

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Stage::Relay => "relay",
            Stage::Queue => "queue",
            Stage::Order => "order",
            Stage::Journal => "journal",
            Stage::Wait => "wait",
            Stage::FanOut => "fan-out",
            Stage::RelayFanOut => "relay-fan-out",
        }
    }
}

/// The number by which the events of this server can be told from those of others: the first bytes of
/// the SHA-256 of its address, or without an address the number of the process.
fn process_number(server: &str) -> u32 {
    let digest = Sha256::digest(server);
    match server {
        "" => std::process::id(),
        _ => u32::from_be_bytes([0, digest[0], digest[1], digest[2]]),
    }
    .max(CLIENT_PROCESS + 1)
}

/// Writes an array that is never closed. Trace viewers accept this, so the file of a killed server
/// is readable.
fn write(file: File, process: u32, name: &str, received: &Receiver<Json>) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    let process = json!({ "name": "process_name", "ph": "M", "pid": process, "args": { "name": name } });
    write!(out, "[\n{process}")?;
    out.flush()?;
    while let Ok(event) = received.recv() {
        write!(out, ",\n{event}")?;
        for event in received.try_iter() {
            write!(out, ",\n{event}")?;
        }
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_a_pair_of_events_with_the_id_of_the_transaction() {
        let transaction = TransactionId { replica: ReplicaId(0xc0ffee), counter: Counter(7) };
        let room = RoomName::new("plan").expect("a name");
        let [begin, end] =
            events(1, transaction, Stage::FanOut, (TraceTime(10), TraceTime(25)), &room, Revision(3));
        assert_eq!(
            begin,
            json!({
                "name": "fan-out", "cat": "transaction", "ph": "b", "ts": 10, "pid": 1, "tid": 1,
                "id": "0000000000c0ffee-7", "args": { "room": "plan", "revision": 3 },
            })
        );
        assert_eq!((&end["ph"], &end["ts"], &end["id"]), (&"e".into(), &25.into(), &begin["id"]));
    }
}
