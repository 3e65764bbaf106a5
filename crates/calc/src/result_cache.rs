//! Results shared by the formulas of one pass: a thousand formulas that sum the same column read it
//! once, and a running total reads each row once.
//!
//! A cache lives for one pass over a schedule. Every cell that a scheduled formula reads has its
//! final value, so entries stay valid until the pass ends. On-demand components do not use the
//! cache.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_functions::{Chunk, Function, Implementation, Lifts, RangeView, SegmentSum, ValueRef};

/// Smaller ranges are read faster than looked up.
const CELLS_MIN: u64 = 64;

/// A function's name and the range of its only argument.
type CacheKey = (&'static str, SheetId, Range);
/// The value and the steps that its calculation took.
type Result = (Value, u64);

#[derive(Default)]
pub(crate) struct ResultCache {
    results: RefCell<BTreeMap<CacheKey, Result>>,
    /// Running sums by their first cell.
    sums: RefCell<BTreeMap<(SheetId, CellAddress), RunningSum>>,
}

impl ResultCache {
    /// Whether calls of this function over this range can share a result, because the value depends
    /// on the range alone.
    pub fn can_share(function: &Function, range: Range) -> bool {
        range.cell_count() >= CELLS_MIN
            && !function.volatile
            && function.lifts == Lifts::Nothing
            && matches!(function.implementation, Implementation::Whole(_))
    }

    /// Returns the value and the steps that its calculation took.
    pub fn get(&self, function: &Function, sheet: SheetId, range: Range) -> Option<(Value, u64)> {
        self.results.borrow().get(&(function.name, sheet, range)).cloned()
    }

    /// Stores a result.
    pub fn put(&self, function: &Function, sheet: SheetId, range: Range, value: Value, steps: u64) {
        self.results.borrow_mut().insert((function.name, sheet, range), (value, steps));
    }

    /// Whether a running sum starts in the range's first cell that the range continues.
    pub fn has_running_sum(&self, sheet: SheetId, range: Range) -> bool {
        let sums = self.sums.borrow();
        sums.get(&(sheet, range.first())).is_some_and(|sum| sum.next_row <= range.last().row.get() + 1)
    }

    /// Passes the running sum from a cell to `advance`. Starts a new sum when there is none or when
    /// it extends beyond `bottom`.
    pub fn resume<T>(
        &self,
        sheet: SheetId,
        from: CellAddress,
        bottom: u32,
        advance: impl FnOnce(&mut RunningSum) -> T,
    ) -> T {
        let mut sums = self.sums.borrow_mut();
        let begin = || RunningSum::starting_at(from.row.get());
        let sum = sums.entry((sheet, from)).or_insert_with(begin);
        if sum.next_row > bottom {
            *sum = begin();
        }
        advance(sum)
    }

    /// SUM or AVERAGE over one column, continued from the running sum that starts in the same cell.
    /// `None` for other functions and ranges, and when that sum extends further. `open` returns the
    /// view of a range.
    pub fn running_aggregate<V: RangeView>(
        &self,
        function: &Function,
        sheet: SheetId,
        range: Range,
        open: impl FnOnce(Range) -> V,
    ) -> Option<Value> {
        if range.column_count() > 1 || !matches!(function.name, "SUM" | "AVERAGE") {
            return None;
        }
        let (first, last) = (range.first(), range.last());
        let mut sums = self.sums.borrow_mut();
        let sum = sums.entry((sheet, first)).or_insert_with(|| RunningSum::starting_at(first.row.get()));
        if sum.next_row > last.row.get() + 1 {
            return None;
        }
        if sum.next_row <= last.row.get() {
            let rest = CellAddress::clamped(sum.next_row, first.column.get());
            sum.read(&open(Range::new(rest, last)));
        }
        Some(sum.result(function.name == "AVERAGE"))
    }
}

/// A sum of a column's numbers that can be continued with the next rows.
pub(crate) struct RunningSum {
    sum: SegmentSum,
    count: u64,
    /// The first error; the sum is not maintained after it.
    error: Option<ErrorValue>,
    pub next_row: u32,
}

impl RunningSum {
    fn starting_at(row: u32) -> RunningSum {
        RunningSum { sum: SegmentSum::new(), count: 0, error: None, next_row: row }
    }

    /// The sum so far, or the mean.
    pub fn result(&self, is_mean: bool) -> Value {
        match self.error {
            Some(error) => Value::Error(error),
            None if is_mean && self.count == 0 => Value::Error(ErrorValue::DivideByZero),
            None if is_mean => Value::number(self.sum.clone().finish() / self.count as f64),
            None => Value::number(self.sum.clone().finish()),
        }
    }

    /// Adds the value of the next row.
    pub fn push(&mut self, value: ValueRef<'_>) {
        self.next_row += 1;
        match value {
            _ if self.error.is_some() => {}
            ValueRef::Number(number) => {
                self.sum.push(number);
                self.count += 1;
            }
            ValueRef::Error(error) => self.error = Some(error),
            _ => self.sum.skip(1),
        }
    }

    /// Adds the values of a view that begins at the next row.
    pub fn read(&mut self, view: &dyn RangeView) {
        self.next_row += view.rows();
        if self.error.is_some() {
            return;
        }
        let mut rows_left = view.rows();
        view.for_each_chunk(0, &mut |chunk| {
            rows_left -= chunk.len();
            match chunk {
                Chunk::Blank(rows) => self.sum.skip(rows),
                Chunk::Numbers(numbers) => {
                    self.sum.extend(numbers);
                    self.count += numbers.len() as u64;
                }
                Chunk::Mixed(lane) => {
                    for index in 0..lane.len() {
                        match lane.get(index) {
                            ValueRef::Number(number) => {
                                self.sum.push(number);
                                self.count += 1;
                            }
                            ValueRef::Error(error) => {
                                self.error = Some(error);
                                return ControlFlow::Break(());
                            }
                            _ => self.sum.skip(1),
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        });
        self.sum.skip(rows_left);
    }
}
