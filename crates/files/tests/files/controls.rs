//! Form controls and ActiveX controls of `.xlsx` files: they become images, and come back with their parts and
//! with references to the same cells.
//!
//! `fixtures/form-controls.xlsx` was made by hand after the parts that Excel writes: all kinds of form controls, an
//! ActiveX control, an embedded document and a note. `list-box.xlsx` is `issue_208.xlsx` of the tests of
//! umya-spreadsheet (MIT License), written by Excel; `active-x.xlsx` is `45540_form_Header.xlsx` of the tests of
//! Apache POI (Apache License 2.0), written by Excel 2007, with a smaller image. `button-xlsxwriter.xlsm` was
//! written by XlsxWriter 3.3, `form-controls-libreoffice.xlsx` by LibreOffice 7.4.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, Range};
use quadrille_files::{FileFormat, Imported, LossKind, WriteOptions, losses};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Workbook};

use crate::notation::{command, items, with_changed_part};
use crate::packages::{part, parts, values_of, written_xlsx};
use crate::shape_images::{drawn, places, read_xlsx};

const FILE: &[u8] = include_bytes!("../fixtures/form-controls.xlsx");
const LIST_BOX: &[u8] = include_bytes!("../fixtures/list-box.xlsx");
const ACTIVE_X: &[u8] = include_bytes!("../fixtures/active-x.xlsx");
const BUTTON: &[u8] = include_bytes!("../fixtures/button-xlsxwriter.xlsm");
const LIBREOFFICE: &[u8] = include_bytes!("../fixtures/form-controls-libreoffice.xlsx");

const SHEET: &str = "xl/worksheets/sheet1.xml";
const DRAWING: &str = "xl/drawings/drawing1.xml";
const VML: &str = "xl/drawings/vmlDrawing1.vml";

/// Description, linked cell and input range of each control that has one of them.
fn references(workbook: &Workbook) -> Vec<String> {
    let mut references = Vec::new();
    for item in items(workbook, &["image"]) {
        let fields: serde_json::Value =
            serde_json::from_str(&item[item.find('{').expect("fields")..]).expect("JSON");
        let field = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        let own = format!("{} {}", field("formula1"), field("formula2"));
        if own != " " {
            references.push(format!("{}: {}", field("altText"), own.trim()));
        }
    }
    references.sort();
    references
}

#[test]
fn controls_are_images_with_their_position_size_and_text() {
    let imported = read_xlsx(FILE);
    assert_eq!(imported.warnings, Vec::<String>::new());
    let expected = [
        "B2+10,0 128×24 Gift wrap & ribbon",
        "B4+10,0 128×24 Express",
        "B6+10,0 128×70 List Box 3",
        "B10+10,0 128×22 Chooses a fruit",
        "E2+10,0 20×45 Spinner 5",
        "E6+10,0 168×20 Scroll Bar 6",
        "F2+10,0 104×26 Send order",
        "H2+10,0 118×100 Delivery",
        "H8+10,0 118×20 Only this year",
        "B12+10,0 128×26 CheckBox1",
        "H10+10,0 118×80 The letter to Ada",
    ];
    assert_eq!(places(&imported.workbook), expected);
}

#[test]
fn images_of_controls_show_their_state() {
    let images = drawn(&read_xlsx(FILE));
    for (name, pieces) in [
        ("Gift wrap & ribbon", &["M3 6.5L5.5 9L10 3.5", ">Gift wrap &amp; ribbon</span>", "'Segoe UI'"][..]),
        ("Express", &["<circle", ">Express</span>"][..]),
        // The choices are in the file; those of the list box are cells of the next sheet.
        ("Chooses a fruit", &[">Pears</span>"][..]),
        ("List Box 3", &[">Apples</div>", "color:#fff\">Pears</div>", ">Plums</div>"][..]),
        ("Scroll Bar 6", &["flex:301\"", "flex:701\""][..]),
        ("Delivery", &["<fieldset", ">Delivery</legend>"][..]),
        ("CheckBox1", &["<rect x=\".5\""][..]),
        // A browser shows the preview of the embedded document.
        ("The letter to Ada", &["data:image/png;base64,", "<use href=\"#i"][..]),
    ] {
        let image = &images[name];
        for piece in pieces {
            assert!(image.contains(piece), "{piece} is missing: {image}");
        }
        assert!(!image.contains("<script"), "{image}");
    }
    assert!(!images["Express"].contains("r=\"3\""));
}

