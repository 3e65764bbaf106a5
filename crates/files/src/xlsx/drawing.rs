//! Reads drawings: images, charts and shapes over the cells become items, frames of slicers get theirs from
//! other parts; other objects are left out with a warning.

use quadrille_cell::CellAddress;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::colors::Theme;
use super::controls::{DrawnControl, FoundControl, SheetControls, StandIn};
use super::shapes::FoundShape;
use super::workbook_part::Relationship;
use super::xml::Node;
use super::{charts, newer_charts, shapes, workbook_part};
use crate::contents::{Contents, FieldTexts, SheetContents};
use crate::error::FileError;
use crate::frame::{Frame, moved_back, whole_pixels};
use crate::images::image_type;
use crate::limits::{IMAGE_BYTES_MAX, SHAPE_BYTES_MAX, SLICERS_MAX};
use crate::read_image::add_image;
use crate::shapes::{UNITS_PER_PIXEL, XmlElement, is_plain_picture, object_properties};

/// Declarations of namespaces of a drawing, at most.
const NAMESPACES_MAX: usize = 100;
/// Column width in CSS pixels that programs assume if the file has none.
const COLUMN_PIXELS: f64 = 64.0;
/// Row height in CSS pixels that programs assume if the file has none.
const ROW_PIXELS: f64 = 20.0;

/// An object over the cells.
#[derive(Default)]
struct Drawing {
    row: u32,
    column: u32,
    /// Offset from the corner of the cell in EMU.
    offset: (f64, f64),
    size: Option<(f64, f64)>,
    /// Row, column and offset of the opposite corner, if the size follows from the cells between
    /// the corners.
    end: Option<(u32, u32, (f64, f64))>,
    alt_text: Option<String>,
    /// Relationship id of the image's part.
    image: Option<String>,
    /// Relationship id of the chart's part.
    chart: Option<String>,
    /// Name of the slicer or timeline in the frame.
    slicer: Option<String>,
    /// A shape, a SmartArt graphic, or a picture that may be more than an image.
    shape: Option<FoundShape>,
}

/// The frame of a slicer or timeline.
pub struct SlicerFrame {
    pub name: String,
    pub frame: Frame,
}

/// Reads a drawing part. Its images, charts and shapes become items of the sheet added last, which has the
/// relationships `sheet_links`. Returns its frames of slicers.
pub(super) fn read(
    archive: &mut Archive,
    name: &str,
    theme: &Theme,
    sheet_links: &[Relationship],
    controls: &mut SheetControls,
    contents: &mut Contents,
) -> Result<Vec<SlicerFrame>, FileError> {
    let mut frames = Vec::new();
    let Some(part) = archive.part(name)? else { return Ok(frames) };
    let drawings = drawings(part, contents)?;
    let links = workbook_part::links_of(archive, name)?;
    for mut drawing in drawings {
        if let Some(name) = drawing.slicer.clone() {
            if let (Some(frame), true) = (frame_of(contents, drawing), frames.len() < SLICERS_MAX) {
                frames.push(SlicerFrame { name, frame: Frame { alt_text: None, ..frame } });
            }
            continue;
        }
        if let Some(id) = &drawing.chart {
            let link = links.iter().find(|link| link.id == *id);
            let kind = link.map_or("", |link| link.kind.as_str());
            let part = link.map(|link| archive.part(&link.target)).transpose()?.flatten();
            let read = part.and_then(|part| match kind {
                "chart" => Some(charts::read(part, theme, contents)),
                "chartEx" => Some(newer_charts::read(part, theme, contents)),
                _ => None,
            });
            match read.transpose()? {
                Some(Some(fields)) => {
                    put(contents, ItemKind::Chart, drawing, fields);
                }
                Some(None) => {}
                None => contents.warn("left out: charts of unknown types".into()),
            }
            continue;
        }
        let stand_in = drawing.shape.as_ref().and_then(|found| controls.take(found));
        match stand_in {
            Some(StandIn::Of(found, is_named)) => {
                let shape = drawing.shape.take();
                let drawn = shape.map(|shape| DrawnControl { shape, links: &links, is_named });
                put_control(archive, drawing, found, drawn, sheet_links, controls, contents)?;
                continue;
            }
            Some(StandIn::OfNothing) => {
                contents.warn("left out: form controls".into());
                continue;
            }
            None => {}
        }
        let target = drawing.image.as_ref();
        let target = target.and_then(|id| links.iter().find(|link| link.id == *id && link.kind == "image"));
        let part = target.map_or("", |link| link.target.as_str());
        let is_shape = match &drawing.shape {
            // Pictures of types that browsers do not display come back as they were.
            Some(found) if found.element.local_name() == "pic" && is_plain_picture(&found.element) => {
                let bytes = archive.bytes(part, IMAGE_BYTES_MAX)?;
                bytes.is_some_and(|bytes| image_type(&bytes).is_none())
            }
            found => found.is_some(),
        };
        if is_shape {
            put_shape(archive, drawing, &links, theme, contents)?;
        } else if drawing.image.is_none() {
            continue;
        } else if let Some(source) = add_image(archive, part, contents)? {
            let mut fields = FieldTexts::default();
            fields.text(Field::Source, Some(source));
            put(contents, ItemKind::Image, drawing, fields);
        }
    }
    Ok(frames)
}

