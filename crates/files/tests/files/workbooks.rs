//! `.xlsx` files: files of Excel and LibreOffice, round trips, and malicious files.

use std::io::{Cursor, Write};

use crate::notation::{import, show, show_formats};
use quadrille_cell::{ColumnIndex, Dimension, column_name};
use quadrille_files::{FileErrorCode, FileFormat, WriteOptions, write};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A compressed archive of `parts`.
fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*name, options).expect("a name");
        zip.write_all(text.as_bytes()).expect("into memory");
    }
    zip.finish().expect("into memory").into_inner()
}

const WORKBOOK: &str = r#"<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/><sheet name="More" sheetId="2" r:id="rId2"/></sheets>
  <definedNames><definedName name="Tax">Data!$B$1</definedName><definedName name="_xlnm.Print_Area" localSheetId="0">Data!$A$1</definedName></definedNames></workbook>"#;
const LINKS: &str = r#"<Relationships>
  <Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/>
  <Relationship Id="rId2" Type="http://x/worksheet" Target="/xl/worksheets/sheet2.xml"/>
  <Relationship Id="rId3" Type="http://x/sharedStrings" Target="sharedStrings.xml"/>
  <Relationship Id="rId4" Type="http://x/styles" Target="styles.xml"/></Relationships>"#;
const STRINGS: &str = r#"<sst uniqueCount="4000000000"><si><t>plain</t></si>
  <si><r><t>rich </t></r><r><t xml:space="preserve">&amp; &#x41;_x000D_</t></r><rPh><t>no</t></rPh></si></sst>"#;
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.000"/></numFmts>
  <fonts><font><color theme="1"/></font><font><b/><i val="0"/><color rgb="FFFF0000"/></font></fonts>
  <fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>
    <fill><patternFill patternType="solid"><fgColor theme="4" tint="0.5"/><bgColor indexed="64"/></patternFill></fill></fills>
  <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0" fontId="0" fillId="0"/><xf numFmtId="14" fontId="0"/><xf numFmtId="164" fontId="1" fillId="2"><alignment horizontal="center" wrapText="1"/></xf></cellXfs>
  <dxfs><dxf><font><b/></font></dxf></dxfs></styleSheet>"#;

fn workbook(sheet: &str) -> Vec<u8> {
    archive(&[
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", LINKS),
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>"),
    ])
}

/// Checks that a file with these rows in one sheet and an empty second sheet contains `cells`.
fn check(rows: &str, cells: &str) {
    let sheet =
        format!("<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData></worksheet>");
    let imported = import(FileFormat::Xlsx, &workbook(&sheet)).expect(rows);
    assert_eq!(show(&imported.workbook), format!("[Data] {cells}\n[More] "), "{rows}");
}

