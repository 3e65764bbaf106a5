//! [`Frame`]: where an image, a chart or a slicer lies over the cells.

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use crate::contents::{FieldTexts, ItemContents};

/// Characters of an alternative text, at most.
const ALT_TEXT_LENGTH_MAX: usize = 1_000;
/// Width, height and offsets of an object in CSS pixels, at most.
const PIXELS_MAX: f64 = 10_000.0;

/// The place of an object over the cells, in CSS pixels.
#[derive(Clone)]
pub(crate) struct Frame {
    pub cell: CellAddress,
    /// Distance from the corner of the cell.
    pub offset: (f64, f64),
    /// Width and height.
    pub size: Option<(f64, f64)>,
    pub alt_text: Option<String>,
}

impl Frame {
    /// The object as an item.
    pub fn item(self, kind: ItemKind, mut fields: FieldTexts) -> ItemContents {
        for (field, offset) in [(Field::OffsetX, self.offset.0), (Field::OffsetY, self.offset.1)] {
            if whole_pixels(offset) > 0.0 {
                fields.put(field, ItemValue::Number(whole_pixels(offset)));
            }
        }
        if let Some((width, height)) = self.size {
            fields.number(Field::Width, Some(whole_pixels(width)));
            fields.number(Field::Height, Some(whole_pixels(height)));
        }
        let alt_text = self.alt_text.map(|text| text.chars().take(ALT_TEXT_LENGTH_MAX).collect::<String>());
        fields.text(Field::AltText, alt_text);
        ItemContents { kind, anchors: vec![Range::cell(self.cell)], fields, parent: None }
    }
}

/// The row or column into which a negative offset from the start of one leads, and the offset from its start.
/// `size` is that of a row or column in pixels.
pub(crate) fn moved_back(mut index: u32, mut offset: f64, size: impl Fn(u32) -> f64) -> (u32, f64) {
    while offset < 0.0 && index > 0 {
        index -= 1;
        offset += size(index);
    }
    (index, offset.max(0.0))
}

/// Whole pixels within the limits of items.
pub(crate) fn whole_pixels(pixels: f64) -> f64 {
    pixels.round().clamp(0.0, PIXELS_MAX)
}
