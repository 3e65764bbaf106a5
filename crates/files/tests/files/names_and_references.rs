//! Defined names and structured references in written files (rule F22), with the values of
//! LibreOffice.
//!
//! The values in [`FORMULAS`] are those that LibreOffice 7.4 calculates from the written files.
//! `cargo test -p quadrille-files --test files names_and_references -- --ignored` compares them
//! again with the LibreOffice of the machine.

use proptest::prelude::*;
use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_document::Document;
use quadrille_files::{FileFormat, Images, WriteOptions, warnings, write};
use quadrille_formula::{Host, TableRows, print, structured_name};
use quadrille_workbook::Workbook;
use serde_json::{Value as Json, json};

use crate::notation::{import, items};

/// Formulas in column F of the first sheet from F1 on, their values, and their texts in `.ods`
/// files, which have no structured references (`""`: the same).
const FORMULAS: [(&str, &str, &str); 28] = [
    ("rate", "10", ""),
    ("T[@Amount]*2", "2", "Data!$B2*2"),
    ("SUM(T[@])", "22", "SUM(Data!$A3:$C3)"),
    ("SUM(T[@Amount]:T[@[a'[b'''#'@c'] d]])", "33", "SUM(Data!$B4:$C4)"),
    ("'It''s 2'!rate", "200", ""),
    ("Data!rate", "10", ""),
    ("SUM('It''s 2'!values)", "6", ""),
    ("rate+'It''s 2'!rate*2", "410", ""),
    ("total", "6", ""),
    ("T[[#Totals],[Amount]]", "6", "Data!$B$5"),
    ("SUM(T[#Totals])", "66", "SUM(Data!$A$5:$C$5)"),
    ("SUM(T)", "66", "SUM(Data!$A$2:$C$4)"),
    ("SUM(T[Amount])", "6", "SUM(Data!$B$2:$B$4)"),
    ("T[[#Headers],[Amount]]", "Amount", "Data!$B$1"),
    ("COUNTA(T[#Headers])", "3", "COUNTA(Data!$A$1:$C$1)"),
    ("COUNTA(T[#All])", "15", "COUNTA(Data!$A$1:$C$5)"),
    ("COUNTA(T[[#All],[Item]:[Amount]])", "10", "COUNTA(Data!$A$1:$B$5)"),
    ("SUM(T[[Amount]:[a'[b'''#'@c'] d]])", "66", "SUM(Data!$B$2:$C$4)"),
    ("SUM(T[a'[b'''#'@c'] d])", "60", "SUM(Data!$C$2:$C$4)"),
    ("SUMIF(T[Item],\"y\",T[Amount])", "2", "SUMIF(Data!$A$2:$A$4,\"y\",Data!$B$2:$B$4)"),
    ("greeting&\"!\"", "hello!", ""),
    ("doubled", "20", ""),
    ("INDEX(T,2,1)", "y", "INDEX(Data!$A$2:$C$4,2,1)"),
    ("'A long sheet name / of 40 characters.'!A1+'A long sheet name / of 40 characters.'!rate", "9", ""),
    ("ROWS(T)*T[[#Totals],[Amount]]", "18", "ROWS(Data!$A$2:$C$4)*Data!$B$5"),
    ("per.cent_1", "0.5", ""),
    ("\"T[@Amount]\"&rate", "T[@Amount]10", ""),
    ("SUM(Years[2026])", "12", "SUM(Data!$J$2:$J$3)"),
];

