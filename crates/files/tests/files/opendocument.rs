//! OpenDocument files: a file of LibreOffice is read with the values that LibreOffice displays, and
//! files are written and read again.
//!
//! LibreOffice 7.4 wrote `fixtures/stock.ods` from a workbook made by openpyxl. The expected values
//! are from its export of the same file as text.

use quadrille_cell::{CellAddress, Dimension, SheetId};
use quadrille_document::Document;
use quadrille_files::{
    FileError, FileFormat, Imported, ReadOptions, ShouldContinue, WriteOptions, read, write,
};
use quadrille_operation::ItemDetails;
use quadrille_workbook::{BorderStyle, Color, FontSize, HorizontalAlignment, VerticalAlignment, Workbook};

const STOCK: &[u8] = include_bytes!("../fixtures/stock.ods");

fn import(bytes: &[u8]) -> Result<Imported, FileError> {
    read(FileFormat::Ods, bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue)
}

fn computed(workbook: Workbook) -> Document {
    let mut document = Document::from_workbook(workbook);
    document.evaluate(u64::MAX);
    document
}

fn cell(name: &str) -> CellAddress {
    CellAddress::parse_a1(name).expect("cells in tests are named well")
}

fn check_stock(document: &Document) {
    let first = SheetId(1);
    let displayed = |name: &str| document.display(first, cell(name)).text;
    for (name, text) in [
        ("A1", "Item"),
        ("A4", "it's \"quoted\" & <odd>"),
        ("B6", "49"),
        ("C3", "12.5%"),
        ("D2", "30"),
        ("D6", "5.75"),
        ("E2", "2024-02-29"),
        ("E3", "2023-01-01"),
        ("A7", "TRUE"),
        ("B7", "many;few"),
        ("C7", "42"),
        ("D7", "2.875"),
        ("E7", "#DIV/0!"),
        ("A8", "25"),
        ("B8", "2"),
        ("C8", "30"),
        ("D8", "ink-paper"),
        ("A10", "wide"),
    ] {
        assert_eq!(displayed(name), text, "{name}");
    }
    assert_eq!(document.display(SheetId(3), cell("A1")).text, "74");
    assert_eq!(document.display(SheetId(2), cell("B1")).text, "  two  blanks ");
    let edited = |sheet: u32, name: &str| document.edit_text(SheetId(sheet), cell(name));
    for (sheet, name, formula) in [
        (1, "D3", "=B3*C3"),
        (1, "B7", "=IF(B6>40,\"many;few\",\"few\")"),
        (1, "C7", "=Other!A1*2"),
        (1, "D7", "=TOTAL/2"),
        (1, "A8", "=SUM(Other!A:A)"),
        (1, "C8", "=VLOOKUP(\"paper\",A2:C4,2,FALSE)"),
        (3, "A1", "=Stock!B6+SUM(Other!A1:A2)"),
    ] {
        assert_eq!(edited(sheet, name).replace("FALSE()", "FALSE"), formula, "{name}");
    }
    let sheet = document.workbook().sheet(first).expect("the first sheet");
    let names: Vec<&str> = document.workbook().sheets().iter().map(|sheet| &**sheet.name()).collect();
    assert_eq!(names, ["Stock", "Other", "It's mine"]);
    let head = sheet.format(cell("B1"));
    assert!(head.bold);
    assert_eq!(head.font_family.as_deref(), Some("Liberation Serif"));
    assert_eq!(head.font_size, FontSize::from_points(14.0));
    assert_eq!((head.fill_color, head.text_color), (Some(Color(0x1f6f5c)), Some(Color(0xffffff))));
    assert_eq!(head.horizontal, Some(HorizontalAlignment::Center));
    assert_eq!(head.vertical, Some(VerticalAlignment::Middle));
    let boxed = sheet.format(cell("A2"));
    assert_eq!(boxed.border_top.map(|border| border.style), Some(BorderStyle::Thin));
    let bottom = boxed.border_bottom.map(|border| (border.style, border.color));
    assert_eq!(bottom, Some((BorderStyle::Double, Some(Color(0x0000ff)))));
    assert!(boxed.border_left.is_none());
    let slanted = sheet.format(cell("A3"));
    assert!(slanted.italic && slanted.underline && slanted.strikethrough && slanted.wrap);
    let code = |name: &str| sheet.format(cell(name)).number_format.as_deref().unwrap_or("General").to_owned();
    assert_eq!(
        (code("C3"), code("E2"), code("B6")),
        ("0.0%".to_owned(), "yyyy-mm-dd".to_owned(), "General".to_owned())
    );
    assert_eq!(code("E4"), "dd.mm.yyyy hh:mm");
    assert_eq!(code("C4"), "#,##0.00;[Red]-#,##0.00");
    assert!(sheet.is_hidden(Dimension::Rows, 8));
    // 2.6252 inches at 96 pixels per inch.
    assert_eq!(sheet.size(Dimension::Columns, 0), Some(252));
    assert_eq!(sheet.size(Dimension::Rows, 1), Some(40));
    let items: Vec<(String, String)> = sheet
        .items()
        .iter()
        .map(|(id, item)| ItemDetails::new(Some(first), id, item, document.workbook()))
        .map(|item| (item.kind, item.anchors.join(" ")))
        .collect();
    for (kind, anchor) in [("merge", "A10:C11"), ("note", "B3"), ("link", "A4")] {
        assert!(items.contains(&(kind.to_owned(), anchor.to_owned())), "{kind}: {items:?}");
    }
}

