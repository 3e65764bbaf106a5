//! Inserting, deleting and moving rows and columns: how positions move.

use crate::{CellAddress, Dimension, Range, SheetId};

/// Whether lines (rows or columns) come, go, or change places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EditKind {
    Insert,
    Delete,
    /// To before the line that has the index `to` until then, or to the end of the sheet. Nothing moves when
    /// that is one of the moved lines, or the one behind them.
    Move {
        to: u32,
    },
}

/// Lines inserted before, or deleted or moved from, index `at` of one sheet.
///
/// `count` is at least 1. Positions pushed beyond the sheet's end are gone, as deleted ones are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StructuralEdit {
    pub sheet: SheetId,
    pub dimension: Dimension,
    pub kind: EditKind,
    /// Zero-based index of the first line inserted, deleted or moved.
    pub at: u32,
    pub count: u32,
}

impl StructuralEdit {
    /// The first line behind those inserted, deleted or moved, as counted before a deletion or a move.
    pub fn end(&self) -> u32 {
        self.at.saturating_add(self.count)
    }

    /// Of a move: where the first of the moved lines is afterwards. Of others: their own first line.
    pub fn destination(&self) -> u32 {
        match self.kind {
            EditKind::Move { to } if to > self.end() => to - self.count,
            EditKind::Move { to } if to < self.at => to,
            EditKind::Insert | EditKind::Delete | EditKind::Move { .. } => self.at,
        }
    }

    /// Of a move: first and last of the lines that are elsewhere afterwards; `None` when all stay.
    pub fn moved_window(&self) -> Option<(u32, u32)> {
        let EditKind::Move { to } = self.kind else { return None };
        let stays = (self.at..=self.end()).contains(&to);
        (!stays).then(|| (self.at.min(to), self.end().max(to) - 1))
    }

    /// What brings every line that is left back to where it was.
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

    /// Where the line `index` is afterwards; `None` when it is deleted or pushed off the sheet.
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

    /// Where the lines `first..=last` are afterwards. An insertion inside widens the span; one at its first
    /// line moves it. What remains of a partly deleted span is kept; `None` when nothing remains.
    ///
    /// Lines that are moved leave the span and join it as if they were deleted and inserted, unless the lines of
    /// the span are neighbours afterwards: it then covers them as before, in whatever order.
    ///
    /// A span that reaches the sheet's last line keeps reaching it, so that whole columns stay whole.
    pub fn map_span(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        debug_assert!(first <= last);
        let end = self.dimension.len_max() - 1;
        match self.kind {
            EditKind::Insert => {
                let whole = first == 0 && last == end;
                let first = if whole { 0 } else { self.map_index(first)? };
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
        let whole = first <= window_first && window_last <= last;
        let apart = last < window_first || window_last < first;
        if whole || apart {
            return (first, last);
        }
        // Between two of these everything moves alike, so that the lines on either side tell where all are.
        let thresholds = [self.at, self.end(), window_first, window_last + 1];
        let inside = thresholds.into_iter().filter(|line| first < *line && *line <= last);
        let places = inside.flat_map(|line| [line - 1, line]).chain([first, last]).map(map);
        let (low, high) = places.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
        if high - low == last - first {
            return (low, high);
        }
        let delete = StructuralEdit { kind: EditKind::Delete, ..*self };
        let insert = StructuralEdit { kind: EditKind::Insert, at: self.destination(), ..*self };
        let left = delete.map_span(first, last).and_then(|(first, last)| insert.map_span(first, last));
        left.unwrap_or((low, high))
    }

    pub fn map_cell(&self, address: CellAddress) -> Option<CellAddress> {
        match self.dimension {
            Dimension::Rows => CellAddress::new(self.map_index(address.row.get())?, address.column.get()),
            Dimension::Columns => CellAddress::new(address.row.get(), self.map_index(address.column.get())?),
        }
    }

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
            // Rows 3 and 4 to before row 7.
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
            // Rows 3 and 4 to before row 2.
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
    fn deleting_what_was_inserted_changes_nothing() {
        let insert = rows(EditKind::Insert, 7, 3);
        let delete = rows(EditKind::Delete, 7, 3);
        for index in 0..100 {
            assert_eq!(insert.map_index(index).and_then(|index| delete.map_index(index)), Some(index));
        }
    }

    #[test]
    fn moved_lines_change_places_with_those_they_pass() {
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
