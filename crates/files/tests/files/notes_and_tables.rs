//! Protected sheets, sparklines, and filters of tables, by color and by average: files of other
//! programs and round trips.

use std::io::{Cursor, Write};

use crate::notation::{command, commanded, import, items, with_changed_part};
use crate::packages::check_package;
use crate::page_setup::part;
use quadrille_cell::{CellAddress, Dimension, SheetId, Value};
use quadrille_document::Document;
use quadrille_files::{FileFormat, Placement, WriteOptions, import_transaction, write, write_with_images};
use quadrille_operation::{Command, EditorIdentity, plan, protected_from};
use quadrille_workbook::{ItemKind, Workbook};
use zip::write::{SimpleFileOptions, ZipWriter};

fn again(workbook: &Workbook) -> Workbook {
    let bytes = write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let read = import(FileFormat::Xlsx, &bytes).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    read.workbook
}

/// LibreOffice 7.4 wrote the file: a protected sheet with the unlocked cells B2:C3 and two
/// sparklines.
#[test]
fn protection_and_sparklines_of_libreoffice_round_trip() {
    let bytes = include_bytes!("../fixtures/protected.xlsx");
    let read = import(FileFormat::Xlsx, bytes).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let kinds = ["protectedRange", "sparkline"];
    let expected = [
        r##"protectedRange B2:C3 {"allow":["insert"],"wholeSheet":true}"##,
        r##"sparkline E2 {"color":"#376092","highColor":"#00b050","negativeColor":"#ff0000","source":"=Sheet1!B2:C2","type":"column"}"##,
        r##"sparkline E3 {"color":"#376092","highColor":"#00b050","negativeColor":"#ff0000","source":"=Sheet1!B3:C3","type":"column"}"##,
    ];
    assert_eq!(items(&read.workbook, &kinds), expected);
    assert_eq!(items(&again(&read.workbook), &kinds), expected);
}

