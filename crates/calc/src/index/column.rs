//! The index of one column: rows by value, and where numbers rise.

use std::cell::Cell;
use std::sync::Arc;

use quadrille_functions::{Cancel, ValueRef};
use quadrille_workbook::{Block, Column, Slice};

use super::table::RowsByValue;
use crate::evaluator::mixed_value;

/// What is known of a column, as of when it was last looked at. The blocks it was made from are kept: one that is
/// still the same allocation has not changed, and one that is not is compared with what it was.
#[derive(Debug, Default)]
pub(crate) struct ColumnIndex {
    blocks: Vec<Kept>,
    by_value: Option<RowsByValue>,
    /// For each block the first of those from which numbers rise without a break to its end.
    rising_from: Option<Vec<u32>>,
    /// Block and index at which the last number was found: those that are looked up one after the other mostly rise, too.
    last_found: Cell<(usize, usize)>,
    /// How often somebody would have liked an index by value.
    pub asked: u32,
    /// When it was last used, and last compared with the column: epochs of [`Indexes`](super::Indexes).
    pub used: u64,
    pub checked: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    first: u32,
    block: Arc<Block>,
    /// Whether it holds numbers that do not fall; told when first asked.
    rises: Option<bool>,
}

/// As `partition_point`, quicker when the place is at or shortly behind `near`.
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
    pub fn has_values(&self) -> bool {
        self.by_value.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.by_value.is_none() && self.rising_from.is_none()
    }

    /// Only for an index that has values.
    pub fn values(&self) -> &RowsByValue {
        self.by_value.as_ref().expect("whoever asks has seen that it has values")
    }

    /// The last of the rows `top..=bottom` whose number is not above `number`. `None` when those rows hold anything
    /// but blanks and numbers that do not fall.
    pub fn last_row_up_to(&self, number: f64, top: u32, bottom: u32) -> Option<Option<u32>> {
        let rising_from = self.rising_from.as_ref()?;
        let begin = self.blocks.partition_point(|kept| kept.end() <= top);
        let end = self.blocks.partition_point(|kept| kept.first <= bottom);
        if begin >= end {
            return Some(None);
        }
        if rising_from[end - 1] as usize > begin {
            return None;
        }
        let blocks = &self.blocks[begin..end];
        let (last_block, last_index) = self.last_found.get();
        let begins_below = |kept: &Kept| kept.numbers()[kept.offset(top)] <= number;
        let behind = partition_point_near(blocks, last_block, begins_below);
        let Some(kept) = behind.checked_sub(1).map(|place| &blocks[place]) else { return Some(None) };
        let from = kept.offset(top);
        let to = kept.numbers().len().min((bottom - kept.first) as usize + 1);
        let numbers = &kept.numbers()[from..to];
        let near = if behind == last_block { last_index } else { 0 };
        let count = partition_point_near(numbers, near, |known| *known <= number);
        self.last_found.set((behind, count));
        Some(Some(kept.first + (from + count) as u32 - 1))
    }

    /// Reads the column into an index by value, unless that is to end before all is read.
    pub fn build_by_value(&mut self, column: &Column, cancel: &Cancel) {
        self.keep(column);
        let mut table = RowsByValue::default();
        let mut numbers = 0;
        for kept in &self.blocks {
            if cancel.is_requested_within(kept.block.len() as u64) {
                return;
            }
            kept.each_from(0, |row, value| table.add(row, value));
            if let Block::Numbers(_) = *kept.block {
                numbers += kept.block.len();
            }
            // Growing a table again and again costs as much as filling it. What the first numbers are like tells how
            // many different ones to expect.
            if numbers == kept.block.len() && table.different_numbers() * 2 > numbers {
                let all: usize = self.blocks.iter().map(|kept| kept.block.len()).sum();
                table.reserve_numbers(all);
            }
        }
        self.by_value = Some(table);
    }

    pub fn build_rising(&mut self, column: &Column) {
        if self.rising_from.is_none() {
            self.keep(column);
            self.note_rising();
        }
    }

    fn keep(&mut self, column: &Column) {
        if self.is_empty() {
            let blocks = column.blocks(0, u32::MAX);
            self.blocks = blocks.map(|(first, block)| Kept::new(first, block)).collect();
        }
    }

    fn note_rising(&mut self) {
        let mut rising_from = Vec::with_capacity(self.blocks.len());
        for place in 0..self.blocks.len() {
            let goes_on = place > 0 && self.blocks[place - 1].rises() && {
                let (before, kept) = (&self.blocks[place - 1], &self.blocks[place]);
                matches!(*kept.block, Block::Numbers(_)) && before.numbers().last() <= kept.numbers().first()
            };
            let rises = self.blocks[place].rises();
            // A block that does not rise is no end of anything.
            rising_from.push(match (rises, goes_on) {
                (true, true) => rising_from[place - 1],
                (true, false) => place as u32,
                (false, _) => u32::MAX,
            });
        }
        self.rising_from = Some(rising_from);
    }

    /// Makes the index show the column again. Calls `changed` with the rows that differ, or says `false` when they are
    /// so many that the index was made anew.
    pub fn refresh(
        &mut self,
        column: Option<&Column>,
        cancel: &Cancel,
        mut changed: impl FnMut(u32),
    ) -> bool {
        let blocks = || column.into_iter().flat_map(|column| column.blocks(0, u32::MAX));
        let mut places = self.blocks.iter();
        let same = blocks().all(|(first, block)| {
            places.next().is_some_and(|kept| kept.first == first && Arc::ptr_eq(&kept.block, block))
        });
        if same && places.next().is_none() {
            return true;
        }
        let now: Vec<Kept> = blocks().map(|(first, block)| Kept::new(first, block)).collect();
        let before = std::mem::replace(&mut self.blocks, now);
        let (gone, come) = differing(&before, &mut self.blocks);
        let moved: usize = gone.iter().chain(&come).map(|kept| kept.block.len()).sum();
        let all: usize = self.blocks.iter().map(|kept| kept.block.len()).sum();
        let is_anew = moved > all.max(REBUILT_BELOW_ROWS);
        if is_anew {
            if let (Some(_), Some(column)) = (self.by_value.take(), column) {
                self.build_by_value(column, cancel);
            }
        } else {
            let table = &mut self.by_value;
            each_difference(&gone, &come, |row, old, new| {
                if let Some(table) = table {
                    table.remove(row, old);
                    table.add(row, new);
                }
                changed(row);
            });
        }
        if self.rising_from.is_some() {
            self.note_rising();
        }
        !is_anew
    }

    /// Bytes on the heap, the blocks not counted: they are the column's.
    pub fn bytes(&self) -> usize {
        self.by_value.as_ref().map_or(0, RowsByValue::bytes) + self.blocks.len() * size_of::<Kept>()
    }

    /// What the cell held when the index last looked.
    pub fn with_value<T>(&self, row: u32, read: impl FnOnce(ValueRef<'_>) -> T) -> T {
        let place = self.blocks.partition_point(|kept| kept.end() <= row);
        match self.blocks.get(place).filter(|kept| kept.first <= row) {
            Some(kept) => kept.with((row - kept.first) as usize, read),
            None => read(ValueRef::Blank),
        }
    }
}

