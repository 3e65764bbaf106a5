//! Imports between TypeScript files, read from `import … from` and `export … from` with a relative address.
//! Type-only imports are erased by the compiler and are not edges.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::tidy::import_cycles::imports::Imports;

/// One `import` or `export … from` declaration.
struct Reference {
    target: PathBuf,
    /// The imported names, without types.
    names: Vec<String>,
    /// `* as name`, or an import for its side effects.
    is_whole: bool,
    is_export: bool,
}

pub fn imports(sources: &BTreeMap<PathBuf, String>) -> Imports {
    let references: BTreeMap<&PathBuf, Vec<Reference>> = sources
        .iter()
        .filter(|(file, _)| file.extension().is_some_and(|extension| extension != "rs"))
        .map(|(file, text)| (file, references(sources, file, text)))
        .collect();
    let mut imports = Imports::new();
    for (file, uses) in &references {
        let mut targets = BTreeSet::new();
        // A file that re-exports a name without using it does not depend on it.
        for reference in uses.iter().filter(|reference| !reference.is_export) {
            if reference.is_whole {
                targets.insert(reference.target.clone());
            }
            for name in &reference.names {
                targets.insert(defining_file(&references, &reference.target, name, 0));
            }
        }
        targets.remove(*file);
        imports.insert((*file).clone(), targets.into_iter().collect());
    }
    imports
}

fn defining_file(
    references: &BTreeMap<&PathBuf, Vec<Reference>>,
    file: &PathBuf,
    name: &str,
    depth: usize,
) -> PathBuf {
    const DEPTH_MAX: usize = 8;
    let exports = references.get(file).into_iter().flatten().filter(|reference| reference.is_export);
    for export in exports {
        if depth < DEPTH_MAX && export.names.iter().any(|exported| exported == name) {
            return defining_file(references, &export.target, name, depth + 1);
        }
    }
    file.clone()
}

fn references(sources: &BTreeMap<PathBuf, String>, file: &Path, text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut statement = String::new();
    for line in text.lines() {
        let starts = line.starts_with("import ") || line.starts_with("export ");
        if statement.is_empty() && !starts {
            continue;
        }
        if statement.is_empty() && line.starts_with("export ") {
            let after = line["export ".len()..].trim_start_matches("type ");
            if !after.starts_with('{') && !after.starts_with('*') {
                continue;
            }
        }
        statement.push_str(line);
        statement.push('\n');
        if line.trim_end().ends_with(';') || statement.lines().count() > 80 {
            found.extend(reference(sources, file, &statement));
            statement.clear();
        }
    }
    found
}

fn reference(sources: &BTreeMap<PathBuf, String>, file: &Path, statement: &str) -> Option<Reference> {
    let mut quoted = statement.split('"');
    let names = quoted.next()?;
    let address = quoted.next()?;
    if !address.starts_with('.') {
        return None;
    }
    let target = resolve(sources, &file.parent()?.join(address))?;
    if names.starts_with("import type ") {
        return None;
    }
    let inner =
        names.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inner, _)| inner);
    let is_export = statement.starts_with("export");
    // An export is known under its new name, an import by the old one: `{ old as new }`.
    let name = |part: &str| {
        let part = part.trim();
        let part = match part.strip_prefix("type ") {
            Some(_) if !is_export => return None,
            Some(rest) => rest,
            None => part,
        };
        let mut sides = part.split(" as ");
        let old = sides.next()?.trim();
        let name = if is_export { sides.next().map_or(old, str::trim) } else { old };
        (!name.is_empty()).then(|| name.to_owned())
    };
    let is_whole = !names.contains('{');
    Some(Reference { target, names: inner.split(',').filter_map(name).collect(), is_whole, is_export })
}

fn resolve(sources: &BTreeMap<PathBuf, String>, address: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in address.components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    let base = path.to_string_lossy().into_owned();
    ["", ".ts", ".tsx", "/index.ts", "/index.tsx"]
        .iter()
        .map(|ending| PathBuf::from(format!("{base}{ending}")))
        .find(|candidate| sources.contains_key(candidate))
}
