//! Displayed colors and icons of cells, for filters by them: a cell's own colors, or those of conditional
//! formats.

use quadrille_cell::{CellAddress, Range, RowIndex, SheetId};
use quadrille_workbook::{Color, ItemKind, Sheet};

use super::sheet_filters::{Appearance, is_by_appearance};
use crate::conditional_formats::ConditionalFormats;
use crate::document::Document;
use crate::icon::Icon;

/// Distinct colors or icons per column that a filter offers.
const CHOICES_MAX: usize = 64;

/// The distinct colors and icons of cells in order of appearance; `None` stands for cells without one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ColumnColors {
    pub fills: Vec<Option<Color>>,
    pub texts: Vec<Option<Color>>,
    pub icons: Vec<Option<Icon>>,
}

pub(super) struct CellColors<'a> {
    sheet: &'a Sheet,
    rules: ConditionalFormats<'a>,
}

impl<'a> CellColors<'a> {
    pub(super) fn new(document: &'a Document, sheet: &'a Sheet, cells: Range) -> CellColors<'a> {
        CellColors { sheet, rules: document.conditional_formats(sheet.id(), cells) }
    }

    /// Colors and icon of a cell as they are displayed.
    pub(super) fn of(&self, cell: CellAddress) -> Appearance {
        let own = self.sheet.format(cell);
        let style = match self.rules.is_empty() {
            true => None,
            false => self.rules.style_of(cell, &self.sheet.value(cell), own),
        };
        let format = style.as_ref().and_then(|style| style.format.as_ref()).unwrap_or(own);
        let (fill, text) = (format.fill_color, format.text_color);
        Appearance { fill, text, icon: style.and_then(|style| style.icon) }
    }
}

impl Document {
    /// Returns the distinct colors and icons of a range. O(number of cells in use).
    pub fn column_colors(&self, sheet: SheetId, cells: Range) -> ColumnColors {
        let mut found = ColumnColors::default();
        let Some(sheet) = self.workbook().sheet(sheet) else { return found };
        // Rows below the used range do not count, as in filters; columns may have fills without
        // values.
        let Some(used) = sheet.used_range() else { return found };
        let rows = Range::rows(RowIndex::clamped(0), used.last().row);
        let Some(cells) = rows.intersection(cells) else { return found };
        let colors = CellColors::new(self, sheet, cells);
        for cell in cells.cells() {
            let Appearance { fill, text, icon } = colors.of(cell);
            note(&mut found.fills, fill);
            note(&mut found.texts, text);
            note(&mut found.icons, icon);
        }
        found
    }

    /// Whether the sheet's filters depend on colors or icons of conditional formats, which may change
    /// with any cell.
    pub fn filters_by_conditional_color(&self, sheet: SheetId) -> bool {
        let Some(items) = self.workbook().sheet(sheet).map(Sheet::items) else { return false };
        items.of_kind(ItemKind::ConditionalRule).next().is_some()
            && items.of_kind(ItemKind::FilterColumn).any(|(_, column)| is_by_appearance(column))
    }
}

fn note<T: PartialEq>(choices: &mut Vec<Option<T>>, choice: Option<T>) {
    if choices.len() < CHOICES_MAX && !choices.contains(&choice) {
        choices.push(choice);
    }
}
