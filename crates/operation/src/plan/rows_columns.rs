//! Inserting, deleting and moving rows and columns.

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};
use quadrille_workbook::{FormatPatch, Sheet};

use super::merge;
use crate::plan::planner::{Plan, Planner};
use crate::rebase::relocate::with_lines;
use crate::{CommandError, Operation, OperationError};

impl Planner<'_> {
    /// Inserted lines look like the one before them, as in Excel.
    pub fn restructure(
        &self,
        sheet: &Sheet,
        dimension: Dimension,
        kind: EditKind,
        (at, count): (u32, u32),
    ) -> Plan {
        let end = dimension.len_max();
        if count == 0 || at >= end || count > end - at {
            return Err(OperationError::LinesOutsideSheet { first: at, count }.into());
        }
        let edit = StructuralEdit { sheet: sheet.id(), dimension, kind, at, count };
        let mut plan = vec![Operation::Restructure(edit)];
        if kind == EditKind::Delete {
            return Ok(plan);
        }
        let last_lines = with_lines(Range::whole_sheet(), dimension, end - count, count);
        if sheet.inputs_in(last_lines).next().is_some() {
            return Err(CommandError::NoRoomToInsert);
        }
        if let Some(before) = at.checked_sub(1) {
            let line = with_lines(Range::whole_sheet(), dimension, before, 1);
            plan.extend(sheet.format_runs(line).map(|(range, format)| Operation::SetFormat {
                sheet: sheet.id(),
                range: with_lines(range, dimension, at, count),
                patch: FormatPatch::replacing_with(format),
            }));
        }
        Ok(plan)
    }

    /// Merged cells move as a whole, and nothing is put between them.
    pub fn move_lines(&self, sheet: &Sheet, dimension: Dimension, (at, count): (u32, u32), to: u32) -> Plan {
        let end = dimension.len_max();
        if count == 0 || at >= end || count > end - at || to > end {
            return Err(OperationError::LinesOutsideSheet { first: at, count }.into());
        }
        let edit = StructuralEdit { sheet: sheet.id(), dimension, kind: EditKind::Move { to }, at, count };
        for (_, merged) in merge::merges_in(sheet, Range::whole_sheet()) {
            let (first, last) = (merged.first().index(dimension), merged.last().index(dimension));
            let is_cut = |line: u32| first < line && line <= last;
            if is_cut(at) || is_cut(edit.end()) || is_cut(to) {
                return Err(CommandError::MergedCells { range: merged.to_string() });
            }
        }
        Ok(vec![Operation::Restructure(edit)])
    }
}
