//! What formulas read that only their evaluation finds: INDIRECT, OFFSET, `a:b` between computed references.
//!
//! Such a reference is no pattern of the plan. What a cell has read when it was last evaluated is kept beside its node, and entered into the same
//! index as the patterns; until one of those cells changes it would read the same and yield the same.

use quadrille_cell::{Range, SheetId};

use crate::row_set::RowSet;

/// A cell that reads more ranges is evaluated whenever anything changes.
pub(crate) const READS_MAX: usize = 64;

/// One range that the formula in one row has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DynamicRead {
    pub row: u32,
    pub sheet: SheetId,
    pub range: Range,
}

/// Of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicDependencies {
    /// Their places are their numbers in the index.
    reads: Vec<Option<DynamicRead>>,
    /// Places that are free again.
    free: Vec<u32>,
    /// Rows with the numbers of their reads, in order.
    by_row: Vec<(u32, u32)>,
    /// Rows of which it is known what they read.
    known: RowSet,
}

/// Together; what is beyond is not kept, and evaluated whenever anything changes.
const READS_OF_NODE_MAX: usize = 65_536;

impl DynamicDependencies {
    pub fn read(&self, number: u32) -> Option<DynamicRead> {
        self.reads.get(number as usize).copied().flatten()
    }

    pub fn reads(&self) -> impl Iterator<Item = (u32, DynamicRead)> {
        self.by_row.iter().filter_map(|(_, number)| Some((*number, self.read(*number)?)))
    }

    /// Whether it is known of all these rows what they read.
    pub fn knows(&self, first: u32, last: u32) -> bool {
        self.known.iter().any(|(known_first, known_last)| known_first <= first && last <= known_last)
    }

    /// Whether a row is known to read just that.
    pub fn is_known(&self, row: u32, reads: &[(SheetId, Range)]) -> bool {
        let known = self.by_row[self.places(row)].iter().filter_map(|(_, number)| self.read(*number));
        self.knows(row, row) && known.map(|read| (read.sheet, read.range)).eq(reads.iter().copied())
    }

    fn places(&self, row: u32) -> std::ops::Range<usize> {
        let start = self.by_row.partition_point(|(other, _)| *other < row);
        start..start + self.by_row[start..].partition_point(|(other, _)| *other == row)
    }

    /// Takes out what a row has read.
    pub fn forget(&mut self, row: u32) -> Vec<(u32, DynamicRead)> {
        self.known.remove(row, row);
        let places = self.places(row);
        let mut gone = Vec::new();
        for (_, number) in self.by_row.drain(places) {
            gone.extend(self.reads[number as usize].take().map(|read| (number, read)));
            self.free.push(number);
        }
        gone
    }

    /// A row, of which nothing is known, has read this; with the numbers of the reads.
    pub fn note(&mut self, row: u32, reads: &[(SheetId, Range)]) -> Vec<(u32, DynamicRead)> {
        if self.by_row.len() + reads.len() > READS_OF_NODE_MAX {
            return Vec::new();
        }
        self.known.add(row, row, |_, _| {});
        let mut noted = Vec::with_capacity(reads.len());
        for (sheet, range) in reads {
            let read = DynamicRead { row, sheet: *sheet, range: *range };
            let number = self.free.pop().unwrap_or_else(|| {
                self.reads.push(None);
                self.reads.len() as u32 - 1
            });
            self.reads[number as usize] = Some(read);
            let end = self.places(row).end;
            self.by_row.insert(end, (row, number));
            noted.push((number, read));
        }
        noted
    }
}
