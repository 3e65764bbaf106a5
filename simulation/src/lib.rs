//! Real rooms, replicas, documents and journals on a network, a disk and clocks that fail, all in one thread
//! and decided by a seed.
//!
//! A [`Plan`] says what happens when; [`run`] carries it out and checks at every delivery and at the end what
//! must be true: all documents agree byte for byte, nothing acknowledged is lost, nothing is applied twice.
//! A plan that fails is [shortened](shorten) and kept in `fixtures/plans`.

mod actions;
mod chat;
mod check;
mod clients;
mod edits;
mod network;
mod plan;
pub mod planted;
mod random;
mod random_values;
mod report;
mod restore;
mod server;
mod uncommon_commands;
mod undo;
mod world;

pub use plan::{Action, DiskFaults, Plan, RoomBounds, What};
pub use random::Random;
pub use report::Report;
pub use world::{Failure, World};

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Carries out a plan. A panic is a failure like others.
pub fn run(plan: &Plan) -> Result<Report, Failure> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(plan.clone());
        world.run().map(|()| world.into_report())
    }));
    outcome.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(format!("panic: {}", message.unwrap_or_default()))
    })
}

/// What the journal of a plan's run holds at its end or failure, a line a record.
pub fn journal(plan: &Plan) -> Vec<String> {
    let mut world = World::new(plan.clone());
    let _ = catch_unwind(AssertUnwindSafe(|| world.run()));
    world.journal()
}

/// Takes out actions and clients' faults one after the other as long as the plan still fails.
pub fn shorten(plan: &Plan) -> Plan {
    let mut shortest = plan.clone();
    let mut chunk = shortest.actions.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        while start < shortest.actions.len() {
            let mut shorter = shortest.clone();
            let end = (start + chunk).min(shorter.actions.len());
            shorter.actions.drain(start..end);
            match run(&shorter) {
                Err(_) => shortest = shorter,
                Ok(_) => start += chunk,
            }
        }
        chunk /= 2;
    }
    shortest
}
