//! New and edited shapes and pictures: their DrawingML in files, and the SVG that is shown (decision 0067).

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_files::{
    FileFormat, Imported, ObjectKind, ShapeAttributes, ShapeError, ShapeImage, ShownImage, WriteOptions,
    change_shape, image_type, is_shape, losses, new_shape, shape_attributes, write_with_images,
};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};
use serde_json::{Value as Json, json};

use crate::notation::import;
use crate::packages::{part, parts, written_xlsx};
use crate::shape_images::{drawn, places, read_xlsx};

const FILE: &[u8] = include_bytes!("../fixtures/shapes.xlsx");
const DRAWING: &str = "xl/drawings/drawing1.xml";
/// An image of two pixels.
const PIXELS: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0dIDATx\x9cc\xf8\xcf\x00\x04\xff\x01\x07\x00\x01\xff\xe2#\x9eY\x00\x00\x00\x00IEND\xaeB`\x82";

fn attributes(json: Json) -> ShapeAttributes {
    serde_json::from_value(json).expect("attributes")
}

fn made(size: (f64, f64), json: Json) -> ShapeImage {
    new_shape(size, &attributes(json)).expect("a shape")
}

/// The image after a change, in the frame that it had.
fn changed(image: &ShapeImage, json: Json) -> ShapeImage {
    let shown = ShownImage { size: Some(image.size), alt_text: image.alt_text.clone() };
    change_shape(&image.bytes, &shown, &attributes(json)).expect("a shape")
}

/// What an image tells of itself.
fn described(image: &ShapeImage) -> Json {
    let (_, attributes) = shape_attributes(&image.bytes).expect("an image");
    serde_json::to_value(attributes).expect("JSON")
}

/// A workbook whose first sheet shows these images from B2 on, ten rows each.
fn workbook(images: &[&ShapeImage]) -> Imported {
    let mut imported = import(FileFormat::Csv, b"a\n").expect("readable");
    let sheet = imported.workbook.sheets()[0].id();
    for (index, image) in images.iter().enumerate() {
        let name = format!("{:064x}", index + 1);
        let anchors = vec![Range::cell(CellAddress::clamped(1 + 10 * index as u32, 1))];
        let mut item = Item { kind: ItemKind::Image, anchors, fields: Default::default() };
        item.fields.insert(Field::Source, FieldValue::Text(Arc::from(name.as_str())));
        item.fields.insert(Field::Width, FieldValue::Number(image.size.0.round()));
        item.fields.insert(Field::Height, FieldValue::Number(image.size.1.round()));
        if image.is_shape {
            item.fields.insert(Field::Shape, FieldValue::Boolean(true));
        }
        if let Some(text) = &image.alt_text {
            item.fields.insert(Field::AltText, FieldValue::Text(Arc::from(text.as_str())));
        }
        imported.workbook.set_item(Some(sheet), ItemId(index as u64 + 1), Some(item));
        imported.images.insert(name, Arc::from(image.bytes.clone()));
    }
    imported
}

/// The image of the shape with this description in `shapes.xlsx`.
fn imported(description: &str) -> ShapeImage {
    let imported = read_xlsx(FILE);
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let mut items =
        items.filter(|(_, item)| item.text(Field::AltText).is_some_and(|text| &**text == description));
    let (_, item) = items.next().expect("a shape");
    let number = |field: Field| item.number(field).expect("a number");
    let source = item.text(Field::Source).expect("a source");
    ShapeImage {
        bytes: imported.images[&**source].to_vec(),
        is_shape: true,
        size: (number(Field::Width), number(Field::Height)),
        moved: (0.0, 0.0),
        alt_text: Some(description.to_owned()),
    }
}

fn text(image: &ShapeImage) -> String {
    assert!(image.is_shape && is_shape(&image.bytes));
    String::from_utf8(image.bytes.clone()).expect("text")
}

