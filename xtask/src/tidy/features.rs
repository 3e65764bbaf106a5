//! Checks that the tests named in the table of `docs/features.md` exist.

use std::path::Path;

use super::violation::{Violation, read};
use crate::project::Project;

const PAGE: &str = "docs/features.md";
/// Index of the column with the tests; the text before the first `|` counts as column 0.
const COLUMN: usize = 8;

pub fn check(project: &Project) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for (number, line) in read(project, Path::new(PAGE))?.lines().enumerate() {
        let Some(cell) = line.split('|').nth(COLUMN).filter(|_| line.starts_with('|')) else { continue };
        violations.extend(
            missing_tests(project, cell)
                .into_iter()
                .map(|missing| format!("{PAGE}:{}: {missing}", number + 1)),
        );
    }
    Ok(violations)
}

/// The missing tests in a cell such as `` `editing`: *fill handle …*, *sorting*; `crates/files/tests/files/items.rs` ``.
fn missing_tests(project: &Project, cell: &str) -> Vec<String> {
    let mut missing = Vec::new();
    let mut test: Option<(String, String)> = None;
    let mut rest = cell;
    while let Some(at) = rest.find(['`', '*']) {
        let mark = &rest[at..=at];
        let Some((word, after)) = rest[at + 1..].split_once(mark) else { break };
        rest = after;
        if mark == "`" {
            let Some(path) = path_of(word) else { continue };
            match read(project, Path::new(&path)) {
                Ok(text) => test = Some((path, text)),
                Err(_) => missing.push(format!("no such test: {path}")),
            }
        } else if let Some((path, text)) = &test {
            let title = word.trim_end_matches(['…', ' ']);
            if !text.contains(title) {
                missing.push(format!("no such test in {path}: {title}"));
            }
        }
    }
    missing
}

/// The file that a code span names: a lower-case word is a file of browser tests, a text with a slash is
/// a path; anything else is not a file.
fn path_of(word: &str) -> Option<String> {
    if word.contains('/') {
        Some(word.to_owned())
    } else if !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase()) {
        Some(format!("web/e2e/{word}.spec.ts"))
    } else {
        None
    }
}