#[test]
fn linked_cells_and_input_ranges_are_formulas() {
    let expected = [
        "CheckBox1: =$A$13",
        "Chooses a fruit: =$A$10",
        "Express: ='Key data'!$B$1",
        "Gift wrap & ribbon: =$A$2",
        "List Box 3: =$A$6 ='Key data'!$A$1:$A$3",
        "Scroll Bar 6: ='Key data'!$B$3",
        "Spinner 5: =Amount",
    ];
    assert_eq!(references(&read_xlsx(FILE).workbook), expected);
}

/// The contents of a part without what comes from its own ids and positions.
fn client_data(vml: &str) -> BTreeSet<String> {
    let shapes = vml.split("<x:ClientData ").skip(1);
    let data = shapes.map(|shape| shape.split("</x:ClientData>").next().expect("data").to_owned());
    let data = data.filter(|data| {
        ["Note", "Button"].iter().all(|kind| !data.starts_with(&format!("ObjectType=\"{kind}\"")))
    });
    let words = data.map(|data| data.split_whitespace().collect::<Vec<_>>().join(" "));
    words.map(|data| data.replace("> ", ">").replace("&apos;", "'")).collect()
}

#[test]
fn controls_come_back_as_they_were() {
    let imported = read_xlsx(FILE);
    let file = written_xlsx(&imported);
    let (before, after) = (parts(FILE), parts(&file));
    assert_eq!(client_data(&after[VML]), client_data(&before[VML]));
    let properties = |parts: &BTreeMap<String, String>| -> BTreeSet<String> {
        let own = parts.iter().filter(|(name, _)| name.starts_with("xl/ctrlProps/"));
        own.map(|(_, xml)| xml[xml.find("<formControlPr").expect("properties")..].replace("&apos;", "'"))
            .collect()
    };
    assert_eq!(properties(&after), properties(&before));
    // The parts of the ActiveX control and the document.
    assert_eq!(after["xl/activeX/activeX10n0.bin"], before["xl/activeX/activeX1.bin"]);
    assert_eq!(after["xl/embeddings/object11.docx"], before["xl/embeddings/Microsoft_Word_Document.docx"]);
    for kind in ["image/x-emf", "wordprocessingml.document", "ms-office.activeX", "vmlDrawing"] {
        assert!(after["[Content_Types].xml"].contains(kind), "{kind}");
    }
    // Twice is as once.
    let again = read_xlsx(&file);
    assert_eq!(again.warnings, Vec::<String>::new());
    assert_eq!(places(&again.workbook), places(&imported.workbook));
    assert_eq!(references(&again.workbook), references(&imported.workbook));
}

/// The numbers by which a sheet, its drawing and its drawing in VML name controls.
fn numbers(file: &[u8]) -> [Vec<String>; 3] {
    let parts = parts(file);
    let number = |identity: String| identity.trim_start_matches("_x0000_s").to_owned();
    let mut in_sheet = values_of(&parts[SHEET], "shapeId");
    let mut in_drawing: Vec<String> = values_of(&parts[DRAWING], "spid").into_iter().map(number).collect();
    let shapes = parts[VML].split("<v:shape ").skip(1).filter(|shape| !shape.contains("ObjectType=\"Note\""));
    let mut in_vml: Vec<String> = shapes
        .map(|shape| {
            let shape = format!(" {shape}");
            let spid = values_of(&shape, "o:spid").into_iter().next();
            number(spid.unwrap_or_else(|| values_of(&shape, "id")[0].clone()))
        })
        .collect();
    for numbers in [&mut in_sheet, &mut in_drawing, &mut in_vml] {
        numbers.sort();
        numbers.dedup();
    }
    [in_sheet, in_drawing, in_vml]
}

