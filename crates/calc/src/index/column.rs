//! The index of one column: rows by value, and where numbers ascend.

use std::cell::Cell;
use std::sync::Arc;

use quadrille_functions::{Cancel, ValueRef};
use quadrille_workbook::{Block, Column, Slice};

use super::table::RowsByValue;
use crate::value_access::borrowed_value;

/// Index of a column as of its last refresh. It holds the blocks it was built from: a block that is
/// still the same allocation has not changed; others are compared with their old contents (rule L2
/// in docs/engine.md).
#[derive(Debug, Default)]
pub(crate) struct ColumnIndex {
    blocks: Vec<IndexedBlock>,
    by_value: Option<RowsByValue>,
    /// For each block, the first block from which numbers ascend without a break to the end of this
    /// one.
    ascending_from: Option<Vec<u32>>,
    /// Block and index of the last match. Successive lookup values mostly ascend.
    last_hit: Cell<(usize, usize)>,
    /// Number of requests for an index by value.
    pub request_count: u32,
    /// Epochs of [`Indexes`](super::Indexes) at the last use and at the last comparison with the
    /// column.
    pub used_epoch: u64,
    pub checked_epoch: u64,
}

#[derive(Clone, Debug)]
struct IndexedBlock {
    first: u32,
    block: Arc<Block>,
    /// Whether the block holds ascending numbers; computed on first use.
    is_ascending: Option<bool>,
}

/// As `partition_point`, faster when the result is at or shortly after `near`.
fn partition_point_near<T>(items: &[T], near: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let mut from = near.min(items.len());
    if from > 0 && !is_before(&items[from - 1]) {
        return items[..from - 1].partition_point(is_before);
    }
    let mut step = 1;
    while from + step <= items.len() && is_before(&items[from + step - 1]) {
        from += step;
        step *= 2;
    }
    let to = (from + step - 1).min(items.len());
    from + items[from..to].partition_point(is_before)
}

impl ColumnIndex {
    /// Whether rows are indexed by value.
    pub fn has_values(&self) -> bool {
        self.by_value.is_some()
    }

    /// Whether nothing is indexed.
    pub fn is_empty(&self) -> bool {
        self.by_value.is_none() && self.ascending_from.is_none()
    }

    /// The rows by value. Panics when rows are not indexed by value.
    pub fn values(&self) -> &RowsByValue {
        self.by_value.as_ref().expect("whoever asks has seen that it has values")
    }

    /// The last of the rows `top..=bottom` whose number is at most `number`. `None` when those rows
    /// hold anything but blanks and ascending numbers.
    pub fn last_row_up_to(&self, number: f64, top: u32, bottom: u32) -> Option<Option<u32>> {
        let ascending_from = self.ascending_from.as_ref()?;
        let begin = self.blocks.partition_point(|indexed| indexed.end() <= top);
        let end = self.blocks.partition_point(|indexed| indexed.first <= bottom);
        if begin >= end {
            return Some(None);
        }
        if ascending_from[end - 1] as usize > begin {
            return None;
        }
        let blocks = &self.blocks[begin..end];
        let (last_block, last_index) = self.last_hit.get();
        let begins_below = |indexed: &IndexedBlock| indexed.numbers()[indexed.offset(top)] <= number;
        let behind = partition_point_near(blocks, last_block, begins_below);
        let Some(indexed) = behind.checked_sub(1).map(|index| &blocks[index]) else { return Some(None) };
        let from = indexed.offset(top);
        let to = indexed.numbers().len().min((bottom - indexed.first) as usize + 1);
        let numbers = &indexed.numbers()[from..to];
        let near = if behind == last_block { last_index } else { 0 };
        let count = partition_point_near(numbers, near, |candidate| *candidate <= number);
        self.last_hit.set((behind, count));
        Some(Some(indexed.first + (from + count) as u32 - 1))
    }

    /// Indexes the column by value. Leaves the index unchanged when cancelled.
    pub fn build_by_value(&mut self, column: &Column, cancel: &Cancel) {
        self.keep(column);
        let mut table = RowsByValue::default();
        let mut numbers = 0;
        for indexed in &self.blocks {
            if cancel.is_requested_within(indexed.block.len() as u64) {
                return;
            }
            indexed.for_each_from(0, |row, value| table.add(row, value));
            if let Block::Numbers(_) = *indexed.block {
                numbers += indexed.block.len();
            }
            // Growing a table repeatedly costs as much as filling it. The first block of numbers
            // predicts how many distinct numbers there are.
            if numbers == indexed.block.len() && table.different_numbers() * 2 > numbers {
                let all: usize = self.blocks.iter().map(|indexed| indexed.block.len()).sum();
                table.reserve_numbers(all);
            }
        }
        self.by_value = Some(table);
    }

