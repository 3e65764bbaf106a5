//! Structural edits: adjusts formulas when rows or columns are inserted, deleted or moved.
//!
//! References, absolute or relative, keep their target cells. Inserting inside a range expands it,
//! deleting shrinks it, and a reference whose cells are all deleted or shifted off the sheet
//! becomes `#REF!`. 3-D references do not change, as in Excel.

use quadrille_cell::{ColumnIndex, Dimension, EditKind, ErrorValue, SheetId, StructuralEdit};

use crate::area::coordinate_at;
use crate::expression::map_references;
use crate::{Area, Coordinate, Expression, Host, Reference, SheetReference, Template, visit_references};

/// Returns the template after an edit of a formula that was at `host` before it. `None` when the
/// template does not change or the host is deleted.
pub fn rearrange(template: &Template, host: Host, edit: &StructuralEdit) -> Option<Template> {
    let move_of = HostMove::new(host.sheet, host.cell.index(edit.dimension), edit)?;
    let rewritten = map_references(template.expression(), &mut |reference| {
        let outcome = map_area(&reference.area, is_edited(reference, host.sheet, edit), move_of, edit);
        match outcome {
            Some(area) if area == reference.area => None,
            Some(area) => Some(Expression::Reference(Reference { sheet: reference.sheet.clone(), area })),
            None => Some(Expression::Error(ErrorValue::Reference)),
        }
    });
    rewritten.map(Template::new)
}

/// Returns where a run of cells with one template must be split: the rows (before the edit),
/// without the first of `rows`, for which the result of [`rearrange`] differs from that of the row
/// above. Ascending.
pub fn split_points(
    template: &Template,
    sheet: SheetId,
    _column: ColumnIndex,
    rows: (u32, u32),
    edit: &StructuralEdit,
) -> Vec<u32> {
    let mut points = Vec::new();
    // A run lies in one column, so an edit of columns has the same result for all its cells.
    if edit.dimension == Dimension::Columns {
        return points;
    }
    visit_references(template, &mut |reference| {
        push_split_points(reference, sheet, rows, edit, &mut points);
    });
    points.sort();
    points.dedup();
    points
}

/// The index of a host along the dimension of the edit, before and after it.
#[derive(Clone, Copy)]
struct HostMove {
    before: u32,
    after: u32,
}

impl HostMove {
    /// Returns `None` when the host is deleted or shifted off the sheet.
    fn new(sheet: SheetId, before: u32, edit: &StructuralEdit) -> Option<HostMove> {
        let after = if sheet == edit.sheet { edit.map_index(before)? } else { before };
        Some(HostMove { before, after })
    }
}

/// Whether the reference refers to the edited sheet.
fn is_edited(reference: &Reference, host_sheet: SheetId, edit: &StructuralEdit) -> bool {
    match reference.sheet {
        None => host_sheet == edit.sheet,
        Some(SheetReference::Sheet(id)) => id == edit.sheet,
        Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => false,
    }
}

/// Returns the area after the edit; `None` when all its cells are deleted.
fn map_area(area: &Area, is_edited: bool, host: HostMove, edit: &StructuralEdit) -> Option<Area> {
    let Some((first, last)) = area.coordinates(edit.dimension) else { return Some(*area) };
    let targets = (first.resolve(host.before), last.resolve(host.before));
    let (new_first, new_last) = if is_edited { map_targets(targets, edit)? } else { targets };
    let after = i64::from(host.after);
    Some(area.with_coordinates(
        edit.dimension,
        coordinate_at(first, new_first, after),
        coordinate_at(last, new_last, after),
    ))
}

/// Maps the two ends of a span, in any order. Targets outside the sheet do not change: they are
/// `#REF!` before and after the edit, and become valid only when the formula is copied elsewhere.
fn map_targets((a, b): (i64, i64), edit: &StructuralEdit) -> Option<(i64, i64)> {
    let inside = 0..i64::from(edit.dimension.len_max());
    if !inside.contains(&a) || !inside.contains(&b) {
        return Some((a, b));
    }
    let (first, last) = edit.map_span(a.min(b) as u32, a.max(b) as u32)?;
    let (first, last) = (i64::from(first), i64::from(last));
    Some(if a <= b { (first, last) } else { (last, first) })
}

/// Compares the result of each row at which it can change with that of the row above.
fn push_split_points(
    reference: &Reference,
    sheet: SheetId,
    rows: (u32, u32),
    edit: &StructuralEdit,
    points: &mut Vec<u32>,
) {
    let is_edited = is_edited(reference, sheet, edit);
    let outcome = |row: i64| {
        let host = HostMove::new(sheet, row as u32, edit)?;
        Some(map_area(&reference.area, is_edited, host, edit))
    };
    let mut consider = |row: i64| {
        let within = i64::from(rows.0) < row && row <= i64::from(rows.1);
        if within && outcome(row - 1) != outcome(row) {
            points.push(row as u32);
        }
    };

    let end = i64::from(edit.dimension.len_max());
    let (at, count) = (i64::from(edit.at), i64::from(edit.count));
    let moved_to = match edit.kind {
        EditKind::Move { to } => i64::from(to),
        EditKind::Insert | EditKind::Delete => at,
    };
    // Indices at which the mapping of positions changes. Spans that include the first and last row
    // of the sheet are whole columns.
    let thresholds = [0, 1, at, at + count, moved_to, end - count, end - 1, end];
    if sheet == edit.sheet {
        thresholds.iter().for_each(|threshold| consider(*threshold));
    }
    if !is_edited {
        return;
    }
    let Some((first, last)) = reference.area.coordinates(edit.dimension) else { return };
    for coordinate in [first, last] {
        let Coordinate::Relative(offset) = coordinate else { continue };
        let offset = i64::from(offset);
        thresholds.iter().for_each(|threshold| consider(threshold - offset));
        // Targets that the edit maps to the same index need different offsets.
        let merged = match edit.kind {
            EditKind::Delete => at..at + count,
            EditKind::Insert => end - count..end,
            // Whether a span moves depends on both of its ends.
            EditKind::Move { .. } => {
                edit.moved_window().map_or(at..at, |(first, last)| i64::from(first) - 1..i64::from(last) + 2)
            }
        };
        if first != last {
            let from = (merged.start - offset).max(i64::from(rows.0));
            let to = (merged.end - offset).min(i64::from(rows.1));
            (from..=to).for_each(&mut consider);
        }
    }
    // The first and last end change roles where a relative end passes an absolute one.
    if let (Coordinate::Absolute(fixed), Coordinate::Relative(offset))
    | (Coordinate::Relative(offset), Coordinate::Absolute(fixed)) = (first, last)
    {
        let meeting = i64::from(fixed) - i64::from(offset);
        consider(meeting);
        consider(meeting + 1);
    }
}
