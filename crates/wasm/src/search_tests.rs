//! Tests of find and replace, with the JSON of the client.

use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::plan;

use crate::messages::SearchScope;
use crate::{search, test_documents};

const PLAIN: &str = r#"{"text":"","isPattern":false,"matchesCase":false,"wholeCell":false,"inFormulas":false,"sheet":null,"range":null}"#;

fn search_for(text: &str, how: &[(&str, serde_json::Value)]) -> SearchScope {
    let mut search: serde_json::Value = serde_json::from_str(PLAIN).expect("well-formed");
    search["text"] = text.into();
    for (name, value) in how {
        search[*name] = value.clone();
    }
    let json = serde_json::from_value(search).expect("JSON");
    SearchScope::from_json(&json).expect("well-formed")
}

fn found(document: &Document, text: &str, how: &[(&str, serde_json::Value)]) -> String {
    let answer = search::find(document, &search_for(text, how));
    if let Some(problem) = answer.problem {
        return problem;
    }
    assert_eq!(answer.total, answer.cells.len() as f64);
    let name = |column: u32, row: u32| format!("{}{}", char::from(b'A' + column as u8), row + 1);
    answer.cells.iter().map(|cell| name(cell.column, cell.row)).collect::<Vec<_>>().join(" ")
}

const CELLS: &str = "A1: Apple | B1: pineapple | A2: 12 | B2: =A2*10 | A3: ÄPFEL | B3: a.b | C3: =SUM(A2:B2)";

#[test]
fn displayed_texts_are_found_in_row_order() {
    let document = test_documents::document(CELLS);
    let yes = || serde_json::Value::Bool(true);
    for (text, how, expected) in [
        ("apple", vec![], "A1 B1"),
        ("apple", vec![("matchesCase", yes())], "B1"),
        ("apple", vec![("wholeCell", yes())], "A1"),
        ("äpfel", vec![], "A3"),
        ("äpfel", vec![("matchesCase", yes())], ""),
        ("12", vec![], "A2 B2"),
        ("132", vec![], "C3"),
        // Without a pattern, a dot matches a dot.
        ("a.b", vec![], "B3"),
        ("a.?p", vec![("isPattern", yes())], "A1 B1"),
        ("^1\\d+$", vec![("isPattern", yes())], "A2 B2 C3"),
        ("sum", vec![("inFormulas", yes())], "C3"),
        ("sum", vec![], ""),
        ("120", vec![("inFormulas", yes())], ""),
    ] {
        assert_eq!(found(&document, text, &how), expected, "{text} {how:?}");
    }
    let range = serde_json::json!({"top": 0, "left": 1, "bottom": 1, "right": 1});
    assert_eq!(found(&document, "1", &[("range", range)]), "B2");
    assert_eq!(found(&document, "apple", &[("sheet", 9.into())]), "");
}

#[test]
fn invalid_patterns_are_reported() {
    let document = test_documents::document(CELLS);
    assert!(found(&document, "", &[]).starts_with("a search takes"));
    let pattern = [("isPattern", true.into())];
    assert!(found(&document, "(", &pattern).starts_with("not a pattern"));
    assert!(found(&document, &"x".repeat(3_000), &[]).starts_with("a search takes"));
}

#[test]
fn replacing_keeps_formulas_unless_formulas_are_searched() {
    for (text, with, how, expected, cells) in [
        ("apple", "pear", vec![], [("A1", "pear"), ("B1", "pinepear"), ("B2", "=A2*10")], 2),
        ("12", "34", vec![], [("A1", "Apple"), ("A2", "34"), ("B2", "=A2*10")], 1),
        (
            "A2",
            "A1",
            vec![("inFormulas", true.into())],
            [("A2", "12"), ("B2", "=A1*10"), ("C3", "=SUM(A1:B2)")],
            2,
        ),
        (
            "(a)(.)(b)",
            "$3-$1",
            vec![("isPattern", true.into())],
            [("B3", "b-a"), ("A1", "Apple"), ("A2", "12")],
            1,
        ),
        // Without a pattern, `$1` is literal. (`$1` alone would be read as a currency amount.)
        ("a.b", "x$1", vec![], [("B3", "x$1"), ("A1", "Apple"), ("A2", "12")], 1),
    ] {
        let mut document = test_documents::document(CELLS);
        let (command, changed) =
            search::replace(&document, &search_for(text, &how), with).expect("can be found");
        let mut no_sheets = || unreachable!("replacing adds no sheet");
        let transaction = plan(&command, document.workbook(), &mut no_sheets).expect("the cells exist");
        let before = quadrille_protocol::snapshot_bytes(document.workbook());
        let applied = document.apply(&transaction, EvaluationContext::default());
        assert_eq!(changed, cells, "{text}");
        for (cell, shown) in expected {
            let address = quadrille_cell::CellAddress::parse_a1(cell).expect("valid");
            assert_eq!(document.edit_text(quadrille_cell::SheetId(1), address), shown, "{text} in {cell}");
        }
        document.apply(&applied.inverse, EvaluationContext::default());
        assert_eq!(quadrille_protocol::snapshot_bytes(document.workbook()), before, "one step back");
    }
}

#[test]
fn replacements_in_adjacent_cells_are_one_command() {
    let cells: Vec<String> = (1..=300).map(|row| format!("A{row}: x{row}")).collect();
    let document = test_documents::document(&cells.join(" | "));
    let (command, changed) = search::replace(&document, &search_for("x", &[]), "y").expect("can be found");
    assert_eq!(changed, 300);
    let quadrille_operation::Command::Many { commands } = command else { panic!("one step") };
    assert_eq!(commands.len(), 1);
}
