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
}

/// Events waiting to be written to the file; more are dropped.
const QUEUE_MAX: usize = 65_536;

struct Tracer {
    spans: SyncSender<Json>,
    started: Instant,
    /// `started` in microseconds since 1970-01-01 UTC.
    started_us: u64,
}

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Starts tracing to a file. To be called once.
///
/// # Errors
///
/// Fails with a message when the file cannot be created.
pub fn start(path: &Path) -> Result<(), String> {
    let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let (spans, received) = sync_channel(QUEUE_MAX);
    let run = move || {
        if let Err(error) = write(file, &received) {
            tracing::warn!(%error, "writing the trace failed; tracing stops");
        }
    };
    std::thread::Builder::new().name("trace".into()).spawn(run).map_err(|error| error.to_string())?;
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tracer = Tracer { spans, started: Instant::now(), started_us: since_epoch.as_micros() as u64 };
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
    for event in events(transaction, stage, from, to, room, revision) {
        // The queue is full when the disk cannot keep up; a trace with gaps is better than a slow
        // server.
        let _ = tracer.spans.try_send(event);
    }
}

/// Returns a pair of nestable async events. All stages of a transaction form one track, also those
/// of the client.
fn events(
    transaction: TransactionId,
    stage: Stage,
    from: TraceTime,
    to: TraceTime,
    room: &RoomName,
    revision: Revision,
) -> [Json; 2] {
    let event = |phase: &str, at: TraceTime| {
        json!({
            "name": stage.name(), "cat": "transaction", "ph": phase, "ts": at.0, "pid": 1, "tid": 1,
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
            Stage::Queue => "queue",
            Stage::Order => "order",
            Stage::Journal => "journal",
            Stage::Wait => "wait",
            Stage::FanOut => "fan-out",
        }
    }
}

/// Writes an array that is never closed. Trace viewers accept this, so the file of a killed server
/// is readable.
fn write(file: File, received: &Receiver<Json>) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    let process = json!({ "name": "process_name", "ph": "M", "pid": 1, "args": { "name": "quadrille" } });
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
            events(transaction, Stage::FanOut, TraceTime(10), TraceTime(25), &room, Revision(3));
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
