//! [`ReplicaClient`]: a complete replica that applies all frames and whose cells are checked.

use std::sync::Arc;

use quadrille_cell::Value;
use quadrille_operation::Command;
use quadrille_replica::{Effect, Event, Replica, Timestamp};

use super::client_protocol::{ThinClient, Write};

pub struct ReplicaClient {
    replica: Replica,
    pub frames: Vec<Vec<u8>>,
    /// Number of digests that the replica rejected.
    pub mismatches: u64,
}

/// Evaluation steps of one recalculation.
const STEPS: u64 = 10_000_000;
/// First byte of the frame that rejects a digest (docs/protocol.md).
const DIGEST: u8 = 4;

impl ReplicaClient {
    pub fn new(user: u32) -> ReplicaClient {
        let name = Arc::from(format!("user {user}"));
        ReplicaClient {
            replica: Replica::new(name, None, u64::from(user) + 1),
            frames: Vec::new(),
            mismatches: 0,
        }
    }

    pub fn handle(&mut self, event: Event<'_>) -> Result<(), String> {
        for effect in self.replica.handle(now(), event) {
            match effect {
                Effect::Send(frame) => {
                    self.mismatches += u64::from(frame.first() == Some(&DIGEST));
                    self.frames.push(frame);
                }
                Effect::Problem(problem) => return Err(format!("refused: {problem:?}")),
                Effect::Close { .. } => return Err("the replica gave up the session".to_owned()),
                Effect::Status(_) | Effect::People => {}
            }
        }
        Ok(())
    }

    pub fn write(&mut self, write: Write) -> Result<(), String> {
        let sheet = self.replica.document().workbook().sheets()[0].id().0;
        let cell = ThinClient::cell_of(write.writer).to_string();
        self.handle(Event::Command(Command::TypeText { sheet, cell, text: write.text() }))
    }

    /// Checks that the sheet contains each write or a later one of the same user.
    pub fn shows(&mut self, writes: &[Write]) -> Result<(), String> {
        self.replica.evaluate(STEPS);
        let (_changes, _is_replaced) = self.replica.take_changes();
        let sheet = &self.replica.document().workbook().sheets()[0];
        for write in writes {
            let shown = match sheet.value(ThinClient::cell_of(write.writer)) {
                Value::Text(text) => Write::from_text(&text),
                _ => None,
            };
            if !shown.is_some_and(|shown| shown.writer == write.writer && shown.index >= write.index) {
                return Err(format!("shows {shown:?} where {write:?} was written"));
            }
        }
        Ok(())
    }
}

fn now() -> Timestamp {
    use std::time::{SystemTime, UNIX_EPOCH};
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp { unix_ms: since.as_millis() as i64 }
}
