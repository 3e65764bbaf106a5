//! The values of one column: a sparse sequence of blocks.

use std::sync::Arc;

use quadrille_cell::{ROWS_MAX, Value};

use crate::block::{BLOCK_ROWS, Block, Slice};

/// A gap of at most this many rows is filled with blanks instead of starting another block.
const GAP_ROWS_MAX: usize = 16;
/// Two adjacent blocks are joined after a change if they have at most this many rows together.
const JOINED_ROWS_MAX: usize = BLOCK_ROWS / 2;

/// A sparse sequence of values by row. Blocks are in ascending order, do not overlap, neither begin
/// nor end with a blank, and are shared with snapshots until they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    blocks: Vec<PositionedBlock>,
}

/// A block and the row of its first value.
#[derive(Clone, Debug)]
struct PositionedBlock {
    first: u32,
    block: Arc<Block>,
}

impl PositionedBlock {
    /// Row after the last one.
    fn end(&self) -> u32 {
        self.first + self.block.len() as u32
    }
}

/// Values of consecutive rows that are already in blocks, so that inserting them into a column is
/// cheap.
#[derive(Debug)]
pub struct PreparedBlocks {
    first: u32,
    count: u32,
    blocks: Vec<PositionedBlock>,
}

impl PreparedBlocks {
    /// Packs the values of the rows from `first` on into blocks.
    pub fn new(first: u32, values: &[Value]) -> PreparedBlocks {
        let mut blocks = Vec::with_capacity(values.len() / BLOCK_ROWS + 1);
        let mut row = first;
        for values in values.chunks(BLOCK_ROWS) {
            blocks.extend(block_without_blank_ends(row, values));
            row += values.len() as u32;
        }
        PreparedBlocks { first, count: row - first, blocks }
    }

