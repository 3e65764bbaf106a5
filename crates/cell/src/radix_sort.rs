//! Putting many rows in order: by digits, so that a million take as long per row as a thousand.
//!
//! Each function takes a `goes_on` that is told, every some thousand rows, how many have been gone over; when it says no, the
//! function ends with `None`.

/// Rows gone over between two questions whether to go on.
const ROWS_BETWEEN: usize = 2_048;
/// Fewer rows are put in order by inserting one after the other.
const ROWS_INSERTED_MAX: usize = 64;
/// From so many rows on, fewer passes pay for larger tables of counters.
const ROWS_MANY: usize = 16_384;

/// Whether to go on, having gone over so many rows.
pub type ShouldContinue<'a> = &'a mut dyn FnMut(usize) -> bool;

/// Sorts rows by their keys; those with equal keys keep their order.
pub fn sort_rows(rows: &mut [(u64, u32)], goes_on: ShouldContinue<'_>) -> Option<()> {
    let mut sorted = Vec::new();
    sort_with(rows, &mut sorted, goes_on)
}

/// Sorts keys.
pub fn sort_keys(keys: &mut [u64], goes_on: ShouldContinue<'_>) -> Option<()> {
    let mut rows: Vec<(u64, u32)> = keys.iter().map(|key| (*key, 0)).collect();
    sort_rows(&mut rows, goes_on)?;
    for (key, (sorted, _)) in keys.iter_mut().zip(rows) {
        *key = sorted;
    }
    Some(())
}

