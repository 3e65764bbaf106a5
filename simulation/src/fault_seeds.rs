//! Seeds that detect planted faults, read from the table in `docs/simulation.md`.

use quadrille_fault_injection::Fault;

const DOCUMENT: &str = include_str!("../../docs/simulation.md");
const TABLE_HEADER: &str = "| fault | defect | seed |";
const CLUSTER_TABLE_HEADER: &str = "| fault among servers | defect | seed |";

/// A row of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DetectingSeed {
    pub fault: Fault,
    pub seed: u64,
    /// Whether it is a seed of a run with several servers.
    pub is_cluster: bool,
}

/// The faults of the tables with the seed that detects each one. Fails if a row is malformed or a
/// fault has no row.
pub fn detecting_seeds() -> Result<Vec<DetectingSeed>, String> {
    let mut seeds = Vec::new();
    for (header, is_cluster) in [(TABLE_HEADER, false), (CLUSTER_TABLE_HEADER, true)] {
        let table = DOCUMENT.lines().skip_while(|line| *line != header).skip(2);
        for line in table.take_while(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let name = cells[0].trim_matches('`');
            let fault = Fault::from_name(name).ok_or(format!("docs/simulation.md: unknown fault: {name}"))?;
            let seed = cells.get(2).and_then(|seed| seed.parse().ok());
            let seed = seed.ok_or(format!("docs/simulation.md: no seed for {name}"))?;
            seeds.push(DetectingSeed { fault, seed, is_cluster });
        }
    }
    match Fault::ALL.into_iter().find(|fault| !seeds.iter().any(|listed| listed.fault == *fault)) {
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
pub fn run_with_fault(row: DetectingSeed) -> Result<crate::Report, crate::Failure> {
    let run = || match row.is_cluster {
        true => crate::run_cluster(&crate::ClusterPlan::random(row.seed)),
        false => crate::run(&crate::Plan::random(row.seed)),
    };
    run().map_err(|failure| format!("also without the fault: {failure}")).expect("seeds pass");
    quadrille_fault_injection::plant(Some(row.fault));
    let outcome = run();
    quadrille_fault_injection::plant(None);
    outcome
}
