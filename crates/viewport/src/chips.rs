//! Chips: the choices of dropdown lists in cells.

use quadrille_cell::Value;
use quadrille_document::{Chip, ChoiceColors, Document};
use quadrille_workbook::Format;
use serde::Serialize;
use ts_rs::TS;

/// A choice in a cell, drawn as a chip.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ChipMark {
    /// Start of the choice in the cell's text, in UTF-16 code units.
    pub start: u32,
    /// End of the choice; the default is the end of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub end: Option<u32>,
    /// `0xRRGGBB`; the default is a gray of the theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub color: Option<u32>,
}

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
