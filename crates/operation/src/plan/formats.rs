//! Planning of format changes.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Field, FormatPatch, Sheet};

use crate::cell_styles::style_patch;
use crate::plan::planner::Planner;
use crate::{Operation, ToggleAttribute};

impl Planner<'_> {
    /// Plans a change of format attributes. Cells keep the attributes that a partial style does not
    /// set, as in Excel.
    pub fn format(&self, sheet: &Sheet, range: Range, patch: FormatPatch) -> Vec<Operation> {
        let style = patch.cell_style.flatten().and_then(|id| self.workbook.items().get(id));
        let mut kept = Vec::new();
        if let Some(style) = style.filter(|style| style.boolean(Field::Partial) == Some(true)) {
            let set = style_patch(style);
            for (range, format) in sheet.format_runs(range) {
                let rest = FormatPatch::difference_from_default(format).without(&set).without(&patch);
                kept.extend(set_format(sheet.id(), range, rest));
            }
        }
        let mut plan = set_format(sheet.id(), range, patch);
        plan.extend(kept);
        plan
    }
}

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
