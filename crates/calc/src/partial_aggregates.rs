//! Partial aggregates: sums, counts and extremes of segments of long columns, cached across edits.
//!
//! ```text
//!  SUM(A:A)  =  s0 + s1 + s2 + … + s976        each of 1,024 rows, in this order
//!                     ▲
//!            A1500 edited: only s1 is read again
//! ```
//! The sum of a column is defined as the sum of its segments' sums (`functions/src/sum.rs`), so a
//! result from cached segments has the same bits as a new one. Segments count from the range's
//! first row: the segments of one range serve all ranges that begin in the same cell.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_functions::{Chunk, Function, RangeView, SEGMENT_ROWS, SegmentSum, ValueRef};
use quadrille_workbook::Sheet;

use crate::evaluator::SheetView;

/// Shorter columns are read faster than looked up.
const ROWS_MIN: u32 = 4 * SEGMENT_ROWS;
/// Wider ranges are not cached: their many columns would evict more frequently used ones.
const COLUMNS_MAX: u32 = 16;
/// Columns that are cached, by first row; at most 40 KB each. The least recently used one is
/// evicted.
const CACHED_MAX: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct PartialAggregates {
    /// By sheet, column and first row.
    columns: RefCell<BTreeMap<(SheetId, u32, u32), ColumnSegments>>,
    request_count: Cell<u64>,
}

/// The segments of a column from one row on.
#[derive(Debug, Default)]
struct ColumnSegments {
    /// `None` for segments that must be read.
    segments: Vec<Option<Segment>>,
    /// Number of the last request.
    last_used: u64,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    sum: f64,
    numbers: u32,
    error: Option<ErrorValue>,
    /// Smallest and largest number, when requested; a sum alone runs at memory speed.
    extremes: Option<(f64, f64)>,
}

/// The aggregate of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aggregate {
    Sum,
    Average,
    Count,
    Smallest,
    Largest,
}

impl Aggregate {
    /// The aggregate that a function computes, if its partial results are cached.
    pub fn of(function: &Function) -> Option<Aggregate> {
        Some(match function.name {
            "SUM" => Aggregate::Sum,
            "AVERAGE" => Aggregate::Average,
            "COUNT" => Aggregate::Count,
            "MIN" => Aggregate::Smallest,
            "MAX" => Aggregate::Largest,
            _ => return None,
        })
    }
}

impl PartialAggregates {
    /// Returns the aggregate of a range and the number of cells read; `None` for short or wide
    /// ranges.
    pub fn aggregate(&self, aggregate: Aggregate, sheet: &Sheet, range: Range) -> Option<(Value, u64)> {
        let (first, last) = (range.first(), range.last());
        let used =
            sheet.columns_in(range).filter_map(|(_, column)| column.extent()).map(|(_, last)| last).max()?;
        let bottom = used.min(last.row.get());
        if range.column_count() > COLUMNS_MAX || bottom < first.row.get() + ROWS_MIN {
            return None;
        }
        let with_extremes = matches!(aggregate, Aggregate::Smallest | Aggregate::Largest);
        let mut total = Segment::EMPTY;
        let mut read = 0;
        for column in first.column.get()..=last.column.get() {
            let of_column = self.column(sheet, column, (first.row.get(), bottom), with_extremes, &mut read);
            if aggregate == Aggregate::Count {
                total.numbers += of_column.numbers;
            } else if let Some(error) = of_column.error {
                return Some((Value::Error(error), read));
            } else {
                total = total.with(of_column);
            }
        }
        let value = match aggregate {
            Aggregate::Sum => Value::number(total.sum),
            Aggregate::Average if total.numbers == 0 => Value::Error(ErrorValue::DivideByZero),
            Aggregate::Average => Value::number(total.sum / f64::from(total.numbers)),
            Aggregate::Count => Value::Number(f64::from(total.numbers)),
            _ if total.numbers == 0 => Value::Number(0.0),
            Aggregate::Smallest => Value::number(total.extremes.unwrap_or_default().0),
            Aggregate::Largest => Value::number(total.extremes.unwrap_or_default().1),
        };
        Some((value, read))
    }

    fn column(
        &self,
        sheet: &Sheet,
        column: u32,
        (top, bottom): (u32, u32),
        with_extremes: bool,
        read: &mut u64,
    ) -> Segment {
        let mut columns = self.columns.borrow_mut();
        let key = (sheet.id(), column, top);
        if columns.len() >= CACHED_MAX && !columns.contains_key(&key) {
            let unused = columns.iter().min_by_key(|(_, column)| column.last_used).map(|(key, _)| *key);
            unused.and_then(|key| columns.remove(&key));
        }
        self.request_count.set(self.request_count.get() + 1);
        let cached = columns.entry(key).or_default();
        cached.last_used = self.request_count.get();
        let mut total = Segment::EMPTY;
        let mut row = top;
        for index in 0.. {
            if row > bottom {
                break;
            }
            let end = row + (SEGMENT_ROWS - 1);
            // The segment in which the range ends is not cached, since other ranges may continue.
            let segment = if end > bottom {
                *read += u64::from(bottom - row + 1);
                Segment::read(sheet, column, (row, bottom), with_extremes)
            } else {
                if cached.segments.len() <= index {
                    // Reads all following segments in one go.
                    let count = ((bottom - row + 1) / SEGMENT_ROWS) as usize;
                    let rows = (row, row + count as u32 * SEGMENT_ROWS - 1);
                    *read += u64::from(rows.1 - rows.0 + 1);
                    Segment::read_all(sheet, column, rows, with_extremes, &mut cached.segments);
                }
                let is_enough = |segment: &Segment| segment.extremes.is_some() || !with_extremes;
                cached.segments[index].filter(is_enough).unwrap_or_else(|| {
                    *read += u64::from(SEGMENT_ROWS);
                    *cached.segments[index].insert(Segment::read(sheet, column, (row, end), with_extremes))
                })
            };
            total = total.with(segment);
            row = end + 1;
        }
        total
    }

