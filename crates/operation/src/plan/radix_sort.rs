//! LSD radix sort of row indices by 64-bit keys, linear in the number of rows.

/// Bits of one digit. Its 2,048 counters fit into the first-level cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: u32 = u64::BITS.div_ceil(DIGIT_BITS);
/// A comparison sort is faster for fewer rows.
const ROWS_MIN: usize = 4_096;

/// Sorts `order`, indices into `keys`, by key. The sort is stable.
pub(super) fn sort_by_key(order: &mut [u32], keys: &[u64]) {
    if order.len() < ROWS_MIN {
        let key = |row| keys[row as usize];
        quadrille_cell::stable_sort_positions(order, &mut |a, b| key(a).cmp(&key(b)));
        return;
    }
    // Keys are moved along with their rows: a lookup in each pass would be a cache miss.
    let mut rows: Vec<(u64, u32)> = order.iter().map(|row| (keys[*row as usize], *row)).collect();
    let mut sorted: Vec<(u64, u32)> = vec![(0, 0); rows.len()];
    let mut counts = vec![[0u32; 1 << DIGIT_BITS]; DIGITS as usize];
    for (key, _) in &rows {
        for (digit, counts) in (0..).zip(&mut counts) {
            counts[digit_of(*key, digit)] += 1;
        }
    }
    for (digit, counts) in (0..).zip(&mut counts) {
        // A digit equal in all keys does not change the order; keys of numbers have several such
        // digits.
        if counts[digit_of(rows[0].0, digit)] as usize == rows.len() {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for row in &rows {
            let position = &mut counts[digit_of(row.0, digit)];
            sorted[*position as usize] = *row;
            *position += 1;
        }
        std::mem::swap(&mut rows, &mut sorted);
    }
    for (target, (_, row)) in order.iter_mut().zip(rows) {
        *target = row;
    }
}

fn digit_of(key: u64, digit: u32) -> usize {
    (key >> (digit * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn radix_sort_equals_comparison_sort(
            seed in any::<u64>(), bits in 1u32..64, shift in 0u32..64, rows in 0usize..10_000
        ) {
            let mut state = seed;
            let keys: Vec<u64> = (0..rows)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> (64 - bits)) << shift.min(64 - bits)
                })
                .collect();
            let mut order: Vec<u32> = (0..rows as u32).rev().collect();
            let mut expected = order.clone();
            expected.sort_by_key(|row| keys[*row as usize]);
            sort_by_key(&mut order, &keys);
            prop_assert_eq!(order, expected);
        }
    }
}
