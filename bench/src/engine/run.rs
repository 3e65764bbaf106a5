//! [`Run`]: runs tasks in the programs of all engines and collects their figures.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::programs::{Answer, Program, module};
use crate::goals::{Measured, Row};
use crate::setting::Setting;

/// Numbers of repetitions and time limits.
pub struct Pace {
    pub ours: usize,
    pub peers: usize,
    pub limit: Duration,
    /// No peer starts another task after this time.
    pub peers_until: Duration,
}

/// With `--quick`.
pub const QUICK: Pace =
    Pace { ours: 3, peers: 1, limit: Duration::from_secs(20), peers_until: Duration::from_secs(7 * 60) };
/// Without `--quick`.
pub const COMPLETE: Pace =
    Pace { ours: 7, peers: 3, limit: Duration::from_secs(60), peers_until: Duration::from_secs(60 * 60) };

/// The programs with their figures so far.
pub struct Run {
    pub programs: Vec<Program>,
    pub pace: Pace,
    pub started: Instant,
    /// Figures by program and row.
    pub figures: BTreeMap<(usize, String), Measured>,
}

impl Run {
    /// Runs a task and adds its figures to the rows; `suffix` distinguishes equal rows of several calls.
    pub fn perform(&mut self, program: usize, rows: &[&str], arguments: &[&str], suffix: &str) {
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
    pub fn webassembly(&self, setting: &Setting) -> BTreeMap<String, Measured> {
        let mut figures: BTreeMap<String, Measured> = BTreeMap::new();
        let program = match module(setting) {
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
    pub fn measured(&self, row: &str) -> Vec<Option<Measured>> {
        (0..self.programs.len())
            .map(|program| self.figures.get(&(program, row.to_owned())).cloned())
            .collect()
    }

    /// The names of the programs.
    pub fn names(&self) -> Vec<&str> {
        self.programs.iter().map(|program| program.name).collect()
    }
}

/// A row without a goal.
pub fn plain(key: String, name: String, unit: &'static str, measured: Vec<Option<Measured>>) -> Row {
    let better = crate::goals::Better::Lower;
    Row { key, name, unit, better, must: None, aim: None, contains: "", measured }
}