/// ECMA-376 part 1, 18.14: formulas number other workbooks, and a part for each names its file.
#[test]
fn references_to_other_workbooks_have_the_names_of_their_files() {
    let xml = WORKBOOK.replacen(
        "<definedNames>",
        r#"<externalReferences><externalReference r:id="rId5"/><externalReference r:id="rId6"/></externalReferences>
        <definedNames><definedName name="Rate">[2]Sheet1!$A$1</definedName>"#,
        1,
    );
    let links = LINKS.replace(
        "</Relationships>",
        r#"<Relationship Id="rId5" Type="http://x/externalLink" Target="externalLinks/externalLink1.xml"/>
        <Relationship Id="rId6" Type="http://x/externalLink" Target="externalLinks/externalLink2.xml"/></Relationships>"#,
    );
    let path = |target: &str| {
        format!(
            r#"<Relationships><Relationship Id="rId1" Type="http://x/externalLinkPath" Target="{target}" TargetMode="External"/></Relationships>"#
        )
    };
    let formulas = ["[1]Q1!$B$2*2", "SUM('[2]A B'!A1:A2)", "[3]Sheet9!A1", "Rate"];
    let cells: String = formulas.iter().map(|formula| format!("<c><f>{formula}</f><v>7</v></c>")).collect();
    let sheet = format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>");
    let bytes = archive(&[
        ("xl/workbook.xml", &xml),
        ("xl/_rels/workbook.xml.rels", &links),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>"),
        ("xl/externalLinks/_rels/externalLink1.xml.rels", &path("file:///C:\\data\\Rates%20%5B2026%5D.xlsx")),
        ("xl/externalLinks/_rels/externalLink2.xml.rels", &path("sub/stock.xlsx")),
    ]);
    let imported = import(FileFormat::Xlsx, &bytes).expect("valid");
    let shown = "[Data] A1: ='[Rates _2026_.xlsx]Q1'!$B$2*2 | B1: =SUM('[stock.xlsx]A B'!A1:A2) | C1: =Sheet9!A1 | D1: =Rate\n[More] ";
    assert_eq!(show(&imported.workbook), shown);
    let names = imported.workbook.names().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    assert!(names.contains(&"Rate".to_owned()), "{names:?}");

    assert_eq!(imported.warnings, ["left out: links to other files"]);

    // What is written has the results: a number without its part would damage the file.
    let again = write(&imported.workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("valid");
    let again = import(FileFormat::Xlsx, &again).expect("valid");
    let shown = show(&again.workbook);
    assert!(!shown.contains("stock.xlsx"), "{shown}");
}

#[test]
fn names_with_the_scope_of_a_sheet_round_trip() {
    let xml = r#"<workbook xmlns:r="r"><sheets><sheet name="My data" sheetId="1" r:id="rId1"/><sheet name="More" sheetId="2" r:id="rId2"/></sheets>
      <definedNames><definedName name="Tax">'My data'!$B$1</definedName><definedName name="Tax" localSheetId="0">'My data'!$B$2</definedName>
      <definedName name="Tax" localSheetId="1">More!$B$3</definedName></definedNames></workbook>"#;
    let rows = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><f>More!Tax+Tax</f><v>0</v></c></row></sheetData></worksheet>";
    let bytes = archive(&[
        ("xl/workbook.xml", xml),
        ("xl/_rels/workbook.xml.rels", LINKS),
        ("xl/worksheets/sheet1.xml", rows),
        ("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>"),
    ]);
    let names = |bytes: &[u8], format: FileFormat| {
        let imported = import(format, bytes).expect("a workbook");
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        imported.workbook.names().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" ")
    };
    let expected = "#1!Tax #2!Tax Tax";
    assert_eq!(names(&bytes, FileFormat::Xlsx), expected);
    let workbook = import(FileFormat::Xlsx, &bytes).expect("a workbook").workbook;
    for format in [FileFormat::Xlsx, FileFormat::Json] {
        let written = write(&workbook, format, &WriteOptions::default()).expect("written");
        assert_eq!(names(&written, format), expected);
    }
}

/// `localSheetId` counts chart sheets, which are left out.
#[test]
fn names_of_a_sheet_after_a_chart_sheet_keep_their_sheet() {
    let xml = r#"<workbook xmlns:r="r"><sheets><sheet name="Chart" sheetId="3" r:id="rId9"/><sheet name="My data" sheetId="1" r:id="rId1"/>
      <sheet name="More" sheetId="2" r:id="rId2"/></sheets>
      <definedNames><definedName name="Tax" localSheetId="2">More!$B$3</definedName><definedName name="Gone" localSheetId="0">1</definedName>
      </definedNames></workbook>"#;
    let bytes = archive(&[
        ("xl/workbook.xml", xml),
        ("xl/_rels/workbook.xml.rels", LINKS),
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData/></worksheet>"),
        ("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>"),
    ]);
    let workbook = import(FileFormat::Xlsx, &bytes).expect("a workbook").workbook;
    let names: Vec<&str> = workbook.names().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["#2!Tax"]);
}

