//! Writes the shapes that came with an imported file, at the position and in the size that they have now
//! (decision 0063).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use quadrille_cell::Dimension;
use quadrille_workbook::{Field, Item, ItemKind, Sheet};
use quick_xml::escape::escape;
use rust_xlsxwriter as xlsx;
use zip::ZipArchive;

use super::added_parts::AddedParts;
use super::placeholders::{COMPATIBILITY, Placeholders, Replacement, replaced, sorted, thinned, value_of};
use super::shape_media::Media;
use super::write_controls::{ControlWriter, Place, WrittenControl};
use super::write_target::Target;
use crate::frame::moved_back;
use crate::images::Images;
use crate::shapes::{
    DiagramPart, KeptLink, KeptPart, KeptShape, Placement, UNITS_PER_PIXEL, XmlElement, diagram_part,
    drawing_id, with_drawing_id,
};

/// Begins the names of placeholders.
const NAME: &str = "shape ";
/// The ids of shapes begin here, above those of the objects that `rust_xlsxwriter` writes.
const IDS_START: usize = 100_000;
/// Width and height in pixels that programs assume for columns and rows without their own.
const CELL_SIZE: (u16, u16) = (64, 20);

/// The shapes of a file.
#[derive(Default)]
pub(super) struct WrittenShapes(Vec<WrittenShape>);

struct WrittenShape {
    /// The position of its sheet in the workbook.
    sheet: usize,
    element: XmlElement,
    requires: Option<String>,
    links: Vec<KeptLink>,
    placement: Placement,
    /// The control for which it stands, until that is written.
    control: Option<WrittenControl>,
    is_control: bool,
}

impl WrittenShapes {
    /// Writes placeholders of the shapes of a sheet, which [`WrittenShapes::add`] replaces.
    pub fn write(
        &mut self,
        target: &mut xlsx::Worksheet,
        items: &Target,
        position: usize,
        images: &Images,
        has_macros: bool,
        placeholders: &mut Placeholders,
    ) {
        let sheet = items.sheet;
        let first = self.0.len();
        for (_, item) in sheet.items().of_kind(ItemKind::Image) {
            let bytes = item.text(Field::Source).and_then(|source| images.get(&**source));
            let Some(kept) = bytes.and_then(|bytes| KeptShape::decode(bytes)) else { continue };
            if let Some(written) = written(item, kept, position, items, has_macros) {
                let name = format!("{NAME}{}", self.0.len());
                let anchor = &written.anchor;
                if place(target, sheet, item, &written.shape.placement, anchor, &name, placeholders).is_ok() {
                    self.0.push(written.shape);
                }
            }
        }
        renumber(&mut self.0[first..], IDS_START);
    }

