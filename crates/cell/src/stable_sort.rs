//! Stable sorts with little code for each type of element. The standard library's sort is compiled
//! anew for every type and comparison (4 KB in the engine for browsers); here all share the sort of
//! their positions, and only moving the elements is compiled anew. Lists that are long or sorted
//! often use the standard library's, or [`radix_sort`](crate::radix_sort).

use std::cmp::Ordering;

/// Sorts positions by a comparison of what is there.
pub fn stable_sort_positions(positions: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    positions.sort_by(|a, b| compare(*a, *b));
}

/// Sorts like `slice::sort_by`. The length must fit into 32 bits.
pub fn stable_sort_by<T>(items: &mut [T], compare: &mut dyn FnMut(&T, &T) -> Ordering) {
    let mut from: Vec<u32> = (0..items.len() as u32).collect();
    stable_sort_positions(&mut from, &mut |a, b| compare(&items[a as usize], &items[b as usize]));
    // `from[at]` is where the element for `at` is; follows each cycle once.
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let next = std::mem::replace(&mut from[at], at as u32) as usize;
            if next == start || next == at {
                break;
            }
            items.swap(at, next);
            at = next;
        }
    }
}

/// Sorts like `slice::sort_by_key`. The length must fit into 32 bits.
pub fn stable_sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    stable_sort_by(items, &mut |a, b| key(a).cmp(&key(b)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn elements_are_sorted_as_by_the_standard_library(
            mut items in prop::collection::vec((0..20u8, any::<u8>()), 0..200),
        ) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            stable_sort_by_key(&mut items, |item| item.0);
            prop_assert_eq!(items, expected);
        }
    }

    #[test]
    fn elements_that_cannot_be_copied_are_moved() {
        let mut words: Vec<String> = ["pear", "fig", "apple", "kiwi"].map(str::to_owned).into();
        stable_sort_by(&mut words, &mut |a, b| b.len().cmp(&a.len()));
        assert_eq!(words, ["apple", "pear", "kiwi", "fig"]);
    }
}