#[test]
fn every_cell_type_is_read() {
    check(
        r#"<row r="1"><c r="A1"><v>1.5</v></c><c r="B1" t="s"><v>0</v></c></row>"#,
        "A1: 1.5 | B1: \"plain\"",
    );
    check(r#"<row r="2"><c r="A2" t="s"><v>1</v></c></row>"#, "A2: \"rich & A\\r\"");
    check(
        r#"<row><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><v>x</v></c></row>"#,
        "A1: TRUE | B1: #N/A | C1: \"x\"",
    );
    check(r#"<row r="3"><c r="B3" t="inlineStr"><is><t>in &lt;line</t></is></c></row>"#, "B3: \"in <line\"");
    check(r#"<row r="1"><c r="A1" s="1"><v>45352</v></c></row>"#, "A1: 45352 as m/d/yyyy");
    check(r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="A9" s="2"/></row>"#, "A1: 1");
}

#[test]
fn formulas_and_shared_formulas_are_read() {
    check(
        r#"<row r="1"><c r="A1"><f>SUM(B1:B2)*_xlfn.CONCAT("_xlfn.x")</f><v>3</v></c></row>"#,
        "A1: =SUM(B1:B2)*CONCAT(\"_xlfn.x\")",
    );
    check(
        r#"<row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*$C$1</f><v>1</v></c></row>
           <row r="2"><c r="A2"><f t="shared" si="0"/><v>1</v></c></row><row r="3"><c r="A3"><f t="shared" si="0"/></c></row>"#,
        "A1: =B1*$C$1 | A2: =B2*$C$1 | A3: =B3*$C$1",
    );
    check(
        r#"<row r="1"><c r="A1"><f t="array" ref="A1:A2">SEQUENCE(2)</f><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>"#,
        "A1: =SEQUENCE(2)",
    );
    check(r#"<row r="1"><c r="A1"><f>More!B2+Tax</f></c></row>"#, "A1: =More!B2+Tax");
}

/// Cached values show that an array formula repeats a single row or column, or has `#N/A` beyond
/// its result (rule F18).
#[test]
fn legacy_array_formulas_keep_their_size() {
    let cell = |address: &str, formula: &str, value: &str| {
        let kind = if value == "#N/A" { " t=\"e\"" } else { "" };
        format!("<c r=\"{address}\"{kind}>{formula}<v>{value}</v></c>")
    };
    let array = |area: &str, formula: &str, values: [&str; 4]| {
        let start = format!("<f t=\"array\" ref=\"{area}\">{formula}</f>");
        let addresses = if area == "B1:B4" { ["B1", "B2", "B3", "B4"] } else { ["B1", "C1", "B2", "C2"] };
        let cells: Vec<String> = (0..4)
            .map(|index| cell(addresses[index], if index == 0 { &start } else { "" }, values[index]))
            .collect();
        match area {
            "B1:B4" => cells.iter().map(|cell| format!("<row>{cell}</row>")).collect::<String>(),
            _ => format!("<row>{}{}</row><row>{}{}</row>", cells[0], cells[1], cells[2], cells[3]),
        }
    };
    check(&array("B1:B4", "A1:A3*2", ["2", "4", "6", "#N/A"]), "B1: =IF(SEQUENCE(4,1),A1:A3*2)");
    check(&array("B1:B4", "SUM(A1:A3)", ["6", "6", "6", "6"]), "B1: =IF(SEQUENCE(4,1),SUM(A1:A3))");
    check(&array("B1:C2", "A1:A2", ["1", "1", "2", "2"]), "B1: =IF(SEQUENCE(2,2),A1:A2)");
    check(&array("B1:C2", "A1:A2*{1,2}", ["1", "2", "2", "4"]), "B1: =A1:A2*{1,2}");
    check(&array("B1:B4", "A1:A4*2", ["2", "4", "6", "8"]), "B1: =A1:A4*2");
    // No program writes an array range that begins before its formula.
    let before = r#"<row r="3"><c r="B3"><f t="array" ref="A1:C5">SUM(D1:D3)</f><v>1</v></c></row><row r="4"><c r="A4"><v>1</v></c></row>"#;
    check(before, "B3: =SUM(D1:D3)");
}

#[test]
fn formats_sizes_and_names_are_read() {
    let sheet = r#"<worksheet><cols><col min="2" max="3" width="20.7109375" customWidth="1"/><col min="5" max="5" width="9" style="2"/></cols>
      <sheetData><row r="2" ht="30" customHeight="1"><c r="A2" s="2"><v>1</v></c><c r="E2" s="0"><v>2</v></c></row></sheetData>
      <mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>"#;
    let imported = import(FileFormat::Xlsx, &workbook(sheet)).expect("valid");
    assert_eq!(
        show_formats(&imported.workbook),
        "E1: bold, wrap, Center, text #FF0000, fill #A7C0DE, as 0.000
A2: bold, wrap, Center, text #FF0000, fill #A7C0DE, as 0.000
E3:E1048576: bold, wrap, Center, text #FF0000, fill #A7C0DE, as 0.000
column 1+2: 145 px
column 4+1: 63 px
row 1+1: 40 px
Tax = Data!$B$1"
    );
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
}

#[test]
fn written_files_are_read_again() {
    let json = br##"{"names": {"Tax": "='My data'!$B$1"}, "sheets": [
      {"name": "My data", "columnWidths": {"B": 120}, "rowHeights": {"3": 40},
       "formats": {"A1:B1": {"bold": true, "italic": true, "underline": true, "strikethrough": true, "fillColor": "#ffee00"},
                   "C2": {"numberFormat": "0.00", "horizontal": "right", "vertical": "middle", "wrap": true, "textColor": "#102030"}},
       "cells": {"A1": 2, "B1": true, "C2": {"formula": "=A1*Other!A1+Tax"}, "A3": {"error": "#N/A"}, "A2": "x\ny"}},
      {"name": "Other", "cells": {"A1": 5, "A2": {"formula": "=SORT(A1:A1)"}}}]}"##;
    let original = import(FileFormat::Json, json).expect("valid").workbook;
    let written = write(&original, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Xlsx, &written).expect("readable").workbook;
    // `rust_xlsxwriter` has no error values: an error becomes a formula that consists of the error.
    assert_eq!(show(&again), show(&original).replace("A3: #N/A", "A3: =#N/A"));
    assert_eq!(show_formats(&again), show_formats(&original));
}

/// Checks that reading `bytes` fails with `code` and a reason that contains `text`.
fn check_rejected(bytes: &[u8], code: FileErrorCode, text: &str) {
    let error = import(FileFormat::Xlsx, bytes).map(|imported| show(&imported.workbook)).expect_err(text);
    assert_eq!(error.code, code, "{error}");
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn cached_values_of_long_array_formulas_are_examined_for_a_million_cells() {
    let names: Vec<String> = (0..120).map(|column| column_name(ColumnIndex::clamped(column))).collect();
    let formula = |name: &String| {
        format!("<c r=\"{name}1\"><f t=\"array\" ref=\"{name}1:{name}10000\">1+1</f><v>2</v></c>")
    };
    let padding = |name: &String| format!("<c r=\"{name}10000\" t=\"e\"><v>#N/A</v></c>");
    let first: String = names.iter().map(formula).collect();
    let last: String = names.iter().map(padding).collect();
    let rows = format!("<row r=\"1\">{first}</row><row r=\"10000\">{last}</row>");
    let file = workbook(&format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"));
    let shown = show(&import(FileFormat::Xlsx, &file).expect("a sound file").workbook);
    assert_eq!(shown.matches("SEQUENCE(10000,1)").count(), 100);
    assert_eq!(shown.matches("=1+1").count(), 20);
}

#[test]
fn malicious_archives_are_rejected() {
    let rows = |rows: &str| workbook(&format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"));
    let plain = rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>");

    // A zip bomb: 64 MiB of spaces compress to 64 KiB.
    let bomb = rows(&" ".repeat(64 << 20));
    check_rejected(&bomb, FileErrorCode::ArchiveLimits, "more than 200 times its size");

    let many: Vec<(String, &str)> = (0..10_001).map(|n| (format!("part{n}"), "")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    check_rejected(&archive(&many), FileErrorCode::ArchiveLimits, "more than 10000 parts");

    check_rejected(&plain[..plain.len() / 2], FileErrorCode::BadArchive, "not a sound .xlsx archive");
    check_rejected(b"PK\x03\x04 and nothing more", FileErrorCode::BadArchive, "not a sound .xlsx archive");
    check_rejected(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", FileErrorCode::BadArchive, "sectors");
    check_rejected(&archive(&[("a.txt", "x")]), FileErrorCode::NotAWorkbook, "no workbook");

    let entities = "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><worksheet>&a;</worksheet>";
    check_rejected(&workbook(entities), FileErrorCode::BadXml, "a document type is not allowed");
    check_rejected(&rows("<row><c><v>&lol;</v></c></row>"), FileErrorCode::BadXml, "unknown entity: lol");
    check_rejected(&rows(&"<a>".repeat(1_000)), FileErrorCode::BadXml, "deeper than 64");
    check_rejected(&workbook("<worksheet><sheetData><row"), FileErrorCode::BadXml, "sheet Data");
    check_rejected(&rows("<row r=\"4294967295\"/>"), FileErrorCode::TooManyRows, "no such row");
    check_rejected(&rows("<row r=\"2\"><c r=\"XFE2\"><v>1</v></c></row>"), FileErrorCode::BadXml, "row 2");
    check_rejected(
        &rows("<row r=\"2\"><c r=\"B2\" t=\"s\"><v>7</v></c></row>"),
        FileErrorCode::BadXml,
        "row 2, column 2: sheet Data: there is no text number 7",
    );
}

#[test]
fn flipped_bits_never_panic() {
    let sound = workbook(
        r#"<worksheet><sheetData><row r="1"><c r="A1"><v>1.5</v></c></row></sheetData></worksheet>"#,
    );
    for at in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x41;
        let _either = import(FileFormat::Xlsx, &flipped);
    }
}

/// Made from `libreoffice.fods`: `soffice --headless --convert-to xlsx libreoffice.fods`.
#[test]
fn a_file_of_libreoffice_is_read() {
    let imported = import(FileFormat::Xlsx, include_bytes!("../fixtures/libreoffice.xlsx")).expect("valid");
    assert_eq!(
        show(&imported.workbook),
        r#"[Sales & more] A1: "Item" | B1: "Price" | C1: "Share" | A2: "Ä <b>" | B2: 2.5 | C2: =B2/SUM(B$2:B$4) as 0.0% | A3: TRUE as "TRUE";"TRUE";"FALSE" | B3: 7.5 | C3: =B3/SUM(B$2:B$4) as 0.0% | A4: 45352 as yyyy\-mm\-dd | B4: 90 | C4: =B4/SUM(B$2:B$4) as 0.0% | A5: =IF(Other!A1>1,"big","small") | B5: =1/0
[Other] A1: 5"#
    );
    assert_eq!(
        show_formats(&imported.workbook),
        r#"A1: bold, Center, text #C00000, fill #FFEE00
B1: bold, Center, text #C00000, fill #FFEE00
C1: bold, Center, text #C00000, fill #FFEE00
C2:C4: as 0.0%
A3: as "TRUE";"TRUE";"FALSE"
A4: as yyyy\-mm\-dd
column 0+1: 179 px
column 1+16383: 81 px
column 0+16384: 81 px
Prices = 'Sales & more'!$B$2:$B$4"#
    );
}

/// Heights are in points (ECMA-376 part 1, 18.3.1.73), of which 3 are 4 pixels.
#[test]
fn rows_have_the_height_that_excel_has_fitted_them_to() {
    let rows = [
        r#"<row r="1" ht="15"/>"#,                   // one line of Calibri 11
        r#"<row r="2" ht="30"/>"#,                   // fitted to two lines
        r#"<row r="3" ht="7.5" customHeight="1"/>"#, // set
    ];
    let sheet = format!("<worksheet><sheetData>{}</sheetData></worksheet>", rows.concat());
    let imported = import(FileFormat::Xlsx, &workbook(&sheet)).expect("valid");
    let sheet = &imported.workbook.sheets()[0];
    assert_eq!([0, 1, 2].map(|row| sheet.size(Dimension::Rows, row)), [None, Some(40), Some(10)]);
}
