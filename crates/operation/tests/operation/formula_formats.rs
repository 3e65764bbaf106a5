//! Number formats that formulas get when they are entered (decision 0028), compared with LibreOffice.
//!
//! `formula_formats.tsv` has formulas over the cells of [`OPERANDS`], the kind of format with which
//! LibreOffice 7.4.7 shows them in cells formatted as General (`soffice --convert-to fods`), and the
//! kind here where it differs. The decision says why.

use std::fmt::Write as _;

use quadrille_number_format::NumberFormatKind;
use quadrille_workbook::Workbook;

use crate::commands::{format_of, run};

/// Each column in rows 1 and 2: the values and the format. F is General.
const OPERANDS: [(&str, [f64; 2], Option<&str>); 7] = [
    ("A", [7.5, 2.0], Some("#,##0.00 [$€-407]")),
    ("B", [0.2, 0.5], Some("0%")),
    ("C", [46_023.0, 46_030.0], Some("yyyy-mm-dd")),
    ("D", [0.25, 0.5], Some("hh:mm:ss")),
    ("E", [46_023.5, 46_024.25], Some("yyyy-mm-dd hh:mm")),
    ("F", [3.0, 4.0], None),
    ("G", [2.5, 3.5], Some("0.00")),
];

fn operands() -> Workbook {
    let mut workbook = Workbook::new();
    for (column, [first, second], code) in OPERANDS {
        let cells = format!(
            r#"{{"type":"setCells","at":"{column}1","cells":[[{{"number":{first}}}],[{{"number":{second}}}]]}}"#
        );
        let code = serde_json::to_string(&code).expect("a code is JSON");
        let format = format!(
            r#"{{"type":"format","range":"{column}1:{column}2","format":{{"numberFormat":{code}}}}}"#
        );
        run(&mut workbook, &[&cells, &format]).expect("valid commands");
    }
    workbook
}