#[test]
fn a_new_shape_has_the_given_attributes() {
    let given = json!({
        "preset": "wedgeRoundRectCallout", "text": "1 < 2\n\nnext", "fill": "#ffeeaa", "outline": "#804000",
        "outlineWidth": 2.0, "outlineDash": "dash", "fontSize": 14.0, "bold": true, "italic": true,
        "textColor": "#112233", "horizontal": "right", "vertical": "bottom", "rotation": 30.0,
        "flipHorizontal": true, "flipVertical": false,
    });
    let image = made((200.0, 100.0), given.clone());
    assert_eq!(described(&image), given);
    assert_eq!(image.alt_text.as_deref(), Some("1 < 2\n\nnext"));
    let svg = text(&image);
    for piece in [
        "fill=\"#ffeeaa\"",
        "stroke=\"#804000\"",
        "stroke-width=\"2\"",
        "stroke-dasharray=\"8 6\"",
        "rotate(30 100 50)",
        "font-size:18.67px;color:#112233;font-weight:bold;font-style:italic",
        "1 &lt; 2",
        "text-align:right",
        "justify-content:flex-end",
    ] {
        assert!(svg.contains(piece), "{piece} is missing: {svg}");
    }
    // A text box is a rectangle whose text begins at the top left; it fills its frame.
    let empty = made((160.0, 80.0), json!({}));
    assert_eq!((empty.size, empty.moved, &empty.alt_text), ((160.0, 80.0), (0.0, 0.0), &None));
    let text_box = described(&empty);
    assert_eq!((&text_box["preset"], &text_box["text"]), (&json!("rect"), &json!("")));
    assert_eq!((&text_box["horizontal"], &text_box["vertical"]), (&json!("left"), &json!("top")));
    // The frame of a line has space around it; a line has no text.
    let arrow = json!({ "preset": "straightConnector1", "endArrow": true });
    let arrow = made((100.0, 0.0), arrow);
    assert_eq!((arrow.size, arrow.moved), ((110.0, 10.0), (-5.0, -5.0)));
    let line = described(&arrow);
    assert_eq!(
        (&line["endArrow"], &line["startArrow"], line.get("text")),
        (&true.into(), &false.into(), None)
    );
}

#[test]
fn a_change_keeps_what_it_does_not_change() {
    let image = imported("How to fill in: 1 < 2\nonly the yellow cells");
    let before = text(&image);
    let red = changed(&image, json!({ "fill": "#ff0000" }));
    assert_eq!(
        text(&red).split("</metadata>").nth(1),
        before
            .split("</metadata>")
            .nth(1)
            .map(|svg| { svg.replacen("fill=\"#ffffff\"", "fill=\"#ff0000\"", 1) })
            .as_deref()
    );
    // The second line keeps its own format.
    let texts = changed(&red, json!({ "text": "New\nonly the yellow cells" }));
    assert_eq!(texts.alt_text.as_deref(), Some("New\nonly the yellow cells"));
    let svg = text(&texts);
    assert!(svg.contains("font-weight:bold\">New</span>"), "{svg}");
    assert!(
        svg.contains("color:#c00000;font-style:italic;text-decoration:underline;font-family:'Arial'"),
        "{svg}"
    );
    // A description that somebody has written stays.
    let described = ShapeImage { alt_text: Some("a hint".into()), ..image };
    assert_eq!(changed(&described, json!({ "text": "other" })).alt_text.as_deref(), Some("a hint"));
}

#[test]
fn a_shape_turns_about_its_center_and_back() {
    let upright = made((200.0, 100.0), json!({ "preset": "rect", "outline": null }));
    let turned = changed(&upright, json!({ "rotation": 90 }));
    let near = |(x, y): (f64, f64), expected: (f64, f64)| {
        assert!((x - expected.0).abs() < 0.01 && (y - expected.1).abs() < 0.01, "{x}, {y}: {expected:?}");
    };
    near(turned.size, (100.0, 200.0));
    near(turned.moved, (50.0, -50.0));
    // Half as wide by the frame is half as high by the shape.
    let narrow = ShapeImage { size: (50.0, 200.0), ..turned };
    let back = changed(&narrow, json!({ "rotation": 0 }));
    near(back.size, (200.0, 50.0));
    near(back.moved, (-75.0, 75.0));
    assert_eq!(described(&back)["rotation"], 0.0);
    let negative = changed(&upright, json!({ "rotation": -90 }));
    assert_eq!(described(&negative)["rotation"], 270.0);
}