/// Columns shorter than this are updated cell by cell whatever changed.
const REBUILT_BELOW_ROWS: usize = 4096;

impl Kept {
    fn new(first: u32, block: &Arc<Block>) -> Kept {
        Kept { first, block: block.clone(), rises: None }
    }

    fn end(&self) -> u32 {
        self.first + self.block.len() as u32
    }

    /// Where the first row from `top` on is in the block.
    fn offset(&self, top: u32) -> usize {
        top.saturating_sub(self.first) as usize
    }

    fn numbers(&self) -> &[f64] {
        match &*self.block {
            Block::Numbers(numbers) => numbers,
            Block::Mixed(_) => &[],
        }
    }

    fn rises(&mut self) -> bool {
        let block = &self.block;
        *self.rises.get_or_insert_with(|| match &**block {
            Block::Numbers(numbers) => numbers.is_sorted(),
            Block::Mixed(_) => false,
        })
    }

    fn with<T>(&self, index: usize, read: impl FnOnce(ValueRef<'_>) -> T) -> T {
        match self.block.slice(index, index) {
            Slice::Numbers(numbers) => read(ValueRef::Number(numbers[0])),
            Slice::Mixed(mixed) => read(mixed_value(&mixed, 0)),
        }
    }

    /// Visits the values from an index on with their rows.
    fn each_from(&self, from: usize, mut visit: impl FnMut(u32, ValueRef<'_>)) {
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
                    visit(first + index as u32, mixed_value(&mixed, index));
                }
            }
        }
    }
}

/// The blocks of either list that are not in the other; both lists are in row order. What is known of blocks that stay
/// is handed on.
fn differing(before: &[Kept], now: &mut [Kept]) -> (Vec<Kept>, Vec<Kept>) {
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let mut old = before.iter().peekable();
    for kept in now {
        while let Some(passed) = old.next_if(|old| old.first < kept.first) {
            gone.push(passed.clone());
        }
        match old.next_if(|old| old.first == kept.first) {
            Some(old) if Arc::ptr_eq(&old.block, &kept.block) => kept.rises = old.rises,
            Some(old) => {
                gone.push(old.clone());
                come.push(kept.clone());
            }
            None => come.push(kept.clone()),
        }
    }
    gone.extend(old.cloned());
    (gone, come)
}

/// Calls `visit` with the rows in which two lists of blocks differ, and what each holds there. What is gone comes before
/// what has come in other blocks, since a row may be in both.
fn each_difference(old: &[Kept], new: &[Kept], mut visit: impl FnMut(u32, ValueRef<'_>, ValueRef<'_>)) {
    let mut blocks = new.iter().peekable();
    // New values that had no old one beside them: blocks, and from which index on.
    let mut come: Vec<(&Kept, usize)> = Vec::new();
    for before in old {
        while let Some(kept) = blocks.next_if(|kept| kept.first < before.first) {
            come.push((kept, 0));
        }
        // An edited block begins where it began, as a rule.
        let after = blocks.next_if(|kept| kept.first == before.first);
        let beside = after.map_or(0, |after| before.block.len().min(after.block.len()));
        if let Some(after) = after {
            compare(before, after, &mut visit);
            come.push((after, beside));
        }
        before.each_from(beside, |row, value| visit(row, value, ValueRef::Blank));
    }
    come.extend(blocks.map(|kept| (kept, 0)));
    for (kept, from) in come {
        kept.each_from(from, |row, value| visit(row, ValueRef::Blank, value));
    }
}

/// Compares two blocks that begin in the same row, as far as both go.
fn compare(old: &Kept, new: &Kept, visit: &mut impl FnMut(u32, ValueRef<'_>, ValueRef<'_>)) {
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
