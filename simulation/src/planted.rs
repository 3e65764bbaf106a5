//! The proof that the checkers work: for every fault that can be planted, a seed that catches it.

use quadrille_fault_injection::Fault;

const PAGE: &str = include_str!("../../docs/simulation.md");

/// The table of docs/simulation.md: which seed catches which fault.
pub fn seeds_that_catch() -> Result<Vec<(Fault, u64)>, String> {
    let mut seeds = Vec::new();
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        let fault = Fault::from_name(name).ok_or(format!("docs/simulation.md: no such fault: {name}"))?;
        let seed = cells.get(2).and_then(|seed| seed.parse().ok());
        seeds.push((fault, seed.ok_or(format!("docs/simulation.md: no seed for {name}"))?));
    }
    match Fault::ALL.into_iter().find(|fault| !seeds.iter().any(|(known, _)| known == fault)) {
        Some(missing) => Err(format!("docs/simulation.md: no row for {}", missing.name())),
        None => Ok(seeds),
    }
}

/// What the run of a seed says with the fault planted; without it the seed must pass.
#[cfg(feature = "faults")]
pub fn run_with(fault: Fault, seed: u64) -> Result<crate::Report, crate::Failure> {
    let plan = crate::Plan::random(seed);
    crate::run(&plan).map_err(|failure| format!("also without the fault: {failure}")).expect("seeds pass");
    quadrille_fault_injection::plant(Some(fault));
    let outcome = crate::run(&plan);
    quadrille_fault_injection::plant(None);
    outcome
}