#[test]
fn a_picture_is_cropped_in_its_scale_turned_and_reset() {
    let plain = ShapeImage {
        bytes: PIXELS.to_vec(),
        is_shape: false,
        size: (200.0, 100.0),
        moved: (0.0, 0.0),
        alt_text: Some("our stand".into()),
    };
    let none = json!({ "left": 0.0, "top": 0.0, "right": 0.0, "bottom": 0.0 });
    assert_eq!(described(&plain)["crop"], none);
    let crop = json!({ "left": 0.25, "top": 0.5, "right": 0.0, "bottom": 0.1 });
    let cropped = changed(&plain, json!({ "crop": crop }));
    assert_eq!((cropped.size, cropped.moved), ((150.0, 40.0), (50.0, 50.0)));
    assert_eq!(cropped.alt_text.as_deref(), Some("our stand"));
    assert_eq!(described(&cropped)["crop"], crop);
    // The image is 200 × 100 pixels again, a quarter of it left of the frame, and half of it above.
    assert!(text(&cropped).contains("transform=\"translate(-50 -50) scale(200 100)\""));
    let turned = changed(&cropped, json!({ "rotation": 90 }));
    assert!((turned.size.0 - 40.0).abs() < 0.01 && (turned.size.1 - 150.0).abs() < 0.01, "{:?}", turned.size);
    // Turned clockwise, what was cut at the left is at the top.
    let uncut = changed(&turned, json!({ "crop": { "bottom": 0.1, "top": 0.5 } }));
    assert!((uncut.size.1 - 200.0).abs() < 0.01 && (uncut.moved.1 + 50.0).abs() < 0.01, "{:?}", uncut.moved);
    let reset = changed(&turned, json!({ "crop": {}, "rotation": 0 }));
    assert_eq!((&reset.bytes[..], reset.is_shape), (PIXELS, false));
    assert!((reset.size.0 - 200.0).abs() < 0.01 && (reset.size.1 - 100.0).abs() < 0.01, "{:?}", reset.size);
    // It is where it was at first.
    let moved = [&cropped, &turned, &reset].map(|image| image.moved);
    let sum = moved.iter().fold((0.0, 0.0), |sum: (f64, f64), one| (sum.0 + one.0, sum.1 + one.1));
    assert!(sum.0.abs() < 0.01 && sum.1.abs() < 0.01, "{moved:?}");
    // A cropped picture of a file changes in the same way, and is an image again.
    let sheet = read_xlsx(FILE);
    let mut whole = sheet.images.values().filter_map(|image| {
        let (kind, own) = shape_attributes(image)?;
        let is_cropped = kind == ObjectKind::Picture && own.crop.is_some_and(|crop| crop.left > 0.0);
        let uncropped = attributes(json!({ "crop": {} }));
        is_cropped.then(|| change_shape(image, &ShownImage::default(), &uncropped).expect("a picture"))
    });
    let whole = whole.next().expect("a cropped picture");
    assert_eq!((image_type(&whole.bytes), whole.is_shape), (Some("image/png"), false));
}

