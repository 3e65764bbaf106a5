//! Writes the form controls, ActiveX controls and embedded objects that came with an imported file (decision 0065).
//!
//! Each has an element of its sheet and a shape in VML, in the drawing that the sheet's notes have as well, and newer
//! files have a shape of the other drawing that stands for it. All three name it by the number of the shape.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Cursor, Read};

use quadrille_workbook::{Field, Item};
use zip::ZipArchive;

use super::added_parts::{AddedParts, RELATIONSHIPS};
use super::controls::absolute_reference;
use super::placeholders::{COMPATIBILITY, value_of};
use super::shape_media::Media;
use super::write_target::Target;
use crate::limits::SHAPE_BYTES_MAX;
use crate::shapes::{
    INPUT_RANGE, KeptControl, KeptLink, LINKED_CELL, PROPERTIES, UNITS_PER_PIXEL, XmlElement, XmlNode,
    control_properties_mut, is_embedded, link_kind,
};

const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";
const EXCEL_2010: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
const VML_TYPE: &str = "application/vnd.openxmlformats-officedocument.vmlDrawing";
/// The relationship to a drawing in VML of a sheet without notes.
const VML_LINK: &str = "rIdOfControls";
/// Numbers of shapes in a block. Each drawing in VML has blocks of its own (`o:idmap`).
const BLOCK: u32 = 1_024;
const UNITS_PER_POINT: f64 = 12_700.0;

/// A control or an embedded object that is being written.
pub(super) struct WrittenControl {
    element: Option<XmlElement>,
    shape: XmlElement,
    shape_type: Option<XmlElement>,
    links: Vec<KeptLink>,
}

/// The text that describes an object, if a person has changed it; `None` within for one that was removed.
pub(super) type NewDescription = Option<Option<String>>;

impl WrittenControl {
    /// The control of an item, with the cells to which it refers now. It has a macro only if the file has macros.
    pub fn new(
        mut kept: KeptControl,
        item: &Item,
        items: &Target,
        description: &NewDescription,
        has_macros: bool,
    ) -> Option<WrittenControl> {
        let (mut element, mut shape) = (kept.element(), kept.shape()?);
        let reference = |field: Field| {
            // Of cells that were deleted nothing remains.
            absolute_reference(&items.formula(item, field)?)
        };
        for (of, field) in [(LINKED_CELL, Field::Formula1), (INPUT_RANGE, Field::Formula2)] {
            let text = reference(field);
            kept.change_properties(|properties| {
                of.set(element.as_mut(), &mut shape, properties, text.as_deref());
            });
        }
        if !has_macros {
            kept.change_properties(|properties| {
                if let Some(properties) = properties {
                    properties.remove("fmlaMacro");
                }
            });
            if let Some(data) = shape.child_mut("ClientData") {
                data.remove_children("FmlaMacro");
            }
        }
        if let Some(properties) = element.as_mut().and_then(control_properties_mut) {
            if !has_macros {
                properties.remove("macro");
            }
            set_description(properties, "altText", description);
        }
        set_description(&mut shape, "alt", description);
        let shape_type = kept.shape_type.as_ref().and_then(|xml| XmlElement::parse(xml, SHAPE_BYTES_MAX));
        Some(WrittenControl { element, shape, shape_type, links: kept.links })
    }
}

fn set_description(element: &mut XmlElement, name: &str, description: &NewDescription) {
    match description {
        Some(Some(text)) => element.set(name, text),
        Some(None) => element.remove(name),
        None => {}
    }
}

/// Where a control is, as `rust_xlsxwriter` has written it.
#[derive(Clone)]
pub(super) struct Place {
    /// The contents of the elements `from` and `to`.
    corners: [String; 2],
    /// The distance from the corner of the sheet, and the size, in EMU.
    position: (f64, f64),
    size: (f64, f64),
}

impl Place {
    /// The places of the objects with a name in a drawing.
    pub fn all_of(drawing: &str) -> BTreeMap<String, Place> {
        let anchors = drawing.split("<xdr:twoCellAnchor").skip(1);
        anchors
            .filter_map(|anchor| Some((value_of(anchor, "descr")?.to_owned(), Place::of(anchor)?)))
            .collect()
    }

