//! Applying inserted, deleted and moved rows and columns: moves cells, and rewrites every formula,
//! name and item that refers to them.

use std::sync::Arc;

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Template, rearrange};
use quadrille_workbook::{Input, Workbook};

use super::rewrite::{Rewriter, Rewritten};
use super::{capture, items};
use crate::Operation;
use crate::apply::step::{Step, Touch};
use crate::rebase::name_host;
use crate::rebase::relocate::with_span;

/// Applies `Restructure`. The inverse restores deleted cells, and the references that the inverse
/// edit alone would not restore.
pub(super) fn restructure(workbook: &mut Workbook, edit: &StructuralEdit, step: &mut Step) {
    let end = edit.dimension.len_max();
    let count = edit.count.min(end.saturating_sub(edit.at));
    let edit = &StructuralEdit { count, ..*edit };
    let Some(sheet) = workbook.sheet(edit.sheet).filter(|_| count > 0) else { return };
    if let EditKind::Move { to } = edit.kind
        && (to > end || edit.moved_window().is_none())
    {
        return;
    }

    let inverse_edit = edit.inverse();
    step.inverse.push(Operation::Restructure(inverse_edit));
    if let Some(lost) = lost_span(edit) {
        step.inverse.extend(capture::everything(sheet, range_of_span(edit.dimension, lost)));
        step.inverse.extend(capture::sizes_in(sheet, edit.dimension, lost.0, lost.1));
        step.inverse.extend(capture::hidden_in(sheet, edit.dimension, lost.0, lost.1));
    }

    let mut rewritten: Vec<(SheetId, Rewritten)> = Vec::new();
    for sheet in workbook.sheets() {
        rewritten.push((sheet.id(), Rewriter::rewrite(sheet, edit, &inverse_edit)));
    }
    step.touches.push(Touch::Restructured(*edit));
    if let Some(sheet) = workbook.sheet_mut(edit.sheet) {
        sheet.restructure(edit);
    }
    for (id, Rewritten { columns, restored }) in rewritten {
        for (column, run) in restored {
            let range = rows_of(column, run.first, run.last);
            let input = Input::Formula(run.value);
            step.inverse.push(Operation::FillCells { sheet: id, range, input });
        }
        for (column, runs) in columns {
            for rows in runs.chunk_by(|above, below| above.last + 1 == below.first) {
                let (first, last) = (rows[0].first, rows[rows.len() - 1].last);
                step.touches.push(Touch::Rewritten(id, rows_of(column, first, last)));
            }
            if let Some(sheet) = workbook.sheet_mut(id) {
                sheet.replace_formulas(column, runs);
            }
        }
    }
    rewrite_names(workbook, edit, &inverse_edit, step);
    items::restructure(workbook, edit, &inverse_edit, step);
}

/// Returns the first index and the count of the rows or columns whose contents are lost: the
/// deleted ones, or those pushed off the sheet's end.
fn lost_span(edit: &StructuralEdit) -> Option<(u32, u32)> {
    match edit.kind {
        EditKind::Delete => Some((edit.at, edit.count)),
        EditKind::Insert => {
            let end = edit.dimension.len_max();
            let first = edit.at.max(end - edit.count);
            Some((first, end - first))
        }
        EditKind::Move { .. } => None,
    }
}

fn range_of_span(dimension: Dimension, (first, count): (u32, u32)) -> Range {
    with_span(Range::whole_sheet(), dimension, first, count)
}

fn rewrite_names(
    workbook: &mut Workbook,
    edit: &StructuralEdit,
    inverse_edit: &StructuralEdit,
    step: &mut Step,
) {
    let mut changed: Vec<(Arc<str>, Template)> = Vec::new();
    for (name, template) in workbook.names() {
        let after = rearrange(template, name_host(), edit);
        let after_edit = after.as_ref().unwrap_or(template);
        let restored = rearrange(after_edit, name_host(), inverse_edit);
        if restored.as_ref().unwrap_or(after_edit) != template {
            step.inverse
                .push(Operation::DefineName { name: name.clone(), definition: Some(template.clone()) });
        }
        if let Some(after) = after {
            changed.push((name.clone(), after));
        }
    }
    if !changed.is_empty() {
        step.touches.push(Touch::Names);
    }
    for (name, template) in changed {
        workbook.define_name(&name, Some(template));
    }
}

fn rows_of(column: ColumnIndex, first: u32, last: u32) -> Range {
    Range::new(CellAddress::clamped(first, column.get()), CellAddress::clamped(last, column.get()))
}
