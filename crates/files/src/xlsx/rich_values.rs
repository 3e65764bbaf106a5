//! Images in cells of Excel 365: the metadata of a cell's value leads to a rich value, and a rich value of the
//! structure `_localImage` to a part with an image ([MS-XLSX] 2.6.175, 2.6.180).

use std::collections::HashMap;

use quadrille_cell::CellAddress;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::workbook_part::{Relationship, links_of};
use super::xml::Node;
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;
use crate::frame::Frame;
use crate::limits::TEXT_LENGTH_MAX;
use crate::read_image::add_image;

/// Rich values of a file, at most; also structures, and records of metadata.
const VALUES_MAX: usize = 1 << 20;
/// Keys of a structure, and values of a rich value, at most.
const KEYS_MAX: usize = 100;
/// The type of metadata that leads to rich values.
const RICH_VALUE: &str = "XLRICHVALUE";
const IMAGE_STRUCTURE: &str = "_localImage";
const IMAGE_KEY: &str = "_rvRel:LocalImageIdentifier";
const TEXT_KEY: &str = "Text";

/// The images in cells of a workbook.
#[derive(Default)]
pub(super) struct CellImages {
    /// By the number that cells have as `vm`, which counts from 1.
    images: HashMap<usize, CellImage>,
}

struct CellImage {
    part: String,
    alt_text: Option<String>,
}

impl CellImages {
    /// Reads the parts with rich values to which the workbook refers. Other rich values than images are left
    /// out, with a warning; their cells keep the error value that programs without them show.
    pub fn read(
        archive: &mut Archive,
        links: &[Relationship],
        contents: &mut Contents,
    ) -> Result<CellImages, FileError> {
        let name = |kind: &str| {
            links.iter().find(|link| link.kind == kind && !link.is_external).map(|link| link.target.clone())
        };
        let mut images = CellImages::default();
        let (Some(metadata), Some(values)) = (name("sheetMetadata"), name("rdRichValue")) else {
            return Ok(images);
        };
        let metadata = archive.part(&metadata)?.map(values_of_metadata).transpose()?.unwrap_or_default();
        let values = archive.part(&values)?.map(rich_values).transpose()?.unwrap_or_default();
        let structures = match name("rdRichValueStructure") {
            Some(part) => archive.part(&part)?.map(structures).transpose()?.unwrap_or_default(),
            None => Vec::new(),
        };
        let targets = match name("richValueRel") {
            Some(part) => image_parts(archive, &part)?,
            None => Vec::new(),
        };
        let image_of = |value: &RichValue| {
            let structure = structures.get(value.structure)?;
            let at = |key: &str| {
                let index = structure.keys.iter().position(|own| own == key)?;
                value.values.get(index)
            };
            if structure.kind != IMAGE_STRUCTURE {
                return None;
            }
            let target = at(IMAGE_KEY)?.trim().parse::<usize>().ok()?;
            let part = targets.get(target)?.clone()?;
            Some(CellImage { part, alt_text: at(TEXT_KEY).cloned() })
        };
        for (index, value) in metadata.into_iter().enumerate() {
            let value = value.and_then(|value| values.get(value));
            if let Some(image) = value.and_then(image_of) {
                images.images.insert(index + 1, image);
            }
        }
        if values.iter().any(|value| {
            structures.get(value.structure).is_none_or(|structure| structure.kind != IMAGE_STRUCTURE)
        }) {
            contents.warn("left out: data types".into());
        }
        Ok(images)
    }

    /// Whether there is an image for cells with this `vm`.
    pub fn has(&self, number: usize) -> bool {
        self.images.contains_key(&number)
    }

    /// Adds the images of cells of the sheet added last.
    pub fn put(
        &self,
        archive: &mut Archive,
        cells: &[(CellAddress, usize)],
        contents: &mut Contents,
    ) -> Result<(), FileError> {
        for (cell, number) in cells {
            let Some(image) = self.images.get(number) else { continue };
            let Some(source) = add_image(archive, &image.part, contents)? else { continue };
            let mut fields = FieldTexts::default();
            fields.text(Field::Source, Some(source));
            fields.flag(Field::InCell, Some(true), false);
            let alt_text = image.alt_text.clone();
            let frame = Frame { cell: *cell, offset: (0.0, 0.0), size: None, alt_text };
            contents.put_item(frame.item(ItemKind::Image, fields));
        }
        Ok(())
    }
}

