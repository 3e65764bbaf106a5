//! Writes images and shapes over the cells: frames, and files in the folder `Pictures` (ODF 1.3 part 3, 10.4).

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
use super::write_shapes::{ShapeStyles, ShapeWriter};
use crate::images::{Images, image_name, image_type};
use crate::shapes::KeptShape;

/// Width and height in CSS pixels of columns and rows without a size of their own; those of the client.
const CELL_SIZE: (u16, u16) = (96, 22);

/// The images of a workbook while it is written.
pub(super) struct WrittenImages<'i> {
    images: &'i Images,
    /// Whether the file is one document, which has the images within the frames.
    is_flat: bool,
    /// The files in an archive.
    pub files: ImageFiles,
    pub shape_styles: ShapeStyles,
    /// The number of images and shapes so far.
    count: usize,
}

/// Files with images by their paths.
type ImageFiles = BTreeMap<String, ImageFile>;

/// A file with an image.
pub(super) struct ImageFile {
    pub media_type: String,
    pub bytes: Arc<[u8]>,
}

impl<'i> WrittenImages<'i> {
    /// The images of an archive, or of a file that is one document.
    pub fn new(images: &'i Images, is_flat: bool) -> WrittenImages<'i> {
        let (files, shape_styles) = (BTreeMap::new(), ShapeStyles::default());
        WrittenImages { images, is_flat, files, shape_styles, count: 0 }
    }

    /// Writes the images and shapes of a sheet, above its other objects, of which there are `below`.
    pub fn add_frames(&mut self, sheet: &Sheet, below: usize, frames: &mut Frames) {
        for (_, item) in sheet.items().of_kind(ItemKind::Image) {
            let Some(anchor) = item.anchors.first() else { continue };
            let cell = (anchor.first().row.get(), anchor.first().column.get());
            let frame = match (written_image(item, self.images), shape(item, self.images)) {
                (Some(image), _) => {
                    self.count += 1;
                    self.frame(sheet, item, below + self.count, image)
                }
                (None, Some(kept)) => {
                    self.count += 1;
                    let (files, is_flat) = (&mut self.files, self.is_flat);
                    let store = |media_type: &str, bytes: &[u8]| {
                        image_element(&image_name(bytes), media_type, &Arc::from(bytes), is_flat, files)
                    };
                    let styles = &mut self.shape_styles;
                    let writer = ShapeWriter { styles, kept: &kept, store, z_index: below + self.count };
                    writer.write(item).unwrap_or_default()
                }
                (None, None) => continue,
            };
            frames.entry(cell).or_default().push_str(&frame);
        }
    }

    fn frame(
        &mut self,
        sheet: &Sheet,
        item: &Item,
        index: usize,
        (name, bytes, media_type): (&str, &Arc<[u8]>, &str),
    ) -> String {
        let image = image_element(name, media_type, bytes, self.is_flat, &mut self.files);
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

/// The element of an image, whose bytes are within it or in a file.
fn image_element(
    name: &str,
    media_type: &str,
    bytes: &Arc<[u8]>,
    is_flat: bool,
    files: &mut ImageFiles,
) -> String {
    if is_flat {
        let data = STANDARD.encode(bytes);
        return format!("<draw:image><office:binary-data>{data}</office:binary-data></draw:image>");
    }
    // `image/svg+xml` and `image/x-emf` have the endings `svg` and `emf`.
    let ending = media_type.rsplit('/').next().and_then(|kind| kind.split('+').next()).unwrap_or_default();
    let path = format!("Pictures/{name}.{}", ending.trim_start_matches("x-"));
    let image = format!(
        "<draw:image xlink:href=\"{path}\" xlink:type=\"simple\" xlink:show=\"embed\" \
         xlink:actuate=\"onLoad\"/>"
    );
    files.insert(path, ImageFile { media_type: media_type.to_owned(), bytes: bytes.clone() });
    image
}

/// Whether a file has an image or a shape: its bytes are known.
pub(crate) fn is_image_written(item: &Item, images: &Images) -> bool {
    written_image(item, images).is_some() || shape(item, images).is_some()
}

/// The shape that an image shows. Form controls and embedded objects are not written.
fn shape(item: &Item, images: &Images) -> Option<KeptShape> {
    KeptShape::decode(images.get(&**item.text(Field::Source)?)?).filter(|kept| kept.control.is_none())
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
