//! The circular references of a workbook and the settings of iterative calculation.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, StructuralEdit};
use quadrille_workbook::{Field, ItemId, Workbook};

/// Cells stored of a circular reference; longer ones are truncated.
pub const CYCLE_CELLS_MAX: usize = 32;

/// Cells of which each reads the next, and the last reads the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircularReference {
    /// The first [`CYCLE_CELLS_MAX`] cells at most.
    pub cells: Vec<(SheetId, CellAddress)>,
    /// The number of all cells.
    pub length: usize,
}

/// Settings of iterative calculation. All cells of circular references start at zero and are
/// evaluated sheet by sheet and row by row, repeatedly. They start at zero rather than at their
/// last values so that the same inputs give the same values on every replica.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Iteration {
    pub iterations_max: u32,
    /// Iteration ends when no cell of a circular reference changes by this much.
    pub change_max: f64,
}

impl Iteration {
    /// Reads the workbook's settings; `None` when iterative calculation is off. Excel's defaults
    /// are 100 iterations and a maximum change of 0.001.
    pub fn of(workbook: &Workbook) -> Option<Iteration> {
        let settings = workbook.items().get(ItemId::SETTINGS)?;
        settings.boolean(Field::Iterative).filter(|iterative| *iterative)?;
        let iterations_max = settings.number(Field::MaxIterations).unwrap_or(100.0);
        Some(Iteration {
            // Files may contain any number; the casts saturate.
            iterations_max: (iterations_max as u32).clamp(1, 32_767),
            change_max: settings.number(Field::MaxChange).unwrap_or(0.001),
        })
    }
}

/// The circular references of a workbook by their cells.
#[derive(Debug, Default)]
pub(crate) struct CircularReferences {
    by_cell: BTreeMap<(SheetId, CellAddress), Arc<CircularReference>>,
    /// Whether an edit has removed some, as opposed to an evaluation that finds them again.
    has_removed: bool,
}

impl CircularReferences {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_cell.is_empty()
    }

    /// The circular reference that a cell is on.
    pub fn get(&self, sheet: SheetId, cell: CellAddress) -> Option<&CircularReference> {
        self.by_cell.get(&(sheet, cell)).map(Arc::as_ref)
    }

    /// All cells on circular references, by sheet and then row by row.
    pub fn cells(&self) -> impl Iterator<Item = (SheetId, CellAddress)> {
        self.by_cell.keys().copied()
    }

    /// Records a circular reference for each of its cells.
    pub fn record(&mut self, cells: &[(SheetId, CellAddress)]) {
        let length = cells.len();
        let cycle =
            Arc::new(CircularReference { cells: cells[..length.min(CYCLE_CELLS_MAX)].to_vec(), length });
        self.by_cell.extend(cells.iter().map(|cell| (*cell, cycle.clone())));
    }

    /// Whether an edit has removed cells since the last call.
    pub fn take_removed(&mut self) -> bool {
        std::mem::take(&mut self.has_removed)
    }

    /// Removes cells whose inputs were edited.
    pub fn remove_edited(&mut self, sheet: SheetId, range: Range) {
        let count = self.by_cell.len();
        self.remove_in(sheet, range);
        self.has_removed |= self.by_cell.len() < count;
    }

    /// Removes cells that are evaluated again.
    pub fn remove_in(&mut self, sheet: SheetId, range: Range) {
        let from = (sheet, range.first());
        let to = (sheet, range.last());
        let inside = self.by_cell.range(from..=to).map(|(key, _)| *key);
        let inside: Vec<_> = inside.filter(|(_, cell)| range.contains(*cell)).collect();
        for key in inside {
            self.by_cell.remove(&key);
        }
    }

    /// Removes the cells of sheets that do not exist.
    pub fn retain_sheets(&mut self, exists: impl Fn(SheetId) -> bool) {
        let count = self.by_cell.len();
        self.by_cell.retain(|(sheet, _), _| exists(*sheet));
        self.has_removed |= self.by_cell.len() < count;
    }

    /// Moves cells with a structural edit.
    pub fn restructure(&mut self, edit: &StructuralEdit) {
        let moved = |(sheet, cell): (SheetId, CellAddress)| match sheet == edit.sheet {
            true => edit.map_cell(cell).map(|cell| (sheet, cell)),
            false => Some((sheet, cell)),
        };
        let before = std::mem::take(&mut self.by_cell);
        let count = before.len();
        for (key, cycle) in before {
            // A circular reference that lost a cell is resolved; evaluation finds new ones.
            let cells: Option<Vec<_>> = cycle.cells.iter().map(|key| moved(*key)).collect();
            if let (Some(key), Some(cells)) = (moved(key), cells) {
                self.by_cell.insert(key, Arc::new(CircularReference { cells, length: cycle.length }));
            }
        }
        self.has_removed |= self.by_cell.len() < count;
    }
}