    /// Finds where the numbers of the column ascend.
    pub fn build_ascending(&mut self, column: &Column) {
        if self.ascending_from.is_none() {
            self.keep(column);
            self.find_ascending();
        }
    }

    fn keep(&mut self, column: &Column) {
        if self.is_empty() {
            let blocks = column.blocks(0, u32::MAX);
            self.blocks = blocks.map(|(first, block)| IndexedBlock::new(first, block)).collect();
        }
    }

    fn find_ascending(&mut self) {
        let mut ascending_from = Vec::with_capacity(self.blocks.len());
        for index in 0..self.blocks.len() {
            let continues_previous = index > 0 && self.blocks[index - 1].is_ascending() && {
                let (before, indexed) = (&self.blocks[index - 1], &self.blocks[index]);
                matches!(*indexed.block, Block::Numbers(_))
                    && before.numbers().last() <= indexed.numbers().first()
            };
            let is_ascending = self.blocks[index].is_ascending();
            // A block that does not ascend ends every ascending sequence.
            ascending_from.push(match (is_ascending, continues_previous) {
                (true, true) => ascending_from[index - 1],
                (true, false) => index as u32,
                (false, _) => u32::MAX,
            });
        }
        self.ascending_from = Some(ascending_from);
    }

    /// Refreshes the index. Calls `changed` with each row that differs; returns `false` when so
    /// many differ that the index was rebuilt.
    pub fn refresh(
        &mut self,
        column: Option<&Column>,
        cancel: &Cancel,
        mut changed: impl FnMut(u32),
    ) -> bool {
        let blocks = || column.into_iter().flat_map(|column| column.blocks(0, u32::MAX));
        let mut cached_blocks = self.blocks.iter();
        let same = blocks().all(|(first, block)| {
            cached_blocks
                .next()
                .is_some_and(|indexed| indexed.first == first && Arc::ptr_eq(&indexed.block, block))
        });
        if same && cached_blocks.next().is_none() {
            return true;
        }
        let now: Vec<IndexedBlock> = blocks().map(|(first, block)| IndexedBlock::new(first, block)).collect();
        let before = std::mem::replace(&mut self.blocks, now);
        let (removed, added) = differing(&before, &mut self.blocks);
        let moved: usize = removed.iter().chain(&added).map(|indexed| indexed.block.len()).sum();
        let all: usize = self.blocks.iter().map(|indexed| indexed.block.len()).sum();
        let is_anew = moved > all.max(REBUILT_BELOW_ROWS);
        if is_anew {
            if let (Some(_), Some(column)) = (self.by_value.take(), column) {
                self.build_by_value(column, cancel);
            }
        } else {
            let table = &mut self.by_value;
            for_each_difference(&removed, &added, |row, old, new| {
                if let Some(table) = table {
                    table.remove(row, old);
                    table.add(row, new);
                }
                changed(row);
            });
        }
        if self.ascending_from.is_some() {
            self.find_ascending();
        }
        !is_anew
    }

    /// Bytes on the heap, without the blocks, which belong to the column.
    pub fn bytes(&self) -> usize {
        self.by_value.as_ref().map_or(0, RowsByValue::bytes) + self.blocks.len() * size_of::<IndexedBlock>()
    }

    /// Reads the value that a cell had at the last refresh.
    pub fn with_value<T>(&self, row: u32, read: impl FnOnce(ValueRef<'_>) -> T) -> T {
        let index = self.blocks.partition_point(|indexed| indexed.end() <= row);
        match self.blocks.get(index).filter(|indexed| indexed.first <= row) {
            Some(indexed) => indexed.with((row - indexed.first) as usize, read),
            None => read(ValueRef::Blank),
        }
    }
}

/// Shorter columns are always updated cell by cell.
const REBUILT_BELOW_ROWS: usize = 4096;

impl IndexedBlock {
    fn new(first: u32, block: &Arc<Block>) -> IndexedBlock {
        IndexedBlock { first, block: block.clone(), is_ascending: None }
    }

    fn end(&self) -> u32 {
        self.first + self.block.len() as u32
    }

    /// Index in the block of the first row from `top` on.
    fn offset(&self, top: u32) -> usize {
        top.saturating_sub(self.first) as usize
    }

    fn numbers(&self) -> &[f64] {
        match &*self.block {
            Block::Numbers(numbers) => numbers,
            Block::Mixed(_) => &[],
        }
    }

