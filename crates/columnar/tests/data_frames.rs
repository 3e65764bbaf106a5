//! Types and names of columns. `clients/python/test_data_frames.py` reads the written formats with other
//! programs.

use quadrille_cell::Range;
use quadrille_columnar::{Column, ColumnValues, DataFrame, Header, write_arrow, write_csv, write_parquet};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};

fn frame(csv: &str, range: &str, header: Header) -> DataFrame {
    let mut report = |_| ShouldContinue::Continue;
    let imported = read(FileFormat::Csv, csv.as_bytes(), &ReadOptions::default(), &mut report);
    let workbook = imported.expect("the file is well-formed").workbook;
    let range = Range::parse_a1(range).expect("a range");
    DataFrame::read(&workbook, &workbook.sheets()[0], range, header)
}

fn column(name: &str, values: ColumnValues) -> Column {
    Column { name: name.to_owned(), values }
}

#[test]
fn a_column_has_the_type_of_its_cells() {
    let csv = "Day,Units,Paid,Note,Ratio\n2024-01-01,3,TRUE,first,50%\n2024-01-02,,FALSE,12%,#DIV/0!\n";
    let texts = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect();
    assert_eq!(
        frame(csv, "A1:E3", Header::FirstRow).columns,
        [
            column("Day", ColumnValues::Times(vec![Some(1_704_067_200_000), Some(1_704_153_600_000)])),
            column("Units", ColumnValues::Numbers(vec![Some(3.0), None])),
            column("Paid", ColumnValues::Booleans(vec![Some(true), Some(false)])),
            column("Note", ColumnValues::Texts(texts(&["first", "12%"]))),
            column("Ratio", ColumnValues::Numbers(vec![Some(0.5), None])),
        ]
    );
}

#[test]
fn names_are_distinct_and_never_empty() {
    let names = |header| {
        let frame = frame("a,,a\n1,2,3\n", "A1:C2", header);
        frame.columns.into_iter().map(|column| column.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Header::FirstRow), ["a", "B", "a_2"]);
    assert_eq!(names(Header::Letters), ["A", "B", "C"]);
}

#[test]
fn csv_has_full_precision_and_iso_dates() {
    let csv = "Day,Text,Number\n2024-01-01,\"a, \"\"b\"\"\",0.1\n,plain,=1/3\n";
    let frame = frame(csv, "A1:B3", Header::FirstRow);
    let expected = "Day,Text\r\n2024-01-01,\"a, \"\"b\"\"\"\r\n,plain\r\n";
    assert_eq!(write_csv(&frame, Header::FirstRow), expected);
}

/// The magic numbers of the formats, and a frame that has a header only.
#[test]
fn files_begin_and_end_as_their_format_does() {
    for csv in ["a,b\n1,x\n", "a,b\n"] {
        let frame = frame(csv, if csv.len() > 4 { "A1:B2" } else { "A1:B1" }, Header::FirstRow);
        let parquet = write_parquet(&frame);
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
        let arrow = write_arrow(&frame);
        assert!(arrow.starts_with(&[0xff; 4]) && arrow.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
        assert_eq!(arrow.len() % 8, 0);
    }
}
