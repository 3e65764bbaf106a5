//! Which rows and columns a structural edit concerns.

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};

/// Lines at which a structural edit may change what formulas see, as ranges after the edit: those that came, those
/// on either side of where lines went, what was pushed off the sheet's end, and all that are elsewhere.
pub(crate) fn affected_ranges(edit: &StructuralEdit) -> Vec<Range> {
    let end = edit.dimension.len_max() - 1;
    let lines = |first: u32, last: u32| {
        let (first, last) = (first.min(end), last.min(end));
        match edit.dimension {
            Dimension::Rows => Range::from_indices(first, 0, last, quadrille_cell::COLUMNS_MAX - 1),
            Dimension::Columns => Range::from_indices(0, first, quadrille_cell::ROWS_MAX - 1, last),
        }
    };
    let before = edit.at.saturating_sub(1);
    let concerned = match edit.kind {
        EditKind::Insert => {
            let inserted = edit.at.saturating_add(edit.count);
            [lines(before, inserted), lines(end - edit.count.min(end), end)]
        }
        EditKind::Delete => [lines(before, edit.at), lines(end - edit.count.min(end), end)],
        // The same cells in another order: a range over them may give another result, if only in its last bit. What
        // lines have left ends beside the window.
        EditKind::Move { .. } => match edit.moved_window() {
            Some((first, last)) => [lines(first.saturating_sub(1), last.saturating_add(1)), None],
            None => [None, None],
        },
    };
    concerned.into_iter().flatten().collect()
}