#[test]
fn a_sheet_and_its_drawings_name_controls_by_the_same_numbers() {
    let mut imported = read_xlsx(FILE);
    // Numbers are those of a workbook: another sheet with controls and notes has others.
    let sheet = imported.workbook.sheets()[0].id();
    command(
        &mut imported.workbook,
        &format!(r#"[{{"type":"duplicateSheet","sheet":{},"name":"Order 2"}}]"#, sheet.0),
    );
    let file = written_xlsx(&imported);
    let [in_sheet, in_drawing, in_vml] = numbers(&file);
    assert_eq!(in_sheet.len(), 11);
    assert_eq!((&in_drawing, &in_vml), (&in_sheet, &in_sheet));
    let parts = parts(&file);
    let drawings: Vec<&String> =
        parts.iter().filter(|(name, _)| name.ends_with(".vml")).map(|(_, text)| text).collect();
    assert_eq!(drawings.len(), 2);
    let mut blocks = BTreeSet::new();
    for drawing in drawings {
        let (_, map) = drawing.split_once("<o:idmap").expect("blocks of numbers");
        for block in values_of(map, "data")[0].split(',') {
            assert!(blocks.insert(block.to_owned()), "{block} is there twice");
        }
    }
    // One drawing in VML for notes and controls, and elements in the order of ECMA-376.
    let sheet = &parts[SHEET];
    let places = ["<drawing ", "<legacyDrawing ", "<oleObjects>", "<controls>", "</worksheet>"];
    let places = places.map(|element| sheet.find(element).expect(element));
    assert!(places.is_sorted(), "{sheet}");
    assert_eq!(sheet.matches("<legacyDrawing ").count(), 1);
    assert!(parts[VML].contains("ObjectType=\"Note\"") && parts[VML].contains("ObjectType=\"Checkbox\""));
    assert_eq!(parts[VML].matches("<v:shapetype id=\"_x0000_t201\"").count(), 1);
}

#[test]
fn controls_and_their_references_follow_the_cells() {
    let mut imported = read_xlsx(FILE);
    let [order, data] = [0, 1].map(|index| imported.workbook.sheets()[index].id().0);
    let commands = format!(
        r#"[{{"type":"insertRows","sheet":{order},"at":0,"count":1}},
            {{"type":"insertColumns","sheet":{data},"at":0,"count":2}},
            {{"type":"renameSheet","sheet":{data},"name":"It's data"}}]"#
    );
    command(&mut imported.workbook, &commands);
    assert_eq!(places(&imported.workbook)[0], "B3+10,0 128×24 Gift wrap & ribbon");
    let file = written_xlsx(&imported);
    let (sheet, vml, drawing) = (part(&file, SHEET), part(&file, VML), part(&file, DRAWING));
    // The check box begins in the third row everywhere.
    let row = |text: &str, name: &str| {
        let (_, rest) = text.split_once(name).expect(name);
        rest.split_once("<xdr:row>").expect("a row").1.split('<').next().expect("a number").to_owned()
    };
    assert_eq!(row(&sheet, "name=\"Check Box 1\""), "2");
    assert_eq!(row(drawing.split_once("<xdr:twoCellAnchor").expect("an object").1, "<xdr:from>"), "2");
    assert!(vml.contains("<x:Anchor>1, 10, 2, 0, 3, 10, 3, 4</x:Anchor>"), "{vml}");
    assert!(vml.contains("<x:FmlaLink>$A$3</x:FmlaLink>") && !vml.contains(">$A$2<"), "{vml}");
    let parts = parts(&file);
    let all: String =
        parts.iter().filter(|(name, _)| name.contains("ctrlProp")).map(|(_, xml)| xml.as_str()).collect();
    let links: BTreeSet<String> = values_of(&all, "fmlaLink").into_iter().collect();
    let expected = [
        "$A$11",
        "$A$3",
        "$A$7",
        "&apos;It&apos;&apos;s data&apos;!$D$1",
        "&apos;It&apos;&apos;s data&apos;!$D$3",
        "Amount",
    ];
    assert_eq!(links.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(values_of(&all, "fmlaRange"), ["&apos;It&apos;&apos;s data&apos;!$C$1:$C$3"]);
    assert_eq!(values_of(&sheet, "linkedCell"), ["$A$14"]);
}

#[test]
fn a_control_whose_cell_was_deleted_has_no_reference() {
    let mut imported = read_xlsx(FILE);
    let [order, data] = [0, 1].map(|index| imported.workbook.sheets()[index].id().0);
    let commands = format!(
        r#"[{{"type":"deleteRows","sheet":{order},"at":12,"count":1}},{{"type":"removeSheet","sheet":{data}}}]"#
    );
    command(&mut imported.workbook, &commands);
    let file = written_xlsx(&imported);
    let all: String = parts(&file)
        .into_iter()
        .filter(|(name, _)| !name.contains("docProps"))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(values_of(&all, "linkedCell"), Vec::<String>::new());
    assert_eq!(values_of(&all, "fmlaRange"), Vec::<String>::new());
    assert_eq!(values_of(&all, "fmlaLink").len(), 4);
    assert!(!part(&file, VML).contains("Key data") && !part(&file, VML).contains("#REF!"));
}

fn change(imported: &mut Imported, description: &str, change: impl Fn(&mut Item)) {
    let sheet = imported.workbook.sheets()[0].id();
    let found = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image).find_map(|(id, item)| {
        let is_it = item.text(Field::AltText).is_some_and(|text| &**text == description);
        is_it.then(|| (id, Item::clone(item)))
    });
    let (id, mut item) = found.expect("a control");
    change(&mut item);
    imported.workbook.set_item(Some(sheet), id, Some(item));
}

