//! Planning of transposed pastes.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::copied_items::{PastedCells, Placement};
use super::filled_cells::{copied_input, is_array_anchor};
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::{block_at, used_part};
use crate::{Operation, PasteScope};

impl Planner<'_> {
    /// Pastes contents and formats once with rows and columns exchanged. Formulas keep their
    /// relative references, as in any copy; arrays are pasted as values.
    pub fn paste_transposed(
        &self,
        (from, source): (&Sheet, Range),
        (to, at): (&Sheet, CellAddress),
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let Some(used) = used_part(from, source) else { return Ok(vec![]) };
        // Blank cells above and to the left of the used range count.
        let source = Range::new(source.first(), used.last());
        self.check_cells(source.cell_count())?;
        let target = block_at(at, source.column_count() as usize, source.row_count() as usize)?;
        let origin = source.first();
        let inputs = target
            .cells()
            .map(|cell| {
                let row = origin.row.get() + cell.column.get() - at.column.get();
                let column = origin.column.get() + cell.row.get() - at.row.get();
                let copied = CellAddress::clamped(row, column);
                match is_array_anchor(from, copied) {
                    true => Input::from(from.value(copied)),
                    false => copied_input(from, copied, |_| false),
                }
            })
            .collect();
        let patch = FormatPatch::replacing_with(&Format::default());
        let mut plan = vec![
            Operation::SetCells { sheet: to.id(), range: target, inputs },
            Operation::SetFormat { sheet: to.id(), range: target, patch },
        ];
        let turned = |cell: CellAddress| {
            CellAddress::clamped(
                at.row.get() + cell.column.get() - origin.column.get(),
                at.column.get() + cell.row.get() - origin.row.get(),
            )
        };
        for (run, format) in &self.copied_formats(from, source, &[]) {
            let Some(run) = run.intersection(source).filter(|_| *format != Format::default()) else {
                continue;
            };
            plan.push(Operation::SetFormat {
                sheet: to.id(),
                range: Range::new(turned(run.first()), turned(run.last())),
                patch: FormatPatch::replacing_with(format),
            });
        }
        let place = &|part: Range| vec![Range::new(turned(part.first()), turned(part.last()))];
        let copied = PastedCells { from, source, to, target };
        plan.extend(self.copy_items(copied, PasteScope::Transposed, &Placement::At(place), new_id)?);
        Ok(plan)
    }
}
