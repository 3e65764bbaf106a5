//! Reads form controls, ActiveX controls and embedded objects: they become images that keep their XML and their
//! parts (decision 0065).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use quadrille_cell::Range;
use quadrille_workbook::Field;

use super::archive::{Archive, Part};
use super::read_package_parts::{content_types, type_of};
use super::references::absolute;
use super::shapes::{FoundShape, declare_namespaces, kept_links, media_type};
use super::vml::{self, VmlShape, VmlShapes};
use super::workbook_part::{Relationship, links_of};
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;
use crate::limits::{IMAGE_BYTES_MAX, SHAPE_BYTES_MAX, SHAPES_MAX};
use crate::read_shape::{ReadShape, add_control};
use crate::shapes::{
    ACTIVE_X, INPUT_RANGE, KeptControl, KeptLink, KeptPart, KeptShape, LINKED_CELL, OTHER_REFERENCES,
    PROPERTIES, Placement, UNITS_PER_PIXEL, XmlElement, XmlNode, client_data, control_properties,
    control_properties_mut, is_embedded, object_properties,
};

/// Types of objects in VML that are form controls without an element of the sheet.
const FORM_CONTROLS: [&str; 10] =
    ["Button", "Checkbox", "Drop", "Edit", "GBox", "Label", "List", "Radio", "Scroll", "Spin"];
/// Bytes of a reference to cells, at most: the names of a sheet and of a range are shorter.
const REFERENCE_LENGTH_MAX: usize = 1_000;
/// Begins the identity of a shape in VML.
const IDENTITY: &str = "_x0000_s";
/// The namespaces that every drawing in VML declares.
const NAMESPACES: [(&str, &str); 3] = [
    ("xmlns:v", "urn:schemas-microsoft-com:vml"),
    ("xmlns:o", "urn:schemas-microsoft-com:office:office"),
    ("xmlns:x", "urn:schemas-microsoft-com:office:excel"),
];

/// The elements `control` and `oleObject` of a sheet by the numbers of their shapes.
pub(super) struct SheetObjects {
    elements: BTreeMap<u32, XmlElement>,
    /// Bytes that further elements may need in memory.
    bytes_left: usize,
}

impl Default for SheetObjects {
    fn default() -> SheetObjects {
        SheetObjects { elements: BTreeMap::new(), bytes_left: SHAPE_BYTES_MAX }
    }
}

impl SheetObjects {
    /// Reads an element up to its end. The alternative for older programs comes second.
    pub fn read(
        &mut self,
        start: XmlElement,
        part: &mut Part,
        contents: &mut Contents,
    ) -> Result<(), FileError> {
        let what = what(Some(&start));
        let element = start.read(part, &mut self.bytes_left)?;
        match element.and_then(|element| Some((element.attribute("shapeId")?.parse().ok()?, element))) {
            Some((number, element)) if self.elements.len() < SHAPES_MAX => {
                self.elements.entry(number).or_insert_with(|| without_prefixes(&element));
            }
            _ => contents.warn(format!("left out: {what}")),
        }
        Ok(())
    }
}

/// What warnings call an element of the sheet; without one, it is a form control.
fn what(element: Option<&XmlElement>) -> &'static str {
    match element.map(XmlElement::local_name) {
        Some("oleObject" | "objectPr") => "embedded objects",
        _ => "form controls",
    }
}

/// A row, a column, and the offset across and down in EMU.
pub(super) type Corner = (u32, u32, (f64, f64));

/// A control or an embedded object of a sheet.
pub(super) struct FoundControl {
    element: Option<XmlElement>,
    shape: XmlElement,
    shape_type: Option<Rc<XmlElement>>,
    /// The drawing in VML, by its position in [`SheetControls::drawings`].
    drawing: usize,
}

/// A drawing in VML without its shapes.
struct VmlDrawing {
    namespaces: Vec<(String, String)>,
    links: Vec<Relationship>,
}

/// The shape of a drawing that stands for a control.
pub(super) struct DrawnControl<'l> {
    pub shape: FoundShape,
    /// The relationships of the drawing.
    pub links: &'l [Relationship],
    /// Whether it names the control.
    pub is_named: bool,
}

/// The controls and embedded objects of a sheet that have not become items.
#[derive(Default)]
pub(super) struct SheetControls {
    found: BTreeMap<u32, FoundControl>,
    drawings: Vec<VmlDrawing>,
    /// Content types by part and by ending.
    types: BTreeMap<String, String>,
}

