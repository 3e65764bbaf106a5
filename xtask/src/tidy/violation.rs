//! [`Violation`], the report of a check, and a function to read a file.

use std::fs;
use std::path::Path;

use crate::project::Project;

/// A violation: file, line and message.
pub type Violation = String;

/// The text of a file of the project.
pub fn read(project: &Project, file: &Path) -> Result<String, String> {
    fs::read_to_string(project.root.join(file)).map_err(|error| format!("{}: {error}", file.display()))
}
