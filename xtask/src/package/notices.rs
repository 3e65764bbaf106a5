//! The licenses of all libraries within the program, which their authors ask to be passed on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::parts::Parts;
use crate::project::cargo;
use crate::step::command_in;

/// The crates of the program, and the target for which each is compiled: `None` is the platform's.
const ROOTS: [(&str, Option<&str>); 2] =
    [("quadrille-server", None), ("quadrille-wasm", Some("wasm32-unknown-unknown"))];

/// Names of files with terms.
const TERMS: [&str; 6] = ["license", "licence", "copying", "notice", "copyright", "unlicense"];

/// A library from a registry.
struct Library {
    /// `name version`.
    title: String,
    /// The license expression of SPDX.
    license: String,
    /// The contents of its files with terms.
    terms: Vec<String>,
}

/// The list of libraries with their licenses, then each text once.
///
/// # Errors
/// When a library names no license, or the metadata cannot be read.
pub fn text(parts: &Parts) -> Result<String, String> {
    let mut libraries = BTreeMap::new();
    for (root, target) in ROOTS {
        for library in crates(parts, root, target.unwrap_or(parts.platform.triple))? {
            libraries.insert(library.title.clone(), library);
        }
    }
    for library in npm_packages(&parts.project.web())? {
        libraries.insert(library.title.clone(), library);
    }
    let mut text = String::from("Quadrille contains these libraries. Their terms follow the list.\n\n");
    for library in libraries.values() {
        _ = writeln!(text, "{}: {}", library.title, library.license);
    }
    // Many crates have the same text.
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for library in libraries.values() {
        for terms in &library.terms {
            users.entry(terms).or_default().push(&library.title);
        }
    }
    for (terms, titles) in users {
        _ = write!(text, "\n{}\n{}:\n\n{}\n", "-".repeat(80), titles.join(", "), terms.trim_end());
    }
    Ok(text)
}

/// The crates that a crate of the workspace links, by cargo's resolution for a target.
fn crates(parts: &Parts, root: &str, target: &str) -> Result<Vec<Library>, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
    let output = command_in(&parts.project.root, &cargo(), &arguments)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages: BTreeMap<&str, &Value> =
        array(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes: BTreeMap<&str, &Value> =
        array(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let start = packages.iter().find(|(_, package)| package["name"] == root).map(|(id, _)| *id);
    let mut waiting = vec![start.ok_or_else(|| format!("cargo metadata names no {root}"))?];
    let mut seen: BTreeSet<&str> = waiting.iter().copied().collect();
    let mut libraries = Vec::new();
    while let Some(id) = waiting.pop() {
        let package = packages.get(id).ok_or_else(|| format!("cargo metadata does not describe {id}"))?;
        // Those of the workspace have the license of the program.
        if !package["source"].is_null() {
            libraries.push(library_of_crate(package)?);
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| array(&node["deps"])) {
            // Crates that only run while others are compiled, or in tests, are not in the program.
            let is_linked = array(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            if let Some(next) = dependency["pkg"].as_str().filter(|next| is_linked && seen.insert(next)) {
                waiting.push(next);
            }
        }
    }
    Ok(libraries)
}

fn library_of_crate(package: &Value) -> Result<Library, String> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let title = format!("{} {}", text("name"), text("version"));
    if text("license").is_empty() {
        return Err(format!("the crate {title} names no license"));
    }
    let folder = Path::new(text("manifest_path")).parent();
    Ok(Library { title, license: text("license").to_owned(), terms: folder.map(terms).unwrap_or_default() })
}

/// The npm packages of the page: those of the lock file that are not for development.
fn npm_packages(web: &Path) -> Result<Vec<Library>, String> {
    let lock = fs::read_to_string(web.join("package-lock.json")).map_err(|error| error.to_string())?;
    let lock: Value = serde_json::from_str(&lock).map_err(|error| format!("package-lock.json: {error}"))?;
    let mut libraries = Vec::new();
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
        let is_ours = package["link"] == true;
        if is_ours || ["dev", "optional", "devOptional"].iter().any(|kind| package[kind] == true) {
            continue;
        }
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let title = format!("{name} {}", text("version"));
        if text("license").is_empty() {
            return Err(format!("the npm package {title} names no license"));
        }
        libraries.push(Library { title, license: text("license"), terms: terms(&web.join(path)) });
    }
    Ok(libraries)
}

/// The contents of the files with terms in a folder.
fn terms(folder: &Path) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    let has_terms = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        TERMS.iter().any(|start| name.starts_with(start))
    };
    files
        .iter()
        .filter(|entry| has_terms(entry))
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .collect()
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
