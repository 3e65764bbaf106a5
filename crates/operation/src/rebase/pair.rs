//! The rebase rule of every pair of operations, in one `match` without a wildcard: a new operation
//! does not compile until its rules exist. The comment above each arm names the rule (`R4`) of
//! `docs/operations.md`; rules of more than a few lines call the file that the module's
//! introduction lists.
#![deny(clippy::wildcard_enum_match_arm)]

use crate::rebase::names::{is_same_name, name_host};
use crate::rebase::outcome::Outcome;
use crate::rebase::permutation::is_sort;
use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Template, rearrange};

use super::cells::{
    cells_after_edit, cells_after_sort, format_after_earlier_edit, format_pieces, without_attributes,
    without_cells,
};
use super::items;
use super::moves::{is_move_of_rows, move_over_sort, sort_over_move};
use super::permutation::{Sort, deletion_after_sort, sort_after_edit, sort_over_sort};
use super::relocate::{RelocatedSpan, blank_span_after, relocate_range, relocate_span, with_span};
use super::rows_columns::{edit_over_edit, hidden, sizes, spans_after_edit, subtract_span};
use crate::Operation;
use crate::Operation::*;

/// Transforms two operations made on the same workbook. `earlier` precedes `later` in the room's
/// order.
pub(super) fn rebase_operations(later: &Operation, earlier: &Operation) -> Outcome {
    match (later, earlier) {
        // R2: an operation on a sheet that the other removes has no effect left.
        (RemoveSheet { sheet }, RemoveSheet { sheet: other }) if sheet == other => {
            Outcome::both(vec![], vec![])
        }
        (RemoveSheet { sheet }, _) if earlier.sheet() == Some(*sheet) => Outcome::earlier(vec![]),
        (_, RemoveSheet { sheet }) if later.sheet() == Some(*sheet) => Outcome::later(vec![]),
        // R3: no concurrent operation can know a sheet that is being added, unless both undo the
        // removal of the same sheet.
        (AddSheet { sheet, name, position }, AddSheet { sheet: other, .. }) if sheet == other => {
            Outcome::both(
                vec![
                    RenameSheet { sheet: *sheet, name: name.clone() },
                    MoveSheet { sheet: *sheet, position: *position },
                ],
                vec![],
            )
        }
        (AddSheet { sheet, .. }, _) if earlier.sheet() == Some(*sheet) => Outcome::earlier(vec![]),
        (_, AddSheet { sheet, .. }) if later.sheet() == Some(*sheet) => Outcome::later(vec![]),

        // R4: contents over contents.
        (
            SetCells { sheet, range, .. } | FillCells { sheet, range, .. },
            SetCells { .. } | FillCells { .. },
        ) => match without_cells(earlier, *sheet, *range) {
            Some(rest) => Outcome::earlier(rest),
            None => Outcome::unchanged(),
        },
        // R5: formats over formats.
        (SetFormat { sheet, range, patch }, SetFormat { .. }) => {
            match without_attributes(earlier, *sheet, *range, patch) {
                Some(rest) => Outcome::earlier(rest),
                None => Outcome::unchanged(),
            }
        }
        // R1: contents and formats are independent.
        (SetCells { .. } | FillCells { .. }, SetFormat { .. })
        | (SetFormat { .. }, SetCells { .. } | FillCells { .. }) => Outcome::unchanged(),

        // R6: contents and formats follow inserted, deleted and moved rows and columns.
        (SetCells { .. } | FillCells { .. }, Restructure(edit)) => match cells_after_edit(later, edit) {
            Some(operations) => Outcome::later(operations),
            None => Outcome::unchanged(),
        },
        (Restructure(edit), SetCells { .. } | FillCells { .. }) => match cells_after_edit(earlier, edit) {
            Some(operations) => Outcome::earlier(operations),
            None => Outcome::unchanged(),
        },
        (SetFormat { sheet, range, patch }, Restructure(edit)) if *sheet == edit.sheet => {
            format_after_earlier_edit(*range, patch, edit)
        }
        (Restructure(edit), SetFormat { sheet, range, patch }) if *sheet == edit.sheet => {
            Outcome::earlier(format_pieces(*sheet, relocate_range(*range, edit), patch))
        }
        (SetFormat { .. }, Restructure(_)) | (Restructure(_), SetFormat { .. }) => Outcome::unchanged(),

        // R7: contents and formats follow sorted rows.
        (SetCells { .. } | FillCells { .. } | SetFormat { .. }, PermuteRows { sheet, range, order }) => {
            match cells_after_sort(later, *sheet, *range, order) {
                Some(operations) => Outcome::later(operations),
                None => Outcome::unchanged(),
            }
        }
        (PermuteRows { sheet, range, order }, SetCells { .. } | FillCells { .. } | SetFormat { .. }) => {
            match cells_after_sort(earlier, *sheet, *range, order) {
                Some(operations) => Outcome::earlier(operations),
                None => Outcome::unchanged(),
            }
        }

        // R8: inserted, deleted and moved rows and columns over each other.
        (Restructure(later), Restructure(earlier)) => edit_over_edit(later, earlier),

        // R20: sorts over moved rows.
        (PermuteRows { sheet, range, order }, Restructure(edit)) if is_move_of_rows(edit) => {
            match is_sort(*range, order) {
                true => sort_over_move((*sheet, *range, order), edit),
                false => Outcome::unchanged(),
            }
        }
        (Restructure(edit), PermuteRows { sheet, range, order }) if is_move_of_rows(edit) => {
            match is_sort(*range, order) {
                true => move_over_sort(edit, (*sheet, *range, order)),
                false => Outcome::unchanged(),
            }
        }

        // R9: sorts over inserted and deleted rows and columns, and over moved columns.
        (PermuteRows { sheet, range, order }, Restructure(edit)) => {
            match sort_and_edit(*sheet, *range, order, edit) {
                Some((sort, edits)) => Outcome::both(sort, edits),
                None => Outcome::unchanged(),
            }
        }
        (Restructure(edit), PermuteRows { sheet, range, order }) => {
            match sort_and_edit(*sheet, *range, order, edit) {
                Some((sort, edits)) => Outcome::both(edits, sort),
                None => Outcome::unchanged(),
            }
        }

        // R10: sorts over sorts.
        (
            PermuteRows { sheet, range, order },
            PermuteRows { sheet: other, range: other_range, order: other_order },
        ) => {
            if sheet != other
                || !range.intersects(*other_range)
                || !is_sort(*range, order)
                || !is_sort(*other_range, other_order)
            {
                return Outcome::unchanged();
            }
            let later = Sort { range: *range, order: order.clone() };
            let earlier = Sort { range: *other_range, order: other_order.clone() };
            let (later, earlier) = sort_over_sort(&later, &earlier);
            Outcome::both(permutations(*sheet, later), permutations(*sheet, earlier))
        }

        // R11: sizes over sizes.
        (
            SetSizes { sheet, dimension, first, count, .. },
            SetSizes {
                sheet: other,
                dimension: other_dimension,
                first: other_first,
                count: other_count,
                size,
            },
        ) => {
            if sheet != other || dimension != other_dimension {
                return Outcome::unchanged();
            }
            let rest = subtract_span((*other_first, *other_count), (*first, *count));
            Outcome::earlier(sizes(*sheet, *dimension, rest, *size))
        }
        // R12: sizes follow inserted, deleted and moved rows and columns.
        (SetSizes { sheet, dimension, first, count, size }, Restructure(edit))
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            if *first == 0 && last >= dimension.len_max() - 1 {
                let Some(span) = blank_span_after(edit) else { return Outcome::unchanged() };
                let entering = sizes(*sheet, *dimension, vec![span], *size);
                return Outcome::earlier([vec![earlier.clone()], entering].concat());
            }
            Outcome::later(sizes(*sheet, *dimension, spans_after_edit(*first, last, edit), *size))
        }
        (Restructure(edit), SetSizes { sheet, dimension, first, count, size })
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            Outcome::earlier(sizes(*sheet, *dimension, spans_after_edit(*first, last, edit), *size))
        }
        (SetSizes { .. }, Restructure(_)) | (Restructure(_), SetSizes { .. }) => Outcome::unchanged(),
        (SetSizes { .. }, SetCells { .. } | FillCells { .. } | SetFormat { .. } | PermuteRows { .. })
        | (SetCells { .. } | FillCells { .. } | SetFormat { .. } | PermuteRows { .. }, SetSizes { .. }) => {
            Outcome::unchanged()
        }

        // R13: names and positions of sheets.
        (RenameSheet { sheet, .. }, RenameSheet { sheet: other, .. })
        | (MoveSheet { sheet, .. }, MoveSheet { sheet: other, .. }) => {
            if sheet == other {
                Outcome::earlier(vec![])
            } else {
                Outcome::unchanged()
            }
        }
        (
            AddSheet { sheet, name, position },
            AddSheet { sheet: other, name: other_name, position: other_position },
        ) => {
            let add = |sheet: &SheetId, name: &std::sync::Arc<str>, position: u32| AddSheet {
                sheet: *sheet,
                name: name.clone(),
                position,
            };
            if position < other_position {
                Outcome::earlier(vec![add(other, other_name, other_position.saturating_add(1))])
            } else {
                Outcome::later(vec![add(sheet, name, position.saturating_add(1))])
            }
        }
        (
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
        ) => Outcome::unchanged(),

        // R14: definitions of names.
        (DefineName { name, .. }, DefineName { name: other, .. }) => {
            if is_same_name(name, other) {
                Outcome::earlier(vec![])
            } else {
                Outcome::unchanged()
            }
        }
        // R15: definitions follow inserted, deleted and moved rows and columns.
        (DefineName { .. }, Restructure(edit)) => match name_after_edit(later, edit) {
            Some(operations) => Outcome::later(operations),
            None => Outcome::unchanged(),
        },
        (Restructure(edit), DefineName { .. }) => match name_after_edit(earlier, edit) {
            Some(operations) => Outcome::earlier(operations),
            None => Outcome::unchanged(),
        },

        // R16: hidden state over hidden state; it follows rows and columns as sizes do (R12).
        (
            SetHidden { sheet, dimension, first, count, .. },
            SetHidden {
                sheet: other,
                dimension: other_dimension,
                first: other_first,
                count: other_count,
                is_hidden,
            },
        ) => {
            if sheet != other || dimension != other_dimension {
                return Outcome::unchanged();
            }
            let rest = subtract_span((*other_first, *other_count), (*first, *count));
            Outcome::earlier(hidden(*sheet, *dimension, rest, *is_hidden))
        }
        (SetHidden { sheet, dimension, first, count, is_hidden }, Restructure(edit))
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            Outcome::later(hidden(*sheet, *dimension, spans_after_edit(*first, last, edit), *is_hidden))
        }
        (Restructure(edit), SetHidden { sheet, dimension, first, count, is_hidden })
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            Outcome::earlier(hidden(*sheet, *dimension, spans_after_edit(*first, last, edit), *is_hidden))
        }
        (SetHidden { .. }, Restructure(_)) | (Restructure(_), SetHidden { .. }) => Outcome::unchanged(),

        // R17: items over items.
        (
            PutItem { .. } | PatchItem { .. } | RemoveItem { .. },
            PutItem { .. } | PatchItem { .. } | RemoveItem { .. },
        ) => items::item_over_item(later, earlier),
        // R18: items follow inserted, deleted and moved rows and columns.
        (PutItem { .. } | PatchItem { .. }, Restructure(edit)) => match items::after_edit(later, edit) {
            Some(operations) => Outcome::later(operations),
            None => Outcome::unchanged(),
        },
        (Restructure(edit), PutItem { .. } | PatchItem { .. }) => match items::after_edit(earlier, edit) {
            Some(operations) => Outcome::earlier(operations),
            None => Outcome::unchanged(),
        },
        // R19: single-cell items follow sorted rows.
        (PutItem { .. } | PatchItem { .. }, PermuteRows { sheet, range, order })
            if is_sort(*range, order) =>
        {
            match items::after_sort(later, *sheet, *range, order) {
                Some(operations) => Outcome::later(operations),
                None => Outcome::unchanged(),
            }
        }
        (PermuteRows { sheet, range, order }, PutItem { .. } | PatchItem { .. })
            if is_sort(*range, order) =>
        {
            match items::after_sort(earlier, *sheet, *range, order) {
                Some(operations) => Outcome::earlier(operations),
                None => Outcome::unchanged(),
            }
        }
        (RemoveItem { .. }, Restructure(_)) | (Restructure(_), RemoveItem { .. }) => Outcome::unchanged(),

        // R1: all other pairs are independent. References identify sheets by identity, so no
        // formula and no name depends on names and positions of sheets.
        (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | Restructure(_)
            | SetSizes { .. }
            | PermuteRows { .. },
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
        )
        | (
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | Restructure(_)
            | SetSizes { .. }
            | PermuteRows { .. },
        )
        | (
            DefineName { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. },
        )
        | (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. },
            DefineName { .. },
        )
        | (
            SetHidden { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. }
            | DefineName { .. }
            | PutItem { .. }
            | PatchItem { .. }
            | RemoveItem { .. },
        )
        | (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. }
            | DefineName { .. }
            | PutItem { .. }
            | PatchItem { .. }
            | RemoveItem { .. },
            SetHidden { .. },
        )
        | (
            PutItem { .. } | PatchItem { .. } | RemoveItem { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. }
            | DefineName { .. },
        )
        | (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. }
            | DefineName { .. },
            PutItem { .. } | PatchItem { .. } | RemoveItem { .. },
        )
        | (Tick, _)
        | (_, Tick) => Outcome::unchanged(),
    }
}

