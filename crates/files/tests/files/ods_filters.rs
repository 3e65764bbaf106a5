//! Filters of OpenDocument files. LibreOffice 7.4 wrote `fixtures/filters.ods` after reading the
//! file that this test writes.

use quadrille_cell::SheetId;
use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, WriteOptions, read, write};
use quadrille_operation::{Command, plan};
use quadrille_workbook::Workbook;

const LIBREOFFICE: &[u8] = include_bytes!("../fixtures/filters.ods");

/// A filter for each sheet over A1:B7, and the rows that it hides.
const FILTERS: [(&str, &str); 7] = [
    (r#""rule":"values","shown":["ink","pen"]"#, "3 6 7"),
    (r#""rule":"values","shown":["ink"],"showBlanks":true"#, "3 5 6"),
    (r#""rule":"condition","operator":"beginsWith","value1":"p""#, "2 4 7"),
    (
        r#""rule":"condition","operator":"equal","value1":"ink","operator2":"equal","value2":"pen","join":"or""#,
        "3 6 7",
    ),
    (r#""rule":"condition","operator":"contains","value1":"n""#, "3 6 7"),
    (
        r#""rule":"condition","operator":"greaterOrEqual","value1":"ink","operator2":"less","value2":"pb","join":"and""#,
        "5 7",
    ),
    (r#""rule":"condition","operator":"notEqual","value1":"ink""#, "2 4"),
];

fn filtered() -> Document {
    let mut document = Document::new();
    let mut next = 1;
    let mut execute = |command: String| {
        let command: Command =
            serde_json::from_str(&command).unwrap_or_else(|error| panic!("{command}: {error}"));
        let planned = plan(&command, document.workbook(), &mut || {
            next += 1;
            SheetId(next)
        });
        document.apply(&planned.expect("commands in tests are possible"), EvaluationContext::default());
    };
    for (index, (filter, _)) in FILTERS.iter().enumerate() {
        let sheet = index as u32 + 1;
        if index > 0 {
            execute(format!(r#"{{"type":"addSheet","name":"It's {sheet}"}}"#));
        }
        execute(format!(
            r#"{{"type":"typeTexts","sheet":{sheet},"at":"A1","texts":[["Item","Amount"],["ink","1"],["paper","10"],["ink","100"],["pen","1000"],["paper","10000"],["","5"]]}}"#
        ));
        execute(format!(
            r#"{{"type":"setItem","sheet":{sheet},"item":7,"kind":"autoFilter","anchors":["A1:B7"],"fields":{{}}}}"#
        ));
        execute(format!(
            r#"{{"type":"setItem","sheet":{sheet},"item":8,"kind":"filterColumn","anchors":["A1"],"fields":{{"parent":7,{filter}}}}}"#
        ));
    }
    while !document.evaluate(u64::MAX).finished {}
    document
}

fn hidden(document: &Document, sheet: u32) -> String {
    let rows = document.filtered_rows(SheetId(sheet), None).into_iter();
    let rows = rows.flat_map(|(first, count)| first + 1..=first + count);
    rows.map(|row| row.to_string()).collect::<Vec<_>>().join(" ")
}

fn check(workbook: Workbook, what: &str) {
    let document = Document::from_workbook(workbook);
    for (index, (filter, rows)) in FILTERS.iter().enumerate() {
        assert_eq!(hidden(&document, index as u32 + 1), *rows, "{what}: {filter}");
    }
}

fn read_ods(bytes: &[u8]) -> Workbook {
    let mut proceed = |_| ShouldContinue::Continue;
    let imported = read(FileFormat::Ods, bytes, &ReadOptions::default(), &mut proceed).expect("a workbook");
    assert_eq!(imported.warnings, Vec::<String>::new());
    imported.workbook
}

#[test]
fn filters_round_trip() {
    let document = filtered();
    check(document.snapshot(), "original");
    let bytes =
        write(&document.snapshot(), FileFormat::Ods, &WriteOptions::default()).expect("it can be written");
    check(read_ods(&bytes), "written");
}

#[test]
fn filters_of_libreoffice_are_read() {
    check(read_ods(LIBREOFFICE), "LibreOffice's");
}

#[test]
fn filter_columns_are_combined_with_and() {
    let mut document = filtered();
    let more = r#"{"type":"setItem","sheet":4,"item":9,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":7,"rule":"top","rank":2}}"#;
    let planned =
        plan(&serde_json::from_str::<Command>(more).expect("a command"), document.workbook(), &mut || {
            unreachable!("no new sheet")
        });
    document.apply(&planned.expect("a possible command"), EvaluationContext::default());
    // Item is ink or pen, and the amount is one of the two largest.
    assert_eq!(hidden(&document, 4), "2 3 4 6 7");
    let bytes =
        write(&document.snapshot(), FileFormat::Ods, &WriteOptions::default()).expect("it can be written");
    let back = Document::from_workbook(read_ods(&bytes));
    assert_eq!(hidden(&back, 4), hidden(&document, 4));
}

#[test]
fn filters_of_tables_and_of_other_cells_have_names_of_their_own() {
    let mut document = Document::new();
    for command in [
        r#"{"type":"typeTexts","sheet":1,"at":"A1","texts":[["Item","","Place"],["ink","","Oslo"],["pen","","Rome"]]}"#,
        r#"{"type":"setItem","sheet":1,"item":5,"kind":"table","anchors":["A1:A3"],"fields":{"name":"Stock"}}"#,
        r#"{"type":"setItem","sheet":1,"item":6,"kind":"autoFilter","anchors":["A1:A3"]}"#,
        r#"{"type":"setItem","sheet":1,"item":7,"kind":"autoFilter","anchors":["C1:C3"]}"#,
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["A1"],"fields":{"parent":6,"rule":"values","shown":["ink"]}}"#,
    ] {
        let command: Command =
            serde_json::from_str(command).unwrap_or_else(|error| panic!("{command}: {error}"));
        let planned = plan(&command, document.workbook(), &mut || SheetId(9)).expect("a plan");
        document.apply(&planned, EvaluationContext::default());
    }
    let bytes =
        write(&document.snapshot(), FileFormat::Ods, &WriteOptions::default()).expect("it can be written");
    let content = crate::page_setup::part(&bytes, "content.xml");
    let names: Vec<&str> = content
        .split("<table:database-range table:name=\"")
        .skip(1)
        .map(|range| range.split('"').next().expect("a name"))
        .collect();
    assert_eq!(names, ["Stock_Filter", "__Anonymous_Sheet_DB__1"]);
    assert_eq!(hidden(&Document::from_workbook(read_ods(&bytes)), 1), "3");
}
