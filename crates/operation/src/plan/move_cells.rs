//! Planning of cut and paste. Moved formulas keep their references, and references to moved cells
//! follow them.

use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId};
use quadrille_formula::{
    Host, Reference, SheetReference, Template, relocate, resolve_area, retarget, visit_references,
};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::copied_items::PastedCells;
use super::filled_cells::check_movable;
use crate::Operation;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::{block_at, shifted, used_part};
use crate::rebase::name_host;

/// Source and target of a move.
#[derive(Clone, Copy)]
struct Move {
    from: (SheetId, Range),
    to: (SheetId, CellAddress),
}

impl Planner<'_> {
    /// Plans cut and paste of `source` to the cell `at`.
    pub fn cut_paste(
        &self,
        (from, source): (&Sheet, Range),
        (to, at): (&Sheet, CellAddress),
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let target = block_at(at, source.row_count() as usize, source.column_count() as usize)?;
        if (from.id(), source) == (to.id(), target) {
            return Ok(vec![]);
        }
        check_movable(from, source)?;
        let movement = Move { from: (from.id(), source), to: (to.id(), at) };
        let mut plan = Vec::new();
        for sheet in self.workbook.sheets() {
            self.retarget_formulas(sheet, movement, target, &mut plan)?;
        }
        for (name, template) in self.workbook.names() {
            if let Some(template) = retarget(template, name_host(), movement.from, movement.to) {
                plan.push(Operation::DefineName { name: name.clone(), definition: Some(template) });
            }
        }
        let moved = self.moved_cells(from, movement, target)?;
        let clear = |sheet: &Sheet, range: Range| {
            let patch = FormatPatch::replacing_with(&Format::default());
            let is_plain = sheet.format_runs(range).next().is_none();
            let formats = (!is_plain).then(|| Operation::SetFormat { sheet: sheet.id(), range, patch });
            let contents = Operation::FillCells { sheet: sheet.id(), range, input: Input::Blank };
            [contents].into_iter().chain(formats)
        };
        plan.extend(clear(from, source));
        plan.extend(clear(to, target));
        plan.extend(moved);
        for (range, format) in from.format_runs(source) {
            plan.extend(shifted(range, source.first(), at).map(|range| Operation::SetFormat {
                sheet: to.id(),
                range,
                patch: FormatPatch::replacing_with(format),
            }));
        }
        plan.extend(self.move_items(PastedCells { from, source, to, target }, new_id)?);
        Ok(plan)
    }

    fn moved_cells(&self, from: &Sheet, movement: Move, target: Range) -> Plan {
        let (source, (to, at)) = (movement.from.1, movement.to);
        let Some(used) = used_part(from, source) else { return Ok(vec![]) };
        self.check_cells(used.cell_count())?;
        let Some(range) = shifted(used, source.first(), at) else { return Ok(vec![]) };
        debug_assert!(target.contains_range(range));
        let inputs = used
            .cells()
            .zip(range.cells())
            .map(|(old, new)| match from.input(old) {
                Input::Formula(template) => {
                    let (old, new) = (Host { sheet: from.id(), cell: old }, Host { sheet: to, cell: new });
                    let moved = relocate(&template, old, new);
                    Input::Formula(retarget(&moved, new, movement.from, movement.to).unwrap_or(moved))
                }
                input => input,
            })
            .collect();
        Ok(vec![Operation::SetCells { sheet: to, range, inputs }])
    }

    /// Rewrites the formulas that are not moved and refer to moved cells.
    fn retarget_formulas(
        &self,
        sheet: &Sheet,
        movement: Move,
        target: Range,
        plan: &mut Vec<Operation>,
    ) -> Result<(), crate::CommandError> {
        let mut cells = 0;
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            if !refers_into(template, sheet.id(), (column, first, last), movement.from) {
                continue;
            }
            cells += u64::from(last - first + 1);
            self.check_cells(cells)?;
            let mut open: Option<(u32, u32, Template)> = None;
            let close = |open: &mut Option<(u32, u32, Template)>, plan: &mut Vec<Operation>| {
                if let Some((first, last, template)) = open.take() {
                    let corner = |row: u32| CellAddress::clamped(row, column.get());
                    plan.push(Operation::FillCells {
                        sheet: sheet.id(),
                        range: Range::new(corner(first), corner(last)),
                        input: Input::Formula(template),
                    });
                }
            };
            for row in first..=last {
                let cell = CellAddress::clamped(row, column.get());
                let is_moved = sheet.id() == movement.from.0 && movement.from.1.contains(cell);
                let is_overwritten = sheet.id() == movement.to.0 && target.contains(cell);
                let after = match is_moved || is_overwritten {
                    true => None,
                    false => retarget(template, Host { sheet: sheet.id(), cell }, movement.from, movement.to),
                };
                match (after, &mut open) {
                    (Some(after), Some((_, end, same))) if *same == after => *end = row,
                    (Some(after), _) => {
                        close(&mut open, plan);
                        open = Some((row, row, after));
                    }
                    (None, _) => close(&mut open, plan),
                }
            }
            close(&mut open, plan);
        }
        Ok(())
    }
}

/// Returns whether a formula of the run may refer to cells of `area`. A cheap test with false
/// positives.
fn refers_into(
    template: &Template,
    sheet: SheetId,
    (column, first, last): (ColumnIndex, u32, u32),
    area: (SheetId, Range),
) -> bool {
    let mut refers = false;
    visit_references(template, &mut |Reference { sheet: named, area: referred }| {
        let is_sheet = match named {
            None => sheet == area.0,
            Some(SheetReference::Sheet(id)) => *id == area.0,
            Some(SheetReference::Sheets(..)) => true,
            Some(SheetReference::Unknown(_)) => false,
        };
        if !is_sheet {
            return;
        }
        let at = |row: u32| resolve_area(referred, CellAddress::clamped(row, column.get()));
        refers |= match (at(first), at(last)) {
            (Some(a), Some(b)) => a.union(b).intersects(area.1),
            _ => true,
        };
    });
    refers
}