fn drawings(mut part: Part, contents: &mut Contents) -> Result<Vec<Drawing>, FileError> {
    let mut drawings = Vec::new();
    let mut drawing = Drawing::default();
    let mut is_start = false;
    let mut anchor = "twoCell";
    let mut requires = None;
    // Those of all elements around shapes; the drawing declares nearly all of them at its root.
    let mut namespaces: Vec<(String, String)> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) => {
                let declared = element.prefixed_attributes().into_iter();
                let declared = declared.filter(|(name, _)| name == "xmlns" || name.starts_with("xmlns:"));
                namespaces.extend(declared.take(NAMESPACES_MAX.saturating_sub(namespaces.len())));
                match element.name() {
                    "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" => {
                        drawing = Drawing::default();
                        anchor = match (element.name(), element.attribute("editAs").as_deref()) {
                            ("oneCellAnchor", _) | (_, Some("oneCell")) => "oneCell",
                            ("absoluteAnchor", _) | (_, Some("absolute")) => "absolute",
                            _ => "twoCell",
                        };
                    }
                    "from" => is_start = true,
                    "to" => drawing.end = Some(Default::default()),
                    "row" | "col" | "rowOff" | "colOff" => {
                        let name = element.name().to_owned();
                        let number = part.text()?.trim().parse::<f64>().unwrap_or(0.0);
                        drawing.set_corner(is_start, &name, number);
                    }
                    "pos" => {
                        let unit = |name: &str| element.number::<f64>(name).unwrap_or(0.0);
                        drawing.offset = (unit("x"), unit("y"));
                    }
                    "ext" => {
                        let size = element.number::<f64>("cx").zip(element.number::<f64>("cy"));
                        drawing.size = size.filter(|(width, height)| width * height > 0.0);
                    }
                    "sp" | "cxnSp" | "grpSp" | "pic" | "graphicFrame" => {
                        let shape = XmlElement::start(&element);
                        let mut bytes_left = SHAPE_BYTES_MAX;
                        match shape.read(&mut part, &mut bytes_left)? {
                            Some(element) => {
                                let (namespaces, requires) = (namespaces.clone(), requires.clone());
                                drawing.set(FoundShape { element, namespaces, requires, anchor });
                            }
                            None => contents.warn("left out: shapes that are too large".into()),
                        }
                    }
                    "Choice" => requires = element.attribute("Requires"),
                    // The alternative for programs that do not know an object; the object itself was
                    // examined.
                    "Fallback" => part.skip()?,
                    _ => {}
                }
            }
            node if node.ends("from") => is_start = false,
            node if node.ends("Choice") => requires = None,
            node if node.ends("twoCellAnchor")
                || node.ends("oneCellAnchor")
                || node.ends("absoluteAnchor") =>
            {
                drawings.push(std::mem::take(&mut drawing));
            }
            Node::EndOfPart => return Ok(drawings),
            _ => {}
        }
    }
}

