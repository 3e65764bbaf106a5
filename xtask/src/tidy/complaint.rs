//! What the checks report, and how they read a file.

use std::fs;
use std::path::Path;

use crate::project::Project;

/// One violation, with the file and line where it stands.
pub type Complaint = String;

pub fn read(project: &Project, file: &Path) -> Result<String, String> {
    fs::read_to_string(project.root.join(file)).map_err(|error| format!("{}: {error}", file.display()))
}
