//! Checks links between Markdown documents: the file and the heading of the anchor must exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::violation::{Violation, read};
use crate::project::Project;

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut documents = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        documents.insert(file.clone(), read(project, file)?);
    }
    let mut violations = Vec::new();
    for (file, text) in &documents {
        for (line, target) in links(text) {
            if let Some(reason) = broken(project, &documents, file, &target) {
                violations.push(format!("{}:{line}: {target}: {reason}", file.display()));
            }
        }
    }
    Ok(violations)
}

/// The reason why a link is broken. Links to other sites are not checked.
fn broken(
    project: &Project,
    documents: &BTreeMap<PathBuf, String>,
    file: &Path,
    target: &str,
) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (address, anchor) =
        target.split_once('#').map_or((target, None), |(address, anchor)| (address, Some(anchor)));
    let path = match address {
        "" => file.to_owned(),
        _ => normalized(&file.parent()?.join(address)),
    };
    if !project.root.join(&path).exists() {
        return Some("no such file");
    }
    let text = documents.get(&path)?;
    match anchor {
        Some(anchor) if !anchors(text).contains(anchor) => Some("no such heading"),
        _ => None,
    }
}

fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normalized.pop();
            }
            Component::CurDir => {}
            part => normalized.push(part),
        }
    }
    normalized
}

/// Line numbers and targets of inline links and images, outside of code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in lines_outside_code(text) {
        for (index, part) in line.split('`').enumerate() {
            if index % 2 == 1 {
                continue;
            }
            for candidate in part.split("](").skip(1) {
                let target = candidate.split([')', ' ']).next().unwrap_or_default();
                if !target.is_empty() {
                    links.push((number, target.to_owned()));
                }
            }
        }
        // A link whose text contains code: [`docs/grid.md`](docs/grid.md).
        for candidate in line.split("`](").skip(1) {
            links.push((number, candidate.split([')', ' ']).next().unwrap_or_default().to_owned()));
        }
    }
    links.dedup();
    links
}

fn lines_outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// The anchors of headings as GitHub and mdBook generate them: lower case, spaces as hyphens, other
/// punctuation removed, a number for repeated headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in lines_outside_code(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let anchor: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let count = counts.entry(anchor.clone()).or_default();
        anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_ignored() {
        let text =
            "See [the grid](docs/grid.md#g15), ![image](a.png) and `[not](this)`.\n```\n[nor](this)\n```\n";
        let targets: Vec<String> = links(text).into_iter().map(|(_, target)| target).collect();
        assert_eq!(targets, ["docs/grid.md#g15", "a.png"]);
    }

    #[test]
    fn headings_give_anchors() {
        let text = "# Quick start\n## `make run`, twice\n## Notes\n## Notes\n#not-a-heading\n";
        let expected = ["make-run-twice", "notes", "notes-1", "quick-start"];
        assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
    }
}
