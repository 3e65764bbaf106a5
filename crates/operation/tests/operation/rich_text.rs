//! Fonts of parts of texts: what commands do with them.

use crate::cells::read_cells;
use crate::commands::run;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_operation::{Command, FormatChange, apply, plan};
use quadrille_workbook::Workbook;

/// A1 has the text `ab`, of which `b` is bold and red.
const RICH: &str = r##"{"type":"format","range":"A1","format":{"textRuns":[{"text":"a","format":{}},{"text":"b","format":{"bold":true,"textColor":"#ff0000"}}]}}"##;

/// The parts of the text of a cell: `a|b bold`.
fn parts(workbook: &Workbook, cell: &str) -> String {
    let (sheet, cell) = (&workbook.sheets()[0], CellAddress::parse_a1(cell).expect("valid"));
    let change = FormatChange::from(sheet.format(cell)).with_text_runs(sheet, cell);
    let part = |part: &quadrille_operation::TextRunFormat| {
        let text = part.text.clone().unwrap_or_default();
        let flags = [("bold", part.format.bold), ("italic", part.format.italic)];
        let flags = flags.into_iter().filter_map(|(name, flag)| flag.map(|flag| format!(" {name}={flag}")));
        let color = part.format.text_color.clone().flatten().map(|color| format!(" {color}"));
        text + &flags.chain(color).collect::<String>()
    };
    let parts = change.text_runs.flatten().unwrap_or_default();
    parts.iter().map(part).collect::<Vec<_>>().join("|")
}

fn after(given: &str, commands: &[&str]) -> Workbook {
    let mut workbook = read_cells(given);
    run(&mut workbook, &[&[RICH], commands].concat()).expect("the commands are valid");
    workbook
}

#[test]
fn fonts_of_parts_follow_their_text() {
    const BOLD: &str = "a|b bold=true #ff0000";
    for (command, cell) in [
        (r#"{"type":"insertRows","at":0,"count":2}"#, "A3"),
        (r#"{"type":"copyPaste","fromSheet":1,"source":"A1","target":"C5","what":"all"}"#, "C5"),
        (r#"{"type":"copyPaste","fromSheet":1,"source":"A1","target":"C5","what":"all"}"#, "A1"),
        (r#"{"type":"cutPaste","fromSheet":1,"source":"A1","target":"C5"}"#, "C5"),
        (r#"{"type":"moveLines","dimension":"rows","first":0,"count":1,"to":3}"#, "A3"),
        (r#"{"type":"fillDown","range":"A1:A2"}"#, "A2"),
        (
            r#"{"type":"sort","range":"A1:A2","keys":[{"column":0,"descending":true}],"hasHeader":false}"#,
            "A2",
        ),
    ] {
        assert_eq!(parts(&after("A1: ab | A2: zz", &[command]), cell), BOLD, "{command}");
    }
}

#[test]
fn fonts_of_parts_have_no_effect_on_other_contents() {
    for text in ["abc", "ba", "12", "=\"ab\"", ""] {
        let command = format!(r#"{{"type":"typeText","cell":"A1","text":{}}}"#, serde_json::json!(text));
        assert_eq!(parts(&after("A1: ab", &[&command]), "A1"), "", "{text}");
    }
    // The same text again is the text that they were made for.
    let again =
        [r#"{"type":"typeText","cell":"A1","text":"x"}"#, r#"{"type":"typeText","cell":"A1","text":"ab"}"#];
    assert_eq!(parts(&after("A1: ab", &again), "A1"), "a|b bold=true #ff0000");
}

#[test]
fn a_font_of_the_whole_cell_replaces_that_of_its_parts() {
    let bold = r#"{"type":"format","range":"A1:B9","format":{"bold":false}}"#;
    assert_eq!(parts(&after("A1: ab", &[bold]), "A1"), "a|b #ff0000");
    let toggle = r#"{"type":"toggle","range":"A1","attribute":"bold"}"#;
    assert_eq!(parts(&after("A1: ab", &[toggle]), "A1"), "a|b #ff0000");
    let both = r##"{"type":"format","range":"A1","format":{"bold":true,"textColor":"#0000ff"}}"##;
    assert_eq!(parts(&after("A1: ab", &[both]), "A1"), "");
    let italic = r#"{"type":"format","range":"A1","format":{"italic":true,"wrap":true}}"#;
    assert_eq!(parts(&after("A1: ab", &[italic]), "A1"), "a|b bold=true #ff0000");
    let formats = r#"{"type":"clear","range":"A1","what":"formats"}"#;
    assert_eq!(parts(&after("A1: ab", &[formats]), "A1"), "");
}

#[test]
fn an_undo_brings_the_fonts_back() {
    let mut workbook = after("A1: ab", &[]);
    let before = parts(&workbook, "A1");
    let format = FormatChange { bold: Some(true), ..FormatChange::default() };
    let command = Command::Format { sheet: 1, range: "A1:C3".to_owned(), format: Box::new(format) };
    let transaction = plan(&command, &workbook, &mut || SheetId(9)).expect("valid");
    let applied = apply(&mut workbook, &transaction);
    assert_eq!(parts(&workbook, "A1"), "a|b #ff0000");
    apply(&mut workbook, &applied.inverse);
    assert_eq!(parts(&workbook, "A1"), before);
}

#[test]
fn parts_with_other_attributes_or_invalid_fonts_are_refused() {
    for (format, message) in [
        (
            r#"{"textRuns":[{"text":"a","format":{"wrap":true}}]}"#,
            "part of a text with an attribute that no font has",
        ),
        (
            r#"{"textRuns":[{"text":"a","format":{"textRuns":null}}]}"#,
            "part of a text with an attribute that no font has",
        ),
        (
            r#"{"textRuns":[{"text":"a","format":{"fontSize":500}}]}"#,
            "font size must be from 1 to 409 points: 500",
        ),
        (r#"{"textRuns":[{"format":{}}]}"#, "textRuns: missing field `text`"),
        (r#"{"textRuns":[{"text":"a","bold":true}]}"#, "textRuns: unknown field `bold`"),
    ] {
        let command = format!(r#"{{"type":"format","range":"A1","format":{format}}}"#);
        let error = run(&mut read_cells("A1: a"), &[&command]).expect_err("refused");
        assert!(error.starts_with(message), "{error}");
    }
}
