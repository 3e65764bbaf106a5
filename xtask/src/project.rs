//! [`Project`]: paths of the project and the metadata of its crates.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The paths of the project.
pub struct Project {
    pub root: PathBuf,
    /// Cargo's target folder, which `CARGO_TARGET_DIR` changes.
    pub target: PathBuf,
    /// Output of `cargo metadata --no-deps`: the crates of the workspace.
    pub metadata: Value,
}

impl Project {
    /// Finds the project of this program.
    ///
    /// # Errors
    /// When `cargo metadata` fails.
    pub fn find() -> Result<Project, String> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no folder above it")?.to_owned();
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(&root)
            .output()
            .map_err(|error| format!("cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        let target =
            metadata["target_directory"].as_str().ok_or("cargo metadata names no target folder")?.into();
        Ok(Project { root, target, metadata })
    }

    /// The folder of the web client.
    pub fn web(&self) -> PathBuf {
        self.root.join("web")
    }

    /// The path of the server binary; `profile` is the name of the folder (`debug`, `release`).
    pub fn binary(&self, profile: &str) -> PathBuf {
        self.program(profile, "quadrille")
    }

    /// The path of a binary of the workspace.
    pub fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Whether the workspace has a crate of this name.
    pub fn has_crate(&self, name: &str) -> bool {
        self.crates().any(|package| package["name"] == name)
    }

    /// The metadata of the workspace's crates.
    pub fn crates(&self) -> impl Iterator<Item = &Value> {
        self.metadata["packages"].as_array().into_iter().flatten()
    }
}

/// The cargo that runs this program, so that a toolchain chosen by the caller stays chosen.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
