//! Least-significant-digit radix sort of many rows, in linear time and with cancellation.
//!
//! Each function takes a callback that it calls with the number of rows processed since the last
//! call, at least every 2,048 rows. When the callback returns `false`, the function stops and
//! returns `None`.

/// Maximum number of rows processed between two calls of the callback.
const ROWS_PER_CALL: usize = 2_048;
/// Up to so many rows are sorted by insertion.
const INSERTION_SORT_MAX: usize = 64;
/// From so many rows on, digits have 11 bits instead of 8: fewer passes outweigh larger tables.
const WIDE_DIGITS_MIN: usize = 16_384;

/// Called with the number of rows processed since the last call; returns `false` to cancel.
pub type ShouldContinue<'a> = &'a mut dyn FnMut(usize) -> bool;

/// Sorts rows by their keys (the first elements), stably. Returns `None` when cancelled.
pub fn sort_rows(rows: &mut [(u64, u32)], should_continue: ShouldContinue<'_>) -> Option<()> {
    let mut sorted = Vec::new();
    sort_with(rows, &mut sorted, should_continue)
}

/// Sorts keys in ascending order. Returns `None` when cancelled.
pub fn sort_keys(keys: &mut [u64], should_continue: ShouldContinue<'_>) -> Option<()> {
    let mut rows: Vec<(u64, u32)> = keys.iter().map(|key| (*key, 0)).collect();
    sort_rows(&mut rows, should_continue)?;
    for (key, (sorted, _)) in keys.iter_mut().zip(rows) {
        *key = sorted;
    }
    Some(())
}