impl SheetControls {
    /// The controls of a sheet with these relationships. Damaged drawings in VML are left out with a warning.
    pub fn read(
        archive: &mut Archive,
        objects: SheetObjects,
        links: &[Relationship],
        contents: &mut Contents,
    ) -> Result<SheetControls, FileError> {
        let mut controls = SheetControls::default();
        let mut elements = objects.elements;
        for link in links.iter().filter(|link| link.kind == "vmlDrawing" && !link.is_external) {
            let Some(bytes) = archive.bytes(&link.target, SHAPE_BYTES_MAX)? else { continue };
            let is_wanted = |shape: &XmlElement| {
                let kind = client_data(shape).and_then(|data| data.attribute("ObjectType"));
                kind.is_some_and(|kind| FORM_CONTROLS.contains(&kind))
                    || number(shape).is_some_and(|number| elements.contains_key(&number))
            };
            let Ok(read) = vml::shapes(&String::from_utf8_lossy(&bytes), is_wanted) else {
                contents.warn("left out: form controls".into());
                continue;
            };
            let VmlShapes { shapes, namespaces, is_complete } = read;
            if !is_complete {
                contents.warn("left out: form controls".into());
            }
            if shapes.is_empty() {
                continue;
            }
            let drawing = controls.drawings.len();
            controls.drawings.push(VmlDrawing { namespaces, links: links_of(archive, &link.target)? });
            let mut without_number = Vec::new();
            for VmlShape { shape, shape_type } in shapes {
                match number(&shape) {
                    Some(number) => {
                        let element = elements.remove(&number);
                        let found = FoundControl { element, shape, shape_type, drawing };
                        controls.add(number, found, contents);
                    }
                    None => without_number.push((shape, shape_type)),
                }
            }
            // LibreOffice before 7.5 writes no numbers, and both in the same order.
            for (shape, shape_type) in without_number {
                let is_control = |element: &&u32| elements[*element].local_name() == "control";
                let Some(number) = elements.keys().find(is_control).copied() else {
                    contents.warn("left out: form controls".into());
                    continue;
                };
                let element = elements.remove(&number);
                controls.add(number, FoundControl { element, shape, shape_type, drawing }, contents);
            }
        }
        for element in elements.values() {
            contents.warn(format!("left out: {}", what(Some(element))));
        }
        if !controls.found.is_empty() {
            controls.types = content_types(archive)?;
        }
        Ok(controls)
    }

    fn add(&mut self, number: u32, found: FoundControl, contents: &mut Contents) {
        match self.found.len() < SHAPES_MAX && !self.found.contains_key(&number) {
            true => drop(self.found.insert(number, found)),
            false => found.warn(contents),
        }
    }

    /// Takes out the control for which a shape of the drawing stands. Returns `None` for other shapes.
    pub fn take(&mut self, drawn: &FoundShape) -> Option<StandIn> {
        let number = |text: &str| text.parse::<u32>().ok();
        if let Some(identity) = control_identity(&drawn.element) {
            let found = identity
                .strip_prefix(IDENTITY)
                .and_then(number)
                .and_then(|number| self.found.remove(&number));
            return Some(found.map_or(StandIn::OfNothing, |found| StandIn::Of(found, true)));
        }
        // LibreOffice does not say so, and gives it the number of the control.
        let own = object_properties(&drawn.element).and_then(|own| own.attribute("id"));
        let own = own.filter(|_| drawn.requires.as_deref() == Some("a14"));
        Some(StandIn::Of(self.found.remove(&own.and_then(number)?)?, false))
    }

    /// Takes out the next control for which no shape of the drawing stands.
    pub fn take_next(&mut self) -> Option<FoundControl> {
        self.found.pop_first().map(|(_, found)| found)
    }

