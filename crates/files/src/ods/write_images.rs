//! Writes images over the cells: frames, and files in the folder `Pictures` (ODF 1.3 part 3, 10.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quadrille_cell::Dimension;
use quadrille_workbook::{Field, Item, ItemKind, Sheet};
use rust_xlsxwriter as xlsx;

use super::lengths::POINT_PX;
use super::numbers::escaped;
use super::write_charts::Frames;
use crate::images::{Images, image_type};

/// Width and height in CSS pixels of columns and rows without a size of their own; those of the client.
const CELL_SIZE: (u16, u16) = (96, 22);

/// The images of a workbook while it is written.
pub(super) struct WrittenImages<'i> {
    images: &'i Images,
    /// Whether the file is one document, which has the images within the frames.
    is_flat: bool,
    /// The files in an archive, by the names of their images.
    pub files: BTreeMap<&'i str, ImageFile<'i>>,
    /// The number of images so far.
    count: usize,
}

/// A file with an image.
pub(super) struct ImageFile<'i> {
    pub path: String,
    pub media_type: &'static str,
    pub bytes: &'i Arc<[u8]>,
}

impl<'i> WrittenImages<'i> {
    /// The images of an archive, or of a file that is one document.
    pub fn new(images: &'i Images, is_flat: bool) -> WrittenImages<'i> {
        WrittenImages { images, is_flat, files: BTreeMap::new(), count: 0 }
    }

    /// Writes the images of a sheet, above its other objects, of which there are `below`.
    pub fn add_frames(&mut self, sheet: &Sheet, below: usize, frames: &mut Frames) {
        for (_, item) in sheet.items().of_kind(ItemKind::Image) {
            let Some((name, bytes, media_type)) = written_image(item, self.images) else { continue };
            let Some(anchor) = item.anchors.first() else { continue };
            let cell = (anchor.first().row.get(), anchor.first().column.get());
            self.count += 1;
            let frame = self.frame(sheet, item, below + self.count, (name, bytes, media_type));
            frames.entry(cell).or_default().push_str(&frame);
        }
    }

    fn frame(
        &mut self,
        sheet: &Sheet,
        item: &Item,
        index: usize,
        (name, bytes, media_type): (&'i str, &'i Arc<[u8]>, &'static str),
    ) -> String {
        let image = match self.is_flat {
            true => {
                let data = STANDARD.encode(bytes);
                format!("<draw:image><office:binary-data>{data}</office:binary-data></draw:image>")
            }
            false => {
                let (_, ending) = media_type.split_once('/').unwrap_or_default();
                let path = format!("Pictures/{name}.{ending}");
                let image = format!(
                    "<draw:image xlink:href=\"{path}\" xlink:type=\"simple\" xlink:show=\"embed\" \
                     xlink:actuate=\"onLoad\"/>"
                );
                self.files.insert(name, ImageFile { path, media_type, bytes });
                image
            }
        };
        let points = |pixels: f64| format!("{}pt", pixels / POINT_PX);
        let offset = |field: Field| points(item.number(field).unwrap_or(0.0));
        let size = size(sheet, item, bytes).map(|(width, height)| {
            format!(" svg:width=\"{}\" svg:height=\"{}\"", points(width), points(height))
        });
        let description =
            item.text(Field::AltText).map(|text| format!("<svg:desc>{}</svg:desc>", escaped(text)));
        format!(
            "<draw:frame draw:name=\"Image {}\" draw:z-index=\"{index}\"{} svg:x=\"{}\" svg:y=\"{}\">{image}{}\
             </draw:frame>",
            self.count,
            size.unwrap_or_default(),
            offset(Field::OffsetX),
            offset(Field::OffsetY),
            description.unwrap_or_default()
        )
    }
}

/// Whether a file has an image: its bytes are known.
pub(crate) fn is_image_written(item: &Item, images: &Images) -> bool {
    written_image(item, images).is_some()
}

/// The name, the bytes and the media type of an image.
fn written_image<'i>(item: &Item, images: &'i Images) -> Option<(&'i str, &'i Arc<[u8]>, &'static str)> {
    let (name, bytes) = images.get_key_value(&**item.text(Field::Source)?)?;
    Some((name, bytes, image_type(bytes)?))
}

/// Width and height in CSS pixels: those of the item; in a cell, as large as the cell allows; otherwise those of
/// the image. `None` for a WebP image without a size.
fn size(sheet: &Sheet, item: &Item, bytes: &[u8]) -> Option<(f64, f64)> {
    let own = || {
        let pixels = |field: Field| item.number(field).filter(|pixels| *pixels >= 1.0);
        pixels(Field::Width).zip(pixels(Field::Height))
    };
    let image = || {
        let image = xlsx::Image::new_from_buffer(bytes).ok()?;
        Some((image.width(), image.height()))
    };
    if item.boolean(Field::InCell) != Some(true) {
        return own().or_else(image);
    }
    let cell = item.anchors.first()?.first();
    let cell_width = sheet.size(Dimension::Columns, cell.column.get()).unwrap_or(CELL_SIZE.0);
    let cell_height = sheet.size(Dimension::Rows, cell.row.get()).unwrap_or(CELL_SIZE.1);
    let (cell_width, cell_height) = (f64::from(cell_width), f64::from(cell_height));
    let (width, height) = image().unwrap_or((cell_width, cell_height));
    let scale = (cell_width / width).min(cell_height / height);
    Some((width * scale, height * scale))
}
