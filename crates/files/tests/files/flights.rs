//! A public data set with 200,000 rows: flights-200k of the npm package vega-datasets, which the
//! tests of the web client install.

use std::path::PathBuf;

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_files::{
    FileFormat, Numbers, Placement, ReadOptions, ShouldContinue, WriteOptions, import_transaction, read,
    write,
};
use quadrille_operation::{Limits, apply, validate};
use quadrille_workbook::Workbook;

const ROWS: u32 = 200_000;

fn data_set(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web/node_modules/vega-datasets/data");
    let file = folder.join(name);
    std::fs::read(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; run `npm ci` in web/ first", file.display()))
}

/// The sum of a column.
fn sum(workbook: &Workbook, column: u32) -> f64 {
    let sheet = &workbook.sheets()[0];
    let values = (1..=ROWS).map(|row| match sheet.value(CellAddress::clamped(row, column)) {
        Value::Number(number) => number,
        other => panic!("row {row}: {other:?}"),
    });
    values.sum()
}

#[test]
fn a_large_file_round_trips_in_every_format() {
    let bytes = data_set("flights-200k.json");
    let mut reports = Vec::new();
    let options = ReadOptions::for_file("flights-200k.json");
    let imported = read(FileFormat::Json, &bytes, &options, &mut |progress| {
        reports.push(progress.rows);
        ShouldContinue::Continue
    });
    let flights = imported.expect("readable").workbook;
    assert_eq!(&**flights.sheets()[0].name(), "flights-200k");
    assert!(reports.len() > 40 && reports.is_sorted(), "{} reports", reports.len());
    let used = flights.sheets()[0].used_range().expect("not empty");
    assert_eq!(used.to_string(), format!("A1:C{}", ROWS + 1));
    let sums = [0, 1, 2].map(|column| sum(&flights, column));

    for format in
        [FileFormat::Csv, FileFormat::Tsv, FileFormat::Json, FileFormat::Xlsx, FileFormat::SocialCalc]
    {
        let written =
            write(&flights, format, &WriteOptions { numbers: Numbers::Raw, ..WriteOptions::default() })
                .expect("written");
        let again = read(format, &written, &options, &mut |_| ShouldContinue::Continue)
            .expect("what we write we read");
        assert_eq!([0, 1, 2].map(|column| sum(&again.workbook, column)), sums, "{format:?}");
    }

    // Import into a room: one transaction within the limits, after which the room has the same
    // contents.
    let mut room = Workbook::new();
    let mut next = 7;
    let mut new_sheet = || {
        next += 1;
        SheetId(next)
    };
    let transaction = import_transaction(&flights, &room, Placement::Replace, &mut new_sheet);
    validate(&transaction, &Limits::default()).expect("within the limits of a transaction");
    assert!(transaction.operations.len() < 30, "{} operations", transaction.operations.len());
    apply(&mut room, &transaction);
    assert_eq!(room.sheets().len(), 1);
    assert_eq!([0, 1, 2].map(|column| sum(&room, column)), sums);
}

#[test]
fn reading_can_be_cancelled() {
    let bytes = data_set("flights-200k.json");
    let mut rows_read = 0;
    let outcome = read(FileFormat::Json, &bytes, &ReadOptions::default(), &mut |progress| {
        rows_read = progress.rows;
        if progress.rows > 20_000 { ShouldContinue::Cancel } else { ShouldContinue::Continue }
    });
    assert_eq!(outcome.expect_err("cancelled").to_string(), "cancelled");
    assert!(rows_read < 30_000, "{rows_read}");
}

#[test]
fn postcodes_and_dates_of_real_files_are_preserved() {
    let read = |name| {
        read(FileFormat::Csv, &data_set(name), &ReadOptions::default(), &mut |_| ShouldContinue::Continue)
    };
    let zipcodes = read("zipcodes.csv").expect("readable").workbook;
    let cell =
        |workbook: &Workbook, a1| workbook.sheets()[0].value(CellAddress::parse_a1(a1).expect("an address"));
    assert_eq!(cell(&zipcodes, "A2"), Value::text("00501"));
    let stocks = read("sp500-2000.csv").expect("readable").workbook;
    let format = stocks.sheets()[0].format(CellAddress::parse_a1("A2").expect("an address"));
    assert_eq!(cell(&stocks, "A1"), Value::text("date"));
    assert_eq!(format.number_format.as_deref(), Some("yyyy-mm-dd"), "{:?}", cell(&stocks, "A2"));
}
