//! Inserting, deleting and moving rows and columns: cells move, and every formula and name that refers to them is
//! rewritten, run by run.

use std::sync::Arc;

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Template, rearrange};
use quadrille_workbook::{Input, Sheet, Workbook};

use super::{Step, Touch, capture, items};
use crate::Operation;
use crate::rebase::follow::{Piece, follow_edit, rearranged_rows, with_lines};
use crate::rebase::name_host;

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

    let back = edit.inverse();
    step.inverse.push(Operation::Restructure(back));
    if let Some(lost) = lines_lost(edit) {
        step.inverse.extend(capture::everything(sheet, lines(edit.dimension, lost)));
        step.inverse.extend(capture::sizes_in(sheet, edit.dimension, lost.0, lost.1));
        step.inverse.extend(capture::hidden_in(sheet, edit.dimension, lost.0, lost.1));
    }

    let mut rewritten = Rewritten::default();
    for sheet in workbook.sheets() {
        rewrite_formulas(sheet, edit, &back, &mut rewritten);
    }
    step.touches.push(Touch::Restructured(*edit));
    if let Some(sheet) = workbook.sheet_mut(edit.sheet) {
        sheet.restructure(edit);
    }
    for (id, range, template) in rewritten.formulas {
        if let Some(sheet) = workbook.sheet_mut(id) {
            let input = Input::Formula(template);
            // Setting a single formula replaces a run in place, where filling would cut it out first.
            if range.cell_count() == 1 {
                sheet.set_input(range.first(), &input);
            } else {
                sheet.fill_input(range, &input);
            }
            step.touches.push(Touch::Contents(id, range));
        }
    }
    step.inverse.extend(rewritten.restored);
    rewrite_names(workbook, edit, &back, step);
    items::restructure(workbook, edit, &back, step);
}

/// First and count of the lines whose contents go: the deleted ones, or those pushed off the end.
fn lines_lost(edit: &StructuralEdit) -> Option<(u32, u32)> {
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

fn lines(dimension: Dimension, (first, count): (u32, u32)) -> Range {
    with_lines(Range::whole_sheet(), dimension, first, count)
}

#[derive(Default)]
struct Rewritten {
    /// Where they stand after the edit.
    formulas: Vec<(SheetId, Range, Template)>,
    /// For the inverse: formulas that the inverse edit alone would not bring back as they were.
    restored: Vec<Operation>,
}

fn rewrite_formulas(sheet: &Sheet, edit: &StructuralEdit, back: &StructuralEdit, rewritten: &mut Rewritten) {
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        let run = rows_of(column, first, last);
        let pieces = match sheet.id() == edit.sheet {
            true => follow_edit(run, edit),
            false => vec![Piece { before: run, after: run }],
        };
        for piece in pieces {
            rewrite_piece(sheet.id(), &piece, template, edit, back, rewritten);
        }
    }
}

/// One run of a formula, or the part of it that the edit leaves together.
fn rewrite_piece(
    sheet: SheetId,
    piece: &Piece,
    template: &Template,
    edit: &StructuralEdit,
    back: &StructuralEdit,
    rewritten: &mut Rewritten,
) {
    let (column, column_after) = (piece.before.first().column, piece.after.first().column);
    let (first, last) = (piece.before.first().row.get(), piece.before.last().row.get());
    let first_after = piece.after.first().row.get();
    for part in rearranged_rows(sheet, column, (first, last), template, edit) {
        let rows_after = (first_after + (part.first - first), first_after + (part.last - first));
        for restored in rearranged_rows(sheet, column_after, rows_after, &part.template, back) {
            if restored.template != *template {
                let before = |row: u32| first + (row - first_after);
                let range = rows_of(column, before(restored.first), before(restored.last));
                let input = Input::Formula(template.clone());
                rewritten.restored.push(Operation::FillCells { sheet, range, input });
            }
        }
        if part.template != *template {
            rewritten.formulas.push((
                sheet,
                rows_of(column_after, rows_after.0, rows_after.1),
                part.template,
            ));
        }
    }
}

fn rewrite_names(workbook: &mut Workbook, edit: &StructuralEdit, back: &StructuralEdit, step: &mut Step) {
    let mut changed: Vec<(Arc<str>, Template)> = Vec::new();
    for (name, template) in workbook.names() {
        let after = rearrange(template, name_host(), edit);
        let there = after.as_ref().unwrap_or(template);
        let restored = rearrange(there, name_host(), back);
        if restored.as_ref().unwrap_or(there) != template {
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
