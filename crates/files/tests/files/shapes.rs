//! Shapes, groups and turned or cropped pictures of `.xlsx` files: they become images, and come back as
//! they were.
//!
//! `fixtures/shapes.xlsx` was made by hand after ECMA-376 and has the elements that Excel writes: a text box, a shape with a
//! link, a connector between shapes, a turned arrow, a group with a picture, a cropped picture, a Windows
//! metafile, a callout, a star, a freeform, and a form control.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_files::{FileFormat, Imported, LossKind, WriteOptions, losses, write_with_images};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Workbook};

use crate::notation::with_changed_part;
use crate::packages::{part, parts, values_of, written_xlsx};
use crate::shape_images::{drawn, places, read_xlsx};

const FILE: &[u8] = include_bytes!("../fixtures/shapes.xlsx");
const DRAWING: &str = "xl/drawings/drawing1.xml";

#[test]
fn shapes_are_images_with_their_position_size_and_text() {
    let imported = read_xlsx(FILE);
    assert_eq!(imported.warnings, ["left out: form controls"]);
    // Lines, turned shapes, groups and callouts have space around them.
    let expected = [
        "B2+0,0 192×60 How to fill in: 1 < 2 / only the yellow cells",
        "F2+0,0 128×60 Where to begin",
        "J2+0,0 128×60 Ready?",
        "G2+59,15 138×10 ",
        "A6+63,19 62×102 Next",
        "D6+62,18 196×104 Warehouse",
        "I7+0,0 64×40 ",
        "K7+0,0 64×40 ",
        "A13+63,19 156×62 Check this",
        "F14+0,0 80×80 ",
        "H14+0,0 80×80 ",
    ];
    assert_eq!(places(&imported.workbook), expected);
}

#[test]
fn images_of_shapes_show_outline_fill_line_and_text() {
    let images = drawn(&read_xlsx(FILE));
    for (name, pieces) in [
        (
            "How to fill in: 1 < 2\nonly the yellow cells",
            &[
                "fill=\"#ffffff\"",
                "font-weight:bold\">How to fill in:</span>",
                " 1 &lt; 2</span>",
                "text-align:right",
                "color:#c00000;font-style:italic;text-decoration:underline;font-family:'Arial'",
            ][..],
        ),
        ("Where to begin", &["<linearGradient", "stop-color=\"#70ad47\"", ">Start</span>"][..]),
        ("Next", &["rotate(90 50 30)", ">Next</span>"][..]),
        ("Warehouse", &["data:image/png;base64,", "clip-path"][..]),
        ("Check this", &["viewBox=\"0 0 156 62\"", ">Check this</span>"][..]),
    ] {
        let image = &images[name];
        for piece in pieces {
            assert!(image.contains(piece), "{piece} is missing: {image}");
        }
        assert!(!image.contains("script") && !image.contains("https://example.org"), "{image}");
    }
}

/// The objects of a drawing without namespaces and ids, which the writer declares and gives, sorted.
fn objects(drawing: &str) -> Vec<String> {
    let anchors = drawing.split("<xdr:twoCellAnchor").skip(1);
    let mut objects: Vec<String> = anchors
        .map(|anchor| {
            let (_, object) = anchor.split_once("</xdr:to>").expect("a position");
            let (object, _) = object.split_once("<xdr:clientData/>").expect("an end");
            let tags = object.split('<').skip(1).map(|tag| {
                let (tag, text) = tag.split_once('>').expect("the end of a tag");
                let (name, _) = tag.split_once([' ', '/']).unwrap_or((tag, ""));
                let is_renamed = matches!(name, "xdr:cNvPr" | "a:stCxn" | "a:endCxn");
                let kept = attributes(tag).into_iter().filter(|(attribute, _)| {
                    let is_of_package = attribute.starts_with("xmlns") || attribute.starts_with("r:");
                    !(is_of_package || *attribute == "id" && is_renamed)
                });
                let kept: String = kept.map(|(name, value)| format!(" {name}={value}")).collect();
                match (tag.starts_with('/'), tag.strip_suffix('/')) {
                    (true, _) => format!("<{tag}>{text}"),
                    (false, Some(_)) => format!("<{name}{kept}></{name}>{text}"),
                    (false, None) => format!("<{name}{kept}>{text}"),
                }
            });
            tags.collect()
        })
        .collect();
    objects.sort();
    objects
}

/// Names and values of the attributes of a tag.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let name = before.rsplit(' ').next().expect("a name");
        let Some((value, after)) = after.split_once('"') else { break };
        attributes.push((name, value));
        rest = after;
    }
    attributes
}