    fn of(anchor: &str) -> Option<Place> {
        let between = |start: &str, end: &str| {
            let (_, rest) = anchor.split_once(start)?;
            Some(rest.split_once(end)?.0.to_owned())
        };
        let pair = |start: &str, names: [&str; 2]| {
            let element = between(start, ">")?;
            let number = |name: &str| value_of(&element, name)?.parse::<f64>().ok();
            Some((number(names[0])?, number(names[1])?))
        };
        let corners = [between("<xdr:from>", "</xdr:from>")?, between("<xdr:to>", "</xdr:to>")?];
        Some(Place { corners, position: pair("<a:off", ["x", "y"])?, size: pair("<a:ext", ["cx", "cy"])? })
    }

    /// Column, offset in pixels, row and offset in pixels of both corners, as VML has them.
    fn vml_anchor(&self) -> String {
        let numbers = self.corners.iter().flat_map(|corner| {
            let number = |name: &str| {
                let (_, rest) = corner.split_once(&format!("<xdr:{name}>")).unwrap_or_default();
                rest.split('<').next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0)
            };
            let pixels = |name: &str| (number(name) / UNITS_PER_PIXEL).round();
            [number("col"), pixels("colOff"), number("row"), pixels("rowOff")]
        });
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The style of a shape in VML with this position and size.
    fn vml_style(&self, style: &str) -> String {
        let replaced = ["margin-left", "margin-top", "width", "height", "left", "top"];
        let rules = style.split(';').map(str::trim).filter(|rule| {
            let name = rule.split(':').next().unwrap_or_default().trim();
            !name.is_empty() && !replaced.contains(&name)
        });
        let points = |units: f64| (units / UNITS_PER_POINT * 100.0).round() / 100.0;
        let mut new: Vec<String> = rules.map(str::to_owned).collect();
        let [(left, top), (width, height)] = [self.position, self.size];
        for (name, units) in
            [("margin-left", left), ("margin-top", top), ("width", width), ("height", height)]
        {
            new.push(format!("{name}:{}pt", points(units)));
        }
        new.join(";")
    }
}

/// The controls and embedded objects of a file.
pub(super) struct ControlWriter {
    sheets: BTreeMap<usize, SheetControls>,
    /// The next block of numbers that no drawing has.
    block: u32,
    /// Controls and objects so far.
    count: usize,
}

/// Those of a sheet.
#[derive(Default)]
struct SheetControls {
    /// Elements `oleObject`, and `control`; these also as Excel 2007 reads them.
    objects: String,
    controls: String,
    older_controls: String,
    has_form_controls: bool,
    /// Types of shapes by their identities, and shapes.
    shape_types: BTreeMap<String, String>,
    shapes: String,
    identities: BTreeSet<String>,
    names: BTreeSet<String>,
    /// Its blocks of numbers, and how many numbers of the last one are in use.
    blocks: Vec<u32>,
    numbers: u32,
    /// Images of the shapes: ids and targets.
    images: Vec<(String, String, String)>,
}

impl ControlWriter {
    /// A writer for the controls of a file that `rust_xlsxwriter` has written.
    pub fn new(file: &[u8]) -> ControlWriter {
        let mut block = 1;
        if let Ok(mut archive) = ZipArchive::new(Cursor::new(file)) {
            let names: Vec<String> = archive.file_names().flatten().map(|name| name.into_owned()).collect();
            for name in names.iter().filter(|name| name.starts_with("xl/drawings/vmlDrawing")) {
                let text = text_of(&mut archive, name).unwrap_or_default();
                let blocks = text.split_once("<o:idmap").and_then(|(_, rest)| value_of(rest, "data"));
                let blocks = blocks
                    .unwrap_or_default()
                    .split(',')
                    .filter_map(|block| block.trim().parse::<u32>().ok());
                block = blocks.map(|used| used + 1).fold(block, u32::max);
            }
        }
        ControlWriter { sheets: BTreeMap::new(), block, count: 0 }
    }

