//! Sums in lanes, in the order that `functions::sum` defines.

/// Partial sums of a column that are computed side by side.
pub const LANES: usize = 16;

/// Adds number `i` to lane `i` modulo [`LANES`].
#[inline(never)]
pub fn add_to_lanes(lanes: &mut [f64; LANES], numbers: &[f64]) {
    let mut sums = *lanes;
    let (rows, rest) = numbers.as_chunks::<LANES>();
    for row in rows {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }
    for (sum, number) in sums.iter_mut().zip(rest) {
        *sum += number;
    }
    *lanes = sums;
}