    /// The rows of the values.
    pub fn rows(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

impl Values {
    /// Whether every row is blank.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// First and last row that is not blank.
    pub fn extent(&self) -> Option<(u32, u32)> {
        Some((self.blocks.first()?.first, self.blocks.last()?.end() - 1))
    }

    /// Position of the first block that ends after `row`.
    fn position(&self, row: u32) -> usize {
        if self.blocks.last().is_none_or(|placed| placed.end() <= row) {
            return self.blocks.len();
        }
        // Blocks of a column without gaps are full, so the position follows from the row.
        let likely = row.saturating_sub(self.blocks[0].first) as usize / BLOCK_ROWS;
        if self.blocks.get(likely).is_some_and(|placed| placed.first <= row && row < placed.end()) {
            return likely;
        }
        self.blocks.partition_point(|placed| placed.end() <= row)
    }

    /// The value of a row.
    pub fn get(&self, row: u32) -> Value {
        match self.blocks.get(self.position(row)) {
            Some(placed) if placed.first <= row => placed.block.get((row - placed.first) as usize),
            _ => Value::Blank,
        }
    }

    /// Slices of values within `first..=last`, each with the row of its first value.
    pub fn slices(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, Slice<'_>)> {
        self.blocks[self.position(first)..].iter().take_while(move |placed| placed.first <= last).map(
            move |placed| {
                let from = placed.first.max(first);
                let to = (placed.end() - 1).min(last);
                (from, placed.block.slice((from - placed.first) as usize, (to - placed.first) as usize))
            },
        )
    }

    /// The whole blocks that intersect the rows; callers compare them by address.
    pub fn blocks(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, &Arc<Block>)> {
        self.blocks[self.position(first)..]
            .iter()
            .take_while(move |placed| placed.first <= last)
            .map(|placed| (placed.first, &placed.block))
    }

    /// Sets the value of a row.
    pub fn set(&mut self, row: u32, value: &Value) {
        let index = self.position(row);
        if let Some(placed) = self.blocks.get_mut(index).filter(|placed| placed.first <= row) {
            let offset = (row - placed.first) as usize;
            if value.is_blank() && (offset == 0 || offset + 1 == placed.block.len()) {
                self.clear(row, row);
            } else {
                Arc::make_mut(&mut placed.block).set(offset, value);
            }
            return;
        }
        if value.is_blank() {
            return;
        }
        if let Some(before) = index.checked_sub(1).and_then(|before| self.blocks.get_mut(before)) {
            let gap = (row - before.end()) as usize;
            if gap <= GAP_ROWS_MAX && before.block.len() + gap < BLOCK_ROWS {
                Arc::make_mut(&mut before.block).push(gap, value);
                return;
            }
        }
        let alone = Block::from_values(std::slice::from_ref(value));
        if let Some(after) = self.blocks.get_mut(index) {
            let gap = (after.first - row) as usize - 1;
            if gap <= GAP_ROWS_MAX && after.block.len() + gap < BLOCK_ROWS {
                let mut joined = alone;
                joined.append(gap, &after.block);
                *after = PositionedBlock { first: row, block: Arc::new(joined) };
                return;
            }
        }
        self.blocks.insert(index, PositionedBlock { first: row, block: Arc::new(alone) });
    }

    /// Makes the rows `first..=last` blank.
    pub fn clear(&mut self, first: u32, last: u32) {
        let from = self.position(first);
        let to = from + self.blocks[from..].iter().take_while(|placed| placed.first <= last).count();
        if from == to {
            return;
        }
        let mut remaining = Vec::with_capacity(2);
        let head = &self.blocks[from];
        if head.first < first {
            remaining.extend(trimmed(head.first, &head.block, 0, (first - head.first) as usize - 1));
        }
        let tail = &self.blocks[to - 1];
        if tail.end() > last + 1 {
            let offset = (last + 1 - tail.first) as usize;
            remaining.extend(trimmed(tail.first, &tail.block, offset, tail.block.len() - 1));
        }
        self.blocks.splice(from..to, remaining);
    }

    /// Sets the values of the rows from `first` on, in new full blocks.
    pub fn replace(&mut self, first: u32, values: &[Value]) {
        self.put(PreparedBlocks::new(first, values));
    }

    /// Replaces the rows of `prepared` by its blocks.
    pub fn put(&mut self, prepared: PreparedBlocks) {
        let PreparedBlocks { first, count, blocks } = prepared;
        if count > 0 {
            self.clear(first, first + count - 1);
            let at = self.position(first);
            self.insert_blocks(at, blocks);
        }
    }

    /// [`replace`](Self::replace) for numbers. Overwrites in place if blocks cover all of the rows
    /// and are not shared with a snapshot.
    pub fn replace_numbers(&mut self, first: u32, numbers: &[f64]) {
        let Some(last) = (first as usize + numbers.len()).checked_sub(1) else { return };
        let mut index = self.position(first);
        let mut row = first;
        let covered = {
            let mut next = first;
            for placed in &self.blocks[index..] {
                if placed.first > next || next as usize > last {
                    break;
                }
                next = placed.end();
            }
            next as usize > last
        };
        if covered {
            let mut rest = numbers;
            while !rest.is_empty() {
                let placed = &mut self.blocks[index];
                let offset = (row - placed.first) as usize;
                let count = rest.len().min(placed.block.len() - offset);
                if count == placed.block.len() && Arc::get_mut(&mut placed.block).is_none() {
                    placed.block = Arc::new(Block::Numbers(rest[..count].to_vec()));
                } else {
                    Arc::make_mut(&mut placed.block).set_numbers(offset, &rest[..count]);
                }
                rest = &rest[count..];
                row += count as u32;
                index += 1;
            }
            return;
        }
        if numbers.is_empty() {
            return;
        }
        self.clear(first, last as u32);
        let at = self.position(first);
        let placed = (0..)
            .zip(numbers.chunks(BLOCK_ROWS))
            .map(|(index, numbers)| PositionedBlock {
                first: first + index * BLOCK_ROWS as u32,
                block: Arc::new(Block::Numbers(numbers.to_vec())),
            })
            .collect();
        self.insert_blocks(at, placed);
    }

    /// Sets one value in the rows `first..=last`; full blocks of a long range are one shared block.
    pub fn fill(&mut self, first: u32, last: u32, value: &Value) {
        self.clear(first, last);
        if value.is_blank() {
            return;
        }
        let count = (last - first + 1) as usize;
        let at = self.position(first);
        let full = Arc::new(Block::from_values(&vec![value.clone(); count.min(BLOCK_ROWS)]));
        let mut placed = Vec::with_capacity(count / BLOCK_ROWS + 1);
        for offset in (0..count).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(count - offset);
            let block = if rows == full.len() { full.clone() } else { Arc::new(full.copy(0, rows - 1)) };
            placed.push(PositionedBlock { first: first + offset as u32, block });
        }
        self.insert_blocks(at, placed);
    }

    fn insert_blocks(&mut self, at: usize, placed: Vec<PositionedBlock>) {
        let count = placed.len();
        self.blocks.splice(at..at, placed);
        // Filling a column in small pieces must not leave one block per piece.
        self.join(at + count);
        self.join(at);
    }

    /// Joins the blocks before and at `index` if both are small and the gap is short.
    fn join(&mut self, index: usize) {
        if index == 0 || index >= self.blocks.len() {
            return;
        }
        let (before, after) = (&self.blocks[index - 1], &self.blocks[index]);
        let gap = (after.first - before.end()) as usize;
        if gap > GAP_ROWS_MAX || before.block.len() + gap + after.block.len() > JOINED_ROWS_MAX {
            return;
        }
        let after = self.blocks.remove(index);
        Arc::make_mut(&mut self.blocks[index - 1].block).append(gap, &after.block);
    }

    /// Inserts `count` blank rows before `at`; values that leave the sheet are dropped.
    pub fn insert_rows(&mut self, at: u32, count: u32) {
        let mut from = self.position(at);
        if let Some(placed) = self.blocks.get_mut(from).filter(|placed| placed.first < at) {
            let offset = (at - placed.first) as usize;
            let length = placed.block.len();
            if count as usize <= GAP_ROWS_MAX && length + count as usize <= BLOCK_ROWS {
                Arc::make_mut(&mut placed.block).insert_blanks(offset, count as usize);
            } else {
                let head = trimmed(placed.first, &placed.block, 0, offset - 1);
                let tail = trimmed(placed.first + count, &placed.block, offset, length - 1);
                // Neither half is entirely blank, because a block neither begins nor ends with a
                // blank.
                self.blocks.splice(from..=from, head.into_iter().chain(tail));
                from += 1;
            }
            from += 1;
        }
        for placed in &mut self.blocks[from..] {
            placed.first = placed.first.saturating_add(count);
        }
        while let Some(last) = self.blocks.last().filter(|placed| placed.end() > ROWS_MAX) {
            if last.first >= ROWS_MAX {
                self.blocks.pop();
            } else {
                let cut = trimmed(last.first, &last.block, 0, (ROWS_MAX - 1 - last.first) as usize);
                self.blocks.pop();
                self.blocks.extend(cut);
            }
        }
    }

    /// Deletes the rows `at..at + count`; following rows shift up.
    pub fn delete_rows(&mut self, at: u32, count: u32) {
        self.clear(at, at.saturating_add(count).min(ROWS_MAX) - 1);
        let from = self.position(at);
        for placed in &mut self.blocks[from..] {
            placed.first -= count;
        }
        self.join(from);
    }
}

/// The values `first..=last` of a block that starts at row `start`, without blanks at either end.
fn trimmed(start: u32, block: &Block, mut first: usize, mut last: usize) -> Option<PositionedBlock> {
    while first <= last && block.is_blank_at(first) {
        first += 1;
    }
    while last > first && block.is_blank_at(last) {
        last -= 1;
    }
    (first <= last)
        .then(|| PositionedBlock { first: start + first as u32, block: Arc::new(block.copy(first, last)) })
}

fn block_without_blank_ends(row: u32, values: &[Value]) -> Option<PositionedBlock> {
    let first = values.iter().position(|value| !value.is_blank())?;
    let last = values.iter().rposition(|value| !value.is_blank())?;
    Some(PositionedBlock {
        first: row + first as u32,
        block: Arc::new(Block::from_values(&values[first..=last])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Blank),
            (0..5).prop_map(|number| Value::Number(f64::from(number))),
            Just(Value::Boolean(true)),
            proptest::sample::select(vec!["a", "b", "ab"]).prop_map(Value::from),
        ]
    }

    #[derive(Clone, Debug)]
    enum Change {
        Set(u32, Value),
        Clear(u32, u32),
        Fill(u32, u32, Value),
        Replace(u32, Vec<Value>),
        Numbers(u32, Vec<f64>),
        Insert(u32, u32),
        Delete(u32, u32),
    }

    const ROWS: u32 = 120;

    fn change() -> impl Strategy<Value = Change> {
        let span = || (0..ROWS, 0..ROWS).prop_map(|(a, b)| (a.min(b), a.max(b)));
        prop_oneof![
            6 => (0..ROWS, value()).prop_map(|(row, value)| Change::Set(row, value)),
            1 => span().prop_map(|(a, b)| Change::Clear(a, b)),
            1 => (span(), value()).prop_map(|((a, b), value)| Change::Fill(a, b, value)),
            2 => (0..ROWS, proptest::collection::vec(value(), 1..20)).prop_map(|(a, v)| Change::Replace(a, v)),
            2 => (0..ROWS, proptest::collection::vec((0..9).prop_map(f64::from), 1..20))
                .prop_map(|(a, v)| Change::Numbers(a, v)),
            2 => (0..ROWS, 1u32..40).prop_map(|(at, count)| Change::Insert(at, count)),
            2 => (0..ROWS, 1u32..40).prop_map(|(at, count)| Change::Delete(at, count)),
        ]
    }

    proptest! {
        #[test]
        fn blocks_behave_as_one_value_per_row(changes in proptest::collection::vec(change(), 1..60)) {
            let mut values = Values::default();
            let mut model = vec![Value::Blank; 4000];
            for change in changes {
                let snapshot = values.clone();
                let before: Vec<Value> = (0..200).map(|row| snapshot.get(row)).collect();
                match change {
                    Change::Set(row, value) => {
                        values.set(row, &value);
                        model[row as usize] = value;
                    }
                    Change::Clear(first, last) => {
                        values.clear(first, last);
                        model[first as usize..=last as usize].fill(Value::Blank);
                    }
                    Change::Fill(first, last, value) => {
                        values.fill(first, last, &value);
                        model[first as usize..=last as usize].fill(value);
                    }
                    Change::Replace(first, new) => {
                        values.replace(first, &new);
                        model.splice(first as usize..first as usize + new.len(), new);
                    }
                    Change::Numbers(first, new) => {
                        values.replace_numbers(first, &new);
                        model.splice(first as usize..first as usize + new.len(), new.into_iter().map(Value::from));
                    }
                    Change::Insert(at, count) => {
                        values.insert_rows(at, count);
                        model.splice(at as usize..at as usize, vec![Value::Blank; count as usize]);
                        model.truncate(4000);
                    }
                    Change::Delete(at, count) => {
                        values.delete_rows(at, count);
                        model.drain(at as usize..(at + count) as usize);
                        model.resize(4000, Value::Blank);
                    }
                }
                for (row, expected) in model.iter().enumerate() {
                    prop_assert_eq!(&values.get(row as u32), expected, "row {}", row);
                }
                let extent = model.iter().position(|value| !value.is_blank()).map(|first| {
                    (first as u32, model.iter().rposition(|value| !value.is_blank()).expect("one is not blank") as u32)
                });
                prop_assert_eq!(values.extent(), extent);
                let after: Vec<Value> = (0..200).map(|row| snapshot.get(row)).collect();
                prop_assert_eq!(before, after, "a snapshot keeps its values");
            }
        }
    }

    #[test]
    fn a_million_numbers_take_eight_bytes_each() {
        let mut values = Values::default();
        values.replace_numbers(0, &vec![1.5; 1_000_000]);
        let bytes: usize = values.blocks(0, ROWS_MAX - 1).map(|(_, block)| block.heap_bytes()).sum();
        assert_eq!(bytes, 8_000_000);
    }

    #[test]
    fn rows_pushed_off_the_sheet_are_dropped() {
        let mut values = Values::default();
        values.replace_numbers(ROWS_MAX - 3, &[1.0, 2.0, 3.0]);
        values.insert_rows(5, 2);
        assert_eq!(values.extent(), Some((ROWS_MAX - 1, ROWS_MAX - 1)));
        assert_eq!(values.get(ROWS_MAX - 1), Value::Number(1.0));
        values.insert_rows(0, ROWS_MAX - 1);
        assert!(values.is_empty());
    }
}
