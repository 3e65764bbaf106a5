//! Rooms at scale: `cargo xtask bench rooms [--peers] [--quick]`.
//!
//! The real server with its journal, and a generator of one thread on the same machine (`load.rs`): whole replicas for
//! some of the users, thin protocol clients for the many. Delays are over every delivery, from when a write was due to its arrival
//! at each reader. The workloads and their goals are in `workloads.rs`.

mod connection;
mod dialect;
mod heavy;
mod histogram;
mod load;
mod peers;
mod whole;
mod wire;
mod workloads;

use crate::goals::Table;
use crate::{Outcome, Setting};

pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    workloads::run(setting)
}
