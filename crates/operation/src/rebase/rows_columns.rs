//! Inserted and deleted rows and columns over each other (R8), and spans of sizes and hidden state
//! (R11, R12, R16).
//!
//! [`edit_over_edit`] is R8; it passes moves on to `moves.rs`. The functions on spans serve the
//! rules on sizes and hidden state in `pair.rs`.

use quadrille_cell::{Dimension, EditKind, SheetId, StructuralEdit};

use super::moves::{
    deletion_over_move, insertion_over_move, move_over_deletion, move_over_insertion, move_over_move,
};
use super::relocate::relocate_span;
use crate::Operation;
use crate::Operation::{Restructure, SetHidden, SetSizes};
use crate::rebase::outcome::Outcome;

/// Rebases two structural edits over each other (R8).
pub(super) fn edit_over_edit(later: &StructuralEdit, earlier: &StructuralEdit) -> Outcome {
    if later.sheet != earlier.sheet || later.dimension != earlier.dimension {
        return Outcome::unchanged();
    }
    let moves_nothing =
        |edit: &StructuralEdit| matches!(edit.kind, EditKind::Move { .. }) && edit.moved_window().is_none();
    if moves_nothing(later) || moves_nothing(earlier) {
        return Outcome::unchanged();
    }
    let operations = |edits: Vec<StructuralEdit>| edits.into_iter().map(Restructure).collect::<Vec<_>>();
    match (later.kind, earlier.kind) {
        // At the same position, the rows inserted by the earlier edit come first.
        (EditKind::Insert, EditKind::Insert) if later.at < earlier.at => {
            Outcome::earlier(operations(shifted(earlier, later.count)))
        }
        (EditKind::Insert, EditKind::Insert) => Outcome::later(operations(shifted(later, earlier.count))),
        (EditKind::Insert, EditKind::Delete) => Outcome::both(
            vec![Restructure(insertion_after_deletion(later, earlier))],
            operations(deletion_after_insertion(earlier, later)),
        ),
        (EditKind::Delete, EditKind::Insert) => Outcome::both(
            operations(deletion_after_insertion(later, earlier)),
            vec![Restructure(insertion_after_deletion(earlier, later))],
        ),
        (EditKind::Delete, EditKind::Delete) => Outcome::both(
            operations(deletion_after_deletion(later, earlier)),
            operations(deletion_after_deletion(earlier, later)),
        ),
        // Moved rows and columns: see `moves.rs`.
        (EditKind::Move { to }, EditKind::Insert) => Outcome::both(
            move_over_insertion(later, to, earlier, true),
            insertion_over_move(earlier, later, to, false),
        ),
        (EditKind::Insert, EditKind::Move { to }) => Outcome::both(
            insertion_over_move(later, earlier, to, true),
            move_over_insertion(earlier, to, later, false),
        ),
        (EditKind::Move { to }, EditKind::Delete) => {
            Outcome::both(move_over_deletion(later, to, earlier), deletion_over_move(earlier, later))
        }
        (EditKind::Delete, EditKind::Move { to }) => {
            Outcome::both(deletion_over_move(later, earlier), move_over_deletion(earlier, to, later))
        }
        (EditKind::Move { to }, EditKind::Move { to: earlier_to }) => {
            move_over_move((later, to), (earlier, earlier_to))
        }
    }
}

/// Returns the edit `by` rows further on; no edit if it would be beyond the sheet's end.
fn shifted(edit: &StructuralEdit, by: u32) -> Vec<StructuralEdit> {
    let at = edit.at.saturating_add(by);
    let end = edit.dimension.len_max();
    if at >= end { vec![] } else { vec![StructuralEdit { at, count: edit.count.min(end - at), ..*edit }] }
}

/// Rows inserted between deleted rows stay, at the position of the deleted ones.
fn insertion_after_deletion(insertion: &StructuralEdit, deletion: &StructuralEdit) -> StructuralEdit {
    let at = match insertion.at {
        at if at <= deletion.at => at,
        at => at.max(deletion.at.saturating_add(deletion.count)) - deletion.count,
    };
    StructuralEdit { at, ..*insertion }
}

/// The deletion excludes rows inserted between its rows and is split in two. The lower part comes
/// first, so that the index of the upper part stays right.
fn deletion_after_insertion(deletion: &StructuralEdit, insertion: &StructuralEdit) -> Vec<StructuralEdit> {
    let last = deletion.at.saturating_add(deletion.count).min(deletion.dimension.len_max()) - 1;
    let mut parts: Vec<StructuralEdit> = relocate_span(deletion.at, last, insertion)
        .into_iter()
        .map(|part| StructuralEdit { at: part.after, count: part.count, ..*deletion })
        .collect();
    parts.reverse();
    parts
}

/// Rows that both edits delete are deleted once.
fn deletion_after_deletion(deletion: &StructuralEdit, other: &StructuralEdit) -> Vec<StructuralEdit> {
    let last = deletion.at.saturating_add(deletion.count).min(deletion.dimension.len_max()) - 1;
    let parts = relocate_span(deletion.at, last, other);
    // The rows on both sides of the other deletion are adjacent now.
    let count = parts.iter().map(|part| part.count).sum();
    parts.first().map(|part| StructuralEdit { at: part.after, count, ..*deletion }).into_iter().collect()
}

/// Subtracts one span from another; spans are (first index, count).
pub(super) fn subtract_span(span: (u32, u32), hole: (u32, u32)) -> Vec<(u32, u32)> {
    let (end, hole_end) = (span.0.saturating_add(span.1), hole.0.saturating_add(hole.1));
    if hole_end <= span.0 || end <= hole.0 {
        return vec![span];
    }
    let mut rest = Vec::new();
    if span.0 < hole.0 {
        rest.push((span.0, hole.0 - span.0));
    }
    if hole_end < end {
        rest.push((hole_end, end - hole_end));
    }
    rest
}

/// Returns the spans of the rows or columns `first..=last` after an edit (R12, R16).
pub(super) fn spans_after_edit(first: u32, last: u32, edit: &StructuralEdit) -> Vec<(u32, u32)> {
    let last = last.min(edit.dimension.len_max() - 1);
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for part in relocate_span(first, last, edit) {
        match spans.last_mut() {
            Some((before, count)) if *before + *count == part.after => *count += part.count,
            _ => spans.push((part.after, part.count)),
        }
    }
    spans
}

/// Returns the operations that set the size of these spans.
pub(super) fn sizes(
    sheet: SheetId,
    dimension: Dimension,
    spans: Vec<(u32, u32)>,
    size: Option<u16>,
) -> Vec<Operation> {
    spans.into_iter().map(|(first, count)| SetSizes { sheet, dimension, first, count, size }).collect()
}

/// Returns the operations that set the hidden state of these spans.
pub(super) fn hidden(
    sheet: SheetId,
    dimension: Dimension,
    spans: Vec<(u32, u32)>,
    is_hidden: bool,
) -> Vec<Operation> {
    spans.into_iter().map(|(first, count)| SetHidden { sheet, dimension, first, count, is_hidden }).collect()
}