    /// Adds a control with its parts, and returns its number.
    pub fn add(
        &mut self,
        sheet: usize,
        control: WrittenControl,
        place: &Place,
        media: &mut Media,
        added: &mut AddedParts,
    ) -> u32 {
        let WrittenControl { element, mut shape, shape_type, links } = control;
        self.count += 1;
        let count = self.count;
        let of_sheet = self.sheets.entry(sheet).or_default();
        let number = of_sheet.next_number(&mut self.block);
        let sheet_part = added.sheet_part(sheet);
        let mut ids = BTreeMap::new();
        let is_form_control = links.iter().any(|link| link_kind(link) == PROPERTIES);
        for (index, link) in links.into_iter().enumerate() {
            let id = format!("rIdOfControl{count}n{index}");
            ids.insert(link.id.clone(), id.clone());
            let is_of_sheet = element.as_ref().is_some_and(|element| has_id(element, &link.id));
            let is_of_shape = has_id(&shape, &link.id);
            let kind = link.kind.clone();
            let Some(target) = write_link(link, count, media, added) else { continue };
            if is_of_sheet {
                added.link(&sheet_part, &id, &kind, &target);
            }
            if is_of_shape {
                of_sheet.images.push((id, kind, target));
            }
        }
        rename(&mut shape, &ids);
        if let Some(mut element) = element {
            rename(&mut element, &ids);
            element.set("shapeId", number);
            // Macros know controls by their names, and a copy has the same.
            let name = element.attribute("name").map(str::to_owned);
            if let Some(name) = name.filter(|name| !of_sheet.names.insert(name.to_lowercase())) {
                element.set("name", format!("{name}_{number}"));
            }
            of_sheet.push_element(element, place, is_form_control);
        }
        of_sheet.push_shape(shape, shape_type, place, number);
        number
    }

    /// Adds the elements to the sheets, and the shapes to their drawings in VML.
    pub fn finish(self, file: &[u8], added: &mut AddedParts) {
        let Ok(mut archive) = ZipArchive::new(Cursor::new(file)) else { return };
        for (sheet, controls) in self.sheets {
            let sheet_part = added.sheet_part(sheet);
            let own = vml_part(&mut archive, &sheet_part);
            let part =
                own.clone().unwrap_or_else(|| format!("xl/drawings/vmlDrawingOfControls{}.vml", sheet + 1));
            for (id, kind, target) in &controls.images {
                added.link(&part, id, kind, target);
            }
            let elements = controls.elements();
            match own {
                Some(part) => added.change(part, move |text| controls.added_to(text)),
                None => {
                    let link = format!("{RELATIONSHIPS}/vmlDrawing");
                    added.link(
                        &sheet_part,
                        VML_LINK,
                        &link,
                        &format!("../{}", part.trim_start_matches("xl/")),
                    );
                    added.add(&part, VML_TYPE, controls.added_to(&empty_vml()));
                }
            }
            added.change(sheet_part, move |text| with_elements(text, &elements));
        }
    }
}

/// Adds what a relationship leads to, and returns where it is.
fn write_link(link: KeptLink, count: usize, media: &mut Media, added: &mut AddedParts) -> Option<String> {
    let name = match (is_embedded(&link), link.image, link.part) {
        (true, Some((content_type, bytes)), _) => {
            let name = format!("xl/embeddings/object{count}.{}", link.target);
            added.add_bytes(&name, &content_type, bytes);
            name
        }
        (false, Some(image), _) => return Some(media.target(image, added)),
        (_, None, Some(part)) => {
            let is_form_control = link.kind.ends_with(PROPERTIES);
            let (name, content_type) = match is_form_control {
                true => {
                    (format!("ctrlProps/ctrlProp{count}"), "application/vnd.ms-excel.controlproperties+xml")
                }
                false => (format!("activeX/activeX{count}"), "application/vnd.ms-office.activeX+xml"),
            };
            for (index, link) in part.links.into_iter().enumerate() {
                let Some((content_type, bytes)) = link.image else { continue };
                let target = format!("activeX{count}n{index}.{}", link.target);
                added.add_bytes(&format!("xl/activeX/{target}"), &content_type, bytes);
                added.link(&format!("xl/{name}.xml"), &link.id, &link.kind, &target);
            }
            added.add(&format!("xl/{name}.xml"), content_type, part.xml);
            format!("xl/{name}.xml")
        }
        (_, None, None) => return None,
    };
    Some(format!("../{}", name.trim_start_matches("xl/")))
}

