//! `quadrille serve --trace FILE`: what became of each transaction, as a Chrome trace (JSON), which `chrome://tracing` and
//! Perfetto show. The format, and how the page's half is merged into it, is in `docs/operations-guide.md`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use quadrille_protocol::{Counter, ReplicaId, Revision, RoomName};
use serde_json::{Value as Json, json};

/// Microseconds since 1970-01-01 UTC, from a clock that is not set while the server runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TraceTime(pub u64);

/// The identity of a transaction on both sides: the replica in 16 hexadecimal digits, and its counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionId {
    pub replica: ReplicaId,
    pub counter: Counter,
}

/// A part of a transaction's way through the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Received, until the room's thread takes it up.
    Queue,
    /// Checked, rebased, applied and given its place.
    Order,
    /// Until its commit is synced.
    Journal,
    /// Until the room's next round of writing begins.
    Wait,
    /// Until it was written to the last member, or left to the tasks of those that are behind.
    FanOut,
}

/// Events that may wait for the file; beyond that they are left out.
const WAITING_MAX: usize = 65_536;

struct Tracer {
    spans: SyncSender<Json>,
    started: Instant,
    started_us: u64,
}

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Begins to write; the error is one line for a person. To be called once.
pub fn start(path: &Path) -> Result<(), String> {
    let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let (spans, received) = sync_channel(WAITING_MAX);
    let run = move || {
        if let Err(error) = write(file, &received) {
            tracing::warn!(%error, "the trace cannot be written any more");
        }
    };
    std::thread::Builder::new().name("trace".into()).spawn(run).map_err(|error| error.to_string())?;
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tracer = Tracer { spans, started: Instant::now(), started_us: since_epoch.as_micros() as u64 };
    TRACER.set(tracer).map_err(|_| "the trace has begun already".to_owned())
}

/// The moment, if there is a trace; everything else here is skipped otherwise.
pub fn now() -> Option<TraceTime> {
    TRACER.get()?;
    at(Instant::now())
}

/// That moment, if there is a trace.
pub fn at(moment: Instant) -> Option<TraceTime> {
    let tracer = TRACER.get()?;
    Some(TraceTime(tracer.started_us + moment.saturating_duration_since(tracer.started).as_micros() as u64))
}

/// A stage of a transaction is over.
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
        // A full queue means that the disk cannot keep up; a trace with gaps is better than a slow server.
        let _ = tracer.spans.try_send(event);
    }
}

/// A pair of nestable async events: all stages of one transaction are one track, whoever wrote them.
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

/// An array that is never closed: readers of traces allow that, and a server that is killed leaves a good file.
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
    fn a_stage_is_a_pair_of_events_with_the_transaction_s_id() {
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
