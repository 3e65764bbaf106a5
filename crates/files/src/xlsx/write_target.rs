//! The sheet that is being written, and conversions that the writers of items share.

use super::formulas::file_text;
use quadrille_cell::Range;
use quadrille_formula::Host;
use quadrille_workbook::{Color, Field, FieldValue, Item, Sheet, Workbook};
use rust_xlsxwriter as xlsx;

/// A sheet that is being written.
pub struct Target<'a> {
    pub workbook: &'a Workbook,
    pub sheet: &'a Sheet,
}

impl Target<'_> {
    /// The formula of a field as it reads in the first cell of the item's first range.
    pub fn formula(&self, item: &Item, field: Field) -> Option<String> {
        self.formula_of(item, item.fields.get(&field)?)
    }

    /// The formula of a value as it reads in the first cell of the item's first range.
    pub fn formula_of(&self, item: &Item, value: &FieldValue) -> Option<String> {
        let FieldValue::Formula { template, .. } = value else { return None };
        let cell = item.anchors.first().map(|anchor| anchor.first()).unwrap_or_default();
        let host = Host { sheet: self.sheet.id(), cell };
        Some(format!("={}", file_text(template, host, self.workbook)))
    }
}

/// Converts a color.
pub fn rgb(Color(color): Color) -> xlsx::Color {
    xlsx::Color::RGB(color)
}

/// First row and column, last row and column.
pub fn corners(range: Range) -> (u32, u16, u32, u16) {
    let (first, last) = (range.first(), range.last());
    (first.row.get(), first.column.get() as u16, last.row.get(), last.column.get() as u16)
}

/// A list of ranges separated by spaces, as in the attribute `sqref`.
pub fn range_list(anchors: &[Range]) -> String {
    anchors.iter().map(Range::to_string).collect::<Vec<_>>().join(" ")
}
