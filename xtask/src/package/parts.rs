//! [`Parts`]: what the packages of one platform are made of.

use std::path::{Path, PathBuf};

use super::platform::Platform;
use crate::project::Project;
use crate::step::command_in;

/// The program of one platform, and what its packages say about it.
pub struct Parts<'a> {
    pub project: &'a Project,
    pub platform: &'a Platform,
    /// The version of the workspace, such as `0.2.0`.
    pub version: String,
    /// The time of the last commit in seconds since 1970: the time of all packed files.
    pub time: String,
    /// The static program.
    pub program: PathBuf,
    /// `target/package`.
    pub out: PathBuf,
}

impl<'a> Parts<'a> {
    /// Reads version and time from the project.
    ///
    /// # Errors
    /// When the project is no checkout of git.
    pub fn new(
        project: &'a Project,
        platform: &'a Platform,
        program: PathBuf,
        out: &Path,
    ) -> Result<Parts<'a>, String> {
        let (version, time) = (version(project)?, commit_time(project)?);
        Ok(Parts { project, platform, version, time, program, out: out.to_owned() })
    }

    /// `quadrille-0.2.0-arm64`.
    pub fn name(&self) -> String {
        format!("quadrille-{}-{}", self.version, self.platform.architecture)
    }
}

fn version(project: &Project) -> Result<String, String> {
    let server = project.crates().find(|package| package["name"] == "quadrille-server");
    let version = server.and_then(|package| package["version"].as_str());
    version.map(str::to_owned).ok_or_else(|| "cargo metadata names no quadrille-server".to_owned())
}

fn commit_time(project: &Project) -> Result<String, String> {
    let mut log = command_in(&project.root, "git", &["log", "-1", "--format=%ct"]);
    let output = log.output().map_err(|error| format!("git: {error}"))?;
    let time = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if time.is_empty() { Err("git log names no commit".to_owned()) } else { Ok(time) }
}