#[test]
fn made_shapes_are_written_and_read_again() {
    let given =
        json!({ "preset": "star5", "text": "new", "fill": "#00aa55", "outline": null, "rotation": 45.0 });
    let star = made((120.0, 120.0), given);
    let note = changed(&made((160.0, 80.0), json!({})), json!({ "text": "a note\nمرحبا" }));
    let arrow = made((100.0, 40.0), json!({ "preset": "line", "startArrow": true, "flipVertical": true }));
    let plain = ShapeImage {
        bytes: PIXELS.to_vec(),
        is_shape: false,
        size: (80.0, 40.0),
        moved: (0.0, 0.0),
        alt_text: None,
    };
    let picture = changed(&plain, json!({ "crop": { "left": 0.5 }, "rotation": 180 }));
    let level = made((100.0, 0.0), json!({ "preset": "straightConnector1" }));
    let file = written_xlsx(&workbook(&[&star, &note, &arrow, &picture, &level]));
    let drawing = part(&file, DRAWING);
    for piece in [
        "<a:xfrm rot=\"2700000\"><a:off",
        "<a:ext cx=\"1143000\" cy=\"1143000\"/></a:xfrm><a:prstGeom prst=\"star5\"><a:avLst/></a:prstGeom>\
         <a:solidFill><a:srgbClr val=\"00AA55\"/></a:solidFill><a:ln w=\"9525\"><a:noFill/></a:ln></xdr:spPr>",
        "<xdr:cNvSpPr txBox=\"1\"/>",
        "<a:p><a:pPr algn=\"r\" rtl=\"1\"/><a:r><a:rPr sz=\"1100\"><a:solidFill><a:srgbClr val=\"000000\"/>\
         </a:solidFill><a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:rPr>\
         <a:t>مرحبا</a:t></a:r></a:p>",
        "<a:xfrm flipV=\"1\">",
        "<a:headEnd type=\"triangle\"/></a:ln></xdr:spPr></xdr:cxnSp>",
        // A level line begins and ends in the same row.
        "<xdr:row>41</xdr:row><xdr:rowOff>47625</xdr:rowOff></xdr:from><xdr:to><xdr:col>2</xdr:col>\
         <xdr:colOff>390525</xdr:colOff><xdr:row>41</xdr:row><xdr:rowOff>47625</xdr:rowOff></xdr:to>",
        "<a:ext cx=\"952500\" cy=\"0\"/>",
        "<a:srcRect l=\"50000\"/><a:stretch>",
        "<a:xfrm rot=\"10800000\">",
    ] {
        assert!(drawing.contains(piece), "{piece} is missing: {drawing}");
    }
    assert!(!drawing.contains("descr="), "{drawing}");
    assert!(parts(&file).contains_key("xl/media/shape1.png"));
    let again = read_xlsx(&file);
    assert_eq!(again.warnings, Vec::<String>::new());
    let expected = [
        "B2+0,0 170×170 new",
        "B12+0,0 160×80 a note / مرحبا",
        "B22+0,0 110×50 ",
        "B32+0,0 40×40 ",
        "B42+0,0 110×10 ",
    ];
    assert_eq!(places(&again.workbook), expected);
    let images = drawn(&again);
    assert_eq!(images["new"].split("</metadata>").nth(1), text(&star).split("</metadata>").nth(1));
    let losses = |image: &ShapeImage| {
        let Imported { workbook, images, .. } = workbook(&[image]);
        losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &images).len()
    };
    let webp = ShapeImage { bytes: b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), ..plain };
    assert_eq!((losses(&picture), losses(&changed(&webp, json!({ "rotation": 9 })))), (0, 1));
    let ods = write_with_images(&again.workbook, FileFormat::Ods, &WriteOptions::default(), &again.images);
    let content = part(&ods.expect("written"), "content.xml");
    for piece in [">a note</text:span>", "draw:fill-color=\"#00aa55\"", "fo:clip="] {
        assert!(content.contains(piece), "{piece} is missing: {content}");
    }
}

#[test]
fn what_cannot_be_changed_says_why() {
    let problem = |bytes: &[u8], json: Json| {
        change_shape(bytes, &ShownImage::default(), &attributes(json)).expect_err("not possible")
    };
    let bad = |message: &str| ShapeError::BadValue(message.to_owned());
    let shape = made((100.0, 50.0), json!({ "preset": "rect" })).bytes;
    let line = made((100.0, 50.0), json!({ "preset": "line" })).bytes;
    assert_eq!(problem(&shape, json!({ "crop": {} })), bad("a shape has no crop"));
    assert_eq!(problem(&line, json!({ "text": "a" })), bad("a line has no text"));
    let message = "a line does not become another shape, nor a shape a line";
    assert_eq!(problem(&line, json!({ "preset": "rect" })), bad(message));
    assert_eq!(problem(PIXELS, json!({ "crop": {} })), bad("width and height of the image are needed"));
    assert_eq!(problem(b"text", json!({ "fill": null })), ShapeError::NotAnImage);
    assert_eq!(problem(&imported("Warehouse").bytes, json!({ "fill": null })), ShapeError::NotEditable);
    assert_eq!(shape_attributes(&imported("Warehouse").bytes), Some((ObjectKind::Other, Default::default())));
    assert_eq!(shape_attributes(b"text"), None);
    let size = "width and height must be between 0 and 10000, and one of them at least 1: 0, 20000";
    assert_eq!(new_shape((0.0, 20_000.0), &attributes(json!({}))), Err(bad(size)));
    // An image of 4 MiB does not fit into a shape of at most 5 MiB, in which it is Base64.
    let mut large = PIXELS.to_vec();
    large.resize(4 << 20, 0);
    let shown = ShownImage { size: Some((100.0, 50.0)), alt_text: None };
    let turned = attributes(json!({ "rotation": 90 }));
    assert_eq!(change_shape(&large, &shown, &turned), Err(ShapeError::TooLarge));
}
