//! What lies over the cells of a sheet: images and charts are taken, of all else is said that it is left out.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::colors::Theme;
use super::xml::Node;
use super::{charts, workbook_part};
use crate::contents::{Contents, FieldTexts, ItemContents, SheetContents};
use crate::error::FileError;
use crate::images::{image_name, image_type};
use crate::limits::{IMAGE_BYTES_MAX, IMAGES_BYTES_MAX};

/// English Metric Units of a CSS pixel: 914,400 to the inch.
const UNITS_PER_PIXEL: f64 = 9_525.0;
/// Of a line that has no size of its own, as programs show it that write such files.
const COLUMN_PIXELS: f64 = 64.0;
const ROW_PIXELS: f64 = 20.0;
/// Characters of an alternative text.
const ALT_TEXT_LENGTH_MAX: usize = 1_000;
/// As wide and high as a image may be.
const PIXELS_MAX: f64 = 10_000.0;

/// One thing over the cells.
#[derive(Default)]
struct Placed {
    row: u32,
    column: u32,
    /// In units, from the corner of the cell.
    offset: (f64, f64),
    size: Option<(f64, f64)>,
    /// Row, column and offset of the corner across, where the size follows from the cells between.
    end: Option<(u32, u32, (f64, f64))>,
    alt_text: Option<String>,
    /// The link to the image's part.
    image: Option<String>,
    /// The link to the chart's part.
    chart: Option<String>,
    is_group: bool,
}

/// Reads a drawing; its images and charts become items of the sheet that was added last.
pub fn read(
    archive: &mut Archive,
    name: &str,
    theme: &Theme,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let Some(part) = archive.part(name)? else { return Ok(()) };
    let placed = placed(part, contents)?;
    let links = workbook_part::links_of(archive, name)?;
    for thing in placed {
        if let Some(id) = &thing.chart {
            let target = links.iter().find(|link| link.id == *id && link.kind == "chart");
            let part = target.map(|link| archive.part(&link.target)).transpose()?.flatten();
            match part.map(|part| charts::read(part, theme, contents)).transpose()? {
                Some(Some(fields)) => put(contents, ItemKind::Chart, thing, fields),
                Some(None) => {}
                None => contents.warn("left out: charts of unknown kinds".into()),
            }
            continue;
        }
        let Some(id) = &thing.image else { continue };
        let target = links.iter().find(|link| link.id == *id && link.kind == "image");
        let Some(target) = target.map(|link| link.target.as_str()) else {
            contents.warn("left out: images missing from the file".into());
            continue;
        };
        let Some(bytes) = archive.bytes(target, IMAGE_BYTES_MAX)? else {
            contents.warn(format!("left out: images larger than {} MiB", IMAGE_BYTES_MAX >> 20));
            continue;
        };
        if image_type(&bytes).is_none() {
            contents.warn("left out: images other than PNG, JPEG, GIF and WebP".into());
            continue;
        }
        put_image(contents, thing, bytes);
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
                "to" => thing.end = Some(Default::default()),
                "row" | "col" | "rowOff" | "colOff" => {
                    let name = element.name().to_owned();
                    let number = part.text()?.trim().parse::<f64>().unwrap_or(0.0);
                    thing.put(is_start, &name, number);
                }
                "pos" => {
                    let unit = |name: &str| element.number::<f64>(name).unwrap_or(0.0);
                    thing.offset = (unit("x"), unit("y"));
                }
                "ext" => {
                    let size = element.number::<f64>("cx").zip(element.number::<f64>("cy"));
                    thing.size = size.or(thing.size);
                }
                "cNvPr" => thing.alt_text = element.attribute("descr"),
                "blip" => thing.image = element.attribute("r:embed").or(thing.image),
                "chart" => thing.chart = element.attribute("r:id"),
                "grpSp" => thing.is_group = true,
                "sp" | "cxnSp" => contents.warn("left out: shapes".into()),
                // What stands for something that a program does not know; we have looked at the thing itself.
                "Fallback" => part.skip()?,
                _ => {}
            },
            node if node.ends("from") => is_start = false,
            node if node.ends("twoCellAnchor")
                || node.ends("oneCellAnchor")
                || node.ends("absoluteAnchor") =>
            {
                let thing = std::mem::take(&mut thing);
                match thing.is_group {
                    true => contents.warn("left out: grouped images and shapes".into()),
                    false => found.push(thing),
                }
            }
            Node::EndOfPart => return Ok(found),
            _ => {}
        }
    }
}

impl Placed {
    /// A number of its first corner, or of the one across.
    fn put(&mut self, is_start: bool, name: &str, number: f64) {
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

    /// Of the cells that it covers, in units.
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

/// How far the line `end` begins behind the line `start`.
fn pixels_between(sizes: &[(u32, u32, u16)], hidden: &[(u32, u32)], usual: f64, start: u32, end: u32) -> f64 {
    let within = |first: u32, count: u32| {
        f64::from(end.min(first.saturating_add(count)).saturating_sub(start.max(first)))
    };
    let sized: f64 =
        sizes.iter().map(|(first, count, size)| within(*first, *count) * (f64::from(*size) - usual)).sum();
    let size_of = |line: u32| {
        let own =
            sizes.iter().find(|(first, count, _)| (*first..first.saturating_add(*count)).contains(&line));
        own.map_or(usual, |(_, _, size)| f64::from(*size))
    };
    let lost: f64 = hidden.iter().map(|(first, count)| within(*first, *count) * size_of(*first)).sum();
    f64::from(end.saturating_sub(start)) * usual + sized - lost
}

fn put_image(contents: &mut Contents, thing: Placed, bytes: Vec<u8>) {
    let source = image_name(&bytes);
    if !contents.images.contains_key(&source) {
        let kept: usize = contents.images.values().map(|bytes| bytes.len()).sum();
        if kept + bytes.len() > IMAGES_BYTES_MAX {
            contents.warn(format!("left out: images beyond {} MiB in total", IMAGES_BYTES_MAX >> 20));
            return;
        }
        contents.images.insert(source.clone(), Arc::from(bytes));
    }
    let mut fields = FieldTexts::default();
    fields.text(Field::Source, Some(source));
    put(contents, ItemKind::Image, thing, fields);
}

/// Adds it to the sheet, at its place.
fn put(contents: &mut Contents, kind: ItemKind, thing: Placed, mut fields: FieldTexts) {
    let Some(cell) = CellAddress::new(thing.row, thing.column) else { return };
    let pixels = |units: f64| (units / UNITS_PER_PIXEL).round().clamp(0.0, PIXELS_MAX);
    for (field, units) in [(Field::OffsetX, thing.offset.0), (Field::OffsetY, thing.offset.1)] {
        if pixels(units) > 0.0 {
            fields.put(field, ItemValue::Number(pixels(units)));
        }
    }
    // A chart's own size is seldom said; a image's may be another one than that of the cells below it.
    let covered = contents.sheets.last().and_then(|sheet| thing.covered(sheet));
    let sizes = [thing.size, covered];
    let is_some = |(width, height): &(f64, f64)| pixels(*width) * pixels(*height) > 0.0;
    if let Some((width, height)) = sizes.into_iter().flatten().find(is_some) {
        fields.number(Field::Width, Some(pixels(width)));
        fields.number(Field::Height, Some(pixels(height)));
    }
    let alt_text = thing.alt_text.map(|text| text.chars().take(ALT_TEXT_LENGTH_MAX).collect::<String>());
    fields.text(Field::AltText, alt_text);
    let anchors = vec![Range::cell(cell)];
    contents.put_item(ItemContents { kind, anchors, fields, parent: None });
}
