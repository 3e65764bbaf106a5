//! `.xls` and `.xlsb` files of other programs.
//!
//! `fixtures/xlwt.xls` was written by xlwt 1.3 (Python), whose source of the formulas is what is
//! expected here. Excel wrote `calamine-*.xls` and `calamine-*.xlsb`, which are from the tests of
//! calamine (<https://github.com/tafia/calamine>, MIT, © Johann Tuffe); the expected values are those
//! that xlrd 2.0 and pyxlsb 1.0 read.

use quadrille_cell::{CellAddress, Dimension, SheetId};
use quadrille_document::Document;
use quadrille_files::{FileErrorCode, FileFormat};
use quadrille_workbook::{Field, ItemId, ItemKind, Sheet, Workbook};

use crate::compound_file::compound_file;
use crate::damage::{Random, archive, parts, rounds};
use crate::notation::{import, show};

const XLWT: &[u8] = include_bytes!("../fixtures/xlwt.xls");
const XLS: &[u8] = include_bytes!("../fixtures/calamine-issues.xls");
const XLSB: &[u8] = include_bytes!("../fixtures/calamine-issues.xlsb");
const SHEETS: &[u8] = include_bytes!("../fixtures/calamine-any-sheets.xlsb");
const PASSWORD: &[u8] = include_bytes!("../fixtures/calamine-password.xlsb");

fn workbook(format: FileFormat, bytes: &[u8]) -> Workbook {
    import(format, bytes).expect("a sound file").workbook
}

fn shown(document: &Document, sheet: u32, name: &str) -> String {
    let cell = CellAddress::parse_a1(name).expect("cells in tests are named well");
    document.display(SheetId(sheet), cell).text
}

fn computed(workbook: Workbook) -> Document {
    let mut document = Document::from_workbook(workbook);
    document.evaluate(u64::MAX);
    document
}

fn edited(document: &Document, sheet: u32, name: &str) -> String {
    let cell = CellAddress::parse_a1(name).expect("cells in tests are named well");
    document.edit_text(SheetId(sheet), cell)
}

#[test]
fn formulas_of_xls_read_as_their_writer_wrote_them() {
    let document = computed(workbook(FileFormat::Xls, XLWT));
    for (name, formula, result) in [
        ("B5", "=SUM(B2:B4)", "59"),
        ("C5", "=SUMPRODUCT(B2:B4,$C$2:$C$4)", "-8,582.50 EUR"),
        ("B7", "=1/0", "#DIV/0!"),
        ("A8", "='It''s other'!B1*2", "40"),
        ("B8", "=SUM('It''s other'!A1:B2)", "4321"),
        ("C8", "=IF(B2>B$3,\"a\"\"b\",(B2+B3)*2)", "104"),
        ("A9", "=VLOOKUP(\"Ink\",$A$2:$C$4,3,FALSE)", "3.25"),
        ("B9", "=-B2&\"z\"&B3^2%", "-12z1.07656733853742"),
        ("C9", "=COUNTIF($A:$A,\"Ink\")", "1"),
        ("A10", "=SUM(B2:B3,B4)", "59"),
        ("B10", "=AND(A7,NOT(FALSE))", "TRUE"),
    ] {
        assert_eq!(edited(&document, 1, name).replace("FALSE()", "FALSE"), formula, "{name}");
        assert_eq!(shown(&document, 1, name), result, "{name}");
    }
}

