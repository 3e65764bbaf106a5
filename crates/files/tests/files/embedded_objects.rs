//! Embedded objects of `.xlsx` files: they become images, and come back with their bytes.
//!
//! `fixtures/embedded-objects.xlsx` is `WithEmbeded.xlsx` of the tests of Apache POI (Apache License 2.0), written by
//! Excel 2007: a workbook and a packaged file with previews in a format that browsers do not show.
//! `form-controls.xlsx` has an embedded document as newer versions of Excel write it.

use quadrille_files::{Imported, is_shape};
use quadrille_workbook::{Field, ItemKind};

use crate::notation::{items, with_changed_part};
use crate::packages::{part, parts, written_xlsx};
use crate::shape_images::read_xlsx;

const FILE: &[u8] = include_bytes!("../fixtures/embedded-objects.xlsx");
const NEWER: &[u8] = include_bytes!("../fixtures/form-controls.xlsx");

/// The images without their sources.
fn shown(imported: &Imported) -> Vec<String> {
    let mut shown = items(&imported.workbook, &["image"]);
    for item in &mut shown {
        let (start, rest) = item.split_once("\"source\":\"").expect("a source");
        *item = format!("{start}{}", &rest[rest.find(',').expect("further fields") + 1..]);
    }
    shown
}

#[test]
fn objects_are_images_with_the_name_of_their_program() {
    let imported = read_xlsx(FILE);
    assert_eq!(imported.warnings, Vec::<String>::new());
    assert_eq!(
        shown(&imported),
        [
            r#"image A12 {"altText":"Package","height":43.0,"shape":true,"width":42.0}"#,
            r#"image A5 {"altText":"Worksheet","height":121.0,"shape":true,"width":321.0}"#,
        ]
    );
    for (_, item) in imported.workbook.sheets()[0].items().of_kind(ItemKind::Image) {
        let bytes = &imported.images[&**item.text(Field::Source).expect("a source")];
        let text = std::str::from_utf8(bytes).expect("text");
        let name = item.text(Field::AltText).expect("a description");
        assert!(is_shape(bytes) && text.contains(&format!(">{name}</span>")), "{text}");
    }
}

#[test]
fn objects_come_back_with_their_bytes() {
    let imported = read_xlsx(FILE);
    let file = written_xlsx(&imported);
    let (before, after) = (parts(FILE), parts(&file));
    for (old, new) in [
        ("embeddings/Microsoft_Office_Excel_97-2003_Worksheet1.xls", "embeddings/object1.xls"),
        ("embeddings/oleObject1.bin", "embeddings/object2.bin"),
        ("media/image1.emf", "media/shape1.emf"),
    ] {
        assert!(before[&format!("xl/{old}")] == after[&format!("xl/{new}")], "{old}");
    }
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    let objects = "<oleObjects><oleObject progId=\"Worksheet\" shapeId=\"1025\" r:id=\"rIdOfControl1n0\"/>\
        <oleObject progId=\"Package\" shapeId=\"1026\" r:id=\"rIdOfControl2n0\"/></oleObjects>";
    assert!(sheet.contains(objects), "{sheet}");
    let again = read_xlsx(&file);
    assert_eq!((again.warnings.len(), shown(&again)), (0, shown(&imported)));
}

#[test]
fn newer_files_have_an_alternative_for_older_programs() {
    let file = written_xlsx(&read_xlsx(NEWER));
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    let (_, objects) = sheet.split_once("<oleObjects>").expect("objects");
    let (objects, _) = objects.split_once("</oleObjects>").expect("an end");
    assert_eq!(objects.matches("<oleObject ").count(), 2);
    assert!(
        objects.contains("Requires=\"x14\"") && objects.contains("<mc:Fallback><oleObject "),
        "{objects}"
    );
}

#[test]
fn objects_without_their_parts_are_left_out_and_named() {
    let links = "xl/worksheets/_rels/sheet1.xml.rels";
    let linked = with_changed_part(FILE, links, |text| {
        text.replace(
            "Target=\"../embeddings/oleObject1.bin\"",
            "Target=\"file:///C:/a.doc\" TargetMode=\"External\"",
        )
    });
    let missing = with_changed_part(FILE, links, |text| text.replace("oleObject1.bin", "missing.bin"));
    for file in [linked, missing] {
        let imported = read_xlsx(&file);
        assert_eq!(imported.warnings, ["left out: embedded objects"]);
        assert_eq!(shown(&imported).len(), 1);
        written_xlsx(&imported);
    }
}
