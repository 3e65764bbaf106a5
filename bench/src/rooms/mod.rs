//! Rooms at scale: `cargo xtask bench rooms [--peers] [--quick]`.
//!
//! The release binary with its journal, and a load generator of one thread on the same machine
//! (`load.rs`). Some users are complete replicas, the others thin clients of the protocol. The delay of
//! each delivery is measured, from the time when a write was due to its arrival at each reader. The
//! workloads and their goals are in `workloads.rs`.

mod client_protocol;
mod connection;
mod heavy_rooms;
mod histogram;
mod load;
pub mod peers;
mod replica_client;
mod websocket_frames;
mod workloads;

use crate::goals::Table;
use crate::setting::{Outcome, Setting};

/// Runs the workloads and returns their tables.
pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    workloads::run(setting)
}