/// Bits that compare as the numbers do; numbers are finite and zero has no sign.
pub fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The number with these [`ordered_bits`].
pub fn from_ordered_bits(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

/// For each text its place among them all in the order of their lower case; texts that differ only in case share one.
pub fn text_positions(texts: &[&str], goes_on: ShouldContinue<'_>) -> Option<Vec<u32>> {
    // Letters beyond ASCII are turned first; those of ASCII where they are compared.
    let mut folded = Vec::new();
    for text in texts.iter().filter(|text| !text.is_ascii()) {
        folded.push(text.to_lowercase());
        going_on(folded.len(), goes_on)?;
    }
    let mut folded = folded.iter();
    let turned = |text: &&str| if text.is_ascii() { None } else { folded.next() };
    let turned: Vec<Option<&String>> = texts.iter().map(turned).collect();
    let bytes = |row: u32| turned[row as usize].map_or(texts[row as usize], String::as_str).as_bytes();

    // Sorted eight letters at a time. What is the same so far is a part still to be sorted by the next eight.
    let mut rows: Vec<(u64, u32)> = (0..texts.len() as u32).map(|row| (0, row)).collect();
    let mut is_new = vec![false; rows.len()];
    let mut scratch = Vec::new();
    let mut ended = Vec::new();
    let mut parts = vec![(0..rows.len(), 0)];
    let mut gone_over = 0;
    while let Some((part, depth)) = parts.pop() {
        let first = part.start;
        let rows = &mut rows[part];
        for row in rows.iter_mut() {
            row.0 = eight_letters(bytes(row.1), depth);
            gone_over += 1;
            going_on(gone_over, goes_on)?;
        }
        sort_with(rows, &mut scratch, goes_on)?;
        let depth = depth + 8;
        let mut from = 0;
        while from < rows.len() {
            let same = rows[from..].iter().take_while(|row| row.0 == rows[from].0).count();
            is_new[first + from] = true;
            if same > 1 {
                // Texts that end here come before those that go on, and the shorter ones first: a letter of code zero
                // looks like none.
                let run = &mut rows[from..from + same];
                ended.clear();
                ended.extend(
                    run.iter()
                        .filter(|row| bytes(row.1).len() <= depth)
                        .map(|row| (bytes(row.1).len() as u64, row.1)),
                );
                let going_on_from = ended.len();
                if going_on_from < same {
                    if going_on_from > 0 {
                        let goes_on = |row: &&(u64, u32)| bytes(row.1).len() > depth;
                        let going: Vec<(u64, u32)> = run.iter().filter(goes_on).copied().collect();
                        run[going_on_from..].copy_from_slice(&going);
                    }
                    is_new[first + from + going_on_from] = true;
                    parts.push((first + from + going_on_from..first + from + same, depth));
                }
                sort_with(&mut ended, &mut scratch, goes_on)?;
                for (at, row) in ended.iter().enumerate() {
                    run[at] = *row;
                    is_new[first + from + at] |= at > 0 && ended[at - 1].0 != row.0;
                }
            }
            from += same;
        }
    }
    let mut places = vec![0; texts.len()];
    let mut place = 0;
    for (at, (_, row)) in rows.iter().enumerate() {
        place += u32::from(is_new[at] && at > 0);
        places[*row as usize] = place;
    }
    Some(places)
}

/// Eight bytes of a text in lower case from a place on, as a number; zeros where it has ended.
fn eight_letters(text: &[u8], from: usize) -> u64 {
    let mut letters = [0; 8];
    let rest = text.get(from..).unwrap_or_default();
    for (letter, byte) in letters.iter_mut().zip(rest) {
        *letter = byte.to_ascii_lowercase();
    }
    u64::from_be_bytes(letters)
}

fn going_on(gone_over: usize, goes_on: ShouldContinue<'_>) -> Option<()> {
    let is_due = gone_over.is_multiple_of(ROWS_BETWEEN);
    if is_due && !goes_on(ROWS_BETWEEN) { None } else { Some(()) }
}

fn sort_with(
    rows: &mut [(u64, u32)],
    sorted: &mut Vec<(u64, u32)>,
    goes_on: ShouldContinue<'_>,
) -> Option<()> {
    if rows.len() <= ROWS_INSERTED_MAX {
        for at in 1..rows.len() {
            let row = rows[at];
            let mut place = at;
            while place > 0 && rows[place - 1].0 > row.0 {
                rows[place] = rows[place - 1];
                place -= 1;
            }
            rows[place] = row;
        }
        return Some(());
    }
    let digit_bits = if rows.len() < ROWS_MANY { 8 } else { 11 };
    let digits = u64::BITS.div_ceil(digit_bits);
    let digit_of = |key: u64, digit: u32| (key >> (digit * digit_bits)) as usize & ((1 << digit_bits) - 1);
    let mut counts = vec![0u32; (digits as usize) << digit_bits];
    for part in rows.chunks(ROWS_BETWEEN) {
        for (key, _) in part {
            for digit in 0..digits {
                counts[((digit as usize) << digit_bits) + digit_of(*key, digit)] += 1;
            }
        }
        if !goes_on(part.len()) {
            return None;
        }
    }
    sorted.clear();
    sorted.resize(rows.len(), (0, 0));
    let (mut from, mut to) = (&mut *rows, &mut sorted[..]);
    let mut are_swapped = false;
    for (digit, counts) in (0..).zip(counts.chunks_mut(1 << digit_bits)) {
        // A digit that all have in common sorts nothing; numbers have several.
        if counts[digit_of(from[0].0, digit)] as usize == from.len() {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for part in from.chunks(ROWS_BETWEEN) {
            for row in part {
                let place = &mut counts[digit_of(row.0, digit)];
                to[*place as usize] = *row;
                *place += 1;
            }
            if !goes_on(part.len()) {
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
    fn digits_sort_as_comparisons_do() {
        for (seed, count) in [(1, 0), (2, 1), (3, 50), (4, 64), (5, 65), (6, 1_000), (7, 16_384), (8, 40_000)]
        {
            for (bits, shift) in [(3, 0), (12, 7), (44, 0), (44, 20), (1, 63)] {
                let keys = numbers(seed).map(|number| (number & ((1 << bits) - 1)) << shift);
                let mut rows: Vec<(u64, u32)> = keys.zip(0..count).collect();
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row.0);
                sort_rows(&mut rows, &mut |_| true).expect("nobody says no");
                assert_eq!(rows, expected, "{count} of {bits} bits");
            }
        }
    }

    #[test]
    fn texts_sort_by_their_lower_case() {
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
            let mut known: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
            known.sort_unstable();
            known.dedup();
            let expected: Vec<u32> = texts
                .iter()
                .map(|text| known.binary_search(&text.to_lowercase()).expect("it is one of them") as u32)
                .collect();
            assert_eq!(text_positions(&texts, &mut |_| true), Some(expected));
        }
    }

    #[test]
    fn sorting_stops_soon_after_cancellation() {
        let keys: Vec<u64> = numbers(3).take(200_000).collect();
        let texts: Vec<String> = keys.iter().map(|key| format!("some text {key}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for looks in [0, 1, 10, 100, 300] {
            let mut asked = 0;
            let mut says = |gone_over| {
                asked += 1;
                assert!(gone_over <= ROWS_BETWEEN, "{gone_over} rows between two questions");
                asked <= looks
            };
            assert_eq!(sort_keys(&mut keys.clone(), &mut says), None);
            assert_eq!(asked, looks + 1);
            asked = 0;
            let mut says = |_| {
                asked += 1;
                asked <= looks
            };
            assert_eq!(text_positions(&texts, &mut says), None);
            assert_eq!(asked, looks + 1);
        }
    }

    #[test]
    fn bits_are_ordered_as_numbers_are() {
        let numbers = [-1e308, -2.5, -1e-300, 0.0, 1e-300, 1.0, 1e308];
        assert!(numbers.is_sorted_by_key(|number| ordered_bits(*number)));
        for number in numbers {
            assert_eq!(from_ordered_bits(ordered_bits(number)).to_bits(), number.to_bits());
        }
    }
}
