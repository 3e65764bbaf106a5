//! What-if data tables, read from a file that openpyxl 3.1 wrote, and written (rule F30).
//!
//! The values are those of LibreOffice 7.4 for the payments as plain formulas, such as
//! `=ROUND(PMT(0.04/12,10*12,-100000),2)`.

use std::io::{Cursor, Read};

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_document::Document;
use quadrille_files::{FileFormat, Images, Loss, WriteOptions, losses, write};
use quadrille_formula::{Host, print};
use quadrille_workbook::Workbook;
use zip::ZipArchive;

use crate::notation::{commanded, import, with_changed_part};

const FILE: &[u8] = include_bytes!("../fixtures/data_tables.xlsx");
const SHEET: &str = "xl/worksheets/sheet1.xml";

fn calculated(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

fn read(bytes: &[u8]) -> Workbook {
    let imported = import(FileFormat::Xlsx, bytes).expect("readable");
    assert_eq!(imported.warnings, [] as [String; 0]);
    calculated(imported.workbook)
}

fn written(workbook: &Workbook) -> Vec<u8> {
    write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written")
}

fn sheet_part(bytes: &[u8]) -> String {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name(SHEET).expect("a sheet").read_to_string(&mut text).expect("text");
    text
}

fn values(workbook: &Workbook, range: &str) -> Vec<f64> {
    let sheet = &workbook.sheets()[0];
    let cells = Range::parse_a1(range).expect("a range").cells();
    cells
        .map(|cell| match sheet.value(cell) {
            // To cents: a product has more digits.
            Value::Number(number) => (number * 100.0).round() / 100.0,
            other => panic!("{cell}: {other:?}"),
        })
        .collect()
}

fn formula(workbook: &Workbook, cell: &str) -> String {
    let address = CellAddress::parse_a1(cell).expect("a cell");
    let sheet = &workbook.sheets()[0];
    let template = sheet.formula(address).expect(cell);
    format!("={}", print(template, Host { sheet: sheet.id(), cell: address }, workbook))
}

fn named_losses(workbook: &Workbook) -> Vec<String> {
    let losses = losses(workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::default());
    losses.iter().map(Loss::text).collect()
}

/// One variable in a column with two formulas, one in a row, and two variables.
#[track_caller]
fn assert_tables(workbook: &Workbook) {
    let by_rate = [1012.45, 121494.0, 1060.66, 127279.2, 1110.21, 133225.2];
    assert_eq!(values(workbook, "E2:F4"), by_rate);
    assert_eq!(values(workbook, "B11:D11"), [1887.12, 1060.66, 790.79]);
    let by_both = [1841.65, 1012.45, 739.69, 1887.12, 1060.66, 790.79, 1933.28, 1110.21, 843.86];
    assert_eq!(values(workbook, "B21:D23"), by_both);
}

#[test]
fn data_tables_are_read() {
    let workbook = read(FILE);
    assert_tables(&workbook);
    assert_eq!(formula(&workbook, "F4"), "=MULTIPLE.OPERATIONS(F$1,$B$1,$D4)");
    assert_eq!(formula(&workbook, "D11"), "=MULTIPLE.OPERATIONS($A11,$B$2,D$10)");
    assert_eq!(formula(&workbook, "C22"), "=MULTIPLE.OPERATIONS($A$20,$B$1,$A22,$B$2,C$20)");
}

#[test]
fn data_tables_are_written_as_such() {
    let before = read(FILE);
    assert_eq!(named_losses(&before), [] as [String; 0]);
    let bytes = written(&before);
    let text = sheet_part(&bytes);
    for element in [
        r#"<f t="dataTable" ref="E2:F4" dt2D="0" dtr="0" r1="B1"/><v>1012.45</v>"#,
        r#"<f t="dataTable" ref="B11:D11" dt2D="0" dtr="1" r1="B2"/><v>1887.12</v>"#,
        r#"<f t="dataTable" ref="B21:D23" dt2D="1" dtr="1" r1="B2" r2="B1"/><v>1841.65</v>"#,
        r#"<c r="C22"><v>1060.66</v></c>"#,
    ] {
        assert!(text.contains(element), "{element}\n{text}");
    }
    assert!(!text.contains("MULTIPLE.OPERATIONS"), "{text}");
    let after = read(&bytes);
    assert_tables(&after);
    assert_eq!(formula(&after, "C22"), formula(&before, "C22"));
}

#[test]
fn data_tables_of_other_programs_keep_their_formulas() {
    let before = read(FILE);
    let text = write(&before, FileFormat::Ods, &WriteOptions::default()).expect("written");
    let imported = import(FileFormat::Ods, &text).expect("readable");
    let after = calculated(imported.workbook);
    assert_tables(&after);
    assert_eq!(formula(&after, "C22"), formula(&before, "C22"));
    // LibreOffice writes such formulas into `.xlsx` files.
    let bytes = with_changed_part(FILE, SHEET, |text| {
        text.replace(r#"<f t="dataTable" ref="B11:D11" dtr="1" r1="B2" />"#, "<f>1+TABLE($A11,$B$2,B$10)</f>")
    });
    assert_eq!(values(&read(&bytes), "B11:B11"), [1888.12]);
}

/// A deleted input cell is an error, values in the first row have none above, and tables do not overlap.
#[test]
fn damaged_data_tables_are_read() {
    let changed = |new: &str| {
        let old = r#"<f t="dataTable" ref="B11:D11" dtr="1" r1="B2" />"#;
        let bytes = with_changed_part(FILE, SHEET, |text| text.replace(&format!("{old}<v />"), new));
        import(FileFormat::Xlsx, &bytes).expect("readable")
    };
    let deleted = changed(r#"<f t="dataTable" ref="B11:D11" dtr="1" r1="B2" del1="1"/>"#).workbook;
    assert_eq!(formula(&deleted, "B11"), "=MULTIPLE.OPERATIONS($A11,#REF!,B$10)");
    // Tables that overlap another one keep their values.
    let overlapping = changed(r#"<f t="dataTable" ref="B11:B21" r1="B2"/>"#);
    assert_eq!(overlapping.warnings, ["left out: what-if data tables"]);
    assert_eq!(formula(&overlapping.workbook, "B21"), "=MULTIPLE.OPERATIONS(B$10,$B$2,$A21)");
    for nowhere in [r#"<f t="dataTable" ref="B1:D1" r1="B2"/>"#, r#"<f t="dataTable" r1="B2"/>"#] {
        assert_eq!(changed(nowhere).warnings, ["left out: what-if data tables"], "{nowhere}");
    }
}

#[test]
fn other_calls_are_named() {
    let workbook = calculated(commanded(
        r#"[{"type":"setCells","sheet":1,"at":"A1","cells":[
          [{"number":1},{"formula":"=A1*2"},{"formula":"=MULTIPLE.OPERATIONS(B1,A1,5)"}],
          [{"number":3},{"formula":"=B1"},{"formula":"=1/0"}],
          [{"number":4},{"formula":"=MULTIPLE.OPERATIONS(B$2,$A$1,$A3)"},{"formula":"=MULTIPLE.OPERATIONS(C$2,$A$1,$A3)"}],
          ["blank",{"formula":"=MULTIPLE.OPERATIONS(B$2,$A$1,$A4)+1"}]
        ]}]"#,
    ));
    assert_eq!(
        named_losses(&workbook),
        [
            "results of functions that other programs do not have: MULTIPLE.OPERATIONS ('Sheet1'!B4, 'Sheet1'!C1)"
        ]
    );
    let bytes = written(&workbook);
    let text = sheet_part(&bytes);
    let table = r#"<c r="B3"><f t="dataTable" ref="B3:C3" dt2D="0" dtr="0" r1="A1"/><v>8</v></c>"#;
    assert!(text.contains(table), "{text}");
    assert!(text.contains(r#"<c r="C3" t="e"><v>#DIV/0!</v></c>"#), "{text}");
    assert!(text.contains("<f>MULTIPLE.OPERATIONS(B1,A1,5)</f><v>10</v>"), "{text}");
}