#[test]
fn shapes_come_back_as_they_were() {
    let file = written_xlsx(&read_xlsx(FILE));
    let [before, after] = [FILE, &file].map(|file| objects(&part(file, DRAWING)));
    // The form control is left out.
    assert_eq!(before.len(), after.len() + 1);
    for object in &after {
        assert!(before.contains(object), "{object}\nis not one of\n{}", before.join("\n"));
    }
    // What covers what stays the same.
    let names = |drawing: &str| -> Vec<String> {
        drawing
            .split("<xdr:cNvPr ")
            .skip(1)
            .map(|rest| values_of(&format!(" {rest}"), "name")[0].clone())
            .collect()
    };
    let (before, after) = (names(&part(FILE, DRAWING)), names(&part(&file, DRAWING)));
    assert_eq!(after[..], before[..before.len() - 1]);
    // Twice is as once.
    let (imported, again) = (read_xlsx(FILE), read_xlsx(&file));
    let sorted = |workbook: &Workbook| {
        let mut places = places(workbook);
        places.sort();
        places
    };
    assert_eq!(sorted(&again.workbook), sorted(&imported.workbook));
    assert_eq!(again.warnings, Vec::<String>::new());
}

/// Excel takes the size of a shape from its anchor.
#[test]
fn the_anchor_of_a_level_line_is_as_thin_as_the_line() {
    let drawing = part(&written_xlsx(&read_xlsx(FILE)), DRAWING);
    let anchor = drawing.split("<xdr:twoCellAnchor").find(|anchor| anchor.contains("<xdr:cxnSp "));
    let (anchor, _) = anchor.and_then(|anchor| anchor.split_once("<xdr:cxnSp ")).expect("a line");
    let (start, end) = anchor.split_once("<xdr:to>").expect("an end");
    let row = |corner: &str| corner.split_once("<xdr:row>").map(|(_, rest)| rest.replace("</xdr:from>", ""));
    assert_eq!(row(start), row(&end.replace("</xdr:to>", "")), "{anchor}");
}

#[test]
fn links_images_and_connections_have_new_ids() {
    let file = written_xlsx(&read_xlsx(FILE));
    let drawing = part(&file, DRAWING);
    let id_of = |name: &str| {
        let (before, _) = drawing.split_once(&format!(" name=\"{name}\"")).expect("an object");
        values_of(before, "id").pop().expect("an id")
    };
    let (start, _) = drawing.split_once("<a:endCxn").expect("a connector");
    assert_eq!(values_of(start, "id").pop(), Some(id_of("Rounded Rectangle 2")));
    let links = part(&file, "xl/drawings/_rels/drawing1.xml.rels");
    let mut targets = values_of(&links, "Target");
    targets.sort();
    // The group and the cropped picture have the same image.
    let images = ["../media/shape1.png", "../media/shape1.png", "../media/shape2.emf"];
    assert_eq!(targets, [&images[..], &["https://example.org/start"]].concat());
    assert!(links.contains("Target=\"https://example.org/start\" TargetMode=\"External\""));
    assert!(parts(&file)["[Content_Types].xml"].contains("image/x-emf"));
}

/// The item with this description, changed.
fn with_changed_item(imported: &mut Imported, description: &str, change: impl Fn(&mut Item)) {
    let sheet = imported.workbook.sheets()[0].id();
    let found = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image).find_map(|(id, item)| {
        let is_it = item.text(Field::AltText).is_some_and(|text| &**text == description);
        is_it.then(|| (id, Item::clone(item)))
    });
    let (id, mut item): (ItemId, Item) = found.expect("a shape");
    change(&mut item);
    imported.workbook.set_item(Some(sheet), id, Some(item));
}

