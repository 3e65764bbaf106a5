//! Planning of inserted, deleted and moved rows and columns.

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};
use quadrille_workbook::{FormatPatch, Sheet};

use super::merge;
use crate::plan::planner::{Plan, Planner};
use crate::rebase::relocate::with_span;
use crate::{CommandError, Operation, OperationError};

impl Planner<'_> {
    /// Inserts or deletes rows or columns. Inserted ones get the format of the one before them, as
    /// in Excel.
    pub fn restructure(
        &self,
        sheet: &Sheet,
        dimension: Dimension,
        kind: EditKind,
        (at, count): (u32, u32),
    ) -> Plan {
        let end = dimension.len_max();
        if count == 0 || at >= end || count > end - at {
            return Err(OperationError::SpanOutsideSheet { first: at, count }.into());
        }
        let edit = StructuralEdit { sheet: sheet.id(), dimension, kind, at, count };
        let mut plan = vec![Operation::Restructure(edit)];
        if kind == EditKind::Delete {
            return Ok(plan);
        }
        let last_span = with_span(Range::whole_sheet(), dimension, end - count, count);
        if sheet.inputs_in(last_span).next().is_some() {
            return Err(CommandError::NoRoomToInsert);
        }
        if let Some(before) = at.checked_sub(1) {
            let previous = with_span(Range::whole_sheet(), dimension, before, 1);
            plan.extend(sheet.format_runs(previous).map(|(range, format)| Operation::SetFormat {
                sheet: sheet.id(),
                range: with_span(range, dimension, at, count),
                patch: FormatPatch::replacing_with(format),
            }));
        }
        Ok(plan)
    }

    /// Moves rows or columns. Fails with [`CommandError::MergedCells`] if merged cells would be
    /// split.
    pub fn move_dimension(
        &self,
        sheet: &Sheet,
        dimension: Dimension,
        (at, count): (u32, u32),
        to: u32,
    ) -> Plan {
        let end = dimension.len_max();
        if count == 0 || at >= end || count > end - at || to > end {
            return Err(OperationError::SpanOutsideSheet { first: at, count }.into());
        }
        let edit = StructuralEdit { sheet: sheet.id(), dimension, kind: EditKind::Move { to }, at, count };
        for (_, merged) in merge::merges_in(sheet, Range::whole_sheet()) {
            let (first, last) = (merged.first().index(dimension), merged.last().index(dimension));
            let is_cut = |index: u32| first < index && index <= last;
            if is_cut(at) || is_cut(edit.end()) || is_cut(to) {
                return Err(CommandError::MergedCells { range: merged.to_string() });
            }
        }
        Ok(vec![Operation::Restructure(edit)])
    }
}
