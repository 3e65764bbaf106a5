//! Contents and formats over each other (R4, R5), and how they follow inserted, deleted and moved
//! rows and columns (R6) and sorts (R7).
//!
//! `pair.rs` calls [`without_cells`] for R4, [`without_attributes`] for R5, [`cells_after_edit`],
//! [`format_after_earlier_edit`] and [`format_pieces`] for R6, and [`cells_after_sort`] for R7.
#![deny(clippy::wildcard_enum_match_arm)]

use quadrille_cell::{Dimension, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, rearrange};
use quadrille_workbook::{FormatPatch, Input};

use super::permutation::inverse_of;
use super::relocate::{
    RelocatedRange, blank_span_after, covers_dimension, rearranged_fill, relocate_permuted_rows,
    relocate_range, with_span,
};
use crate::Operation;
use crate::Operation::*;
use crate::rebase::outcome::Outcome;
use crate::rebase::permutation::is_sort;

/// Returns the contents of `part`, which lies within `range`, from the `inputs` of `range`.
pub(crate) fn inputs_of_part(range: Range, inputs: &[Input], part: Range) -> Vec<Input> {
    let width = range.column_count() as usize;
    let left = (part.first().column.get() - range.first().column.get()) as usize;
    let top = (part.first().row.get() - range.first().row.get()) as usize;
    let mut cells = Vec::with_capacity(part.cell_count() as usize);
    for row in top..top + part.row_count() as usize {
        let start = row * width + left;
        // Validation refuses an operation whose inputs do not fill its range; here missing inputs
        // are blank.
        for index in start..start + part.column_count() as usize {
            cells.push(inputs.get(index).cloned().unwrap_or_default());
        }
    }
    cells
}

/// Returns the operation without the cells of `hole`; `None` if it writes none of them.
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

/// Returns the format operation without the attributes of `patch` in `hole`, or with those that its
/// style would reset; `None` if it is the same.
pub(super) fn without_attributes(
    operation: &Operation,
    hole_sheet: SheetId,
    hole: Range,
    patch: &FormatPatch,
) -> Option<Vec<Operation>> {
    let SetFormat { sheet, range, patch: set } = operation else { return None };
    // A later style resets all attributes. An earlier one would reset those of the later patch, so
    // they are set again.
    let sets_again = set.cell_style.is_some() && patch.cell_style.is_none();
    let mut remaining = set.without(patch);
    if patch.cell_style.is_some() {
        remaining = FormatPatch::default();
    }
    if *sheet != hole_sheet || remaining == *set && !sets_again {
        return None;
    }
    let overlap = range.intersection(hole)?;
    let mut rest: Vec<Operation> = range
        .subtract(hole)
        .into_iter()
        .map(|part| SetFormat { sheet: *sheet, range: part, patch: set.clone() })
        .collect();
    if !remaining.is_empty() {
        rest.push(SetFormat { sheet: *sheet, range: overlap, patch: remaining });
    }
    if sets_again {
        rest.push(SetFormat { sheet: *sheet, range: overlap, patch: patch.clone() });
    }
    Some(rest)
}

/// Returns the written cells at their positions after `edit`, with their formulas rewritten; `None`
/// if nothing changes.
pub(super) fn cells_after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    let moves = |sheet: SheetId, range: Range| match sheet == edit.sheet {
        true => relocate_range(range, edit),
        false => vec![RelocatedRange { before: range, after: range }],
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

/// Returns the position after the edit of a part of `piece.before`.
fn moved_along(part: Range, piece: &RelocatedRange) -> Range {
    let rows = with_span(
        part,
        Dimension::Rows,
        piece.after.first().row.get() + (part.first().row.get() - piece.before.first().row.get()),
        part.row_count(),
    );
    with_span(
        rows,
        Dimension::Columns,
        piece.after.first().column.get() + (part.first().column.get() - piece.before.first().column.get()),
        part.column_count(),
    )
}

/// Rebases a later format over an earlier edit. A format of whole columns also applies to inserted
/// rows, and of whole rows to inserted columns.
pub(super) fn format_after_earlier_edit(range: Range, patch: &FormatPatch, edit: &StructuralEdit) -> Outcome {
    if !covers_dimension(range, edit.dimension) {
        return Outcome::later(format_pieces(edit.sheet, relocate_range(range, edit), patch));
    }
    let Some((first, count)) = blank_span_after(edit) else { return Outcome::unchanged() };
    let entering = SetFormat {
        sheet: edit.sheet,
        range: with_span(range, edit.dimension, first, count),
        patch: patch.clone(),
    };
    Outcome::earlier(vec![Restructure(*edit), entering])
}

/// Returns the format operations for the pieces of a range after an edit.
pub(super) fn format_pieces(
    sheet: SheetId,
    pieces: Vec<RelocatedRange>,
    patch: &FormatPatch,
) -> Vec<Operation> {
    let mut ranges: Vec<Range> = Vec::new();
    for piece in pieces {
        // Adjacent ranges are joined, so that whole columns stay whole.
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

/// Returns the written cells at their positions after the rows of `sorted` were permuted; `None` if
/// nothing changes.
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
    let moved = relocate_permuted_rows(first, last, sorted.first().row.get(), &inverse);
    let part = |range: Range, rows: Option<&[u32]>, origin: Range| match operation {
        SetCells { range: whole, inputs, .. } => SetCells {
            sheet,
            range,
            inputs: match rows {
                None => inputs_of_part(*whole, inputs, range),
                Some(rows) => rows
                    .iter()
                    .flat_map(|row| {
                        inputs_of_part(*whole, inputs, with_span(origin, Dimension::Rows, *row, 1))
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
        let target = with_span(overlap, Dimension::Rows, run.after_first, run.before.len() as u32);
        after.push(part(target, Some(&run.before), overlap));
    }
    (after.len() != 1 || after[0] != *operation).then_some(after)
}
