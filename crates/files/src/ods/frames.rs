//! Reads frames: charts and other objects over the cells (ODF 1.3 part 3, 10.4).

use quadrille_cell::{COLUMNS_MAX, CellAddress, ROWS_MAX};
use quadrille_workbook::ItemKind;

use super::chart_xml::{Attributes, children};
use super::charts;
use super::lengths::length;
use crate::contents::{Contents, SheetContents};
use crate::error::FileError;
use crate::frame::{Frame, whole_pixels};
use crate::limits::ITEMS_MAX;
use crate::xlsx::archive::{Archive, Part};

/// CSS pixels per point.
const POINT_PX: f64 = 96.0 / 72.0;
/// The width of columns without a width, and the height of rows without a height, in LibreOffice.
const COLUMN_PIXELS: f64 = 64.0 * POINT_PX;
const ROW_PIXELS: f64 = 12.81 * POINT_PX;

/// A frame that may have a chart, which is a part of its own.
pub(super) struct OpenFrame {
    /// The cell with the frame, or the sheet if the frame is at a place of the sheet.
    pub cell: Option<CellAddress>,
    /// Distance from the corner of the cell or of the sheet in CSS pixels.
    offset: (f64, f64),
    size: Option<(f64, f64)>,
    alt_text: Option<String>,
    /// The folder of the object.
    object: String,
}

impl OpenFrame {
    /// Reads an element `draw:frame` up to its end. Returns `None`, with a warning, for frames without an
    /// object.
    pub fn read(
        part: &mut Part,
        element: &Attributes,
        contents: &mut Contents,
    ) -> Result<Option<OpenFrame>, FileError> {
        let pixels = |name: &str| Some(length(element.get(name).map(str::to_owned))? * POINT_PX);
        let (mut object, mut title, mut description, mut has_image) = (None, None, None, false);
        children(part, |part, name, attributes| {
            match name {
                "object" => object = attributes.get("xlink:href").map(str::to_owned),
                "title" => {
                    title = Some(part.text()?);
                    return Ok(());
                }
                "desc" => {
                    description = Some(part.text()?);
                    return Ok(());
                }
                // An object of another program; its picture follows.
                "object-ole" => object = Some(String::new()),
                "image" => has_image = true,
                _ => {}
            }
            part.skip()
        })?;
        let Some(object) = object else {
            contents.warn(if has_image { "left out: images" } else { "left out: shapes" }.into());
            return Ok(None);
        };
        Ok(Some(OpenFrame {
            cell: None,
            offset: (pixels("svg:x").unwrap_or(0.0), pixels("svg:y").unwrap_or(0.0)),
            size: pixels("svg:width").zip(pixels("svg:height")),
            alt_text: description.or(title),
            object: object.trim_start_matches("./").trim_matches('/').to_owned(),
        }))
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
    contents: &mut Contents,
    frames: &mut Vec<OpenFrame>,
) -> Result<(), FileError> {
    children(part, |part, name, attributes| {
        if name == "frame" {
            let frame = OpenFrame::read(part, attributes, contents)?;
            push(frames, frame, contents);
            return Ok(());
        }
        warn_of_shape(name, contents);
        part.skip()
    })
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

/// Reads the charts in the frames of the sheets, which become items.
pub(super) fn read_objects(
    archive: &mut Archive,
    frames: Vec<Vec<OpenFrame>>,
    contents: &mut Contents,
) -> Result<(), FileError> {
    for (sheet, frames) in frames.into_iter().enumerate() {
        for frame in frames {
            let part = archive.part(&format!("{}/content.xml", frame.object))?;
            let Some(mut part) = part.filter(|_| !frame.object.is_empty()) else {
                contents.warn("left out: embedded objects".into());
                continue;
            };
            if let Some(fields) = charts::read(&mut part, contents)? {
                let frame = frame.placed(&contents.sheets[sheet]);
                contents.put_item_of(sheet, frame.item(ItemKind::Chart, fields));
            }
        }
    }
    Ok(())
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
