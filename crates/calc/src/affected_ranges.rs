//! Ranges that a structural edit affects.

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};

/// Ranges, after the edit, in which formulas may see other values: inserted rows or columns, both
/// sides of deleted ones, those pushed off or moved in at the sheet's end, and the window of a
/// move.
pub(crate) fn affected_ranges(edit: &StructuralEdit) -> Vec<Range> {
    let end = edit.dimension.len_max() - 1;
    let whole = |first: u32, last: u32| {
        let (first, last) = (first.min(end), last.min(end));
        match edit.dimension {
            Dimension::Rows => Range::from_indices(first, 0, last, quadrille_cell::COLUMNS_MAX - 1),
            Dimension::Columns => Range::from_indices(0, first, quadrille_cell::ROWS_MAX - 1, last),
        }
    };
    let before = edit.at.saturating_sub(1);
    let ranges = match edit.kind {
        EditKind::Insert => {
            let inserted = edit.at.saturating_add(edit.count);
            [whole(before, inserted), whole(end - edit.count.min(end), end)]
        }
        EditKind::Delete => [whole(before, edit.at), whole(end - edit.count.min(end), end)],
        // A range over the moved cells sees them in another order, which can change a sum in its
        // last bit. The gap that the cells left is adjacent to the window.
        EditKind::Move { .. } => match edit.moved_window() {
            Some((first, last)) => [whole(first.saturating_sub(1), last.saturating_add(1)), None],
            None => [None, None],
        },
    };
    ranges.into_iter().flatten().collect()
}