#[test]
fn values_formats_sizes_and_merged_cells_of_xls_are_read() {
    let document = computed(workbook(FileFormat::Xls, XLWT));
    for (name, text) in [
        ("A3", "Päper €"),
        ("C4", "-1,234.50 EUR"),
        ("A6", "2024-02-29"),
        ("B6", "12.50%"),
        ("C6", "36:00:00"),
        ("A7", "TRUE"),
        ("A12", "merged"),
    ] {
        assert_eq!(shown(&document, 1, name), text, "{name}");
    }
    assert_eq!(shown(&document, 1, "A4").len(), 300);
    let sheets = document.workbook().sheets();
    let names: Vec<&str> = sheets.iter().map(|sheet| &**sheet.name()).collect();
    assert_eq!(names, ["Items", "It's other", "Hidden"]);
    let is_hidden = |sheet: &Sheet| {
        sheet.item(ItemId::SETTINGS).and_then(|settings| settings.boolean(Field::Hidden)) == Some(true)
    };
    assert_eq!(sheets.iter().map(|sheet| is_hidden(sheet)).collect::<Vec<_>>(), [false, false, true]);
    let merged: Vec<String> =
        sheets[0].items().of_kind(ItemKind::Merge).map(|(_, item)| item.anchors[0].to_string()).collect();
    assert_eq!(merged, ["A12:B13"]);
    // 20 characters of 7 pixels.
    assert_eq!(sheets[0].size_runs(Dimension::Columns).next(), Some((0, 1, 140)));
    assert!(sheets[0].is_hidden(Dimension::Rows, 3));
}

#[test]
fn a_workbook_of_excel_is_the_same_in_both_formats() {
    for (format, bytes) in [(FileFormat::Xls, XLS), (FileFormat::Xlsb, XLSB)] {
        let document = computed(workbook(format, bytes));
        let sheets = document.workbook().sheets();
        let named = |name: &str| {
            let sheet = sheets.iter().find(|sheet| &**sheet.name() == name);
            sheet.unwrap_or_else(|| panic!("{format:?} has {name}")).id().0
        };
        for (sheet, name, text) in [
            ("datatypes", "A1", "1"),
            ("datatypes", "A2", "1.5"),
            ("datatypes", "A3", "ab"),
            ("datatypes", "A4", "FALSE"),
            ("datatypes", "A5", "test"),
            ("datatypes", "A6", "10/20/2016"),
            ("issue2", "A3", "3"),
            ("issue2", "B3", "c"),
            // 0.5 with the format `0`.
            ("issue5", "A1", "1"),
            ("issue6", "A4", "FALSE"),
        ] {
            assert_eq!(shown(&document, named(sheet), name), text, "{format:?} {sheet} {name}");
        }
    }
    let document = computed(workbook(FileFormat::Xlsb, XLSB));
    let special = document.workbook().sheets().iter().find(|sheet| &**sheet.name() == "spc_chrs");
    let special = special.expect("a sheet").id().0;
    assert_eq!(shown(&document, special, "A6"), "☺");
    assert_eq!(shown(&document, special, "A8"), "àâéêèçöïî«»");
}

#[test]
fn chart_sheets_are_left_out_and_said() {
    let read = import(FileFormat::Xlsb, SHEETS).expect("a sound file");
    let sheets = read.workbook.sheets();
    let names: Vec<&str> = sheets.iter().map(|sheet| &**sheet.name()).collect();
    assert_eq!(names, ["Visible", "Hidden", "VeryHidden"]);
    assert!(
        read.warnings.contains(&"left out: Chart, which is not a worksheet".to_owned()),
        "{:?}",
        read.warnings
    );
    assert!(read.warnings.iter().any(|warning| warning.starts_with("left out: fonts, colors")));
}

#[test]
fn a_password_and_a_wrong_extension_are_said_and_the_content_decides() {
    for format in [FileFormat::Xlsx, FileFormat::Xlsb, FileFormat::Xls] {
        let error = import(format, PASSWORD).expect_err("a workbook with a password");
        assert_eq!(error.code, FileErrorCode::Encrypted);
        assert_eq!(show(&workbook(format, XLWT)), show(&workbook(FileFormat::Xls, XLWT)));
        assert_eq!(show(&workbook(format, SHEETS)), show(&workbook(FileFormat::Xlsb, SHEETS)));
    }
    let error = import(FileFormat::Xls, b"<table><tr><td>1</table>").expect_err("a web page");
    assert_eq!(error.code, FileErrorCode::NotAWorkbook);
    assert_eq!(FileFormat::from_content(XLSB), Some(FileFormat::Xlsb));
    assert_eq!(FileFormat::from_content(XLS), Some(FileFormat::Xls));
}

