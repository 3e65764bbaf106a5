//! Checks that lines of Markdown documents have at most 100 columns.

use std::path::{Path, PathBuf};

use super::violation::{Violation, read};
use crate::project::Project;

/// Maximum number of characters of a line of prose.
const COLUMNS_MAX: usize = 100;

/// Generated pages, whose lines are not wrapped.
const GENERATED: [&str; 1] = ["docs/functions.md"];

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| is_document(file)) {
        violations.extend(wide_lines(&file.display().to_string(), &read(project, file)?));
    }
    Ok(violations)
}

fn is_document(file: &Path) -> bool {
    let is_generated = GENERATED.iter().any(|generated| file == Path::new(generated));
    file.extension().is_some_and(|extension| extension == "md") && !is_generated
}

/// Lines that are too wide and can be wrapped: not rows of tables, code blocks or lines without a space.
fn wide_lines(file: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let start = line.trim_start().trim_start_matches(['-', '*', '>', ' ']);
        let cannot_wrap = is_code || start.starts_with(['|', '<', '!']) || !start.contains(' ');
        let columns = line.chars().count();
        if columns > COLUMNS_MAX && !cannot_wrap {
            violations
                .push(format!("{file}:{}: {columns} columns, more than {COLUMNS_MAX}: wrap", number + 1));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prose_must_be_wrapped() {
        let long = "word ".repeat(30);
        let text = format!("{long}\n| {long} |\n```\n{long}\n```\n- <https://{}>\nshort\n", "a".repeat(120));
        assert_eq!(wide_lines("a.md", &text), ["a.md:1: 149 columns, more than 100: wrap"]);
    }
}
