//! The engine benchmark, with other engines: `cargo xtask bench engine [--peers] [--quick]`.
//!
//! Every task of every engine runs in a process of its own on one core. The engines take turns, so that a
//! disturbance of the machine affects all of them, and the best repetition counts. A task that exceeds
//! its time limit is stopped. The rows and their goals are in `rows.rs`, the tasks in `bench/tasks`.

mod programs;
mod rows;
mod run;
mod workbooks;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::goals::Table;
use crate::setting::{Outcome, Setting};
use run::{COMPLETE, QUICK, Run};

/// Time limit of the cancellation task: hundreds of evaluations of up to 60 ms.
const CANCEL_LIMIT: Duration = Duration::from_secs(180);

/// Sheet sizes in cells for which the latency of an edit is compared.
const FLAT_CELLS: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Maximum sheet size for peers, which take minutes and gigabytes for larger ones.
const FLAT_CELLS_PEERS_MAX: u32 = 1_000_000;

/// Runs the engine benchmark and returns its tables.
pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let pace = if setting.is_quick { QUICK } else { COMPLETE };
    let mut programs = vec![programs::ours()?];
    if setting.with_peers {
        programs.extend(programs::peers(setting)?);
    }
    let mut run = Run { programs, pace, started: Instant::now(), figures: BTreeMap::new() };
    run_tasks(&mut run);
    let webassembly = run.webassembly(setting);
    run_flat(&mut run);
    let limit = run.programs[0].perform(&["task", "limit"], run.pace.limit);
    let document = run.programs[0].perform(&["task", "document"], run.pace.limit);
    let cancel = run.programs[0].perform(&["task", "cancel"], CANCEL_LIMIT);
    let mut tables = vec![rows::table(&run, &limit, &webassembly)];
    tables.push(rows::document(&document));
    tables.push(rows::cancel(&cancel));
    tables.push(rows::flat(&run, &FLAT_CELLS));
    // The files are part of the peers' packages.
    if setting.with_peers {
        tables.extend(workbooks::measure(&mut run, setting)?);
    }
    Ok(tables)
}

/// Runs all tasks in all programs.
fn run_tasks(run: &mut Run) {
    for repetition in 0..run.pace.ours {
        for task in quadrille_bench_tasks::TASKS {
            for program in 0..run.programs.len() {
                let is_for_all = task != "columns" && repetition < run.pace.peers;
                if program == 0 || is_for_all {
                    run.perform(program, rows::rows_of(task), &["task", task], "");
                }
            }
        }
        eprintln!("  repetition {} of {}", repetition + 1, run.pace.ours);
    }
}

/// Measures the latency of an edit for all sheet sizes.
fn run_flat(run: &mut Run) {
    for cells in FLAT_CELLS {
        for program in 0..run.programs.len() {
            if program == 0 || cells <= FLAT_CELLS_PEERS_MAX {
                let rows = ["flat_p50", "flat_p99"];
                run.perform(program, &rows, &["flat", &cells.to_string()], &format!("_{cells}"));
            }
        }
    }
}
