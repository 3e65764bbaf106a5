//! Checks the length, name and forbidden words of source files.

use std::path::{Path, PathBuf};

use super::violation::{Violation, read};
use crate::project::Project;

/// Maximum number of lines of a source file.
const LINES_MAX: usize = 700;
/// Maximum number of lines of a style sheet, whose rules are independent.
const LINES_MAX_CSS: usize = 1_000;

/// Names of folders and files that do not describe their contents.
const VAGUE_NAMES: [&str; 7] = ["util", "utils", "common", "misc", "helper", "helpers", "stuff"];

/// Crates that may do I/O; all others get time, files and threads as arguments.
const IO_CRATES: [&str; 9] = [
    "crates/server/",
    "crates/storage-sqlite/",
    "crates/storage-postgres/",
    "crates/storage-shards/",
    "crates/test-database/",
    "crates/testkit/",
    "xtask/",
    "bench/",
    "simulation/",
];

/// Paths that other crates must not use outside their tests.
const IO_PATHS: [&str; 7] = [
    "std::fs",
    "std::net",
    "std::thread",
    "std::time::SystemTime",
    "std::time::Instant",
    "SystemTime::now",
    "Instant::now",
];

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for file in files {
        violations.extend(name(file));
        if is_source(file) {
            let text = read(project, file)?;
            violations.extend(length(file, &text));
            violations.extend(todo_without_issue(file, &text));
            violations.extend(io_paths(file, &text));
        }
    }
    Ok(violations)
}

fn is_source(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let is_generated = file.components().any(|part| part.as_os_str() == "generated");
    matches!(extension, Some("rs" | "ts" | "tsx" | "css")) && !is_generated
}

fn name(file: &Path) -> Option<Violation> {
    let parts = file.iter().map(|part| part.to_string_lossy());
    let vague = parts.map(|part| part.split('.').next().unwrap_or_default().to_lowercase());
    let vague = vague.into_iter().find(|part| VAGUE_NAMES.contains(&part.as_str()))?;
    Some(format!("{}: \"{vague}\" does not describe the contents", file.display()))
}

fn length(file: &Path, text: &str) -> Option<Violation> {
    let lines = text.lines().count();
    let is_css = file.extension().is_some_and(|extension| extension == "css");
    let lines_max = if is_css { LINES_MAX_CSS } else { LINES_MAX };
    (lines > lines_max)
        .then(|| format!("{}: {lines} lines, more than {lines_max}: split by topic", file.display()))
}

/// A to-do comment must name its issue, with the number in parentheses after the word.
fn todo_without_issue(file: &Path, text: &str) -> Vec<Violation> {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in words {
            let stands_alone =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
            if stands_alone && !line.contains(&format!("{word}(#")) {
                violations.push(format!(
                    "{}:{}: {word} without an issue: write {word}(#12)",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
    violations
}

/// Invariant 1 of ARCHITECTURE.md: no I/O, clock or thread below `server`.
fn io_paths(file: &Path, text: &str) -> Vec<Violation> {
    let path = file.to_string_lossy();
    let is_test = path.contains("/tests/")
        || path.contains("/examples/")
        || path.contains("/benches/")
        || path.ends_with("tests.rs");
    let is_bound = path.starts_with("crates/") && path.ends_with(".rs") && !is_test;
    if !is_bound || IO_CRATES.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    // By convention, tests are at the end of a file.
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let code = code.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut violations = Vec::new();
    for (number, line) in code {
        if let Some(word) = IO_PATHS.iter().find(|word| line.contains(*word)) {
            violations.push(format!(
                "{}:{}: {word} is not allowed below the server",
                file.display(),
                number + 1
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_names_are_violations() {
        for (file, is_vague) in [
            ("crates/utils/src/lib.rs", true),
            ("web/grid/helpers.ts", true),
            ("crates/cell/src/a1.rs", false),
        ] {
            assert_eq!(name(Path::new(file)).is_some(), is_vague, "{file}");
        }
    }

    #[test]
    fn io_is_allowed_in_the_server_and_in_tests() {
        let clock = "fn f() { std::time::Instant::now(); }\n";
        let in_tests = "#[cfg(test)]\nmod tests { use std::fs; }\n";
        for (file, text, violations) in [
            ("crates/room/src/lib.rs", clock, 1),
            ("crates/server/src/main.rs", clock, 0),
            ("crates/room/src/lib.rs", in_tests, 0),
            ("crates/room/tests/all.rs", clock, 0),
            ("crates/room/src/lib.rs", "// std::fs is not allowed\n", 0),
        ] {
            assert_eq!(io_paths(Path::new(file), text).len(), violations, "{file}: {text}");
        }
    }

    #[test]
    fn to_do_comments_need_an_issue() {
        let word = concat!("TO", "DO");
        assert_eq!(todo_without_issue(Path::new("a.rs"), &format!("// {word}: later")).len(), 1);
        assert_eq!(todo_without_issue(Path::new("a.rs"), &format!("// {word}(#7): later")).len(), 0);
    }
}
