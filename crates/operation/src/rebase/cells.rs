//! Contents and looks against one another, and following rows, columns and sorts.
#![deny(clippy::wildcard_enum_match_arm)]

use quadrille_cell::{Dimension, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, rearrange};
use quadrille_workbook::{FormatPatch, Input};

use super::permutation::inverse_of;
use super::relocate::{
    Piece, follow_edit, follow_rows, is_whole, lines_entering, rearranged_fill, with_lines,
};
use crate::Operation;
use crate::Operation::*;
use crate::rebase::outcome::Outcome;
use crate::rebase::permutation::is_sort;

/// The cells of `part`, which lies within `range`, out of the `inputs` of `range`.
pub(crate) fn inputs_of_part(range: Range, inputs: &[Input], part: Range) -> Vec<Input> {
    let width = range.column_count() as usize;
    let left = (part.first().column.get() - range.first().column.get()) as usize;
    let top = (part.first().row.get() - range.first().row.get()) as usize;
    let mut cells = Vec::with_capacity(part.cell_count() as usize);
    for row in top..top + part.row_count() as usize {
        let start = row * width + left;
        // An operation whose inputs do not fill its range is refused at the edge; here the rest is blank.
        for index in start..start + part.column_count() as usize {
            cells.push(inputs.get(index).cloned().unwrap_or_default());
        }
    }
    cells
}

/// The writing operation without the cells of `hole`; `None` when it wrote none of them.
pub(super) fn without_cells(
    operation: &Operation,
    hole_sheet: SheetId,
    hole: Range,
) -> Option<Vec<Operation>> {
    match operation {
        SetCells { sheet, range, inputs } if *sheet == hole_sheet && range.intersects(hole) => Some(
            range
                .subtract(hole)
                .into_iter()
                .map(|part| SetCells {
                    sheet: *sheet,
                    range: part,
                    inputs: inputs_of_part(*range, inputs, part),
                })
                .collect(),
        ),
        FillCells { sheet, range, input } if *sheet == hole_sheet && range.intersects(hole) => Some(
            range
                .subtract(hole)
                .into_iter()
                .map(|part| FillCells { sheet: *sheet, range: part, input: input.clone() })
                .collect(),
        ),
        SetCells { .. }
        | FillCells { .. }
        | SetFormat { .. }
        | Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. }
        | SetHidden { .. }
        | PutItem { .. }
        | PatchItem { .. }
        | RemoveItem { .. }
        | Tick => None,
    }
}

/// The format operation without the attributes of `patch` in `hole`; `None` when it set none of them.
pub(super) fn without_attributes(
    operation: &Operation,
    hole_sheet: SheetId,
    hole: Range,
    patch: &FormatPatch,
) -> Option<Vec<Operation>> {
    let SetFormat { sheet, range, patch: set } = operation else { return None };
    let left = set.without(patch);
    if *sheet != hole_sheet || left == *set {
        return None;
    }
    let overlap = range.intersection(hole)?;
    let mut rest: Vec<Operation> = range
        .subtract(hole)
        .into_iter()
        .map(|part| SetFormat { sheet: *sheet, range: part, patch: set.clone() })
        .collect();
    if !left.is_empty() {
        rest.push(SetFormat { sheet: *sheet, range: overlap, patch: left });
    }
    Some(rest)
}

/// Written cells where they are after `edit`, their formulas rewritten; `None` when nothing changes.
pub(super) fn cells_after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    let moves = |sheet: SheetId, range: Range| match sheet == edit.sheet {
        true => follow_edit(range, edit),
        false => vec![Piece { before: range, after: range }],
    };
    let mut after = Vec::new();
    if let SetCells { sheet, range, inputs } = operation {
        for piece in moves(*sheet, *range) {
            let mut part = inputs_of_part(*range, inputs, piece.before);
            for (input, cell) in part.iter_mut().zip(piece.before.cells()) {
                if let Input::Formula(template) = input
                    && let Some(rewritten) = rearrange(template, Host { sheet: *sheet, cell }, edit)
                {
                    *template = rewritten;
                }
            }
            after.push(SetCells { sheet: *sheet, range: piece.after, inputs: part });
        }
    } else if let FillCells { sheet, range, input } = operation {
        for piece in moves(*sheet, *range) {
            let Input::Formula(template) = input else {
                after.push(FillCells { sheet: *sheet, range: piece.after, input: input.clone() });
                continue;
            };
            for (part, template) in rearranged_fill(*sheet, piece.before, template, edit) {
                after.push(FillCells {
                    sheet: *sheet,
                    range: moved_along(part, &piece),
                    input: Input::Formula(template),
                });
            }
        }
    }
    (after.len() != 1 || after[0] != *operation).then_some(after)
}

