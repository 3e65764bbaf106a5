//! Plans: the configuration and the actions of a run, drawn before it starts, so that they can be
//! stored, read and shortened.

use quadrille_operation::Command;
use serde::{Deserialize, Serialize};

use crate::random::Random;

/// The plan of a run. Two runs of the same plan are identical, byte for byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Seed of all random choices that are not actions, such as delays.
    pub seed: u64,
    pub clients: usize,
    /// Shortest and longest delay of a frame in milliseconds.
    pub delay_ms: (u64, u64),
    /// Shortest and longest duration of a disk operation in milliseconds.
    pub disk_ms: (u64, u64),
    /// Limit of a client's outgoing queue in bytes; broadcasts beyond it are dropped.
    pub outgoing_bytes_max: usize,
    pub disk: DiskFaults,
    /// Interval in milliseconds at which the room recalculates volatile functions.
    #[serde(default)]
    pub tick_ms: Option<u64>,
    pub room: RoomBounds,
    pub actions: Vec<Action>,
}

/// Rates of disk faults per 10,000 operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DiskFaults {
    pub full: u32,
    pub failing_sync: u32,
    pub lost_snapshot: u32,
    /// Bytes per piece of a snapshot; 0 writes a snapshot in one piece.
    #[serde(default)]
    pub piece_bytes: usize,
}

/// Bounds of the room, drawn small so that short runs reach them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomBounds {
    /// Recent records that the room holds in memory.
    pub ring: usize,
    /// Revisions up to which a joining session is sent records instead of a snapshot.
    pub tail: u64,
    /// Records after which a snapshot is stored.
    pub snapshot_after: u64,
    /// Cells per transaction. Replicas allow more, so that the room rejects some of their
    /// transactions.
    pub cells: usize,
    /// Age in milliseconds of records outside of any snapshot after which a snapshot is stored; 0
    /// disables it.
    #[serde(default)]
    pub snapshot_after_ms: u64,
    /// Records that make such a snapshot worthwhile.
    #[serde(default)]
    pub snapshot_worth: u64,
}

/// An action and its time since the start of the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Action {
    pub at_ms: u64,
    #[serde(flatten)]
    pub kind: ActionKind,
}

/// An action of a user or an injected fault.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ActionKind {
    /// A random edit by a client.
    Edit {
        client: usize,
        seed: u64,
    },
    /// A given command by a client.
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
    /// A random edit through REST.
    Request {
        seed: u64,
    },
    /// The connection breaks. The client notices at once and reconnects after `offline_ms`; the
    /// server notices later.
    Disconnect {
        client: usize,
        offline_ms: u64,
        server_sees_after_ms: u64,
    },
    /// The client reads nothing for `ms` milliseconds.
    StopReading {
        client: usize,
        ms: u64,
    },
    /// The next frames are delivered twice, in both directions.
    Duplicate {
        client: usize,
        frames: u32,
    },
    /// Frames in both directions are lost from now on; each end notices later.
    HalfOpen {
        client: usize,
        client_sees_after_ms: u64,
        server_sees_after_ms: u64,
    },
    /// For `ms` milliseconds, no frame passes between these clients and the server and none of them
    /// can connect. Frames sent in the meantime are delivered afterwards.
    Partition {
        clients: Vec<usize>,
        ms: u64,
    },
    /// The page is closed and reopened with a new replica; unconfirmed transactions are lost. With
    /// `after_effects`, the crash happens after that many effects of the replica.
    CrashClient {
        client: usize,
        #[serde(default)]
        after_effects: u32,
    },
    /// The server's process ends after `after_effects` effects of the room: by `kill -9`, or by
    /// loss of `power`, after which each unsynced sector is on the disk or not.
    CrashServer {
        down_ms: u64,
        #[serde(default)]
        after_effects: u32,
        #[serde(default)]
        power: bool,
    },
    /// The room closes all sessions and leaves memory, as when a server is drained.
    CloseRoom,
    /// The server's clock is changed.
    ClockJump {
        by_ms: i64,
    },
    /// A client's clock is changed.
    ClientClockJump {
        client: usize,
        by_ms: i64,
    },
    /// An earlier revision of the room is restored, as through REST.
    Restore {
        seed: u64,
    },
    /// The history is trimmed to about `revisions_max` revisions, back to a stored snapshot.
    TrimHistory {
        revisions_max: u64,
    },
    /// A random edit is undone immediately: the document must be as before.
    EditAndUndo {
        client: usize,
        seed: u64,
    },
    /// A client sends chat messages.
    SendChat {
        client: usize,
        seed: u64,
        chat_messages: u32,
    },
    /// The role of a client's session is changed, so that the room closes it (P27). The client has
    /// its role again when it reconnects.
    ChangeRole {
        client: usize,
    },
    /// A client sends bytes that are no valid frame.
    MalformedFrame {
        client: usize,
        seed: u64,
    },
}

