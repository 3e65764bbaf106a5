//! The cells of a source column, and which of them differ from those of the last evaluation.

use std::sync::Arc;

use quadrille_cell::{ColumnIndex, ErrorValue, Value};
use quadrille_workbook::{Block, Sheet, Slice};

/// A cell's value without incrementing the reference count of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    Blank,
    Number(f64),
    Boolean(bool),
    Text(&'a Arc<str>),
    Error(ErrorValue),
}

impl<'a> From<&'a Value> for Cell<'a> {
    fn from(value: &'a Value) -> Cell<'a> {
        match value {
            Value::Blank => Cell::Blank,
            Value::Number(number) => Cell::Number(*number),
            Value::Boolean(boolean) => Cell::Boolean(*boolean),
            Value::Text(text) => Cell::Text(text),
            Value::Error(error) => Cell::Error(*error),
        }
    }
}

/// A snapshot of one column: its blocks, shared with the workbook until they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceColumn {
    /// Blocks with the row of their first value, ascending. The first and the last may contain
    /// rows outside the source.
    blocks: Vec<(u32, Arc<Block>)>,
}

impl SourceColumn {
    /// The cells of the rows `first..=last` of a column.
    pub fn read(sheet: &Sheet, column: u32, first: u32, last: u32) -> SourceColumn {
        let blocks = sheet
            .column(ColumnIndex::clamped(column))
            .into_iter()
            .flat_map(|column| column.blocks(first, last).map(|(row, block)| (row, block.clone())));
        SourceColumn { blocks: blocks.collect() }
    }

    /// The last row of `first..=last` in which there is a block.
    pub fn last_row(&self, last: u32) -> Option<u32> {
        self.blocks.last().map(|(row, block)| (row + block.len() as u32 - 1).min(last))
    }

    /// Calls `found` with the cells of `first..=last` in row order, without those between blocks,
    /// which are blank.
    pub fn for_each(&self, first: u32, last: u32, mut found: impl FnMut(u32, Cell<'_>)) {
        for (row, block) in &self.blocks {
            let from = first.max(*row);
            let to = last.min(row + block.len() as u32 - 1);
            if from > to {
                continue;
            }
            match block.slice((from - row) as usize, (to - row) as usize) {
                Slice::Numbers(numbers) => {
                    for (row, number) in (from..).zip(numbers) {
                        found(row, Cell::Number(*number));
                    }
                }
                Slice::Mixed(mixed) => {
                    for (row, index) in (from..).zip(0..mixed.len()) {
                        match (mixed.number(index), mixed.text(index)) {
                            (Some(number), _) => found(row, Cell::Number(number)),
                            (_, Some(text)) => found(row, Cell::Text(text)),
                            _ => found(row, Cell::from(&mixed.get(index))),
                        }
                    }
                }
            }
        }
    }

    /// The value of a row.
    pub fn get(&self, row: u32) -> Value {
        let after = self.blocks.partition_point(|(first, _)| *first <= row);
        match after.checked_sub(1).map(|index| &self.blocks[index]) {
            Some((first, block)) if row - first < block.len() as u32 => block.get((row - first) as usize),
            _ => Value::Blank,
        }
    }

    /// Adds the rows of `first..=last` whose values differ from those of `before`. Blocks at the
    /// same place that are the same allocation are not read. Returns `false`, with some of the
    /// rows, when there are more than `rows_max`.
    pub fn changed_rows(
        &self,
        before: &SourceColumn,
        (first, last): (u32, u32),
        rows_max: usize,
        changed: &mut Vec<u32>,
    ) -> bool {
        let same = |(row, block): &(u32, Arc<Block>), others: &[(u32, Arc<Block>)]| {
            let index = others.partition_point(|(other, _)| other < row);
            others.get(index).is_some_and(|(other, found)| other == row && Arc::ptr_eq(found, block))
        };
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for (blocks, others) in [(&self.blocks, &before.blocks), (&before.blocks, &self.blocks)] {
            let different = blocks.iter().filter(|block| !same(block, others));
            spans.extend(different.map(|(row, block)| (*row, row + block.len() as u32 - 1)));
        }
        spans.sort_unstable();
        let mut next = first;
        for (from, to) in spans {
            let (from, to) = (from.max(next), to.min(last));
            for row in from..=to.max(from).min(last) {
                if row > to || self.get(row) == before.get(row) {
                    continue;
                }
                if changed.len() == rows_max {
                    return false;
                }
                changed.push(row);
            }
            next = next.max(to.saturating_add(1));
        }
        true
    }
}
