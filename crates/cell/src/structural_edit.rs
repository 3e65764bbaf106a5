//! [`StructuralEdit`]: insertion, deletion or move of rows or columns, and the positions after it.

use crate::{CellAddress, Dimension, Range, SheetId};

/// The kind of a structural edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EditKind {
    Insert,
    Delete,
    /// Moves rows or columns before the one that has index `to` before the edit; an index equal to
    /// the number of rows or columns of a sheet means the end. Nothing moves when `to` is one of
    /// the moved rows or columns, or the one after them.
    Move {
        to: u32,
    },
}

/// `count` rows or columns of a sheet inserted before index `at`, or deleted or moved from it on.
///
/// `count` is at least 1. Cells pushed beyond the end of the sheet are lost, like deleted ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StructuralEdit {
    pub sheet: SheetId,
    pub dimension: Dimension,
    pub kind: EditKind,
    /// Zero-based index of the first row or column inserted, deleted or moved.
    pub at: u32,
    pub count: u32,
}

impl StructuralEdit {
    /// The index after the last row or column inserted, deleted or moved. For a deletion or a move,
    /// the index before the edit.
    pub fn end(&self) -> u32 {
        self.at.saturating_add(self.count)
    }

    /// For a move, the index of the first moved row or column after the edit; for an insertion or a
    /// deletion, `at`.
    pub fn destination(&self) -> u32 {
        match self.kind {
            EditKind::Move { to } if to > self.end() => to - self.count,
            EditKind::Move { to } if to < self.at => to,
            EditKind::Insert | EditKind::Delete | EditKind::Move { .. } => self.at,
        }
    }

    /// For a move, the first and last index whose row or column changes; `None` for a move without
    /// effect and for other edits.
    pub fn moved_window(&self) -> Option<(u32, u32)> {
        let EditKind::Move { to } = self.kind else { return None };
        let stays = (self.at..=self.end()).contains(&to);
        (!stays).then(|| (self.at.min(to), self.end().max(to) - 1))
    }

    /// The edit that restores the index of every row or column that is left. It does not restore
    /// the contents of deleted rows or columns.
    pub fn inverse(&self) -> StructuralEdit {
        match self.kind {
            EditKind::Insert => StructuralEdit { kind: EditKind::Delete, ..*self },
            EditKind::Delete => StructuralEdit { kind: EditKind::Insert, ..*self },
            EditKind::Move { .. } => {
                let at = self.destination();
                let to = if at < self.at { self.end() } else { self.at };
                StructuralEdit { at, kind: EditKind::Move { to }, ..*self }
            }
        }
    }

    /// The index after the edit of the row or column at `index`; `None` when it is deleted or
    /// pushed beyond the end of the sheet.
    pub fn map_index(&self, index: u32) -> Option<u32> {
        let mapped = match self.kind {
            EditKind::Move { to } => match index {
                _ if self.at <= index && index < self.end() => self.destination() + (index - self.at),
                _ if self.end() <= index && index < to => index - self.count,
                _ if to <= index && index < self.at => index + self.count,
                _ => index,
            },
            _ if index < self.at => index,
            EditKind::Insert => index.saturating_add(self.count),
            EditKind::Delete if index < self.at.saturating_add(self.count) => return None,
            EditKind::Delete => index - self.count,
        };
        (mapped < self.dimension.len_max()).then_some(mapped)
    }

    /// The span `first..=last` after the edit, by the rules of references:
    ///
    /// - an insertion within the span widens it; an insertion at its first index shifts it;
    /// - a deletion removes indices from it; `None` when none remain;
    /// - a move acts as a deletion and an insertion, except when the rows or columns of the span
    ///   are contiguous after the move: the span then covers the same rows or columns, in any
    ///   order;
    /// - a span of all rows or columns of the sheet does not change.
    pub fn map_span(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        debug_assert!(first <= last);
        let end = self.dimension.len_max() - 1;
        match self.kind {
            EditKind::Insert => {
                let is_whole = first == 0 && last == end;
                let first = if is_whole { 0 } else { self.map_index(first)? };
                let last = if last >= self.at { last.saturating_add(self.count).min(end) } else { last };
                Some((first, last))
            }
            EditKind::Delete => {
                let deleted_end = self.at.saturating_add(self.count);
                if first == 0 && last == end {
                    return Some((0, end));
                }
                if first >= self.at && last < deleted_end {
                    return None;
                }
                let shift = |index: u32| {
                    if index < self.at { index } else { index.max(deleted_end) - self.count }
                };
                let mapped_first = shift(first);
                let mapped_last = match last {
                    _ if last < self.at => last,
                    _ if last < deleted_end => self.at - 1,
                    _ => last - self.count,
                };
                Some((mapped_first, mapped_last))
            }
            EditKind::Move { .. } => Some(self.map_span_of_move(first, last)),
        }
    }

    fn map_span_of_move(&self, first: u32, last: u32) -> (u32, u32) {
        let Some((window_first, window_last)) = self.moved_window() else { return (first, last) };
        let map = |index: u32| self.map_index(index).unwrap_or(index);
        let is_inside = first <= window_first && window_last <= last;
        let is_disjoint = last < window_first || window_last < first;
        if is_inside || is_disjoint {
            return (first, last);
        }
        // Indices between two thresholds move by the same distance, so the indices on either side
        // of each threshold give the extremes.
        let thresholds = [self.at, self.end(), window_first, window_last + 1];
        let inside = thresholds.into_iter().filter(|index| first < *index && *index <= last);
        let mapped = inside.flat_map(|index| [index - 1, index]).chain([first, last]).map(map);
        let (low, high) = mapped.fold((u32::MAX, 0), |(low, high), index| (low.min(index), high.max(index)));
        if high - low == last - first {
            return (low, high);
        }
        let delete = StructuralEdit { kind: EditKind::Delete, ..*self };
        let insert = StructuralEdit { kind: EditKind::Insert, at: self.destination(), ..*self };
        let reinserted = delete.map_span(first, last).and_then(|(first, last)| insert.map_span(first, last));
        reinserted.unwrap_or((low, high))
    }

