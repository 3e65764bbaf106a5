//! Heights of rows for which a file has none: programs fit them to their texts (rule F26).

use quadrille_cell::Dimension;
use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_workbook::Workbook;

use crate::notation::{command, commanded, import, with_changed_part};

/// First row, count and height of the rows of the first sheet with a height.
fn heights(workbook: &Workbook) -> Vec<(u32, u32, u16)> {
    workbook.sheets()[0].size_runs(Dimension::Rows).collect()
}

fn text(cell: &str, text: &str, format: &str) -> String {
    format!(
        r#"{{"type":"typeText","sheet":1,"cell":"{cell}","text":"{text}"}},{{"type":"format","sheet":1,"range":"{cell}","format":{{{format}}}}}"#
    )
}

/// A workbook as scripts write it, without heights.
fn without_heights() -> Workbook {
    let wraps = r#""wrap":true"#;
    let long = "A text of several words that do not fit into one line of the column";
    let cells = [
        text("A1", r"one\ntwo\nthree", wraps),
        text("A2", long, wraps),
        text("A3", "large", r#""fontSize":20"#),
        text("A4", long, r#""bold":true"#),
        text("A5", "short", wraps),
        text("A6", "12345678901234567", wraps),
        text("A7", long, wraps),
    ];
    let merge = r#"{"type":"setItem","sheet":1,"kind":"merge","anchors":["A7:H7"]}"#;
    commanded(&format!("[{},{merge}]", cells.join(",")))
}

#[test]
fn rows_without_a_height_are_fitted_to_wrapped_texts_and_large_fonts() {
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let file = write(&without_heights(), format, &WriteOptions::default()).expect("written");
        let read = import(format, &file).expect("readable").workbook;
        // The client shows lines of 16.9 px: three, and the words in 88 px each.
        let [lines, words, large] = heights(&read)[..] else { panic!("{format:?}: {:?}", heights(&read)) };
        assert_eq!((lines, large), ((0, 1, 56), (2, 1, 40)), "{format:?}");
        // LibreOffice 7.4 breaks the text into five lines in Liberation Sans of 13 px.
        assert_eq!(words, (1, 1, 90), "{format:?}");
    }
}

/// Heights that a program has stored stay, also those of one line.
#[test]
fn rows_with_a_height_keep_it() {
    let file = write(&without_heights(), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let file = with_changed_part(&file, "xl/worksheets/sheet1.xml", |text| {
        let text = text.replacen(r#"<row r="1""#, r#"<row r="1" ht="15""#, 1);
        let text = text.replacen(r#"<row r="2""#, r#"<row r="2" ht="30" customHeight="1""#, 1);
        text.replacen(r#"<row r="3""#, r#"<row r="3" ht="26.25""#, 1)
    });
    assert_eq!(
        heights(&import(FileFormat::Xlsx, &file).expect("readable").workbook),
        [(1, 1, 40), (2, 1, 35)]
    );
}

/// Fitted rows are rows of the client with the height of their texts: a second file has the same heights.
#[test]
fn fitted_heights_round_trip() {
    let mut workbook = without_heights();
    command(
        &mut workbook,
        r#"[{"type":"resize","sheet":1,"dimension":"columns","first":0,"count":1,"size":200}]"#,
    );
    let again = |workbook: &Workbook, format: FileFormat| {
        let file = write(workbook, format, &WriteOptions::default()).expect("written");
        import(format, &file).expect("readable").workbook
    };
    let first = again(&workbook, FileFormat::Xlsx);
    assert_eq!(heights(&again(&first, FileFormat::Xlsx)), heights(&first));
    assert_eq!(heights(&again(&first, FileFormat::Ods)), heights(&first));
}
