//! Reads frames: images, charts and other objects over the cells (ODF 1.3 part 3, 10.4).

use quadrille_cell::{COLUMNS_MAX, CellAddress, ROWS_MAX};
use quadrille_workbook::{Field, ItemKind};

use super::chart_xml::{Attributes, children};
use super::drawn_styles::DrawnStyles;
use super::lengths::{POINT_PX, length};
use super::read_shapes::DrawnShape;
use super::{charts, read_shapes};
use crate::contents::{Contents, FieldTexts, SheetContents};
use crate::error::FileError;
use crate::frame::{Frame, whole_pixels};
use crate::images::image_type;
use crate::limits::{IMAGE_BYTES_MAX, ITEMS_MAX, SHAPE_BYTES_MAX};
use crate::read_image::add_image;
use crate::read_shape::{add_shape, has_room};
use crate::shapes::{KeptLink, KeptShape, Placement, XmlElement};
use crate::xlsx::archive::{Archive, Part};
use crate::xlsx::colors::Theme;

/// The width of columns without a width, and the height of rows without a height, in LibreOffice.
const COLUMN_PIXELS: f64 = 64.0 * POINT_PX;
const ROW_PIXELS: f64 = 12.81 * POINT_PX;

/// Ends of names of images that every browser displays.
const IMAGE_ENDS: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];
/// The type of relationships of images in `.xlsx` files, in which shapes name theirs.
const IMAGE_RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
/// Images that are alternatives of one frame, at most.
const ALTERNATIVES_MAX: usize = 8;

/// A frame with an image or an object, which are parts of their own, or a shape.
pub(super) struct OpenFrame {
    /// The cell with the frame, or the sheet if the frame is at a place of the sheet.
    pub cell: Option<CellAddress>,
    /// Distance from the corner of the cell or of the sheet in CSS pixels.
    offset: (f64, f64),
    size: Option<(f64, f64)>,
    alt_text: Option<String>,
    framed: Framed,
}

/// What is in a frame.
enum Framed {
    /// A document in this folder.
    Object(String),
    /// An image, in this part.
    Image(String),
    /// A shape.
    Shape(Box<DrawnShape>),
}

impl OpenFrame {
    /// Reads an element of a drawing up to its end. Returns `None`, with a warning, for one that is left out.
    pub fn read(
        part: &mut Part,
        name: &str,
        attributes: &Attributes,
        styles: &DrawnStyles,
        contents: &mut Contents,
    ) -> Result<Option<OpenFrame>, FileError> {
        let mut bytes_left = SHAPE_BYTES_MAX;
        let Some(element) = attributes.element(name).read(part, &mut bytes_left)? else {
            contents.warn("left out: shapes that are too large".into());
            return Ok(None);
        };
        if name == "frame"
            && let Some(frame) = OpenFrame::of_frame(&element)
        {
            return Ok(Some(frame));
        }
        let Some(shape) = read_shapes::read(&element, styles) else {
            warn_of_shape(name, contents);
            return Ok(None);
        };
        if shape.is_incomplete {
            contents.warn("left out: shapes".into());
        }
        let area = shape.area;
        Ok(Some(OpenFrame {
            cell: None,
            offset: (area.x, area.y),
            size: Some((area.width, area.height)),
            alt_text: shape.description.clone(),
            framed: Framed::Shape(Box::new(shape)),
        }))
    }

    /// A frame with an object or an image; `None` for one with neither.
    fn of_frame(element: &XmlElement) -> Option<OpenFrame> {
        let pixels = |name: &str| Some(length(element.attribute(name).map(str::to_owned))? * POINT_PX);
        let text = |name: &str| element.child(name).map(XmlElement::text);
        let target = |child: &XmlElement| child.attribute("xlink:href").map(part_name);
        let object = element.elements().find_map(|child| match child.local_name() {
            "object" => target(child),
            // An object of another program; its picture follows.
            "object-ole" => Some(String::new()),
            _ => None,
        });
        let images = element.elements().filter(|child| child.local_name() == "image").filter_map(target);
        let images: Vec<String> = images.take(ALTERNATIVES_MAX).collect();
        // Beside an object there is its picture, and beside a drawing a picture for programs that cannot show it.
        let is_displayed = |name: &String| {
            let name = name.to_ascii_lowercase();
            IMAGE_ENDS.iter().any(|end| name.ends_with(end))
        };
        let image = images.iter().position(is_displayed).unwrap_or(0);
        let framed = match (object, images.into_iter().nth(image)) {
            (Some(folder), _) => Framed::Object(folder),
            (None, Some(part)) => Framed::Image(part),
            (None, None) => return None,
        };
        Some(OpenFrame {
            cell: None,
            offset: (pixels("svg:x").unwrap_or(0.0), pixels("svg:y").unwrap_or(0.0)),
            size: pixels("svg:width").zip(pixels("svg:height")),
            alt_text: text("desc").or_else(|| text("title")),
            framed,
        })
    }

