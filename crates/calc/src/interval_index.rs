//! Which references of which runs read a given row.

use std::collections::BTreeMap;

/// Entries by the rows they cover, found by the rows they meet.
///
/// Entries are kept by size class: class `c` holds those of fewer than 2^c rows more than their first. In each
/// class, an entry that meets a row begins at most that many rows above it, so a search looks at few others.
#[derive(Clone, Debug)]
pub(crate) struct IntervalIndex<K> {
    classes: Vec<BTreeMap<(u32, K), u32>>,
}

impl<K> Default for IntervalIndex<K> {
    fn default() -> IntervalIndex<K> {
        IntervalIndex { classes: Vec::new() }
    }
}

/// Keys have bounds, so that a search can name them.
pub(crate) trait Key: Copy + Ord {
    const MIN: Self;
    const MAX: Self;
}

impl<K: Key> IntervalIndex<K> {
    fn class_of(first: u32, last: u32) -> usize {
        (u32::BITS - (last - first).leading_zeros()) as usize
    }

    pub fn insert(&mut self, first: u32, last: u32, key: K) {
        let class = Self::class_of(first, last);
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, BTreeMap::new);
        }
        self.classes[class].insert((first, key), last);
    }

    pub fn remove(&mut self, first: u32, last: u32, key: K) {
        if let Some(class) = self.classes.get_mut(Self::class_of(first, last)) {
            class.remove(&(first, key));
        }
    }

    /// Calls `found` for each entry that meets `first..=last`.
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
        fn finds_what_a_scan_finds(
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