/// Returns the sorts as operations, without those that move no row.
fn permutations(sheet: SheetId, sorts: Vec<Sort>) -> Vec<Operation> {
    sorts
        .into_iter()
        .filter(|sort| !sort.order.is_sorted())
        .map(|sort| PermuteRows { sheet, range: sort.range, order: sort.order })
        .collect()
}

/// Returns `(the sort after the edit, the edit after the sort)`; `None` if neither changes.
fn sort_and_edit(
    sheet: SheetId,
    range: Range,
    order: &std::sync::Arc<[u32]>,
    edit: &StructuralEdit,
) -> Option<(Vec<Operation>, Vec<Operation>)> {
    if sheet != edit.sheet || !is_sort(range, order) {
        return None;
    }
    let sort = Sort { range, order: order.clone() };
    if let EditKind::Move { .. } = edit.kind {
        let (first, last) = (range.first().column.get(), range.last().column.get());
        let parts = if range.is_whole_rows() { vec![] } else { relocate_span(first, last, edit) };
        let columns = |part: RelocatedSpan| with_span(range, Dimension::Columns, part.after, part.count);
        let sorts = parts.into_iter().map(|part| Sort { range: columns(part), order: order.clone() });
        let sorts = if range.is_whole_rows() { vec![sort] } else { sorts.collect() };
        return Some((permutations(sheet, sorts), vec![Restructure(*edit)]));
    }
    let edits = match (edit.dimension, edit.kind) {
        (Dimension::Rows, EditKind::Delete) => deletion_after_sort(edit, &sort),
        (Dimension::Rows, EditKind::Insert | EditKind::Move { .. }) | (Dimension::Columns, _) => vec![*edit],
    };
    let sorts = sort_after_edit(&sort, edit).into_iter().collect();
    Some((permutations(sheet, sorts), edits.into_iter().map(Restructure).collect()))
}

fn name_after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    let DefineName { name, definition: Some(template) } = operation else { return None };
    let rewritten: Template = rearrange(template, name_host(), edit)?;
    Some(vec![DefineName { name: name.clone(), definition: Some(rewritten) }])
}
