//! Implicit intersection in formulas of programs without dynamic arrays (rules F13 and F14).

use std::io::{Cursor, Read, Write};

use crate::notation::{import, show};
use quadrille_cell::{CellAddress, Value};
use quadrille_document::Document;
use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_workbook::Workbook;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A file with one sheet that has these `c` elements in its rows, the name `rates` for B1:B4, `tax`
/// for B1, and the table `Prices`.
fn file(rows: &[String]) -> Vec<u8> {
    const WORKBOOK: &str = r#"<workbook xmlns:r="r"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets><definedNames>
      <definedName name="rates">Sheet1!$B$1:$B$4</definedName><definedName name="tax">Sheet1!$B$1</definedName></definedNames></workbook>"#;
    const LINKS: &str = r#"<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
    const SHEET_LINKS: &str = r#"<Relationships><Relationship Id="rId1" Type="http://x/table" Target="../tables/table1.xml"/></Relationships>"#;
    const TABLE: &str = r#"<table name="Prices" displayName="Prices" ref="X1:Y3"><tableColumns><tableColumn name="Item"/><tableColumn name="Price"/></tableColumns></table>"#;
    let rows = rows.iter().zip(1..).map(|(cells, row)| format!("<row r=\"{row}\">{cells}</row>"));
    let sheet =
        format!("<worksheet><sheetData>{}</sheetData></worksheet>", rows.collect::<Vec<_>>().concat());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", LINKS),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/worksheets/_rels/sheet1.xml.rels", SHEET_LINKS),
        ("xl/tables/table1.xml", TABLE),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).expect("a name");
        zip.write_all(text.as_bytes()).expect("into memory");
    }
    zip.finish().expect("into memory").into_inner()
}

