//! The rows of a sheet that are seen, beside those that a filter hides.

use quadrille_cell::ROWS_MAX;

/// Stretches of rows: first row and count, from above, none touching the next.
#[derive(Debug)]
pub(super) struct VisibleRows {
    stretches: Vec<(u32, u32)>,
    /// Seen rows above each stretch.
    above: Vec<u32>,
}

impl VisibleRows {
    /// `hidden`: first row and count each, in any order; what lies outside of a sheet counts for nothing.
    pub fn beside(hidden: &[(u32, u32)]) -> VisibleRows {
        let mut hidden = hidden.to_vec();
        hidden.sort_unstable();
        let mut rows = VisibleRows { stretches: Vec::with_capacity(hidden.len() + 1), above: Vec::new() };
        let (mut next, mut above) = (0, 0);
        for (first, count) in hidden.into_iter().chain([(ROWS_MAX, 0)]) {
            let first = first.min(ROWS_MAX);
            if first > next {
                rows.stretches.push((next, first - next));
                rows.above.push(above);
                above += first - next;
            }
            next = next.max(first.saturating_add(count)).min(ROWS_MAX);
        }
        rows
    }

    /// How many are seen above `row`.
    pub fn above(&self, row: u32) -> u32 {
        match self.stretches.partition_point(|(first, _)| *first <= row).checked_sub(1) {
            Some(index) => {
                let (first, count) = self.stretches[index];
                self.above[index] + (row - first).min(count)
            }
            None => 0,
        }
    }

    /// How many are seen of the rows from `first` to `last`.
    pub fn count(&self, first: u32, last: u32) -> u32 {
        self.above(last + 1) - self.above(first)
    }

    /// Which row is the one below so many seen ones; `None` below the last.
    pub fn nth(&self, above: u32) -> Option<u32> {
        self.numbered(above, 1).next().map(|(row, _)| row)
    }

    /// What is seen of the rows from `first` to `last`.
    pub fn within(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, u32)> {
        self.numbered(self.above(first), self.count(first, last))
    }

    /// `count` seen rows, fewer at the sheet's end, below `above` others.
    pub fn numbered(&self, above: u32, count: u32) -> impl Iterator<Item = (u32, u32)> {
        let from = self.above.partition_point(|number| *number <= above).saturating_sub(1);
        let end = above + count;
        self.stretches[from..].iter().zip(&self.above[from..]).map_while(move |((first, length), number)| {
            let (start, stop) = (above.max(*number), end.min(number + length));
            (start < stop).then(|| (first + (start - number), stop - start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_as_they_are_seen() {
        // Seen: 0, 3, 4, 7 and what follows.
        let rows = VisibleRows::beside(&[(5, 2), (1, 2), (2, 1)]);
        let above: Vec<u32> = (0..9).map(|row| rows.above(row)).collect();
        assert_eq!(above, [0, 1, 1, 1, 2, 3, 3, 3, 4]);
        let nth: Vec<Option<u32>> = (0..5).map(|above| rows.nth(above)).collect();
        assert_eq!(nth, [Some(0), Some(3), Some(4), Some(7), Some(8)]);
        assert_eq!(rows.within(0, 7).collect::<Vec<_>>(), [(0, 1), (3, 2), (7, 1)]);
        assert_eq!(rows.within(1, 3).collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(rows.within(1, 2).collect::<Vec<_>>(), []);
        assert_eq!(rows.numbered(2, 3).collect::<Vec<_>>(), [(4, 1), (7, 2)]);
        assert_eq!(rows.count(0, ROWS_MAX - 1), ROWS_MAX - 4);
        assert_eq!(rows.nth(ROWS_MAX - 4), None);
    }

    #[test]
    fn a_sheet_of_which_nothing_is_hidden_or_everything() {
        let rows = VisibleRows::beside(&[]);
        assert_eq!((rows.above(7), rows.nth(7)), (7, Some(7)));
        let rows = VisibleRows::beside(&[(0, u32::MAX), (u32::MAX, u32::MAX)]);
        assert_eq!((rows.count(0, ROWS_MAX - 1), rows.nth(0)), (0, None));
    }
}
