//! The formulas whose results would differ if some cells had other values (MULTIPLE.OPERATIONS).

use quadrille_cell::{CellAddress, Range, SheetId};

use crate::graph::Graph;
use crate::row_set::RowSet;
use crate::spill::Spills;

/// Formulas that depend on some cells, directly or through others. May hold further formulas.
#[derive(Debug, Default)]
pub(crate) struct AffectedFormulas {
    /// Sorted by sheet and column, so that all evaluators visit formulas in the same order.
    columns: Vec<(SheetId, u32, RowSet)>,
    /// The areas that their arrays fill, each with the cell of its formula.
    pub arrays: Vec<(SheetId, CellAddress, Range)>,
    /// What it took to find them.
    pub steps: u64,
}

impl AffectedFormulas {
    /// Adds rows of a column; calls `added` with the new ones.
    pub fn add(&mut self, sheet: SheetId, column: u32, rows: (u32, u32), added: impl FnMut(u32, u32)) {
        let index = self.place_of(sheet, column).unwrap_or_else(|index| {
            self.columns.insert(index, (sheet, column, RowSet::default()));
            index
        });
        self.columns[index].2.add(rows.0, rows.1, added);
    }

    /// Removes a formula.
    pub fn remove(&mut self, sheet: SheetId, cell: CellAddress) {
        if let Ok(index) = self.place_of(sheet, cell.column.get()) {
            self.columns[index].2.remove(cell.row.get(), cell.row.get());
        }
    }

    /// The place of a column, or the one where it would be inserted.
    fn place_of(&self, sheet: SheetId, column: u32) -> Result<usize, usize> {
        self.columns.binary_search_by_key(&(sheet, column), |found| (found.0, found.1))
    }

    /// A formula in the range, or one whose array fills some of it.
    pub fn first_in(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        let inside = |range: Range| {
            let (first, last) = (range.first(), range.last());
            let from = self.place_of(sheet, first.column.get()).unwrap_or_else(|place| place);
            let columns = self.columns[from..].iter();
            let mut columns = columns.take_while(|found| found.0 == sheet && found.1 <= last.column.get());
            columns.find_map(|(_, column, rows)| {
                let row = rows.first_in(first.row.get(), last.row.get())?;
                Some(CellAddress::clamped(row, *column))
            })
        };
        let arrays = self.arrays.iter().filter(|(at, _, area)| *at == sheet && area.intersects(range));
        let anchors = arrays.filter_map(|(_, anchor, _)| inside(Range::cell(*anchor)));
        inside(range).or_else(|| anchors.min_by_key(|anchor| (anchor.column, anchor.row)))
    }
}

impl Graph {
    /// Finds the formulas that depend on cells or on a call of MULTIPLE.OPERATIONS. With all calls,
    /// how deeply calls are nested does not depend on which reads the graph has recorded. Pivot tables
    /// keep their values.
    pub fn affected_by(&self, spills: &Spills, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        let mut affected = AffectedFormulas::default();
        let mut queue: Vec<_> = cells.iter().map(|(sheet, cell)| (*sheet, Range::cell(*cell))).collect();
        let mut reached: Vec<_> = self
            .dynamic_with_unknown_reads()
            .into_iter()
            .chain(self.dynamic.iter().copied().filter(|id| self.node(*id).analysis.replaces_values))
            .map(|id| (id, self.node(id).first, self.node(id).last))
            .collect();
        loop {
            for (id, first, last) in reached.drain(..) {
                let node = self.node(id);
                let mut arrays = Vec::new();
                affected.add(node.sheet, node.column, (first, last), |first, last| {
                    let rows = Range::from_indices(first, node.column, last, node.column);
                    let rows = rows.expect("runs lie within the sheet");
                    queue.push((node.sheet, rows));
                    let placed = spills.anchors_in(node.sheet, rows).into_iter();
                    arrays.extend(placed.filter(|(_, spill)| spill.is_placed));
                });
                for (anchor, spill) in arrays {
                    queue.push((node.sheet, spill.requested));
                    affected.arrays.push((node.sheet, anchor, spill.requested));
                }
            }
            let Some((sheet, range)) = queue.pop() else { return affected };
            let dependents = self.dependents_of(sheet, range);
            affected.steps += 1 + dependents.len() as u64;
            for (edge, first, last) in dependents {
                let node = self.node(edge.node);
                let own = Range::from_indices(node.first, node.column, node.last, node.column);
                // A chain within a run would be followed row by row.
                let reads_itself = node.sheet == sheet && own.is_some_and(|own| own.intersects(range));
                if !node.is_pivot {
                    reached.push(match reads_itself {
                        true => (edge.node, node.first, node.last),
                        false => (edge.node, first, last),
                    });
                }
            }
        }
    }
}