    /// The place of the frame over the cells of its sheet.
    fn placed(self, sheet: &SheetContents) -> Frame {
        let (cell, offset) = match self.cell {
            Some(cell) => (cell, self.offset),
            None => {
                let across =
                    at_distance(self.offset.0, &sheet.column_widths, &sheet.hidden_columns, COLUMN_PIXELS);
                let down = at_distance(self.offset.1, &sheet.row_heights, &sheet.hidden_rows, ROW_PIXELS);
                let column = across.0.min(COLUMNS_MAX - 1);
                (CellAddress::clamped(down.0.min(ROWS_MAX - 1), column), (across.1, down.1))
            }
        };
        let is_some = |(width, height): &(f64, f64)| whole_pixels(*width) * whole_pixels(*height) > 0.0;
        Frame { cell, offset, size: self.size.filter(is_some), alt_text: self.alt_text }
    }
}

/// Reads the shapes of a sheet, an element `table:shapes`, up to its end.
pub(super) fn read_shapes(
    part: &mut Part,
    styles: &DrawnStyles,
    contents: &mut Contents,
    frames: &mut Vec<OpenFrame>,
) -> Result<(), FileError> {
    children(part, |part, name, attributes| {
        let frame = OpenFrame::read(part, name, attributes, styles, contents)?;
        push(frames, frame, contents);
        Ok(())
    })
}

/// Whether an element of this name is part of a drawing, except notes.
pub(super) fn is_drawn(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "frame",
        "control",
        "custom-shape",
        "g",
        "line",
        "connector",
        "measure",
        "rect",
        "ellipse",
        "circle",
        "polygon",
        "polyline",
        "path",
    ];
    NAMES.contains(&name)
}

/// Adds a frame of a sheet. Those beyond the limit of items are left out with a warning.
pub(super) fn push(frames: &mut Vec<OpenFrame>, frame: Option<OpenFrame>, contents: &mut Contents) {
    let Some(frame) = frame else { return };
    if frames.len() >= ITEMS_MAX {
        return contents.warn(format!("left out: items beyond {ITEMS_MAX} of one sheet"));
    }
    frames.push(frame);
}

/// Warns of a shape that is left out.
pub(super) fn warn_of_shape(name: &str, contents: &mut Contents) {
    contents
        .warn(if name == "g" { "left out: grouped images and shapes" } else { "left out: shapes" }.into());
}

/// The name of the part or folder to which a reference within the file leads.
fn part_name(reference: &str) -> String {
    reference.trim_start_matches("./").trim_matches('/').to_owned()
}

/// Reads the images and charts in the frames of the sheets, which become items.
pub(super) fn read_objects(
    archive: &mut Archive,
    frames: Vec<Vec<OpenFrame>>,
    contents: &mut Contents,
) -> Result<(), FileError> {
    for (sheet, frames) in frames.into_iter().enumerate() {
        for frame in frames {
            let (kind, fields) = match &frame.framed {
                Framed::Object(folder) => (ItemKind::Chart, read_chart(archive, folder, contents)?),
                Framed::Image(part) => (ItemKind::Image, read_image(archive, part, contents)?),
                Framed::Shape(shape) => {
                    if let Some((frame, fields)) = read_shape(archive, shape, &frame, contents)? {
                        let frame = frame.placed(&contents.sheets[sheet]);
                        contents.put_item_of(sheet, frame.item(ItemKind::Image, fields));
                    }
                    continue;
                }
            };
            if let Some(fields) = fields {
                let frame = frame.placed(&contents.sheets[sheet]);
                contents.put_item_of(sheet, frame.item(kind, fields));
            }
        }
    }
    Ok(())
}

/// Reads the chart in a folder.
fn read_chart(
    archive: &mut Archive,
    folder: &str,
    contents: &mut Contents,
) -> Result<Option<FieldTexts>, FileError> {
    let part = archive.part(&format!("{folder}/content.xml"))?;
    let Some(mut part) = part.filter(|_| !folder.is_empty()) else {
        contents.warn("left out: embedded objects".into());
        return Ok(None);
    };
    charts::read(&mut part, contents)
}

