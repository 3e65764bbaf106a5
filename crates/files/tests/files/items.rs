//! Round trips of items through `.xlsx` and JSON: merged cells, conditional formats, notes,
//! filters, page setup and others.

use std::path::PathBuf;

use crate::notation::{commanded, import, items};
use quadrille_cell::Dimension;
use quadrille_files::{FileFormat, Images, WriteOptions, write, write_with_images};
use quadrille_workbook::{ItemKind, Workbook};

/// Commands that create one item of every kind that `.xlsx` files support.
const COMMANDS: &str = r##"[
  {"type":"setCells","sheet":1,"at":"A1","cells":[
    [{"text":"Item"},{"text":"Amount"},{"text":"Date"}],
    [{"text":"ink"},{"number":12},{"number":45000}],
    [{"text":"paper"},{"number":30},{"number":45001}],
    [{"text":"ink"},{"number":7},{"number":45002}]]},
  {"type":"setCells","sheet":1,"at":"F1","cells":[[{"text":"Name"},{"text":"Total"}],[{"text":"a"},{"number":1}],[{"text":"b"},{"number":2}]]},
  {"type":"merge","sheet":1,"range":"A8:C9","how":"all"},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B2:B4"],"fields":{"rule":"cell","operator":"greater","formula1":"=10","priority":1,"format":{"bold":true,"textColor":"#9c0006","fillColor":"#ffc7ce"}}},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A2:A4","C2:C4"],"fields":{"rule":"formula","formula1":"=$B2>$B$4","priority":2,"stop":true,"format":{"italic":true}}},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B2:B4"],"fields":{"rule":"colorScale","priority":3,"stops":[{"at":"minimum","color":"#f8696b"},{"at":"percentile","value":50,"color":"#ffeb84"},{"at":"maximum","color":"#63be7b"}]}},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A2:A4"],"fields":{"rule":"duplicate","priority":4,"format":{"strikethrough":true}}},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B2:B4"],"fields":{"rule":"top","rank":2,"priority":5,"format":{"underline":true}}},
  {"type":"setItem","sheet":1,"kind":"validation","anchors":["D2:D4"],"fields":{"rule":"list","choices":["yes","no"],"strictness":"stop","allowBlank":true,"prompt":"Yes or no?","promptTitle":"Choose"}},
  {"type":"setItem","sheet":1,"kind":"validation","anchors":["B2:B4"],"fields":{"rule":"whole","operator":"between","formula1":"=1","formula2":"=$B$3*10","strictness":"warning","errorTitle":"Amount","errorMessage":"Too much"}},
  {"type":"setItem","sheet":1,"kind":"note","anchors":["B3"],"fields":{"text":"counted twice\nby hand","author":"Ada"}},
  {"type":"setItem","sheet":1,"kind":"link","anchors":["A2"],"fields":{"url":"https://example.org/ink?a=1&b=2","tooltip":"The shop"}},
  {"type":"setItem","sheet":1,"kind":"link","anchors":["A3"],"fields":{"url":"#Sheet1!C1"}},
  {"type":"setItem","sheet":1,"item":70,"kind":"autoFilter","anchors":["A1:C4"]},
  {"type":"setItem","sheet":1,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":70,"rule":"condition","operator":"greater","value1":"8"}},
  {"type":"setItem","sheet":1,"item":71,"kind":"table","anchors":["F1:G3"],"fields":{"name":"Prices","bandedRows":true}},
  {"type":"setItem","sheet":1,"kind":"outlineGroup","anchors":["12:14"],"fields":{"dimension":"rows"}},
  {"type":"setItem","sheet":1,"kind":"printArea","anchors":["A1:D20"]},
  {"type":"setItem","sheet":1,"kind":"printTitles","anchors":["1:1"]},
  {"type":"setItem","sheet":1,"kind":"chart","anchors":["I2"],"fields":{"type":"column","title":"Amounts","series":[{"values":"=Sheet1!$B$2:$B$4","categories":"=Sheet1!$A$2:$A$4","name":"=Sheet1!$B$1"}],"legend":"right","width":480,"height":288}},
  {"type":"freezePanes","sheet":1,"rows":1,"columns":1},
  {"type":"setItem","sheet":1,"item":0,"fields":{"tabColor":"#1f6f5c","showGridlines":false,"showHeadings":false,"zoom":120,"orientation":"landscape","paper":"a4","headerCenter":"Stock &P","footerRight":"&D","centerHorizontally":true,"marginTop":1,"marginBottom":0.75,"marginLeft":0.7,"marginRight":0.7,"marginHeader":0.3,"marginFooter":0.3}},
  {"type":"setHidden","sheet":1,"dimension":"rows","first":20,"count":2,"hidden":true},
  {"type":"setHidden","sheet":1,"dimension":"columns","first":4,"count":1,"hidden":true},
  {"type":"format","sheet":1,"range":"A1:C1","format":{"borderBottom":{"style":"medium","color":"#1f6f5c"},"borderTop":{"style":"thin","color":"#ff0000"},"fontFamily":"Liberation Serif","fontSize":14.5,"rotation":45,"indent":1,"horizontal":"left"}}
]"##;

