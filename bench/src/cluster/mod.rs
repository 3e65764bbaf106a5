//! Several servers with one PostgreSQL database: what a relayed session costs against a direct one, also
//! for thousands of listeners over three relays, how long a client waits after its room's server was killed,
//! and what people notice of a rolling restart.
//!
//! Servers, database and clients run on the same machine, so that everything shares its processors.
//! Clients connect again as the web client does (`web/session/src/backoff.ts`).

mod deliveries;
mod fail_over;
mod figures;
mod listeners;
mod person;
pub mod reader_processes;
mod readers;
mod relay_cost;
mod rolling_restart;
mod servers;

use crate::goals::Table;
use crate::setting::{Outcome, Setting};

/// Runs the parts `relay`, `listeners`, `fail-over` and `restart`.
pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let mut table = Table::new("Several servers with one PostgreSQL database", &["Quadrille"]);
    if setting.wants("relay") {
        relay_cost::measure(setting, &mut table)?;
    }
    if setting.wants("listeners") {
        listeners::measure(setting, &mut table)?;
    }
    if setting.wants("fail-over") {
        fail_over::measure(setting, &mut table)?;
    }
    if setting.wants("restart") {
        rolling_restart::measure(setting, &mut table)?;
    }
    Ok(vec![table])
}