#[test]
fn a_file_of_libreoffice_has_the_values_that_libreoffice_displays() {
    let imported = import(STOCK).expect("LibreOffice writes sound files");
    assert_eq!(imported.warnings, Vec::<String>::new());
    check_stock(&computed(imported.workbook));
}

#[test]
fn the_stock_workbook_round_trips() {
    let document = computed(import(STOCK).expect("LibreOffice writes sound files").workbook);
    let bytes =
        write(&document.snapshot(), FileFormat::Ods, &WriteOptions::default()).expect("it can be written");
    assert_eq!(FileFormat::from_content(&bytes), Some(FileFormat::Ods));
    if let Some(folder) = std::env::var_os("QUADRILLE_WRITTEN_FILES") {
        std::fs::write(std::path::Path::new(&folder).join("written.ods"), &bytes).expect("the folder exists");
    }
    let again = import(&bytes).expect("what we write is sound");
    check_stock(&computed(again.workbook));
}

#[test]
fn malformed_files_are_rejected_with_a_reason() {
    assert!(import(b"PK\x03\x04").is_err());
    let truncated = &STOCK[..STOCK.len() / 2];
    assert!(import(truncated).is_err());
    let other = include_bytes!("../fixtures/libreoffice.xlsx");
    let error = import(other).expect_err("no content.xml");
    assert!(error.to_string().contains("content.xml"), "{error}");
}

/// ODF 1.3, part 3, 20.394: an optimal height is that of the contents. LibreOffice writes 0.178in for one
/// line of its default font.
#[test]
fn rows_have_the_height_that_libreoffice_has_fitted_them_to() {
    let style = |name: &str, height: &str, is_optimal: bool| {
        format!(
            "<style:style style:name=\"{name}\" style:family=\"table-row\"><style:table-row-properties \
             style:row-height=\"{height}\" style:use-optimal-row-height=\"{is_optimal}\"/></style:style>"
        )
    };
    let styles = [style("ro1", "0.178in", true), style("ro2", "0.5in", true), style("ro3", "0.125in", false)];
    let rows = [1, 2, 3].map(|number| {
        format!(
            "<table:table-row table:style-name=\"ro{number}\"><table:table-cell \
             office:value-type=\"float\" office:value=\"1\"/></table:table-row>"
        )
    });
    let table = format!("<table:table>{}</table:table>", rows.concat());
    let imported = import(&archive_with(&styles.concat(), &table)).expect("sound");
    let sheet = &imported.workbook.sheets()[0];
    assert_eq!([0, 1, 2].map(|row| sheet.size(Dimension::Rows, row)), [None, Some(48), Some(12)]);
}

/// An archive that contains this table.
fn archive(table: &str) -> Vec<u8> {
    let style =
        "<style:style style:name=\"loop\" style:family=\"table-cell\" style:parent-style-name=\"loop\"/>";
    archive_with(style, table)
}

fn archive_with(styles: &str, table: &str) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("content.xml", zip::write::SimpleFileOptions::default()).expect("a name");
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" xmlns:style=\"s\"><office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:spreadsheet>{table}</office:spreadsheet></office:body></office:document-content>"
    );
    zip.write_all(content.as_bytes()).expect("memory");
    zip.finish().expect("memory").into_inner()
}

#[test]
fn excessive_repetitions_are_rejected_or_ignored() {
    let row = "<table:table-row table:number-rows-repeated=\"4294967295\"><table:table-cell table:style-name=\"loop\" \
               table:number-columns-repeated=\"4294967295\"/></table:table-row>";
    let blank =
        import(&archive(&format!("<table:table>{row}{row}</table:table>"))).expect("nothing is in it");
    assert_eq!(blank.workbook.sheets()[0].used_range(), None);
    let full = "<table:table-row table:number-rows-repeated=\"9999\"><table:table-cell office:value-type=\"float\" office:value=\"1\" \
                table:number-columns-repeated=\"16384\"/></table:table-row>";
    assert!(import(&archive(&format!("<table:table>{full}</table:table>"))).is_err());
    let formatted = "<table:table-row table:number-rows-repeated=\"10000\">".to_owned()
        + &"<table:table-cell table:style-name=\"loop\" table:number-columns-repeated=\"256\"/>".repeat(64)
        + "</table:table-row>";
    assert!(import(&archive(&format!("<table:table>{formatted}</table:table>"))).is_err());
    assert!(import(&archive("<table:table><table:table-row><table:table-cell>")).is_err());
}
