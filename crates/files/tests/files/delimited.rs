//! Comma-separated and other delimited text.

use quadrille_number_format::{InputContext, Locale};

use crate::notation::{import, show};
use quadrille_cell::{CellAddress, SheetId};
use quadrille_files::{
    FileErrorCode, FileFormat, Numbers, ReadOptions, ShouldContinue, WriteOptions, read, write,
};
use quadrille_workbook::{Input, Literal, Workbook};

/// Checks that `text`, read as csv, contains `cells`.
fn check(text: &str, cells: &str) {
    let imported = import(FileFormat::Csv, text.as_bytes()).expect(text);
    assert_eq!(show(&imported.workbook), cells, "{text:?}");
}

#[test]
fn fields_are_interpreted_like_typed_text() {
    check("a,b\n1,2.5\n", "A1: \"a\" | B1: \"b\" | A2: 1 | B2: 2.5");
    check("-3,1e3,.5", "A1: -3 | B1: 1000 as 0.00E+00 | C1: 0.5");
    check("TRUE,#N/A,", "A1: TRUE | B1: #N/A");
    check("2024-03-01\n2024-03-02", "A1: 45352 as yyyy-mm-dd | A2: 45353 as yyyy-mm-dd");
    check("12%", "A1: 0.12 as 0%");
    check("\"1,234.5\"", "A1: 1234.5 as #,##0.00");
    check("x\n\n=A1&\"!\"", "A1: \"x\" | A3: =A1&\"!\"");
}

/// A file in the reader's own language has the values that pasting the same text has.
#[test]
fn fields_are_interpreted_in_a_locale() {
    let check = |tag: &str, format: FileFormat, text: &str, cells: &str| {
        // 1 June 2024, 12:00.
        let typing = InputContext::at(Locale::from_tag(tag), 1_717_243_200_000);
        let options = ReadOptions { typing, ..ReadOptions::default() };
        let read = read(format, text.as_bytes(), &options, &mut |_| ShouldContinue::Continue);
        assert_eq!(show(&read.expect("readable").workbook), cells, "{tag}: {text:?}");
    };
    let (csv, tsv) = (FileFormat::Csv, FileFormat::Tsv);
    let german = "Müller;1.234,50;01.02.2026;1.000;WAHR;#NV;007;3,5 %";
    let cells = "A1: \"Müller\" | B1: 1234.5 as #,##0.00 | C1: 46054 as m/d/yyyy | D1: 1000 as #,##0 | E1: TRUE | \
                 F1: #N/A | G1: \"007\" | H1: 0.035 as 0.00%";
    check("de-DE", csv, german, cells);
    check("de-DE", tsv, &german.replace(';', "\t"), cells);
    check("es", csv, "VERDADERO;1,5;2/1/2024", "A1: TRUE | B1: 1.5 | C1: 45293 as m/d/yyyy");
    check("en-GB", csv, "2/1/2024,1.5", "A1: 45293 as m/d/yyyy | B1: 1.5");
    check("en-US", csv, "2/1/2024,1.5", "A1: 45323 as m/d/yyyy | B1: 1.5");
    // Fields separated by commas are not German.
    check("de-DE", csv, "1.5,2024-01-02,1e3", "A1: 1.5 | B1: 45293 as yyyy-mm-dd | C1: 1000 as 0.00E+00");
}

#[test]
fn texts_that_a_number_would_change_remain_text() {
    check("007", "A1: \"007\"");
    check("12345678901234567890", "A1: \"12345678901234567890\"");
    check("0,00,0.5", "A1: 0 | B1: \"00\" | C1: 0.5");
    check("'quoted", "A1: \"'quoted\"");
}

#[test]
fn quoted_fields_contain_separators_line_breaks_and_formulas() {
    check("\"a,b\",\"c\nd\"", "A1: \"a,b\" | B1: \"c\\nd\"");
    check("\"say \"\"hi\"\"\"", "A1: \"say \\\"hi\\\"\"");
    check("\"=MAX(1,2)\",=1+1", "A1: =MAX(1,2) | B1: =1+1");
}

#[test]
fn the_separator_is_detected() {
    check("a;b\n1;2", "A1: \"a\" | B1: \"b\" | A2: 1 | B2: 2");
    check("a\tb, c\n1\t2", "A1: \"a\" | B1: \"b, c\" | A2: 1 | B2: 2");
    check("sep=|\na|b,c", "A1: \"a\" | B1: \"b,c\"");
}