    /// Replaces the placeholders in the file that `rust_xlsxwriter` wrote.
    pub fn add(mut self, file: &[u8], added: &mut AddedParts) {
        if self.0.is_empty() {
            return;
        }
        let drawings = drawings(file, &self.0.iter().map(|shape| shape.sheet).collect(), added);
        let mut media = Media::default();
        let mut controls = ControlWriter::new(file);
        let places: BTreeMap<usize, BTreeMap<String, Place>> =
            drawings.iter().map(|(sheet, part)| (*sheet, Place::all_of(&part_text(file, part)))).collect();
        for (number, shape) in self.0.iter_mut().enumerate() {
            let Some(drawing) = drawings.get(&shape.sheet) else { continue };
            let place = places.get(&shape.sheet).and_then(|places| places.get(&format!("{NAME}{number}")));
            match (shape.control.take(), place) {
                (Some(control), Some(place)) => {
                    let number = controls.add(shape.sheet, control, place, &mut media, added);
                    set_control_number(&mut shape.element, number);
                }
                (Some(_), None) => shape.element = XmlElement::default(),
                (None, _) => {}
            }
            let links = std::mem::take(&mut shape.links);
            let new_id = |index: usize| format!("rIdOfShape{number}n{index}");
            let ids: BTreeMap<String, String> =
                links.iter().enumerate().map(|(index, link)| (link.id.clone(), new_id(index))).collect();
            for link in links {
                let target = match (link.image, link.part) {
                    (Some(image), _) => media.target(image, added),
                    (None, Some(part)) => match diagram_part(&link.kind) {
                        Some(kind) => write_part(kind, number, part, &ids, &mut media, added),
                        None => continue,
                    },
                    (None, None) => link.target,
                };
                added.link_to(drawing, &ids[&link.id], &link.kind, &target, link.is_external);
            }
            shape.element.change(&mut |part| {
                for (name, value) in &mut part.attributes {
                    if let Some(id) =
                        ids.get(value).filter(|_| name.contains(':') && !name.starts_with("xmlns"))
                    {
                        value.clone_from(id);
                    }
                }
            });
        }
        controls.finish(file, added);
        let shapes = self.0;
        added.change_below("xl/drawings/drawing", move |text| {
            let number = |name: &str| name.strip_prefix(NAME)?.parse::<usize>().ok();
            let size = |name: &str| Some(shapes.get(number(name)?)?.placement.anchor());
            replaced(&thinned(&sorted(text, number), size), |name, placeholder| {
                match number(name).and_then(|number| shapes.get(number)) {
                    Some(shape) => shape.replacement(placeholder),
                    None => Replacement::Keep,
                }
            })
        });
    }
}

/// Adds a part of a SmartArt graphic, the shape of this number. Returns where it is. `ids`: the new ids of the
/// drawing's relationships by the old ones.
fn write_part(
    kind: &DiagramPart,
    number: usize,
    part: KeptPart,
    ids: &BTreeMap<String, String>,
    media: &mut Media,
    added: &mut AddedParts,
) -> String {
    let name = format!("xl/diagrams/{}{}.xml", kind.name, number + 1);
    for link in part.links {
        let target = match link.image {
            Some(image) => media.target(image, added),
            None => link.target,
        };
        added.link_to(&name, &link.id, &link.kind, &target, link.is_external);
    }
    let new_id = drawing_id(&part.xml).and_then(|old| Some((ids.get(&old)?, old)));
    let xml = match new_id {
        Some((new, old)) => with_drawing_id(&part.xml, &old, new),
        None => part.xml,
    };
    added.add(&name, kind.content_type, xml);
    format!("../{}", name.trim_start_matches("xl/"))
}

struct Written {
    shape: WrittenShape,
    anchor: String,
}

/// The shape of an item with the size and the description of the item.
fn written(item: &Item, kept: KeptShape, sheet: usize, items: &Target, has_macros: bool) -> Option<Written> {
    let is_control = kept.control.is_some();
    let mut element = kept.element().or_else(|| is_control.then(XmlElement::default))?;
    let placement = kept.placement_of(item);
    let description = item.text(Field::AltText).map(|text| text.to_string());
    let description = (description != kept.own_text).then_some(description);
    let control =
        kept.control.map(|control| WrittenControl::new(control, item, items, &description, has_macros));
    // One that cannot be read any more.
    let control = match control {
        Some(None) => return None,
        control => control.flatten(),
    };
    if is_control && !has_macros && element.attribute("macro").is_some() {
        element.set("macro", "");
    }
    if let Some(description) = description
        && let Some(properties) = properties_mut(&mut element)
    {
        match description {
            Some(description) => properties.set("descr", description),
            None => properties.attributes.retain(|(name, _)| name != "descr"),
        }
    }
    let (requires, links) = (kept.requires, kept.links);
    let shape = WrittenShape { sheet, element, requires, links, placement, control, is_control };
    Some(Written { shape, anchor: kept.anchor })
}

/// The element `cNvPr`.
fn properties_mut(shape: &mut XmlElement) -> Option<&mut XmlElement> {
    ["nvSpPr", "nvCxnSpPr", "nvPicPr", "nvGrpSpPr", "nvGraphicFramePr"]
        .iter()
        .find(|name| shape.child(name).is_some())
        .and_then(|name| shape.child_mut(name)?.child_mut("cNvPr"))
}