/// The number format of J9 after a formula was typed into it.
fn entered(workbook: &Workbook, formula: &str) -> Option<String> {
    let mut workbook = workbook.clone();
    let text = serde_json::to_string(&format!("={formula}")).expect("a text is JSON");
    run(&mut workbook, &[&format!(r#"{{"type":"typeText","cell":"J9","text":{text}}}"#)]).expect("valid");
    number_format(&workbook, "J9")
}

fn number_format(workbook: &Workbook, cell: &str) -> Option<String> {
    let format: serde_json::Value = serde_json::from_str(&format_of(workbook, cell)).expect("JSON");
    format.get("numberFormat").and_then(|code| code.as_str()).map(str::to_owned)
}

fn kind_name(code: Option<&str>) -> &'static str {
    match code.map_or(NumberFormatKind::General, NumberFormatKind::of) {
        NumberFormatKind::General | NumberFormatKind::Number => "number",
        NumberFormatKind::Currency => "currency",
        NumberFormatKind::Percent => "percent",
        NumberFormatKind::Date => "date",
        NumberFormatKind::Time => "time",
        NumberFormatKind::DateAndTime => "date and time",
    }
}

#[test]
fn formulas_get_the_formats_of_libreoffice_or_of_the_decision() {
    let workbook = operands();
    let table = include_str!("formula_formats.tsv");
    let mut differences = String::new();
    let mut count = 0;
    for line in table.lines() {
        let (formula, kinds) = line.split_once('\t').expect("a formula and kinds");
        let expected = kinds.split('\t').next_back().expect("a kind");
        let found = kind_name(entered(&workbook, formula).as_deref());
        if found != expected {
            writeln!(differences, "{formula}\t{kinds}\t{found}").expect("into memory");
        }
        count += 1;
    }
    assert!(count > 400, "only {count} formulas");
    assert_eq!(differences, "");
}

#[test]
fn formulas_keep_the_code_of_what_they_are_calculated_from() {
    let mut workbook = operands();
    run(
        &mut workbook,
        &[
            r#"{"type":"defineName","name":"price","definition":"=Sheet1!$A$1"}"#,
            r#"{"type":"format","range":"H1","format":{"numberFormat":"h:mm"}}"#,
        ],
    )
    .expect("valid");
    for (formula, code) in [
        ("F1*A1", Some("#,##0.00 [$€-407]")),
        ("price*F1", Some("#,##0.00 [$€-407]")),
        ("AVERAGE(B1:B2)", Some("0%")),
        ("B1%", Some("0.00%")),
        ("C1+7", Some("yyyy-mm-dd")),
        ("C2-C1", None),
        ("C1+D1", Some("yyyy-mm-dd hh:mm")),
        // Hours add up to more than a day.
        ("SUM(H1:H9)", Some("[h]:mm")),
        ("D2-D1", Some("[h]:mm:ss")),
        ("G1+G2", Some("0.00")),
        ("ROUND(G1*2,1)", None),
        // The format of the column that is looked up, not of the first one.
        ("VLOOKUP(7.5,A1:C2,3,FALSE)", Some("yyyy-mm-dd")),
        ("INDEX(A1:C2,2,2)", Some("0%")),
        ("INDEX(A1:C1,3)", Some("yyyy-mm-dd")),
        ("XLOOKUP(3,F1:F2,A1:A2)", Some("#,##0.00 [$€-407]")),
        // A payment has the currency of the loan, otherwise that of the locale.
        ("PMT(B1/12,12,A1)", Some("#,##0.00 [$€-407]")),
        ("PMT(B1/12,12,1000)", Some("$#,##0.00")),
        ("IRR(F1:F2)", Some("0.00%")),
        ("SUM(A:A)", Some("#,##0.00 [$€-407]")),
        ("SUBTOTAL(9,A1:A2)", Some("#,##0.00 [$€-407]")),
        ("SUBTOTAL(2,A1:A2)", None),
        ("COUNT(A1:A2)", None),
    ] {
        assert_eq!(entered(&workbook, formula).as_deref(), code, "{formula}");
    }
}

#[test]
fn the_format_of_a_cell_wins() {
    let mut workbook = operands();
    run(
        &mut workbook,
        &[
            r#"{"type":"format","range":"J9","format":{"numberFormat":"0.0"}}"#,
            r#"{"type":"typeText","cell":"J9","text":"=A1*2"}"#,
            r#"{"type":"typeText","cell":"J10","text":"=A1*2"}"#,
            r#"{"type":"format","range":"J10","format":{"numberFormat":null}}"#,
        ],
    )
    .expect("valid");
    assert_eq!(number_format(&workbook, "J9").as_deref(), Some("0.0"));
    assert_eq!(number_format(&workbook, "J10"), None);
}

/// A pasted block: the formulas get the formats of values and formulas that are pasted with them,
/// also of those below.
#[test]
fn formulas_get_formats_of_what_is_written_with_them() {
    let mut workbook = Workbook::new();
    run(&mut workbook, &[r#"{"type":"pasteText","target":"A1","text":"=SUM(C2:C3)\t\t\nPen\t$7.50\t=B2*3\nInk\t$2.00\t=B3*2"}"#])
        .expect("valid");
    for cell in ["A1", "C2", "C3"] {
        assert_eq!(number_format(&workbook, cell).as_deref(), Some("$#,##0.00"), "{cell}");
    }
}

/// Each of 40 names refers twice to the next one: 2^40 expressions.
#[test]
fn names_of_names_end() {
    let mut workbook = operands();
    for index in 0..40 {
        let next = index + 1;
        let define = format!(
            r#"{{"type":"defineName","name":"step_{index}","definition":"=step_{next}+step_{next}"}}"#
        );
        run(&mut workbook, &[&define]).expect("valid");
    }
    assert_eq!(entered(&workbook, "step_0"), None);
}