    /// Makes an image of a control. `drawn` is the shape that stands for it, which is kept if it names it; `size`
    /// its size in pixels. Returns `None`, with a warning, for one that is left out.
    pub fn image(
        &self,
        archive: &mut Archive,
        found: FoundControl,
        drawn: Option<DrawnControl>,
        size: (f64, f64),
        links: &[Relationship],
        contents: &mut Contents,
    ) -> Result<Option<ReadShape>, FileError> {
        let FoundControl { mut element, mut shape, shape_type, drawing } = found;
        let what = what(element.as_ref());
        let VmlDrawing { namespaces, links: vml_links } = &self.drawings[drawing];
        if is_hidden(&shape) {
            contents.warn("left out: hidden shapes".into());
            return Ok(None);
        }
        let mut kept = KeptShape {
            anchor: anchor(&shape).to_owned(),
            placement: Placement { size, ..Placement::default() },
            ..KeptShape::default()
        };
        let mut description = description(element.as_ref(), &shape);
        if let Some(DrawnControl { shape, links, is_named }) = drawn {
            let FoundShape { element: mut drawn, namespaces, requires, anchor } = shape;
            kept.anchor = anchor.to_owned();
            let own = object_properties(&drawn).and_then(|own| own.attribute("descr")).map(str::to_owned);
            description = own.filter(|text| !text.is_empty()).or(description);
            if is_named && let Some(links) = kept_links(archive, &drawn, &namespaces, links)? {
                declare_namespaces(&mut drawn, &namespaces, requires.as_deref());
                drawn.write(&mut kept.xml);
                (kept.requires, kept.links) = (requires, links);
            }
        }
        let mut parts = KeptParts { archive, types: &self.types, links: Vec::new(), free: IMAGE_BYTES_MAX };
        if let Some(element) = &mut element
            && !parts.keep_links(element, links)?
        {
            contents.warn(format!("left out: {what}"));
            return Ok(None);
        }
        parts.keep_images(&mut shape, vml_links)?;
        let mut kept_control = KeptControl { links: parts.links, ..KeptControl::default() };
        let mut fields = FieldTexts::default();
        let properties = kept_control.properties();
        let references = [(LINKED_CELL, Field::Formula1), (INPUT_RANGE, Field::Formula2)];
        let mut is_complete = true;
        for (reference, field) in references {
            let text = reference.text(element.as_ref(), &shape, properties.as_ref());
            let absolute = text.as_deref().and_then(absolute_reference);
            is_complete &= text.is_some() == absolute.is_some();
            fields.text(field, absolute.map(|text| format!("={text}")));
        }
        for reference in OTHER_REFERENCES {
            let text = reference.text(element.as_ref(), &shape, properties.as_ref());
            if text.is_some_and(|text| !text.trim_start_matches('=').starts_with("EMBED(")) {
                is_complete = false;
                kept_control.change_properties(|properties| {
                    reference.set(element.as_mut(), &mut shape, properties, None);
                });
            }
        }
        if !is_complete {
            contents.warn("left out: references of form controls".into());
        }
        let declared = |mut element: XmlElement| {
            declare_namespaces(&mut element, namespaces, None);
            element.attributes.retain(|(name, uri)| !NAMESPACES.contains(&(name.as_str(), uri.as_str())));
            written(&element)
        };
        if let Some(anchor) =
            element.as_mut().and_then(control_properties_mut).and_then(|own| own.child_mut("anchor"))
        {
            anchor.children.clear();
        }
        kept_control.element = element.as_ref().map(written);
        kept_control.shape = declared(shape);
        kept_control.shape_type = shape_type.map(|shape_type| declared(XmlElement::clone(&shape_type)));
        kept.control = Some(kept_control);
        Ok(add_control(kept, description, fields, what, contents))
    }
}

/// The parts that a control keeps, while they are read.
struct KeptParts<'p, 'f> {
    archive: &'p mut Archive<'f>,
    /// Content types by part and by ending.
    types: &'p BTreeMap<String, String>,
    links: Vec<KeptLink>,
    /// Bytes that further parts may have.
    free: usize,
}

impl KeptParts<'_, '_> {
    /// Keeps the parts to which an element of the sheet leads. Returns whether all that it needs are there.
    fn keep_links(&mut self, element: &mut XmlElement, links: &[Relationship]) -> Result<bool, FileError> {
        let link = links.iter().find(|link| element.attribute("r:id") == Some(&link.id));
        let Some(link) = link.filter(|link| !link.is_external) else { return Ok(false) };
        let id = format!("c{}", self.links.len());
        let mut kept = KeptLink { id: id.clone(), kind: link.type_uri.clone(), ..KeptLink::default() };
        if is_embedded(&kept) {
            let Some(bytes) = self.bytes(&link.target)? else { return Ok(false) };
            kept.target = ending(&link.target);
            kept.image = Some((self.content_type(&link.target), bytes));
            kept.has_image = true;
        } else if matches!(link.kind.as_str(), PROPERTIES | ACTIVE_X) {
            let xml = self.bytes(&link.target)?.and_then(|bytes| String::from_utf8(bytes).ok());
            let Some(xml) = xml.filter(|xml| XmlElement::parse(xml, SHAPE_BYTES_MAX).is_some()) else {
                return Ok(false);
            };
            let mut part = KeptPart { xml, links: Vec::new() };
            for link in links_of(self.archive, &link.target)? {
                let bytes = if link.is_external { None } else { self.bytes(&link.target)? };
                let Some(bytes) = bytes else { return Ok(false) };
                part.links.push(KeptLink {
                    image: Some((self.content_type(&link.target), bytes)),
                    target: ending(&link.target),
                    id: link.id,
                    kind: link.type_uri,
                    has_image: true,
                    ..KeptLink::default()
                });
            }
            kept.part = Some(part);
        } else {
            return Ok(false);
        }
        self.links.push(kept);
        element.set("r:id", id);
        if let Some(properties) = control_properties_mut(element) {
            let id = properties.attribute("r:id").map(str::to_owned);
            properties.remove("r:id");
            let link = links.iter().find(|link| Some(&link.id) == id.as_ref());
            if let Some(id) = link.map(|link| self.keep_image(link)).transpose()?.flatten() {
                properties.set("r:id", id);
            }
        }
        Ok(true)
    }

