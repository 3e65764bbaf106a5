//! Rows hidden by filters.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::{Document, EvaluationContext, Icon};
use quadrille_operation::{Command, plan};
use quadrille_workbook::Color;

/// Rows 2 to 7 hold `ink 5`, `paper 12`, `(blank) 7`, `Ink 30`, `pen 12` and `x text`.
fn filtered(columns: &[&str]) -> String {
    let mut commands = vec![
        r#"{"type":"typeTexts","sheet":1,"at":"A1","texts":[["Item","Amount"],["ink","5"],["paper","12"],["","7"],["Ink","30"],["pen","12"],["x","text"]]}"#.to_owned(),
        r#"{"type":"setItem","sheet":1,"item":1,"kind":"autoFilter","anchors":["A1:B1000"]}"#.to_owned(),
    ];
    for (index, column) in columns.iter().enumerate() {
        let (cell, fields) = column.split_once(' ').expect("a column and its fields");
        commands.push(format!(
            r#"{{"type":"setItem","sheet":1,"item":{},"kind":"filterColumn","anchors":["{cell}1"],"fields":{{"parent":1,{fields}}}}}"#,
            index + 2
        ));
    }
    let mut document = Document::new();
    for json in commands {
        let command: Command = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let planned = plan(&command, document.workbook(), &mut || SheetId(99));
        document
            .apply(&planned.unwrap_or_else(|error| panic!("{json}: {error}")), EvaluationContext::default());
    }
    document.evaluate(u64::MAX);
    let rows = document.filtered_rows(SheetId(1), None).into_iter();
    rows.flat_map(|(first, count)| first + 1..=first + count)
        .map(|row| row.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn rows_that_do_not_meet_the_condition_are_hidden() {
    for (columns, hidden) in [
        (&[][..], ""),
        (&[r#"A "rule":"values","shown":["ink","pen"]"#], "3 4 5 7"),
        (&[r#"A "rule":"values","shown":["ink"],"showBlanks":true"#], "3 5 6 7"),
        (&[r#"A "rule":"values","shown":["ink"],"shownDates":["2026"]"#], "3 4 5 6 7"),
        (&[r#"A "rule":"values","shownDates":["2026"]"#], "2 3 4 5 6 7"),
        (&[r#"A "rule":"condition","operator":"equal","value1":"ink""#], "3 4 6 7"),
        (&[r#"A "rule":"condition","operator":"equal","value1":"p*""#], "2 4 5 7"),
        (&[r#"A "rule":"condition","operator":"notContains","value1":"p""#], "3 6"),
        (&[r#"B "rule":"condition","operator":"greater","value1":"7""#], "2 4 7"),
        (
            &[
                r#"B "rule":"condition","operator":"greater","value1":"5","operator2":"less","value2":"30","join":"and""#,
            ],
            "2 5 7",
        ),
        (
            &[
                r#"B "rule":"condition","operator":"less","value1":"6","operator2":"greater","value2":"20","join":"or""#,
            ],
            "3 4 6 7",
        ),
        (&[r#"B "rule":"top","rank":2"#], "2 4 7"),
        (&[r#"B "rule":"bottom","rank":1"#], "3 4 5 6 7"),
        (&[r#"B "rule":"aboveAverage""#], "2 3 4 6 7"),
        (
            &[
                r#"A "rule":"values","shown":["ink","pen"]"#,
                r#"B "rule":"condition","operator":"greater","value1":"7""#,
            ],
            "2 3 4 5 7",
        ),
    ] {
        assert_eq!(filtered(columns), hidden, "{columns:?}");
    }
}

/// The rows hidden by a filter on `B1:B6` with these fills and rules, and the colors that it
/// offers.
fn colored(commands: &[&str], rule: &str) -> (String, String) {
    let fixed = [
        r#"{"type":"typeTexts","sheet":1,"at":"A1","texts":[["a","Amount"],["x","1"],["x","2"],["x","3"],["x",""],["x","5"]]}"#,
        r##"{"type":"format","sheet":1,"range":"B2:B3","format":{"fillColor":"#ff0000"}}"##,
        r##"{"type":"format","sheet":1,"range":"B5","format":{"fillColor":"#00ff00","textColor":"#0000ff"}}"##,
        r#"{"type":"setItem","sheet":1,"item":1,"kind":"autoFilter","anchors":["A1:B6"]}"#,
    ];
    let column = format!(
        r#"{{"type":"setItem","sheet":1,"item":2,"kind":"filterColumn","anchors":["B1"],"fields":{{"parent":1,{rule}}}}}"#
    );
    let mut document = Document::new();
    for json in fixed.iter().chain(commands).copied().chain([column.as_str()]) {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let planned = plan(&command, document.workbook(), &mut || SheetId(99));
        document
            .apply(&planned.unwrap_or_else(|error| panic!("{json}: {error}")), EvaluationContext::default());
    }
    document.evaluate(u64::MAX);
    let rows = document.filtered_rows(SheetId(1), None).into_iter();
    let hidden = rows.flat_map(|(first, count)| first + 1..=first + count).map(|row| row.to_string());
    let cells = Range::parse_a1("B2:B6").expect("a range");
    let found = document.column_colors(SheetId(1), cells);
    let name = |color: &Option<Color>| color.map_or("-".to_owned(), |Color(rgb)| format!("{rgb:06x}"));
    let names = |colors: &[Option<Color>]| colors.iter().map(name).collect::<Vec<_>>().join(" ");
    let mut offered = format!("{} | {}", names(&found.fills), names(&found.texts));
    if found.icons != [None] {
        let icon = |icon: &Option<Icon>| {
            icon.as_ref().map_or("-".to_owned(), |Icon { set, index }| format!("{set} {index}"))
        };
        offered += &format!(" | {}", found.icons.iter().map(icon).collect::<Vec<_>>().join(", "));
    }
    (hidden.collect::<Vec<_>>().join(" "), offered)
}

#[test]
fn a_column_filters_by_displayed_colors() {
    let own = "ff0000 - 00ff00 | - 0000ff";
    for (rule, hidden) in [
        (r##""rule":"color","color":"#ff0000""##, "4 5 6"),
        (r#""rule":"color""#, "2 3 5"),
        (r##""rule":"textColor","color":"#0000ff""##, "2 3 4 6"),
        (r#""rule":"textColor""#, "5"),
    ] {
        assert_eq!(colored(&[], rule), (hidden.to_owned(), own.to_owned()), "{rule}");
    }
    let ruled = r##"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B2:B6"],"fields":{"rule":"cell","operator":"greater","formula1":"=2","format":{"fillColor":"#ffff00"}}}"##;
    assert_eq!(
        colored(&[ruled], r##""rule":"color","color":"#ffff00""##),
        ("2 3 5".to_owned(), "ff0000 ffff00 00ff00 | - 0000ff".to_owned())
    );
}

/// Thresholds of ECMA-376 part 1, 18.3.1.49: 33 % and 67 % of the span from 1 to 5 are 2.3 and 3.7.
#[test]
fn a_column_filters_by_icons() {
    let icons = r#"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B2:B6"],"fields":{"rule":"iconSet","iconSet":"3Arrows"}}"#;
    let offered = "ff0000 - 00ff00 | - 0000ff | 3Arrows 0, 3Arrows 1, -, 3Arrows 2";
    for (rule, hidden) in [
        (r#""rule":"icon","iconSet":"3Arrows","iconIndex":0"#, "4 5 6"),
        (r#""rule":"icon","iconSet":"3Arrows","iconIndex":1"#, "2 3 5 6"),
        (r#""rule":"icon","iconSet":"3Signs","iconIndex":1"#, "2 3 4 5 6"),
        (r#""rule":"icon""#, "2 3 4 6"),
    ] {
        assert_eq!(colored(&[icons], rule), (hidden.to_owned(), offered.to_owned()), "{rule}");
    }
}

#[test]
fn a_column_of_dates_filters_by_years_months_and_days() {
    for (groups, hidden) in
        [(r#"["2026"]"#, "4 5 6"), (r#"["2026-11"]"#, "3 4 5 6"), (r#"["2026-11-28","2025-01"]"#, "3 5 6")]
    {
        let commands = [
            r#"{"type":"typeTexts","sheet":1,"at":"A1","texts":[["Day"],["2026-11-28"],["2026-01-31"],["2025-01-05"],["46000"],["x"]]}"#.to_owned(),
            r#"{"type":"setItem","sheet":1,"item":1,"kind":"autoFilter","anchors":["A1:A6"]}"#.to_owned(),
            format!(
                r#"{{"type":"setItem","sheet":1,"item":2,"kind":"filterColumn","anchors":["A1"],"fields":{{"parent":1,"rule":"values","shownDates":{groups}}}}}"#
            ),
        ];
        let mut document = Document::new();
        for json in &commands {
            let command: Command =
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
            let planned = plan(&command, document.workbook(), &mut || SheetId(99));
            let planned = planned.unwrap_or_else(|error| panic!("{json}: {error}"));
            document.apply(&planned, EvaluationContext::default());
        }
        document.evaluate(u64::MAX);
        let rows = document.filtered_rows(SheetId(1), None).into_iter();
        let rows = rows.flat_map(|(first, count)| first + 1..=first + count).map(|row| row.to_string());
        assert_eq!(rows.collect::<Vec<_>>().join(" "), hidden, "{groups}");
        assert_eq!(document.displayed_day(SheetId(1), cell("A4")).as_deref(), Some("2025-01-05"));
        assert_eq!(document.displayed_day(SheetId(1), cell("A5")), None, "a number");
    }
}

fn cell(name: &str) -> CellAddress {
    CellAddress::parse_a1(name).expect("a cell")
}

#[test]
fn a_filter_extends_over_rows_below_it_when_it_gets_a_condition() {
    use crate::support::Sheet;
    for kind in ["autoFilter", "filterView"] {
        let mut sheet = Sheet::new(
            r#"[{"type":"typeTexts","sheet":1,"at":"A1","texts":[["Item","Amount"],["x","1"],["y","2"]]}]"#,
        );
        sheet.run(&format!(r#"{{"type":"setItem","sheet":1,"item":1,"kind":"{kind}","anchors":["A1:B3"]}}"#));
        sheet.set("A4", "x");
        sheet.set("B5", "3");
        sheet.set("A7", "x");
        sheet.run(r#"{"type":"setItem","sheet":1,"item":2,"kind":"filterColumn","anchors":["A1"],"fields":{"parent":1,"rule":"values","shown":["y"]}}"#);
        let range = |sheet: &Sheet| {
            let sheet = &sheet.document.workbook().sheets()[0];
            sheet.item(quadrille_workbook::ItemId(1)).expect("the filter").anchors[0].to_string()
        };
        assert_eq!(range(&sheet), "A1:B5");
        let hidden = sheet.document.filtered_rows(SheetId(1), Some(quadrille_workbook::ItemId(1)));
        assert_eq!(hidden, [(1, 1), (3, 2)]);
        sheet.set("A6", "y");
        sheet.run(r#"{"type":"setItem","sheet":1,"item":2,"fields":{"shown":["x"]}}"#);
        assert_eq!(range(&sheet), "A1:B7");
        sheet.undo();
        assert_eq!(range(&sheet), "A1:B5");
    }
}
