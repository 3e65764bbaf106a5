//! Named cell styles in files. openpyxl 3.1 wrote `fixtures/cell-styles.xlsx`: A1 has the style
//! "Harvest & co" (bold, green on yellow, centered, a bottom border, `#,##0.000`), A2 has it with a font
//! of its own (italic, not bold), A4 has "Percent", A5 "Good", and B1 is bold without a style.
//! LibreOffice 7.4 wrote `cell-styles-libreoffice.xlsx` and `cell-styles.ods` after reading that file.

use std::sync::Arc;

use crate::notation::{commanded, import};
use crate::page_setup::part;
use quadrille_cell::{CellAddress, Range};
use quadrille_files::{FileFormat, Images, LossKind, WriteOptions, losses, write};
use quadrille_operation::{FormatChange, Operation, apply_operation};
use quadrille_workbook::{
    Color, Field, FieldValue, FontSize, Format, FormatPatch, Input, Item, ItemKind, Literal, TextRuns,
    Workbook,
};

const OPENPYXL: &[u8] = include_bytes!("../fixtures/cell-styles.xlsx");
const OPENDOCUMENT: &[u8] = include_bytes!("../fixtures/cell-styles.ods");
const LIBREOFFICE: &[u8] = include_bytes!("../fixtures/cell-styles-libreoffice.xlsx");

fn format(workbook: &Workbook, cell: &str) -> Format {
    workbook.sheets()[0].format(CellAddress::parse_a1(cell).expect("a cell")).clone()
}

fn exported(workbook: &Workbook, format: FileFormat) -> Vec<u8> {
    write(workbook, format, &WriteOptions::default()).expect("written")
}

/// The name of the style of a cell, and the attributes that the cell sets itself.
fn style(workbook: &Workbook, cell: &str) -> (String, String) {
    let format = format(workbook, cell);
    let item = format.cell_style.and_then(|id| workbook.items().get(id));
    let name = item.and_then(|item| item.text(Field::Name)).map_or("Normal", |name| name).to_owned();
    let direct = match format.cell_style {
        Some(_) => {
            FormatChange::from(&FormatPatch { cell_style: None, ..FormatPatch::replacing_with(&format) })
        }
        None => FormatChange::from(&format),
    };
    (name, serde_json::to_string(&direct).expect("text keys"))
}

