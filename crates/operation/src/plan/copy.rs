//! Planning of copy and paste within the workbook.

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::copied_items::{PastedCells, Placement};
use super::filled_cells::{Filled, copied_input, copied_values, whole_pivot_tables};
use crate::apply::capture;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::{block_at, shifted, used_part};
use crate::rebase::relocate::with_span;
use crate::{CommandError, Operation, PasteScope};

/// Maximum number of copies that are planned one by one; more are planned as one block.
pub(super) const TILES_MAX: u64 = 1_000;

impl Planner<'_> {
    /// Copies `source` to `target`. Formulas keep their relative references; references without a
    /// sheet mean the sheet that they are pasted into.
    pub fn copy_paste(
        &self,
        (from, source): (&Sheet, Range),
        (to, target): (&Sheet, Range),
        what: PasteScope,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let target = pasted_range(source, target)?;
        let is_mapped = self.row_mapping.is_some();
        let mut copies = Copies { from, source, to, target, is_mapped, pivot_tables: Vec::new() };
        if what == PasteScope::All && !is_mapped && copies.count() == 1 {
            copies.pivot_tables = whole_pivot_tables(from, source);
        }
        let mut plan = Vec::new();
        if matches!(what, PasteScope::All | PasteScope::Contents) {
            self.copy_contents(&copies, &mut plan)?;
        }
        if what == PasteScope::Values {
            self.copy_values(&copies, &mut plan)?;
        }
        if matches!(what, PasteScope::All | PasteScope::Formats) {
            copies.copy_formats(&self.copied_formats(from, source, &copies.pivot_tables), &mut plan);
        }
        let copied = PastedCells { from, source, to, target };
        plan.extend(self.copy_items(copied, what, &Placement::Repeated, new_id)?);
        plan.extend(copied.copy_pivot_tables(&copies.pivot_tables, new_id)?);
        Ok(plan)
    }

    fn copy_contents(&self, copies: &Copies, plan: &mut Vec<Operation>) -> Result<(), CommandError> {
        let &Copies { from, source, to, target, ref pivot_tables, .. } = copies;
        let input_of = |cell: CellAddress| {
            let is_table = |table: &Filled| table.area.contains(cell);
            match pivot_tables.iter().any(is_table) {
                true => Input::Blank,
                false => copied_input(from, cell, |anchor| source.contains(anchor)),
            }
        };
        let clear = Operation::FillCells { sheet: to.id(), range: target, input: Input::Blank };
        let Some(used) = used_part(from, source) else {
            plan.push(clear);
            return Ok(());
        };
        if source.cell_count() == 1 {
            let input = input_of(source.first());
            plan.push(Operation::FillCells { sheet: to.id(), range: target, input });
            return Ok(());
        }
        plan.push(clear);
        // A single row or column is planned as fills, whatever the number of copies.
        if source.row_count() == 1 && target.row_count() > 1 && source.column_count() == target.column_count()
        {
            plan.extend(along(&input_of, used, copies, Dimension::Rows));
        } else if source.column_count() == 1
            && target.column_count() > 1
            && source.row_count() == target.row_count()
        {
            self.check_cells(used.cell_count())?;
            plan.extend(along(&input_of, used, copies, Dimension::Columns));
        } else if copies.count() <= TILES_MAX {
            let mut contents = capture::contents(from, source);
            contents.extend(copied_values(from, source, pivot_tables));
            for tile in copies.tiles() {
                plan.extend(
                    contents
                        .iter()
                        .filter_map(|operation| moved_contents(operation, to, source.first(), tile)),
                );
            }
        } else {
            self.check_cells(target.cell_count())?;
            let inputs = target.cells().map(|cell| input_of(copies.source_of(cell))).collect();
            plan.push(Operation::SetCells { sheet: to.id(), range: target, inputs });
        }
        Ok(())
    }

    fn copy_values(&self, copies: &Copies, plan: &mut Vec<Operation>) -> Result<(), CommandError> {
        let &Copies { from, source, to, target, .. } = copies;
        plan.push(Operation::FillCells { sheet: to.id(), range: target, input: Input::Blank });
        let Some(used) = used_part(from, source) else { return Ok(()) };
        let range = match copies.count() {
            1 => shifted(used, source.first(), target.first()).unwrap_or(target),
            _ => target,
        };
        self.check_cells(range.cell_count())?;
        let inputs = range.cells().map(|cell| Input::from(from.value(copies.source_of(cell)))).collect();
        plan.push(Operation::SetCells { sheet: to.id(), range, inputs });
        Ok(())
    }
}

