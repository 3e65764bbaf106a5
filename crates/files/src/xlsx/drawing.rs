//! What lies over the cells of a sheet: pictures are taken, of all else is said that it is left out.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::book;
use super::xml::Node;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::images::{image_name, image_type};
use crate::limits::{IMAGE_BYTES_MAX, IMAGES_BYTES_MAX};

/// English Metric Units of a CSS pixel: 914,400 to the inch.
const UNITS_PER_PIXEL: f64 = 9_525.0;
/// Characters of an alternative text.
const ALT_TEXT_LENGTH_MAX: usize = 1_000;
/// As wide and high as a picture may be.
const PIXELS_MAX: f64 = 10_000.0;

/// One thing over the cells.
#[derive(Default)]
struct Placed {
    row: u32,
    column: u32,
    /// In units, from the corner of the cell.
    offset: (f64, f64),
    size: Option<(f64, f64)>,
    alt_text: Option<String>,
    /// The link to the picture's part.
    picture: Option<String>,
    is_group: bool,
}

/// Reads a drawing; its pictures become items of the sheet that was added last.
pub fn read(archive: &mut Archive, name: &str, contents: &mut Contents) -> Result<(), FileError> {
    let Some(part) = archive.part(name)? else { return Ok(()) };
    let placed = placed(part, contents)?;
    let links = book::links_of(archive, name)?;
    for thing in placed {
        let Some(id) = &thing.picture else { continue };
        let target = links.iter().find(|link| link.id == *id && link.kind == "image");
        let Some(target) = target.map(|link| link.target.as_str()) else {
            contents.warn("left out: pictures that are not in the file".into());
            continue;
        };
        let Some(bytes) = archive.bytes(target, IMAGE_BYTES_MAX)? else {
            contents.warn(format!("left out: pictures of more than {} MiB", IMAGE_BYTES_MAX >> 20));
            continue;
        };
        if image_type(&bytes).is_none() {
            contents.warn("left out: pictures that are not PNG, JPEG, GIF or WebP".into());
            continue;
        }
        put(contents, thing, bytes);
    }
    Ok(())
}

fn placed(mut part: Part, contents: &mut Contents) -> Result<Vec<Placed>, FileError> {
    let mut found = Vec::new();
    let mut thing = Placed::default();
    let mut is_start = false;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" => thing = Placed::default(),
                "from" => is_start = true,
                "row" if is_start => thing.row = part.text()?.trim().parse().unwrap_or(0),
                "col" if is_start => thing.column = part.text()?.trim().parse().unwrap_or(0),
                "rowOff" if is_start => thing.offset.1 = part.text()?.trim().parse().unwrap_or(0.0),
                "colOff" if is_start => thing.offset.0 = part.text()?.trim().parse().unwrap_or(0.0),
                "pos" => {
                    let unit = |name: &str| element.number::<f64>(name).unwrap_or(0.0);
                    thing.offset = (unit("x"), unit("y"));
                }
                "ext" => {
                    let size = element.number::<f64>("cx").zip(element.number::<f64>("cy"));
                    thing.size = size.or(thing.size);
                }
                "cNvPr" => thing.alt_text = element.attribute("descr"),
                "blip" => thing.picture = element.attribute("r:embed").or(thing.picture),
                "grpSp" => thing.is_group = true,
                "graphicFrame" => contents.warn("left out: charts".into()),
                "sp" | "cxnSp" => contents.warn("left out: shapes".into()),
                _ => {}
            },
            node if node.ends("from") => is_start = false,
            node if node.ends("twoCellAnchor")
                || node.ends("oneCellAnchor")
                || node.ends("absoluteAnchor") =>
            {
                let thing = std::mem::take(&mut thing);
                match thing.is_group {
                    true => contents.warn("left out: grouped pictures and shapes".into()),
                    false => found.push(thing),
                }
            }
            Node::EndOfPart => return Ok(found),
            _ => {}
        }
    }
}

fn put(contents: &mut Contents, thing: Placed, bytes: Vec<u8>) {
    let Some(cell) = CellAddress::new(thing.row, thing.column) else { return };
    let source = image_name(&bytes);
    if !contents.images.contains_key(&source) {
        let kept: usize = contents.images.values().map(|bytes| bytes.len()).sum();
        if kept + bytes.len() > IMAGES_BYTES_MAX {
            contents.warn(format!("left out: pictures beyond {} MiB", IMAGES_BYTES_MAX >> 20));
            return;
        }
        contents.images.insert(source.clone(), Arc::from(bytes));
    }
    let mut fields = FieldTexts::default();
    fields.text(Field::Source, Some(source));
    let alt_text = thing.alt_text.map(|text| text.chars().take(ALT_TEXT_LENGTH_MAX).collect::<String>());
    fields.text(Field::AltText, alt_text);
    let pixels = |units: f64| (units / UNITS_PER_PIXEL).round().clamp(0.0, PIXELS_MAX);
    for (field, units) in [(Field::OffsetX, thing.offset.0), (Field::OffsetY, thing.offset.1)] {
        if pixels(units) > 0.0 {
            fields.put(field, ItemValue::Number(pixels(units)));
        }
    }
    if let Some((width, height)) = thing.size.filter(|(width, height)| pixels(*width) * pixels(*height) > 0.0)
    {
        fields.number(Field::Width, Some(pixels(width)));
        fields.number(Field::Height, Some(pixels(height)));
    }
    let anchors = vec![Range::cell(cell)];
    contents.put_item(ItemContents { kind: ItemKind::Image, anchors, fields, parent: None });
}
