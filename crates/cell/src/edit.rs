//! Inserting and deleting rows and columns: how positions move.

use crate::{CellAddress, Dimension, Range, SheetId};

/// Whether lines (rows or columns) come or go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EditKind {
    Insert,
    Delete,
}

/// Lines inserted before, or deleted from, index `at` of one sheet.
///
/// `count` is at least 1. Positions pushed beyond the sheet's end are gone, as deleted ones are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StructuralEdit {
    pub sheet: SheetId,
    pub dimension: Dimension,
    pub kind: EditKind,
    /// Zero-based index of the first line inserted or deleted.
    pub at: u32,
    pub count: u32,
}

impl StructuralEdit {
    /// Where the line `index` is afterwards; `None` when it is deleted or pushed off the sheet.
    pub fn map_index(&self, index: u32) -> Option<u32> {
        let mapped = match self.kind {
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
        }
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
}
