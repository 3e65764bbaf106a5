//! Checks that every public function of a library crate has a docstring.

use std::path::{Path, PathBuf};

use super::violation::{Violation, read};
use crate::project::Project;

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| is_library_source(file)) {
        violations.extend(undocumented(&file.display().to_string(), &read(project, file)?));
    }
    Ok(violations)
}

/// Whether a file is a source in `crates/*/src`, except for the server, which is a binary, and files of
/// unit tests.
fn is_library_source(file: &Path) -> bool {
    let path = file.to_string_lossy();
    let mut parts = path.split('/');
    let is_source =
        parts.next() == Some("crates") && parts.next() != Some("server") && parts.next() == Some("src");
    is_source && path.ends_with(".rs") && !path.ends_with("tests.rs") && !path.ends_with("/main.rs")
}

/// Public functions without a docstring. `pub(crate)` functions are not public.
fn undocumented(file: &str, text: &str) -> Vec<Violation> {
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]").collect();
    let mut violations = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(name) = public_function(line) else { continue };
        let mut above = lines[..number].iter().rev();
        // Attributes are between the docstring and the function; one may span several lines.
        let first = above.find(|line| !(line.starts_with("#[") || line.ends_with(")]")));
        if !first.is_some_and(|line| line.starts_with("///")) {
            violations.push(format!("{file}:{}: public function {name} has no docstring", number + 1));
        }
    }
    violations
}

/// The name of the function that a line declares as `pub`.
fn public_function(line: &str) -> Option<&str> {
    let mut rest = line.strip_prefix("pub ")?;
    for qualifier in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(qualifier).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_functions_need_a_docstring() {
        let text = "/// Documented.\n#[inline]\npub fn one() {}\n\npub const fn two() {}\n\nfn three() {}\n\
            pub(crate) fn four() {}\n#[cfg(test)]\npub fn five() {}\n";
        assert_eq!(undocumented("a.rs", text), ["a.rs:5: public function two has no docstring"]);
    }

    #[test]
    fn library_sources_are_checked() {
        for (file, is_checked) in [
            ("crates/cell/src/a1.rs", true),
            ("crates/cell/tests/a1.rs", false),
            ("crates/server/src/cli.rs", false),
            ("crates/operation/src/json_reader/tests.rs", false),
            ("xtask/src/tidy.rs", false),
        ] {
            assert_eq!(is_library_source(Path::new(file)), is_checked, "{file}");
        }
    }
}
