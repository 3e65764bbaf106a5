//! Shapes of OpenDocument files: they become images, as those of `.xlsx` files do, and are in both formats.
//!
//! LibreOffice 7.4 wrote `fixtures/shapes-libreoffice.ods` after it had read the `.ods` file that Quadrille makes of
//! `fixtures/shapes.xlsx`.

use quadrille_files::{FileFormat, Imported, WriteOptions, is_shape, write_with_images};
use quadrille_workbook::{Field, ItemKind};

use crate::notation::{import, with_changed_part};
use crate::packages::{check_package, part};

const FILE: &[u8] = include_bytes!("../fixtures/shapes-libreoffice.ods");

fn read(format: FileFormat, file: &[u8]) -> Imported {
    let imported = import(format, file).expect("readable");
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    imported
}

fn written(imported: &Imported, format: FileFormat) -> Vec<u8> {
    let (workbook, images) = (&imported.workbook, &imported.images);
    write_with_images(workbook, format, &WriteOptions::default(), images).expect("written")
}

/// Cell, offset, size and description of the images, and the document of each shape.
fn shown(imported: &Imported) -> Vec<(String, Option<String>)> {
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let mut shown: Vec<(String, Option<String>)> = items
        .map(|(_, item)| {
            let number = |field: Field| item.number(field).unwrap_or(0.0);
            let text = item.text(Field::AltText).map_or("", |text| text).replace('\n', " / ");
            let place = format!(
                "{}+{},{} {}×{} {text}",
                item.anchors[0].first(),
                number(Field::OffsetX),
                number(Field::OffsetY),
                number(Field::Width),
                number(Field::Height)
            );
            let bytes = &imported.images[&**item.text(Field::Source).expect("a source")];
            let document =
                is_shape(bytes).then(|| String::from_utf8(bytes.to_vec()).expect("an SVG document"));
            (place, document)
        })
        .collect();
    shown.sort();
    shown
}

/// The documents of shapes in an element `table:shapes` of the file.
fn drawn(shapes: &str) -> Vec<(String, Option<String>)> {
    let file = with_changed_part(FILE, "content.xml", |text| {
        let (start, end) =
            (text.find("<draw:").expect("a shape"), text.find("<table:table-column").expect("a column"));
        let (before, after) = match start < end {
            true => (&text[..text.find("<table:shapes>").expect("shapes")], &text[end..]),
            false => (&text[..end], &text[end..]),
        };
        let rows = after.find("<table:table-row").expect("rows");
        let end = after.find("</table:table>").expect("the end");
        format!("{before}<table:shapes>{shapes}</table:shapes>{}{}", &after[..rows], &after[end..])
    });
    let shown = shown(&read(FileFormat::Ods, &file));
    assert!(shown.iter().all(|(_, document)| document.is_some()));
    shown
}

#[test]
fn shapes_have_the_places_and_the_looks_of_the_original() {
    let shown = shown(&read(FileFormat::Ods, FILE));
    let places: Vec<&str> = shown.iter().map(|(place, _)| place.as_str()).collect();
    // As in `shapes.rs`, but for the line, which is thinner here, and pictures, which are plain images.
    let expected = [
        "A13+63,19 156×62 Check this",
        "A6+63,19 62×102 Next",
        "B2+0,0 192×60 How to fill in: 1 < 2 / only the yellow cells",
        "D6+62,18 196×104 Warehouse",
        "F14+0,0 80×80 ",
        "F2+0,0 128×60 Where to begin",
        "G2+60,16 136×8 ",
        "H14+0,0 80×80 ",
        "I7+0,0 64×40 ",
        "J2+0,0 128×60 Ready?",
        "K7+0,0 64×40 ",
    ];
    assert_eq!(places, expected);
    for (name, pieces) in [
        (
            "How to fill in",
            &[
                "fill=\"#ffffff\"",
                "font-weight:bold;",
                ">How to fill in:</span>",
                " 1 &lt; 2</span>",
                "text-align:right",
                "color:#c00000;font-style:italic;text-decoration:underline;font-family:'Arial'",
            ][..],
        ),
        ("Where to begin", &["<linearGradient", "stop-color=\"#70ad47\"", ">Start</span>"][..]),
        ("Next", &["rotate(90 50 30", ">Next</span>"][..]),
        ("Warehouse", &["data:image/png;base64,", ">Warehouse</span>"][..]),
        ("H14", &["stroke-dasharray"][..]),
    ] {
        let (_, document) = shown.iter().find(|(place, _)| place.contains(name)).expect("a shape");
        let document = document.as_ref().expect("a document");
        for piece in pieces {
            assert!(document.contains(piece), "{piece} is missing: {document}");
        }
    }
}