    /// The position of a cell after the edit; `None` when it is deleted or pushed beyond the end of
    /// the sheet.
    pub fn map_cell(&self, address: CellAddress) -> Option<CellAddress> {
        match self.dimension {
            Dimension::Rows => CellAddress::new(self.map_index(address.row.get())?, address.column.get()),
            Dimension::Columns => CellAddress::new(address.row.get(), self.map_index(address.column.get())?),
        }
    }

    /// The range after the edit, by the rules of [`map_span`](Self::map_span); `None` when nothing
    /// remains.
    pub fn map_range(&self, range: Range) -> Option<Range> {
        let (first, last) = (range.first(), range.last());
        match self.dimension {
            Dimension::Rows => {
                let (top, bottom) = self.map_span(first.row.get(), last.row.get())?;
                Range::from_indices(top, first.column.get(), bottom, last.column.get())
            }
            Dimension::Columns => {
                let (left, right) = self.map_span(first.column.get(), last.column.get())?;
                Range::from_indices(first.row.get(), left, last.row.get(), right)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(kind: EditKind, at: u32, count: u32) -> StructuralEdit {
        StructuralEdit { sheet: SheetId(1), dimension: Dimension::Rows, kind, at, count }
    }

    #[test]
    fn ranges_follow_insertions_and_deletions() {
        let insert = rows(EditKind::Insert, 2, 2); // before row 3
        let delete = rows(EditKind::Delete, 2, 2); // rows 3 and 4
        let down = rows(EditKind::Move { to: 6 }, 2, 2);
        let up = rows(EditKind::Move { to: 1 }, 2, 2);
        for (edit, before, after) in [
            (insert, "A1:A2", Some("A1:A2")),
            (insert, "A2:A3", Some("A2:A5")),
            (insert, "A3:A5", Some("A5:A7")),
            (insert, "A:A", Some("A:A")),
            (insert, "A1048575:A1048576", None),
            (delete, "A1:A2", Some("A1:A2")),
            (delete, "A1:A3", Some("A1:A2")),
            (delete, "A1:A9", Some("A1:A7")),
            (delete, "A3:A4", None),
            (delete, "A4:A9", Some("A3:A7")),
            (delete, "A5", Some("A3")),
            (delete, "A:A", Some("A:A")),
            // Rows 3 and 4 moved before row 7.
            (down, "A1:A2", Some("A1:A2")),
            (down, "A3", Some("A5")),
            (down, "A3:A4", Some("A5:A6")),
            (down, "A5:A6", Some("A3:A4")),
            (down, "A6:A7", Some("A4:A7")),
            (down, "A1:A9", Some("A1:A9")),
            (down, "A3:A6", Some("A3:A6")),
            (down, "A1:A4", Some("A1:A2")),
            (down, "A2:A5", Some("A2:A3")),
            (down, "A4:A9", Some("A3:A9")),
            (down, "A7:A9", Some("A7:A9")),
            (down, "A:A", Some("A:A")),
            // Rows 3 and 4 moved before row 2.
            (up, "A2", Some("A4")),
            (up, "A1:A2", Some("A1:A4")),
            (up, "A2:A5", Some("A2:A5")),
            (up, "A4:A6", Some("A5:A6")),
            (up, "A1048575:A1048576", Some("A1048575:A1048576")),
        ] {
            let range = Range::parse_a1(before).expect("valid");
            let mapped = edit.map_range(range).map(|range| range.to_string());
            assert_eq!(mapped.as_deref(), after, "{edit:?} {before}");
        }
    }

    #[test]
    fn deleting_inserted_rows_restores_positions() {
        let insert = rows(EditKind::Insert, 7, 3);
        let delete = rows(EditKind::Delete, 7, 3);
        for index in 0..100 {
            assert_eq!(insert.map_index(index).and_then(|index| delete.map_index(index)), Some(index));
        }
    }

    #[test]
    fn a_move_shifts_the_rows_it_passes_and_its_inverse_restores_them() {
        for (at, count, to, expected) in [
            (2, 2, 6, [0, 1, 4, 5, 2, 3, 6, 7]),
            (4, 2, 2, [0, 1, 4, 5, 2, 3, 6, 7]),
            (2, 2, 3, [0, 1, 2, 3, 4, 5, 6, 7]),
            (2, 2, 4, [0, 1, 2, 3, 4, 5, 6, 7]),
            (0, 1, 8, [7, 0, 1, 2, 3, 4, 5, 6]),
        ] {
            let edit = rows(EditKind::Move { to }, at, count);
            let mapped: Vec<u32> = (0..8).filter_map(|index| edit.map_index(index)).collect();
            assert_eq!(mapped, expected, "{edit:?}");
            let back: Vec<u32> =
                mapped.into_iter().filter_map(|index| edit.inverse().map_index(index)).collect();
            assert_eq!(back, [0, 1, 2, 3, 4, 5, 6, 7], "{edit:?}");
        }
    }
}