    /// Keeps the images of a shape in VML.
    fn keep_images(&mut self, shape: &mut XmlElement, links: &[Relationship]) -> Result<(), FileError> {
        let mut ids = BTreeSet::new();
        shape.visit(&mut |part| ids.extend(part.attribute("o:relid").map(str::to_owned)));
        let mut new_ids = BTreeMap::new();
        for id in ids {
            let link = links.iter().find(|link| link.id == id);
            if let Some(new) = link.map(|link| self.keep_image(link)).transpose()?.flatten() {
                new_ids.insert(id, new);
            }
        }
        shape.change(&mut |part| match part.attribute("o:relid").map(|id| new_ids.get(id)) {
            Some(Some(id)) => part.set("o:relid", id),
            Some(None) => part.remove("o:relid"),
            None => {}
        });
        Ok(())
    }

    /// Keeps an image, once for the sheet and the drawing in VML. Returns its id, or `None` for one that is missing or
    /// too large.
    fn keep_image(&mut self, link: &Relationship) -> Result<Option<String>, FileError> {
        if link.is_external || link.kind != "image" {
            return Ok(None);
        }
        let Some(bytes) = self.archive.bytes(&link.target, IMAGE_BYTES_MAX)? else { return Ok(None) };
        let image = Some((media_type(&link.target, &bytes), bytes));
        if let Some(same) = self.links.iter().find(|link| link.image == image) {
            return Ok(Some(same.id.clone()));
        }
        let size = image.as_ref().map_or(0, |(_, bytes)| bytes.len());
        let Some(free) = self.free.checked_sub(size) else { return Ok(None) };
        self.free = free;
        let id = format!("c{}", self.links.len());
        let kind = link.type_uri.clone();
        self.links.push(KeptLink { id: id.clone(), kind, image, has_image: true, ..KeptLink::default() });
        Ok(Some(id))
    }

    /// The bytes of a part; `None` for one that is missing or too large.
    fn bytes(&mut self, part: &str) -> Result<Option<Vec<u8>>, FileError> {
        let bytes = self.archive.bytes(part, self.free)?;
        self.free -= bytes.as_ref().map_or(0, Vec::len);
        Ok(bytes)
    }

    fn content_type(&self, part: &str) -> String {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "/+.-_".contains(character);
        let content_type = type_of(part, self.types).filter(|name| name.chars().all(is_plain));
        content_type.unwrap_or_else(|| "application/octet-stream".to_owned())
    }
}

impl FoundControl {
    /// Where it is, by the sheet or by the drawing in VML.
    pub fn corners(&self) -> Option<(Corner, Corner)> {
        let properties = self.element.as_ref().and_then(control_properties);
        let anchor = properties.and_then(|properties| properties.child("anchor"));
        let corner = |name: &str| {
            let corner = anchor?.child(name)?;
            let number = |name: &str| corner.child(name)?.text().trim().parse::<f64>().ok();
            Some((number("row")? as u32, number("col")? as u32, (number("colOff")?, number("rowOff")?)))
        };
        corner("from").zip(corner("to")).or_else(|| {
            let text = client_data(&self.shape)?.child("Anchor")?.text();
            let numbers: Vec<f64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
            let [left, x, top, y, right, right_x, bottom, bottom_y] = numbers[..] else { return None };
            let corner = |row: f64, column: f64, x: f64, y: f64| {
                (row as u32, column as u32, (x * UNITS_PER_PIXEL, y * UNITS_PER_PIXEL))
            };
            Some((corner(top, left, x, y), corner(bottom, right, right_x, bottom_y)))
        })
    }

    /// Warns that it is left out.
    pub fn warn(&self, contents: &mut Contents) {
        contents.warn(format!("left out: {}", what(self.element.as_ref())));
    }
}

