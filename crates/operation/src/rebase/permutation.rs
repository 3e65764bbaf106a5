//! Sorts over inserted and deleted rows and columns (R9) and over other sorts (R10).
//!
//! [`sort_after_edit`] and [`deletion_after_sort`] are R9, [`sort_over_sort`] is R10. Sorts over
//! moved rows (R20) are in `moves.rs`.

use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};

use super::relocate::with_span;

/// Returns the inverse permutation.
pub(crate) fn inverse_of(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (target, source) in order.iter().enumerate() {
        inverse[*source as usize] = target as u32;
    }
    inverse
}

/// Returns whether `order` contains every index below its length exactly once. Operations from the
/// network are validated earlier; an operation with an invalid order does nothing.
pub(crate) fn is_permutation(order: &[u32]) -> bool {
    let mut is_used = vec![false; order.len()];
    order
        .iter()
        .all(|source| is_used.get_mut(*source as usize).is_some_and(|used| !std::mem::replace(used, true)))
}

/// The order of a sort and the range that it permutes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sort {
    pub range: Range,
    pub order: Arc<[u32]>,
}

/// Rebases a sort over inserted or deleted rows or columns of its sheet (R9); `None` if nothing is
/// left of it. Moved rows have rules of their own in `moves.rs`.
///
/// Inserted rows keep their position and the others are sorted around them. Deleted rows are
/// removed from the order. Columns inserted inside the range are sorted too.
pub(crate) fn sort_after_edit(sort: &Sort, edit: &StructuralEdit) -> Option<Sort> {
    let range = sort.range;
    match edit.dimension {
        // A range of whole rows stays whole.
        Dimension::Columns if range.is_whole_rows() => Some(sort.clone()),
        Dimension::Columns => {
            let (first, last) = (range.first().column.get(), range.last().column.get());
            let (first, last) = mapped_span(first, last, edit)?;
            let range = with_span(range, Dimension::Columns, first, last - first + 1);
            Some(Sort { range, order: sort.order.clone() })
        }
        Dimension::Rows => {
            let (first, last) = (range.first().row.get(), range.last().row.get());
            let (mapped_first, mapped_last) = mapped_span(first, last, edit)?;
            // Rows pushed off the sheet count as deleted.
            let after = |index: u32| edit.map_index(first + index).map(|row| row - mapped_first);
            let mapped_count = (mapped_last - mapped_first + 1) as usize;
            let order = match edit.kind {
                EditKind::Delete => sort.order.iter().filter_map(|source| after(*source)).collect(),
                EditKind::Insert | EditKind::Move { .. } => {
                    let mut order: Vec<u32> = (0..mapped_count as u32).collect();
                    let mut targets = (0..sort.order.len() as u32).filter_map(after);
                    for source in sort.order.iter().filter_map(|source| after(*source)) {
                        let target = targets.next()?;
                        order[target as usize] = source;
                    }
                    order
                }
            };
            if order.len() != mapped_count {
                return None;
            }
            let range = with_span(range, Dimension::Rows, mapped_first, mapped_count as u32);
            Some(Sort { range, order: order.into() })
        }
    }
}

/// Like [`StructuralEdit::map_span`], but a span over the whole sheet also shrinks by the deleted
/// rows.
fn mapped_span(first: u32, last: u32, edit: &StructuralEdit) -> Option<(u32, u32)> {
    let end = edit.dimension.len_max() - 1;
    match edit.kind {
        EditKind::Move { .. } => edit.map_span(first, last),
        EditKind::Insert => {
            let first = edit.map_index(first)?;
            let last = if last >= edit.at { last.saturating_add(edit.count).min(end) } else { last };
            Some((first, last))
        }
        EditKind::Delete => {
            let deleted_end = edit.at.saturating_add(edit.count);
            let deleted = (last + 1).min(deleted_end).saturating_sub(first.max(edit.at));
            let left = (last - first + 1) - deleted;
            let mapped_first = match first {
                _ if first < edit.at => first,
                _ => first.max(deleted_end) - edit.count,
            };
            (left > 0).then(|| (mapped_first, mapped_first + left - 1))
        }
    }
}