fn stock() -> Workbook {
    commanded(COMMANDS)
}

const WRITTEN: [&str; 13] = [
    "chart",
    "sheetSettings",
    "merge",
    "conditionalRule",
    "validation",
    "note",
    "link",
    "autoFilter",
    "filterColumn",
    "table",
    "outlineGroup",
    "printArea",
    "printTitles",
];

/// A PNG image of two pixels, red and blue; its SHA-256 is from `sha256sum`.
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0dIDATx\x9cc\xf8\xcf\x00\x04\xff\x01\x07\x00\x01\xff\xe2#\x9eY\x00\x00\x00\x00IEND\xaeB`\x82";
const PNG_NAME: &str = "6c54d5b23a761aa92da26a45323650a806dee032e1670974e7d48bb0d3c2832a";

/// The image twice, at a cell and at a place of the sheet, in a file that LibreOffice 7.4 wrote
/// (`round_trips/libreoffice_charts.py`).
const IMAGES_OF_LIBREOFFICE: &[u8] = include_bytes!("../fixtures/images-libreoffice.ods");

#[test]
fn files_preserve_images() {
    let commands = format!(
        r##"[
          {{"type":"setItem","sheet":1,"kind":"image","anchors":["B3"],"fields":{{"source":"{PNG_NAME}","width":200,"height":100,"offsetX":5,"offsetY":7,"altText":"Our <stand> & booth"}}}},
          {{"type":"setItem","sheet":1,"kind":"image","anchors":["D9"],"fields":{{"source":"{PNG_NAME}","width":64,"height":32}}}},
          {{"type":"setItem","sheet":1,"kind":"image","anchors":["E1"],"fields":{{"source":"{}"}}}}]"##,
        "0".repeat(64)
    );
    let workbook = commanded(&commands);
    let images = Images::from([(PNG_NAME.to_owned(), PNG.into())]);
    // Images whose bytes were not available when the file was written are missing.
    let expected: Vec<String> =
        items(&workbook, &["image"]).into_iter().filter(|line| line.contains(PNG_NAME)).collect();
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let options = WriteOptions::default();
        let bytes = write_with_images(&workbook, format, &options, &images).expect("written");
        let again = import(format, &bytes).expect("readable");
        assert_eq!(again.warnings, [] as [String; 0], "{format:?}");
        assert_eq!(again.images, images, "{format:?}");
        assert_eq!(items(&again.workbook, &["image"]), expected, "{format:?}");
    }
}

#[test]
fn images_of_libreoffice_are_read() {
    let read = import(FileFormat::Ods, IMAGES_OF_LIBREOFFICE).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert_eq!(read.images, Images::from([(PNG_NAME.to_owned(), PNG.into())]));
    let expected = [
        format!(
            r#"image B2 {{"altText":"Our <stand>","height":100.0,"offsetX":4.0,"offsetY":8.0,"source":"{PNG_NAME}","width":200.0}}"#
        ),
        format!(
            r#"image E5 {{"height":32.0,"offsetX":59.0,"offsetY":12.0,"source":"{PNG_NAME}","width":64.0}}"#
        ),
    ];
    assert_eq!(items(&read.workbook, &["image"]), expected);
}

#[test]
fn a_flat_document_has_its_images_within() {
    let workbook = commanded(&format!(
        r#"[{{"type":"setItem","sheet":1,"kind":"image","anchors":["B3"],"fields":{{"source":"{PNG_NAME}"}}}}]"#
    ));
    let images = Images::from([(PNG_NAME.to_owned(), PNG.into())]);
    let flat = write_with_images(&workbook, FileFormat::Fods, &WriteOptions::default(), &images);
    let flat = String::from_utf8(flat.expect("written")).expect("text");
    // The bytes by `base64`, and the size of the image: two pixels of 0.75 points by one.
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4zwAE/wEHAAH/4iOeWQAAAABJRU5ErkJggg==";
    for text in [
        format!("<draw:image><office:binary-data>{data}</office:binary-data></draw:image>"),
        r#"svg:width="1.5pt" svg:height="0.75pt""#.to_owned(),
    ] {
        assert!(flat.contains(&text), "{text} in {flat}");
    }
}

