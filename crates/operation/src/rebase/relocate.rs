//! How the ranges and formulas of an operation follow inserted, deleted, moved and sorted rows and
//! columns. Used by the rules R6, R7, R12, R16 and R18, and when a structural edit is applied.

use quadrille_cell::{
    CellAddress, ColumnIndex, Dimension, EditKind, Range, RowIndex, SheetId, StructuralEdit,
};
use quadrille_formula::{Host, Template, rearrange, split_points};

/// Adjacent rows or columns that stay adjacent, with their positions before and after an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RelocatedSpan {
    pub before: u32,
    pub after: u32,
    pub count: u32,
}

/// Returns the positions of the rows or columns `first..=last` after `edit`, in at most four parts.
/// Deleted ones are omitted.
pub(crate) fn relocate_span(first: u32, last: u32, edit: &StructuralEdit) -> Vec<RelocatedSpan> {
    let end = edit.dimension.len_max();
    let mut parts = Vec::new();
    let mut push = |first: u32, last: u32, after: u32| {
        if first <= last && after < end {
            let count = (last - first + 1).min(end - after);
            parts.push(RelocatedSpan { before: first, after, count });
        }
    };
    if let EditKind::Move { .. } = edit.kind {
        let Some((window_first, window_last)) = edit.moved_window() else {
            push(first, last, first);
            return parts;
        };
        let mut thresholds = [edit.at, edit.end(), window_first, window_last + 1];
        thresholds.sort();
        let mut next = first;
        for threshold in thresholds.into_iter().filter(|index| first < *index && *index <= last) {
            if next < threshold {
                push(next, threshold - 1, edit.map_index(next).unwrap_or(next));
                next = threshold;
            }
        }
        push(next, last, edit.map_index(next).unwrap_or(next));
        quadrille_cell::stable_sort_by_key(&mut parts, |part| part.after);
        return parts;
    }
    if first < edit.at {
        push(first, last.min(edit.at - 1), first);
    }
    if last >= edit.at {
        let (first, after) = match edit.kind {
            EditKind::Insert => (first.max(edit.at), first.max(edit.at).saturating_add(edit.count)),
            EditKind::Delete | EditKind::Move { .. } => {
                let first = first.max(edit.end());
                (first, first.saturating_sub(edit.count))
            }
        };
        push(first, last, after);
    }
    parts
}

/// A part of a range and its position after an edit. Both have the same shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RelocatedRange {
    pub before: Range,
    pub after: Range,
}

/// Returns the positions of the cells of `range` after `edit` of the same sheet. Inserted cells
/// belong to no piece.
pub(crate) fn relocate_range(range: Range, edit: &StructuralEdit) -> Vec<RelocatedRange> {
    let first = range.first().index(edit.dimension);
    let last = range.last().index(edit.dimension);
    let parts = relocate_span(first, last, edit);
    parts
        .into_iter()
        .map(|part| RelocatedRange {
            before: with_span(range, edit.dimension, part.before, part.count),
            after: with_span(range, edit.dimension, part.after, part.count),
        })
        .collect()
}

/// Returns `range` with its rows (or columns) replaced by `count` ones from `first` on.
pub(crate) fn with_span(range: Range, dimension: Dimension, first: u32, count: u32) -> Range {
    let (top_left, bottom_right) = (range.first(), range.last());
    let last = first + (count - 1);
    match dimension {
        Dimension::Rows => Range::new(
            CellAddress { row: RowIndex::clamped(first), column: top_left.column },
            CellAddress { row: RowIndex::clamped(last), column: bottom_right.column },
        ),
        Dimension::Columns => Range::new(
            CellAddress { row: top_left.row, column: ColumnIndex::clamped(first) },
            CellAddress { row: bottom_right.row, column: ColumnIndex::clamped(last) },
        ),
    }
}

/// Returns whether `range` covers the whole dimension: whole columns for rows, whole rows for
/// columns.
pub(crate) fn covers_dimension(range: Range, dimension: Dimension) -> bool {
    match dimension {
        Dimension::Rows => range.is_whole_columns(),
        Dimension::Columns => range.is_whole_rows(),
    }
}

