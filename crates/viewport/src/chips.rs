//! Chips: the choices of dropdown lists in cells.

use quadrille_cell::Value;
use quadrille_document::{Chip, ChoiceColors, Document};
use quadrille_workbook::Format;

use crate::cell_marks::ChipMark;

/// Returns the chips of a cell with this value and format; `None` for a blank cell.
pub(crate) fn chip_marks(
    colors: &ChoiceColors,
    document: &Document,
    value: &Value,
    format: &Format,
) -> Option<Vec<ChipMark>> {
    let chips = colors.chips(value, || document.display_value(value, format).text);
    let text = match value {
        Value::Text(text) => &**text,
        _ => "",
    };
    let mark = |chip: Chip| {
        let units = |end: usize| text[..end].encode_utf16().count() as u32; // a cell's text is short
        ChipMark {
            start: chip.part.as_ref().map_or(0, |part| units(part.start)),
            end: chip.part.map(|part| units(part.end)),
            color: chip.color.map(|color| color.0),
        }
    };
    (!chips.is_empty()).then(|| chips.into_iter().map(mark).collect())
}