fn source() -> Workbook {
    let mut cells = serde_json::Map::new();
    let rows: [[Json; 3]; 5] = [
        [json!("Item"), json!("Amount"), json!("a[b'#@c] d")],
        [json!("x"), json!(1), json!(10)],
        [json!("y"), json!(2), json!(20)],
        [json!("z"), json!(3), json!(30)],
        [json!("Total"), json!({"formula": "=SUM(T[Amount])"}), json!({"formula": "=SUM(C2:C4)"})],
    ];
    for (row, values) in rows.into_iter().enumerate() {
        for (column, value) in ["A", "B", "C"].into_iter().zip(values) {
            cells.insert(format!("{column}{}", row + 1), value);
        }
    }
    for (cell, number) in [("J1", 2026), ("J2", 5), ("J3", 7), ("K1", 2027), ("K2", 1), ("K3", 1)] {
        cells.insert(cell.to_owned(), json!(number));
    }
    for (row, (formula, ..)) in (1..).zip(FORMULAS) {
        cells.insert(format!("F{row}"), json!({ "formula": format!("={formula}") }));
    }
    let workbook = json!({
        "names": {
            "rate": "=5",
            "Data!rate": "=Data!$B$2*10",
            "'It''s 2'!rate": "=Data!$B$3*100",
            "'It''s 2'!values": "=Data!$B$2:$B$4",
            "'A long sheet name / of 40 characters.'!rate": "='A long sheet name / of 40 characters.'!$A$1+1",
            "total": "=T[[#Totals],[Amount]]",
            "greeting": "=\"hello\"",
            "doubled": "=Data!rate*2",
            "per.cent_1": "=0.5",
        },
        "sheets": [
            { "name": "Data", "cells": cells, "items": [
                { "id": 1, "kind": "table", "anchors": ["A1:C5"], "fields": { "name": "T", "totalRow": true } },
                { "id": 2, "kind": "table", "anchors": ["J1:K3"], "fields": { "name": "Years" } },
                { "id": 3, "kind": "conditionalRule", "anchors": ["A2:C4"],
                  "fields": { "rule": "formula", "formula1": "=T[@Amount]>1", "format": { "bold": true }, "priority": 1 } },
                { "id": 4, "kind": "validation", "anchors": ["H1:H9"],
                  "fields": { "rule": "list", "formula1": "=T[Item]" } },
                { "id": 5, "kind": "chart", "anchors": ["M1:R9"],
                  "fields": { "type": "line", "series": [{ "values": "=T[Amount]", "name": "=T[[#Headers],[Amount]]" },
                                                          { "values": "='It''s 2'!values" }] } },
            ] },
            { "name": "It's 2", "cells": { "A1": { "formula": "=rate" }, "A2": { "formula": "=Data!rate+rate" } } },
            { "name": "A long sheet name / of 40 characters.", "cells": { "A1": 4, "A2": { "formula": "=rate*2" } } },
        ]
    });
    let imported = import(FileFormat::Json, workbook.to_string().as_bytes()).expect("valid");
    assert_eq!(imported.warnings, Vec::<String>::new());
    imported.workbook
}

fn calculated(workbook: Workbook) -> Document {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(u64::MAX).finished {}
    document
}

fn text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// Texts and values of the formulas in column F.
fn shown(document: &Document) -> Vec<(String, String)> {
    let sheet = &document.workbook().sheets()[0];
    let cells = (0..FORMULAS.len() as u32).map(|row| CellAddress::clamped(row, 5));
    let formula = |cell| {
        let template = sheet.formula(cell).expect("a formula");
        print(template, Host { sheet: sheet.id(), cell }, document.workbook())
    };
    cells.map(|cell| (formula(cell), text(&sheet.value(cell)))).collect()
}

/// Values of the first two cells of the other sheets.
fn other_values(document: &Document) -> Vec<String> {
    let sheets = document.workbook().sheets()[1..].iter();
    sheets.flat_map(|sheet| [0, 1].map(|row| text(&sheet.value(CellAddress::clamped(row, 0))))).collect()
}

#[test]
fn names_and_structured_references_are_written_and_read() {
    let document = calculated(source());
    let written_formulas: Vec<String> = shown(&document).into_iter().map(|(formula, _)| formula).collect();
    let names = |workbook: &Workbook| {
        workbook.names().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" ")
    };
    for format in [FileFormat::Json, FileFormat::Xlsx, FileFormat::Ods] {
        let losses = warnings(&document.snapshot(), format, &WriteOptions::default(), &Images::new());
        let lost: &[&str] = match format {
            FileFormat::Json => &[],
            FileFormat::Xlsx => &["names of sheets, which are changed"],
            _ => &["names of sheets, which are changed", "tables"],
        };
        let kinds: Vec<&str> = losses.iter().filter_map(|loss| Some(loss.split_once(':')?.0)).collect();
        assert_eq!(kinds, lost, "{format:?}");
        let bytes = write(&document.snapshot(), format, &WriteOptions::default()).expect("written");
        let again = calculated(import(format, &bytes).expect("sound").workbook);
        assert_eq!(names(again.workbook()), names(document.workbook()), "{format:?}");
        assert_eq!(other_values(&again), ["200", "210", "4", "10"], "{format:?}");
        let long_name = again.workbook().sheets()[2].name().to_string();
        for (((formula, value), (_, expected, plain)), was) in
            shown(&again).into_iter().zip(FORMULAS).zip(&written_formulas)
        {
            let in_ods = format == FileFormat::Ods && !plain.is_empty();
            let expected_formula = if in_ods { plain } else { was };
            let expected_formula =
                expected_formula.replace("A long sheet name / of 40 characters.", &long_name);
            assert_eq!((formula, &*value), (expected_formula, expected), "{format:?}");
        }
        if format == FileFormat::Xlsx {
            // Excel accepts structured references only in cells and names.
            let items = items(again.workbook(), &["conditionalRule", "validation", "chart"]).join("\n");
            for reference in
                ["\"=Data!$B2>1\"", "\"=Data!$A$2:$A$4\"", "\"=Data!$B$2:$B$4\"", "\"=Data!$B$1\""]
            {
                assert!(items.contains(reference), "{reference}: {items}");
            }
        }
    }
}

