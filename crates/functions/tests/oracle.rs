//! Formulas against values from another spreadsheet and from Excel's documentation; see `oracle/README.md`.

mod support;

use std::collections::BTreeMap;

use support::oracle::{FAMILIES, Line, is_close, table};
use support::{calculate, shown};

/// What each formula of a table shows here.
fn values(lines: &[Line], cells: &[Line]) -> Vec<String> {
    let cells: Vec<(&str, &str)> =
        cells.iter().map(|line| (line.formula.as_str(), line.expected.as_str())).collect();
    let formulas: Vec<String> = lines.iter().map(|line| line.formula.replace("\\n", "\n")).collect();
    let values = calculate(&cells, formulas.iter().map(String::as_str));
    values.iter().map(|value| shown(value).replace('\n', "\\n")).collect()
}

fn check(name: &str) {
    let lines = table(name);
    let mut wrong = Vec::new();
    for (line, value) in lines.iter().zip(values(&lines, &table("cells"))) {
        if !is_close(&value, &line.expected) {
            wrong.push(format!("{}\t{value}\t{}", line.formula, line.expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

/// How often we agree with LibreOffice, and why not otherwise. Every difference has a reason, which the README explains.
#[test]
fn differences_from_libreoffice_have_reasons() {
    let readme = include_str!("../oracle/README.md");
    let (mut asked, mut agree, mut unknown) = (0, 0, 0);
    let (mut reasons, mut unexplained) = (BTreeMap::<String, u32>::new(), Vec::new());
    for family in FAMILIES.into_iter().chain(["examples"]) {
        let lines = table(family);
        let cells = if family == "examples" { Vec::new() } else { table("cells") };
        for (line, value) in lines.iter().zip(values(&lines, &cells)) {
            let (answer, reason) = match &line.other {
                Some((_, reason)) if reason == "none" => {
                    unknown += 1;
                    continue;
                }
                Some((answer, reason)) => (answer, reason.as_str()),
                None => (&line.expected, ""),
            };
            asked += 1;
            if is_close(&value, answer) {
                agree += 1;
            } else if is_close(&value, &line.expected) && readme.contains(&format!("- `{reason}`:")) {
                *reasons.entry(reason.to_owned()).or_default() += 1;
            } else {
                unexplained.push(format!("{}\t{value}\t{answer}\t{reason}", line.formula));
            }
        }
    }
    let differ: u32 = reasons.values().sum();
    println!("{agree} of {asked} agree with the oracle, {differ} differ for stated reasons: {reasons:?}");
    println!("{unknown} more have functions that LibreOffice lacks");
    assert!(
        unexplained.is_empty(),
        "{} differ without a reason:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
    assert!(f64::from(agree + differ) >= 0.995 * f64::from(asked) && asked > 4_000);
}

macro_rules! families {
    ($($family:ident),+ $(,)?) => {
        $(#[test]
        fn $family() {
            check(stringify!($family));
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
