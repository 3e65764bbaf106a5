//! `cargo xtask sizing`: how many servers and databases an installation of many tenants needs, written to
//! `docs/sizing.md`. A week of all tenants is simulated; what each thing costs is read from the results of the
//! benchmarks.

mod coefficients;
mod page;
mod week;

use std::fs;

use crate::outcome::Outcome;
use crate::project::Project;
use coefficients::Coefficients;

const PAGE: &str = "docs/sizing.md";

/// Writes the page.
pub fn run(project: &Project, _arguments: &[String]) -> Outcome {
    let text = page::render(&Coefficients::read(project)?);
    fs::write(project.root.join(PAGE), text).map_err(|error| format!("{PAGE}: {error}"))?;
    println!("    wrote {PAGE}");
    Ok(())
}

/// Says what is wrong when the page is not that of the results of the benchmarks.
pub fn check(project: &Project) -> Result<Option<String>, String> {
    let expected = page::render(&Coefficients::read(project)?);
    let text = fs::read_to_string(project.root.join(PAGE)).unwrap_or_default();
    Ok((text != expected).then(|| format!("{PAGE} is out of date: run cargo xtask sizing")))
}