impl Drawing {
    /// Adds an object, with its size and its description.
    fn set(&mut self, found: FoundShape) {
        let object = &found.element;
        let size = match object.local_name() {
            "pic" => object.at(&["spPr", "xfrm", "ext"]),
            "graphicFrame" => object.at(&["xfrm", "ext"]),
            _ => None,
        };
        let size = size.and_then(|size| Some((size.number("cx")?, size.number("cy")?)));
        // Frames of charts have a transform of no size within the anchor.
        self.size = size.filter(|(width, height)| width * height > 0.0).or(self.size);
        let properties = object_properties(object);
        self.alt_text = properties.and_then(|own| own.attribute("descr")).map(str::to_owned);
        if object.local_name() != "graphicFrame" {
            let blip = object.at(&["blipFill", "blip"]);
            self.image = blip.and_then(|blip| blip.attribute("r:embed")).map(str::to_owned);
            self.shape = Some(found);
            return;
        }
        let graphic = object.at(&["graphic", "graphicData"]).and_then(|data| data.elements().next());
        let Some(graphic) = graphic else { return };
        match graphic.local_name() {
            "chart" => self.chart = graphic.attribute("r:id").map(str::to_owned),
            "slicer" | "timeslicer" => self.slicer = graphic.attribute("name").map(str::to_owned),
            // A SmartArt graphic.
            "relIds" => self.shape = Some(found),
            _ => {}
        }
    }

    /// Sets a coordinate of the first corner, or of the opposite corner.
    fn set_corner(&mut self, is_start: bool, name: &str, number: f64) {
        let (row, column, offset) = match (is_start, &mut self.end) {
            (true, _) => (&mut self.row, &mut self.column, &mut self.offset),
            (false, Some((row, column, offset))) => (row, column, offset),
            (false, None) => return,
        };
        match name {
            "row" => *row = number as u32,
            "col" => *column = number as u32,
            "rowOff" => offset.1 = number,
            _ => offset.0 = number,
        }
    }

    /// Size of the cells between the corners in EMU.
    fn covered(&self, sheet: &SheetContents) -> Option<(f64, f64)> {
        let (row, column, offset) = self.end?;
        let across =
            pixels_between(&sheet.column_widths, &sheet.hidden_columns, COLUMN_PIXELS, self.column, column);
        let down = pixels_between(&sheet.row_heights, &sheet.hidden_rows, ROW_PIXELS, self.row, row);
        Some((
            across * UNITS_PER_PIXEL + offset.0 - self.offset.0,
            down * UNITS_PER_PIXEL + offset.1 - self.offset.1,
        ))
    }
}

/// Distance in pixels from the row or column `start` to `end`.
fn pixels_between(
    sizes: &[(u32, u32, u16)],
    hidden: &[(u32, u32)],
    default_size: f64,
    start: u32,
    end: u32,
) -> f64 {
    let within = |first: u32, count: u32| {
        f64::from(end.min(first.saturating_add(count)).saturating_sub(start.max(first)))
    };
    let sized: f64 = sizes
        .iter()
        .map(|(first, count, size)| within(*first, *count) * (f64::from(*size) - default_size))
        .sum();
    let size_of = |index: u32| {
        let own =
            sizes.iter().find(|(first, count, _)| (*first..first.saturating_add(*count)).contains(&index));
        own.map_or(default_size, |(_, _, size)| f64::from(*size))
    };
    let hidden: f64 = hidden.iter().map(|(first, count)| within(*first, *count) * size_of(*first)).sum();
    f64::from(end.saturating_sub(start)) * default_size + sized - hidden
}

