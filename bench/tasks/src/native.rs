//! The command line of an engine: `PROGRAM task NAME`, `PROGRAM flat CELLS`, `PROGRAM workbook FILE
//! INPUTS`. Prints a JSON object: figures by row, or `trouble` with an error message.

use std::time::Instant;

use crate::measure::{Figures, Probe};
use crate::workbooks::{read_inputs, workbook};
use crate::{Engine, Outcome, TaskError, flat, run};

pub struct Machine {
    started: Instant,
}

impl Machine {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Machine {
        Machine { started: Instant::now() }
    }
}

impl Probe for Machine {
    fn nanoseconds(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn resident_bytes(&self) -> Option<u64> {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        // Pages have 4 KiB on all supported machines.
        Some(statm.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
    }
}

/// Runs the task that the arguments name; `extra` handles tasks that only this engine has.
pub fn perform<E: Engine>(extra: impl FnOnce(&str, &Machine) -> Option<Outcome<Figures>>) -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let machine = Machine::new();
    let figures = match words[..] {
        ["task", name] => extra(name, &machine).unwrap_or_else(|| run::<E>(name, &machine)),
        ["flat", cells] => match cells.parse() {
            Ok(cells) => flat::<E>(cells, &machine),
            Err(_) => Err(TaskError::Wrong(format!("not a number of cells: {cells}"))),
        },
        ["workbook", file, inputs] => read(file).and_then(|bytes| {
            let inputs = String::from_utf8_lossy(&read(inputs)?).into_owned();
            workbook::<E>(file, &bytes, &read_inputs(&inputs), &machine)
        }),
        _ => Err(TaskError::Wrong("arguments: task NAME | flat CELLS | workbook FILE INPUTS".to_owned())),
    };
    to_json(figures)
}

fn read(file: &str) -> Outcome<Vec<u8>> {
    std::fs::read(file).map_err(|error| TaskError::Wrong(format!("{file}: {error}")))
}

fn to_json(figures: Outcome<Figures>) -> String {
    match figures {
        Ok(figures) => {
            let pairs: Vec<String> =
                figures.iter().map(|figure| format!("\"{}\":{}", figure.row, figure.value)).collect();
            format!("{{{}}}", pairs.join(","))
        }
        Err(trouble) => {
            let text = trouble.to_string().replace(['"', '\\'], "'").replace(|c: char| c.is_control(), " ");
            format!("{{\"trouble\":\"{text}\"}}")
        }
    }
}
