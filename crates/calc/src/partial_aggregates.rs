//! Sums, counts and extremes of long columns by segment, kept across edits.
//!
//! ```text
//!  SUM(A:A)  =  s0 + s1 + s2 + … + s976        each of 1,024 rows, in this order
//!                     ▲
//!            A1500 edited: only s1 is read again
//! ```
//! The sum of a column is defined as the sum of its segments' sums (`functions/src/sum.rs`), so what is put together from
//! kept ones has the same bits as what is read anew. Segments count from the range's first row: what is kept of one range
//! serves all that begin in the same cell.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_functions::{Chunk, Function, RangeView, SEGMENT_ROWS, SegmentSum, ValueRef};
use quadrille_workbook::Sheet;

use crate::evaluator::SheetView;

/// Shorter columns are read faster than looked up.
const ROWS_MIN: u32 = 4 * SEGMENT_ROWS;
/// Wider ranges are read: what is kept of many columns would drive out what is asked for more often.
const COLUMNS_MAX: u32 = 16;
/// Columns kept, by first row; 40 KB each at most. Beyond it the one goes that was not asked for longest.
const CACHED_MAX: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct PartialAggregates {
    /// By sheet, column and first row.
    kept: RefCell<BTreeMap<(SheetId, u32, u32), ColumnSegments>>,
    probes: Cell<u64>,
}

/// The segments of a column from one row on.
#[derive(Debug, Default)]
struct ColumnSegments {
    /// `None` for those to be read (again).
    segments: Vec<Option<Segment>>,
    /// The number of the last question about it.
    asked: u64,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    sum: f64,
    numbers: u32,
    error: Option<ErrorValue>,
    /// Smallest and largest number, if they were asked for: adding alone goes at the speed of memory.
    extremes: Option<(f64, f64)>,
}

/// What is asked of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aggregate {
    Sum,
    Average,
    Count,
    Smallest,
    Largest,
}

impl Aggregate {
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
    /// The aggregate of a range, and how many cells were read for it; `None` when the range is short or wide.
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
        let mut kept = self.kept.borrow_mut();
        let key = (sheet.id(), column, top);
        if kept.len() >= CACHED_MAX && !kept.contains_key(&key) {
            let unused = kept.iter().min_by_key(|(_, kept)| kept.asked).map(|(key, _)| *key);
            unused.and_then(|key| kept.remove(&key));
        }
        self.probes.set(self.probes.get() + 1);
        let known = kept.entry(key).or_default();
        known.asked = self.probes.get();
        let mut total = Segment::EMPTY;
        let mut row = top;
        for place in 0.. {
            if row > bottom {
                break;
            }
            let end = row + (SEGMENT_ROWS - 1);
            // One that the range ends in is not kept: another range may go on.
            let segment = if end > bottom {
                *read += u64::from(bottom - row + 1);
                Segment::read(sheet, column, (row, bottom), with_extremes)
            } else {
                if known.segments.len() <= place {
                    // All that follow have to be read, in one go.
                    let count = ((bottom - row + 1) / SEGMENT_ROWS) as usize;
                    let rows = (row, row + count as u32 * SEGMENT_ROWS - 1);
                    *read += u64::from(rows.1 - rows.0 + 1);
                    Segment::read_all(sheet, column, rows, with_extremes, &mut known.segments);
                }
                let is_enough = |segment: &Segment| segment.extremes.is_some() || !with_extremes;
                known.segments[place].filter(is_enough).unwrap_or_else(|| {
                    *read += u64::from(SEGMENT_ROWS);
                    *known.segments[place].insert(Segment::read(sheet, column, (row, end), with_extremes))
                })
            };
            total = total.with(segment);
            row = end + 1;
        }
        total
    }

    /// Cells may have changed.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let kept = self.kept.get_mut();
        if kept.is_empty() {
            return;
        }
        let (first, last) = (range.first(), range.last());
        let columns = (sheet, first.column.get(), 0)..=(sheet, last.column.get(), u32::MAX);
        for ((_, _, top), kept) in kept.range_mut(columns) {
            if last.row.get() < *top {
                continue;
            }
            let from = (first.row.get().saturating_sub(*top) / SEGMENT_ROWS) as usize;
            let to = ((last.row.get() - *top) / SEGMENT_ROWS) as usize;
            let to = kept.segments.len().min(to + 1);
            if let Some(segments) = kept.segments.get_mut(from..to) {
                segments.fill(None);
            }
        }
    }

    pub fn clear(&mut self) {
        self.kept.get_mut().clear();
    }
}

impl Segment {
    const EMPTY: Segment =
        Segment { sum: 0.0, numbers: 0, error: None, extremes: Some((f64::INFINITY, f64::NEG_INFINITY)) };

    /// This one and the one that follows it; the first error counts.
    fn with(self, next: Segment) -> Segment {
        let extremes = self.extremes.zip(next.extremes);
        Segment {
            sum: self.sum + next.sum,
            numbers: self.numbers + next.numbers,
            error: self.error.or(next.error),
            extremes: extremes.map(|(ours, theirs)| (ours.0.min(theirs.0), ours.1.max(theirs.1))),
        }
    }

    /// Reads at most a segment's rows.
    fn read(sheet: &Sheet, column: u32, rows: (u32, u32), with_extremes: bool) -> Segment {
        let mut segments = Vec::with_capacity(1);
        Segment::read_all(sheet, column, rows, with_extremes, &mut segments);
        segments.pop().flatten().unwrap_or(Segment::EMPTY)
    }

    /// Appends the segments of the rows `first..=last`, the last of which may be shorter.
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
        // Rows that the segment still wants.
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
