//! The colours that cells show, for filtering by them: their own, or those of the sheet's rules.

use quadrille_cell::{CellAddress, Range, RowIndex, SheetId};
use quadrille_workbook::{Color, ItemKind, Sheet};

use super::is_by_color;

use crate::{ConditionalFormats, Document};

/// Different colours of a column that a filter offers.
const COLORS_MAX: usize = 64;

/// The different colours of cells, in the order in which they come; `None` is a cell without one of its own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnColors {
    pub fills: Vec<Option<Color>>,
    pub texts: Vec<Option<Color>>,
}

pub(super) struct CellColors<'a> {
    sheet: &'a Sheet,
    rules: ConditionalFormats<'a>,
}

impl<'a> CellColors<'a> {
    pub(super) fn new(document: &'a Document, sheet: &'a Sheet, cells: Range) -> CellColors<'a> {
        CellColors { sheet, rules: document.rules(sheet.id(), cells) }
    }

    /// Of the fill and of the text.
    pub(super) fn of(&self, cell: CellAddress) -> [Option<Color>; 2] {
        let own = self.sheet.format(cell);
        let look = match self.rules.is_empty() {
            true => None,
            false => self.rules.style_of(cell, &self.sheet.value(cell), own),
        };
        let format = look.as_ref().and_then(|look| look.format.as_ref()).unwrap_or(own);
        [format.fill_color, format.text_color]
    }
}

impl Document {
    /// Costs what the range holds.
    pub fn column_colors(&self, sheet: SheetId, cells: Range) -> ColumnColors {
        let mut found = ColumnColors::default();
        let Some(sheet) = self.workbook().sheet(sheet) else { return found };
        // As with filtering, nothing below the last row in use counts; columns may have fills alone.
        let Some(used) = sheet.used_range() else { return found };
        let rows = Range::rows(RowIndex::clamped(0), used.last().row);
        let Some(cells) = rows.intersection(cells) else { return found };
        let colors = CellColors::new(self, sheet, cells);
        for cell in cells.cells() {
            let [fill, text] = colors.of(cell);
            note(&mut found.fills, fill);
            note(&mut found.texts, text);
        }
        found
    }

    /// Whether the sheet's filters look at colours that rules may give: these may follow from any cell.
    pub fn filters_by_rules(&self, sheet: SheetId) -> bool {
        let Some(items) = self.workbook().sheet(sheet).map(Sheet::items) else { return false };
        items.of_kind(ItemKind::ConditionalRule).next().is_some()
            && items.of_kind(ItemKind::FilterColumn).any(|(_, column)| is_by_color(column))
    }
}

fn note(colors: &mut Vec<Option<Color>>, color: Option<Color>) {
    if colors.len() < COLORS_MAX && !colors.contains(&color) {
        colors.push(color);
    }
}
