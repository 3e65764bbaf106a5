//! An index of row intervals.

use std::collections::BTreeMap;

/// Row intervals with a key, found by the rows that they intersect.
///
/// Intervals are stored by size class: class `c` holds those whose last row is fewer than 2^c rows
/// below the first. An interval of that class that intersects a row begins at most that many rows
/// above it, so a search visits few others.
#[derive(Clone, Debug)]
pub(crate) struct IntervalIndex<K> {
    classes: Vec<BTreeMap<(u32, K), u32>>,
}

impl<K> Default for IntervalIndex<K> {
    fn default() -> IntervalIndex<K> {
        IntervalIndex { classes: Vec::new() }
    }
}

/// Keys with bounds, for range queries.
pub(crate) trait Key: Copy + Ord {
    const MIN: Self;
    const MAX: Self;
}

impl<K: Key> IntervalIndex<K> {
    fn class_of(first: u32, last: u32) -> usize {
        (u32::BITS - (last - first).leading_zeros()) as usize
    }

    /// Adds the interval `first..=last` with a key.
    pub fn insert(&mut self, first: u32, last: u32, key: K) {
        let class = Self::class_of(first, last);
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, BTreeMap::new);
        }
        self.classes[class].insert((first, key), last);
    }

    /// Removes the interval `first..=last` with this key.
    pub fn remove(&mut self, first: u32, last: u32, key: K) {
        if let Some(class) = self.classes.get_mut(Self::class_of(first, last)) {
            class.remove(&(first, key));
        }
    }

    /// Calls `found` with the key of each interval that intersects `first..=last`.
    pub fn find(&self, first: u32, last: u32, mut found: impl FnMut(K)) {
        for (class, entries) in self.classes.iter().enumerate() {
            if entries.is_empty() {
                continue;
            }
            let reach = ((1u64 << class) - 1) as u32;
            let from = (first.saturating_sub(reach), K::MIN);
            for ((_, key), entry_last) in entries.range(from..=(last, K::MAX)) {
                if *entry_last >= first {
                    found(*key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Key for u32 {
        const MIN: u32 = u32::MIN;
        const MAX: u32 = u32::MAX;
    }

    proptest! {
        #[test]
        fn queries_equal_a_linear_scan(
            entries in proptest::collection::vec((0u32..200, 0u32..100), 0..40),
            removed in proptest::collection::vec(0usize..40, 0..10),
            query in (0u32..300, 0u32..50),
        ) {
            let mut index = IntervalIndex::default();
            let mut model = BTreeMap::new();
            for (key, (first, length)) in (0u32..).zip(entries) {
                index.insert(first, first + length, key);
                model.insert(key, (first, first + length));
            }
            for key in removed {
                if let Some((first, last)) = model.remove(&(key as u32)) {
                    index.remove(first, last, key as u32);
                }
            }
            let (first, last) = (query.0, query.0 + query.1);
            let mut found = Vec::new();
            index.find(first, last, |key| found.push(key));
            found.sort();
            let expected: Vec<u32> = model
                .iter()
                .filter(|(_, span)| span.0 <= last && first <= span.1)
                .map(|(key, _)| *key)
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
