//! Compares formulas with values of LibreOffice and of Excel's documentation; see
//! `oracle/README.md`.

use std::collections::BTreeMap;

use crate::support::oracle::{CELLS_FROM_1904, FAMILIES, Line, is_close, statements, table};
use crate::support::{calculate, calculate_from_1904, displayed};

/// Returns the result of each formula of a table.
fn values(lines: &[Line], cells: &[Line]) -> Vec<String> {
    let cells: Vec<(&str, &str)> =
        cells.iter().map(|line| (line.formula.as_str(), line.expected.as_str())).collect();
    let formulas: Vec<String> = lines.iter().map(|line| line.formula.replace("\\n", "\n")).collect();
    let values = calculate(&cells, formulas.iter().map(String::as_str));
    values.iter().map(|value| displayed(value).replace('\n', "\\n")).collect()
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

#[test]
fn the_1904_date_system_matches_the_oracle() {
    let lines = table("from_1904");
    let formulas = lines.iter().map(|line| line.formula.as_str());
    let values = calculate_from_1904(&CELLS_FROM_1904, formulas);
    let mut wrong = Vec::new();
    for (line, value) in lines.iter().zip(values.iter().map(displayed)) {
        let has_reason = line.other.as_ref().is_none_or(|(_, reason)| !reason.is_empty());
        if !is_close(&value, &line.expected) || !has_reason {
            wrong.push(format!("{}\t{value}\t{}", line.formula, line.expected));
        }
    }
    assert!(lines.len() > 100 && wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Counts agreement with LibreOffice, Excel's documentation and other published sources. Every
/// difference from LibreOffice needs a reason that the README explains.
#[test]
fn differences_from_libreoffice_have_reasons() {
    let readme = include_str!("../../oracle/README.md");
    let statements = statements();
    let (mut asked, mut agree, mut unknown) = (0, 0, 0);
    let (mut by_excel, mut by_others) = (0, 0);
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
            let statement = statements.iter().find(|statement| statement.is_about(&line.formula, reason));
            if is_close(&value, answer) {
                agree += 1;
            } else if !is_close(&value, &line.expected) || !readme.contains(&format!("- `{reason}`:")) {
                unexplained.push(format!("{}\t{value}\t{answer}\t{reason}", line.formula));
            } else if let Some(statement) = statement {
                *(if statement.is_of_excel() { &mut by_excel } else { &mut by_others }) += 1;
            } else {
                *reasons.entry(reason.to_owned()).or_default() += 1;
            }
        }
    }
    let differ: u32 = reasons.values().sum();
    let percent = |part: u32| 100.0 * f64::from(part) / f64::from(asked);
    println!("{agree} of {asked} agree with LibreOffice ({:.1} %)", percent(agree));
    println!("{by_excel} more are what Excel's documentation says ({:.1} %)", percent(agree + by_excel));
    println!("{by_others} more what another source says ({:.1} %)", percent(agree + by_excel + by_others));
    println!("{differ} differ for reasons that nobody documents: {reasons:?}");
    println!("{unknown} more have functions that LibreOffice lacks");
    assert!(
        unexplained.is_empty(),
        "{} differ without a reason:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
    assert!(percent(agree + by_excel) >= 99.0 && asked > 5_900);
}

/// Every statement applies to a line of a table.
#[test]
fn every_statement_applies_to_a_formula() {
    let tables: Vec<Line> = FAMILIES.into_iter().chain(["examples"]).flat_map(table).collect();
    for statement in statements() {
        let is_needed = tables.iter().any(|line| {
            line.other.as_ref().is_some_and(|(_, reason)| statement.is_about(&line.formula, reason))
        });
        assert!(is_needed, "no line needs: {} {:?}", statement.reason, statement.functions);
    }
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
    recorded,
    daily,
);
