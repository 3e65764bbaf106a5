//! Imports between the files of one Rust crate, read from `mod`, `use` and paths in the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::tidy::import_cycles::imports::Imports;

type Segments = Vec<String>;

/// A module that has a file of its own.
#[derive(Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    /// Names of the items that the file defines.
    defined: BTreeSet<String>,
    /// Names that `use` brings into the module, with their absolute paths.
    imported: BTreeMap<String, Segments>,
    /// Absolute paths of modules whose names `use …::*` brings in.
    globs: Vec<Segments>,
    /// Absolute paths that the code uses: those of private `use` declarations and those written out.
    used: Vec<Segments>,
}

/// Modules by their path within the crate; the root is the empty path.
type Modules = BTreeMap<Segments, Module>;

pub fn imports(sources: &BTreeMap<PathBuf, String>) -> Imports {
    let mut imports = Imports::new();
    for root in sources.keys().filter(|file| is_crate_root(file)) {
        let mut modules = Modules::new();
        collect(sources, root, Vec::new(), true, &mut modules);
        for module in modules.values() {
            let mut targets: BTreeSet<&PathBuf> = BTreeSet::new();
            for path in &module.used {
                targets.extend(defining_file(&modules, path, 0));
            }
            targets.remove(&module.file);
            imports.entry(module.file.clone()).or_default().extend(targets.into_iter().cloned());
        }
    }
    imports
}

fn is_crate_root(file: &Path) -> bool {
    (file.ends_with("src/lib.rs") || file.ends_with("src/main.rs"))
        && file.extension().is_some_and(|extension| extension == "rs")
}

fn collect(
    sources: &BTreeMap<PathBuf, String>,
    file: &Path,
    path: Segments,
    owns_folder: bool,
    modules: &mut Modules,
) {
    let Some(text) = sources.get(file) else { return };
    let tokens = tokens(without_inline_tests(text));
    let module = read(&tokens, file, &path);
    let parent = file.parent().unwrap_or(Path::new(""));
    let folder = match owns_folder {
        true => parent.to_owned(),
        false => parent.join(file.file_stem().unwrap_or_default()),
    };
    for child in module.children.clone() {
        let mut child_path = path.clone();
        child_path.push(child.clone());
        let nested = folder.join(&child).join("mod.rs");
        let (child_file, owns_folder) = match sources.contains_key(&nested) {
            true => (nested, true),
            false => (folder.join(format!("{child}.rs")), false),
        };
        collect(sources, &child_file, child_path, owns_folder, modules);
    }
    modules.insert(path, module);
}

/// The file that defines the item at an absolute path; `None` when the path is a module.
fn defining_file<'a>(modules: &'a Modules, path: &[String], depth: usize) -> Option<&'a PathBuf> {
    // Limits the depth, since glob imports may form a cycle.
    const DEPTH_MAX: usize = 8;
    if depth > DEPTH_MAX {
        return None;
    }
    let mut length = 0;
    while length < path.len() && modules.contains_key(&path[..=length]) {
        length += 1;
    }
    let module = modules.get(&path[..length])?;
    let item = path.get(length)?;
    if module.defined.contains(item) {
        return Some(&module.file);
    }
    let rest = &path[length + 1..];
    if let Some(target) = module.imported.get(item) {
        let full: Segments = target.iter().chain(rest).cloned().collect();
        return defining_file(modules, &full, depth + 1);
    }
    module.globs.iter().find_map(|glob| {
        let full: Segments = glob.iter().chain([item]).chain(rest).cloned().collect();
        // A glob import of the module itself or of a parent finds what those define.
        (glob.as_slice() != &path[..length]).then(|| defining_file(modules, &full, depth + 1)).flatten()
    })
}

