//! Planning of format changes.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{FormatPatch, Sheet};

use crate::{Operation, ToggleAttribute};

/// Plans a change of format attributes.
pub(super) fn set_format(sheet: SheetId, range: Range, patch: FormatPatch) -> Vec<Operation> {
    if patch.is_empty() { vec![] } else { vec![Operation::SetFormat { sheet, range, patch }] }
}

/// Plans the toggling of an attribute, depending on its value in the cell `active`.
pub(super) fn toggle(
    sheet: &Sheet,
    range: Range,
    attribute: ToggleAttribute,
    active: CellAddress,
) -> Vec<Operation> {
    let format = sheet.format(active);
    let patch = FormatPatch::default();
    let patch = match attribute {
        ToggleAttribute::Bold => FormatPatch { bold: Some(!format.bold), ..patch },
        ToggleAttribute::Italic => FormatPatch { italic: Some(!format.italic), ..patch },
        // Toggling gives a single underline, as in Excel.
        ToggleAttribute::Underline => FormatPatch {
            underline: Some(!format.underline),
            underline_style: format.underline_style.map(|_| None),
            ..patch
        },
        ToggleAttribute::Strikethrough => FormatPatch { strikethrough: Some(!format.strikethrough), ..patch },
        ToggleAttribute::Wrap => FormatPatch { wrap: Some(!format.wrap), ..patch },
    };
    set_format(sheet.id(), range, patch)
}
