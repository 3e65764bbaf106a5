//! Workbooks with the 1904 date system. Serial numbers are those of Microsoft's page "Date systems
//! in Excel": 5 July 1998 is 34,519 and 5 July 2011 is 39,267.

use crate::support::Sheet;
use proptest::prelude::*;
use quadrille_cell::{CellAddress, Range, SheetId};

const FROM_1904: &str = r#"{"type":"setItem","sheet":null,"item":0,"fields":{"date1904":true}}"#;
const FROM_1900: &str = r#"{"type":"setItem","sheet":null,"item":0,"fields":{"date1904":null}}"#;

fn from_1904() -> Sheet {
    Sheet::new(&format!("[{FROM_1904}]"))
}

#[test]
fn a_typed_date_keeps_its_day() {
    let mut sheet = from_1904();
    sheet.set("A1", "2011-07-05");
    sheet.set("A2", "=A1+0");
    sheet.run(r#"{"type":"format","sheet":1,"range":"A2","format":{"numberFormat":"General"}}"#);
    assert_eq!(sheet.show("A1 A2"), "2011-07-05 39267");
    assert_eq!(sheet.formula("A1"), "2011-07-05");
    sheet.set("A3", "1903-12-31");
    sheet.set("A4", "'2/29");
    assert_eq!((sheet.show("A4"), sheet.formula("A4")), ("2/29".to_owned(), "'2/29".to_owned()));
    assert_eq!((sheet.show("A3"), sheet.formula("A3")), ("1903-12-31".to_owned(), "1903-12-31".to_owned()));
}

/// As Excel does when its setting is changed.
#[test]
fn changing_the_date_system_keeps_numbers_and_moves_dates() {
    let mut sheet = Sheet::new("[]");
    sheet.set("A1", "2011-07-05");
    for (cell, text) in [
        ("B1", "=YEAR(A1)"),
        ("B2", "=\"2011-07-05\"+0"),
        ("B3", "=TEXT(A1,\"yyyy-mm-dd\")"),
        ("B4", "=TODAY()-DATE(2011,7,5)"),
    ] {
        sheet.set(cell, text);
    }
    let before = "2011-07-05 2011 40729 2011-07-05 4515";
    assert_eq!(sheet.show("A1 B1 B2 B3 B4"), before);
    let changed = sheet.changed_by(FROM_1904);
    assert!(["B1", "B2", "B3"].iter().all(|cell| changed.iter().any(|other| other == cell)), "{changed:?}");
    assert_eq!(sheet.show("A1 B1 B2 B3 B4"), "2015-07-06 2015 39267 2015-07-06 4515");
    sheet.assert_matches_scratch("from 1904");
    sheet.undo();
    assert_eq!(sheet.show("A1 B1 B2 B3 B4"), before);
    sheet.assert_matches_scratch("from 1900 again");
}

#[test]
fn changing_the_date_system_reports_cells_without_formulas() {
    let mut sheet = Sheet::new("[]");
    sheet.set("A1", "2011-07-05");
    let command = serde_json::from_str(FROM_1904).expect("a command");
    let planned =
        quadrille_operation::plan(&command, sheet.document.workbook(), &mut || unreachable!("no new sheet"));
    let applied = sheet.document.apply(&planned.expect("a setting"), crate::support::CONTEXT);
    let is_told = applied.changes.ranges.iter().any(|(_, range)| range.to_string() == "A1");
    assert!(is_told, "{:?}", applied.changes);
}

#[test]
fn filters_compare_dates_in_the_date_system() {
    let mut sheet = from_1904();
    sheet.run(
        r#"{"type":"typeTexts","sheet":1,"at":"A1","texts":[["Day"],["1998-07-05"],["2011-07-05"],["2011-07-06"]]}"#,
    );
    sheet.run(r#"{"type":"setItem","sheet":1,"item":7,"kind":"autoFilter","anchors":["A1:A4"],"fields":{}}"#);
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["A1:A4"],"fields":{"parent":7,"rule":"condition","operator":"less","value1":"2011-07-06"}}"#,
    );
    sheet.set("C1", "=SUBTOTAL(103,A2:A4)");
    assert_eq!((sheet.hidden(), sheet.show("C1")), ("4".to_owned(), "2".to_owned()));
    // With the 1900 date system the typed day has a larger number than any cell.
    sheet.run(FROM_1900);
    assert_eq!((sheet.hidden(), sheet.show("C1")), ("".to_owned(), "3".to_owned()));
    sheet.run(FROM_1904);
    assert_eq!((sheet.hidden(), sheet.show("C1")), ("4".to_owned(), "2".to_owned()));
    sheet.assert_matches_scratch("filtered");
}

#[test]
fn series_fill_continues_months() {
    let mut sheet = from_1904();
    sheet.set("A1", "2024-01-31");
    sheet.set("A2", "2024-02-29");
    sheet.set("B1", "2024-01-15");
    sheet.set("B2", "2024-02-15");
    sheet.run(r#"{"type":"fill","sheet":1,"source":"A1:B2","target":"A1:B4","mode":"series"}"#);
    assert_eq!(sheet.show("B3 B4"), "2024-03-15 2024-04-15");
}

#[test]
fn date_rules_respect_the_date_system() {
    let mut sheet = from_1904();
    // The day of `CONTEXT`.
    sheet.set("A1", "2023-11-14");
    sheet.set("A2", "2019-11-13");
    sheet.run(
        r##"{"type":"setItem","sheet":1,"item":7,"kind":"conditionalRule","anchors":["A1:A2"],"fields":{"rule":"date","period":"today","format":{"fillColor":"#ff0000"}}}"##,
    );
    let is_red = |cell: &str| {
        let found = &sheet.document.workbook().sheets()[0];
        let cell = CellAddress::parse_a1(cell).expect(cell);
        let rules = sheet.document.conditional_formats(SheetId(1), Range::whole_sheet());
        let style = rules.style_of(cell, &found.value(cell), found.format(cell));
        style.and_then(|style| style.format).is_some_and(|format| format.fill_color.is_some())
    };
    assert!(is_red("A1") && !is_red("A2"));
}

/// Formulas in which a number or a text is a date.
const FORMULAS: [&str; 8] = [
    "=YEAR(A1)",
    "=EDATE(A1,3)",
    "=A2+1",
    "=TEXT(A1,\"yyyy-mm-dd\")",
    "=COUNTIF(A1:A3,\">=2011-07-05\")",
    "=NETWORKDAYS(A1,A3)",
    "=\"2011-07-05\"-A3",
    "=WORKDAY(A1,20)+TODAY()",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any sequence of edits and date system changes gives the values of the reference evaluator.
    #[test]
    fn edits_and_date_systems_equal_evaluation_from_scratch(
        steps in prop::collection::vec((0..6u8, 0..8usize, 0..60_000u32), 1..20)
    ) {
        let mut sheet = Sheet::new("[]");
        sheet.set("A2", "2011-07-05");
        for (what, which, number) in steps {
            match what {
                0 => sheet.run(FROM_1904),
                1 => sheet.run(FROM_1900),
                2 => { sheet.undo(); }
                3 => sheet.set(["A1", "A2", "A3"][which % 3], &number.to_string()),
                _ => sheet.set(["B1", "B2", "B3", "B4"][number as usize % 4], FORMULAS[which]),
            }
        }
        sheet.assert_matches_scratch("steps");
    }
}
