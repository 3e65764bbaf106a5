//! Deterministic simulation of real rooms, replicas, documents and journals on a simulated network,
//! disk and clock that fail.
//!
//! A run happens in one thread and is determined by its [`Plan`], which is usually drawn from a
//! seed. [`run`] executes a plan and checks invariants at every delivery and at the end: all
//! documents agree byte for byte, no acknowledged transaction is lost, and none is applied twice. A
//! failing plan is [shortened](shorten) and stored in `fixtures/plans`. [`run_cluster`] does the same with
//! several servers of one database (`cluster`).
//!
//! The crate checks the state machines of `room`, `replica` and `journal`; it has no sockets, files
//! or threads. The binary `crash` kills the real server instead. Start reading with `plan.rs` and
//! `world.rs`; `docs/simulation.md` lists faults and checks.

mod actions;
mod chat;
mod checkers;
mod clients;
mod cluster;
pub mod command_line;
mod edits;
pub mod fault_seeds;
mod imports;
mod network;
mod people;
mod plan;
mod random;
mod random_values;
mod report;
mod restore;
mod server;
mod uncommon_commands;
mod undo;
mod world;

pub use cluster::{ClusterAction, ClusterActionKind, ClusterPlan, ClusterWorld};
pub use plan::{Action, ActionKind, DiskFaults, Plan, RoomBounds};
pub use random::Random;
pub use report::Report;
pub use world::{Failure, World};

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Executes a plan and returns its report. Fails with a description of the violated invariant; a
/// panic is a failure too.
pub fn run(plan: &Plan) -> Result<Report, Failure> {
    catch_panics(|| {
        let mut world = World::new(plan.clone());
        world.run().map(|()| world.into_report())
    })
}

/// Executes a plan with several servers, as [`run`] does one with a single server.
///
/// # Errors
/// Describes the violated invariant.
pub fn run_cluster(plan: &ClusterPlan) -> Result<Report, Failure> {
    catch_panics(|| {
        let mut world = ClusterWorld::new(plan.clone());
        world.run().map(|()| world.into_report())
    })
}

fn catch_panics(run: impl FnOnce() -> Result<Report, Failure>) -> Result<Report, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(format!("panic: {}", message.unwrap_or_default()))
    })
}

/// The records in the journal when the run of a plan ends or fails, one line per record.
pub fn journal(plan: &Plan) -> Vec<String> {
    let mut world = World::new(plan.clone());
    let _ = catch_unwind(AssertUnwindSafe(|| world.run()));
    world.journal()
}

/// Removes actions from a failing plan as long as it still fails, in ever smaller groups.
pub fn shorten(plan: &Plan) -> Plan {
    shorten_actions(plan, |plan| &mut plan.actions, |plan| run(plan).is_err())
}

/// As [`shorten`], for a plan with several servers.
pub fn shorten_cluster(plan: &ClusterPlan) -> ClusterPlan {
    shorten_actions(plan, |plan| &mut plan.actions, |plan| run_cluster(plan).is_err())
}

fn shorten_actions<P: Clone, A>(
    plan: &P,
    actions: impl Fn(&mut P) -> &mut Vec<A>,
    fails: impl Fn(&P) -> bool,
) -> P {
    let mut shortest = plan.clone();
    let mut chunk = actions(&mut shortest).len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        while start < actions(&mut shortest).len() {
            let mut shorter = shortest.clone();
            let end = (start + chunk).min(actions(&mut shorter).len());
            actions(&mut shorter).drain(start..end);
            match fails(&shorter) {
                true => shortest = shorter,
                false => start += chunk,
            }
        }
        chunk /= 2;
    }
    shortest
}
