//! SmartArt graphics of `.xlsx` files: they become images, and come back with all their parts.
//!
//! The parts of the two graphics in `fixtures/smart-art.xlsx` are those that PowerPoint wrote in
//! `smartart-simple.pptx` and `smartart-rotated-text.pptx` of the tests of Apache POI (Apache License 2.0), with a
//! smaller image. The workbook around them was made by hand after ECMA-376.

use quadrille_files::{FileFormat, Imported, WriteOptions, is_shape, write_with_images};
use quadrille_workbook::{Field, ItemKind};

use crate::notation::{items, with_changed_part};
use crate::packages::{check_package, part, parts, values_of};
use crate::shape_images::read_xlsx;

const FILE: &[u8] = include_bytes!("../fixtures/smart-art.xlsx");

fn written(imported: &Imported, format: FileFormat) -> Vec<u8> {
    let (workbook, images) = (&imported.workbook, &imported.images);
    write_with_images(workbook, format, &WriteOptions::default(), images).expect("written")
}

/// The images of the graphics, in the order of the file.
fn drawn(imported: &Imported) -> Vec<String> {
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let images = items.map(|(_, item)| {
        let bytes = &imported.images[&**item.text(Field::Source).expect("a source")];
        assert!(is_shape(bytes));
        String::from_utf8(bytes.to_vec()).expect("text")
    });
    images.collect()
}

#[test]
fn graphics_are_images_with_their_texts() {
    let imported = read_xlsx(FILE);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    let shown = items(&imported.workbook, &["image"]);
    assert_eq!(shown.len(), 2, "{shown:?}");
    // 1,439,862 × 939,800 and 1,200,150 × 800,100 EMU, as on the slides.
    for (graphic, (place, size, text)) in
        shown.iter().zip([("B2", "151", "abc\\ndef\\nghi"), ("B9", "126", "abc\\n")])
    {
        for piece in [place, size, text] {
            assert!(graphic.contains(piece), "{piece} is missing: {graphic}");
        }
    }
}

#[test]
fn the_shapes_of_the_part_for_displaying_are_drawn() {
    let [simple, rotated] = &drawn(&read_xlsx(FILE))[..] else { panic!("two graphics") };
    // A Venn diagram of three ellipses with a fill, a gradient and an image.
    for piece in ["<linearGradient", "href=\"data:image/jpeg;base64,", "clip-path", "rgba(", ">abc</span>"] {
        assert!(simple.contains(piece), "{piece} is missing: {simple}");
    }
    // The hexagon is turned by 2,920,877 / 60,000 degrees and its text by 90 degrees less.
    for piece in ["rotate(48.68", "rotate(-41.32"] {
        assert!(rotated.contains(piece), "{piece} is missing: {rotated}");
    }
}

#[test]
fn graphics_come_back_with_all_their_parts() {
    let file = written(&read_xlsx(FILE), FileFormat::Xlsx);
    check_package(&file);
    let (before, after) = (parts(FILE), parts(&file));
    let of_diagrams = |name: &&String| name.starts_with("xl/diagrams/") && !name.contains("_rels");
    let names: Vec<&String> = before.keys().filter(of_diagrams).collect();
    assert_eq!(names.len(), 10);
    assert_eq!(names, after.keys().filter(of_diagrams).collect::<Vec<_>>());
    // Equal but for the relationship of the drawing, which the part with the texts names.
    let links = &after["xl/drawings/_rels/drawing1.xml.rels"];
    for name in names {
        let ids =
            ["relId"].map(|attribute| [&before[name], &after[name]].map(|text| values_of(text, attribute)));
        let [[old, new]] = &ids;
        assert_eq!(old.len(), new.len());
        let renamed = match (&old[..], &new[..]) {
            ([old], [new]) => {
                let target = name.replace("xl/diagrams/data", "../diagrams/drawing");
                assert!(links.contains(&format!("Id=\"{new}\"")) && links.contains(&target), "{links}");
                before[name].replace(&format!("relId=\"{old}\""), &format!("relId=\"{new}\""))
            }
            _ => before[name].clone(),
        };
        assert!(after[name] == renamed, "{name} differs");
    }
    for part in ["data1", "drawing1"] {
        assert!(
            after[&format!("xl/diagrams/_rels/{part}.xml.rels")].contains("Target=\"../media/shape1.jpeg\"")
        );
    }
    let drawing = &after["xl/drawings/drawing1.xml"];
    assert_eq!(drawing.matches("<dgm:relIds ").count(), 2);
    // Twice is as once.
    let again = read_xlsx(&file);
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    assert_eq!(items(&again.workbook, &["image"]).len(), 2);
}

/// Programs before Excel 2010 and others do not write the part for displaying.
#[test]
fn a_graphic_without_shapes_is_a_box_with_its_texts() {
    let file = with_changed_part(FILE, "xl/drawings/_rels/drawing1.xml.rels", |text| {
        text.replace("relationships/diagramDrawing", "relationships/unknown")
    });
    let imported = read_xlsx(&file);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    assert!(drawn(&imported)[0].contains(">abc</span>"));
    let after = written(&imported, FileFormat::Xlsx);
    check_package(&after);
    assert!(!parts(&after).contains_key("xl/diagrams/drawing1.xml"));
    let empty = with_changed_part(&file, "xl/diagrams/data1.xml", |text| text.replace("<a:t>", "<a:x>"));
    let empty = with_changed_part(&empty, "xl/diagrams/data1.xml", |text| text.replace("</a:t>", "</a:x>"));
    assert_eq!(read_xlsx(&empty).warnings, ["left out: SmartArt graphics without contents"]);
}

#[test]
fn graphics_are_groups_of_shapes_in_opendocument_files() {
    let content = part(&written(&read_xlsx(FILE), FileFormat::Ods), "content.xml");
    assert_eq!(content.matches("<draw:g ").count(), 2);
    assert!(content.contains(">abc</text:span>"), "{content}");
    // The image in a circle of the first graphic.
    assert!(content.contains("draw:fill=\"bitmap\" draw:fill-image-name=\"shape-image"), "{content}");
    let styles = part(&written(&read_xlsx(FILE), FileFormat::Ods), "styles.xml");
    assert!(
        styles.contains("<draw:fill-image draw:name=\"shape-image") && styles.contains("Pictures/"),
        "{styles}"
    );
}