/// Maximum number of parts of a deletion that follows a sort. A deletion that would have more parts
/// deletes the rows at its original indices.
const DELETIONS_PER_SORT_MAX: usize = 256;

/// Rebases a deletion of rows over a sort of some columns (R9): it follows the rows. The parts are
/// listed from the bottom upwards, so that the index of each part is right when it is applied.
pub(crate) fn deletion_after_sort(edit: &StructuralEdit, sort: &Sort) -> Vec<StructuralEdit> {
    let (first, last) = (sort.range.first().row.get(), sort.range.last().row.get());
    let end = edit.dimension.len_max();
    let deleted_last = edit.at.saturating_add(edit.count).min(end) - 1;
    if edit.at <= first && last <= deleted_last || deleted_last < first || last < edit.at {
        return vec![*edit];
    }
    let inverse = inverse_of(&sort.order);
    let mut rows: Vec<u32> = (edit.at.max(first)..=deleted_last.min(last))
        .map(|row| first + inverse[(row - first) as usize])
        .chain(edit.at..first.max(edit.at))
        .chain((last + 1).max(edit.at)..=deleted_last)
        .collect();
    rows.sort();
    let mut parts: Vec<StructuralEdit> = Vec::new();
    for row in rows {
        match parts.last_mut() {
            Some(part) if part.at + part.count == row => part.count += 1,
            _ => parts.push(StructuralEdit { at: row, count: 1, ..*edit }),
        }
    }
    if parts.len() > DELETIONS_PER_SORT_MAX {
        return vec![*edit];
    }
    parts.reverse();
    parts
}

/// Rebases two sorts of one sheet over each other (R10). In columns that both sort, the later order
/// wins; columns that only one of them sorts keep its order.
pub(crate) fn sort_over_sort(later: &Sort, earlier: &Sort) -> (Vec<Sort>, Vec<Sort>) {
    let Some(overlap) = later.range.intersection(earlier.range) else {
        return (vec![later.clone()], vec![earlier.clone()]);
    };
    let columns = (overlap.first().column.get(), overlap.column_count());
    let hull = with_span(later.range.union(earlier.range), Dimension::Columns, columns.0, columns.1);
    let earlier_order = extended(earlier, hull);
    let later_order = extended(later, hull);
    let undo_earlier = inverse_of(&earlier_order);
    let order: Vec<u32> = later_order.iter().map(|source| undo_earlier[*source as usize]).collect();
    let mut later_parts = vec![Sort { range: hull, order: order.into() }];
    later_parts.extend(outside_columns(later, overlap));
    (later_parts, outside_columns(earlier, overlap))
}

/// Extends the order of `sort` to the rows of `hull`; rows outside its range keep their position.
fn extended(sort: &Sort, hull: Range) -> Vec<u32> {
    let offset = sort.range.first().row.get() - hull.first().row.get();
    let mut order: Vec<u32> = (0..hull.row_count()).collect();
    for (target, source) in sort.order.iter().enumerate() {
        order[offset as usize + target] = offset + source;
    }
    order
}

/// Returns the sort restricted to its columns outside `overlap`.
fn outside_columns(sort: &Sort, overlap: Range) -> Vec<Sort> {
    let (first, last) = (sort.range.first().column.get(), sort.range.last().column.get());
    let (hole_first, hole_last) = (overlap.first().column.get(), overlap.last().column.get());
    let part = |first: u32, count: u32| Sort {
        range: with_span(sort.range, Dimension::Columns, first, count),
        order: sort.order.clone(),
    };
    let mut parts = Vec::new();
    if first < hole_first {
        parts.push(part(first, hole_first - first));
    }
    if hole_last < last {
        parts.push(part(hole_last + 1, last - hole_last));
    }
    parts
}

/// Returns whether `order` is a permutation of the rows of `range`.
pub(super) fn is_sort(range: Range, order: &[u32]) -> bool {
    order.len() == range.row_count() as usize && is_permutation(order)
}
