//! Parts of an imported file that nothing here displays are in the next export. openpyxl 3.1 wrote
//! `package-parts.xlsm`, to which a theme, macros, custom XML and a link to another workbook were
//! added; the expected texts are those of its parts.

use std::io::{Cursor, Read};

use crate::notation::import;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_files::{
    FileFormat, Images, Placement, WriteOptions, has_macros, import_transaction, losses, package_parts,
    write_with_images,
};
use quadrille_operation::apply_operation;
use quadrille_workbook::{ItemKind, Workbook};
use zip::ZipArchive;

const FILE: &[u8] = include_bytes!("../fixtures/package-parts.xlsm");

/// The parts of a file by name.
struct Parts(ZipArchive<Cursor<Vec<u8>>>);

impl Parts {
    fn written(workbook: &Workbook, images: &Images) -> Parts {
        let bytes = write_with_images(workbook, FileFormat::Xlsx, &WriteOptions::default(), images);
        Parts(ZipArchive::new(Cursor::new(bytes.expect("written"))).expect("an archive"))
    }

    fn text(&mut self, name: &str) -> String {
        let mut text = String::new();
        let mut part = self.0.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        part.read_to_string(&mut text).expect("text");
        text
    }
}

#[test]
fn parts_that_nothing_displays_come_back() {
    let read = import(FileFormat::Xlsx, FILE).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert!(has_macros(&read.workbook, &read.images));
    assert_eq!(losses(&read.workbook, FileFormat::Xlsx, &WriteOptions::default(), &read.images), []);
    let mut parts = Parts::written(&read.workbook, &read.images);
    for (part, texts) in [
        ("xl/vbaProject.bin", &["the bytes of macros"][..]),
        ("customXml/item1.xml", &["<order xmlns=\"urn:example\">7</order>"]),
        ("customXml/_rels/item1.xml.rels", &["itemProps1.xml"]),
        ("customXml/itemProps1.xml", &["{1}"]),
        ("xl/theme/theme1.xml", &["123456"]),
        ("xl/externalLinks/externalLink1.xml", &["<v>21</v>"]),
        ("xl/externalLinks/_rels/externalLink1.xml.rels", &["Price%20list.xlsx"]),
        ("xl/worksheets/sheet1.xml", &["codeName=\"DataSheet\"", "<f>'[1]Prices'!$A$1*2</f>"]),
        (
            "xl/workbook.xml",
            &[
                "codeName=\"ThisWorkbook\"",
                "<workbookProtection",
                "lockStructure=\"1\"",
                "state=\"veryHidden\"",
                "<externalReference r:id=",
                "<definedName name=\"secret\" hidden=\"1\">",
                "<definedName name=\"local\" localSheetId=\"0\" hidden=\"1\">",
                "<definedName name=\"open\">",
            ],
        ),
        (
            "docProps/core.xml",
            &[
                "<dc:title>Prices</dc:title>",
                "<dc:creator>Ada Lovelace</dc:creator>",
                "<dc:subject>Rates &amp; fees</dc:subject>",
                "<cp:keywords>a; b</cp:keywords>",
                "<cp:lastModifiedBy>Grace Hopper</cp:lastModifiedBy>",
                ">2020-01-02T03:04:05Z</dcterms:created>",
            ],
        ),
        ("docProps/custom.xml", &["Client", "Müller &lt;&amp; Co&gt;"]),
        (
            "[Content_Types].xml",
            &[
                "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
                "PartName=\"/xl/vbaProject.bin\" ContentType=\"application/vnd.ms-office.vbaProject\"",
                "PartName=\"/docProps/custom.xml\"",
                "PartName=\"/xl/externalLinks/externalLink1.xml\"",
            ],
        ),
    ] {
        let written = parts.text(part);
        for text in texts {
            assert!(written.contains(text), "{part}: {text} is not in {written}");
        }
    }
}

#[test]
fn a_file_that_is_read_again_has_the_same_parts() {
    let first = import(FileFormat::Xlsx, FILE).expect("readable");
    let write = |workbook: &Workbook, images: &Images| {
        write_with_images(workbook, FileFormat::Xlsx, &WriteOptions::default(), images).expect("written")
    };
    let second = import(FileFormat::Xlsx, &write(&first.workbook, &first.images)).expect("readable");
    let source = package_parts(&first.workbook).expect("parts");
    assert_eq!(package_parts(&second.workbook), Some(source), "the name is the digest of the bytes");
    assert_eq!(second.images[source], first.images[source]);
}

