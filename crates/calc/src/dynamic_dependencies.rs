//! Dynamic dependencies: ranges that only evaluation finds, through INDIRECT, OFFSET or a range
//! operator between computed references.
//!
//! Such references have no pattern. The ranges that a cell read when it was last evaluated are
//! recorded beside its node and entered into the same index as the patterns. Until one of those
//! cells changes, another evaluation would read the same ranges and give the same result (rule G3
//! in docs/engine.md).

use quadrille_cell::{Range, SheetId};

use crate::row_set::RowSet;

/// Reads are recorded for cells that read at most this many ranges; other cells are evaluated after
/// every change.
pub(crate) const READS_MAX: usize = 64;

/// A range that the formula in one row has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DynamicRead {
    pub row: u32,
    pub sheet: SheetId,
    pub range: Range,
}

/// The recorded reads of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicDependencies {
    /// A read's position is its number in the index.
    reads: Vec<Option<DynamicRead>>,
    /// Unused positions.
    free: Vec<u32>,
    /// Rows with the numbers of their reads, sorted by row.
    by_row: Vec<(u32, u32)>,
    /// Rows whose reads are recorded.
    recorded_rows: RowSet,
}

/// Reads recorded per node; rows beyond that are evaluated after every change.
const READS_OF_NODE_MAX: usize = 65_536;

impl DynamicDependencies {
    /// The read with a number.
    pub fn read(&self, number: u32) -> Option<DynamicRead> {
        self.reads.get(number as usize).copied().flatten()
    }

    /// All reads with their numbers.
    pub fn reads(&self) -> impl Iterator<Item = (u32, DynamicRead)> {
        self.by_row.iter().filter_map(|(_, number)| Some((*number, self.read(*number)?)))
    }

    /// The ranges that the formula in a row has read.
    pub fn reads_of(&self, row: u32) -> impl Iterator<Item = (SheetId, Range)> {
        let numbers = self.by_row[self.positions(row)].iter();
        numbers.filter_map(|(_, number)| self.read(*number)).map(|read| (read.sheet, read.range))
    }

    /// Whether the reads of all these rows are recorded.
    pub fn has_reads_of(&self, first: u32, last: u32) -> bool {
        self.recorded_rows.iter().any(|(known_first, known_last)| known_first <= first && last <= known_last)
    }

    /// Whether exactly these reads are recorded for a row.
    pub fn matches(&self, row: u32, reads: &[(SheetId, Range)]) -> bool {
        self.has_reads_of(row, row) && self.reads_of(row).eq(reads.iter().copied())
    }

    fn positions(&self, row: u32) -> std::ops::Range<usize> {
        let start = self.by_row.partition_point(|(other, _)| *other < row);
        start..start + self.by_row[start..].partition_point(|(other, _)| *other == row)
    }

    /// Removes and returns the reads of a row.
    pub fn remove(&mut self, row: u32) -> Vec<(u32, DynamicRead)> {
        self.recorded_rows.remove(row, row);
        let positions = self.positions(row);
        let mut removed = Vec::new();
        for (_, number) in self.by_row.drain(positions) {
            removed.extend(self.reads[number as usize].take().map(|read| (number, read)));
            self.free.push(number);
        }
        removed
    }

    /// Records the reads of a row that has none. Returns them with their numbers.
    pub fn record(&mut self, row: u32, reads: &[(SheetId, Range)]) -> Vec<(u32, DynamicRead)> {
        if self.by_row.len() + reads.len() > READS_OF_NODE_MAX {
            return Vec::new();
        }
        self.recorded_rows.add(row, row, |_, _| {});
        let mut recorded = Vec::with_capacity(reads.len());
        for (sheet, range) in reads {
            let read = DynamicRead { row, sheet: *sheet, range: *range };
            let number = self.free.pop().unwrap_or_else(|| {
                self.reads.push(None);
                self.reads.len() as u32 - 1
            });
            self.reads[number as usize] = Some(read);
            let end = self.positions(row).end;
            self.by_row.insert(end, (row, number));
            recorded.push((number, read));
        }
        recorded
    }
}