#[test]
fn a_control_that_was_moved_resized_and_described_is_written_so() {
    let mut imported = read_xlsx(FILE);
    change(&mut imported, "Gift wrap & ribbon", |item| {
        item.anchors = vec![Range::cell(CellAddress::parse_a1("C30").expect("a cell"))];
        item.fields.insert(Field::Width, FieldValue::Number(256.0));
        item.fields.insert(Field::AltText, FieldValue::Text("Wrapped?".into()));
    });
    let file = written_xlsx(&imported);
    let (sheet, vml, drawing) = (part(&file, SHEET), part(&file, VML), part(&file, DRAWING));
    assert!(vml.contains("<x:Anchor>2, 10, 29, 0, 6, 10, 30, 4</x:Anchor>"), "{vml}");
    assert!(vml.contains("margin-left:103.5pt;margin-top:435pt;width:192pt;height:18pt"), "{vml}");
    let mut texts = values_of(&sheet, "altText");
    texts.sort();
    assert_eq!(texts, ["Chooses a fruit", "The letter to Ada", "Wrapped?"]);
    assert!(drawing.contains("descr=\"Wrapped?\"") && vml.contains("alt=\"Wrapped?\""));
}

#[test]
fn copies_of_a_control_have_names_of_their_own() {
    let mut imported = read_xlsx(FILE);
    let sheet = imported.workbook.sheets()[0].id();
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let copies: Vec<Item> = items.map(|(_, item)| Item::clone(item)).collect();
    for (index, copy) in copies.into_iter().enumerate() {
        imported.workbook.set_item(Some(sheet), ItemId(1_000 + index as u64), Some(copy));
    }
    let file = written_xlsx(&imported);
    let [in_sheet, in_drawing, in_vml] = numbers(&file);
    assert_eq!((in_sheet.len(), &in_drawing, &in_vml), (22, &in_sheet, &in_sheet));
    let elements = part(&file, SHEET);
    let boxes: Vec<String> =
        values_of(&elements, "name").into_iter().filter(|name| name.starts_with("Check Box 1")).collect();
    assert_eq!(boxes, ["Check Box 1", "Check Box 1_2060"]);
}

#[test]
fn macros_of_controls_are_kept_with_the_macros_of_the_file() {
    // A button of XlsxWriter is in the drawing in VML only.
    let imported = read_xlsx(BUTTON);
    assert_eq!(places(&imported.workbook), ["C3+0,0 128×30 Sends the order"]);
    assert!(drawn(&imported)["Sends the order"].contains(">Send &amp; print</span>"));
    let file = written_xlsx(&imported);
    assert!(part(&file, VML).contains("<x:FmlaMacro>[0]!send_order</x:FmlaMacro>"));
    assert!(!part(&file, SHEET).contains("<control"));
    assert_eq!(places(&read_xlsx(&file).workbook), places(&imported.workbook));
    // This file has none.
    let all: String = parts(&written_xlsx(&read_xlsx(FILE))).into_values().collect();
    assert!(!all.contains("SendOrder"));
}

