//! What reviewers would otherwise say again and again, checked by reading files only.

mod dependencies;
mod features;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::project::Project;

/// One thing to mend, in words that say where.
type Complaint = String;

pub fn run(project: &Project, _arguments: &[String]) -> Outcome {
    let files = tracked_files(project)?;
    let mut complaints = dependencies::check(project)?;
    complaints.extend(sources::check(project, &files)?);
    complaints.extend(features::check(project)?);
    complaints.extend(lock_files(project, &files)?);
    for complaint in &complaints {
        println!("    {complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        count => Err(format!("{count} thing(s) to mend")),
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

fn read(project: &Project, file: &Path) -> Result<String, String> {
    fs::read_to_string(project.root.join(file)).map_err(|error| format!("{}: {error}", file.display()))
}
