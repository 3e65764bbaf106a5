//! Checks the table of `docs/features.md`: the tests that it names exist, and each mark of another
//! program has a source in `docs/features-sources.md`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::violation::{Violation, read};
use crate::project::Project;

const PAGE: &str = "docs/features.md";
const SOURCES: &str = "docs/features-sources.md";

/// Columns of the other programs, after the feature. The two pages have them at the same positions.
const PROGRAMS: Range<usize> = 1..7;
/// Column with the tests, and number of columns of a row with it.
const TESTS: usize = 8;
const COLUMNS: usize = 9;
/// The mark of what no document tells, which has no source.
const UNKNOWN: &str = "?";

pub fn check(project: &Project) -> Result<Vec<Violation>, String> {
    let page = read(project, Path::new(PAGE))?;
    let mut violations = unsourced_marks(&page, &read(project, Path::new(SOURCES))?);
    for (line, cells) in rows(&page, COLUMNS) {
        violations.extend(
            missing_tests(project, cells[TESTS])
                .into_iter()
                .map(|missing| format!("{PAGE}:{line}: {missing}")),
        );
    }
    Ok(violations)
}

/// Numbers and cells of the table rows with `columns` columns.
fn rows(text: &str, columns: usize) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines().enumerate().filter_map(move |(index, line)| {
        let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let is_feature = cells.len() == columns && cells[0] != "feature" && !cells[0].starts_with("---");
        is_feature.then_some((index + 1, cells))
    })
}

/// Marks without a source, sources of unknown marks, and features that only one of the pages has.
fn unsourced_marks(page: &str, sources: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut unused: BTreeMap<&str, (usize, Vec<&str>)> =
        rows(sources, PROGRAMS.end).map(|(line, cells)| (cells[0], (line, cells))).collect();
    for (line, marks) in rows(page, COLUMNS) {
        let feature = marks[0];
        let Some((source_line, cells)) = unused.remove(feature) else {
            violations.push(format!("{PAGE}:{line}: not in {SOURCES}: {feature}"));
            continue;
        };
        for column in PROGRAMS {
            if (marks[column] == UNKNOWN) != cells[column].is_empty() {
                violations.push(format!(
                    "{SOURCES}:{source_line}: mark {} with source \"{}\": {feature}",
                    marks[column], cells[column]
                ));
            }
        }
    }
    violations.extend(
        unused.into_iter().map(|(feature, (line, _))| format!("{SOURCES}:{line}: not in {PAGE}: {feature}")),
    );
    violations
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

/// The file that a code span names: a lower-case word, which may have hyphens, is a file of browser tests, a
/// text with a slash is a path; anything else is not a file.
fn path_of(word: &str) -> Option<String> {
    if word.contains('/') {
        Some(word.to_owned())
    } else if !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-') {
        Some(format!("web/e2e/{word}.spec.ts"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::unsourced_marks;

    const PAGE: &str = "\
| feature | GS | XL | OO | CO | UV | EC | us | shown by |
|---|---|---|---|---|---|---|---|---|
| Sorting | + | ~ | ? | – | ? | ? | + | `editing` |
";

    #[test]
    fn marks_with_sources_are_accepted() {
        assert!(unsourced_marks(PAGE, "| Sorting | G1 | X1 | | C1 | | |\n").is_empty());
    }

    #[test]
    fn marks_and_sources_belong_together() {
        assert_eq!(
            unsourced_marks(PAGE, "| Sorting | G1 | | O1 | C1 | | |\n| Filters | G2 | | | | | |\n"),
            [
                "docs/features-sources.md:1: mark ~ with source \"\": Sorting",
                "docs/features-sources.md:1: mark ? with source \"O1\": Sorting",
                "docs/features-sources.md:2: not in docs/features.md: Filters",
            ]
        );
        assert_eq!(
            unsourced_marks(PAGE, ""),
            ["docs/features.md:3: not in docs/features-sources.md: Sorting"]
        );
    }
}
