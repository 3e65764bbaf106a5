//! Cell formats of Excel beyond the common ones: alignments, underlines, superscripts, diagonal
//! borders, fill patterns, quote prefixes and reading orders.
//!
//! openpyxl 3.1 wrote `fixtures/cell-formats.xlsx`. Row by row its cells have each value of one
//! attribute; the expected names are those of ECMA-376, which openpyxl uses too.

use quadrille_cell::CellAddress;
use quadrille_files::{FileFormat, Images, WriteOptions, losses, write};
use quadrille_operation::FormatChange;
use quadrille_workbook::Workbook;

use crate::notation::{import, with_changed_part};

fn fixture() -> Workbook {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/cell-formats.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    read.workbook
}

/// The formats of the cells of a row, in JSON.
fn formats(workbook: &Workbook, row: u32, count: u32) -> Vec<String> {
    let sheet = &workbook.sheets()[0];
    let format = |column| FormatChange::from(sheet.format(CellAddress::clamped(row - 1, column)));
    (0..count).map(|column| serde_json::to_string(&format(column)).expect("text keys")).collect()
}

/// Asserts the formats that `.xlsx` files have.
fn assert_formats(workbook: &Workbook) {
    assert_eq!(
        formats(workbook, 1, 4),
        ["justify", "distributed", "fill", "centerContinuous"]
            .map(|name| format!(r#"{{"horizontal":"{name}"}}"#))
    );
    assert_eq!(
        formats(workbook, 2, 2),
        ["justify", "distributed"].map(|name| format!(r#"{{"vertical":"{name}"}}"#))
    );
    assert_eq!(
        formats(workbook, 3, 4),
        [
            r#"{"underline":true}"#,
            r#"{"underline":true,"underlineStyle":"double"}"#,
            r#"{"underline":true,"underlineStyle":"singleAccounting"}"#,
            r#"{"underline":true,"underlineStyle":"doubleAccounting"}"#,
        ]
    );
    assert_eq!(
        formats(workbook, 4, 2),
        ["superscript", "subscript"].map(|name| format!(r#"{{"script":"{name}"}}"#))
    );
    let line = r##"{"style":"dashDot","color":"#ff0000"}"##;
    assert_eq!(
        formats(workbook, 5, 3),
        [
            format!(r#"{{"borderDiagonalUp":{line}}}"#),
            format!(r#"{{"borderDiagonalDown":{line}}}"#),
            format!(r#"{{"borderDiagonalUp":{line},"borderDiagonalDown":{line}}}"#),
        ]
    );
    // The order of section 18.18.55 of ECMA-376, part 1, without `none` and `solid`.
    let patterns = "mediumGray darkGray lightGray darkHorizontal darkVertical darkDown darkUp darkGrid \
                    darkTrellis lightHorizontal lightVertical lightDown lightUp lightGrid lightTrellis \
                    gray125 gray0625";
    let expected: Vec<String> = patterns
        .split_whitespace()
        .map(|name| {
            format!(r##"{{"fillColor":"#ffff00","fillPattern":"{name}","fillPatternColor":"#0000ff"}}"##)
        })
        .collect();
    assert_eq!(formats(workbook, 6, 17), expected);
    assert_eq!(formats(workbook, 7, 1), [r#"{"quotePrefix":true}"#]);
    assert_eq!(
        formats(workbook, 8, 2),
        ["leftToRight", "rightToLeft"].map(|name| format!(r#"{{"readingOrder":"{name}"}}"#))
    );
    assert_eq!(formats(workbook, 9, 1), [r#"{"overflow":"shrink"}"#]);
}

fn written(workbook: &Workbook, format: FileFormat) -> Workbook {
    let bytes = write(workbook, format, &WriteOptions::default()).expect("writable");
    import(format, &bytes).expect("readable").workbook
}

#[test]
fn an_xlsx_file_keeps_them() {
    let workbook = fixture();
    assert_formats(&workbook);
    assert_formats(&written(&workbook, FileFormat::Xlsx));
    assert_eq!(losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::new()).len(), 0);
}

#[test]
fn a_json_file_keeps_them() {
    assert_formats(&written(&fixture(), FileFormat::Json));
}

#[test]
fn an_ods_file_keeps_what_opendocument_has_and_names_the_rest() {
    let workbook = fixture();
    let again = written(&workbook, FileFormat::Ods);
    for (row, count) in [(2, 2), (4, 2), (5, 3), (8, 2), (9, 1)] {
        assert_eq!(formats(&again, row, count), formats(&workbook, row, count), "row {row}");
    }
    assert_eq!(formats(&again, 1, 3), formats(&workbook, 1, 3));
    assert_eq!(formats(&again, 3, 2), formats(&workbook, 3, 2));
    let report = losses(&workbook, FileFormat::Ods, &WriteOptions::default(), &Images::new());
    let kinds: Vec<&str> = report.iter().map(|loss| loss.kind.code()).collect();
    assert_eq!(kinds, ["alignments", "underlineStyles", "fillPatterns"]);
}

#[test]
fn a_page_in_html_shows_them() {
    let page = write(&fixture(), FileFormat::Html, &WriteOptions::default()).expect("writable");
    let page = String::from_utf8(page).expect("UTF-8");
    for part in [
        "<td style=\"text-align:justify;\">justify",
        "text-decoration:underline;text-decoration-style:double;",
        "<sup>superscript</sup>",
        "<sub>subscript</sub>",
        "direction:rtl;",
        // Half yellow, half blue.
        "background:#7f7f7f;",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_gradient_becomes_the_mean_of_its_colors() {
    let gradient = |stops: &str| format!("<fill><gradientFill degree=\"90\">{stops}</gradientFill></fill>");
    let stop = |at: u32, color: &str| format!("<stop position=\"{at}\"><color rgb=\"FF{color}\"/></stop>");
    let first = "<fill><patternFill patternType=\"mediumGray\"";
    for (stops, expected) in [
        (stop(0, "102030") + &stop(1, "304050"), r##"{"fillColor":"#203040"}"##),
        (stop(0, "102030"), r##"{"fillColor":"#102030"}"##),
        (String::new(), "{}"),
    ] {
        let file =
            with_changed_part(include_bytes!("../fixtures/cell-formats.xlsx"), "xl/styles.xml", |text| {
                let at = text.find(first).expect("a fill");
                let end = at + text[at..].find("</fill>").expect("an end") + "</fill>".len();
                format!("{}{}{}", &text[..at], gradient(&stops), &text[end..])
            });
        let read = import(FileFormat::Xlsx, &file).expect("readable");
        assert_eq!(read.warnings, ["left out: gradients of fills"]);
        let all: Vec<String> = (1..20).flat_map(|row| formats(&read.workbook, row, 20)).collect();
        assert!(all.iter().any(|format| format == expected), "{expected}: {all:?}");
        assert!(!all.iter().any(|format| format.contains("mediumGray")));
    }
}
