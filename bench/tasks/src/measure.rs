//! [`Probe`] for clock and memory, and repeated measurements.

use crate::Outcome;

/// Clock and memory of the environment.
pub trait Probe {
    /// Time of a monotonic clock.
    fn nanoseconds(&self) -> u64;
    /// Resident memory of the process; `None` where it is not available.
    fn resident_bytes(&self) -> Option<u64>;
}

/// A figure in the unit of its row.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    pub row: &'static str,
    pub value: f64,
}

pub type Figures = Vec<Figure>;

pub fn milliseconds(probe: &dyn Probe, action: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = probe.nanoseconds();
    action()?;
    Ok((probe.nanoseconds() - start) as f64 / 1e6)
}

/// Number of repetitions: up to `count`, and after `count_min` repetitions no longer than `seconds`.
#[derive(Clone, Copy)]
pub struct Repeat {
    pub count: u32,
    pub count_min: u32,
    pub seconds: f64,
}

/// For complete recalculations.
pub const FEW: Repeat = Repeat { count: 11, count_min: 2, seconds: 4.0 };
/// For edits that take microseconds.
pub const MANY: Repeat = Repeat { count: 2_000, count_min: 5, seconds: 2.0 };

/// Runs repetitions and returns their times in milliseconds, sorted.
pub fn repeated(
    probe: &dyn Probe,
    repeat: Repeat,
    mut action: impl FnMut(u32) -> Outcome<()>,
) -> Outcome<Vec<f64>> {
    let started = probe.nanoseconds();
    let mut durations = Vec::new();
    for turn in 0..repeat.count {
        let spent = (probe.nanoseconds() - started) as f64 / 1e9;
        if turn >= repeat.count_min && spent > repeat.seconds {
            break;
        }
        durations.push(milliseconds(probe, || action(turn))?);
    }
    durations.sort_by(f64::total_cmp);
    Ok(durations)
}

/// A quantile of a sorted list, which must not be empty.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

pub fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}
