//! The one order in which numbers are summed, whatever the chunks they come in.
//!
//! 1. A column of a range is cut into segments of [`SEGMENT_ROWS`] rows, counted from the range's first row.
//! 2. Within a segment the number in row `r` is added to lane `r mod 16`, top to bottom. Cells without a number add
//!    nothing, which is the same as adding zero.
//! 3. The lanes of a segment are folded: lane `i` takes lane `i + 8`, then `i + 4`, `i + 2`, `i + 1`.
//! 4. Segments are added left to right to the column's sum, columns to the area's, areas and direct arguments to the
//!    call's; each of these starts at zero.
//!
//! Rows count from the range's first row and not from the sheet's, so that inserting rows above a range changes no
//! sum. Lanes let a processor add many at once; segments let an evaluator keep partial sums and re-add only one.

use std::ops::ControlFlow;

use quadrille_cell::ErrorValue;
use quadrille_vector_math as lanes;

use crate::operands::{Chunk, RangeView, ValueRef};

pub const LANES: usize = lanes::LANES;
/// A multiple of [`LANES`].
pub const SEGMENT_ROWS: u32 = 1024;

/// The sum of one column's numbers while they arrive in row order.
#[derive(Clone, Debug, Default)]
pub struct SegmentSum {
    lanes: [f64; LANES],
    /// The row that comes next.
    row: u32,
    total: f64,
}

impl SegmentSum {
    pub fn new() -> SegmentSum {
        SegmentSum::default()
    }

    /// One number.
    pub fn push(&mut self, number: f64) {
        self.lanes[self.row as usize % LANES] += number;
        self.skip(1);
    }

    /// Cells without numbers.
    pub fn skip(&mut self, rows: u32) {
        let until_fold = SEGMENT_ROWS - self.row % SEGMENT_ROWS;
        self.row += rows;
        if rows >= until_fold {
            self.fold();
        }
    }

    /// Numbers in consecutive rows.
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
        // A body that is not empty begins at lane 0.
        lanes::add(&mut self.lanes, body);
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

    pub fn finish(mut self) -> f64 {
        self.fold();
        self.total
    }
}

/// Sum and count of the numbers in one column; the first error in it, if any.
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
            Chunk::Mixed(lane) => {
                for index in 0..lane.len() {
                    match lane.get(index) {
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

/// Sum and count of the numbers in a rectangle, column by column.
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
        fn the_sum_does_not_depend_on_the_chunks(
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
                    // A blank adds nothing, as zero does.
                    in_chunks.extend(&chunk.iter().map(|number| number.unwrap_or(0.0)).collect::<Vec<_>>());
                }
                rest = tail;
            }
            prop_assert_eq!(one_by_one.finish().to_bits(), in_chunks.finish().to_bits());
        }
    }
}
