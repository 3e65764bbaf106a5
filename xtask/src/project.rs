//! Where the parts of the project lie, and what Cargo says of its crates.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

pub struct Project {
    pub root: PathBuf,
    /// Cargo's, which `CARGO_TARGET_DIR` moves.
    pub target: PathBuf,
    /// Answer of `cargo metadata --no-deps`: our own crates.
    pub metadata: Value,
}

impl Project {
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

    pub fn web(&self) -> PathBuf {
        self.root.join("web")
    }

    /// The server's program as `cargo build` writes it; `profile` is the folder's name (`debug`, `release`).
    pub fn binary(&self, profile: &str) -> PathBuf {
        self.program(profile, "quadrille")
    }

    /// A program of the workspace, by its name.
    pub fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    pub fn has_crate(&self, name: &str) -> bool {
        self.crates().any(|package| package["name"] == name)
    }

    pub fn crates(&self) -> impl Iterator<Item = &Value> {
        self.metadata["packages"].as_array().into_iter().flatten()
    }
}

/// The cargo that runs this program, so that a toolchain chosen by the caller stays chosen.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
