//! Which commands a client may not have carried out yet.
//!
//! EtherCalc's protocol acknowledges nothing. Programs answer a ping of the WebSocket in order, so each
//! batch of messages is followed by one. A browser answers pings before its page has read the messages,
//! but EtherCalc's page answers `ask.ecell` in order: after commands of others the server asks in a name
//! of its own. For clients that do not answer, a time counts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quadrille_cell::Range;
use quadrille_protocol::Revision;
use quadrille_workbook::Workbook;
use tokio::time::Instant;

use crate::limits;

/// What was sent.
pub enum Sent {
    /// New states of these cells.
    Cells(Vec<Range>),
    /// Cells have moved, or the whole sheet was sent. `before` is what the client showed until then.
    Moved { before: Workbook, revision: Revision },
}

/// Commands that the client may not have carried out, in the order in which they were sent.
pub struct Unseen {
    /// Unique in the process, and part of the server's questions. EtherCalc's page has a connection for the
    /// answers to its form too, and answers the questions of both in the room that it shows.
    number: u64,
    sent: VecDeque<(Instant, Sent)>,
    /// Entries were dropped because there were too many; the client may not have carried them out
    /// either.
    is_incomplete: bool,
    /// Entries that have been sent in all.
    count: u64,
    /// The client has answered a question, not only pings.
    pub answers: bool,
}

/// Begins the name in which the server asks for the client's cursor; [`Unseen::number`] and the number of
/// entries sent before follow.
const ASKER: &str = "server-";
const AGE_MAX: Duration = Duration::from_secs(limits::ETHERCALC_UNSEEN_SECONDS);

impl Default for Unseen {
    fn default() -> Unseen {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Unseen { number, sent: VecDeque::new(), is_incomplete: false, count: 0, answers: false }
    }
}

impl Unseen {
    /// Notes what has been sent.
    pub fn push(&mut self, sent: Sent, now: Instant) {
        self.count += 1;
        self.sent.push_back((now, sent));
        if self.sent.len() > limits::ETHERCALC_UNSEEN_MAX {
            self.sent.pop_front();
            self.is_incomplete = true;
        }
    }

    /// Number of entries sent so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The name for a question about everything sent so far.
    pub fn asker(&self) -> String {
        format!("{ASKER}{}-{}", self.number, self.count)
    }

    /// Notes the answer to the question of `asker`. Returns whether the server has asked in this name, here
    /// or in another connection.
    pub fn answered(&mut self, asker: &str) -> bool {
        let numbers = asker.strip_prefix(ASKER).and_then(|numbers| numbers.split_once('-'));
        let parsed = |text: &str| text.parse::<u64>().ok();
        let numbers = numbers.and_then(|(number, count)| Some((parsed(number)?, parsed(count)?)));
        let Some((number, count)) = numbers else { return false };
        if number == self.number {
            self.answers = true;
            self.seen_up_to(count);
        }
        true
    }

    /// Notes that the client has carried out the first `count` entries.
    pub fn seen_up_to(&mut self, count: u64) {
        let unseen = self.count.saturating_sub(count);
        while self.sent.len() as u64 > unseen {
            self.sent.pop_front();
            self.is_incomplete = false;
        }
    }

    /// Forgets everything: the client has asked for the sheet.
    pub fn clear(&mut self) {
        self.sent.clear();
        self.is_incomplete = false;
    }

    /// Forgets what was sent long ago.
    pub fn expire(&mut self, now: Instant) {
        while self.sent.front().is_some_and(|(sent, _)| now.duration_since(*sent) >= AGE_MAX) {
            self.sent.pop_front();
            self.is_incomplete = false;
        }
    }

    /// What a page that answers questions showed when it gave a command: the workbook before the first
    /// cells that have moved since. Not for pings: a program can react to a message before it answers the
    /// ping behind it.
    pub fn base(&self) -> Option<(&Workbook, Revision)> {
        let moved = self.sent.iter().find_map(|(_, sent)| match sent {
            Sent::Moved { before, revision } => Some((before, *revision)),
            Sent::Cells(_) => None,
        });
        moved.filter(|_| self.answers && !self.is_incomplete)
    }

    /// Whether nothing is unseen.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && !self.is_incomplete
    }

    /// Whether cells have moved.
    pub fn has_moved(&self) -> bool {
        self.is_incomplete || self.sent.iter().any(|(_, sent)| matches!(sent, Sent::Moved { .. }))
    }

    /// Whether one of these cells was sent.
    pub fn overlaps(&self, cells: &[Range]) -> bool {
        let is_here = |range: &Range| cells.iter().any(|cell| cell.intersects(*range));
        self.is_incomplete
            || self.sent.iter().any(|(_, sent)| match sent {
                Sent::Cells(ranges) => ranges.iter().any(is_here),
                Sent::Moved { .. } => true,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_another_connection_acknowledge_nothing() {
        let (mut own, mut other) = (Unseen::default(), Unseen::default());
        own.push(Sent::Cells(Vec::new()), Instant::now());
        other.push(Sent::Cells(Vec::new()), Instant::now());
        assert!(own.answered(&other.asker()));
        assert!(!own.is_empty() && !own.answers);
        assert!(own.answered(&own.asker()));
        assert!(own.is_empty() && own.answers);
    }

    #[test]
    fn names_of_clients_are_no_questions_of_the_server() {
        let mut unseen = Unseen::default();
        for name in ["Ada", "server-3", "server-x-1", "0.5772156649"] {
            assert!(!unseen.answered(name), "{name}");
        }
    }
}
