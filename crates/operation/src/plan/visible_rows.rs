//! [`VisibleRows`]: rank and select on the rows of a sheet that a filter does not hide.

use quadrille_cell::ROWS_MAX;

/// The visible rows as spans of first row and count, from above, none adjacent to the next.
#[derive(Debug)]
pub(super) struct VisibleRows {
    spans: Vec<(u32, u32)>,
    /// Number of visible rows above each span.
    ranks: Vec<u32>,
}

impl VisibleRows {
    /// Creates the visible rows from the hidden ones, given as first row and count in any order.
    /// Rows outside the sheet are ignored.
    pub fn excluding(hidden: &[(u32, u32)]) -> VisibleRows {
        let mut hidden = hidden.to_vec();
        hidden.sort_unstable();
        let mut rows = VisibleRows { spans: Vec::with_capacity(hidden.len() + 1), ranks: Vec::new() };
        let (mut next, mut rank) = (0, 0);
        for (first, count) in hidden.into_iter().chain([(ROWS_MAX, 0)]) {
            let first = first.min(ROWS_MAX);
            if first > next {
                rows.spans.push((next, first - next));
                rows.ranks.push(rank);
                rank += first - next;
            }
            next = next.max(first.saturating_add(count)).min(ROWS_MAX);
        }
        rows
    }

    /// Returns the number of visible rows above `row`. O(log spans).
    pub fn rank(&self, row: u32) -> u32 {
        match self.spans.partition_point(|(first, _)| *first <= row).checked_sub(1) {
            Some(index) => {
                let (first, count) = self.spans[index];
                self.ranks[index] + (row - first).min(count)
            }
            None => 0,
        }
    }

    /// Returns the number of visible rows from `first` to `last`.
    pub fn count(&self, first: u32, last: u32) -> u32 {
        self.rank(last + 1) - self.rank(first)
    }

    /// Returns the visible row of this rank, the first having rank 0; `None` beyond the last.
    pub fn select(&self, rank: u32) -> Option<u32> {
        self.spans_from_rank(rank, 1).next().map(|(row, _)| row)
    }

    /// Returns the visible rows from `first` to `last` as spans.
    pub fn spans(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, u32)> {
        self.spans_from_rank(self.rank(first), self.count(first, last))
    }

    /// Returns `count` visible rows from the one of this rank on as spans; fewer at the sheet's end.
    pub fn spans_from_rank(&self, rank: u32, count: u32) -> impl Iterator<Item = (u32, u32)> {
        let from = self.ranks.partition_point(|first_rank| *first_rank <= rank).saturating_sub(1);
        let end = rank + count;
        self.spans[from..].iter().zip(&self.ranks[from..]).map_while(move |((first, length), first_rank)| {
            let (start, stop) = (rank.max(*first_rank), end.min(first_rank + length));
            (start < stop).then(|| (first + (start - first_rank), stop - start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_select_skip_hidden_rows() {
        // Visible: 0, 3, 4, 7 and all below.
        let rows = VisibleRows::excluding(&[(5, 2), (1, 2), (2, 1)]);
        let ranks: Vec<u32> = (0..9).map(|row| rows.rank(row)).collect();
        assert_eq!(ranks, [0, 1, 1, 1, 2, 3, 3, 3, 4]);
        let selected: Vec<Option<u32>> = (0..5).map(|rank| rows.select(rank)).collect();
        assert_eq!(selected, [Some(0), Some(3), Some(4), Some(7), Some(8)]);
        assert_eq!(rows.spans(0, 7).collect::<Vec<_>>(), [(0, 1), (3, 2), (7, 1)]);
        assert_eq!(rows.spans(1, 3).collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(rows.spans(1, 2).collect::<Vec<_>>(), []);
        assert_eq!(rows.spans_from_rank(2, 3).collect::<Vec<_>>(), [(4, 1), (7, 2)]);
        assert_eq!(rows.count(0, ROWS_MAX - 1), ROWS_MAX - 4);
        assert_eq!(rows.select(ROWS_MAX - 4), None);
    }

    #[test]
    fn all_rows_or_no_rows_may_be_hidden() {
        let rows = VisibleRows::excluding(&[]);
        assert_eq!((rows.rank(7), rows.select(7)), (7, Some(7)));
        let rows = VisibleRows::excluding(&[(0, u32::MAX), (u32::MAX, u32::MAX)]);
        assert_eq!((rows.count(0, ROWS_MAX - 1), rows.select(0)), (0, None));
    }
}