/// Bytes of small files, and of the parts of archives, are replaced and cut off: reading fails or gives a
/// workbook. `FILE_FUZZ_ROUNDS` sets how many damaged files are read of each.
#[test]
fn damaged_files_are_refused_or_read_without_panics() {
    let rounds = rounds(200);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for _ in 0..rounds {
        for original in [XLWT, XLS] {
            let mut bytes = original.to_vec();
            random.damage(&mut bytes);
            refused += usize::from(import(FileFormat::Xls, &bytes).is_err());
        }
        for original in [XLSB, SHEETS] {
            let mut parts = parts(original);
            let part = random.below(parts.len());
            random.damage(&mut parts[part].1);
            refused += usize::from(import(FileFormat::Xlsb, &archive(&parts)).is_err());
        }
    }
    assert!(refused > 0 && refused < 4 * rounds, "{refused} of {} files were refused", 4 * rounds);
}

/// A record of an `.xls` stream: type, length, data.
fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).expect("records of tests are short");
    [&kind.to_le_bytes(), &length.to_le_bytes(), data].concat()
}

#[test]
fn long_tokens_that_many_cells_share_are_read_for_some_of_them() {
    const CELLS: u16 = 10_000;
    let begin = record(0x0809, b"\x00\x06\x05\0");
    let end = record(0x000a, b"");
    let listed = |position: usize| {
        let position = (position as u32).to_le_bytes();
        record(0x0085, &[&position, &b"\0\0\x01\0S"[..]].concat())
    };
    let position = [&*begin, &listed(0), &end].concat().len();
    let mut stream = [&*begin, &listed(position), &end, &begin].concat();
    // A jump over 60,000 bytes, then the number 7.
    let tokens = [&b"\x19\x04\x2f\x75"[..], &[0; 60_000], b"\x1e\x07\0"].concat();
    for row in 0..CELLS {
        let cell = [&row.to_le_bytes(), &b"\0\0\0\0"[..], &1f64.to_le_bytes(), b"\0\0\0\0\0\0"];
        // The formula of A1.
        stream.extend(record(0x0006, &[&*cell.concat(), b"\x05\0\x01\0\0\0\0"].concat()));
        if row == 0 {
            let length = (tokens.len() as u16).to_le_bytes();
            let last = (CELLS - 1).to_le_bytes();
            stream.extend(record(0x04bc, &[b"\0\0", &last[..], b"\0\0\0\0", &length, &tokens].concat()));
        }
    }
    stream.extend(end);
    let read = import(FileFormat::Xls, &compound_file(&stream)).expect("a sound file");
    let formulas = quadrille_files::limits::BINARY_FORMULAS_BYTES_MAX / tokens.len();
    let left_out = usize::from(CELLS) - formulas;
    let warning = format!("left out: {left_out} formulas, whose values were kept");
    assert!(read.warnings.contains(&warning), "{:?}", read.warnings);
    let document = computed(read.workbook);
    let first = document.workbook().sheets()[0].id().0;
    assert_eq!(
        (edited(&document, first, "A1"), edited(&document, first, "A10000")),
        ("=7".into(), "1".into())
    );
}

#[test]
fn cells_of_xlsb_beyond_the_last_row_are_refused_or_left_out() {
    let with_cells = |cells: &[u8]| {
        let mut parts = parts(SHEETS);
        let sheet = parts.iter_mut().find(|(name, _)| name.ends_with("worksheets/sheet1.bin"));
        // The last row that four bytes can number.
        sheet.expect("a sheet").1 = [&b"\0\x04\xff\xff\xff\xff"[..], cells].concat();
        import(FileFormat::Xlsb, &archive(&parts))
    };
    // Column, format, result, flags, tokens, further data.
    let formula = [&b"\x09\x1d\0\0\0\0\0\0\0\0"[..], &[0; 8], b"\0\0\x03\0\0\0\x1e\x07\0\0\0\0\0"].concat();
    let error = with_cells(&formula).expect_err("a formula beyond the last row");
    assert_eq!(error.code, FileErrorCode::TooManyRows);
    // Cells without a value, two of each format.
    let blanks = |format: u8| [2, 8, 0, 0, 0, 0, format, 0, 0, 0].repeat(2);
    with_cells(&(0..40).flat_map(blanks).collect::<Vec<u8>>()).expect("no cells");
}