/// Adds a shape to the sheet added last.
fn put_shape(
    archive: &mut Archive,
    mut drawing: Drawing,
    links: &[Relationship],
    theme: &Theme,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let Some(found) = drawing.shape.take() else { return Ok(()) };
    let covered = contents.sheets.last().and_then(|sheet| drawing.covered(sheet)).or(drawing.size);
    let covered = covered.map(|(width, height)| (width / UNITS_PER_PIXEL, height / UNITS_PER_PIXEL));
    let Some(read) = shapes::read(archive, found, covered, links, theme, contents)? else { return Ok(()) };
    let Some(sheet) = contents.sheets.last() else { return Ok(()) };
    let (x, y) = read.placement.anchor_offset();
    let offset = (drawing.offset.0 / UNITS_PER_PIXEL - x, drawing.offset.1 / UNITS_PER_PIXEL - y);
    let (column, across) = moved_back(drawing.column, offset.0, |column| {
        pixels_between(&sheet.column_widths, &sheet.hidden_columns, COLUMN_PIXELS, column, column + 1)
    });
    let (row, down) = moved_back(drawing.row, offset.1, |row| {
        pixels_between(&sheet.row_heights, &sheet.hidden_rows, ROW_PIXELS, row, row + 1)
    });
    let Some(cell) = CellAddress::new(row, column) else { return Ok(()) };
    let size = Some(read.placement.frame());
    let frame = Frame { cell, offset: (across, down), size, alt_text: read.alt_text };
    contents.put_item(frame.item(ItemKind::Image, read.fields));
    Ok(())
}

/// Adds the controls and embedded objects for which no shape of a drawing stands to the sheet added last.
pub(super) fn read_controls(
    archive: &mut Archive,
    sheet_links: &[Relationship],
    controls: &mut SheetControls,
    contents: &mut Contents,
) -> Result<(), FileError> {
    while let Some(found) = controls.take_next() {
        let Some(((row, column, offset), end)) = found.corners() else {
            found.warn(contents);
            continue;
        };
        let drawing = Drawing { row, column, offset, end: Some(end), ..Drawing::default() };
        put_control(archive, drawing, found, None, sheet_links, controls, contents)?;
    }
    Ok(())
}

/// Adds a control or an embedded object to the sheet added last.
fn put_control(
    archive: &mut Archive,
    drawing: Drawing,
    found: FoundControl,
    drawn: Option<DrawnControl>,
    sheet_links: &[Relationship],
    controls: &SheetControls,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let Some(frame) = frame_of(contents, drawing) else {
        found.warn(contents);
        return Ok(());
    };
    let size = frame.size.unwrap_or((COLUMN_PIXELS, ROW_PIXELS));
    let read = controls.image(archive, found, drawn, size, sheet_links, contents)?;
    if let Some(read) = read {
        let frame = Frame { size: Some(size), alt_text: read.alt_text, ..frame };
        contents.put_item(frame.item(ItemKind::Image, read.fields));
    }
    Ok(())
}

/// Adds an item with the position and size of the drawing to the sheet added last.
fn put(contents: &mut Contents, kind: ItemKind, drawing: Drawing, fields: FieldTexts) {
    if let Some(frame) = frame_of(contents, drawing) {
        contents.put_item(frame.item(kind, fields));
    }
}

/// The frame of a drawing on the sheet added last.
fn frame_of(contents: &Contents, drawing: Drawing) -> Option<Frame> {
    let in_pixels = |(across, down): (f64, f64)| (across / UNITS_PER_PIXEL, down / UNITS_PER_PIXEL);
    // An explicit size, which images usually have, takes precedence over the cells between the
    // corners.
    let covered = contents.sheets.last().and_then(|sheet| drawing.covered(sheet));
    let mut sizes = [drawing.size, covered].into_iter().flatten().map(in_pixels);
    let is_some = |(width, height): &(f64, f64)| whole_pixels(*width) * whole_pixels(*height) > 0.0;
    Some(Frame {
        cell: CellAddress::new(drawing.row, drawing.column)?,
        offset: in_pixels(drawing.offset),
        size: sizes.find(is_some),
        alt_text: drawing.alt_text,
    })
}