/// The indexes of rich values in the order in which cells count metadata; `None` for metadata of other types.
fn values_of_metadata(mut part: Part) -> Result<Vec<Option<usize>>, FileError> {
    let mut types: Vec<String> = Vec::new();
    let mut rich_values: Vec<usize> = Vec::new();
    // Type, counted from 1, and index among those of the type.
    let mut records: Vec<Option<(usize, usize)>> = Vec::new();
    let (mut is_rich, mut is_of_values) = (false, false);
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "metadataType" if types.len() < VALUES_MAX => {
                    types.push(element.attribute("name").unwrap_or_default());
                }
                "futureMetadata" => is_rich = element.attribute("name").as_deref() == Some(RICH_VALUE),
                "rvb" if is_rich && rich_values.len() < VALUES_MAX => {
                    rich_values.push(element.number("i").unwrap_or(usize::MAX));
                }
                "valueMetadata" => is_of_values = true,
                "bk" if is_of_values && records.len() < VALUES_MAX => records.push(None),
                "rc" if is_of_values => {
                    if let Some(record) = records.last_mut() {
                        *record = element.number("t").zip(element.number("v"));
                    }
                }
                _ => {}
            },
            node if node.ends("futureMetadata") => is_rich = false,
            node if node.ends("valueMetadata") => is_of_values = false,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    let rich = types.iter().position(|name| name == RICH_VALUE).map(|index| index + 1);
    let value_of = |record: Option<(usize, usize)>| {
        let (_, index) = record.filter(|(kind, _)| Some(*kind) == rich)?;
        rich_values.get(index).copied()
    };
    Ok(records.into_iter().map(value_of).collect())
}

/// A rich value.
struct RichValue {
    structure: usize,
    values: Vec<String>,
}

fn rich_values(mut part: Part) -> Result<Vec<RichValue>, FileError> {
    let mut values: Vec<RichValue> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "rv" if values.len() < VALUES_MAX => {
                    let structure = element.number("s").unwrap_or(usize::MAX);
                    values.push(RichValue { structure, values: Vec::new() });
                }
                "v" => {
                    let text = part.text()?;
                    if let Some(value) = values.last_mut().filter(|value| value.values.len() < KEYS_MAX) {
                        value.values.push(text.chars().take(TEXT_LENGTH_MAX).collect());
                    }
                }
                _ => {}
            },
            Node::EndOfPart => return Ok(values),
            _ => {}
        }
    }
}

/// The names of the values of rich values.
struct Structure {
    kind: String,
    keys: Vec<String>,
}

fn structures(mut part: Part) -> Result<Vec<Structure>, FileError> {
    let mut structures: Vec<Structure> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "s" if structures.len() < VALUES_MAX => {
                    let kind = element.attribute("t").unwrap_or_default();
                    structures.push(Structure { kind, keys: Vec::new() });
                }
                "k" => {
                    let name = element.attribute("n").unwrap_or_default();
                    if let Some(structure) =
                        structures.last_mut().filter(|structure| structure.keys.len() < KEYS_MAX)
                    {
                        structure.keys.push(name);
                    }
                }
                _ => {}
            },
            Node::EndOfPart => return Ok(structures),
            _ => {}
        }
    }
}

/// The parts of images in the order in which rich values count them.
fn image_parts(archive: &mut Archive, name: &str) -> Result<Vec<Option<String>>, FileError> {
    let links = links_of(archive, name)?;
    let Some(mut part) = archive.part(name)? else { return Ok(Vec::new()) };
    let mut parts = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "rel" && parts.len() < VALUES_MAX => {
                let id = element.attribute("r:id");
                let link = links
                    .iter()
                    .find(|link| Some(&link.id) == id.as_ref() && link.kind == "image" && !link.is_external);
                parts.push(link.map(|link| link.target.clone()));
            }
            Node::EndOfPart => return Ok(parts),
            _ => {}
        }
    }
}
