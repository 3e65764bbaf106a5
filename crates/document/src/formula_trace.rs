//! Arrows between cells and the formulas that read them.

use quadrille_cell::{CellAddress, Range, SheetId, Value};

use crate::Document;

/// Arrows of one answer.
const ARROWS_MAX: usize = 500;
/// Cells that are examined for errors at the start of one arrow.
const CELLS_MAX: usize = 10_000;

/// A range and a formula that reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceArrow {
    pub from: (SheetId, Range),
    pub to: (SheetId, CellAddress),
    /// Whether a cell of the range shows an error.
    pub is_error: bool,
}

/// The arrows to or from a range.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FormulaTrace {
    pub arrows: Vec<TraceArrow>,
    /// Whether these are all.
    pub is_all: bool,
}

impl Document {
    /// Returns the arrows to the formulas in a range, from what they read.
    pub fn trace_precedents(&self, sheet: SheetId, range: Range) -> FormulaTrace {
        // One more than there may be arrows tells whether there are more.
        let formulas = self.calculation().formulas_in(sheet, range, ARROWS_MAX + 1);
        let mut trace = FormulaTrace { arrows: Vec::new(), is_all: formulas.len() <= ARROWS_MAX };
        let reads = formulas.into_iter().flat_map(|cell| {
            let reads = self.calculation().precedents(self.workbook(), sheet, cell);
            reads.into_iter().map(move |from| (from, (sheet, cell)))
        });
        self.add_arrows(&mut trace, reads);
        trace
    }

    /// Returns the arrows from a cell to the formulas that read it. Formulas that read it as a part of a larger
    /// range have their arrow from the cell as well.
    pub fn trace_dependents(&self, sheet: SheetId, cell: CellAddress) -> FormulaTrace {
        let range = Range::cell(cell);
        let found = self.calculation().dependents(self.workbook(), sheet, range, ARROWS_MAX);
        let mut trace = FormulaTrace { arrows: Vec::new(), is_all: found.is_all };
        self.add_arrows(&mut trace, found.cells.into_iter().map(|to| ((sheet, range), to)));
        trace
    }

    fn add_arrows(
        &self,
        trace: &mut FormulaTrace,
        reads: impl Iterator<Item = ((SheetId, Range), (SheetId, CellAddress))>,
    ) {
        for (from, to) in reads {
            if trace.arrows.len() == ARROWS_MAX {
                trace.is_all = false;
                return;
            }
            let is_error = self.has_error(from.0, from.1);
            trace.arrows.push(TraceArrow { from, to, is_error });
        }
    }

    fn has_error(&self, sheet: SheetId, range: Range) -> bool {
        let Some(sheet) = self.workbook().sheet(sheet) else { return false };
        let used = sheet.used_range().and_then(|used| range.intersection(used));
        let mut cells = used.into_iter().flat_map(|used| used.cells()).take(CELLS_MAX);
        cells.any(|cell| matches!(sheet.value(cell), Value::Error(_)))
    }
}