/// Writes the placeholder of a shape.
fn place(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    item: &Item,
    placement: &Placement,
    anchor: &str,
    name: &str,
    placeholders: &mut Placeholders,
) -> Result<(), xlsx::XlsxError> {
    let Some(cell) = item.anchors.first().map(|anchor| anchor.first()) else { return Ok(()) };
    let offset = |field: Field| item.number(field).unwrap_or(0.0);
    let (x, y) = placement.anchor_offset();
    let back = |of: Dimension, index: u32, offset: f64, default: u16| {
        moved_back(index, offset, |index| f64::from(sheet.size(of, index).unwrap_or(default)))
    };
    let (column, x) = back(Dimension::Columns, cell.column.get(), offset(Field::OffsetX) + x, CELL_SIZE.0);
    let (row, y) = back(Dimension::Rows, cell.row.get(), offset(Field::OffsetY) + y, CELL_SIZE.1);
    let (width, height) = placement.anchor();
    let shape = xlsx::Shape::textbox()
        .set_width((width.round() as u32).max(1))
        .set_height((height.round() as u32).max(1))
        .set_object_movement(match anchor {
            "twoCell" => xlsx::ObjectMovement::MoveAndSizeWithCells,
            "absolute" => xlsx::ObjectMovement::DontMoveOrSizeWithCells,
            _ => xlsx::ObjectMovement::MoveButDontSizeWithCells,
        });
    placeholders.add(target, (row, column as u16), (x.round() as u32, y.round() as u32), name, shape)
}

/// Gives all objects of a sheet's shapes ids of their own, and connectors those of the shapes that they
/// connect.
fn renumber(shapes: &mut [WrittenShape], start: usize) {
    let mut next = start;
    let mut ids = BTreeMap::new();
    let each = |shape: &mut WrittenShape, change: &mut dyn FnMut(&mut XmlElement)| {
        shape.element.change(&mut |part| change(part));
    };
    for shape in &mut *shapes {
        each(shape, &mut |part| {
            if part.local_name() == "cNvPr" {
                next += 1;
                if let Some(old) = part.attribute("id") {
                    ids.insert(old.to_owned(), next);
                }
                part.set("id", next);
            }
        });
    }
    for shape in shapes {
        each(shape, &mut |part| {
            if matches!(part.local_name(), "stCxn" | "endCxn") {
                let new = part.attribute("id").and_then(|old| ids.get(old)).copied();
                if let Some(new) = new {
                    part.set("id", new);
                }
            }
        });
    }
}

/// Names the control for which a shape stands by its number.
fn set_control_number(shape: &mut XmlElement, number: u32) {
    shape.change(&mut |part| match part.local_name() {
        "compatExt" => part.set("spid", format!("_x0000_s{number}")),
        "cNvPr" => part.set("id", number),
        _ => {}
    });
}

impl WrittenShape {
    /// What becomes of its placeholder.
    fn replacement(&self, placeholder: &str) -> Replacement {
        match (self.is_control, &self.requires) {
            (false, _) => Replacement::Object(self.xml(placeholder)),
            // Older files have it in VML only.
            (true, _) if self.element.name.is_empty() => Replacement::Remove,
            (true, None) => Replacement::Object(self.element_xml(placeholder)),
            // As Excel does it, with the anchor; other programs show nothing in its place.
            (true, Some(requires)) => {
                let declared = requires.split(' ').filter_map(|prefix| {
                    let name = format!("xmlns:{prefix}");
                    Some(format!(" {name}=\"{}\"", escape(self.element.attribute(&name)?)))
                });
                Replacement::Alternative {
                    start: format!(
                        "<mc:AlternateContent xmlns:mc=\"{COMPATIBILITY}\"><mc:Choice{} Requires=\"{}\">",
                        declared.collect::<String>(),
                        escape(requires)
                    ),
                    object: self.element_xml(placeholder),
                    end: "</mc:Choice><mc:Fallback/></mc:AlternateContent>".to_owned(),
                }
            }
        }
    }

