//! Formulas against values from another spreadsheet and from Excel's documentation; see `oracle/README.md`.

mod support;

use std::path::Path;

use support::{calculate, shown};

/// As many digits as two programs that round differently on the way agree in.
const PRECISION: f64 = 1e-9;

fn table(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(name);
    let text = std::fs::read_to_string(&path).expect("the oracle's tables lie beside the sources");
    let fields = |line: &str| {
        let mut fields = line.split('\t');
        let first = fields.next().unwrap_or_default().to_owned();
        (first, fields.next().unwrap_or_default().to_owned())
    };
    text.lines().filter(|line| !line.is_empty()).map(fields).collect()
}

fn is_close(shown: &str, expected: &str) -> bool {
    match (shown.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= PRECISION * b.abs().max(1e-3),
        _ => shown == expected,
    }
}

fn check(name: &str) {
    let cells = table("cells.tsv");
    let cells: Vec<(&str, &str)> =
        cells.iter().map(|(cell, typed)| (cell.as_str(), typed.as_str())).collect();
    let formulas = table(name);
    let values = calculate(&cells, formulas.iter().map(|(formula, _)| formula.as_str()));
    let mut wrong = Vec::new();
    for ((formula, expected), value) in formulas.iter().zip(values) {
        if !is_close(&shown(&value).replace('\n', "\\n"), expected) {
            wrong.push(format!("{formula}\t{}\t{expected}", shown(&value)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), formulas.len(), wrong.join("\n"));
}

macro_rules! families {
    ($($family:ident),+ $(,)?) => {
        $(#[test]
        fn $family() {
            check(concat!(stringify!($family), ".tsv"));
        })+
    };
}

families!(
    rounding,
    mathematics,
    statistics,
    distributions,
    conditional,
    logical,
    information,
    comparison,
    text,
    dates,
    lookup,
    financial,
    regression,
    securities,
    engineering,
    arrays,
);