/// Compares the values with those of the LibreOffice of the machine (`soffice`).
#[test]
#[ignore = "runs LibreOffice"]
fn libreoffice_calculates_the_same_values_from_written_files() {
    let folder = std::env::temp_dir().join(format!("quadrille-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let document = calculated(source());
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let file = folder.join(format!("written.{}", format.extension()));
        let bytes = write(&document.snapshot(), format, &WriteOptions::default()).expect("written");
        std::fs::write(&file, bytes).expect("the folder exists");
        let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
        // Comma, quotes, UTF-8, from the first line, numbers without quotes, the first sheet.
        let filter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1";
        let done = std::process::Command::new("soffice")
            .args(["--headless", &profile, "--convert-to", filter, "--outdir"])
            .args([&folder, &file])
            .output()
            .expect("soffice starts");
        assert!(done.status.success(), "{done:?}");
        let csv = std::fs::read_to_string(folder.join("written-Data.csv")).expect("converted");
        let values: Vec<&str> = csv.lines().map(|line| line.split(',').nth(5).unwrap_or_default()).collect();
        let expected: Vec<&str> = FORMULAS.iter().map(|(_, value, _)| *value).collect();
        assert_eq!(values, expected, "{format:?}");
    }
    if std::env::var_os("QUADRILLE_KEEP_WRITTEN_FILES").is_none() {
        std::fs::remove_dir_all(&folder).expect("the folder exists");
    }
}

/// Names that Excel or OpenFormula rejects are named, and the rest of the file is written.
#[test]
fn names_that_a_format_rejects_are_reported() {
    let workbook = json!({
        "names": { "a?b": "=1", "\\q": "=2", "good": "=3", "spill": "=Sheet1!$B$1#" },
        "sheets": [{ "name": "Sheet1", "cells": {
            "A1": { "formula": "=a?b+good" }, "A2": { "formula": "=good" }, "B1": { "formula": "=SEQUENCE(2)" },
        } }]
    });
    let workbook = import(FileFormat::Json, workbook.to_string().as_bytes()).expect("valid").workbook;
    let document = calculated(workbook);
    let losses_of = |format| warnings(&document.snapshot(), format, &WriteOptions::default(), &Images::new());
    assert_eq!(losses_of(FileFormat::Xlsx), ["names that the format cannot express: \\q"]);
    assert_eq!(
        losses_of(FileFormat::Ods),
        [
            "names that the format cannot express: \\q, a?b, spill",
            "formulas, of which the file has the results: 'Sheet1'!A1",
        ]
    );
    for (format, names) in [(FileFormat::Xlsx, "a?b good spill"), (FileFormat::Ods, "good")] {
        let bytes = write(&document.snapshot(), format, &WriteOptions::default()).expect("written");
        let again = import(format, &bytes).expect("sound").workbook;
        let written: Vec<String> = again.names().map(|(name, _)| name.to_string()).collect();
        assert_eq!(written.join(" "), names, "{format:?}");
    }
}

/// A file that LibreOffice 7.4 has written, with a name of the sheet `Data` as `Data.rate`.
#[test]
fn names_of_sheets_are_read_as_libreoffice_writes_them() {
    let bytes = include_bytes!("../fixtures/names-libreoffice.ods");
    let document = calculated(import(FileFormat::Ods, bytes).expect("readable").workbook);
    for (sheet, cell, formula, shown) in [
        (1, "E1", "='It''s other'!rate", "5"),
        (1, "E5", "=total", "30"),
        (2, "A2", "=rate", "5"),
        (2, "A3", "=Data!rate*2", "1"),
    ] {
        let (sheet, cell) = (SheetId(sheet), CellAddress::parse_a1(cell).expect("a cell"));
        let found = (document.edit_text(sheet, cell), document.display(sheet, cell).text);
        assert_eq!(found, (formula.to_owned(), shown.to_owned()));
    }
}

/// Excel refuses a table with two equal headers. A wide table is written in a moment: each of 16,384 columns has the
/// same header.
#[test]
fn equal_headers_of_a_table_get_numbers() {
    let rows = format!("{}\n{}", vec!["x"; 16_384].join(","), vec!["1"; 16_384].join(","));
    let csv = import(FileFormat::Csv, rows.as_bytes()).expect("csv").workbook;
    let mut source: Json =
        serde_json::from_slice(&write(&csv, FileFormat::Json, &WriteOptions::default()).expect("json"))
            .expect("json");
    source["sheets"][0]["items"] =
        json!([{ "id": 1, "kind": "table", "anchors": ["A1:XFD2"], "fields": { "name": "Wide" } }]);
    let workbook = import(FileFormat::Json, source.to_string().as_bytes()).expect("valid").workbook;
    let written = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("xlsx");
    let again = import(FileFormat::Xlsx, &written).expect("sound").workbook;
    let header = |column| text(&again.sheets()[0].value(CellAddress::clamped(0, column)));
    assert_eq!([0, 1, 2, 16_383].map(header), ["x", "x2", "x3", "x16384"]);
}

const ROWS: [TableRows; 5] =
    [TableRows::Data, TableRows::All, TableRows::Headers, TableRows::Totals, TableRows::This];

/// Names of columns with the characters that are escaped, and with spaces at either end.
fn column_name() -> impl Strategy<Value = String> {
    "[A-C(Ä1-3 \\[\\]#'@,:!\"&<.]{1,6}".prop_filter("not blank", |name| !name.trim().is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The formulas are the same after `.xlsx`; after `.ods` they have the same values.
    #[test]
    fn structured_references_round_trip(
        (first, second) in (column_name(), column_name()),
        rows in prop::sample::select(&ROWS[..]),
        kind in 0..4,
        sheet_name in "[a-cÄ '!#1-3]{1,8}",
    ) {
        prop_assume!(first.to_lowercase() != second.to_lowercase());
        prop_assume!(!sheet_name.trim().is_empty() && !sheet_name.starts_with('\'') && !sheet_name.ends_with('\''));
        let name = |column: &str| structured_name("Tab", rows, Some(column));
        let reference = match kind {
            0 => name(&first),
            1 => format!("{}:{}", name(&first), name(&second)),
            2 => structured_name("Tab", rows, None),
            _ => format!("scoped,{}", name(&second)),
        };
        let source = json!({
            "names": { format!("'{}'!scoped", sheet_name.replace('\'', "''")): "=Tab[#Totals]" },
            "sheets": [{
                "name": sheet_name,
                "cells": { "A1": first, "B1": second, "A2": 1, "B2": 20, "A3": 300, "B3": 4000, "A4": 5e4, "B4": 6e5,
                           "D2": { "formula": format!("=SUM({reference})") },
                           "D3": { "formula": format!("=COUNTA({reference},scoped)*2") } },
                "items": [{ "id": 1, "kind": "table", "anchors": ["A1:B4"], "fields": { "name": "Tab", "totalRow": true } }],
            }],
        });
        let source = import(FileFormat::Json, source.to_string().as_bytes()).expect("valid").workbook;
        let document = calculated(source);
        let of = |document: &Document, row: u32| {
            let sheet = &document.workbook().sheets()[0];
            let cell = CellAddress::clamped(row, 3);
            let template = sheet.formula(cell).expect("a formula");
            (print(template, Host { sheet: sheet.id(), cell }, document.workbook()), text(&sheet.value(cell)))
        };
        for format in [FileFormat::Xlsx, FileFormat::Ods] {
            let bytes = write(&document.snapshot(), format, &WriteOptions::default()).expect("written");
            let again = calculated(import(format, &bytes).expect("sound").workbook);
            for row in [1, 2] {
                let (was, is) = (of(&document, row), of(&again, row));
                prop_assert_eq!(&was.1, &is.1, "{:?} {:?}", format, &is.0);
                if format == FileFormat::Xlsx && !reference.contains(['"', '(']) {
                    prop_assert_eq!(was.0, is.0);
                }
            }
        }
    }
}
