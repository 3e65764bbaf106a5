//! What happens in one run: written down before it starts, so that it can be kept, read and shortened.

use quadrille_operation::Command;
use serde::{Deserialize, Serialize};

use crate::random::Random;

/// A run. The same plan gives the same run, to the last byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Decides delays and everything else that is not an action.
    pub seed: u64,
    pub clients: usize,
    /// Milliseconds a frame takes, at least and at most.
    pub delay_ms: (u64, u64),
    /// Milliseconds the disk takes for a batch.
    pub disk_ms: (u64, u64),
    /// Bytes on their way to a client beyond which broadcasts to it are dropped.
    pub outgoing_bytes_max: usize,
    pub disk: DiskFaults,
    /// How often the room stamps a document that shows time, if nothing happens.
    #[serde(default)]
    pub tick_ms: Option<u64>,
    pub room: RoomBounds,
    pub actions: Vec<Action>,
}

/// How often in 10,000 appends or snapshots each strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DiskFaults {
    pub full: u32,
    pub failing_sync: u32,
    pub lost_snapshot: u32,
    /// Bytes of one piece of a snapshot, 0 for one piece in all.
    #[serde(default)]
    pub piece_bytes: usize,
}

/// How little the room keeps in memory and how often it stores a snapshot, in records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomBounds {
    pub ring: usize,
    pub tail: u64,
    pub snapshot_after: u64,
    /// Listed cells of one transaction; replicas allow more, so that the room refuses some of theirs.
    pub cells: usize,
    /// Age of what is in no snapshot after which one is stored, 0 for none, and how many records are worth it.
    #[serde(default)]
    pub snapshot_after_ms: u64,
    #[serde(default)]
    pub snapshot_worth: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Action {
    pub at_ms: u64,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "plans are short")]
pub enum What {
    /// A random change by a client.
    Edit {
        client: usize,
        seed: u64,
    },
    /// A given one.
    Command {
        client: usize,
        command: Command,
    },
    Undo {
        client: usize,
    },
    Redo {
        client: usize,
    },
    /// A change over REST, with no session.
    Request {
        seed: u64,
    },
    /// The connection breaks: the client sees it now and tries again after a while, the server sees it later.
    Disconnect {
        client: usize,
        offline_ms: u64,
        server_sees_after_ms: u64,
    },
    /// The client reads nothing for a while.
    Slow {
        client: usize,
        ms: u64,
    },
    /// The next frames are delivered twice, both ways.
    Duplicate {
        client: usize,
        frames: u32,
    },
    /// Frames get lost from now on, both ways, and neither end is told so until later.
    HalfOpen {
        client: usize,
        client_sees_after_ms: u64,
        server_sees_after_ms: u64,
    },
    /// Nothing gets through between these clients and the server, and nobody of them can connect. What was sent
    /// arrives afterwards.
    Partition {
        clients: Vec<usize>,
        ms: u64,
    },
    /// The page is closed and opened again: a new replica, and unconfirmed work is gone. In the middle of what
    /// it does, after so many effects.
    CrashClient {
        client: usize,
        #[serde(default)]
        after_effects: u32,
    },
    /// The server's process ends after so many effects of the room: by `kill -9`, or because the `power` went, so
    /// that of what was not synced each sector is there or not.
    CrashServer {
        down_ms: u64,
        #[serde(default)]
        after_effects: u32,
        #[serde(default)]
        power: bool,
    },
    /// The room sends everyone away and is dropped from memory, as when a server is drained.
    CloseRoom,
    /// The server's clock is set.
    ClockJump {
        by_ms: i64,
    },
    /// A client's clock is set.
    ClientClockJump {
        client: usize,
        by_ms: i64,
    },
    /// The room is made what it was at an earlier revision, as over REST.
    Restore {
        seed: u64,
    },
    /// So many revisions of the history are kept, or a few more: what is older goes, if a snapshot is where it can begin.
    Trim {
        revisions_max: u64,
    },
    /// A random change and its undo at once: everything must be as before.
    EditAndUndo {
        client: usize,
        seed: u64,
    },
    /// Somebody says so many things in the chat.
    Say {
        client: usize,
        seed: u64,
        chat_messages: u32,
    },
    /// A client sends bytes that are no frame, or a transaction that is none.
    Nonsense {
        client: usize,
        seed: u64,
    },
}

