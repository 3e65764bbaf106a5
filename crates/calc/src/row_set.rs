//! Sets of rows, stored as spans.

use quadrille_cell::StructuralEdit;

/// Ascending spans `first..=last` that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSet {
    spans: Vec<(u32, u32)>,
}

impl RowSet {
    /// The rows `first..=last`.
    pub fn of(first: u32, last: u32) -> RowSet {
        RowSet { spans: vec![(first, last)] }
    }

    /// The union of spans that ascend by their first row and may overlap.
    pub fn from_ascending(ascending: impl IntoIterator<Item = (u32, u32)>) -> RowSet {
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ascending {
            match spans.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => spans.push((first, last)),
            }
        }
        RowSet { spans }
    }

    /// Whether the set has no rows.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The spans in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        self.spans.iter().copied()
    }

    /// The spans that intersect `first..=last`, clipped to it.
    pub fn iter_in(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, u32)> {
        let at = self.spans.partition_point(|span| span.1 < first);
        let inside = self.spans[at..].iter().take_while(move |span| span.0 <= last);
        inside.map(move |span| (span.0.max(first), span.1.min(last)))
    }

    /// The first row of the set within `first..=last`.
    pub fn first_in(&self, first: u32, last: u32) -> Option<u32> {
        let at = self.spans.partition_point(|span| span.1 < first);
        let span = self.spans.get(at)?;
        (span.0 <= last).then_some(span.0.max(first))
    }

    /// Adds rows; calls `added` with those that were not in the set.
    pub fn add(&mut self, first: u32, last: u32, mut added: impl FnMut(u32, u32)) {
        let from = self.spans.partition_point(|span| span.1.saturating_add(1) < first);
        let mut to = from;
        let mut merged = (first, last);
        let mut next = first;
        while let Some(span) = self.spans.get(to).filter(|span| span.0 <= last.saturating_add(1)) {
            if span.0 > next {
                added(next, (span.0 - 1).min(last));
            }
            next = next.max(span.1.saturating_add(1));
            merged = (merged.0.min(span.0), merged.1.max(span.1));
            to += 1;
        }
        if next <= last {
            added(next, last);
        }
        self.spans.splice(from..to, [merged]);
    }

    /// Replaces the rows within `first..=last` by `inside`, ascending spans that do not touch.
    pub fn replace(&mut self, first: u32, last: u32, inside: &[(u32, u32)]) {
        self.remove(first, last);
        let at = self.spans.partition_point(|span| span.1 < first);
        let (mut from, mut to) = (at, at);
        let mut inside = inside.to_vec();
        if let (Some(start), Some(above)) = (inside.first_mut(), at.checked_sub(1))
            && self.spans[above].1 + 1 == start.0
        {
            start.0 = self.spans[above].0;
            from = above;
        }
        if let (Some(end), Some(below)) = (inside.last_mut(), self.spans.get(at))
            && end.1 + 1 == below.0
        {
            end.1 = below.1;
            to = at + 1;
        }
        self.spans.splice(from..to, inside);
    }

    /// Moves the rows with a structural edit. Rows inserted within a span belong to it.
    pub fn restructure(&mut self, edit: &StructuralEdit) {
        let moved = self.spans.iter().filter_map(|(first, last)| edit.map_span(*first, *last));
        *self = RowSet::from_ascending(moved.collect::<Vec<_>>());
    }

    /// Removes the rows `first..=last`.
    pub fn remove(&mut self, first: u32, last: u32) {
        let from = self.spans.partition_point(|span| span.1 < first);
        let mut to = from;
        let mut remainders = [None, None];
        while let Some(span) = self.spans.get(to).filter(|span| span.0 <= last) {
            if span.0 < first {
                remainders[0] = Some((span.0, first - 1));
            }
            if span.1 > last {
                remainders[1] = Some((last + 1, span.1));
            }
            to += 1;
        }
        if from < to {
            self.spans.splice(from..to, remainders.into_iter().flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn row_sets_equal_a_bitmap(
            changes in proptest::collection::vec((0..3, 0u32..30, 0u32..30), 1..40)
        ) {
            let mut spans = RowSet::default();
            let mut model = [false; 30];
            for (change, a, b) in changes {
                let (first, last) = (a.min(b), a.max(b));
                if change == 2 {
                    // Every second row of the span.
                    let inside: Vec<(u32, u32)> = (first..=last).step_by(2).map(|row| (row, row)).collect();
                    spans.replace(first, last, &inside);
                    for row in first..=last {
                        model[row as usize] = (row - first) % 2 == 0;
                    }
                } else if change == 1 {
                    let mut added = [false; 30];
                    spans.add(first, last, |first, last| added[first as usize..=last as usize].fill(true));
                    for row in 0..30 {
                        let inside = (first as usize..=last as usize).contains(&row);
                        prop_assert_eq!(added[row], inside && !model[row]);
                    }
                    model[first as usize..=last as usize].fill(true);
                } else {
                    spans.remove(first, last);
                    model[first as usize..=last as usize].fill(false);
                }
                for row in 0..30 {
                    prop_assert_eq!(spans.first_in(row, row).is_some(), model[row as usize]);
                }
                prop_assert!(spans.spans.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
            }
        }
    }
}
