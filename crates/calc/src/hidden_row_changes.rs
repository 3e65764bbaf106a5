//! How a [`Calculation`] follows changes of filters and of hidden rows.

use quadrille_cell::{Dimension, Range, SheetId, StructuralEdit};
use quadrille_workbook::Workbook;
use std::collections::BTreeSet;

use crate::calculation::Calculation;
use crate::hidden_rows::StaleFilters;

impl Calculation {
    /// Notes that filters of a sheet may have been added, changed or removed.
    pub fn filters_changed(&mut self, sheet: SheetId) {
        if let StaleFilters::Some(sheets) = &mut self.stale_filters {
            sheets.insert(sheet);
        }
    }

    /// Notes that the rows `first..=last` were hidden or unhidden by hand.
    pub fn rows_hidden(&mut self, sheet: SheetId, first: u32, last: u32) {
        if self.graph.has_formulas_ignoring_hidden_rows() {
            self.pending_rows.push((sheet, first, last));
        }
    }

    /// Notes that formats of the range changed. Filters may compare displayed texts and colors.
    pub fn formats_changed(&mut self, sheet: SheetId, range: Range) {
        if !self.graph.has_formulas_ignoring_hidden_rows() {
            return;
        }
        let rows = (range.first().row.get(), range.last().row.get());
        self.hidden.changed(sheet, range);
        for cells in
            self.hidden.filter_inputs(sheet, rows).into_iter().filter(|cells| cells.intersects(range))
        {
            self.pending_rows.push((sheet, cells.first().row.get(), cells.last().row.get()));
        }
    }

    /// Moves pending row changes and cached filter results with a structural edit.
    pub(crate) fn hidden_rows_restructured(&mut self, edit: &StructuralEdit) {
        self.hidden.restructured(edit);
        self.filters_changed(edit.sheet);
        self.pending_rows.retain_mut(|(sheet, first, last)| {
            if *sheet != edit.sheet || edit.dimension == Dimension::Columns {
                return true;
            }
            match edit.map_span(*first, *last) {
                Some(rows) => (*first, *last) = rows,
                None => return false,
            }
            true
        });
    }

    /// Whether the filters of the workbook have been read, as they are once some formula ignores
    /// hidden rows.
    pub(crate) fn has_read_filters(&self) -> bool {
        matches!(self.stale_filters, StaleFilters::Some(_))
    }

    /// Whether changes of hidden rows are pending that concern some formula.
    pub(crate) fn has_pending_hidden_rows(&self) -> bool {
        let is_stale = match &self.stale_filters {
            StaleFilters::All => true,
            StaleFilters::Some(sheets) => !sheets.is_empty(),
        };
        self.graph.has_formulas_ignoring_hidden_rows() && (is_stale || !self.pending_rows.is_empty())
    }

    /// Marks the formulas dirty that ignore hidden rows and read rows whose visibility may have
    /// changed. Costs nothing when there are no such formulas.
    pub(crate) fn refresh_hidden_rows(&mut self, workbook: &Workbook) {
        let mut rows = std::mem::take(&mut self.pending_rows);
        if !self.graph.has_formulas_ignoring_hidden_rows() {
            for sheet in self.hidden.sheets() {
                self.graph.set_filter_dependencies(sheet, Vec::new());
            }
            self.hidden.clear();
            self.stale_filters = StaleFilters::All;
            return;
        }
        let stale = std::mem::replace(&mut self.stale_filters, StaleFilters::Some(BTreeSet::new()));
        let sheets: Vec<SheetId> = match stale {
            StaleFilters::Some(sheets) => sheets.iter().copied().collect(),
            StaleFilters::All => {
                let mut sheets = self.hidden.sheets();
                sheets.extend(workbook.sheets().iter().map(|sheet| sheet.id()));
                sheets
            }
        };
        for sheet in sheets {
            let affected_rows = self.hidden.refresh(workbook, sheet);
            self.graph.set_filter_dependencies(sheet, self.hidden.filter_dependencies(sheet));
            rows.extend(affected_rows.into_iter().map(|(first, last)| (sheet, first, last)));
        }
        for (sheet, first, last) in rows {
            self.graph.rows_hidden(sheet, (first, last));
        }
    }
}