/// What a shape of a drawing stands for.
pub(super) enum StandIn {
    /// A control, and whether the shape names it.
    Of(FoundControl, bool),
    /// A control that is not there.
    OfNothing,
}

/// The identity of the control for which a shape of a drawing stands.
fn control_identity(shape: &XmlElement) -> Option<&str> {
    let extensions = object_properties(shape)?.child("extLst")?;
    let extensions = extensions.elements().flat_map(XmlElement::elements);
    extensions.filter(|part| part.local_name() == "compatExt").find_map(|part| part.attribute("spid"))
}

/// The number of a shape in VML.
fn number(shape: &XmlElement) -> Option<u32> {
    let identities = ["o:spid", "id"].into_iter().filter_map(|name| shape.attribute(name));
    identities.filter_map(|identity| identity.strip_prefix(IDENTITY)?.parse().ok()).next()
}

fn is_hidden(shape: &XmlElement) -> bool {
    let style = shape.attribute("style").unwrap_or_default();
    style.split(';').any(|rule| rule.replace(' ', "") == "visibility:hidden")
}

/// How a shape follows the cells. The elements say what it does not follow.
fn anchor(shape: &XmlElement) -> &'static str {
    let has = |name: &str| client_data(shape).is_some_and(|data| data.child(name).is_some());
    match (has("MoveWithCells"), has("SizeWithCells")) {
        (true, _) => "absolute",
        (false, true) => "oneCell",
        (false, false) => "twoCell",
    }
}

fn description(element: Option<&XmlElement>, shape: &XmlElement) -> Option<String> {
    let of_sheet =
        element.and_then(control_properties).and_then(|properties| properties.attribute("altText"));
    [of_sheet, shape.attribute("alt")].into_iter().flatten().find(|text| !text.is_empty()).map(str::to_owned)
}

/// An element of the sheet without namespaces.
fn without_prefixes(element: &XmlElement) -> XmlElement {
    let attributes = element.attributes.iter().filter_map(|(name, value)| match name.split_once(':') {
        None => (name != "xmlns").then(|| (name.clone(), value.clone())),
        Some((_, "id")) => Some(("r:id".to_owned(), value.clone())),
        Some(_) => None,
    });
    let children = element.elements().map(|child| XmlNode::Element(without_prefixes(child)));
    let text = element.text();
    XmlElement {
        name: element.local_name().to_owned(),
        attributes: attributes.collect(),
        children: match element.elements().next() {
            None if !text.is_empty() => vec![XmlNode::Text(text)],
            _ => children.collect(),
        },
    }
}

fn written(element: &XmlElement) -> String {
    let mut xml = String::new();
    element.write(&mut xml);
    xml
}

/// The ending of the name of a part.
fn ending(part: &str) -> String {
    let name = part.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let is_plain = ending.len() <= 8 && ending.chars().all(|character| character.is_ascii_alphanumeric());
    if is_plain && !ending.is_empty() { ending.to_ascii_lowercase() } else { "bin".to_owned() }
}

/// A reference to cells or a name in a form that does not depend on the cell in which it stands. `None` for anything
/// else, such as references to other workbooks.
pub(super) fn absolute_reference(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('=');
    let (sheet, cells) = match text.rsplit_once('!') {
        Some((sheet, cells)) => (Some(sheet), cells),
        None => (None, text),
    };
    if text.is_empty()
        || text.len() > REFERENCE_LENGTH_MAX
        || text.contains(['[', ']', '(', '"', ','])
        || sheet == Some("")
    {
        return None;
    }
    let cells = match Range::parse_a1(&cells.replace('$', "")) {
        Ok(range) => absolute(range),
        Err(_) => {
            let is_name =
                |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '\\');
            let starts =
                cells.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '\\'));
            if !starts || !cells.chars().all(is_name) {
                return None;
            }
            cells.to_owned()
        }
    };
    Some(sheet.map_or(cells.clone(), |sheet| format!("{sheet}!{cells}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_absolute() {
        for (text, absolute) in [
            ("A1", Some("$A$1")),
            ("=$b2", Some("$B$2")),
            ("'Key data'!A1:$C$9", Some("'Key data'!$A$1:$C$9")),
            ("Lists!A:A", Some("Lists!$A:$A")),
            ("Months", Some("Months")),
            ("[1]Sheet1!$A$1", None),
            ("#REF!", None),
            ("Sheet1!#REF!", None),
            ("SUM(A1)", None),
            ("", None),
        ] {
            assert_eq!(absolute_reference(text).as_deref(), absolute, "{text}");
        }
    }
}
