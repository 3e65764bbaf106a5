//! Writes images over the cells. WebP images, which Excel does not read, are left out.

use quadrille_workbook::{Field, Item, ItemKind, Sheet};
use rust_xlsxwriter as xlsx;

use crate::images::{Images, is_shape};

/// Writes the images of a sheet whose bytes are in `images`, except those of shapes.
pub fn write_images(target: &mut xlsx::Worksheet, sheet: &Sheet, images: &Images) {
    for (_, item) in sheet.items().of_kind(ItemKind::Image) {
        let bytes = item.text(Field::Source).and_then(|source| images.get(&**source));
        if let Some(bytes) = bytes.filter(|bytes| !is_shape(bytes)) {
            let _rejected = write_image(target, item, bytes);
        }
    }
}

fn write_image(target: &mut xlsx::Worksheet, item: &Item, bytes: &[u8]) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let (row, column) = (anchor.first().row.get(), anchor.first().column.get() as u16);
    let mut image = xlsx::Image::new_from_buffer(bytes)?;
    if let Some(text) = item.text(Field::AltText) {
        image = image.set_alt_text(text.to_string());
    }
    if item.boolean(Field::InCell) == Some(true) {
        return target.insert_image_fit_to_cell(row, column, &image, true).map(drop);
    }
    let pixels = |field: Field| item.number(field).filter(|pixels| *pixels >= 1.0);
    if let (Some(width), Some(height)) = (pixels(Field::Width), pixels(Field::Height)) {
        image = image.set_scale_to_size(width, height, false);
    }
    let offset = |field: Field| pixels(field).unwrap_or(0.0) as u32;
    let (x, y) = (offset(Field::OffsetX), offset(Field::OffsetY));
    target.insert_image_with_offset(row, column, &image, x, y).map(drop)
}
