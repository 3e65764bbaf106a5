//! Writes images over the cells and in them. WebP images, which Excel does not read, are left out.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Value};
use quadrille_workbook::{Field, Format, Input, Item, ItemId, ItemKind, Sheet};
use rust_xlsxwriter as xlsx;

use crate::images::{Images, image_type, is_shape};

/// Writes the images of a sheet whose bytes are in `images`, except those of shapes. `style` is that of a
/// format.
pub fn write_images(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    images: &Images,
    style: &dyn Fn(&Format) -> xlsx::Format,
) {
    let in_cells = images_in_cells(sheet, images);
    for (id, item) in sheet.items().of_kind(ItemKind::Image) {
        let bytes = item.text(Field::Source).and_then(|source| images.get(&**source));
        if let Some(bytes) = bytes.filter(|bytes| !is_shape(bytes)) {
            let cell = item.anchors.first().map(|anchor| anchor.first());
            let is_value = cell.is_some_and(|cell| in_cells.get(&cell) == Some(&id));
            let style = cell.filter(|_| is_value).map(|cell| style(sheet.format(cell)));
            let _rejected = write_image(target, item, bytes, style.as_ref());
        }
    }
}

/// The images that are written as the values of their cells: those in blank cells, the first one of a cell.
pub(crate) fn images_in_cells(sheet: &Sheet, images: &Images) -> BTreeMap<CellAddress, ItemId> {
    let mut in_cells = BTreeMap::new();
    for (id, item) in sheet.items().of_kind(ItemKind::Image) {
        let bytes = item.text(Field::Source).and_then(|source| images.get(&**source));
        let kind = bytes.and_then(|bytes| image_type(bytes));
        let Some(cell) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
        let is_blank = sheet.input(cell) == Input::Blank && sheet.value(cell) == Value::Blank;
        if item.boolean(Field::InCell) == Some(true)
            && kind.is_some_and(|kind| kind != "image/webp")
            && is_blank
        {
            in_cells.entry(cell).or_insert(id);
        }
    }
    in_cells
}

/// Writes an image as the value of its cell, which has this style, or over the cells.
fn write_image(
    target: &mut xlsx::Worksheet,
    item: &Item,
    bytes: &[u8],
    cell_style: Option<&xlsx::Format>,
) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let (row, column) = (anchor.first().row.get(), anchor.first().column.get() as u16);
    let mut image = xlsx::Image::new_from_buffer(bytes)?;
    if let Some(text) = item.text(Field::AltText) {
        image = image.set_alt_text(text.to_string());
    }
    if let Some(style) = cell_style {
        return target.embed_image_with_format(row, column, &image, style).map(drop);
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