impl Plan {
    /// Draws a plan from a seed. The kinds of faults are drawn first, because runs with few kinds
    /// of faults reach states that runs with all kinds do not.
    pub fn random(seed: u64) -> Plan {
        let mut random = Random::stream(seed, 1, 0);
        let clients = random.between(2, 5) as usize;
        let length_ms = random.between(500, 6_000);
        let slowest = *random.pick(&[5, 40, 200, 900]);
        let mut actions = Vec::new();
        for _ in 0..random.between(10, 80) {
            let client = random.between(0, clients as u64 - 1) as usize;
            let kind = match random.between(0, 20) {
                0 | 1 => ActionKind::Undo { client },
                2 => ActionKind::Redo { client },
                3 => ActionKind::Request { seed: random.next() },
                4 => ActionKind::EditAndUndo { client, seed: random.next() },
                5 if random.one_in(2) => ActionKind::Restore { seed: random.next() },
                _ => ActionKind::Edit { client, seed: random.next() },
            };
            actions.push(Action { at_ms: random.between(0, length_ms), kind });
        }
        let kinds: Vec<u64> = (0..11).filter(|_| random.one_in(2)).collect();
        if !kinds.is_empty() {
            for _ in 0..random.between(0, 12) {
                let client = random.between(0, clients as u64 - 1) as usize;
                let kind = match random.pick(&kinds) {
                    0 => ActionKind::Disconnect {
                        client,
                        offline_ms: random.between(1, 1_500),
                        server_sees_after_ms: random.between(0, 3_000),
                    },
                    1 => ActionKind::StopReading { client, ms: random.between(50, 2_000) },
                    2 => ActionKind::Duplicate { client, frames: random.between(1, 10) as u32 },
                    3 => ActionKind::CrashClient { client, after_effects: random.between(0, 6) as u32 },
                    4 => ActionKind::CrashServer {
                        down_ms: random.between(1, 800),
                        after_effects: if random.one_in(2) { 0 } else { random.between(1, 12) as u32 },
                        power: random.one_in(2),
                    },
                    5 => ActionKind::CloseRoom,
                    6 => ActionKind::ClockJump { by_ms: random.between(0, 200_000_000) as i64 - 100_000_000 },
                    7 => ActionKind::HalfOpen {
                        client,
                        client_sees_after_ms: random.between(1, 3_000),
                        server_sees_after_ms: random.between(1, 3_000),
                    },
                    8 => ActionKind::Partition {
                        clients: (0..clients).filter(|_| random.one_in(2)).collect(),
                        ms: random.between(1, 1_500),
                    },
                    9 => ActionKind::ClientClockJump {
                        client,
                        by_ms: random.between(0, 200_000_000) as i64 - 100_000_000,
                    },
                    _ => ActionKind::MalformedFrame { client, seed: random.next() },
                };
                actions.push(Action { at_ms: random.between(0, length_ms), kind });
            }
        }
        // Separate random streams: the rest of the plan does not depend on them.
        let mut upkeep = Random::stream(seed, 7, 0);
        if upkeep.one_in(3) {
            for _ in 0..upkeep.between(1, 6) {
                let kind = ActionKind::TrimHistory { revisions_max: upkeep.between(1, 20) };
                actions.push(Action { at_ms: upkeep.between(0, length_ms), kind });
            }
        }
        let mut chat = Random::stream(seed, 8, 0);
        if chat.one_in(4) {
            for _ in 0..chat.between(1, 15) {
                let client = chat.between(0, clients as u64 - 1) as usize;
                let chat_messages = if chat.one_in(6) { chat.between(2, 15) as u32 } else { 1 };
                let kind = ActionKind::SendChat { client, seed: chat.next(), chat_messages };
                actions.push(Action { at_ms: chat.between(0, length_ms), kind });
            }
        }
        let mut access = Random::stream(seed, 10, 0);
        if access.one_in(6) {
            for _ in 0..access.between(1, 5) {
                let client = access.between(0, clients as u64 - 1) as usize;
                let at_ms = access.between(0, length_ms);
                actions.push(Action { at_ms, kind: ActionKind::ChangeRole { client } });
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