fn read(tokens: &[&str], file: &Path, path: &[String]) -> Module {
    let mut module = Module { file: file.to_owned(), ..Module::default() };
    let mut at = 0;
    let mut uses = Vec::new();
    while at < tokens.len() {
        let next = tokens.get(at + 1).copied().unwrap_or("");
        match tokens[at] {
            "mod" if tokens.get(at + 2) == Some(&";") => {
                module.children.insert(next.to_owned());
                at += 3;
            }
            "use" => {
                let is_public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                let end =
                    tokens[at..].iter().position(|token| *token == ";").map_or(tokens.len(), |end| at + end);
                uses.push((is_public, at + 1, end));
                at = end;
            }
            "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" if is_name(next) => {
                let name = if next == "mut" { tokens.get(at + 2).copied().unwrap_or("") } else { next };
                module.defined.insert(name.to_owned());
                at += 2;
            }
            "macro_rules" => at += 2,
            _ => at += 1,
        }
    }
    for &(is_public, start, end) in &uses {
        for (target, alias) in use_tree(&tokens[start..end]) {
            let Some(target) = absolute(&target, path, &module) else { continue };
            match alias.as_str() {
                "*" => module.globs.push(target),
                _ => {
                    if !is_public {
                        module.used.push(target.clone());
                    }
                    module.imported.insert(alias, target);
                }
            }
        }
    }
    let mut at = 0;
    while at < tokens.len() {
        if let Some(&(_, _, end)) = uses.iter().find(|(_, start, _)| *start == at + 1) {
            at = end;
            continue;
        }
        let is_path_start =
            is_name(tokens[at]) && tokens.get(at + 1) == Some(&"::") && (at == 0 || tokens[at - 1] != "::");
        if !is_path_start {
            at += 1;
            continue;
        }
        let mut segments = vec![tokens[at].to_owned()];
        at += 1;
        while tokens.get(at) == Some(&"::") && tokens.get(at + 1).is_some_and(|next| is_name(next)) {
            segments.push(tokens[at + 1].to_owned());
            at += 2;
        }
        if let Some(path) = absolute(&segments, path, &module) {
            module.used.push(path);
        }
    }
    module
}

/// The absolute path of a path in `module`; `None` when it leads to another crate.
fn absolute(segments: &[String], module_path: &[String], module: &Module) -> Option<Segments> {
    let mut base = module_path.to_vec();
    let mut rest = segments;
    match segments.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &segments[1..];
        }
        "self" => rest = &segments[1..],
        "super" => {
            while rest.first().is_some_and(|segment| segment == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        first if module.children.contains(first) => {}
        first => {
            base = module.imported.get(first)?.clone();
            rest = &segments[1..];
        }
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// The paths of a `use` declaration with their names in the module.
fn use_tree(tokens: &[&str]) -> Vec<(Segments, String)> {
    fn branch(tokens: &[&str], at: &mut usize, prefix: &[String], found: &mut Vec<(Segments, String)>) {
        let mut path = prefix.to_vec();
        loop {
            match tokens.get(*at).copied() {
                Some("{") => {
                    *at += 1;
                    while *at < tokens.len() && tokens[*at] != "}" {
                        branch(tokens, at, &path, found);
                        if tokens.get(*at) == Some(&",") {
                            *at += 1;
                        }
                    }
                    *at += 1;
                    return;
                }
                Some("::") => *at += 1,
                Some("*") => {
                    *at += 1;
                    found.push((path, "*".to_owned()));
                    return;
                }
                Some("as") => {
                    let alias = tokens.get(*at + 1).copied().unwrap_or("_");
                    *at += 2;
                    found.push((path, alias.to_owned()));
                    return;
                }
                Some(name) if is_name(name) => {
                    // `self` within braces is the module itself.
                    if name != "self" || path.is_empty() {
                        path.push(name.to_owned());
                    }
                    *at += 1;
                }
                _ => {
                    if let Some(last) = path.last().cloned() {
                        found.push((path, last));
                    } else {
                        *at += 1;
                    }
                    return;
                }
            }
        }
    }
    let mut found = Vec::new();
    branch(tokens, &mut 0, &[], &mut found);
    found
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The text before the inline test module, which by convention is at the end of a file.
fn without_inline_tests(text: &str) -> &str {
    let mut start = 0;
    while let Some(found) = text[start..].find("#[cfg(test)]") {
        let after = text[start + found + "#[cfg(test)]".len()..].trim_start();
        let declaration = after.lines().next().unwrap_or("");
        if declaration.starts_with("mod ") && declaration.contains('{') {
            return &text[..start + found];
        }
        start += found + 1;
    }
    text
}

/// Identifiers, `::` and single punctuation characters, without comments, strings and character literals.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if let Some(length) = raw_text(rest) {
            at += length;
        } else if byte == b'"' {
            at += quoted(&bytes[at..]);
        } else if byte == b'\'' {
            at += character_or_lifetime(rest);
        } else if rest.starts_with("::") {
            tokens.push(&text[at..at + 2]);
            at += 2;
        } else if byte.is_ascii_alphanumeric() || byte == b'_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(&text[at..at + length]);
            at += length;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            if !byte.is_ascii_whitespace() {
                tokens.push(&text[at..at + length]);
            }
            at += length;
        }
    }
    tokens
}

/// Length of a raw string at the start of `text`, if there is one.
fn raw_text(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(())?;
    let start = text.len() - after.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text[start..].find(&end).map_or(text.len(), |found| start + found + end.len()))
}

fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn character_or_lifetime(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => {
            text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| at + 3)
        }
        Some((_, _)) => match characters.next() {
            Some((end, '\'')) => end + 1,
            _ => 1,
        },
        None => 1,
    }
}