/// Returns first index and count of the rows or columns that are blank after `edit`: the inserted
/// ones, or those that enter at the end of the sheet.
pub(crate) fn blank_span_after(edit: &StructuralEdit) -> Option<(u32, u32)> {
    let end = edit.dimension.len_max();
    match edit.kind {
        EditKind::Insert => Some((edit.at, edit.count.min(end - edit.at))),
        EditKind::Delete => {
            let count = edit.count.min(end - edit.at);
            Some((end - count, count))
        }
        EditKind::Move { .. } => None,
    }
}

/// Consecutive rows after a permutation, with the row that each was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PermutedRows {
    pub after_first: u32,
    pub before: Vec<u32>,
}

/// Returns the positions of the rows `first..=last`, all within the permuted rows, after the
/// permutation.
pub(crate) fn relocate_permuted_rows(
    first: u32,
    last: u32,
    permuted_first: u32,
    inverse: &[u32],
) -> Vec<PermutedRows> {
    let mut moved: Vec<(u32, u32)> =
        (first..=last).map(|row| (permuted_first + inverse[(row - permuted_first) as usize], row)).collect();
    moved.sort_unstable();
    let mut runs: Vec<PermutedRows> = Vec::new();
    for (after, before) in moved {
        match runs.last_mut() {
            Some(run) if run.after_first + run.before.len() as u32 == after => run.before.push(before),
            _ => runs.push(PermutedRows { after_first: after, before: vec![before] }),
        }
    }
    runs
}

/// A formula and the rows of one column that contain it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FormulaRows {
    pub first: u32,
    pub last: u32,
    pub template: Template,
}

/// Rewrites a formula filled into `range` of `sheet` for `edit`. Returns parts of `range` (before
/// the edit) with their templates.
pub(crate) fn rearranged_fill(
    sheet: SheetId,
    range: Range,
    template: &Template,
    edit: &StructuralEdit,
) -> Vec<(Range, Template)> {
    let rows = (range.first().row.get(), range.last().row.get());
    let mut groups: Vec<(Range, Vec<FormulaRows>)> = Vec::new();
    for column in range.first().column.get()..=range.last().column.get() {
        let column = ColumnIndex::clamped(column);
        let segments = rearranged_rows(sheet, column, rows, template, edit);
        let cells = Range::new(
            CellAddress { row: range.first().row, column },
            CellAddress { row: range.last().row, column },
        );
        match groups.last_mut() {
            Some((group, same)) if *same == segments => *group = group.union(cells),
            _ => groups.push((cells, segments)),
        }
    }
    let part =
        |group: Range, first: u32, last: u32| with_span(group, Dimension::Rows, first, last - first + 1);
    groups
        .into_iter()
        .flat_map(|(group, segments)| {
            segments.into_iter().map(move |rows| (part(group, rows.first, rows.last), rows.template))
        })
        .collect()
}

/// Splits the rows `first..=last` of a column into parts that `edit` rewrites in the same way.
/// Returns the parts with their rewritten formulas.
pub(crate) fn rearranged_rows(
    sheet: SheetId,
    column: ColumnIndex,
    (first, last): (u32, u32),
    template: &Template,
    edit: &StructuralEdit,
) -> Vec<FormulaRows> {
    let mut points = split_points(template, sheet, column, (first, last), edit);
    points.retain(|point| (first + 1..=last).contains(point));
    points.sort();
    points.dedup();
    let mut segments: Vec<FormulaRows> = Vec::new();
    let mut start = first;
    for next in points.into_iter().chain([last + 1]) {
        let host = Host { sheet, cell: CellAddress { row: RowIndex::clamped(start), column } };
        let rewritten = rearrange(template, host, edit).unwrap_or_else(|| template.clone());
        match segments.last_mut() {
            Some(rows) if rows.template == rewritten => rows.last = next - 1,
            _ => segments.push(FormulaRows { first: start, last: next - 1, template: rewritten }),
        }
        start = next;
    }
    segments
}
