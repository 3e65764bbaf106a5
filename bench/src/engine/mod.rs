//! The engine benchmark, with other engines: `cargo xtask bench engine [--peers] [--quick]`.
//!
//! Every task of every engine runs in a process of its own on one core. The engines take turns, so that a
//! disturbance of the machine affects all of them, and the best repetition counts. A task that exceeds
//! its time limit is stopped. The rows and their goals are in `rows.rs`, the tasks in `bench/tasks`.

mod programs;
mod rows;
mod workbooks;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::goals::{Measured, Row, Table};
use crate::{Outcome, Setting};
use programs::{Answer, Program};

/// Numbers of repetitions and time limits.
struct Pace {
    ours: usize,
    peers: usize,
    limit: Duration,
    /// No peer starts another task after this time.
    peers_until: Duration,
}

const QUICK: Pace =
    Pace { ours: 3, peers: 1, limit: Duration::from_secs(20), peers_until: Duration::from_secs(7 * 60) };
const WHOLE: Pace =
    Pace { ours: 7, peers: 3, limit: Duration::from_secs(60), peers_until: Duration::from_secs(60 * 60) };

/// Time limit of the cancellation task: hundreds of evaluations of up to 60 ms.
const CANCEL_LIMIT: Duration = Duration::from_secs(180);

/// Sheet sizes in cells for which the latency of an edit is compared.
const FLAT_CELLS: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Maximum sheet size for peers, which take minutes and gigabytes for larger ones.
const FLAT_CELLS_PEERS_MAX: u32 = 1_000_000;

pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let pace = if setting.is_quick { QUICK } else { WHOLE };
    let mut programs = vec![programs::ours()?];
    if setting.with_peers {
        programs.extend(programs::peers(setting)?);
    }
    let mut run = Run { programs, pace, started: Instant::now(), figures: BTreeMap::new() };
    run.tasks();
    let webassembly = run.webassembly(setting);
    run.flat();
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

pub struct Run {
    programs: Vec<Program>,
    pace: Pace,
    started: Instant,
    /// Figures by program and row.
    figures: BTreeMap<(usize, String), Measured>,
}

impl Run {
    fn tasks(&mut self) {
        for repetition in 0..self.pace.ours {
            for task in quadrille_bench_tasks::TASKS {
                for program in 0..self.programs.len() {
                    let is_for_all = task != "columns" && repetition < self.pace.peers;
                    if program == 0 || is_for_all {
                        self.perform(program, rows::rows_of(task), &["task", task], "");
                    }
                }
            }
            eprintln!("  repetition {} of {}", repetition + 1, self.pace.ours);
        }
    }

    fn flat(&mut self) {
        for cells in FLAT_CELLS {
            for program in 0..self.programs.len() {
                if program == 0 || cells <= FLAT_CELLS_PEERS_MAX {
                    let rows = ["flat_p50", "flat_p99"];
                    self.perform(program, &rows, &["flat", &cells.to_string()], &format!("_{cells}"));
                }
            }
        }
    }

    /// Runs a task and adds its figures to the rows; `suffix` distinguishes equal rows of several calls.
    fn perform(&mut self, program: usize, rows: &[&str], arguments: &[&str], suffix: &str) {
        let key = |row: &str| (program, format!("{row}{suffix}"));
        let gave_up = |run: &Run, row: &&str| {
            matches!(run.figures.get(&key(row)), Some(Measured::Beyond(_) | Measured::Failed(_)))
        };
        if program > 0 && (rows.iter().all(|row| gave_up(self, row)) || self.is_late()) {
            for row in rows {
                self.figures.entry(key(row)).or_insert(Measured::Failed("not run: no time".to_owned()));
            }
            return;
        }
        match self.programs[program].perform(arguments, self.pace.limit) {
            Answer::Figures(figures) => {
                for (row, value) in figures {
                    let measured = self.figures.entry(key(&row)).or_insert(Measured::Values(Vec::new()));
                    if let Measured::Values(values) = measured {
                        values.push(value);
                    }
                }
            }
            Answer::Stopped => {
                for row in rows {
                    let beyond = Measured::Beyond(self.pace.limit.as_secs_f64());
                    self.figures.entry(key(row)).or_insert(beyond);
                }
            }
            Answer::Failed(reason) => {
                if reason != "not supported" {
                    eprintln!("  {} {arguments:?}: {reason}", self.programs[program].name);
                }
                for row in rows {
                    self.figures.entry(key(row)).or_insert(Measured::Failed(reason.clone()));
                }
            }
        }
    }

    fn is_late(&self) -> bool {
        self.started.elapsed() > self.pace.peers_until
    }

    /// Runs the same tasks in the WebAssembly module under Node.
    fn webassembly(&self, setting: &Setting) -> BTreeMap<String, Measured> {
        let mut figures: BTreeMap<String, Measured> = BTreeMap::new();
        let program = match programs::module(setting) {
            Ok(program) => program,
            Err(reason) => {
                eprintln!("  WebAssembly: {reason}");
                return figures;
            }
        };
        for _ in 0..self.pace.ours {
            for task in ["chain_down", "columns"] {
                if let Answer::Figures(answer) = program.perform(&[task], self.pace.limit) {
                    for (row, value) in answer {
                        let measured = figures.entry(row).or_insert(Measured::Values(Vec::new()));
                        if let Measured::Values(values) = measured {
                            values.push(value);
                        }
                    }
                }
            }
        }
        figures
    }

    /// The figures of a row for all programs, in the order of the columns.
    fn measured(&self, row: &str) -> Vec<Option<Measured>> {
        (0..self.programs.len())
            .map(|program| self.figures.get(&(program, row.to_owned())).cloned())
            .collect()
    }

    fn names(&self) -> Vec<&str> {
        self.programs.iter().map(|program| program.name).collect()
    }
}

/// A row without a goal.
fn plain(key: String, name: String, unit: &'static str, measured: Vec<Option<Measured>>) -> Row {
    let better = crate::goals::Better::Lower;
    Row { key, name, unit, better, must: None, aim: None, contains: "", measured }
}
