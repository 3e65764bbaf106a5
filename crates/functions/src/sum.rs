//! The order of summation. It is independent of chunk boundaries, so that sums have the same bits
//! everywhere.
//!
//! 1. A column of a range is divided into segments of [`SEGMENT_ROWS`] rows from the first row of
//!    the range.
//! 2. Within a segment the number in row `r` is added to lane `r mod 16`, top to bottom. Cells
//!    without a number add nothing, which equals adding zero.
//! 3. The lanes of a segment are folded: lane `i + 8` is added to lane `i`, then `i + 4`, `i + 2`,
//!    `i + 1`.
//! 4. Segments are added in order to the sum of the column, columns to that of the area, areas and
//!    direct arguments to that of the call. All sums start at zero.
//!
//! Rows count from the first row of the range, so that inserting rows above it does not change the
//! sum. Lanes permit SIMD instructions; segments permit partial sums of which an edit recomputes
//! one.

use std::ops::ControlFlow;

use quadrille_cell::ErrorValue;
use quadrille_vector_math as lanes;

use crate::operands::{Chunk, RangeView, ValueRef};

/// Number of lanes.
pub const LANES: usize = lanes::LANES;
/// Rows of a segment; a multiple of [`LANES`].
pub const SEGMENT_ROWS: u32 = 1024;

/// Accumulates the sum of a column from its cells in row order.
#[derive(Clone, Debug, Default)]
pub struct SegmentSum {
    lanes: [f64; LANES],
    /// The next row.
    row: u32,
    total: f64,
}

impl SegmentSum {
    /// Creates an empty sum.
    pub fn new() -> SegmentSum {
        SegmentSum::default()
    }

    /// Adds the number of the next row.
    pub fn push(&mut self, number: f64) {
        self.lanes[self.row as usize % LANES] += number;
        self.skip(1);
    }

    /// Skips rows without numbers.
    pub fn skip(&mut self, rows: u32) {
        let until_fold = SEGMENT_ROWS - self.row % SEGMENT_ROWS;
        self.row += rows;
        if rows >= until_fold {
            self.fold();
        }
    }

    /// Adds the numbers of the next rows.
    pub fn extend(&mut self, mut numbers: &[f64]) {
        while !numbers.is_empty() {
            let until_fold = (SEGMENT_ROWS - self.row % SEGMENT_ROWS) as usize;
            let (segment, rest) = numbers.split_at(until_fold.min(numbers.len()));
            self.add_within_segment(segment);
            self.skip(segment.len() as u32);
            numbers = rest;
        }
    }

    fn add_within_segment(&mut self, numbers: &[f64]) {
        let lane = self.row as usize % LANES;
        let (head, body) = numbers.split_at(((LANES - lane) % LANES).min(numbers.len()));
        for (offset, number) in head.iter().enumerate() {
            self.lanes[lane + offset] += number;
        }
        // A nonempty body starts at lane 0.
        lanes::add_to_lanes(&mut self.lanes, body);
    }

    fn fold(&mut self) {
        let mut width = LANES / 2;
        while width > 0 {
            for lane in 0..width {
                self.lanes[lane] += self.lanes[lane + width];
            }
            width /= 2;
        }
        self.total += self.lanes[0];
        self.lanes = [0.0; LANES];
    }

    /// Returns the sum.
    pub fn finish(mut self) -> f64 {
        self.fold();
        self.total
    }
}

/// Returns sum and count of the numbers in one column. Fails with the first error value in it.
pub fn sum_column(view: &dyn RangeView, column: u32) -> Result<(f64, u64), ErrorValue> {
    let mut sum = SegmentSum::new();
    let mut count = 0;
    let mut error = None;
    view.for_each_chunk(column, &mut |chunk| {
        match chunk {
            Chunk::Blank(rows) => sum.skip(rows),
            Chunk::Numbers(numbers) => {
                sum.extend(numbers);
                count += numbers.len() as u64;
            }
            Chunk::Mixed(cells) => {
                for index in 0..cells.len() {
                    match cells.get(index) {
                        ValueRef::Number(number) => {
                            sum.push(number);
                            count += 1;
                        }
                        ValueRef::Error(found) => {
                            error = Some(found);
                            return ControlFlow::Break(());
                        }
                        _ => sum.skip(1),
                    }
                }
            }
        }
        ControlFlow::Continue(())
    });
    error.map_or(Ok((sum.finish(), count)), Err)
}

/// Returns sum and count of the numbers in a view, column by column. Fails with the first error
/// value.
pub fn sum_view(view: &dyn RangeView) -> Result<(f64, u64), ErrorValue> {
    let mut total = (0.0, 0);
    for column in 0..view.columns() {
        let (sum, count) = sum_column(view, column)?;
        total = (total.0 + sum, total.1 + count);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_independent_of_chunk_boundaries(
            numbers in prop::collection::vec(prop_oneof![Just(None), (-1e9..1e9f64).prop_map(Some)], 0..5000),
            cuts in prop::collection::vec(1usize..300, 1..40),
        ) {
            let mut one_by_one = SegmentSum::new();
            for number in &numbers {
                match number {
                    Some(number) => one_by_one.push(*number),
                    None => one_by_one.skip(1),
                }
            }
            let mut in_chunks = SegmentSum::new();
            let mut rest = &numbers[..];
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
                if chunk.iter().all(Option::is_none) {
                    in_chunks.skip(chunk.len() as u32);
                } else {
                    // A blank cell adds nothing, like zero.
                    in_chunks.extend(&chunk.iter().map(|number| number.unwrap_or(0.0)).collect::<Vec<_>>());
                }
                rest = tail;
            }
            prop_assert_eq!(one_by_one.finish().to_bits(), in_chunks.finish().to_bits());
        }
    }
}
