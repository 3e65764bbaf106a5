//! Rows that a filter hides.

use quadrille_cell::SheetId;
use quadrille_document::{Document, Stamp};
use quadrille_operation::{Command, plan};

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
        document.apply(&planned.unwrap_or_else(|error| panic!("{json}: {error}")), Stamp::default());
    }
    document.evaluate(u64::MAX);
    let rows = document.filtered_rows(SheetId(1), None).into_iter();
    rows.flat_map(|(first, count)| first + 1..=first + count)
        .map(|row| row.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn rows_hidden_are_those_that_a_condition_does_not_hold_for() {
    for (columns, hidden) in [
        (&[][..], ""),
        (&[r#"A "rule":"values","shown":["ink","pen"]"#], "3 4 5 7"),
        (&[r#"A "rule":"values","shown":["ink"],"showBlanks":true"#], "3 5 6 7"),
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