fn escaped(formula: &str) -> String {
    formula.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Header cells of the table, which every file contains.
const HEADERS: &str = r#"<c r="X1" t="str"><v>Item</v></c><c r="Y1" t="str"><v>Price</v></c>"#;

/// Checks the formula of E2 after reading a file that has `cell` there.
fn check_cell(cell: &str, expected: &str) {
    let imported =
        import(FileFormat::Xlsx, &file(&[HEADERS.to_owned(), cell.to_owned()])).expect(cell).workbook;
    let cells = show(&imported);
    let formula = cells.split(" | ").find_map(|cell| cell.strip_prefix("E2: "));
    assert_eq!(formula, Some(expected), "{cell}");
}

fn check(in_file: &str, expected: &str) {
    check_cell(&format!("<c r=\"E2\"><f>{}</f></c>", escaped(in_file)), expected);
}

#[test]
fn ranges_where_a_value_is_required_get_an_at_sign() {
    check("CEILING($A2,$AB:$AB)", "=CEILING($A2,@$AB:$AB)");
    check("A1:A3*2", "=@A1:A3*2");
    check("A1:A3", "=@A1:A3");
    check("-(1:1)%^2", "=-(@1:1)%^2");
    check("A:A&\" \"&B:B=C1", "=@A:A&\" \"&@B:B=C1");
    check("IF(A:A>1,B:B,C:C)", "=IF(@A:A>1,@B:B,@C:C)");
    check("IFERROR(B1:B4/A1,SUM(B1:B4))", "=IFERROR(@B1:B4/A1,SUM(B1:B4))");
    check("ROUND(SUM(A:A)*A1:A3,1)", "=ROUND(SUM(A:A)*@A1:A3,1)");
    // The lookup value is a single value; the lookup range is not.
    check("VLOOKUP(A:A,B:C,2,FALSE)", "=VLOOKUP(@A:A,B:C,2,FALSE)");
    check("_xlfn.XLOOKUP(A1:A3,B:B,C:C)", "=XLOOKUP(@A1:A3,B:B,C:C)");
    check("MATCH(A1:A3,B:B,0)", "=MATCH(@A1:A3,B:B,0)");
    check("COUNTIF(A:A,A:A)", "=COUNTIF(A:A,@A:A)");
    // Arguments that accept references require a single value of a calculation.
    check("SUM(A1:A3*B1:B3,C1:C3)", "=SUM(@A1:A3*@B1:B3,C1:C3)");
    check("MATCH(1,(A1:A3=2)*(B1:B3=3),0)", "=MATCH(1,(@A1:A3=2)*(@B1:B3=3),0)");
    check("AND(A1:A3>0,rates)", "=AND(@A1:A3>0,rates)");
    // Functions that return arrays.
    check("ROW(A1:A3)+COLUMNS(A1:C1)", "=@ROW(A1:A3)+COLUMNS(A1:C1)");
    check("LINEST(B1:B4,A1:A4)", "=@LINEST(B1:B4,A1:A4)");
    check("ROUND(TRANSPOSE(A1:A3),1)", "=ROUND(@TRANSPOSE(A1:A3),1)");
    // References that only evaluation determines.
    check("SUM(OFFSET(A1,0,0,3)*2)", "=SUM(@OFFSET(A1,0,0,3)*2)");
    check("INDIRECT(A1)", "=@INDIRECT(A1)");
    check("A1:INDEX(A:A,3)", "=@A1:INDEX(A:A,3)");
    // Names and table columns with several cells.
    check("rates*2+tax", "=@rates*2+tax");
    check("Prices[Price]*2", "=@Prices[Price]*2");
}

#[test]
fn arguments_that_accept_ranges_remain_unchanged() {
    for formula in [
        "A1*$B$2+tax",
        "SUM(A1:A3)",
        "SUMPRODUCT(A1:A3*B1:B3)",
        "INDEX(A:A,MATCH(1,B:B,0))",
        "LOOKUP(2,1/(A1:A3=1),B1:B3)",
        "ROW(A1)+COLUMNS(A1:C1)",
        "SUM(ROW(A1:A3))",
        "INDEX(LINEST(B1:B4,A1:A4),1,2)",
        "SUM(TRANSPOSE(A1:A3),FREQUENCY(A1:A3,B1:B2))",
        "SUBTOTAL(9,OFFSET(A1:A3,0,1))",
        "N(A1:A3)&T(A1:A3)",
        "SUM(rates,Prices[Price])",
        "NOSUCH(A1:A3)",
        "SUM(MMULT(A1:A3*2,B1:D1))",
        "SUM(INDEX(A1:A3*2,0))",
        "SUM(IF(A1>1,B1:B3,C1:C3))",
        "OFFSET(A1,1,1)+INDEX(A:A,3)",
    ] {
        check(formula, &format!("={formula}"));
    }
}

#[test]
fn array_formulas_keep_their_ranges_and_shared_formulas_get_an_at_sign() {
    check_cell("<c r=\"E2\"><f t=\"array\" ref=\"E2\">A1:A3*2</f></c>", "=A1:A3*2");
    check_cell("<c r=\"E2\" cm=\"1\"><f t=\"array\" ref=\"E2:E4\">A1:A3*2</f></c>", "=A1:A3*2");
    check_cell("<c r=\"E2\" cm=\"1\"><f>A1:A3*2</f></c>", "=A1:A3*2");
    check_cell("<c r=\"E2\"><f t=\"shared\" ref=\"E2:E3\" si=\"0\">A:A*2</f></c>", "=@A:A*2");
}

/// Formulas with their values in the rows 1 to 4, as LibreOffice 7.4 calculates them from the same
/// cells; `{r}` is the row.
const COMPUTED: [(&str, [&str; 4]); 19] = [
    ("A1:A4*2", ["2", "4", "6", "8"]),
    ("CEILING($C{r},$A:$A)", ["7", "6", "3", "4"]),
    ("IF(A:A>2,B:B,C:C)", ["7", "5", "30", "40"]),
    ("VLOOKUP(A:A,$A$1:$B$4,2,FALSE)", ["10", "20", "30", "40"]),
    ("-A1:A4%", ["-0.01", "-0.02", "-0.03", "-0.04"]),
    ("\"x\"&rates", ["x10", "x20", "x30", "x40"]),
    ("SUM(A:A)", ["10", "10", "10", "10"]),
    ("IFERROR(B1:B4/(A1:A4-2),\"none\")", ["-10", "none", "30", "20"]),
    ("SUMPRODUCT(A1:A4*B1:B4)", ["300", "300", "300", "300"]),
    ("COUNTIF(A:A,A:A)", ["1", "1", "1", "1"]),
    ("SUM(A1:A4*B1:B4)", ["10", "40", "90", "160"]),
    ("MAX(IF(A1:A4>2,B1:B4),C{r})", ["7", "5", "40", "40"]),
    ("SUM(ABS(-A1:A4))", ["1", "2", "3", "4"]),
    ("SUM(OFFSET($A$1,0,0,4,1)*1)", ["1", "2", "3", "4"]),
    ("INDIRECT(\"A1:A4\")+1", ["2", "3", "4", "5"]),
    ("A1:INDEX(A:A,4)*2", ["2", "4", "6", "8"]),
    ("LARGE(A1:A4+B1:B4,1)", ["11", "22", "33", "44"]),
    ("INDEX(A1:A4,0)*2", ["2", "4", "6", "8"]),
    ("SUM(IF(A1:A4>2,B1:B4,0))", ["0", "0", "100", "100"]),
];

/// A file with numbers in A1:C4 and the formulas from E1 on.
fn computed_file() -> Vec<u8> {
    let numbers = [[1, 10, 7], [2, 20, 5], [3, 30, 3], [4, 40, 2]];
    let rows = numbers.iter().zip(1..).map(|(numbers, row): (_, u32)| {
        let numbers = numbers
            .iter()
            .zip(["A", "B", "C"])
            .map(|(n, column)| format!("<c r=\"{column}{row}\"><v>{n}</v></c>"));
        let formulas = COMPUTED.iter().zip('E'..).map(|((formula, _), column)| {
            format!(
                "<c r=\"{column}{row}\"><f>{}</f></c>",
                escaped(&formula.replace("{r}", &row.to_string()))
            )
        });
        let headers = (row == 1).then(|| HEADERS.to_owned());
        numbers.chain(formulas).chain(headers).collect::<String>()
    });
    file(&rows.collect::<Vec<_>>())
}

fn computed(workbook: Workbook) -> Document {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(u64::MAX).finished {}
    document
}

fn check_values(workbook: &Workbook) {
    for ((formula, values), column) in COMPUTED.iter().zip(4..) {
        for (value, row) in values.iter().zip(0..) {
            let found = match workbook.sheets()[0].value(CellAddress::clamped(row, column)) {
                Value::Number(number) => number.to_string(),
                Value::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            };
            assert_eq!(found, *value, "{formula} in row {}", row + 1);
        }
    }
}

fn sheet_part(file: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).expect("an archive");
    let mut text = String::new();
    let mut part = archive.by_name("xl/worksheets/sheet1.xml").expect("the sheet");
    part.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn formulas_without_dynamic_arrays_have_the_values_of_libreoffice_and_round_trip() {
    let first = computed(import(FileFormat::Xlsx, &computed_file()).expect("readable").workbook);
    check_values(first.workbook());
    let written = write(first.workbook(), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let part = sheet_part(&written);
    for (formula, _) in COMPUTED {
        let plain = format!("<f>{}</f>", escaped(&formula.replace("{r}", "1")));
        assert!(part.contains(&plain), "{plain} in {part}");
    }
    assert!(!part.contains("SINGLE") && !part.contains("cm="), "{part}");
    let again = computed(import(FileFormat::Xlsx, &written).expect("readable").workbook);
    assert_eq!(show(again.workbook()), show(first.workbook()));
    check_values(again.workbook());
}

#[test]
fn dynamic_array_formulas_round_trip_without_an_at_sign() {
    let json = br#"{"sheets": [{"name": "Sheet1", "cells": {"A1": 1, "A2": 2, "A3": 3,
      "C1": {"formula": "=A1:A3*2"}, "D1": {"formula": "=SUM(@A1:A3)+@A1:A3"}, "E1": {"formula": "=@A1:A3"},
      "F1": {"formula": "=C:C"}, "F2": {"formula": "=XLOOKUP(@A1:A3,A1:A3,A1:A3)"}}}]}"#;
    let original = computed(import(FileFormat::Json, json).expect("valid").workbook);
    let written = write(original.workbook(), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let part = sheet_part(&written);
    assert!(part.contains("<c r=\"C1\" cm=\"1\"><f t=\"array\" ref=\"C1:C3\">A1:A3*2</f>"), "{part}");
    assert!(part.contains("<c r=\"E1\"><f>A1:A3</f>"), "{part}");
    let again = import(FileFormat::Xlsx, &written).expect("readable").workbook;
    assert_eq!(show(&again), show(original.workbook()));
}
