//! How the cells that an operation names move when another operation moves rows and columns.

use quadrille_cell::{
    CellAddress, ColumnIndex, Dimension, EditKind, Range, RowIndex, SheetId, StructuralEdit,
};
use quadrille_formula::{Host, Template, rearrange, split_points};

/// Neighbouring lines (rows or columns) that stay neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineRange {
    pub before: u32,
    pub after: u32,
    pub count: u32,
}

/// Where the lines `first..=last` are after `edit`: in at most four parts, without those that are gone.
pub(crate) fn relocate_lines(first: u32, last: u32, edit: &StructuralEdit) -> Vec<LineRange> {
    let end = edit.dimension.len_max();
    let mut parts = Vec::new();
    let mut push = |first: u32, last: u32, after: u32| {
        if first <= last && after < end {
            let count = (last - first + 1).min(end - after);
            parts.push(LineRange { before: first, after, count });
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
        for threshold in thresholds.into_iter().filter(|line| first < *line && *line <= last) {
            if next < threshold {
                push(next, threshold - 1, edit.map_index(next).unwrap_or(next));
                next = threshold;
            }
        }
        push(next, last, edit.map_index(next).unwrap_or(next));
        parts.sort_by_key(|part| part.after);
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

/// A part of a range and where it is afterwards; both of one shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub before: Range,
    pub after: Range,
}

/// Where the cells of `range` are after `edit` of the same sheet. Inserted cells belong to no piece.
pub(crate) fn follow_edit(range: Range, edit: &StructuralEdit) -> Vec<Piece> {
    let first = range.first().index(edit.dimension);
    let last = range.last().index(edit.dimension);
    let parts = relocate_lines(first, last, edit);
    parts
        .into_iter()
        .map(|part| Piece {
            before: with_lines(range, edit.dimension, part.before, part.count),
            after: with_lines(range, edit.dimension, part.after, part.count),
        })
        .collect()
}

/// `range` with other rows (or columns).
pub(crate) fn with_lines(range: Range, dimension: Dimension, first: u32, count: u32) -> Range {
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

/// Whether `range` reaches from the first to the last line of the edit's dimension: a whole column when rows
/// are edited, a whole row when columns are.
pub(crate) fn is_whole(range: Range, dimension: Dimension) -> bool {
    match dimension {
        Dimension::Rows => range.is_whole_columns(),
        Dimension::Columns => range.is_whole_rows(),
    }
}

/// The lines that `edit` leaves empty in a sheet: the inserted ones, or those that enter at the end.
pub(crate) fn lines_entering(edit: &StructuralEdit) -> Option<(u32, u32)> {
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

/// Consecutive rows after a permutation, each with the row it was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MovedRows {
    pub after_first: u32,
    pub before: Vec<u32>,
}

/// Where the rows `first..=last`, all within the rows permuted, are after the permutation.
pub(crate) fn follow_rows(first: u32, last: u32, permuted_first: u32, inverse: &[u32]) -> Vec<MovedRows> {
    let mut moved: Vec<(u32, u32)> =
        (first..=last).map(|row| (permuted_first + inverse[(row - permuted_first) as usize], row)).collect();
    moved.sort();
    let mut runs: Vec<MovedRows> = Vec::new();
    for (after, before) in moved {
        match runs.last_mut() {
            Some(run) if run.after_first + run.before.len() as u32 == after => run.before.push(before),
            _ => runs.push(MovedRows { after_first: after, before: vec![before] }),
        }
    }
    runs
}

/// A formula in the rows `first..=last` of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FormulaRows {
    pub first: u32,
    pub last: u32,
    pub template: Template,
}

/// The formula `template`, filled into `range` of `sheet`, as it must read after `edit`: parts of `range`
/// (as before the edit) with their templates.
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
        |group: Range, first: u32, last: u32| with_lines(group, Dimension::Rows, first, last - first + 1);
    groups
        .into_iter()
        .flat_map(|(group, segments)| {
            segments.into_iter().map(move |rows| (part(group, rows.first, rows.last), rows.template))
        })
        .collect()
}

/// The rows `first..=last` of one column in parts that `edit` rewrites alike, with what it makes of them.
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