/// Whether an element refers to a relationship.
fn has_id(element: &XmlElement, id: &str) -> bool {
    let mut has = false;
    element.visit(&mut |part| {
        has |= ["r:id", "o:relid"].iter().any(|name| part.attribute(name) == Some(id));
    });
    has
}

/// Gives the relationships in an element their new ids.
fn rename(element: &mut XmlElement, ids: &BTreeMap<String, String>) {
    element.change(&mut |part| {
        for name in ["r:id", "o:relid"] {
            if let Some(new) = part.attribute(name).and_then(|id| ids.get(id)) {
                part.set(name, new);
            }
        }
    });
}

impl SheetControls {
    fn next_number(&mut self, block: &mut u32) -> u32 {
        if self.blocks.is_empty() || self.numbers + 1 == BLOCK {
            self.blocks.push(*block);
            *block += 1;
            self.numbers = 0;
        }
        self.numbers += 1;
        self.blocks.last().map_or(0, |block| block * BLOCK) + self.numbers
    }

    fn push_element(&mut self, mut element: XmlElement, place: &Place, is_form_control: bool) {
        let mut older = element.clone();
        older.children.clear();
        let properties = control_properties_mut(&mut element).map(|properties| {
            if properties.child("anchor").is_none() {
                let anchor = XmlElement { name: "anchor".to_owned(), ..XmlElement::default() };
                properties.children.insert(0, XmlNode::Element(anchor));
            }
            if let Some(anchor) = properties.child_mut("anchor") {
                anchor.children.clear();
                for (name, corner) in ["from", "to"].iter().zip(&place.corners) {
                    let corner = XmlElement::parse(&format!("<{name}>{corner}</{name}>"), 10_000);
                    anchor.children.extend(corner.map(XmlNode::Element));
                }
            }
        });
        let [mut xml, mut older_xml] = [String::new(), String::new()];
        element.write(&mut xml);
        older.write(&mut older_xml);
        let is_object = element.local_name() == "oleObject";
        let fallback = match is_form_control {
            true => String::new(),
            false => format!("<mc:Fallback>{older_xml}</mc:Fallback>"),
        };
        let written = match properties {
            Some(()) => alternative(&xml, &fallback),
            None => xml,
        };
        if is_object {
            self.objects.push_str(&written);
            return;
        }
        self.controls.push_str(&written);
        self.has_form_controls |= is_form_control;
        if !is_form_control {
            self.older_controls.push_str(&older_xml);
        }
    }

    fn push_shape(
        &mut self,
        mut shape: XmlElement,
        shape_type: Option<XmlElement>,
        place: &Place,
        number: u32,
    ) {
        let identity = format!("_x0000_s{number}");
        // A control that has a name has it as its `id`.
        let name = shape.attribute("id").filter(|id| !id.starts_with("_x0000_s")).map(str::to_owned);
        match name.filter(|name| self.identities.insert(name.clone())) {
            Some(_) => shape.set("o:spid", &identity),
            None => {
                shape.remove("o:spid");
                shape.set("id", &identity);
            }
        }
        let style = place.vml_style(shape.attribute("style").unwrap_or_default());
        shape.set("style", style);
        if let Some(data) = shape.child_mut("ClientData") {
            match data.child_mut("Anchor") {
                Some(anchor) => anchor.set_text(&place.vml_anchor()),
                None => {
                    let mut anchor = XmlElement { name: "x:Anchor".to_owned(), ..XmlElement::default() };
                    anchor.set_text(&place.vml_anchor());
                    data.children.insert(0, XmlNode::Element(anchor));
                }
            }
        }
        shape.write(&mut self.shapes);
        if let Some(shape_type) = shape_type
            && let Some(id) = shape_type.attribute("id").map(str::to_owned)
        {
            self.shape_types.entry(id).or_insert_with(|| {
                let mut xml = String::new();
                shape_type.write(&mut xml);
                xml
            });
        }
    }

