//! The sheet that is being written, and conversions that the writers of items share.

use super::formulas::file_text;
use crate::table_references::with_plain_references;
use quadrille_cell::Range;
use quadrille_formula::{Expression, Host};
use quadrille_workbook::{Color, Field, FieldValue, Item, Sheet, Workbook};
use rust_xlsxwriter as xlsx;

/// Characters of the name of a sheet in Excel.
pub const TITLE_LENGTH_MAX: usize = 31;

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
        // Excel accepts structured references only in cells and names.
        let plain = with_plain_references(template, self.workbook);
        Some(format!("={}", file_text(plain.as_ref().unwrap_or(template), host, self.workbook)))
    }

    /// As [`formula_of`](Target::formula_of), with the range instead of a name of a range, which
    /// `rust_xlsxwriter` does not accept in charts.
    pub fn range_of(&self, item: &Item, value: &FieldValue) -> Option<String> {
        let FieldValue::Formula { template, .. } = value else { return None };
        let named = match template.expression() {
            Expression::Name(name) => self.workbook.resolve_name(self.sheet.id(), name),
            _ => None,
        };
        match named.filter(|named| matches!(named.expression(), Expression::Reference(_))) {
            Some(named) => {
                let host = Host { sheet: self.sheet.id(), cell: Default::default() };
                Some(format!("={}", file_text(named, host, self.workbook)))
            }
            None => self.formula_of(item, value),
        }
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
