//! Length, names and forbidden words of source files.

use std::path::{Path, PathBuf};

use super::complaint::{Complaint, read};
use crate::project::Project;

/// A file that a person reads at one sitting.
const LINES_MAX: usize = 700;
/// A style sheet is a list of rules that stand alone.
const LINES_MAX_CSS: usize = 1_000;

/// A folder or file is named for what it holds.
const NAMES_THAT_SAY_NOTHING: [&str; 7] = ["util", "utils", "common", "misc", "helper", "helpers", "stuff"];

/// Crates that may touch the outside world; all others get time, files and threads by argument.
const MAY_TOUCH_THE_WORLD: [&str; 6] =
    ["crates/server/", "crates/storage-sqlite/", "crates/testkit/", "xtask/", "bench/", "simulation/"];

/// What an I/O-free crate must not name outside its tests.
const OUTSIDE_WORLD: [&str; 7] = [
    "std::fs",
    "std::net",
    "std::thread",
    "std::time::SystemTime",
    "std::time::Instant",
    "SystemTime::now",
    "Instant::now",
];

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Complaint>, String> {
    let mut complaints = Vec::new();
    for file in files {
        complaints.extend(name(file));
        if is_source(file) {
            let text = read(project, file)?;
            complaints.extend(length(file, &text));
            complaints.extend(open_ends(file, &text));
            complaints.extend(outside_world(file, &text));
        }
    }
    Ok(complaints)
}

fn is_source(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let is_generated = file.components().any(|part| part.as_os_str() == "generated");
    matches!(extension, Some("rs" | "ts" | "tsx" | "css")) && !is_generated
}

fn name(file: &Path) -> Option<Complaint> {
    let parts = file.iter().map(|part| part.to_string_lossy());
    let vague = parts.map(|part| part.split('.').next().unwrap_or_default().to_lowercase());
    let vague = vague.into_iter().find(|part| NAMES_THAT_SAY_NOTHING.contains(&part.as_str()))?;
    Some(format!("{}: \"{vague}\" does not say what it holds", file.display()))
}

fn length(file: &Path, text: &str) -> Option<Complaint> {
    let lines = text.lines().count();
    let is_css = file.extension().is_some_and(|extension| extension == "css");
    let lines_max = if is_css { LINES_MAX_CSS } else { LINES_MAX };
    (lines > lines_max)
        .then(|| format!("{}: {lines} lines, more than {lines_max}: split by meaning", file.display()))
}

/// A note of work to do names the issue that will do it: `TODO(#12)`.
fn open_ends(file: &Path, text: &str) -> Vec<Complaint> {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in words {
            let stands_alone =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
            if stands_alone && !line.contains(&format!("{word}(#")) {
                complaints.push(format!(
                    "{}:{}: {word} without an issue: write {word}(#12)",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
    complaints
}

/// Invariant 1 of the architecture: below `server` no I/O, no clock, no thread.
fn outside_world(file: &Path, text: &str) -> Vec<Complaint> {
    let path = file.to_string_lossy();
    let is_test = path.contains("/tests/")
        || path.contains("/examples/")
        || path.contains("/benches/")
        || path.ends_with("tests.rs");
    let is_bound = path.starts_with("crates/") && path.ends_with(".rs") && !is_test;
    if !is_bound || MAY_TOUCH_THE_WORLD.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    // By our convention the tests of a file are its last part.
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let code = code.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut complaints = Vec::new();
    for (number, line) in code {
        if let Some(word) = OUTSIDE_WORLD.iter().find(|word| line.contains(*word)) {
            complaints.push(format!("{}:{}: {word} below the server", file.display(), number + 1));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_names_are_refused() {
        for (file, is_vague) in [
            ("crates/utils/src/lib.rs", true),
            ("web/grid/helpers.ts", true),
            ("crates/cell/src/a1.rs", false),
        ] {
            assert_eq!(name(Path::new(file)).is_some(), is_vague, "{file}");
        }
    }

    #[test]
    fn the_outside_world_stays_above_the_core() {
        let clock = "fn f() { std::time::Instant::now(); }\n";
        let in_tests = "#[cfg(test)]\nmod tests { use std::fs; }\n";
        for (file, text, complaints) in [
            ("crates/room/src/lib.rs", clock, 1),
            ("crates/server/src/main.rs", clock, 0),
            ("crates/room/src/lib.rs", in_tests, 0),
            ("crates/room/tests/all.rs", clock, 0),
            ("crates/room/src/lib.rs", "// std::fs is not for us\n", 0),
        ] {
            assert_eq!(outside_world(Path::new(file), text).len(), complaints, "{file}: {text}");
        }
    }

    #[test]
    fn work_to_do_names_its_issue() {
        let word = concat!("TO", "DO");
        assert_eq!(open_ends(Path::new("a.rs"), &format!("// {word}: later")).len(), 1);
        assert_eq!(open_ends(Path::new("a.rs"), &format!("// {word}(#7): later")).len(), 0);
    }
}
