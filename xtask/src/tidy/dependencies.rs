//! Compares the dependency table of ARCHITECTURE.md with the dependencies in the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::violation::Violation;
use crate::project::Project;

const DOCUMENT: &str = "ARCHITECTURE.md";
const PREFIX: &str = "quadrille-";

/// The crates that each crate uses, without the common prefix.
type Uses = BTreeMap<String, BTreeSet<String>>;

pub fn check(project: &Project) -> Result<Vec<Violation>, String> {
    let text =
        fs::read_to_string(project.root.join(DOCUMENT)).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let allowed = read_table(&text);
    if allowed.is_empty() {
        return Ok(vec![format!("{DOCUMENT}: no table with the columns crate and may use")]);
    }
    Ok(compare(&allowed, &declared_dependencies(project)))
}

fn compare(allowed: &Uses, real: &Uses) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, uses) in real {
        let Some(may_use) = allowed.get(name) else {
            violations.push(format!("{DOCUMENT}: {name} is not in the dependency table"));
            continue;
        };
        for used in uses.difference(may_use) {
            violations.push(format!("{name} uses {used}, which the table of {DOCUMENT} does not allow"));
        }
    }
    for name in allowed.keys().filter(|name| !real.contains_key(*name)) {
        violations.push(format!("{DOCUMENT}: {name} is in the dependency table, but no such crate exists"));
    }
    violations
}

/// Reads the table with the columns `crate` and `may use`. Names are in backticks. `all above` means all
/// earlier rows, `all above but` all except those named.
fn read_table(document: &str) -> Uses {
    let mut table = Uses::new();
    let mut rows = document.lines();
    let Some(uses_column) = rows.by_ref().find_map(|line| {
        let header: Vec<String> = cells(line).map(str::to_lowercase).collect();
        (header.first()? == "crate").then(|| header.iter().position(|title| title == "may use"))?
    }) else {
        return table;
    };
    for row in rows.skip(1).take_while(|line| line.trim_start().starts_with('|')) {
        let cells: Vec<&str> = cells(row).collect();
        let uses = cells.get(uses_column).copied().unwrap_or_default();
        let named: BTreeSet<String> = names(uses).collect();
        let uses = match uses.starts_with("all above") {
            true => table.keys().filter(|above| !named.contains(*above)).cloned().collect(),
            false => named,
        };
        table.extend(names(cells[0]).map(|name| (name, uses.clone())));
    }
    table
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim)
}

fn names(cell: &str) -> impl Iterator<Item = String> {
    let parts = cell.split('`').skip(1).step_by(2);
    parts.map(|name| name.trim_start_matches(PREFIX).to_owned())
}

/// The normal dependencies of each crate, without dev-dependencies.
fn declared_dependencies(project: &Project) -> Uses {
    let mut real = Uses::new();
    for package in project.crates() {
        let Some(name) = package["name"].as_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let used = dependencies
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| dependency["name"].as_str()?.strip_prefix(PREFIX))
            .map(str::to_owned)
            .collect();
        real.insert(name.to_owned(), used);
    }
    real
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT_TEXT: &str = "
# Map
| crate | holds | may use |
|---|---|---|
| `cell` | addresses | |
| `formula` | trees | `cell` |
| `calc` | graphs | `quadrille-cell`, `formula` |
| `server` | the binary | all above but `calc` |

Other text | with | bars
";

    #[test]
    fn columns_are_found_by_their_header() {
        let table = read_table(DOCUMENT_TEXT);
        let rows: Vec<String> = table.iter().map(|(name, uses)| format!("{name}: {uses:?}")).collect();
        assert_eq!(
            rows,
            [
                "calc: {\"cell\", \"formula\"}",
                "cell: {}",
                "formula: {\"cell\"}",
                "server: {\"cell\", \"formula\"}",
            ]
        );
    }

    #[test]
    fn a_dependency_outside_the_table_is_a_violation() {
        let uses = |rows: &[(&str, &[&str])]| -> Uses {
            rows.iter()
                .map(|(name, uses)| (name.to_string(), uses.iter().map(|u| u.to_string()).collect()))
                .collect()
        };
        let real = uses(&[("cell", &["formula"]), ("formula", &["cell"]), ("new", &[])]);
        assert_eq!(
            compare(&read_table(DOCUMENT_TEXT), &real),
            [
                "cell uses formula, which the table of ARCHITECTURE.md does not allow",
                "ARCHITECTURE.md: new is not in the dependency table",
                "ARCHITECTURE.md: calc is in the dependency table, but no such crate exists",
                "ARCHITECTURE.md: server is in the dependency table, but no such crate exists",
            ]
        );
    }
}
