//! `cargo xtask tidy`: static checks of sources and documents that reviewers would otherwise repeat.

mod client_folders;
mod dependencies;
mod documents;
mod features;
mod import_cycles;
mod links;
mod public_functions;
mod retired_words;
mod sources;
mod violation;

use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::Project;
use violation::{Violation, read};

/// Runs all checks and prints the violations.
pub fn run(project: &Project, _arguments: &[String]) -> Outcome {
    let files = tracked_files(project)?;
    let mut violations = dependencies::check(project)?;
    violations.extend(sources::check(project, &files)?);
    violations.extend(features::check(project)?);
    violations.extend(import_cycles::check(project, &files)?);
    violations.extend(client_folders::check(project, &files)?);
    violations.extend(links::check(project, &files)?);
    violations.extend(documents::check(project, &files)?);
    violations.extend(public_functions::check(project, &files)?);
    violations.extend(retired_words::check(project, &files)?);
    violations.extend(crate::sizing::check(project)?);
    violations.extend(lock_files(project, &files)?);
    report(&violations)
}

/// Checks only the links between documents, for the documentation site.
pub fn links_only(project: &Project) -> Outcome {
    let files = tracked_files(project)?;
    report(&links::check(project, &files)?)
}

fn report(violations: &[Violation]) -> Outcome {
    for violation in violations {
        println!("    {violation}");
    }
    match violations.len() {
        0 => Ok(()),
        1 => Err("1 violation".to_owned()),
        count => Err(format!("{count} violations")),
    }
}

/// Files that git tracks or would track, relative to the root.
fn tracked_files(project: &Project) -> Result<Vec<PathBuf>, String> {
    let output = Command::new("git")
        .current_dir(&project.root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let files = names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from);
    // A file that was deleted but not yet committed is still listed.
    Ok(files.filter(|file| project.root.join(file).exists()).collect())
}

/// A lock file with URLs would tie the project to the registry of its author.
fn lock_files(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| file.ends_with("package-lock.json")) {
        for (number, line) in read(project, file)?.lines().enumerate() {
            if line.contains("\"resolved\": \"http") {
                violations.push(format!(
                    "{}:{}: URL of a registry in a lock file",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
    Ok(violations)
}
