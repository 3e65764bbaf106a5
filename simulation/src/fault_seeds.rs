//! Seeds that detect planted faults, read from the table in `docs/simulation.md`.

use quadrille_fault_injection::Fault;

const DOCUMENT: &str = include_str!("../../docs/simulation.md");
const TABLE_HEADER: &str = "| fault | defect | seed |";

/// The faults of the table with the seed that detects each one. Fails if a row is malformed or a
/// fault has no row.
pub fn detecting_seeds() -> Result<Vec<(Fault, u64)>, String> {
    let mut seeds = Vec::new();
    let table = DOCUMENT.lines().skip_while(|line| *line != TABLE_HEADER).skip(2);
    for line in table.take_while(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        let fault = Fault::from_name(name).ok_or(format!("docs/simulation.md: unknown fault: {name}"))?;
        let seed = cells.get(2).and_then(|seed| seed.parse().ok());
        seeds.push((fault, seed.ok_or(format!("docs/simulation.md: no seed for {name}"))?));
    }
    match Fault::ALL.into_iter().find(|fault| !seeds.iter().any(|(listed, _)| listed == fault)) {
        Some(missing) => Err(format!("docs/simulation.md: no row for {}", missing.name())),
        None => Ok(seeds),
    }
}

/// Runs a seed with a planted fault and returns the outcome.
///
/// # Panics
///
/// Panics if the seed fails without the fault.
#[cfg(feature = "faults")]
pub fn run_with_fault(fault: Fault, seed: u64) -> Result<crate::Report, crate::Failure> {
    let plan = crate::Plan::random(seed);
    crate::run(&plan).map_err(|failure| format!("also without the fault: {failure}")).expect("seeds pass");
    quadrille_fault_injection::plant(Some(fault));
    let outcome = crate::run(&plan);
    quadrille_fault_injection::plant(None);
    outcome
}
