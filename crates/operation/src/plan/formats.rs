//! Planning of format changes.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Field, FormatPatch, Sheet, TextFont};

use crate::cell_styles::style_patch;
use crate::plan::planner::Planner;
use crate::{Operation, ToggleAttribute};

/// Texts whose fonts one command changes, at most; in others the parts keep their own fonts.
const RICH_TEXTS_MAX: usize = 5_000;

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
                kept.extend(set_format(sheet, range, rest));
            }
        }
        let mut plan = set_format(sheet, range, patch);
        plan.extend(kept);
        plan
    }
}

/// Plans a change of format attributes. A font of a whole cell replaces that of the parts of its
/// text.
pub(super) fn set_format(sheet: &Sheet, range: Range, patch: FormatPatch) -> Vec<Operation> {
    if patch.is_empty() {
        return vec![];
    }
    let mut operations = Vec::new();
    if patch.text_runs.is_none() && patch.cell_style.is_none() && !TextFont::of(&patch).is_empty() {
        let changed = sheet.format_runs(range).filter_map(|(range, format)| {
            let before = format.text_runs.as_ref()?;
            let after = before.without(&patch).map(Arc::new);
            let is_changed = after.as_ref() != Some(before);
            let patch = FormatPatch { text_runs: Some(after), ..FormatPatch::default() };
            is_changed.then(|| Operation::SetFormat { sheet: sheet.id(), range, patch })
        });
        operations.extend(changed.take(RICH_TEXTS_MAX));
    }
    operations.insert(0, Operation::SetFormat { sheet: sheet.id(), range, patch });
    operations
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
    set_format(sheet, range, patch)
}