    fn is_ascending(&mut self) -> bool {
        let block = &self.block;
        *self.is_ascending.get_or_insert_with(|| match &**block {
            Block::Numbers(numbers) => numbers.is_sorted(),
            Block::Mixed(_) => false,
        })
    }

    fn with<T>(&self, index: usize, read: impl FnOnce(ValueRef<'_>) -> T) -> T {
        match self.block.slice(index, index) {
            Slice::Numbers(numbers) => read(ValueRef::Number(numbers[0])),
            Slice::Mixed(mixed) => read(borrowed_value(&mixed, 0)),
        }
    }

    /// Visits the values from an index on, with their rows.
    fn for_each_from(&self, from: usize, mut visit: impl FnMut(u32, ValueRef<'_>)) {
        if from >= self.block.len() {
            return;
        }
        let first = self.first + from as u32;
        match self.block.slice(from, self.block.len() - 1) {
            Slice::Numbers(numbers) => {
                for (row, number) in (first..).zip(numbers) {
                    visit(row, ValueRef::Number(*number));
                }
            }
            Slice::Mixed(mixed) => {
                for index in 0..mixed.len() {
                    visit(first + index as u32, borrowed_value(&mixed, index));
                }
            }
        }
    }
}

/// Blocks that are in one of the lists only; both lists are in row order. Cached facts about
/// unchanged blocks are carried over.
fn differing(before: &[IndexedBlock], now: &mut [IndexedBlock]) -> (Vec<IndexedBlock>, Vec<IndexedBlock>) {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut old = before.iter().peekable();
    for indexed in now {
        while let Some(passed) = old.next_if(|old| old.first < indexed.first) {
            removed.push(passed.clone());
        }
        match old.next_if(|old| old.first == indexed.first) {
            Some(old) if Arc::ptr_eq(&old.block, &indexed.block) => indexed.is_ascending = old.is_ascending,
            Some(old) => {
                removed.push(old.clone());
                added.push(indexed.clone());
            }
            None => added.push(indexed.clone()),
        }
    }
    removed.extend(old.cloned());
    (removed, added)
}

/// Calls `visit` with each row in which two lists of blocks differ, with the old and the new value.
/// Removals precede additions from other blocks, since a row may be in both.
fn for_each_difference(
    old: &[IndexedBlock],
    new: &[IndexedBlock],
    mut visit: impl FnMut(u32, ValueRef<'_>, ValueRef<'_>),
) {
    let mut blocks = new.iter().peekable();
    // New values without an old block beside them: blocks, with the first index.
    let mut added: Vec<(&IndexedBlock, usize)> = Vec::new();
    for before in old {
        while let Some(indexed) = blocks.next_if(|indexed| indexed.first < before.first) {
            added.push((indexed, 0));
        }
        // An edited block usually begins in the same row.
        let after = blocks.next_if(|indexed| indexed.first == before.first);
        let beside = after.map_or(0, |after| before.block.len().min(after.block.len()));
        if let Some(after) = after {
            compare(before, after, &mut visit);
            added.push((after, beside));
        }
        before.for_each_from(beside, |row, value| visit(row, value, ValueRef::Blank));
    }
    added.extend(blocks.map(|indexed| (indexed, 0)));
    for (indexed, from) in added {
        indexed.for_each_from(from, |row, value| visit(row, ValueRef::Blank, value));
    }
}

/// Compares two blocks that begin in the same row, up to the end of the shorter one.
fn compare(old: &IndexedBlock, new: &IndexedBlock, visit: &mut impl FnMut(u32, ValueRef<'_>, ValueRef<'_>)) {
    if let (Block::Numbers(before), Block::Numbers(after)) = (&*old.block, &*new.block) {
        for (row, (a, b)) in (old.first..).zip(before.iter().zip(after)) {
            if a.to_bits() != b.to_bits() {
                visit(row, ValueRef::Number(*a), ValueRef::Number(*b));
            }
        }
        return;
    }
    for index in 0..old.block.len().min(new.block.len()) {
        old.with(index, |a| {
            new.with(index, |b| {
                if !is_same(a, b) {
                    visit(old.first + index as u32, a, b);
                }
            });
        });
    }
}

fn is_same(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match (a, b) {
        (ValueRef::Blank, ValueRef::Blank) => true,
        (ValueRef::Number(a), ValueRef::Number(b)) => a.to_bits() == b.to_bits(),
        (ValueRef::Boolean(a), ValueRef::Boolean(b)) => a == b,
        (ValueRef::Text(a), ValueRef::Text(b)) => a == b,
        (ValueRef::Error(a), ValueRef::Error(b)) => a == b,
        _ => false,
    }
}
