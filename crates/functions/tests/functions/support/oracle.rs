//! Access to the oracle's tables.

use std::path::{Path, PathBuf};

/// Relative tolerance of numbers.
const PRECISION: f64 = 1e-9;

/// Tables with values of LibreOffice.
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

/// Cells of `from_1904.tsv`: 5 July 1998, 5 July 2011 and the day after.
pub const CELLS_FROM_1904: [(&str, &str); 3] = [("H1", "34519"), ("H2", "39267"), ("H3", "39268")];

pub struct Line {
    pub formula: String,
    /// Expected value: Excel's, which is also LibreOffice's unless `other` is present.
    pub expected: String,
    /// LibreOffice's result if it differs, and the reason: a key of the README.
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

/// A documented difference from LibreOffice: a line of `documented.tsv`.
pub struct Statement {
    pub reason: String,
    /// The functions and operators that it applies to.
    pub functions: Vec<String>,
    source: String,
}

impl Statement {
    pub fn is_about(&self, formula: &str, reason: &str) -> bool {
        self.reason == reason && self.functions.iter().any(|function| uses(formula, function))
    }

    /// Whether the source is Excel itself: Microsoft's documentation, a file written by Excel or
    /// recorded results.
    pub fn is_of_excel(&self) -> bool {
        matches!(&*self.source, "VBA" | "support" | "MS-OI29500" | "workbook" | "recorded")
    }
}

fn uses(formula: &str, function: &str) -> bool {
    let is_operator = !function.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '.';
    formula[1..].match_indices(function).any(|(at, _)| {
        let (before, after) = (&formula[..=at], &formula[1 + at + function.len()..]);
        is_operator || (after.starts_with('(') && !before.ends_with(is_part_of_name))
    })
}

pub fn statements() -> Vec<Statement> {
    let text = include_str!("../../../oracle/documented.tsv");
    let lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines
        .map(|fields| {
            let [reason, functions, source, _] = fields[..] else { panic!("four fields: {fields:?}") };
            assert!(
                matches!(
                    source,
                    "VBA"
                        | "support"
                        | "MS-OI29500"
                        | "workbook"
                        | "recorded"
                        | "numfmt"
                        | "table"
                        | "hand"
                        | "observed"
                ),
                "{source}"
            );
            Statement {
                reason: reason.to_owned(),
                functions: functions.split(' ').map(str::to_owned).collect(),
                source: source.to_owned(),
            }
        })
        .collect()
}

pub fn is_close(displayed: &str, expected: &str) -> bool {
    match (displayed.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= PRECISION * b.abs().max(1e-3),
        _ => displayed == expected,
    }
}