/// Passwords as Excel 2013 and later, and older programs, write them. They protect nothing here, and protect the
/// next file as they did the first one.
#[test]
fn hashes_of_passwords_return_to_the_next_file() {
    const HASH: &str = r#"algorithmName="SHA-512" hashValue="sDkKyvIKmBMaTyL7j1TYLz5Gm3C9mJJhvBCO2O9ckHc=" saltValue="Lmn+Zg==" spinCount="100000""#;
    let sheet = write(
        &commanded(
            r#"[{"type":"setItem","sheet":1,"kind":"protectedRange","anchors":[],"fields":{"wholeSheet":true}}]"#,
        ),
        FileFormat::Xlsx,
        &WriteOptions::default(),
    );
    let file = with_changed_part(&sheet.expect("written"), "xl/worksheets/sheet1.xml", |text| {
        let (before, rest) = text.split_once("<sheetProtection").expect("protected");
        let (_, after) = rest.split_once("/>").expect("one element");
        format!(
            r#"{before}<sheetProtection {HASH} sheet="1" objects="0" scenarios="0" selectLockedCells="1"/><protectedRanges><protectedRange password="CC1A" sqref="B2:B4 D2" name="Budget &amp; plan"/><protectedRange sqref="F1" name="Open"/></protectedRanges>{after}"#
        )
    });
    let file = with_changed_part(&file, "xl/workbook.xml", |text| {
        text.replacen(
            "<bookViews>",
            &format!(
                "<workbookProtection {} lockStructure=\"1\"/><bookViews>",
                HASH.replace("algorithm", "workbookAlgorithm")
                    .replace("hash", "workbookHash")
                    .replace("salt", "workbookSalt")
                    .replace("spin", "workbookSpin")
            ),
            1,
        )
    });
    let read = import(FileFormat::Xlsx, &file).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let kinds = items(&read.workbook, &["protectedRange"]);
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    assert!(
        kinds[1].starts_with("protectedRange F1 {\"fileAttributes\":\"algorithmName=SHA-512 "),
        "{kinds:?}"
    );
    assert!(kinds[0].starts_with("protectedRange B2:B4 D2 "), "{kinds:?}");
    let mut workbook = read.workbook;
    command(&mut workbook, r#"[{"type":"insertRows","sheet":1,"at":0,"count":1}]"#);
    let written = write_with_images(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &read.images);
    let written = written.expect("written");
    check_package(&written);
    let sheet = part(&written, "xl/worksheets/sheet1.xml");
    let element =
        sheet.split("<sheetProtection").nth(1).and_then(|rest| rest.split("/>").next()).expect("protected");
    for attribute in
        HASH.split(' ').chain(["sheet=\"1\"", "objects=\"0\"", "scenarios=\"0\"", "selectLockedCells=\"1\""])
    {
        assert_eq!(element.matches(attribute).count(), 1, "{element}");
    }
    let ranges = r#"<protectedRange password="CC1A" sqref="B3:B5 D3" name="Budget &amp; plan"/>"#;
    assert!(sheet.contains(ranges), "{sheet}");
    assert!(sheet.contains(r#"sqref="F2""#), "{sheet}");
    assert!(
        part(&written, "xl/workbook.xml")
            .contains("workbookHashValue=\"sDkKyvIKmBMaTyL7j1TYLz5Gm3C9mJJhvBCO2O9ckHc=\"")
    );
    // Without the protection there is no hash.
    let id = workbook.sheets()[0]
        .items()
        .of_kind(ItemKind::ProtectedRange)
        .map(|(id, _)| id.0)
        .collect::<Vec<_>>();
    for item in id {
        command(&mut workbook, &format!(r#"[{{"type":"removeItem","sheet":1,"item":{item}}}]"#));
    }
    let bare = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    assert!(!part(&bare, "xl/worksheets/sheet1.xml").contains("sheetProtection"));
}

/// Names of attributes, and what would end an element, do not leave the value of an attribute.
#[test]
fn kept_attributes_are_escaped() {
    let workbook = commanded(
        r#"[{"type":"setItem","sheet":1,"kind":"protectedRange","anchors":[],"fields":{"wholeSheet":true,"fileAttributes":"spinCount=1\"/><x> hashValue=a&b onload=1 sheet=0"}}]"#,
    );
    let written = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&written);
    let sheet = part(&written, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains(r#" spinCount="1&quot;/&gt;&lt;x&gt;" hashValue="a&amp;b"/>"#), "{sheet}");
    assert!(!sheet.contains("onload") && sheet.contains(r#"sheet="1""#), "{sheet}");
}

/// Protected ranges become a protected sheet with all other cells unlocked.
#[test]
fn protected_ranges_stay_protected_and_other_cells_unlocked() {
    let workbook = commanded(
        r#"[{"type":"setItem","sheet":1,"kind":"protectedRange","anchors":["B2:C3"]},
            {"type":"setItem","sheet":1,"kind":"protectedRange","anchors":["A1:A9"],"fields":{"warningOnly":true}}]"#,
    );
    let read = again(&workbook);
    for (cell, is_unlocked) in
        [("A1", true), ("B2", false), ("C3", false), ("B4", true), ("XFD1048576", true)]
    {
        let text = format!(r#"{{"type":"setCells","sheet":1,"at":"{cell}","cells":[[{{"number":1}}]]}}"#);
        let command: Command = serde_json::from_str(&text).expect("a command");
        for workbook in [&workbook, &read] {
            let transaction = plan(&command, workbook, &mut || SheetId(9)).expect("plans");
            assert_eq!(
                protected_from(Some(&EditorIdentity::default()), &transaction, workbook).is_ok(),
                is_unlocked,
                "{cell}"
            );
        }
    }
}

#[test]
fn a_protected_file_can_be_imported_into_a_room() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/protected.xlsx")).expect("readable");
    let room = Workbook::new();
    let mut number = 100;
    let transaction = import_transaction(&read.workbook, &room, Placement::Append, &mut || {
        number += 1;
        SheetId(number)
    });
    protected_from(Some(&EditorIdentity::default()), &transaction, &room)
        .expect("protection is the last operation");
}

/// A file with two tables and a filter of the sheet, as Excel writes them.
fn filtered() -> Vec<u8> {
    const SHEET: &str = r#"<worksheet><sheetData>
      <row r="1"><c r="A1" t="str"><v>Item</v></c><c r="B1" t="str"><v>Count</v></c><c r="D1" t="str"><v>Size</v></c><c r="F1" t="str"><v>Hue</v></c><c r="G1" t="str"><v>Day</v></c></row>
      <row r="2"><c r="A2" t="str"><v>ink</v></c><c r="B2"><v>3</v></c><c r="D2"><v>1</v></c><c r="J2"><f>SUBTOTAL(9,B2:B4)</f></c><c r="K2"><f>SUBTOTAL(109,Stock[Count])</f></c></row>
      <row r="3" hidden="1"><c r="A3" t="str"><v>pen</v></c><c r="B3"><v>5</v></c><c r="D3"><v>2</v></c></row>
      <row r="4"><c r="A4" t="str"><v>ink</v></c><c r="B4"><v>8</v></c><c r="D4"><v>3</v></c></row>
      <row r="12" hidden="1"/></sheetData>
      <autoFilter ref="F21:H29"><filterColumn colId="0"><colorFilter dxfId="0"/></filterColumn><filterColumn colId="1"><filters><dateGroupItem year="2024" dateTimeGrouping="year"/></filters></filterColumn><filterColumn colId="2"><dynamicFilter type="aboveAverage" val="3"/></filterColumn></autoFilter></worksheet>"#;
    const STYLES: &str = r#"<styleSheet><dxfs><dxf><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor rgb="FFFFFF00"/></patternFill></fill></dxf></dxfs></styleSheet>"#;
    const TABLES: [&str; 2] = [
        r#"<table name="Stock" displayName="Stock" ref="A1:B4"><autoFilter ref="A1:B4"><filterColumn colId="0"><filters><filter val="ink"/></filters></filterColumn></autoFilter><tableColumns><tableColumn name="Item"/><tableColumn name="Count"/></tableColumns></table>"#,
        r#"<table name="Sizes" displayName="Sizes" ref="D1:D4"><autoFilter ref="D1:D4"/><tableColumns><tableColumn name="Size"/></tableColumns></table>"#,
    ];
    let link = |id: usize, kind: &str, target: &str| {
        format!(r#"<Relationship Id="rId{id}" Type="http://x/{kind}" Target="{target}"/>"#)
    };
    let links = |links: &[String]| format!("<Relationships>{}</Relationships>", links.concat());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("xl/workbook.xml", r#"<workbook xmlns:r="r"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#.to_owned()),
        ("xl/_rels/workbook.xml.rels", links(&[link(1, "worksheet", "worksheets/sheet1.xml"), link(2, "styles", "styles.xml")])),
        ("xl/styles.xml", STYLES.to_owned()),
        ("xl/worksheets/sheet1.xml", SHEET.to_owned()),
        ("xl/worksheets/_rels/sheet1.xml.rels", links(&[link(1, "table", "../tables/table1.xml"), link(2, "table", "../tables/table2.xml")])),
        ("xl/tables/table1.xml", TABLES[0].to_owned()),
        ("xl/tables/table2.xml", TABLES[1].to_owned()),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).expect("a name");
        zip.write_all(text.as_bytes()).expect("into memory");
    }
    zip.finish().expect("into memory").into_inner()
}

#[test]
fn filters_of_tables_by_color_and_by_average_are_read() {
    let read = import(FileFormat::Xlsx, &filtered()).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert_eq!(
        items(&read.workbook, &["autoFilter", "filterColumn"]),
        [
            r##"autoFilter A1:B4 {}"##,
            r##"autoFilter F21:H29 {}"##,
            r##"filterColumn A1 {"rule":"values","shown":["ink"]}"##,
            r##"filterColumn F21 {"color":"#ffff00","rule":"color"}"##,
            r##"filterColumn G21 {"rule":"values","shownDates":["2024"]}"##,
            r##"filterColumn H21 {"rule":"aboveAverage"}"##,
        ]
    );
    // Row 3 follows from the table's filter; row 12 is hidden manually.
    let hidden: Vec<(u32, u32)> = read.workbook.sheets()[0].hidden_runs(Dimension::Rows).collect();
    assert_eq!(hidden, [(11, 1)]);
    let mut document = Document::from_workbook(read.workbook);
    while !document.evaluate(u64::MAX).finished {}
    for column in [9, 10] {
        let total = document.workbook().sheets()[0].value(CellAddress::clamped(1, column));
        assert_eq!(total, Value::Number(11.0), "column {column}");
    }
}