/// Makes an image of a shape, and returns its frame.
fn read_shape(
    archive: &mut Archive,
    drawn: &DrawnShape,
    frame: &OpenFrame,
    contents: &mut Contents,
) -> Result<Option<(OpenFrame, FieldTexts)>, FileError> {
    if !has_room(contents) {
        return Ok(None);
    }
    let (element, theme) = (&drawn.element, Theme::default());
    let placement = Placement::of(element, frame.size, &theme);
    let mut links = Vec::new();
    for (id, part) in &drawn.images {
        let Some(bytes) = archive.bytes(part, IMAGE_BYTES_MAX)? else { continue };
        let kind = IMAGE_RELATIONSHIP.to_owned();
        let media_type = image_type(&bytes).unwrap_or("application/octet-stream").to_owned();
        let image = Some((media_type, bytes));
        links.push(KeptLink { id: id.clone(), kind, has_image: true, image, ..KeptLink::default() });
    }
    let mut xml = String::new();
    element.write(&mut xml);
    let anchor = "oneCell".to_owned();
    let kept = KeptShape { xml, anchor, placement, theme, links, ..KeptShape::default() };
    let Some(shape) = add_shape(kept, element, frame.alt_text.clone(), contents) else { return Ok(None) };
    let ((x, y), (width, height)) = (placement.center(), frame.size.unwrap_or_default());
    let offset = (frame.offset.0 + width / 2.0 - x, frame.offset.1 + height / 2.0 - y);
    let framed = OpenFrame {
        cell: frame.cell,
        offset: (offset.0.max(0.0), offset.1.max(0.0)),
        size: Some(placement.frame()),
        alt_text: shape.alt_text,
        framed: Framed::Image(String::new()),
    };
    Ok(Some((framed, shape.fields)))
}

/// Adds the image of a part.
fn read_image(
    archive: &mut Archive,
    part: &str,
    contents: &mut Contents,
) -> Result<Option<FieldTexts>, FileError> {
    let Some(source) = add_image(archive, part, contents)? else { return Ok(None) };
    let mut fields = FieldTexts::default();
    fields.text(Field::Source, Some(source));
    Ok(Some(fields))
}

/// The row or column at a distance from the corner of the sheet in pixels, and the rest of the distance.
/// `sizes` and `hidden` are in ascending order.
fn at_distance(
    distance: f64,
    sizes: &[(u32, u32, u16)],
    hidden: &[(u32, u32)],
    default_size: f64,
) -> (u32, f64) {
    let ends = sizes.iter().flat_map(|(first, count, _)| [*first, first.saturating_add(*count)]);
    let mut ends: Vec<u32> =
        ends.chain(hidden.iter().flat_map(|(first, count)| [*first, first.saturating_add(*count)])).collect();
    ends.sort_unstable();
    let size_of = |index: u32| {
        let run = sizes.partition_point(|(first, ..)| *first <= index).checked_sub(1).map(|at| sizes[at]);
        let gap = hidden.partition_point(|(first, _)| *first <= index).checked_sub(1).map(|at| hidden[at]);
        match (gap, run) {
            (Some((first, count)), _) if index - first < count => 0.0,
            (_, Some((first, count, size))) if index - first < count => f64::from(size),
            _ => default_size,
        }
    };
    let (mut at, mut left) = (0, distance);
    for end in ends {
        let length = f64::from(end - at) * size_of(at);
        if left < length {
            break;
        }
        (at, left) = (end, left - length);
    }
    match size_of(at) {
        0.0 => (at, 0.0),
        size => (at.saturating_add((left / size) as u32), left % size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_measured_over_sized_and_hidden_columns() {
        // Columns A to C of 100 pixels, D of 50, E and F hidden, the others of 64.
        let (sizes, hidden) = ([(0, 3, 100), (3, 1, 50)], [(4, 2)]);
        for (distance, expected) in [
            (0.0, (0, 0.0)),
            (99.0, (0, 99.0)),
            (250.0, (2, 50.0)),
            (300.0, (3, 0.0)),
            (350.0, (6, 0.0)),
            (350.0 + 64.0 + 5.0, (7, 5.0)),
            (350.0 + 640.0, (16, 0.0)),
        ] {
            assert_eq!(at_distance(distance, &sizes, &hidden, 64.0), expected, "{distance}");
        }
        assert_eq!(at_distance(130.0, &[], &[], 64.0), (2, 2.0));
    }
}