#[test]
fn controls_of_excel_and_libreoffice_come_back() {
    let imported = read_xlsx(LIST_BOX);
    assert_eq!(imported.warnings, Vec::<String>::new());
    assert_eq!(references(&imported.workbook), ["List Box 1: =$A$2:$A$6"]);
    let file = written_xlsx(&imported);
    assert_eq!(
        client_data(&part(&file, "xl/drawings/vmlDrawingOfControls1.vml")),
        client_data(&part(LIST_BOX, VML))
    );

    // Forty check boxes with their properties as XML; 27 of them are in groups.
    let imported = read_xlsx(ACTIVE_X);
    assert_eq!(imported.warnings, ["left out: form controls"]);
    let file = written_xlsx(&imported);
    assert_eq!(part(&file, SHEET).matches("<control ").count(), 13);
    let again = read_xlsx(&file);
    // With an image that is no control.
    let images = |imported: &Imported| items(&imported.workbook, &["image"]).len();
    assert_eq!((again.warnings.len(), images(&again)), (0, images(&imported)));

    // LibreOffice writes check boxes and buttons, without the numbers of their shapes.
    let imported = read_xlsx(LIBREOFFICE);
    assert_eq!(references(&imported.workbook), ["Gift wrap: =Order!$A$2"]);
    let file = written_xlsx(&imported);
    let [in_sheet, _, in_vml] = numbers(&file);
    assert_eq!((in_sheet.len(), &in_sheet), (2, &in_vml));
}

#[test]
fn damaged_controls_are_left_out_and_named() {
    let left_out = ["left out: form controls"];
    let damaged_vml = with_changed_part(FILE, VML, |text| text[..text.len() / 2].to_owned());
    let imported = read_xlsx(&damaged_vml);
    assert_eq!(imported.warnings, ["left out: form controls", "left out: embedded objects"]);
    assert_eq!(places(&imported.workbook), Vec::<String>::new());
    for (part, from, to) in [
        ("xl/worksheets/_rels/sheet1.xml.rels", "../ctrlProps/ctrlProp1.xml", "../ctrlProps/missing.xml"),
        ("xl/ctrlProps/ctrlProp1.xml", "/>", ">"),
        (VML, "\"_x0000_s1026\"", "\"_x0000_s1027\""),
        (SHEET, "r:id=\"rId4\"", ""),
    ] {
        let imported = read_xlsx(&with_changed_part(FILE, part, |text| text.replace(from, to)));
        assert_eq!(imported.warnings, left_out, "{part}: {to}");
        assert_eq!(places(&imported.workbook).len(), 10, "{part}: {to}");
        written_xlsx(&imported);
    }
    let grouped = with_changed_part(BUTTON, VML, |text| {
        let text = text.replacen("<v:shape ", "<v:group id=\"_x0000_s1030\"><v:shape ", 1);
        text.replacen("</v:shape>", "</v:shape></v:group>", 1)
    });
    assert_eq!(read_xlsx(&grouped).warnings, left_out);
    let other_file = with_changed_part(FILE, VML, |text| text.replace("$A$2<", "[1]Sheet1!$A$2<"));
    let other_file = with_changed_part(&other_file, "xl/ctrlProps/ctrlProp1.xml", |text| {
        text.replace("$A$2", "[1]Sheet1!$A$2")
    });
    let imported = read_xlsx(&other_file);
    assert_eq!(imported.warnings, ["left out: references of form controls"]);
    assert!(!part(&written_xlsx(&imported), VML).contains("Sheet1"));
}

#[test]
fn other_formats_name_the_controls_that_they_leave_out() {
    let imported = read_xlsx(FILE);
    let of = |format: FileFormat| {
        let losses = losses(&imported.workbook, format, &WriteOptions::default(), &imported.images);
        losses.iter().filter(|loss| loss.kind == LossKind::Images).map(|loss| loss.count).sum::<u64>()
    };
    assert_eq!((of(FileFormat::Xlsx), of(FileFormat::Ods), of(FileFormat::Html)), (0, 11, 11));
}