    /// The elements of the sheet: objects come before controls.
    fn elements(&self) -> String {
        let mut elements = String::new();
        if !self.objects.is_empty() {
            let _infallible = write!(elements, "<oleObjects>{}</oleObjects>", self.objects);
        }
        if !self.controls.is_empty() {
            let controls = format!("<controls>{}</controls>", self.controls);
            let fallback = match self.older_controls.is_empty() {
                true => String::new(),
                false => format!("<mc:Fallback><controls>{}</controls></mc:Fallback>", self.older_controls),
            };
            elements.push_str(&match self.has_form_controls {
                true => alternative(&controls, &fallback),
                false => controls,
            });
        }
        elements
    }

    /// A drawing in VML with the shapes.
    fn added_to(&self, drawing: &str) -> String {
        let mut text = drawing.to_owned();
        let map = text.find("<o:idmap").and_then(|start| {
            let data = text[start..].find("data=\"")? + start + "data=\"".len();
            Some(data + text[data..].find('"')?)
        });
        if let Some(end) = map {
            let is_empty = text[..end].ends_with("data=\"");
            let blocks: Vec<String> = self.blocks.iter().map(u32::to_string).collect();
            let separator = if is_empty { "" } else { "," };
            text.insert_str(end, &format!("{separator}{}", blocks.join(",")));
        }
        let types = self.shape_types.iter().filter(|(id, _)| !drawing.contains(&format!("id=\"{id}\"")));
        let types: String = types.map(|(_, xml)| xml.as_str()).collect();
        match text.rfind("</xml>") {
            Some(end) => text.insert_str(end, &format!("{types}{}", self.shapes)),
            None => debug_assert!(false, "a drawing in VML has a root"),
        }
        text
    }
}

/// An element for programs that know the namespace of Excel 2010.
fn alternative(xml: &str, fallback: &str) -> String {
    format!(
        "<mc:AlternateContent xmlns:mc=\"{COMPATIBILITY}\"><mc:Choice xmlns:x14=\"{EXCEL_2010}\" \
         xmlns:xdr=\"{DRAWING}\" Requires=\"x14\">{xml}</mc:Choice>{fallback}</mc:AlternateContent>"
    )
}

fn empty_vml() -> String {
    "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" \
     xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><o:shapelayout v:ext=\"edit\">\
     <o:idmap v:ext=\"edit\" data=\"\"/></o:shapelayout></xml>"
        .to_owned()
}

/// The sheet with elements after those of its drawings (ECMA-376 part 1, 18.3.1.99).
fn with_elements(sheet: &str, elements: &str) -> String {
    let end_of = |name: &str| {
        let start = sheet.find(&format!("<{name} "))?;
        Some(start + sheet[start..].find("/>")? + "/>".len())
    };
    let (end, drawing) = match (end_of("legacyDrawing"), end_of("drawing")) {
        (Some(end), _) => (end, String::new()),
        (None, Some(end)) => (end, format!("<legacyDrawing r:id=\"{VML_LINK}\"/>")),
        (None, None) => return sheet.to_owned(),
    };
    format!("{}{drawing}{elements}{}", &sheet[..end], &sheet[end..])
}

type Archive<'f> = ZipArchive<Cursor<&'f [u8]>>;

fn text_of(archive: &mut Archive, name: &str) -> Option<String> {
    let mut text = String::new();
    archive.by_name(name).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

/// The drawing in VML with the notes of a sheet.
fn vml_part(archive: &mut Archive, sheet_part: &str) -> Option<String> {
    let (folder, name) = sheet_part.rsplit_once('/').unwrap_or(("", sheet_part));
    let links = text_of(archive, &format!("{folder}/_rels/{name}.rels"))?;
    let mut targets = links.split("<Relationship ").filter_map(|link| {
        let target = value_of(&format!(" {link}"), "Target")?.to_owned();
        target.strip_prefix("../drawings/vmlDrawing").map(|name| format!("xl/drawings/vmlDrawing{name}"))
    });
    targets.next()
}