#[test]
fn a_shape_that_was_moved_resized_and_described_is_written_so() {
    let mut imported = read_xlsx(FILE);
    for (description, width, height) in [("Ready?", 256.0, 30.0), ("Next", 62.0, 202.0)] {
        with_changed_item(&mut imported, description, |item| {
            item.anchors = vec![Range::cell(CellAddress::parse_a1("C30").expect("a cell"))];
            item.fields.insert(Field::OffsetX, FieldValue::Number(10.0));
            item.fields.insert(Field::Width, FieldValue::Number(width));
            item.fields.insert(Field::Height, FieldValue::Number(height));
            item.fields.insert(Field::AltText, FieldValue::Text(Arc::from(format!("{description} & more"))));
        });
    }
    let file = written_xlsx(&imported);
    let drawing = part(&file, DRAWING);
    let object = |name: &str| {
        let anchor = drawing.split("<xdr:twoCellAnchor").find(|anchor| anchor.contains(name));
        anchor.expect("a shape").to_owned()
    };
    let decision = object("Flowchart: Decision 3");
    assert!(decision.contains("<xdr:col>2</xdr:col><xdr:colOff>95250</xdr:colOff><xdr:row>29</xdr:row>"));
    assert!(decision.contains("<a:ext cx=\"2438400\" cy=\"285750\"/>"), "{decision}");
    assert!(decision.contains("descr=\"Ready? &amp; more\""), "{decision}");
    // Turned by a quarter, its height is the width of the shape: 100 of 102 pixels before.
    let arrow = object("Arrow: Right 5");
    let extent = arrow.split("<a:ext cx=\"").nth(1).expect("a size");
    let width: f64 = extent.split('"').next().expect("a number").parse().expect("a number");
    assert!((width / 9_525.0 - 100.0 * 202.0 / 102.0).abs() < 2.0, "{arrow}");
}

#[test]
fn a_shape_whose_parts_are_not_known_is_left_out_and_named() {
    let changed = with_changed_part(FILE, "xl/drawings/_rels/drawing1.xml.rels", |text| {
        text.replace("relationships/hyperlink", "relationships/diagramData")
    });
    let imported = read_xlsx(&changed);
    let unknown = "left out: shapes with contents of unknown types";
    assert_eq!(imported.warnings, [unknown, "left out: form controls"]);
    assert_eq!(places(&imported.workbook).len(), 10);
    let hidden = with_changed_part(FILE, DRAWING, |text| {
        text.replace("name=\"Star 13\"", "name=\"Star 13\" hidden=\"1\"")
    });
    assert_eq!(read_xlsx(&hidden).warnings, ["left out: hidden shapes", "left out: form controls"]);
}

/// LibreOffice 7.4 showed such a file with the same shapes.
#[test]
fn shapes_are_written_to_opendocument_files() {
    let imported = read_xlsx(FILE);
    let (workbook, images) = (&imported.workbook, &imported.images);
    for format in [FileFormat::Ods, FileFormat::Fods] {
        let file = write_with_images(workbook, format, &WriteOptions::default(), images).expect("written");
        let content = match format {
            FileFormat::Ods => part(&file, "content.xml"),
            _ => String::from_utf8(file).expect("text"),
        };
        let ends = [' ', '>'];
        let count = |element: &str| {
            ends.iter().map(|end| content.matches(&format!("<draw:{element}{end}")).count()).sum::<usize>()
        };
        // The pictures: one in the group, one cropped, and the metafile.
        assert_eq!((count("custom-shape"), count("g"), count("frame"), count("image")), (10, 1, 3, 3));
        let decision = content.split("<draw:custom-shape ").find(|shape| shape.contains("Decision"));
        let decision = decision.expect("a shape");
        for piece in [
            "svg:width=\"96pt\" svg:height=\"45pt\" svg:x=\"0pt\" svg:y=\"0pt\"",
            ">Ready?</text:span>",
            "draw:enhanced-path=\"M 6400 0 L 12800 3000 L 6400 6000 L 0 3000 Z N\"",
            "draw:text-areas=\"3200 1500 9600 4500\"",
        ] {
            assert!(decision.contains(piece), "{piece} is missing: {decision}");
        }
        assert!(content.contains("draw:transform=\"rotate(-1.5707963267948966) translate("));
        // The cropped picture lost a quarter of its width at each side: 32 pixels of 128.
        assert!(content.contains("fo:clip=\"rect(15pt, 24pt, 15pt, 24pt)\""), "{content}");
        assert!(content.contains("<svg:desc>Where to begin</svg:desc>"));
        assert!(!content.contains("<svg:desc>Ready?</svg:desc>"));
    }
}

#[test]
fn other_formats_name_the_shapes_that_they_leave_out() {
    let imported = read_xlsx(FILE);
    let of = |format: FileFormat| {
        let losses = losses(&imported.workbook, format, &WriteOptions::default(), &imported.images);
        losses.iter().filter(|loss| loss.kind == LossKind::Images).map(|loss| loss.count).sum::<u64>()
    };
    assert_eq!((of(FileFormat::Xlsx), of(FileFormat::Ods), of(FileFormat::Html)), (0, 0, 11));
}
