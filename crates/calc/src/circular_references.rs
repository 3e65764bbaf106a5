//! Which cells need themselves, for people to be told, and what to do about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, StructuralEdit};
use quadrille_workbook::{Field, ItemId, Workbook};

/// Cells kept of a circular reference: a longer one is told by how it begins.
pub const CYCLE_CELLS_MAX: usize = 32;

/// Cells of which each needs the next, and the last the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircularReference {
    /// At most [`CYCLE_CELLS_MAX`].
    pub cells: Vec<(SheetId, CellAddress)>,
    /// How many there are.
    pub length: usize,
}

/// How circular references are calculated when the workbook wants them to be: from zero, one cell after the other, sheet by sheet
/// and row by row, again and again. From zero, and not from what they last were, so that the same inputs give the same
/// values for everybody, however they came about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Iteration {
    pub iterations_max: u32,
    /// It ends when no cell of a circular reference changes by as much.
    pub change_max: f64,
}

impl Iteration {
    /// As the workbook's settings say; `None` when circular references are errors. Excel's defaults are 100 and 0.001.
    pub fn of(workbook: &Workbook) -> Option<Iteration> {
        let settings = workbook.items().get(ItemId::SETTINGS)?;
        settings.boolean(Field::Iterative).filter(|iterative| *iterative)?;
        let iterations_max = settings.number(Field::MaxIterations).unwrap_or(100.0);
        Some(Iteration {
            // Files and people may write anything; the casts saturate.
            iterations_max: (iterations_max as u32).clamp(1, 32_767),
            change_max: settings.number(Field::MaxChange).unwrap_or(0.001),
        })
    }
}

/// The circular references of a workbook by their cells.
#[derive(Debug, Default)]
pub(crate) struct CircularReferences {
    by_cell: BTreeMap<(SheetId, CellAddress), Arc<CircularReference>>,
    /// Some were taken out by an edit, not found anew in an evaluation.
    have_gone: bool,
}

impl CircularReferences {
    pub fn is_empty(&self) -> bool {
        self.by_cell.is_empty()
    }

    pub fn get(&self, sheet: SheetId, cell: CellAddress) -> Option<&CircularReference> {
        self.by_cell.get(&(sheet, cell)).map(Arc::as_ref)
    }

    pub fn cells(&self) -> impl Iterator<Item = (SheetId, CellAddress)> {
        self.by_cell.keys().copied()
    }

    pub fn note(&mut self, cells: &[(SheetId, CellAddress)]) {
        let length = cells.len();
        let cycle =
            Arc::new(CircularReference { cells: cells[..length.min(CYCLE_CELLS_MAX)].to_vec(), length });
        self.by_cell.extend(cells.iter().map(|cell| (*cell, cycle.clone())));
    }

    /// Whether an edit has taken cells out of circular references since this was last asked.
    pub fn take_removed(&mut self) -> bool {
        std::mem::take(&mut self.have_gone)
    }

    /// Cells that have other inputs now.
    pub fn edited(&mut self, sheet: SheetId, range: Range) {
        let count = self.by_cell.len();
        self.forget(sheet, range);
        self.have_gone |= self.by_cell.len() < count;
    }

    /// Cells that are calculated anew.
    pub fn forget(&mut self, sheet: SheetId, range: Range) {
        let from = (sheet, range.first());
        let to = (sheet, range.last());
        let inside = self.by_cell.range(from..=to).map(|(place, _)| *place);
        let inside: Vec<_> = inside.filter(|(_, cell)| range.contains(*cell)).collect();
        for place in inside {
            self.by_cell.remove(&place);
        }
    }

    pub fn keep_sheets(&mut self, exists: impl Fn(SheetId) -> bool) {
        let count = self.by_cell.len();
        self.by_cell.retain(|(sheet, _), _| exists(*sheet));
        self.have_gone |= self.by_cell.len() < count;
    }

    pub fn restructure(&mut self, edit: &StructuralEdit) {
        let moved = |(sheet, cell): (SheetId, CellAddress)| match sheet == edit.sheet {
            true => edit.map_cell(cell).map(|cell| (sheet, cell)),
            false => Some((sheet, cell)),
        };
        let before = std::mem::take(&mut self.by_cell);
        let count = before.len();
        for (place, cycle) in before {
            // A circular reference that lost a cell is none; its formulas have changed and will say so.
            let cells: Option<Vec<_>> = cycle.cells.iter().map(|place| moved(*place)).collect();
            if let (Some(place), Some(cells)) = (moved(place), cells) {
                self.by_cell.insert(place, Arc::new(CircularReference { cells, length: cycle.length }));
            }
        }
        self.have_gone |= self.by_cell.len() < count;
    }
}
