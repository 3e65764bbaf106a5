//! Data of charts.

use quadrille_cell::SheetId;
use quadrille_document::{ChartSeries, Document, EvaluationContext};
use quadrille_operation::{Command, plan};
use quadrille_workbook::ItemId;

/// `categories: values` of the chart of column B by column A.
fn chart(rows: &str, fields: &str) -> String {
    let series = series(rows, fields, "");
    let points: Vec<String> =
        series.categories.iter().zip(&series.texts).map(|(a, b)| format!("{a} {b}")).collect();
    points.join(", ")
}

fn series(rows: &str, fields: &str, more: &str) -> ChartSeries {
    let commands = [
        format!(r#"{{"type":"typeTexts","sheet":1,"at":"A1","texts":{rows}}}"#),
        format!(
            r#"{{"type":"setItem","sheet":1,"item":1,"kind":"chart","anchors":["D1"],"fields":{{"type":"line",{fields}"series":[{{"categories":"=A1:A9","values":"=B1:B9"{more}}}]}}}}"#
        ),
    ];
    let mut document = Document::new();
    for json in commands {
        let command: Command = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let planned = plan(&command, document.workbook(), &mut || SheetId(99));
        document
            .apply(&planned.unwrap_or_else(|error| panic!("{json}: {error}")), EvaluationContext::default());
    }
    document.evaluate(u64::MAX);
    let mut series = document.chart_series(SheetId(1), ItemId(1), &|_| None).expect("there is a chart");
    series.remove(0)
}

/// Excel draws a date axis from the earliest date to the latest, whatever the order of the cells:
/// ECMA-376 part 1, 21.2.2.39 (`dateAx`).
#[test]
fn dated_points_are_in_the_order_of_their_dates() {
    let dated = r#"[["2026-03-01","7"],["2026-01-01","5"],["2026-02-01","6"]]"#;
    assert_eq!(chart(dated, ""), "2026-01-01 5, 2026-02-01 6, 2026-03-01 7");
    let repeated = r#"[["2026-03-01","7"],["2026-01-01","5"],["2026-03-01","6"]]"#;
    assert_eq!(chart(repeated, r#""aggregate":"sum","#), "2026-01-01 5, 2026-03-01 13");
    assert_eq!(chart(repeated, ""), "2026-01-01 5, 2026-03-01 7, 2026-03-01 6");
}

#[test]
fn other_points_are_in_the_order_of_their_cells() {
    assert_eq!(chart(r#"[["March","7"],["January","5"]]"#, ""), "March 7, January 5");
    assert_eq!(chart(r#"[["3","7"],["1","5"]]"#, ""), "3 7, 1 5");
    assert_eq!(
        chart(r#"[["2026-03-01","7"],["later","5"],["2026-01-01","5"]]"#, ""),
        "2026-03-01 7, later 5, 2026-01-01 5"
    );
}

#[test]
fn texts_are_counted() {
    assert_eq!(
        chart(r#"[["Yes","Yes"],["No","No"],["Yes","Yes"]]"#, r#""aggregate":"count","#),
        "Yes 2, No 1"
    );
}

#[test]
fn labels_are_the_texts_of_cells() {
    let labels = r#","labels":true,"labelCells":"=C1:C9""#;
    let rows = r#"[["March","7","up"],["April","5","30%"],["May","6",""],["June","8","TRUE"]]"#;
    assert_eq!(series(rows, "", labels).labels, ["up", "30%", "", "TRUE"]);
    assert_eq!(series(rows, "", r#","labels":true"#).labels, [] as [String; 0]);
    // The points are in the order of their dates; the last one has no cell for its label.
    let dated = r#"[["2026-03-01","7","c"],["2026-01-01","5","a"],["2026-02-01","6"]]"#;
    assert_eq!(series(dated, "", r#","labelCells":"=C1:C2""#).labels, ["a", "", "c"]);
    assert_eq!(series(rows, r#""aggregate":"sum","#, labels).labels, [] as [String; 0]);
}
