//! Inserted and deleted rows and columns as commands.

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, StructuralEdit};
use quadrille_workbook::{Format, Sheet};

use super::command_text::{FOLLOWED_CELLS_MAX, hidden, line_name, size};
use super::items::AttachedItems;
use super::styles;
use crate::plan::merged_before;

/// Rows or columns that are inserted by one command each, at most.
const INSERTED_MAX: u32 = 100;

/// The commands for an edit, and what SocialCalc does not do as the workbook does: formats of
/// inserted cells, sizes, merged cells. `None` for moved rows and for too many commands.
pub(super) fn restructured(before: &Sheet, after: &Sheet, edit: &StructuralEdit) -> Option<Vec<String>> {
    let mut commands = Vec::new();
    match edit.kind {
        EditKind::Move { .. } => return None,
        EditKind::Insert if edit.count > INSERTED_MAX => return None,
        EditKind::Insert => {
            let name = match edit.dimension {
                Dimension::Rows => "insertrow",
                Dimension::Columns => "insertcol",
            };
            let command = format!("{name} {}", cell(edit.dimension, edit.at));
            commands.extend(std::iter::repeat_n(command, edit.count as usize));
            commands.extend(inserted_formats(before, after, edit)?);
            // SocialCalc gives them the merged cells of those before, too.
            for index in edit.at..edit.at + edit.count {
                let copies = merged_before(before, edit.dimension, edit.at).map(|range| range.first());
                let place = |cell: CellAddress| match edit.dimension {
                    Dimension::Rows => CellAddress::clamped(index, cell.column.get()),
                    Dimension::Columns => CellAddress::clamped(cell.row.get(), index),
                };
                commands.extend(copies.map(|cell| format!("unmerge {}", place(cell))));
            }
        }
        EditKind::Delete => {
            let name = match edit.dimension {
                Dimension::Rows => "deleterow",
                Dimension::Columns => "deletecol",
            };
            let last = (edit.at + edit.count - 1).min(last_used(before, edit.dimension).max(edit.at));
            commands.push(format!("{name} {}:{}", cell(edit.dimension, edit.at), cell(edit.dimension, last)));
        }
    }
    commands.extend(moved_sizes(before, after, edit)?);
    commands.extend(AttachedItems::of(after).merges_again());
    (commands.len() as u64 <= FOLLOWED_CELLS_MAX).then_some(commands)
}

/// SocialCalc gives inserted cells the formats of the cells before them.
fn inserted_formats(before: &Sheet, after: &Sheet, edit: &StructuralEdit) -> Option<Vec<String>> {
    let Some(used) = before.used_range() else { return Some(Vec::new()) };
    let (at, end) = (edit.at, edit.at + edit.count - 1);
    let inserted = match edit.dimension {
        Dimension::Rows => Range::from_indices(at, 0, end, used.last().column.get())?,
        Dimension::Columns => Range::from_indices(0, at, used.last().row.get(), end)?,
    };
    let neighbors = match edit.dimension {
        Dimension::Rows => Range::from_indices(at.saturating_sub(1), 0, at, used.last().column.get())?,
        Dimension::Columns => Range::from_indices(0, at.saturating_sub(1), used.last().row.get(), at)?,
    };
    let has_formats = |sheet: &Sheet, range: Range| {
        sheet.format_runs(range).any(|(_, format)| *format != Format::default())
    };
    match has_formats(before, neighbors) || has_formats(after, inserted) {
        true => styles::all(after, inserted),
        false => Some(Vec::new()),
    }
}

/// Sizes and hidden rows or columns, all of the dimension that have or had one: SocialCalc moves
/// them within the used part of the sheet only.
fn moved_sizes(before: &Sheet, after: &Sheet, edit: &StructuralEdit) -> Option<Vec<String>> {
    let mut sized = BTreeSet::new();
    let mut concealed = BTreeSet::new();
    for sheet in [before, after] {
        for (first, count, _) in sheet.size_runs(edit.dimension) {
            if u64::from(count) > FOLLOWED_CELLS_MAX {
                return None;
            }
            // The line after it may have got the size from SocialCalc.
            sized.extend((first..first + count + edit.count).filter(|index| *index >= edit.at));
        }
        for (first, count) in sheet.hidden_runs(edit.dimension) {
            if u64::from(count) > FOLLOWED_CELLS_MAX {
                return None;
            }
            concealed.extend((first..first + count + edit.count).filter(|index| *index >= edit.at));
        }
    }
    let within = |index: &u32| *index < edit.dimension.len_max();
    let sizes = sized.into_iter().filter(within).map(|index| size(after, edit.dimension, index));
    let states = concealed.into_iter().filter(within).map(|index| hidden(after, edit.dimension, index));
    Some(sizes.chain(states).collect())
}

fn last_used(sheet: &Sheet, dimension: Dimension) -> u32 {
    sheet.used_range().map_or(0, |used| used.last().index(dimension))
}

/// The first cell of a row or column.
fn cell(dimension: Dimension, index: u32) -> String {
    match dimension {
        Dimension::Rows => CellAddress::clamped(index, 0).to_string(),
        Dimension::Columns => format!("{}1", line_name(dimension, index)),
    }
}
