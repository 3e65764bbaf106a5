//! Pivot tables in the document: formats of their cells, and the rows behind a value.

use std::borrow::Cow;

use quadrille_calc::PivotLabel;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Format, Item, ItemId, Sheet};

use crate::document::Document;

/// Cells whose labels are read at once, at most.
const LABEL_CELLS_MAX: usize = 10_000;

impl Document {
    /// The format of a cell. In a pivot table, headers and totals are bold, and labels and values
    /// have the number format of their source unless the cell has one.
    pub fn format<'a>(&'a self, sheet: &'a Sheet, cell: CellAddress) -> Cow<'a, Format> {
        let own = sheet.format(cell);
        if !sheet.items().has_pivot_tables() {
            return Cow::Borrowed(own);
        }
        let Some((role, source)) = self.calculation().pivot_role(self.workbook(), sheet.id(), cell) else {
            return Cow::Borrowed(own);
        };
        let mut format = own.clone();
        format.bold |= role.is_header || role.is_total;
        format.indent = format.indent.max(role.indent);
        if format.number_format.is_none() {
            format.number_format = match (role.number_format, source) {
                (quadrille_calc::PivotNumberFormat::Code(code), _) => Some(code),
                (_, Some((sheet, cell))) => {
                    self.workbook().sheet(sheet).and_then(|sheet| sheet.format(cell).number_format.clone())
                }
                (_, None) => None,
            };
        }
        Cow::Owned(format)
    }

    /// The sheet and range of a pivot table's source; `None` when it refers to nothing.
    pub fn pivot_source(&self, sheet: SheetId, item: &Item) -> Option<(SheetId, Range)> {
        quadrille_calc::pivot_source(self.workbook(), sheet, item)
    }

    /// The pivot table that fills a cell: its item, and the cells that it fills.
    pub fn pivot_table_at(&self, sheet: SheetId, cell: CellAddress) -> Option<(ItemId, Range)> {
        self.calculation().pivot_table_at(self.workbook(), sheet, cell)
    }

    /// The labels in some cells of the pivot table that fills `cell` that belong to the same field as
    /// the label in `cell`: the item, that label, and the texts of all of them, each once. `None` if the
    /// cell is no label, or one of dates or numbers that are grouped. Reads at most 10,000 cells.
    pub fn pivot_labels(
        &self,
        sheet: SheetId,
        cell: CellAddress,
        ranges: &[Range],
    ) -> Option<(ItemId, PivotLabel, Vec<String>)> {
        let label = |cell: CellAddress| self.calculation().pivot_label(self.workbook(), sheet, cell);
        let (item, active) = label(cell)?;
        let (_, area) = self.pivot_table_at(sheet, cell)?;
        let mut texts = vec![active.text.clone()];
        let mut left = LABEL_CELLS_MAX;
        for range in ranges {
            let Some(range) = range.intersection(area) else { continue };
            for cell in range.cells() {
                if left == 0 {
                    break;
                }
                left -= 1;
                if let Some((_, label)) = label(cell)
                    && (label.is_column, label.field) == (active.is_column, active.field)
                    && !texts.contains(&label.text)
                {
                    texts.push(label.text);
                }
            }
        }
        Some((item, active, texts))
    }

    /// The rows of the source behind a value of a pivot table: the sheet, the source with its
    /// header row, and zero-based rows. `None` for other cells.
    pub fn pivot_source_rows(&self, sheet: SheetId, cell: CellAddress) -> Option<(SheetId, Range, Vec<u32>)> {
        self.calculation().pivot_source_rows(self.workbook(), sheet, cell)
    }
}