    /// The XML of the element in the place of a placeholder, which knows the position.
    fn element_xml(&self, placeholder: &str) -> String {
        let mut xml = String::new();
        self.placed(placeholder).write(&mut xml);
        xml
    }

    fn placed(&self, placeholder: &str) -> XmlElement {
        let mut element = self.element.clone();
        let number =
            |text: &str, name: &str| value_of(text, name).and_then(|number| number.parse::<f64>().ok());
        let corner = placeholder.split_once("<a:off").map(|(_, rest)| rest);
        let corner = corner.and_then(|rest| Some((number(rest, "x")?, number(rest, "y")?)));
        let properties = if element.child("spPr").is_some() { "spPr" } else { "grpSpPr" };
        let transform = element.child_mut(properties).and_then(|properties| properties.child_mut("xfrm"));
        if let Some(transform) = transform {
            let (size, anchor) = (self.placement.size, self.placement.anchor());
            let units = |pixels: f64| (pixels * UNITS_PER_PIXEL).round() as i64;
            if let (Some(position), Some((x, y))) = (transform.child_mut("off"), corner) {
                position.set("x", x as i64 + units((anchor.0 - size.0) / 2.0));
                position.set("y", y as i64 + units((anchor.1 - size.1) / 2.0));
            }
            if let Some(extent) = transform.child_mut("ext") {
                extent.set("cx", units(size.0));
                extent.set("cy", units(size.1));
            }
        }
        element
    }

    /// The XML in the place of a placeholder.
    fn xml(&self, placeholder: &str) -> String {
        let element = self.placed(placeholder);
        let mut xml = String::new();
        let Some(requires) = &self.requires else {
            element.write(&mut xml);
            return xml;
        };
        // Other programs show nothing in its place.
        xml.push_str(&format!("<mc:AlternateContent xmlns:mc=\"{COMPATIBILITY}\">"));
        let mut choice = XmlElement {
            name: "mc:Choice".to_owned(),
            attributes: vec![("Requires".to_owned(), requires.clone())],
            children: Vec::new(),
        };
        let declared = |prefix: &str| {
            Some((format!("xmlns:{prefix}"), element.attribute(&format!("xmlns:{prefix}"))?.to_owned()))
        };
        choice.attributes.extend(requires.split(' ').filter_map(declared));
        choice.children.push(crate::shapes::XmlNode::Element(element));
        choice.write(&mut xml);
        xml.push_str("<mc:Fallback/></mc:AlternateContent>");
        xml
    }
}

/// The text of a part of a file; empty without it.
fn part_text(file: &[u8], part: &str) -> String {
    let mut text = String::new();
    if let Ok(mut archive) = ZipArchive::new(Cursor::new(file))
        && let Ok(mut part) = archive.by_name(part)
        && part.read_to_string(&mut text).is_err()
    {
        text.clear();
    }
    text
}

/// The names of the drawing parts of sheets by their positions.
pub(super) fn drawings(file: &[u8], sheets: &BTreeSet<usize>, added: &AddedParts) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    let Ok(mut archive) = ZipArchive::new(Cursor::new(file)) else { return found };
    for sheet in sheets {
        let part = added.sheet_part(*sheet);
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", &part));
        let Ok(mut links) = archive.by_name(&format!("{folder}/_rels/{name}.rels")) else { continue };
        let mut text = String::new();
        if links.read_to_string(&mut text).is_err() {
            continue;
        }
        let targets = text
            .split("<Relationship ")
            .filter_map(|link| value_of(&format!(" {link}"), "Target").map(str::to_owned));
        let drawing = targets
            .into_iter()
            .find_map(|target| target.strip_prefix("../drawings/drawing").map(str::to_owned));
        if let Some(number) = drawing {
            found.insert(*sheet, format!("xl/drawings/drawing{number}"));
        }
    }
    found
}
