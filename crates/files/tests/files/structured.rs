//! JSON and SocialCalc saves.

use crate::notation::{import, show, show_formats};
use quadrille_files::{FileFormat, WriteOptions, write};

const WORKBOOK: &str = r##"{"names": {"Tax": "=Sheet1!$B$1"},
 "sheets": [
  {"name": "Sheet1",
   "columnWidths": {"B:C": 120}, "rowHeights": {"3": 40},
   "formats": {"A1:B1": {"bold": true, "fillColor": "#ffee00"}, "C2": {"numberFormat": "0.00", "horizontal": "right"}},
   "cells": {"A1": 2, "B1": true, "C2": {"formula": "=A1*Other!A1", "value": 10}, "A3": {"error": "#N/A"}, "A2": "x"}},
  {"name": "Other", "cells": {"A1": 5}}]}"##;

#[test]
fn json_round_trips_a_whole_workbook() {
    let imported = import(FileFormat::Json, WORKBOOK.as_bytes()).expect("valid");
    let cells = "[Sheet1] A1: 2 | B1: TRUE | A2: \"x\" | C2: =A1*Other!A1 as 0.00 | A3: #N/A\n[Other] A1: 5";
    let formats = "A1:B1: bold, fill #FFEE00\nC2: Right, as 0.00\ncolumn 1+2: 120 px\nrow 2+1: 40 px\nTax = Sheet1!$B$1";
    assert_eq!(
        (show(&imported.workbook).as_str(), show_formats(&imported.workbook).as_str()),
        (cells, formats)
    );
    let written = write(&imported.workbook, FileFormat::Json, &WriteOptions::default()).expect("json");
    let again = import(FileFormat::Json, &written).expect("written files can be read");
    assert_eq!((show(&again.workbook).as_str(), show_formats(&again.workbook).as_str()), (cells, formats));
}

#[test]
fn arrays_are_read_as_rows_or_records() {
    for (json, cells) in [
        ("[]", ""),
        ("[[\"a\",1],[null,\"2.5\"]]", "A1: \"a\" | B1: 1 | B2: 2.5"),
        (
            "[{\"a\":1,\"b\":\"007\"},{\"b\":\"2\",\"c\":true}]",
            "A1: \"a\" | B1: \"b\" | C1: \"c\" | A2: 1 | B2: \"007\" | B3: \"2\" | C3: TRUE",
        ),
        ("[{\"a\":{\"x\":[1]}}]", "A1: \"a\" | A2: \"{\\\"x\\\":[1]}\""),
    ] {
        assert_eq!(show(&import(FileFormat::Json, json.as_bytes()).expect(json).workbook), cells, "{json}");
    }
}

#[test]
fn malformed_json_is_rejected_with_its_line() {
    for (json, start) in [
        ("[[1],\n[2,]]", "row 2: trailing comma"),
        ("[[1]", "row 1: EOF while parsing"),
        ("[1]", "row 1: a row is an array of values or an object"),
        ("{\"a\":1}", "an object without \"sheets\""),
        ("{\"sheets\":[{\"cells\":{\"A0\":1}}]}", ": not a cell or range such as"),
        ("[[1]] x", "row 1: trailing characters"),
    ] {
        let message = import(FileFormat::Json, json.as_bytes()).expect_err(json).to_string();
        assert!(message.starts_with(start), "{json}: {message}");
    }
    let deep = "[".repeat(10_000);
    let message = import(FileFormat::Json, deep.as_bytes()).expect_err("deep").to_string();
    assert!(message.contains("recursion limit"), "{message}");
}

/// A save as EtherCalc writes it.
const SAVE: &str = "socialcalc:version:1.0
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=SocialCalcSpreadsheetControlSave
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

# SocialCalc Spreadsheet Control Save
version:1.0
part:sheet
part:edit
part:audit
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

version:1.5
cell:A1:t:time\\c 12\\c30 \\b o\\b:f:1:bg:2
cell:B1:v:100:ntvf:1
cell:B2:vtf:n:200:B1*2:c:1:cf:1
cell:B3:vtc:nd:45352:2024-03-01
cell:B4:vtc:nl:1:TRUE:comment:hello
cell:B5:vtf:e#DIV/0!:0:B1/0:e:#DIV/0!
col:B:w:120
row:3:h:40
sheet:c:2:r:5
name:RATE:what it is:B1
font:1:normal bold * *
color:1:rgb(255,0,0)
color:2:rgb(0,255,16)
cellformat:1:center
valueformat:1:#,##0.00
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8

version:1.0
rowpane:0:1:14
ecell:A1
--SocialCalcSpreadsheetControlSave
Content-type: text/plain; charset=UTF-8


--SocialCalcSpreadsheetControlSave--
";

#[test]
fn ethercalc_saves_are_read_and_written() {
    let imported = import(FileFormat::SocialCalc, SAVE.as_bytes()).expect("valid");
    let cells = "A1: \"time: 12:30 \\\\ o\\\\\" | B1: 100 as #,##0.00 | B2: =B1*2 | B3: 45352 as d-mmm-yyyy | B4: TRUE | B5: =B1/0";
    assert_eq!(show(&imported.workbook), cells);
    assert_eq!(
        show_formats(&imported.workbook),
        "A1: bold, fill #00FF10\nB1: as #,##0.00\nB2: Center, text #FF0000\nB3: as d-mmm-yyyy\ncolumn 1+1: 120 px\nrow 2+1: 40 px\nRATE = $B$1"
    );
    assert_eq!(imported.warnings, ["left out: comments"]);
    let written = write(&imported.workbook, FileFormat::SocialCalc, &WriteOptions::default()).expect("save");
    let again = import(FileFormat::SocialCalc, &written).expect("written files can be read");
    assert_eq!(show(&again.workbook), cells);
    assert_eq!(show_formats(&again.workbook), show_formats(&imported.workbook));
}

#[test]
fn malformed_saves_are_rejected() {
    for (save, message) in [
        ("hello", "not a SocialCalc save: no version and no cell"),
        ("version:1.5\ncell:A0:v:1\n", "line 2: not a cell or range such as B7, A1:C9, A:C or 3:5: A0"),
        ("socialcalc:version:1.0\nnothing", "the save names no boundary"),
    ] {
        let error = import(FileFormat::SocialCalc, save.as_bytes()).expect_err(save);
        assert_eq!(error.to_string(), message);
    }
}
