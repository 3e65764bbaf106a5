//! The oracle's tables.

use std::path::{Path, PathBuf};

/// As many digits as two programs that round differently on the way agree in.
const PRECISION: f64 = 1e-9;

/// Tables whose values are LibreOffice's, by family.
pub const FAMILIES: [&str; 15] = [
    "rounding",
    "mathematics",
    "statistics",
    "distributions",
    "conditional",
    "logical",
    "information",
    "comparison",
    "text",
    "dates",
    "lookup",
    "financial",
    "regression",
    "securities",
    "engineering",
];

pub struct Line {
    pub formula: String,
    /// What Excel documents; what LibreOffice answers unless `other` says so.
    pub expected: String,
    /// LibreOffice's answer and why it differs: a word of the README.
    pub other: Option<(String, String)>,
}

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(format!("{name}.tsv"))
}

pub fn table(name: &str) -> Vec<Line> {
    let text = std::fs::read_to_string(path(name)).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            let mut next = || fields.next().unwrap_or_default();
            let (formula, expected, answer, reason) = (next(), next(), next(), next());
            let other = (!reason.is_empty() || !answer.is_empty()).then_some((answer, reason));
            Line { formula, expected, other }
        })
        .collect()
}

pub fn is_close(shown: &str, expected: &str) -> bool {
    match (shown.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= PRECISION * b.abs().max(1e-3),
        _ => shown == expected,
    }
}