#[test]
fn xlsx_preserves_items_hidden_rows_and_columns_and_formats() {
    let workbook = stock();
    let bytes = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Xlsx, &bytes).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    let expected: Vec<String> =
        // Defaults are omitted in files.
        items(&workbook, &WRITTEN).iter().map(|line| line.replace("\"allowBlank\":true,", "")).collect();
    assert_eq!(items(&again.workbook, &WRITTEN), expected);
    let (before, after) = (&workbook.sheets()[0], &again.workbook.sheets()[0]);
    for dimension in [Dimension::Rows, Dimension::Columns] {
        let hidden = |sheet: &quadrille_workbook::Sheet| sheet.hidden_runs(dimension).collect::<Vec<_>>();
        assert_eq!(hidden(after), hidden(before));
    }
    let cell = quadrille_cell::CellAddress::parse_a1("B1").expect("valid");
    assert_eq!(after.format(cell), before.format(cell));
}

#[test]
fn the_results_of_pivot_tables_without_headers_are_written_as_values() {
    use quadrille_cell::{CellAddress, Range, SheetId, Value};
    let mut workbook = commanded(
        r#"[{"type":"setItem","sheet":1,"kind":"pivotTable","anchors":["B2"],"fields":{"source":"=$F$1:$G$3","rows":[{"column":"=$F:$F"}]}}]"#,
    );
    let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet");
    let cell = |text: &str| CellAddress::parse_a1(text).expect("valid");
    // As the engine fills cells.
    sheet.mark_spilled(Range::parse_a1("B2:C3").expect("valid"), cell("B2"));
    for (address, value) in [("B2", Value::text("Region")), ("C3", Value::Number(15.0))] {
        sheet.set_computed(cell(address), value);
    }
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let bytes = write(&workbook, format, &WriteOptions::default()).expect("written");
        let again = import(format, &bytes).expect("readable");
        let sheet = &again.workbook.sheets()[0];
        assert_eq!(sheet.value(cell("B2")), Value::text("Region"), "{format:?}");
        assert_eq!(sheet.value(cell("C3")), Value::Number(15.0), "{format:?}");
    }
}

#[test]
fn json_preserves_every_item() {
    let workbook = stock();
    let bytes = write(&workbook, FileFormat::Json, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Json, &bytes).expect("readable");
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    let kinds: Vec<&str> = ItemKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(items(&again.workbook, &kinds), items(&workbook, &kinds));
    let column = |workbook: &Workbook| {
        let items = workbook.sheets()[0].items();
        let (_, column) = items.of_kind(ItemKind::FilterColumn).next().expect("one was made");
        items.get(column.parent().expect("it belongs to a filter")).map(|parent| parent.kind)
    };
    assert_eq!(column(&again.workbook), Some(ItemKind::AutoFilter));
    assert_eq!(again.workbook.sheets()[0].hidden_runs(Dimension::Rows).collect::<Vec<_>>(), [(20, 2)]);
}

/// `fixtures/files/stock-libreoffice.xlsx` is [`stock`] as LibreOffice 7.4 wrote it after reading
/// the file of `write_stock`.
#[test]
fn items_survive_a_round_trip_through_libreoffice() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/files/stock-libreoffice.xlsx");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let again = import(FileFormat::Xlsx, &bytes).expect("readable").workbook;
    let kinds =
        ["merge", "validation", "note", "link", "printArea", "printTitles", "autoFilter", "outlineGroup"];
    assert_eq!(anchors(&again, &kinds), anchors(&stock(), &kinds));
}

/// Kinds and anchors of items.
fn anchors(workbook: &Workbook, kinds: &[&str]) -> Vec<String> {
    let lines = items(workbook, kinds);
    lines.iter().map(|line| line.split(" {").next().unwrap_or_default().to_owned()).collect()
}

/// Writes the file for LibreOffice: `cargo test -p quadrille-files --test files items -- --ignored
/// write_stock`.
#[test]
#[ignore = "writes a file to be opened by hand"]
fn write_stock() {
    let bytes = write(&stock(), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let path = std::env::temp_dir().join("quadrille-stock.xlsx");
    std::fs::write(&path, bytes).expect("the temporary folder can be written");
    println!("{}", path.display());
}
