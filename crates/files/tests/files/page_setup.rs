//! Page breaks, and headers and footers of first and even pages.

use std::io::{Cursor, Read};

use crate::notation::{commanded, import, items};
use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_workbook::Workbook;
use zip::ZipArchive;

const KINDS: [&str; 2] = ["pageBreak", "sheetSettings"];

/// The text of a part of a file.
pub fn part(file: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(file)).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect(name).read_to_string(&mut text).expect("text");
    text
}

fn xlsx(workbook: &Workbook) -> Vec<u8> {
    write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written")
}

const COMMANDS: &str = r#"[
  {"type":"setItem","sheet":1,"kind":"pageBreak","anchors":["21:21"]},
  {"type":"setItem","sheet":1,"kind":"pageBreak","anchors":["8:8"]},
  {"type":"setItem","sheet":1,"kind":"pageBreak","anchors":["D:D"]},
  {"type":"setItem","sheet":1,"item":0,"fields":{"headerCenter":"Odd","differentFirst":true,"differentOddEven":true,
    "firstHeader":"&LCover & more","evenHeader":"&REven","evenFooter":"&L&P&R&D",
    "marginTop":0.75,"marginBottom":0.75,"marginLeft":0.7,"marginRight":0.7,"marginHeader":0.3,"marginFooter":0.3,"orientation":"portrait"}}
]"#;

/// The elements are those of ECMA-376 part 1, 18.3.1.46, 18.3.1.74 and 18.3.1.14: a break is above the
/// row, or before the column, whose index counted from 0 is its `id`.
#[test]
fn page_breaks_and_headers_are_written_as_in_the_standard() {
    let file = xlsx(&commanded(COMMANDS));
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    for expected in [
        r#"<headerFooter differentOddEven="1" differentFirst="1"><oddHeader>&amp;COdd</oddHeader><evenHeader>&amp;REven</evenHeader><evenFooter>&amp;L&amp;P&amp;R&amp;D</evenFooter><firstHeader>&amp;LCover &amp; more</firstHeader></headerFooter>"#,
        r#"<rowBreaks count="2" manualBreakCount="2"><brk id="7" max="16383" man="1"/><brk id="20" max="16383" man="1"/></rowBreaks>"#,
        r#"<colBreaks count="1" manualBreakCount="1"><brk id="3" max="1048575" man="1"/></colBreaks>"#,
    ] {
        assert!(sheet.contains(expected), "{expected}\n{sheet}");
    }
    // In the order of the schema.
    let order = ["<pageMargins", "<headerFooter", "<rowBreaks", "<colBreaks"].map(|name| sheet.find(name));
    assert!(order.is_sorted() && order[0].is_some(), "{sheet}");
}

#[test]
fn page_breaks_and_headers_survive_a_round_trip() {
    let workbook = commanded(COMMANDS);
    let again = import(FileFormat::Xlsx, &xlsx(&workbook)).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(items(&again.workbook, &KINDS), items(&workbook, &KINDS));
}

/// OpenDocument 1.3, part 3, 20.184: a break before a row or a column is an attribute of its style.
#[test]
fn page_breaks_survive_a_round_trip_through_opendocument() {
    let workbook = commanded(COMMANDS);
    let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
    let content = part(&file, "content.xml");
    for element in ["column", "row"] {
        let expected = format!(r#"<style:table-{element}-properties fo:break-before="page"/>"#);
        assert!(content.contains(&expected), "{content}");
    }
    let again = import(FileFormat::Ods, &file).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(items(&again.workbook, &["pageBreak"]), items(&workbook, &["pageBreak"]));
}

#[test]
fn page_breaks_follow_their_rows_and_columns() {
    let with = |edits: &str| {
        let commands = COMMANDS.trim_end().strip_suffix(']').expect("a list");
        items(&commanded(&format!("{commands},{edits}]")), &["pageBreak"])
    };
    let inserted = with(
        r#"{"type":"insertRows","sheet":1,"at":9,"count":3},
           {"type":"insertColumns","sheet":1,"at":0,"count":1}"#,
    );
    assert_eq!(inserted, ["pageBreak 24:24 {}", "pageBreak 8:8 {}", "pageBreak E:E {}"]);
    let deleted = with(r#"{"type":"deleteRows","sheet":1,"at":7,"count":1}"#);
    assert_eq!(deleted, ["pageBreak 20:20 {}", "pageBreak D:D {}"]);
}

/// A break that a program has placed itself, and one before the first row, are no manual breaks.
#[test]
fn automatic_page_breaks_are_not_read() {
    let file = xlsx(&commanded(COMMANDS));
    let automatic = crate::notation::with_changed_part(&file, "xl/worksheets/sheet1.xml", |text| {
        text.replace(
            r#"<brk id="7" max="16383" man="1"/>"#,
            r#"<brk id="7" max="16383"/><brk id="0" man="1"/>"#,
        )
    });
    let read = import(FileFormat::Xlsx, &automatic).expect("readable");
    assert_eq!(items(&read.workbook, &["pageBreak"]), ["pageBreak 21:21 {}", "pageBreak D:D {}"]);
}
