//! Images that are the values of cells in Excel 365.
//!
//! `fixtures/images-in-cells.xlsx` was written by XlsxWriter 3.2: images in A2:A4, of which the first and the last are
//! the same and the second has a fill, and a formula that fills D2:D4.

use quadrille_cell::{CellAddress, Range};
use quadrille_files::{FileFormat, Imported, LossKind, WriteOptions, losses};
use quadrille_workbook::{Field, Item, ItemKind};

use crate::notation::{items, show, with_changed_part};
use crate::packages::{part, parts, written_xlsx};
use crate::shape_images::read_xlsx;

const FILE: &[u8] = include_bytes!("../fixtures/images-in-cells.xlsx");

/// Cell, description and first bytes of the image of each item.
fn images(imported: &Imported) -> Vec<String> {
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let shown = items.map(|(_, item)| {
        assert_eq!(item.boolean(Field::InCell), Some(true));
        let bytes = &imported.images[&**item.text(Field::Source).expect("a source")];
        assert!(bytes.starts_with(b"\x89PNG"));
        let text = item.text(Field::AltText).map_or("", |text| text);
        format!("{} {text}", item.anchors[0].first())
    });
    shown.collect()
}

const IMAGES: [&str; 3] = ["A2 A red flag", "A3 A blue flag", "A4 A red flag"];

#[test]
fn images_in_cells_are_read() {
    let imported = read_xlsx(FILE);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    assert_eq!(images(&imported), IMAGES);
    let pictures = imported.images.values().filter(|bytes| bytes.starts_with(b"\x89PNG"));
    assert_eq!(pictures.count(), 2);
    let shown = show(&imported.workbook);
    assert!(!shown.contains("#VALUE!") && shown.contains("=SEQUENCE(3)"), "{shown}");
}

#[test]
fn images_in_cells_come_back() {
    let imported = read_xlsx(FILE);
    let file = written_xlsx(&imported);
    let again = read_xlsx(&file);
    assert_eq!(images(&again), IMAGES);
    assert_eq!(show(&again.workbook), show(&imported.workbook));
    for name in ["xl/richData/rdrichvalue.xml", "xl/richData/rdrichvaluestructure.xml"] {
        assert_eq!(part(&file, name), part(FILE, name), "{name}");
    }
    assert!(!parts(&file).contains_key("xl/drawings/drawing1.xml"));
    let options = WriteOptions::default();
    assert!(losses(&imported.workbook, FileFormat::Xlsx, &options, &imported.images).is_empty());
}

/// Moves the second image to another cell.
fn move_second(imported: &mut Imported, cell: &str) {
    let sheet = imported.workbook.sheets()[0].id();
    let second = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image).nth(1);
    let (id, mut item) = second.map(|(id, item)| (id, Item::clone(item))).expect("an image");
    item.anchors = vec![Range::cell(CellAddress::parse_a1(cell).expect("a cell"))];
    imported.workbook.set_item(Some(sheet), id, Some(item));
}

/// A cell of Excel has a value or one image.
#[test]
fn an_image_in_a_cell_with_a_value_or_another_image_lies_over_it() {
    for cell in ["B3", "A2"] {
        let mut imported = read_xlsx(FILE);
        move_second(&mut imported, cell);
        let lost = losses(&imported.workbook, FileFormat::Xlsx, &WriteOptions::default(), &imported.images);
        let lost: Vec<_> = lost.iter().map(|loss| (loss.kind, loss.count)).collect();
        assert_eq!(lost, [(LossKind::ImagesInCells, 1)], "{cell}");
        let items = items(&read_xlsx(&written_xlsx(&imported)).workbook, &["image"]);
        assert_eq!(items.iter().filter(|item| item.contains("inCell")).count(), 2, "{items:?}");
        assert_eq!(items.len(), 3);
    }
}

#[test]
fn other_rich_values_keep_their_error_and_are_named() {
    for (name, before, after) in [
        ("xl/richData/rdrichvaluestructure.xml", "_localImage", "_linkedentity"),
        ("xl/richData/rdrichvalue.xml", "rv s=\"0\"", "rv s=\"9\""),
    ] {
        let imported = read_xlsx(&with_changed_part(FILE, name, |text| text.replace(before, after)));
        assert_eq!(imported.warnings, ["left out: data types"]);
        assert!(images(&imported).is_empty());
        assert!(show(&imported.workbook).contains("#VALUE!"));
    }
}

#[test]
fn damaged_references_to_images_lead_nowhere() {
    for (name, before, after) in [
        ("xl/metadata.xml", "rvb i=\"0\"", "rvb i=\"77\""),
        ("xl/metadata.xml", "t=\"2\" v=\"0\"", "t=\"1\" v=\"0\""),
        ("xl/metadata.xml", "t=\"2\" v=\"0\"", "t=\"2\" v=\"-4\""),
        ("xl/richData/rdrichvalue.xml", "<v>0</v>", "<v>x</v>"),
        ("xl/richData/richValueRel.xml", "r:id=\"rId1\"", "r:id=\"rId8\""),
        ("xl/worksheets/sheet1.xml", "vm=\"1\"", "vm=\"0\""),
    ] {
        let imported = read_xlsx(&with_changed_part(FILE, name, |text| text.replace(before, after)));
        assert_eq!(images(&imported), ["A3 A blue flag"], "{before}");
    }
}
