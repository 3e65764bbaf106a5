//! What reviewers would otherwise say again and again, checked by reading files only.

mod client_folders;
mod complaint;
mod dependencies;
mod documents;
mod features;
mod import_cycles;
mod links;
mod public_functions;
mod retired_words;
mod sources;

use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::Project;
use complaint::{Complaint, read};

pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    let files = tracked_files(project)?;
    let mut complaints = dependencies::check(project)?;
    complaints.extend(sources::check(project, &files)?);
    complaints.extend(features::check(project)?);
    if arguments.iter().any(|argument| argument == "--new") {
        complaints.extend(import_cycles::check(project, &files)?);
        complaints.extend(client_folders::check(project, &files)?);
        complaints.extend(links::check(project, &files)?);
        complaints.extend(documents::check(project, &files)?);
        complaints.extend(public_functions::check(project, &files)?);
        complaints.extend(retired_words::check(project, &files)?);
    }
    complaints.extend(lock_files(project, &files)?);
    report(&complaints)
}

/// The part that the documentation site needs: every link between the documents leads somewhere.
pub fn links_only(project: &Project) -> Outcome {
    let files = tracked_files(project)?;
    report(&links::check(project, &files)?)
}

fn report(complaints: &[Complaint]) -> Outcome {
    for complaint in complaints {
        println!("    {complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        1 => Err("1 violation".to_owned()),
        count => Err(format!("{count} violations")),
    }
}

/// What git tracks or would track, relative to the root.
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

/// A lock file with addresses in it ties the project to the registry of whoever wrote it.
fn lock_files(project: &Project, files: &[PathBuf]) -> Result<Vec<Complaint>, String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.ends_with("package-lock.json")) {
        for (number, line) in read(project, file)?.lines().enumerate() {
            if line.contains("\"resolved\": \"http") {
                complaints.push(format!(
                    "{}:{}: address of a registry in a lock file",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
    Ok(complaints)
}
