//! Sorting anything by one compiled loop: only the comparison and the final exchange are compiled for each type.
//!
//! The sorts of the standard library are faster and take 2 to 4 KB each, a twelfth of the browser's engine. All sorts here are
//! stable, and an order that is none gives some arrangement of the same elements, never a panic. [`numbers`] is for many
//! numbers; whatever else may be a million long sorts by digits (`operation`).

use std::cmp::Ordering;

use quadrille_cell::radix_sort::{from_ordered_bits, ordered_bits, sort_keys};

/// Puts the elements in order; those that compare equal stay in the order in which they are.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut order = {
        let items = &*items;
        sorted_order(items.len(), &mut |a, b| compare(&items[a], &items[b]) == Ordering::Greater)
    };
    // Each place takes the element that belongs there, along the circular references of the permutation.
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at as u32) as usize;
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The key is made anew for each comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Numbers as cells hold them: finite, zero without a sign.
pub fn numbers(numbers: &mut [f64]) {
    let mut keys: Vec<u64> = numbers.iter().map(|number| ordered_bits(*number)).collect();
    let _all_done = sort_keys(&mut keys, &mut |_| true);
    for (number, key) in numbers.iter_mut().zip(keys) {
        *number = from_ordered_bits(key);
    }
}

/// The indices `0..count` in order, by merging. `is_after` says whether one element belongs behind another.
fn sorted_order(count: usize, is_after: &mut dyn FnMut(usize, usize) -> bool) -> Vec<u32> {
    /// Pieces that are put in order by insertion.
    const PIECE: usize = 8;
    let count = u32::try_from(count).expect("lists in memory are shorter than 4 billion");
    let mut order: Vec<u32> = (0..count).collect();
    for piece in order.chunks_mut(PIECE) {
        for end in 1..piece.len() {
            let mut at = end;
            while at > 0 && is_after(piece[at - 1] as usize, piece[at] as usize) {
                piece.swap(at - 1, at);
                at -= 1;
            }
        }
    }
    let mut merged: Vec<u32> = Vec::with_capacity(order.len());
    let mut width = PIECE;
    while width < order.len() {
        merged.clear();
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            // What is in order already, as most lists are, is taken as it is.
            let meets = |left: &[u32], right: &[u32]| Some((*left.last()?, *right.first()?));
            if let Some((last, first)) = meets(left, right)
                && is_after(last as usize, first as usize)
            {
                while let (Some(a), Some(b)) = (left.first(), right.first()) {
                    if is_after(*a as usize, *b as usize) {
                        merged.push(*b);
                        right = &right[1..];
                    } else {
                        merged.push(*a);
                        left = &left[1..];
                    }
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(mut items in prop::collection::vec((0u8..20, any::<u16>()), 0..300)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_key(&mut items, |item| item.0);
            prop_assert_eq!(&items, &expected, "equal ones keep their order");
            expected.sort();
            sort(&mut items);
            prop_assert_eq!(items, expected);
        }

        #[test]
        fn numbers_come_in_the_total_order(mut items in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL, 0..300)) {
            let mut expected = items.clone();
            expected.sort_by(f64::total_cmp);
            numbers(&mut items);
            let bits = |items: &[f64]| items.iter().map(|item| item.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&items), bits(&expected));
        }

        #[test]
        fn an_order_that_is_none_loses_nothing(items in prop::collection::vec(any::<u32>(), 0..200), seed in any::<u64>()) {
            let mut state = seed;
            let mut arranged = items.clone();
            sort_by(&mut arranged, |_, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if state >> 63 == 0 { Ordering::Less } else { Ordering::Greater }
            });
            let (mut before, mut after) = (items, arranged);
            before.sort();
            after.sort();
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn long_lists_are_sorted() {
        let mut items: Vec<u32> =
            (0..100_000u32).map(|index| index.wrapping_mul(2_654_435_761) >> 3).collect();
        let mut expected = items.clone();
        expected.sort();
        sort(&mut items);
        assert_eq!(items, expected);
        items.reverse();
        sort(&mut items);
        assert_eq!(items, expected);
    }
}
