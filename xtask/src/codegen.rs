//! `cargo xtask codegen`: generates the TypeScript types of messages between the client, the engine and
//! the server. `ts-rs` writes them in tests named `export_bindings_*` into `TS_RS_EXPORT_DIR`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::step::{command_in, execute};

/// The crates with exported types.
const CRATES: [&str; 4] =
    ["quadrille-operation", "quadrille-protocol", "quadrille-viewport", "quadrille-wasm"];

fn committed(project: &Project) -> PathBuf {
    project.web().join("protocol/generated")
}

fn fresh(project: &Project) -> PathBuf {
    project.target.join("generated-types")
}

/// Makes a test run write the types below the target folder, where [`check`] reads them.
pub fn into_target<'a>(project: &Project, command: &'a mut Command) -> &'a mut Command {
    command.env("TS_RS_EXPORT_DIR", fresh(project))
}

/// Generates the types and replaces the committed ones.
pub fn write(project: &Project, _arguments: &[String]) -> Outcome {
    // Generates below the target folder first: on a compile error the committed types remain.
    clear_fresh(project)?;
    generate(project, &fresh(project))?;
    let types = read_all(&fresh(project))?;
    let folder = committed(project);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    for (name, text) in &types {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap_or(&folder)).map_err(failed)?;
        fs::write(file, text).map_err(failed)?;
    }
    println!("{} types in {}", types.len(), folder.display());
    Ok(())
}

/// Removes the generated types, so that a type without a Rust type does not remain.
pub fn clear_fresh(project: &Project) -> Outcome {
    let fresh = fresh(project);
    match fs::remove_dir_all(&fresh) {
        Err(error) if fresh.exists() => Err(format!("{}: {error}", fresh.display())),
        _ => Ok(()),
    }
}

/// Compares the committed types with those that the last test run generated.
pub fn check(project: &Project) -> Outcome {
    let (written, wanted) = (read_all(&committed(project))?, read_all(&fresh(project))?);
    if wanted.is_empty() {
        return Err("the tests generated no types".to_owned());
    }
    let stale: Vec<&str> = wanted
        .iter()
        .filter(|(name, text)| written.get(*name) != Some(text))
        .map(|(name, _)| name.as_str())
        .chain(written.keys().filter(|name| !wanted.contains_key(*name)).map(String::as_str))
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("outdated types: {}. Run cargo xtask codegen and commit", stale.join(", ")))
}

fn generate(project: &Project, folder: &Path) -> Outcome {
    let mut command = command_in(&project.root, &cargo(), &["test", "--quiet", "--lib"]);
    for name in CRATES.iter().filter(|name| project.has_crate(name)) {
        command.args(["--package", name]);
    }
    execute(command.arg("export_bindings").env("TS_RS_EXPORT_DIR", folder))
}

/// The texts of all files in a folder and below, by relative path; empty when the folder does not exist.
fn read_all(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(files) };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            files.extend(read_all(&path)?.into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.insert(name, text);
        }
    }
    Ok(files)
}