/// An integer that orders as the number does, for finite numbers without negative zero.
pub fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The number whose [`ordered_bits`] are `bits`.
pub fn from_ordered_bits(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

/// The rank of each text among the distinct texts, compared by their lower case; texts that differ
/// only in case have the same rank. Returns `None` when cancelled.
pub fn text_positions(texts: &[&str], should_continue: ShouldContinue<'_>) -> Option<Vec<u32>> {
    // Texts with characters beyond ASCII are converted first; ASCII letters when they are compared.
    let mut folded = Vec::new();
    for text in texts.iter().filter(|text| !text.is_ascii()) {
        folded.push(text.to_lowercase());
        check(folded.len(), should_continue)?;
    }
    let mut folded = folded.iter();
    let lowercase = |text: &&str| if text.is_ascii() { None } else { folded.next() };
    let lowercase: Vec<Option<&String>> = texts.iter().map(lowercase).collect();
    let bytes = |row: u32| lowercase[row as usize].map_or(texts[row as usize], String::as_str).as_bytes();

    // A radix sort by eight bytes at a time. Rows that are equal so far form a part, which is
    // sorted by the next eight bytes.
    let mut rows: Vec<(u64, u32)> = (0..texts.len() as u32).map(|row| (0, row)).collect();
    let mut is_distinct = vec![false; rows.len()];
    let mut scratch = Vec::new();
    let mut ended = Vec::new();
    let mut parts = vec![(0..rows.len(), 0)];
    let mut processed = 0;
    while let Some((part, depth)) = parts.pop() {
        let first = part.start;
        let rows = &mut rows[part];
        for row in rows.iter_mut() {
            row.0 = eight_bytes(bytes(row.1), depth);
            processed += 1;
            check(processed, should_continue)?;
        }
        sort_with(rows, &mut scratch, should_continue)?;
        let depth = depth + 8;
        let mut from = 0;
        while from < rows.len() {
            let same = rows[from..].iter().take_while(|row| row.0 == rows[from].0).count();
            is_distinct[first + from] = true;
            if same > 1 {
                // Texts that end within these bytes precede longer ones, the shortest first:
                // padding is equal to characters of code 0.
                let run = &mut rows[from..from + same];
                ended.clear();
                ended.extend(
                    run.iter()
                        .filter(|row| bytes(row.1).len() <= depth)
                        .map(|row| (bytes(row.1).len() as u64, row.1)),
                );
                let ended_count = ended.len();
                if ended_count < same {
                    if ended_count > 0 {
                        let is_longer = |row: &&(u64, u32)| bytes(row.1).len() > depth;
                        let longer: Vec<(u64, u32)> = run.iter().filter(is_longer).copied().collect();
                        run[ended_count..].copy_from_slice(&longer);
                    }
                    is_distinct[first + from + ended_count] = true;
                    parts.push((first + from + ended_count..first + from + same, depth));
                }
                sort_with(&mut ended, &mut scratch, should_continue)?;
                for (at, row) in ended.iter().enumerate() {
                    run[at] = *row;
                    is_distinct[first + from + at] |= at > 0 && ended[at - 1].0 != row.0;
                }
            }
            from += same;
        }
    }
    let mut ranks = vec![0; texts.len()];
    let mut rank = 0;
    for (at, (_, row)) in rows.iter().enumerate() {
        rank += u32::from(is_distinct[at] && at > 0);
        ranks[*row as usize] = rank;
    }
    Some(ranks)
}

/// Eight bytes of a text from an offset on, with ASCII letters in lower case, as a big-endian
/// integer; padded with zeros.
fn eight_bytes(text: &[u8], from: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = text.get(from..).unwrap_or_default();
    for (lower, byte) in bytes.iter_mut().zip(rest) {
        *lower = byte.to_ascii_lowercase();
    }
    u64::from_be_bytes(bytes)
}

fn check(processed: usize, should_continue: ShouldContinue<'_>) -> Option<()> {
    let is_due = processed.is_multiple_of(ROWS_PER_CALL);
    if is_due && !should_continue(ROWS_PER_CALL) { None } else { Some(()) }
}

/// Sorts `rows` stably by key; `sorted` is scratch memory.
fn sort_with(
    rows: &mut [(u64, u32)],
    sorted: &mut Vec<(u64, u32)>,
    should_continue: ShouldContinue<'_>,
) -> Option<()> {
    if rows.len() <= INSERTION_SORT_MAX {
        for at in 1..rows.len() {
            let row = rows[at];
            let mut hole = at;
            while hole > 0 && rows[hole - 1].0 > row.0 {
                rows[hole] = rows[hole - 1];
                hole -= 1;
            }
            rows[hole] = row;
        }
        return Some(());
    }
    let digit_bits = if rows.len() < WIDE_DIGITS_MIN { 8 } else { 11 };
    let digits = u64::BITS.div_ceil(digit_bits);
    let digit_of = |key: u64, digit: u32| (key >> (digit * digit_bits)) as usize & ((1 << digit_bits) - 1);
    let mut counts = vec![0u32; (digits as usize) << digit_bits];
    for part in rows.chunks(ROWS_PER_CALL) {
        for (key, _) in part {
            for digit in 0..digits {
                counts[((digit as usize) << digit_bits) + digit_of(*key, digit)] += 1;
            }
        }
        if !should_continue(part.len()) {
            return None;
        }
    }
    sorted.clear();
    sorted.resize(rows.len(), (0, 0));
    let (mut from, mut to) = (&mut *rows, &mut sorted[..]);
    let mut are_swapped = false;
    for (digit, counts) in (0..).zip(counts.chunks_mut(1 << digit_bits)) {
        // A digit that all keys have in common needs no pass; keys of numbers have several.
        if counts[digit_of(from[0].0, digit)] as usize == from.len() {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for part in from.chunks(ROWS_PER_CALL) {
            for row in part {
                let position = &mut counts[digit_of(row.0, digit)];
                to[*position as usize] = *row;
                *position += 1;
            }
            if !should_continue(part.len()) {
                return None;
            }
        }
        std::mem::swap(&mut from, &mut to);
        are_swapped = !are_swapped;
    }
    if are_swapped {
        to.copy_from_slice(from);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let step = |state: &u64| {
            Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        };
        std::iter::successors(Some(seed), step).map(|state| state >> 20)
    }

    #[test]
    fn radix_sort_equals_a_stable_comparison_sort() {
        for (seed, count) in [(1, 0), (2, 1), (3, 50), (4, 64), (5, 65), (6, 1_000), (7, 16_384), (8, 40_000)]
        {
            for (bits, shift) in [(3, 0), (12, 7), (44, 0), (44, 20), (1, 63)] {
                let keys = numbers(seed).map(|number| (number & ((1 << bits) - 1)) << shift);
                let mut rows: Vec<(u64, u32)> = keys.zip(0..count).collect();
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row.0);
                sort_rows(&mut rows, &mut |_| true).expect("not cancelled");
                assert_eq!(rows, expected, "{count} of {bits} bits");
            }
        }
    }

    #[test]
    fn ranks_follow_the_lower_case() {
        let letters =
            ["a", "A", "b", "\0", "Ä", "ä", "ß", "z", "aaaaaaaa", "AAAAAAAAb", "日本", "İ", "K", "k"];
        let mut random = numbers(11).map(|number| number as usize);
        for count in [0, 1, 2, 30, 3_000] {
            let texts: Vec<String> = (0..count)
                .map(|_| {
                    let length = random.next().unwrap_or(0) % 5;
                    (0..length).map(|_| letters[random.next().unwrap_or(0) % letters.len()]).collect()
                })
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut distinct: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            let expected: Vec<u32> = texts
                .iter()
                .map(|text| {
                    distinct.binary_search(&text.to_lowercase()).expect("the text is in the list") as u32
                })
                .collect();
            assert_eq!(text_positions(&texts, &mut |_| true), Some(expected));
        }
    }

    #[test]
    fn sorting_stops_soon_after_cancellation() {
        let keys: Vec<u64> = numbers(3).take(200_000).collect();
        let texts: Vec<String> = keys.iter().map(|key| format!("some text {key}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for calls_max in [0, 1, 10, 100, 300] {
            let mut calls = 0;
            let mut callback = |processed| {
                calls += 1;
                assert!(processed <= ROWS_PER_CALL, "{processed} rows between two calls");
                calls <= calls_max
            };
            assert_eq!(sort_keys(&mut keys.clone(), &mut callback), None);
            assert_eq!(calls, calls_max + 1);
            calls = 0;
            let mut callback = |_| {
                calls += 1;
                calls <= calls_max
            };
            assert_eq!(text_positions(&texts, &mut callback), None);
            assert_eq!(calls, calls_max + 1);
        }
    }

    #[test]
    fn ordered_bits_order_as_numbers_do() {
        let numbers = [-1e308, -2.5, -1e-300, 0.0, 1e-300, 1.0, 1e308];
        assert!(numbers.is_sorted_by_key(|number| ordered_bits(*number)));
        for number in numbers {
            assert_eq!(from_ordered_bits(ordered_bits(number)).to_bits(), number.to_bits());
        }
    }
}
