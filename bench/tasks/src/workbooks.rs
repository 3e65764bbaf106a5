//! The task on real workbooks: reads a file, evaluates it, and edits input cells.

use crate::measure::{Figure, Figures, Probe, Repeat, median, milliseconds, quantile, repeated};
use crate::{Engine, Outcome};

/// A cell with a number that formulas may depend on.
#[derive(Clone, PartialEq, Debug)]
pub struct InputCell {
    pub sheet: String,
    pub row: u32,
    pub column: u32,
    pub number: f64,
}

/// Reads rows of `row, column, number, sheet`, separated by tabs; they are the same for all engines.
pub fn read_inputs(text: &str) -> Vec<InputCell> {
    text.lines()
        .filter_map(|line| {
            let mut parts = line.splitn(4, '\t');
            Some(InputCell {
                row: parts.next()?.parse().ok()?,
                column: parts.next()?.parse().ok()?,
                number: parts.next()?.parse().ok()?,
                sheet: parts.next()?.to_owned(),
            })
        })
        .collect()
}

/// Runs the task; each of `inputs` is increased a little and evaluated.
pub fn workbook<E: Engine>(
    path: &str,
    bytes: &[u8],
    inputs: &[InputCell],
    probe: &dyn Probe,
) -> Outcome<Figures> {
    let mut opened = None;
    let load = milliseconds(probe, || {
        opened = Some(E::open(path, bytes)?);
        Ok(())
    })?;
    let mut engine = opened.expect("it was opened just now");
    let recalculation = milliseconds(probe, || engine.evaluate())?;
    let mut figures =
        vec![Figure { row: "load", value: load }, Figure { row: "recalculation", value: recalculation }];
    if inputs.is_empty() {
        return Ok(figures);
    }
    let repeat = Repeat { count: inputs.len() as u32, count_min: 3, seconds: 2.0 };
    let durations = repeated(probe, repeat, |turn| {
        let input = &inputs[turn as usize];
        engine.set_number_in(&input.sheet, input.row, input.column, input.number * 1.01 + 1.0)?;
        engine.evaluate()
    })?;
    figures.push(Figure { row: "edit_p50", value: median(&durations) * 1e3 });
    figures.push(Figure { row: "edit_p99", value: quantile(&durations, 0.99) * 1e3 });
    Ok(figures)
}