#[test]
fn without_the_bytes_or_with_other_bytes_the_file_has_no_parts() {
    let read = import(FileFormat::Xlsx, FILE).expect("readable");
    let source = package_parts(&read.workbook).expect("parts").to_owned();
    let bytes = read.images[&source].clone();
    let mut half = Images::new();
    half.insert(source.clone(), bytes[..bytes.len() / 2].into());
    let mut other = Images::new();
    other.insert(source, (&b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"[..]).into());
    for images in [Images::new(), half, other] {
        assert!(!has_macros(&read.workbook, &images));
        let mut parts = Parts::written(&read.workbook, &images);
        assert!(parts.0.by_name("xl/vbaProject.bin").is_err());
        assert!(!parts.text("[Content_Types].xml").contains("macroEnabled"));
        // The reference to the other workbook is written as its value, and named.
        let lost = losses(&read.workbook, FileFormat::Xlsx, &WriteOptions::default(), &images);
        assert_eq!(lost.len(), 1, "{lost:?}");
    }
}

#[test]
fn sheets_that_are_appended_do_not_bring_the_parts_of_their_file() {
    let read = import(FileFormat::Xlsx, FILE).expect("readable");
    for (placement, count) in [(Placement::Append, 0), (Placement::Replace, 1)] {
        let mut room = Workbook::new();
        let mut next = 100;
        let mut new_sheet = || {
            next += 1;
            SheetId(next)
        };
        for operation in import_transaction(&read.workbook, &room, placement, &mut new_sheet).operations {
            apply_operation(&mut room, &operation);
        }
        assert_eq!(room.items().of_kind(ItemKind::PackageParts).count(), count, "{placement:?}");
    }
}

/// Excel shows the sheet that is active, even if it is hidden.
#[test]
fn the_first_visible_sheet_is_active() {
    let json = br#"{"format":"quadrille-workbook","version":1,"sheets":[
        {"name":"a","items":[{"id":0,"kind":"sheetSettings","anchors":[],"fields":{"hidden":true}}]},{"name":"b","cells":{"A1":1}}]}"#;
    let read = import(FileFormat::Json, json).expect("readable");
    assert_eq!(read.workbook.sheets().len(), 2);
    let mut parts = Parts::written(&read.workbook, &Images::new());
    assert!(parts.text("xl/workbook.xml").contains("<sheet name=\"a\" sheetId=\"1\" state=\"hidden\""));
    assert!(parts.text("xl/worksheets/sheet2.xml").contains("tabSelected=\"1\""));
}

/// Programs without a calculation engine read the results of formulas that spill.
#[test]
fn spilled_results_are_in_the_cells_that_they_fill() {
    let json = br#"{"format":"quadrille-workbook","version":1,"sheets":[
        {"name":"a","cells":{"B2":{"formula":"=SEQUENCE(2,2,5)"}}}]}"#;
    let read = import(FileFormat::Json, json).expect("readable");
    let mut document = quadrille_document::Document::from_workbook(read.workbook);
    document.evaluate(1_000_000);
    let workbook = document.workbook();
    assert_eq!(workbook.sheets()[0].value(CellAddress::clamped(2, 2)), quadrille_cell::Value::Number(8.0));
    let sheet = Parts::written(workbook, &Images::new()).text("xl/worksheets/sheet1.xml");
    for text in ["ref=\"B2:C3\"", "<c r=\"C2\"><v>6</v>", "<c r=\"B3\"><v>7</v>", "<c r=\"C3\"><v>8</v>"] {
        assert!(sheet.contains(text), "{text} is not in {sheet}");
    }
}

/// Files of some programs have names such as `xl\workbook.xml`, and `[content_types].xml`.
#[test]
fn names_of_parts_may_have_backslashes_and_other_case() {
    let mut original = Parts(ZipArchive::new(Cursor::new(FILE.to_vec())).expect("an archive"));
    let mut renamed = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..original.0.len() {
        let mut bytes = Vec::new();
        let mut part = original.0.by_index(index).expect("a part");
        part.read_to_end(&mut bytes).expect("bytes");
        let name = part.name().expect("a name").replace('/', "\\").replace("Content_Types", "content_types");
        renamed.start_file(name, zip::write::SimpleFileOptions::default()).expect("started");
        std::io::Write::write_all(&mut renamed, &bytes).expect("written");
    }
    let bytes = renamed.finish().expect("finished").into_inner();
    let read = import(FileFormat::Xlsx, &bytes).expect("readable");
    let expected = import(FileFormat::Xlsx, FILE).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert_eq!(read.workbook.sheets().len(), expected.workbook.sheets().len());
    assert!(has_macros(&read.workbook, &read.images));
}