#[test]
fn malformed_text_is_rejected_with_its_row() {
    for (bytes, message) in [
        (&b"a,b\n1,\"2\n3,4\n"[..], "row 2, column 2: a quote opens here and never closes"),
        (b"ok,\xc3\xbc\nbad,\xff\n", "row 2: the text is UTF-8 up to here, but byte 0xFF is not"),
        (b"\x89PNG\r\n\x1a\n\0\0", "row 3: a zero byte: this is not a text file"),
    ] {
        let error = import(FileFormat::Csv, bytes).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    let wide = ",".repeat(16_384);
    let error = import(FileFormat::Csv, format!("a\n{wide}").as_bytes()).expect_err("too wide");
    assert_eq!(error.to_string(), "row 2: a sheet has 16384 columns, and this row has more");
    let long = "x\n".repeat(1_048_577);
    let error = import(FileFormat::Csv, long.as_bytes()).expect_err("too long");
    assert_eq!(error.to_string(), "row 1048577: a sheet has 1048576 rows, and this file has more");
    let fat = format!("a\nb,{}", "x".repeat(32_768));
    let error = import(FileFormat::Csv, fat.as_bytes()).expect_err("too fat");
    assert_eq!(error.to_string(), "row 2, column 2: a cell holds 32767 characters, and this text is longer");
}

#[test]
fn text_is_written_as_displayed_raw_or_formula_safe() {
    let bytes = b"12%,2024-03-01,-5\n=cmd|' /C calc'!A0,@x,\"a,\"\"b\"\"\"\n";
    let options = ReadOptions { formulas: false, ..ReadOptions::default() };
    let imported = read(FileFormat::Csv, bytes, &options, &mut |_| ShouldContinue::Continue).expect("csv");
    let text = |options: WriteOptions| {
        String::from_utf8(write(&imported.workbook, FileFormat::Csv, &options).expect("csv")).expect("UTF-8")
    };
    let as_shown = WriteOptions::default();
    assert_eq!(text(as_shown), "12%,2024-03-01,-5\n=cmd|' /C calc'!A0,@x,\"a,\"\"b\"\"\"\n");
    let raw = WriteOptions { numbers: Numbers::Raw, ..as_shown };
    assert_eq!(text(raw), "0.12,45352,-5\n=cmd|' /C calc'!A0,@x,\"a,\"\"b\"\"\"\n");
    let safe = WriteOptions { formula_safe: true, ..as_shown };
    assert_eq!(text(safe), "12%,2024-03-01,-5\n'=cmd|' /C calc'!A0,'@x,\"a,\"\"b\"\"\"\n");
    let rows = write(&imported.workbook, FileFormat::CsvJson, &as_shown).expect("json");
    assert_eq!(
        String::from_utf8(rows).expect("UTF-8"),
        "[[\"12%\",\"2024-03-01\",\"-5\"],[\"=cmd|' /C calc'!A0\",\"@x\",\"a,\\\"b\\\"\"]]\n"
    );
}

#[test]
fn a_zero_character_is_replaced_so_that_the_file_can_be_read() {
    let imported = import(FileFormat::CsvJson, br#"[["a\u0000b"]]"#).expect("json");
    for format in [FileFormat::Csv, FileFormat::Tsv] {
        let bytes = write(&imported.workbook, format, &WriteOptions::default()).expect("text");
        assert_eq!(String::from_utf8_lossy(&bytes), "a\u{fffd}b\n");
        import(format, &bytes).expect("what was written");
    }
}

#[test]
fn html_and_markdown_escape_cells() {
    let imported = import(FileFormat::Csv, b"name,<b>x</b>\na|b,\"1\n2\"\n").expect("csv");
    let text = |format| {
        String::from_utf8(write(&imported.workbook, format, &WriteOptions::default()).expect("text"))
            .expect("UTF-8")
    };
    assert_eq!(text(FileFormat::Markdown), "| name | &lt;b>x&lt;/b> |\n| --- | --- |\n| a\\|b | 1<br>2 |\n");
    let html = text(FileFormat::Html);
    assert!(html.contains("<tr><td>name</td><td>&lt;b&gt;x&lt;/b&gt;</td></tr>"), "{html}");
    assert!(!html.contains("<b>"), "{html}");
}

#[test]
fn a_value_far_from_the_others_makes_no_table_of_billions_of_cells() {
    // 3,052 columns of 16,384 rows are the first above the limit of 50,000,000 cells.
    for (row, column) in [(16_384, 3_052), (1_048_576, 16_384)] {
        let mut workbook = Workbook::new();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet");
        sheet.set_input(CellAddress::clamped(row - 1, column - 1), &Input::Value(Literal::Number(1.0)));
        for format in
            [FileFormat::Csv, FileFormat::Tsv, FileFormat::CsvJson, FileFormat::Html, FileFormat::Markdown]
        {
            let error = write(&workbook, format, &WriteOptions::default()).expect_err("too many cells");
            assert_eq!(error.code, FileErrorCode::TooManyCells, "{format:?}");
            assert!(error.reason.starts_with("the table from A1 to "), "{error}");
        }
        write(&workbook, FileFormat::Json, &WriteOptions::default()).expect("only the cells");
    }
}
