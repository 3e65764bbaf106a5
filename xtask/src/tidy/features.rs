//! `docs/features.md` names the test that shows each feature; the test has to be there.

use std::path::Path;

use super::complaint::{Complaint, read};
use crate::project::Project;

const PAGE: &str = "docs/features.md";
/// What a feature is shown by, counting what stands before the first line of the table.
const COLUMN: usize = 8;

pub fn check(project: &Project) -> Result<Vec<Complaint>, String> {
    let mut complaints = Vec::new();
    for (number, line) in read(project, Path::new(PAGE))?.lines().enumerate() {
        let Some(cell) = line.split('|').nth(COLUMN).filter(|_| line.starts_with('|')) else { continue };
        complaints.extend(
            shown_by(project, cell).into_iter().map(|wrong| format!("{PAGE}:{}: {wrong}", number + 1)),
        );
    }
    Ok(complaints)
}

/// What is wrong with a cell such as `` `editing`: *fill handle …*, *sorting*; `crates/files/tests/items.rs` ``.
fn shown_by(project: &Project, cell: &str) -> Vec<String> {
    let mut wrong = Vec::new();
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
                Err(_) => wrong.push(format!("no such test: {path}")),
            }
        } else if let Some((path, text)) = &test {
            let title = word.trim_end_matches(['…', ' ']);
            if !text.contains(title) {
                wrong.push(format!("no such test in {path}: {title}"));
            }
        }
    }
    wrong
}

/// A word is a file of browser tests, a path is itself; anything else is code that is talked about.
fn path_of(word: &str) -> Option<String> {
    if word.contains('/') {
        Some(word.to_owned())
    } else if !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase()) {
        Some(format!("web/e2e/{word}.spec.ts"))
    } else {
        None
    }
}
