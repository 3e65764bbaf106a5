//! Reads drawings: images and charts over the cells become items, frames of slicers get theirs from other
//! parts; other objects are left out with a warning.

use quadrille_cell::CellAddress;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::colors::Theme;
use super::xml::Node;
use super::{charts, workbook_part};
use crate::contents::{Contents, FieldTexts, SheetContents};
use crate::error::FileError;
use crate::frame::{Frame, whole_pixels};
use crate::limits::SLICERS_MAX;
use crate::read_image::add_image;

/// English Metric Units (EMU) per CSS pixel: 914,400 per inch.
const UNITS_PER_PIXEL: f64 = 9_525.0;
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
    is_group: bool,
}

/// The frame of a slicer or timeline.
pub struct SlicerFrame {
    pub name: String,
    pub frame: Frame,
}

/// Reads a drawing part. Its images and charts become items of the sheet added last. Returns its frames of
/// slicers.
pub fn read(
    archive: &mut Archive,
    name: &str,
    theme: &Theme,
    contents: &mut Contents,
) -> Result<Vec<SlicerFrame>, FileError> {
    let mut frames = Vec::new();
    let Some(part) = archive.part(name)? else { return Ok(frames) };
    let drawings = drawings(part, contents)?;
    let links = workbook_part::links_of(archive, name)?;
    for drawing in drawings {
        if let Some(name) = drawing.slicer.clone() {
            if let (Some(frame), true) = (frame_of(contents, drawing), frames.len() < SLICERS_MAX) {
                frames.push(SlicerFrame { name, frame: Frame { alt_text: None, ..frame } });
            }
            continue;
        }
        if let Some(id) = &drawing.chart {
            let target = links.iter().find(|link| link.id == *id && link.kind == "chart");
            let part = target.map(|link| archive.part(&link.target)).transpose()?.flatten();
            match part.map(|part| charts::read(part, theme, contents)).transpose()? {
                Some(Some(fields)) => {
                    put(contents, ItemKind::Chart, drawing, fields);
                }
                Some(None) => {}
                None => contents.warn("left out: charts of unknown types".into()),
            }
            continue;
        }
        let Some(id) = &drawing.image else { continue };
        let target = links.iter().find(|link| link.id == *id && link.kind == "image");
        let part = target.map_or("", |link| link.target.as_str());
        if let Some(source) = add_image(archive, part, contents)? {
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
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" => drawing = Drawing::default(),
                "from" => is_start = true,
                "to" => drawing.end = Some(Default::default()),
                "row" | "col" | "rowOff" | "colOff" => {
                    let name = element.name().to_owned();
                    let number = part.text()?.trim().parse::<f64>().unwrap_or(0.0);
                    drawing.set(is_start, &name, number);
                }
                "pos" => {
                    let unit = |name: &str| element.number::<f64>(name).unwrap_or(0.0);
                    drawing.offset = (unit("x"), unit("y"));
                }
                "ext" => {
                    let size = element.number::<f64>("cx").zip(element.number::<f64>("cy"));
                    // Frames of charts have a transform of no size within the anchor.
                    let size = size.filter(|(width, height)| width * height > 0.0);
                    drawing.size = size.or(drawing.size);
                }
                "cNvPr" => drawing.alt_text = element.attribute("descr"),
                "blip" => drawing.image = element.attribute("r:embed").or(drawing.image),
                "chart" => drawing.chart = element.attribute("r:id"),
                "slicer" | "timeslicer" => drawing.slicer = element.attribute("name"),
                "grpSp" => drawing.is_group = true,
                "sp" | "cxnSp" => contents.warn("left out: shapes".into()),
                // The alternative for programs that do not know an object; the object itself was
                // examined.
                "Fallback" => part.skip()?,
                _ => {}
            },
            node if node.ends("from") => is_start = false,
            node if node.ends("twoCellAnchor")
                || node.ends("oneCellAnchor")
                || node.ends("absoluteAnchor") =>
            {
                let drawing = std::mem::take(&mut drawing);
                match drawing.is_group {
                    true => contents.warn("left out: grouped images and shapes".into()),
                    false => drawings.push(drawing),
                }
            }
            Node::EndOfPart => return Ok(drawings),
            _ => {}
        }
    }
}

impl Drawing {
    /// Sets a coordinate of the first corner, or of the opposite corner.
    fn set(&mut self, is_start: bool, name: &str, number: f64) {
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
