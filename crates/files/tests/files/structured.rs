//! JSON files.

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