    /// Invalidates the segments of cells that may have changed.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let columns = self.columns.get_mut();
        if columns.is_empty() {
            return;
        }
        let (first, last) = (range.first(), range.last());
        let affected = (sheet, first.column.get(), 0)..=(sheet, last.column.get(), u32::MAX);
        for ((_, _, top), column) in columns.range_mut(affected) {
            if last.row.get() < *top {
                continue;
            }
            let from = (first.row.get().saturating_sub(*top) / SEGMENT_ROWS) as usize;
            let to = ((last.row.get() - *top) / SEGMENT_ROWS) as usize;
            let to = column.segments.len().min(to + 1);
            if let Some(segments) = column.segments.get_mut(from..to) {
                segments.fill(None);
            }
        }
    }

    /// Forgets all segments.
    pub fn clear(&mut self) {
        self.columns.get_mut().clear();
    }
}

impl Segment {
    const EMPTY: Segment =
        Segment { sum: 0.0, numbers: 0, error: None, extremes: Some((f64::INFINITY, f64::NEG_INFINITY)) };

    /// Combines this segment with the following one; the first error wins.
    fn with(self, next: Segment) -> Segment {
        let extremes = self.extremes.zip(next.extremes);
        Segment {
            sum: self.sum + next.sum,
            numbers: self.numbers + next.numbers,
            error: self.error.or(next.error),
            extremes: extremes.map(|(ours, theirs)| (ours.0.min(theirs.0), ours.1.max(theirs.1))),
        }
    }

    /// Reads the rows of one segment, or fewer.
    fn read(sheet: &Sheet, column: u32, rows: (u32, u32), with_extremes: bool) -> Segment {
        let mut segments = Vec::with_capacity(1);
        Segment::read_all(sheet, column, rows, with_extremes, &mut segments);
        segments.pop().flatten().unwrap_or(Segment::EMPTY)
    }

    /// Appends the segments of the rows `first..=last`; the last segment may be shorter.
    fn read_all(
        sheet: &Sheet,
        column: u32,
        (first, last): (u32, u32),
        with_extremes: bool,
        segments: &mut Vec<Option<Segment>>,
    ) {
        let empty = Segment { extremes: Segment::EMPTY.extremes.filter(|_| with_extremes), ..Segment::EMPTY };
        let count = segments.len() + (last - first) as usize / SEGMENT_ROWS as usize + 1;
        segments.reserve(count - segments.len());
        let (mut sum, mut found) = (SegmentSum::new(), empty);
        // Rows that are missing from the current segment.
        let mut room = SEGMENT_ROWS as usize;
        let range = Range::new(CellAddress::clamped(first, column), CellAddress::clamped(last, column));
        SheetView::new(Some(sheet), range).for_each_chunk(0, &mut |chunk| {
            let length = match &chunk {
                Chunk::Blank(rows) => *rows as usize,
                Chunk::Numbers(numbers) => numbers.len(),
                Chunk::Mixed(lane) => lane.len(),
            };
            let mut done = 0;
            while done < length {
                let count = room.min(length - done);
                match &chunk {
                    Chunk::Blank(_) => sum.skip(count as u32),
                    Chunk::Numbers(numbers) => {
                        let numbers = &numbers[done..done + count];
                        sum.extend(numbers);
                        found.count(numbers);
                    }
                    Chunk::Mixed(lane) => {
                        for index in done..done + count {
                            match lane.get(index) {
                                ValueRef::Number(number) => {
                                    sum.push(number);
                                    found.count(&[number]);
                                }
                                ValueRef::Error(error) => {
                                    found.error = found.error.or(Some(error));
                                    sum.skip(1);
                                }
                                _ => sum.skip(1),
                            }
                        }
                    }
                }
                done += count;
                room -= count;
                if room == 0 {
                    let sum = std::mem::take(&mut sum).finish();
                    segments.push(Some(Segment { sum, ..std::mem::replace(&mut found, empty) }));
                    room = SEGMENT_ROWS as usize;
                }
            }
            ControlFlow::Continue(())
        });
        if room < SEGMENT_ROWS as usize {
            segments.push(Some(Segment { sum: sum.finish(), ..found }));
        }
        // The column ends before the rows do.
        segments.resize(count, Some(empty));
    }

    fn count(&mut self, numbers: &[f64]) {
        self.numbers += numbers.len() as u32;
        if let Some((smallest, largest)) = &mut self.extremes {
            for number in numbers {
                *smallest = smallest.min(*number);
                *largest = largest.max(*number);
            }
        }
    }
}