impl Plan {
    /// A plan of its own for every seed. Which kinds of faults it has is drawn first: runs with few kinds of
    /// them reach states that runs with all of them do not.
    pub fn random(seed: u64) -> Plan {
        let mut random = Random::stream(seed, 1, 0);
        let clients = random.between(2, 5) as usize;
        let length_ms = random.between(500, 6_000);
        let slowest = *random.pick(&[5, 40, 200, 900]);
        let mut actions = Vec::new();
        for _ in 0..random.between(10, 80) {
            let client = random.between(0, clients as u64 - 1) as usize;
            let what = match random.between(0, 20) {
                0 | 1 => What::Undo { client },
                2 => What::Redo { client },
                3 => What::Request { seed: random.next() },
                4 => What::EditAndUndo { client, seed: random.next() },
                5 if random.one_in(2) => What::Restore { seed: random.next() },
                _ => What::Edit { client, seed: random.next() },
            };
            actions.push(Action { at_ms: random.between(0, length_ms), what });
        }
        let kinds: Vec<u64> = (0..11).filter(|_| random.one_in(2)).collect();
        if !kinds.is_empty() {
            for _ in 0..random.between(0, 12) {
                let client = random.between(0, clients as u64 - 1) as usize;
                let what = match random.pick(&kinds) {
                    0 => What::Disconnect {
                        client,
                        offline_ms: random.between(1, 1_500),
                        server_sees_after_ms: random.between(0, 3_000),
                    },
                    1 => What::Slow { client, ms: random.between(50, 2_000) },
                    2 => What::Duplicate { client, frames: random.between(1, 10) as u32 },
                    3 => What::CrashClient { client, after_effects: random.between(0, 6) as u32 },
                    4 => What::CrashServer {
                        down_ms: random.between(1, 800),
                        after_effects: if random.one_in(2) { 0 } else { random.between(1, 12) as u32 },
                        power: random.one_in(2),
                    },
                    5 => What::CloseRoom,
                    6 => What::ClockJump { by_ms: random.between(0, 200_000_000) as i64 - 100_000_000 },
                    7 => What::HalfOpen {
                        client,
                        client_sees_after_ms: random.between(1, 3_000),
                        server_sees_after_ms: random.between(1, 3_000),
                    },
                    8 => What::Partition {
                        clients: (0..clients).filter(|_| random.one_in(2)).collect(),
                        ms: random.between(1, 1_500),
                    },
                    9 => What::ClientClockJump {
                        client,
                        by_ms: random.between(0, 200_000_000) as i64 - 100_000_000,
                    },
                    _ => What::Nonsense { client, seed: random.next() },
                };
                actions.push(Action { at_ms: random.between(0, length_ms), what });
            }
        }
        // A stream of its own: the rest of the plan does not depend on it.
        let mut upkeep = Random::stream(seed, 7, 0);
        if upkeep.one_in(3) {
            for _ in 0..upkeep.between(1, 6) {
                let what = What::Trim { revisions_max: upkeep.between(1, 20) };
                actions.push(Action { at_ms: upkeep.between(0, length_ms), what });
            }
        }
        let mut chat = Random::stream(seed, 8, 0);
        if chat.one_in(4) {
            for _ in 0..chat.between(1, 15) {
                let client = chat.between(0, clients as u64 - 1) as usize;
                let chat_messages = if chat.one_in(6) { chat.between(2, 15) as u32 } else { 1 };
                let what = What::Say { client, seed: chat.next(), chat_messages };
                actions.push(Action { at_ms: chat.between(0, length_ms), what });
            }
        }
        actions.sort_by_key(|action| action.at_ms);
        let mut rate = |choices: &[u32]| *random.pick(choices);
        let disk = DiskFaults {
            full: rate(&[0, 0, 0, 300]),
            failing_sync: rate(&[0, 0, 0, 300]),
            lost_snapshot: rate(&[0, 0, 5_000]),
            piece_bytes: *upkeep.pick(&[0, 40, 300, 2_000]),
        };
        let outgoing_bytes_max = *random.pick(&[300, 2_000, 1 << 20]);
        let disk_ms = (0, *random.pick(&[2, 20, 150]));
        let room = RoomBounds {
            snapshot_after_ms: *random.pick(&[0, 300, 2_000]),
            snapshot_worth: *random.pick(&[1, 10, 50]),
            ring: *random.pick(&[0, 3, 20, 4_096]),
            tail: *random.pick(&[0, 10, 100_000]),
            snapshot_after: *random.pick(&[1, 7, 30, 2_000]),
            cells: *random.pick(&[3, 5_000_000, 5_000_000]),
        };
        let tick_ms = *random.pick(&[None, None, Some(100), Some(700)]);
        Plan {
            tick_ms,
            room,
            seed,
            clients,
            delay_ms: (1, slowest),
            disk_ms,
            outgoing_bytes_max,
            disk,
            actions,
        }
    }
}
