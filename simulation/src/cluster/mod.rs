//! Several servers of one database, behind a balancer: who runs which room, and what happens when servers,
//! the database and the network between them fail.
//!
//! Real: the room and the replica, the decisions of `journal::ownership` (claims, commits whose answers are
//! lost, silent servers), the ring of broadcasts. Modelled: the statements of the database
//! (`SharedMemory`, which passes the conformance suite of the storage engines), the tasks and threads of the
//! server, and the messages between servers.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | configuration and actions of a run, drawn from a seed |
//! | `messages`, `state` | what travels; the parts of a run |
//! | `world` | event queue, network, faults |
//! | `database` | the model of the database: its connections and the checks of each statement |
//! | `statements` | one connection of a server: statements, lost answers, repetition |
//! | `machine` | a server: routing of sessions, open rooms, effects of rooms |
//! | `heartbeat` | how a server starts, raises its beat, stops and ends |
//! | `relay` | streams between the owner of a room and the servers that relay it |
//! | `outbox` | frames for one listener, with its cursor into the broadcasts |
//! | `clients` | clients and the balancer |
//! | `checkers` | what is checked at the end |

mod checkers;
mod clients;
mod database;
mod heartbeat;
mod machine;
mod messages;
mod outbox;
mod plan;
mod relay;
mod state;
mod statements;
mod world;

pub use plan::{ClusterAction, ClusterActionKind, ClusterPlan};
pub use world::ClusterWorld;