/// A part of `piece.before`, where the piece went.
fn moved_along(part: Range, piece: &Piece) -> Range {
    let rows = with_lines(
        part,
        Dimension::Rows,
        piece.after.first().row.get() + (part.first().row.get() - piece.before.first().row.get()),
        part.row_count(),
    );
    with_lines(
        rows,
        Dimension::Columns,
        piece.after.first().column.get() + (part.first().column.get() - piece.before.first().column.get()),
        part.column_count(),
    )
}

/// A whole column stays whole when rows come and go: the look of a column is the look of its new rows too.
pub(super) fn format_after_earlier_edit(range: Range, patch: &FormatPatch, edit: &StructuralEdit) -> Outcome {
    if !is_whole(range, edit.dimension) {
        return Outcome::later(format_pieces(edit.sheet, follow_edit(range, edit), patch));
    }
    let Some((first, count)) = lines_entering(edit) else { return Outcome::unchanged() };
    let entering = SetFormat {
        sheet: edit.sheet,
        range: with_lines(range, edit.dimension, first, count),
        patch: patch.clone(),
    };
    Outcome::earlier(vec![Restructure(*edit), entering])
}

pub(super) fn format_pieces(sheet: SheetId, pieces: Vec<Piece>, patch: &FormatPatch) -> Vec<Operation> {
    let mut ranges: Vec<Range> = Vec::new();
    for piece in pieces {
        // What lies together again is one, so that whole columns stay whole.
        match ranges.last_mut() {
            Some(last)
                if last.union(piece.after).cell_count() == last.cell_count() + piece.after.cell_count() =>
            {
                *last = last.union(piece.after);
            }
            _ => ranges.push(piece.after),
        }
    }
    ranges.into_iter().map(|range| SetFormat { sheet, range, patch: patch.clone() }).collect()
}

/// Written cells where they are after the rows of `sorted` were put in a new order.
pub(super) fn cells_after_sort(
    operation: &Operation,
    sheet: SheetId,
    sorted: Range,
    order: &[u32],
) -> Option<Vec<Operation>> {
    let (written_sheet, range) = match operation {
        SetCells { sheet, range, .. } | FillCells { sheet, range, .. } | SetFormat { sheet, range, .. } => {
            (*sheet, *range)
        }
        Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. }
        | SetHidden { .. }
        | PutItem { .. }
        | PatchItem { .. }
        | RemoveItem { .. }
        | Tick => return None,
    };
    if written_sheet != sheet || !is_sort(sorted, order) {
        return None;
    }
    let overlap = range.intersection(sorted)?;
    let inverse = inverse_of(order);
    let (first, last) = (overlap.first().row.get(), overlap.last().row.get());
    let moved = follow_rows(first, last, sorted.first().row.get(), &inverse);
    let part = |range: Range, rows: Option<&[u32]>, origin: Range| match operation {
        SetCells { range: whole, inputs, .. } => SetCells {
            sheet,
            range,
            inputs: match rows {
                None => inputs_of_part(*whole, inputs, range),
                Some(rows) => rows
                    .iter()
                    .flat_map(|row| {
                        inputs_of_part(*whole, inputs, with_lines(origin, Dimension::Rows, *row, 1))
                    })
                    .collect(),
            },
        },
        FillCells { input, .. } => FillCells { sheet, range, input: input.clone() },
        SetFormat { patch, .. } => SetFormat { sheet, range, patch: patch.clone() },
        Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. }
        | SetHidden { .. }
        | PutItem { .. }
        | PatchItem { .. }
        | RemoveItem { .. }
        | Tick => operation.clone(),
    };
    let mut after: Vec<Operation> =
        range.subtract(sorted).into_iter().map(|rest| part(rest, None, rest)).collect();
    for run in &moved {
        let target = with_lines(overlap, Dimension::Rows, run.after_first, run.before.len() as u32);
        after.push(part(target, Some(&run.before), overlap));
    }
    (after.len() != 1 || after[0] != *operation).then_some(after)
}
