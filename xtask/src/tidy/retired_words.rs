//! Checks that sources and documents do not use the retired words of `docs/glossary.md`.

use std::path::{Path, PathBuf};

use super::violation::{Violation, read};
use crate::project::Project;

const GLOSSARY: &str = "docs/glossary.md";
const HEADING: &str = "## Retired words";

/// Files that may contain retired words: the table, this check, and the changelog.
const EXEMPT: [&str; 3] = [GLOSSARY, "CHANGELOG.md", "xtask/src/tidy/retired_words.rs"];

struct Retired {
    word: String,
    replacement: String,
}

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let retired = read_table(&read(project, Path::new(GLOSSARY))?);
    if retired.is_empty() {
        return Ok(vec![format!("{GLOSSARY}: no table under \"{HEADING}\"")]);
    }
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| is_ours(file)) {
        let text = read(project, file)?;
        violations.extend(uses(&file.display().to_string(), &text, &retired));
    }
    Ok(violations)
}

fn is_ours(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let is_exempt = EXEMPT.iter().any(|exempt| file == Path::new(exempt));
    matches!(extension, Some("rs" | "ts" | "tsx" | "css" | "md" | "toml")) && !is_exempt
}

/// Reads the table: retired words, separated by commas, and their replacement.
fn read_table(glossary: &str) -> Vec<Retired> {
    let section = glossary.split(HEADING).nth(1).unwrap_or_default();
    let rows = section.lines().filter(|line| line.trim_start().starts_with('|')).skip(2);
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.trim().trim_matches('|').split('|').map(str::trim).collect();
        let replacement = cells.get(1).copied().unwrap_or_default().replace('`', "");
        let words = cells.first().copied().unwrap_or_default().replace('`', "");
        words
            .split(',')
            .map(|word| Retired { word: word.trim().to_owned(), replacement: replacement.clone() })
            .filter(|retired| !retired.word.is_empty())
            .collect::<Vec<_>>()
    })
    .collect()
}

/// The uses of retired words. Lower-case words match in any case; words with a capital are identifiers and
/// match exactly.
fn uses(file: &str, text: &str, retired: &[Retired]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        for Retired { word, replacement } in retired {
            let is_identifier = word.chars().any(char::is_uppercase);
            if contains_word(if is_identifier { line } else { &lower }, word) {
                violations.push(format!("{file}:{}: \"{word}\" is retired: say {replacement}", number + 1));
            }
        }
    }
    violations
}

fn contains_word(line: &str, word: &str) -> bool {
    let continues = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        !continues(line[..at].chars().next_back()) && !continues(line[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Glossary\n\n## Retired words\n\n| retired | say |\n|---|---|\n| `UnderWay`, under_way | `EvaluationStack` |\n| rule for looks | conditional format |\n";

    #[test]
    fn a_retired_word_is_reported_with_its_replacement() {
        let table = read_table(TABLE);
        let text = "struct UnderWay;\nmod under_way;\n// A Rule for looks.\nfn on_the_under_ways() {}\n";
        assert_eq!(
            uses("a.rs", text, &table),
            [
                "a.rs:1: \"UnderWay\" is retired: say EvaluationStack",
                "a.rs:2: \"under_way\" is retired: say EvaluationStack",
                "a.rs:3: \"rule for looks\" is retired: say conditional format",
            ]
        );
    }
}
