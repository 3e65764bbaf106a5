//! Scenarios and descriptions of named functions, read from a file that openpyxl 3.1 wrote, and
//! written.

use std::io::{Cursor, Read};

use crate::notation::{commanded, import, items};
use quadrille_files::{FileFormat, Images, LossKind, WriteOptions, losses, write};
use quadrille_operation::ItemDetails;
use quadrille_workbook::{ItemKind, Workbook};
use zip::ZipArchive;

/// The scenarios of the first sheet and the descriptions of functions.
fn described(workbook: &Workbook) -> Vec<String> {
    let functions = workbook.items().of_kind(ItemKind::NamedFunction);
    let fields = functions.map(|(id, item)| ItemDetails::new(None, id, item, workbook).fields);
    let fields = fields.map(|fields| serde_json::to_string(&fields).expect("text keys"));
    items(workbook, &["scenario"]).into_iter().chain(fields).collect()
}

/// The scenarios of `fixtures/scenarios.xlsx`: the "Budget" of Microsoft's help on scenarios.
const COMMANDS: &str = r#"[
  {"type":"renameSheet","sheet":1,"name":"Budget"},
  {"type":"defineName","name":"Margin","definition":"LAMBDA(price,cost,(price-cost)/price)","sheet":1,"local":false},
  {"type":"setItem","sheet":1,"kind":"scenario","fields":{"name":"Worst case","text":"Prices fall","author":"Ada",
    "cells":[{"formula":"=$B$1","value":"50000"},{"formula":"=$B$2","value":"13200"}]}},
  {"type":"setItem","sheet":1,"kind":"scenario","fields":{"name":"Best case","hidden":true,
    "cells":[{"formula":"=$B$1","value":"150000"},{"formula":"=$B$2","value":"26000"}]}},
  {"type":"setItem","sheet":null,"kind":"namedFunction","fields":{"formula":"=Margin","description":"Profit as a part of the price."}}
]"#;

fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect(name).read_to_string(&mut text).expect("text");
    text
}

#[test]
fn scenarios_and_comments_of_functions_are_read() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/scenarios.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert_eq!(described(&read.workbook), described(&commanded(COMMANDS)));
}

#[test]
fn scenarios_and_comments_of_functions_are_written() {
    let workbook = commanded(COMMANDS);
    let bytes = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Xlsx, &bytes).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(described(&again.workbook), described(&workbook));
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    // ECMA-376 part 1, 18.3.1.99: after the cells, and before page margins.
    let positions =
        ["<sheetData", "<scenarios", "<pageMargins"].map(|element| sheet.find(element).expect(element));
    assert!(positions.is_sorted(), "{sheet}");
    assert!(sheet.contains(r#"<inputCells r="B2" val="13200"/>"#), "{sheet}");
    let comment = r#"<definedName name="Margin" comment="Profit as a part of the price.">"#;
    assert!(part(&bytes, "xl/workbook.xml").contains(comment));
}

#[test]
fn scenarios_come_after_the_protection_of_the_sheet() {
    let workbook = commanded(&COMMANDS.replace(
        "\n]",
        r#",{"type":"setItem","sheet":1,"kind":"protectedRange","anchors":[],"fields":{"wholeSheet":true}}]"#,
    ));
    let bytes = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    let positions = ["<sheetProtection", "<scenarios", "<pageMargins"];
    assert!(positions.map(|element| sheet.find(element).expect(element)).is_sorted(), "{sheet}");
}

#[test]
fn what_files_cannot_have_is_a_loss() {
    let mut commands = COMMANDS.to_owned();
    commands = commands.replace(r#""description":"#, r#""arguments":["per piece",""],"description":"#);
    let workbook = commanded(&commands);
    let kinds = |format| -> Vec<LossKind> {
        let found = losses(&workbook, format, &WriteOptions::default(), &Images::default());
        let kinds = found.into_iter().map(|loss| loss.kind);
        kinds.filter(|kind| matches!(kind, LossKind::Scenarios | LossKind::FunctionHelp)).collect()
    };
    assert_eq!(kinds(FileFormat::Xlsx), [LossKind::FunctionHelp]);
    assert_eq!(kinds(FileFormat::Ods), [LossKind::FunctionHelp, LossKind::Scenarios]);
    assert_eq!(kinds(FileFormat::Csv), [LossKind::Scenarios]);
}
