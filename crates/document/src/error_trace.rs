//! Traces an error to its source along the references of formulas.

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Host, SheetReference, resolve_area, visit_references};
use quadrille_workbook::Input;

use crate::Document;

/// An error and the cell in which it arises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorSource {
    pub error: ErrorValue,
    pub sheet: SheetId,
    pub cell: CellAddress,
    /// Number of cells that propagate the error, including the cell that was asked about.
    pub propagation_steps: u32,
}

/// Cells examined before the trace stops; the last cell found is then the result.
const CELLS_MAX: usize = 100_000;

impl Document {
    /// Returns the source of the error in a cell; `None` when the cell shows no error. When several
    /// precedents have the error, the trace follows the first one in the formula's order, row by
    /// row.
    pub fn error_source(&self, sheet: SheetId, cell: CellAddress) -> Option<ErrorSource> {
        let Value::Error(error) = self.workbook().sheet(sheet)?.value(cell) else { return None };
        let mut source = ErrorSource { error, sheet, cell, propagation_steps: 0 };
        let mut visited: BTreeSet<(SheetId, CellAddress)> =
            quadrille_cell::collect_by_insertion([(sheet, cell)]);
        let mut cells_left = CELLS_MAX;
        while let Some(next) = self.precedent_with(error, source.sheet, source.cell, &mut cells_left) {
            if !visited.insert(next) {
                break;
            }
            (source.sheet, source.cell) = next;
            source.propagation_steps += 1;
        }
        Some(source)
    }

    /// The first cell with the same error that the formula in `cell` reads.
    fn precedent_with(
        &self,
        error: ErrorValue,
        sheet: SheetId,
        cell: CellAddress,
        cells_left: &mut usize,
    ) -> Option<(SheetId, CellAddress)> {
        let Input::Formula(template) = self.workbook().sheet(sheet)?.input(cell) else { return None };
        let host = Host { sheet, cell };
        let mut ranges: Vec<(SheetId, Range)> = Vec::new();
        visit_references(&template, &mut |reference| {
            let found = match &reference.sheet {
                None => Some(host.sheet),
                Some(SheetReference::Sheet(sheet)) => Some(*sheet),
                // References over several sheets are not followed.
                Some(_) => None,
            };
            if let (Some(sheet), Some(range)) = (found, resolve_area(&reference.area, host.cell)) {
                ranges.push((sheet, range));
            }
        });
        ranges.into_iter().find_map(|(sheet, range)| self.first_error(error, sheet, range, cells_left))
    }

    fn first_error(
        &self,
        error: ErrorValue,
        sheet: SheetId,
        range: Range,
        cells_left: &mut usize,
    ) -> Option<(SheetId, CellAddress)> {
        let found = self.workbook().sheet(sheet)?;
        let used = range.intersection(found.used_range()?)?;
        for cell in used.cells() {
            *cells_left = cells_left.checked_sub(1)?;
            if found.value(cell) == Value::Error(error) {
                return Some((sheet, cell));
            }
        }
        None
    }
}