#[test]
fn shapes_are_in_both_formats() {
    let imported = read(FileFormat::Ods, FILE);
    let before: Vec<String> = shown(&imported).into_iter().map(|(place, _)| place).collect();
    let xlsx = written(&imported, FileFormat::Xlsx);
    check_package(&xlsx);
    let drawing = part(&xlsx, "xl/drawings/drawing1.xml");
    for piece in [
        "<a:custGeom>",
        "<a:gradFill>",
        "<a:t>Ready?</a:t>",
        "<a:prstDash val=\"dash\"/>",
        "rot=\"5400000\"",
        "<xdr:pic>",
    ] {
        assert!(drawing.contains(piece), "{piece} is missing: {drawing}");
    }
    for (format, file) in [(FileFormat::Xlsx, xlsx), (FileFormat::Ods, written(&imported, FileFormat::Ods))] {
        // Sizes are rounded anew.
        let cell_of = |place: &String| place.split([',', '×']).next().map(str::to_owned);
        let again: Vec<String> = shown(&read(format, &file)).into_iter().map(|(place, _)| place).collect();
        let cells = |places: &[String]| places.iter().map(cell_of).collect::<Vec<_>>();
        assert_eq!(cells(&again), cells(&before), "{format:?}");
    }
}

/// Elements and names of types that LibreOffice writes for shapes of its own.
#[test]
fn other_shapes_of_opendocument_are_read() {
    let place = "svg:width=\"2in\" svg:height=\"1in\" svg:x=\"1in\" svg:y=\"0in\"";
    let typed = |kind: &str| {
        format!(
            "<draw:custom-shape {place}><draw:enhanced-geometry draw:type=\"{kind}\"/></draw:custom-shape>"
        )
    };
    // A rectangle of 192 by 96 pixels, within which its line is, and what is different from it.
    let rectangle = "M0 0L191 0L191 95L0 95Z";
    for (shape, piece) in [
        (format!("<draw:rect {place}/>"), rectangle),
        (typed("rectangle"), rectangle),
        (typed("of a later version"), rectangle),
        (typed("diamond"), "M95.5 0L191 47.5L95.5 95L0 47.5Z"),
        (typed("flowchart-decision"), "M95.5 0L191 47.5L95.5 95L0 47.5Z"),
        (
            format!(
                "<draw:frame {place}><draw:text-box><text:p>a<text:s text:c=\"2\"/>b<text:line-break/>c</text:p></draw:text-box></draw:frame>"
            ),
            ">  </span>",
        ),
        (
            format!("<draw:polygon {place} svg:viewBox=\"0 0 20 10\" draw:points=\"0,0 20,0 10,10\"/>"),
            "M0 0L191 0L95.5 95Z",
        ),
        (
            format!("<draw:path {place} svg:viewBox=\"0 0 20 10\" svg:d=\"m0 0h20l-10 10z\"/>"),
            "M0 0L191 0L95.5 95Z",
        ),
        (format!("<draw:a xlink:href=\"https://example.org\"><draw:ellipse {place}/></draw:a>"), "C"),
        (
            "<draw:line svg:x1=\"2in\" svg:y1=\"0in\" svg:x2=\"1in\" svg:y2=\"1in\"/>".to_owned(),
            "scale(-1 1)",
        ),
    ] {
        let shown = drawn(&shape);
        let [(place, Some(document))] = &shown[..] else { panic!("one shape: {shown:?}") };
        assert!(document.contains(piece), "{piece} is missing: {document}");
        // Columns without a width have 64 points, 85 pixels.
        let is_line = shape.contains("draw:line");
        assert!(is_line || place.starts_with("B1+11,0 192×96"), "{shape}: {place}");
    }
    for nothing in [
        "<draw:control/>",
        "<draw:g/>",
        "<draw:rect/>",
        "<draw:frame svg:width=\"1in\" svg:height=\"1in\"/>",
        // A group without one of its shapes.
        "<draw:g><draw:rect svg:width=\"1in\" svg:height=\"1in\"/><draw:control/></draw:g>",
    ] {
        let file = with_changed_part(FILE, "content.xml", |text| {
            text.replacen(
                "<table:table-column ",
                &format!("<table:shapes>{nothing}</table:shapes><table:table-column "),
                1,
            )
        });
        let imported = import(FileFormat::Ods, &file).expect("readable");
        assert_eq!(imported.warnings.len(), 1, "{nothing}: {:?}", imported.warnings);
    }
}