/// Returns the target if it is a multiple of the source, otherwise a range of the source's size at
/// its first cell.
fn pasted_range(source: Range, target: Range) -> Result<Range, CommandError> {
    let is_multiple = target.row_count().is_multiple_of(source.row_count())
        && target.column_count().is_multiple_of(source.column_count());
    if is_multiple {
        return Ok(target);
    }
    block_at(target.first(), source.row_count() as usize, source.column_count() as usize)
}

/// A source repeated over a target whose size is a multiple of it.
struct Copies<'a> {
    from: &'a Sheet,
    source: Range,
    to: &'a Sheet,
    target: Range,
    /// Whether the rows of the target will be mapped to visible rows.
    is_mapped: bool,
    /// The pivot tables that are copied with their items, not as values.
    pivot_tables: Vec<Filled>,
}

impl Copies<'_> {
    fn count(&self) -> u64 {
        self.target.cell_count() / self.source.cell_count()
    }

    fn tiles(&self) -> impl Iterator<Item = CellAddress> {
        tiles(self.target, self.source.row_count(), self.source.column_count())
    }

    fn source_of(&self, cell: CellAddress) -> CellAddress {
        let (first, origin) = (self.target.first(), self.source.first());
        CellAddress::clamped(
            origin.row.get() + (cell.row.get() - first.row.get()) % self.source.row_count(),
            origin.column.get() + (cell.column.get() - first.column.get()) % self.source.column_count(),
        )
    }

    fn copy_formats(&self, runs: &[(Range, Format)], plan: &mut Vec<Operation>) {
        let set = |range: Range, format: &Format| Operation::SetFormat {
            sheet: self.to.id(),
            range,
            patch: FormatPatch::replacing_with(format),
        };
        if let [(range, format)] = runs
            && *range == self.source
        {
            plan.push(set(self.target, format));
            return;
        }
        if runs.is_empty() && !self.is_mapped && self.to.format_runs(self.target).next().is_none() {
            return;
        }
        plan.push(set(self.target, &Format::default()));
        for tile in self.tiles().take(TILES_MAX as usize) {
            for (range, format) in runs {
                plan.extend(shifted(*range, self.source.first(), tile).map(|range| set(range, format)));
            }
        }
    }
}

/// Returns the top left cell of each copy of this height and width.
pub(super) fn tiles(target: Range, height: u32, width: u32) -> impl Iterator<Item = CellAddress> {
    let (first, last) = (target.first(), target.last());
    (first.row.get()..=last.row.get()).step_by(height as usize).flat_map(move |row| {
        (first.column.get()..=last.column.get())
            .step_by(width as usize)
            .map(move |column| CellAddress::clamped(row, column))
    })
}

/// Plans one row repeated downwards, or one column repeated to the right: each source cell fills a
/// column or row of the target.
fn along(
    input_of: &dyn Fn(CellAddress) -> Input,
    used: Range,
    copies: &Copies,
    dimension: Dimension,
) -> Vec<Operation> {
    let &Copies { source, to, target, .. } = copies;
    let mut plan = Vec::new();
    for cell in used.cells() {
        let input = input_of(cell);
        if input == Input::Blank {
            continue;
        }
        let filled = match dimension {
            Dimension::Rows => {
                let column = target.first().column.get() + (cell.column.get() - source.first().column.get());
                with_span(target, Dimension::Columns, column, 1)
            }
            Dimension::Columns => {
                let row = target.first().row.get() + (cell.row.get() - source.first().row.get());
                with_span(target, Dimension::Rows, row, 1)
            }
        };
        plan.push(Operation::FillCells { sheet: to.id(), range: filled, input });
    }
    plan
}

/// Returns a write operation moved to another position.
fn moved_contents(
    operation: &Operation,
    to: &Sheet,
    origin: CellAddress,
    tile: CellAddress,
) -> Option<Operation> {
    match operation {
        Operation::SetCells { range, inputs, .. } => Some(Operation::SetCells {
            sheet: to.id(),
            range: shifted(*range, origin, tile)?,
            inputs: inputs.clone(),
        }),
        Operation::FillCells { range, input, .. } => Some(Operation::FillCells {
            sheet: to.id(),
            range: shifted(*range, origin, tile)?,
            input: input.clone(),
        }),
        _ => None,
    }
}
