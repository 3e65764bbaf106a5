//! Plans of runs with several servers.

use serde::{Deserialize, Serialize};

use crate::plan::RoomBounds;
use crate::random::Random;

/// The plan of a run. Two runs of the same plan are identical.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClusterPlan {
    pub seed: u64,
    /// Servers, 3 to 9.
    pub machines: usize,
    pub clients: usize,
    pub rooms: usize,
    /// Shortest and longest delay of a message in milliseconds.
    pub delay_ms: (u64, u64),
    /// Time without an answer of the database after which a connection counts as lost.
    pub answer_timeout_ms: u64,
    /// Bytes on the way to a client, beyond which its broadcasts wait in the ring.
    pub client_bytes_max: usize,
    /// The same for a stream between two servers.
    pub stream_bytes_max: usize,
    /// Bytes of the ring of broadcasts of a room.
    pub ring_bytes_max: usize,
    /// How much faster the clock of each server is, in thousandths.
    pub drift: Vec<i64>,
    pub room: RoomBounds,
    pub actions: Vec<ClusterAction>,
}

/// An action and its time since the start of the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClusterAction {
    pub at_ms: u64,
    #[serde(flatten)]
    pub kind: ClusterActionKind,
}

/// An action of a user or an injected fault.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ClusterActionKind {
    Edit {
        client: usize,
        seed: u64,
    },
    Undo {
        client: usize,
    },
    /// A random edit through REST.
    Request {
        room: usize,
        seed: u64,
    },
    /// The connection of a client ends; the balancer chooses a server for the next one.
    Disconnect {
        client: usize,
        offline_ms: u64,
    },
    /// The client reads nothing for a while.
    StopReading {
        client: usize,
        ms: u64,
    },
    /// No frame passes between a client and any server.
    CutClient {
        client: usize,
        ms: u64,
    },
    /// A server is killed.
    Crash {
        machine: usize,
        down_ms: u64,
    },
    /// A server's process is stopped, as by `SIGSTOP`, and goes on later.
    Pause {
        machine: usize,
        ms: u64,
    },
    /// A server stops in order and starts again with another version.
    Restart {
        machine: usize,
        down_ms: u64,
    },
    /// A server gives its rooms to another one.
    HandOver {
        machine: usize,
        heir: usize,
    },
    CutFromDatabase {
        machine: usize,
        ms: u64,
    },
    CutMachines {
        machine: usize,
        other: usize,
        ms: u64,
    },
    /// The database is stopped; all connections end.
    StopDatabase {
        ms: u64,
    },
    /// The next statements are executed, and the connections end before they are answered.
    LoseAnswers {
        machine: usize,
        count: u32,
    },
    /// The wall clock of a server is changed.
    ClockJump {
        machine: usize,
        by_ms: i64,
    },
}

impl ClusterPlan {
    /// Draws a plan from a seed. The kinds of faults are drawn first, because runs with few kinds of faults
    /// reach states that runs with all kinds do not.
    pub fn random(seed: u64) -> ClusterPlan {
        let mut random = Random::stream(seed, 20, 0);
        let machines = random.between(3, 9) as usize;
        let clients = random.between(2, 6) as usize;
        let rooms = random.between(1, 3) as usize;
        let length_ms = random.between(1_000, 12_000);
        let slowest = *random.pick(&[5, 40, 200]);
        let mut actions = Vec::new();
        for _ in 0..random.between(10, 60) {
            let client = random.between(0, clients as u64 - 1) as usize;
            let kind = match random.between(0, 12) {
                0 => ClusterActionKind::Undo { client },
                1 => {
                    let room = random.between(0, rooms as u64 - 1) as usize;
                    ClusterActionKind::Request { room, seed: random.next() }
                }
                _ => ClusterActionKind::Edit { client, seed: random.next() },
            };
            actions.push(ClusterAction { at_ms: random.between(0, length_ms), kind });
        }
        let kinds: Vec<u64> = (0..11).filter(|_| random.one_in(2)).collect();
        if !kinds.is_empty() {
            for _ in 0..random.between(1, 14) {
                let kind = random_fault(&mut random, &kinds, machines, clients);
                actions.push(ClusterAction { at_ms: random.between(0, length_ms), kind });
            }
        }
        // From a stream of its own, so that the other parts of the plans of seeds stay as they are.
        let mut moves = Random::stream(seed, 21, 0);
        if moves.one_in(2) {
            for _ in 0..moves.between(1, 4) {
                let mut machine = || moves.between(0, machines as u64 - 1) as usize;
                let kind = ClusterActionKind::HandOver { machine: machine(), heir: machine() };
                actions.push(ClusterAction { at_ms: moves.between(0, length_ms), kind });
            }
        }
        actions.sort_by_key(|action| action.at_ms);
        let room = RoomBounds {
            snapshot_after_ms: *random.pick(&[0, 300, 2_000]),
            snapshot_worth: *random.pick(&[1, 10, 50]),
            ring: *random.pick(&[0, 3, 20, 4_096]),
            tail: *random.pick(&[0, 10, 100_000]),
            snapshot_after: *random.pick(&[1, 7, 30, 2_000]),
            cells: 5_000_000,
        };
        ClusterPlan {
            seed,
            machines,
            clients,
            rooms,
            delay_ms: (1, slowest),
            answer_timeout_ms: *random.pick(&[500, 3_000, 20_000]),
            client_bytes_max: *random.pick(&[300, 2_000, 1 << 20]),
            stream_bytes_max: *random.pick(&[500, 1 << 20]),
            ring_bytes_max: *random.pick(&[200, 2_000, 1 << 20]),
            drift: (0..machines).map(|_| random.between(0, 100) as i64 - 50).collect(),
            room,
            actions,
        }
    }
}

fn random_fault(random: &mut Random, kinds: &[u64], machines: usize, clients: usize) -> ClusterActionKind {
    let machine = random.between(0, machines as u64 - 1) as usize;
    let client = random.between(0, clients as u64 - 1) as usize;
    match random.pick(kinds) {
        0 => ClusterActionKind::Disconnect { client, offline_ms: random.between(1, 1_500) },
        1 => ClusterActionKind::StopReading { client, ms: random.between(50, 2_000) },
        2 => ClusterActionKind::CutClient { client, ms: random.between(50, 3_000) },
        3 => ClusterActionKind::Crash { machine, down_ms: random.between(1, 5_000) },
        4 => ClusterActionKind::Pause { machine, ms: random.between(50, 6_000) },
        5 => ClusterActionKind::Restart { machine, down_ms: random.between(1, 3_000) },
        6 => ClusterActionKind::CutFromDatabase { machine, ms: random.between(50, 6_000) },
        7 => {
            let other = (machine + random.between(1, machines as u64 - 1) as usize) % machines;
            ClusterActionKind::CutMachines { machine, other, ms: random.between(50, 6_000) }
        }
        8 => ClusterActionKind::StopDatabase { ms: random.between(50, 5_000) },
        9 => ClusterActionKind::LoseAnswers { machine, count: random.between(1, 4) as u32 },
        _ => ClusterActionKind::ClockJump {
            machine,
            by_ms: random.between(0, 200_000_000) as i64 - 100_000_000,
        },
    }
}