fn check_styles(workbook: &Workbook, good: &str) {
    let harvest = "Harvest & co";
    for (cell, name, direct) in [
        ("A1", harvest, "{}"),
        ("A2", harvest, r#"{"bold":false,"italic":true}"#),
        ("A4", "Percent", "{}"),
        ("A5", good, "{}"),
    ] {
        assert_eq!(style(workbook, cell), (name.to_owned(), direct.to_owned()), "{cell}");
    }
    // LibreOffice gives them the text color black.
    assert_eq!((style(workbook, "A3").0, format(workbook, "A3").bold), ("Normal".to_owned(), false));
    assert_eq!((style(workbook, "B1").0, format(workbook, "B1").bold), ("Normal".to_owned(), true));
    let first = format(workbook, "A1");
    assert_eq!((first.bold, first.fill_color), (true, Some(Color(0xff_e000))));
    assert_eq!(first.number_format.as_deref(), Some("#,##0.000"));
}

#[test]
fn styles_and_their_cells_are_read_and_written() {
    for (file, good) in [(OPENPYXL, "Good"), (LIBREOFFICE, "Excel Built-in Good")] {
        let read = import(FileFormat::Xlsx, file).expect("readable");
        check_styles(&read.workbook, good);
        let again = import(FileFormat::Xlsx, &exported(&read.workbook, FileFormat::Xlsx)).expect("readable");
        assert_eq!(again.warnings, [] as [String; 0]);
        check_styles(&again.workbook, good);
        assert_eq!(format(&again.workbook, "A2"), format(&read.workbook, "A2"));
        let json = import(FileFormat::Json, &exported(&read.workbook, FileFormat::Json)).expect("readable");
        check_styles(&json.workbook, good);
        let losses = losses(&read.workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::default());
        assert!(losses.iter().all(|loss| loss.kind != LossKind::CellStyles));
    }
}

#[test]
fn styles_of_opendocument_files_are_read_and_written() {
    for (from, file, good) in [(FileFormat::Xlsx, OPENPYXL, "Good"), (FileFormat::Ods, OPENDOCUMENT, "Good")]
    {
        let read = import(from, file).expect("readable");
        check_styles(&read.workbook, good);
        let written = exported(&read.workbook, FileFormat::Ods);
        // LibreOffice looks for the fonts of named styles in the same part.
        let is_there = part(&written, "styles.xml").contains(r#"<style:font-face style:name="Calibri""#);
        assert_eq!(is_there, from == FileFormat::Ods, "only LibreOffice gives the styles a font");
        let again = import(FileFormat::Ods, &written).expect("readable");
        check_styles(&again.workbook, good);
        for cell in ["A1", "A2", "A4", "A5"] {
            assert_eq!(format(&again.workbook, cell), format(&read.workbook, cell), "{cell}");
        }
        let losses = losses(&read.workbook, FileFormat::Ods, &WriteOptions::default(), &Images::default());
        assert!(losses.iter().all(|loss| loss.kind != LossKind::CellStyles));
    }
}

/// A cell sets back what its style has.
#[test]
fn cells_of_opendocument_files_set_attributes_of_their_style_back() {
    let all = r##"{"bold":true,"italic":true,"underline":true,"strikethrough":true,"wrap":true,"horizontal":"center","vertical":"top","textColor":"#ff0000","fillColor":"#00ff00","indent":2,"numberFormat":"0.00"}"##;
    let back = r#"{"bold":false,"italic":false,"underline":false,"strikethrough":false,"wrap":false,"horizontal":null,"vertical":null,"textColor":null,"fillColor":null,"indent":0}"#;
    let workbook = commanded(&format!(
        r#"[{{"type":"setItem","item":77,"kind":"cellStyle","anchors":[],"fields":{{"name":"All & more","format":{all}}}}},
        {{"type":"setCells","sheet":1,"at":"A1","cells":[[{{"text":"x"}},{{"text":"y"}}]]}},
        {{"type":"format","sheet":1,"range":"A1:B1","format":{{"cellStyle":77}}}},
        {{"type":"format","sheet":1,"range":"B1","format":{back}}}]"#
    ));
    let again = import(FileFormat::Ods, &exported(&workbook, FileFormat::Ods)).expect("readable").workbook;
    for cell in ["A1", "B1"] {
        assert_eq!(style(&again, cell), style(&workbook, cell), "{cell}");
    }
}

#[test]
fn cells_of_a_read_file_follow_their_style() {
    let mut workbook = import(FileFormat::Xlsx, OPENPYXL).expect("readable").workbook;
    let (id, item) = workbook
        .items()
        .of_kind(ItemKind::CellStyle)
        .find(|(_, item)| item.text(Field::Name).is_some_and(|name| name.starts_with("Harvest")))
        .map(|(id, item)| (id, Item::clone(item)))
        .expect("the style of the file");
    let red = [(Field::FillColor, FieldValue::Color(Color(0xff_0000)))];
    let mut changed = item;
    changed.fields.insert(Field::Format, FieldValue::Record(red.into()));
    let operation = Operation::PutItem { sheet: None, item: id, content: changed.into() };
    apply_operation(&mut workbook, &operation);
    let (first, second) = (format(&workbook, "A1"), format(&workbook, "A2"));
    assert_eq!((first.bold, first.italic, first.fill_color), (false, false, Some(Color(0xff_0000))));
    assert_eq!((second.bold, second.italic, second.fill_color), (false, true, Some(Color(0xff_0000))));
    assert_eq!(format(&workbook, "A5").fill_color, Some(Color(0xc6_efce)));
}

/// The marks of styles are in fonts while a file is written. ECMA-376 part 1, 18.18.94 has families up to
/// 14.
#[test]
fn fonts_of_parts_of_a_text_have_no_mark_of_the_style_of_the_cell() {
    let mut workbook = import(FileFormat::Xlsx, OPENPYXL).expect("readable").workbook;
    let (sheet, range) = (workbook.sheets()[0].id(), Range::parse_a1("A1").expect("a cell"));
    let large = FormatPatch { font_size: Some(FontSize::from_points(20.0)), ..FormatPatch::default() };
    let runs = TextRuns::from_parts([("a", FormatPatch::default()), ("b", large)]).map(Arc::new);
    let patch = FormatPatch { text_runs: Some(runs.clone()), ..FormatPatch::default() };
    let inputs = vec![Input::Value(Literal::Text("ab".into()))];
    for operation in
        [Operation::SetCells { sheet, range, inputs }, Operation::SetFormat { sheet, range, patch }]
    {
        apply_operation(&mut workbook, &operation);
    }
    let bytes = exported(&workbook, FileFormat::Xlsx);
    let texts = part(&bytes, "xl/sharedStrings.xml");
    let families =
        texts.split("<family val=\"").skip(1).map(|rest| &rest[..rest.find('"').expect("a value")]);
    assert!(
        families.clone().count() > 0
            && families.clone().all(|family| family.parse().is_ok_and(|family: u8| family <= 14)),
        "{texts}"
    );
    let again = import(FileFormat::Xlsx, &bytes).expect("readable").workbook;
    assert_eq!(style(&again, "A1").0, "Harvest & co");
    assert_eq!(format(&again, "A1").text_runs, runs);
}
