//! Rows by value.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use quadrille_functions::{FoldedText, IndexMatches, ValueRef, counts_as_number};

/// The rows of each number, truth value and text of a column (or the columns of those of a row).
/// Blanks and errors are not looked up and therefore not stored.
#[derive(Debug, Default)]
pub(crate) struct RowsByValue {
    numbers: NumberTable,
    texts: HashMap<FoldedText, Entry, BuildHasherDefault<Mixer>>,
    booleans: [Vec<u32>; 2],
    lists: Lists,
    /// Cells whose texts count as numbers in criteria.
    numbers_as_text: u32,
    /// Cells whose texts contain wildcards when used as lookup values.
    wildcards: u32,
}

impl RowsByValue {
    /// Reserves room for this many distinct numbers.
    pub fn reserve_numbers(&mut self, count: usize) {
        self.numbers.reserve(count);
    }

    /// Number of distinct numbers.
    pub fn different_numbers(&self) -> usize {
        self.numbers.used
    }

    /// Whether some text counts as a number in criteria.
    pub fn has_numbers_as_text(&self) -> bool {
        self.numbers_as_text > 0
    }

    /// Whether some text contains wildcards.
    pub fn has_wildcards(&self) -> bool {
        self.wildcards > 0
    }

    /// The rows with this value, ascending.
    pub fn rows(&self, value: ValueRef<'_>) -> &[u32] {
        match value {
            ValueRef::Number(number) => self.numbers.get(number).map_or(&[], |entry| self.lists.rows(entry)),
            ValueRef::Boolean(boolean) => &self.booleans[usize::from(boolean)],
            ValueRef::Text(text) => {
                self.texts.get(&FoldedText(text.clone())).map_or(&[], |entry| self.lists.rows(entry))
            }
            ValueRef::Blank | ValueRef::Error(_) => &[],
        }
    }

    /// The rows with this value within `first..=last`, ascending.
    pub fn rows_in(&self, value: ValueRef<'_>, (first, last): (u32, u32)) -> &[u32] {
        let rows = self.rows(value);
        // Most values occur once, and most ranges cover the whole column.
        let from = match rows.first().is_none_or(|row| *row >= first) {
            true => 0,
            false => rows.partition_point(|row| *row < first),
        };
        let to = match rows.last().is_none_or(|row| *row <= last) {
            true => rows.len(),
            false => rows.partition_point(|row| *row <= last),
        };
        &rows[from.min(to)..to]
    }

    /// [`rows_in`](Self::rows_in) in the form that the function library takes.
    pub fn matches_in(&self, value: ValueRef<'_>, rows: (u32, u32)) -> IndexMatches<'_> {
        IndexMatches {
            positions: self.rows_in(value, rows),
            start: rows.0,
            has_numbers_as_text: self.has_numbers_as_text(),
        }
    }

    /// Adds the value of a row.
    pub fn add(&mut self, row: u32, value: ValueRef<'_>) {
        match value {
            ValueRef::Number(number) => self.lists.add(self.numbers.entry(number), row),
            ValueRef::Boolean(boolean) => insert_sorted(&mut self.booleans[usize::from(boolean)], row),
            ValueRef::Text(text) => {
                self.numbers_as_text += u32::from(counts_as_number(text));
                self.wildcards += u32::from(contains_wildcard(text));
                let entry = self.texts.entry(FoldedText(text.clone())).or_insert(Entry::NONE);
                self.lists.add(entry, row);
            }
            ValueRef::Blank | ValueRef::Error(_) => {}
        }
    }

    /// Removes the value of a row.
    pub fn remove(&mut self, row: u32, value: ValueRef<'_>) {
        match value {
            ValueRef::Number(number) => {
                let entry = self.numbers.entry(number);
                self.lists.remove(entry, row);
                if entry.is_none() {
                    self.numbers.remove(number);
                }
            }
            ValueRef::Boolean(boolean) => remove_sorted(&mut self.booleans[usize::from(boolean)], row),
            ValueRef::Text(text) => {
                self.numbers_as_text -= u32::from(counts_as_number(text));
                self.wildcards -= u32::from(contains_wildcard(text));
                let key = FoldedText(text.clone());
                if let Some(entry) = self.texts.get_mut(&key) {
                    self.lists.remove(entry, row);
                    if entry.is_none() {
                        self.texts.remove(&key);
                    }
                }
            }
            ValueRef::Blank | ValueRef::Error(_) => {}
        }
    }

    /// Bytes on the heap, approximately.
    pub fn bytes(&self) -> usize {
        let texts = self.texts.capacity() * (size_of::<(FoldedText, Entry)>() + 1);
        let booleans = (self.booleans[0].capacity() + self.booleans[1].capacity()) * 4;
        self.numbers.slots.capacity() * size_of::<Slot>() + texts + booleans + self.lists.bytes()
    }
}

/// Whether a lookup value contains wildcards or their escape character.
pub(crate) fn contains_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '~'])
}

fn insert_sorted(rows: &mut Vec<u32>, row: u32) {
    if rows.last().is_none_or(|last| *last < row) {
        rows.push(row);
    } else if let Err(index) = rows.binary_search(&row) {
        rows.insert(index, row);
    }
}

fn remove_sorted(rows: &mut Vec<u32>, row: u32) {
    if let Ok(index) = rows.binary_search(&row) {
        rows.remove(index);
    }
}

/// The rows of one value: none, one row, or the number of a list with the highest bit set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry(u32);

const LIST: u32 = 1 << 31;

impl Entry {
    const NONE: Entry = Entry(u32::MAX);

    fn is_none(self) -> bool {
        self == Entry::NONE
    }

    fn list(self) -> Option<usize> {
        (self.0 & LIST != 0 && !self.is_none()).then_some((self.0 & !LIST) as usize)
    }
}

/// Lists of rows for values that occur more than once.
#[derive(Debug, Default)]
struct Lists {
    lists: Vec<Vec<u32>>,
    free: Vec<u32>,
}

impl Lists {
    fn rows<'a>(&'a self, entry: &'a Entry) -> &'a [u32] {
        match entry.list() {
            Some(list) => &self.lists[list],
            None if entry.is_none() => &[],
            None => std::slice::from_ref(&entry.0),
        }
    }

    fn add(&mut self, entry: &mut Entry, row: u32) {
        if let Some(list) = entry.list() {
            insert_sorted(&mut self.lists[list], row);
        } else if entry.is_none() {
            *entry = Entry(row);
        } else if entry.0 != row {
            let rows = vec![entry.0.min(row), entry.0.max(row)];
            let list = match self.free.pop() {
                Some(list) => {
                    self.lists[list as usize] = rows;
                    list
                }
                None => {
                    self.lists.push(rows);
                    self.lists.len() as u32 - 1
                }
            };
            *entry = Entry(list | LIST);
        }
    }

    fn remove(&mut self, entry: &mut Entry, row: u32) {
        match entry.list() {
            Some(list) => {
                remove_sorted(&mut self.lists[list], row);
                if let [only] = self.lists[list][..] {
                    self.lists[list] = Vec::new();
                    self.free.push(list as u32);
                    *entry = Entry(only);
                }
            }
            None if entry.0 == row => *entry = Entry::NONE,
            None => {}
        }
    }

    fn bytes(&self) -> usize {
        self.lists.iter().map(|list| size_of::<Vec<u32>>() + list.capacity() * 4).sum()
    }
}

/// A hash table from numbers to entries: open addressing with linear probing.
#[derive(Debug, Default)]
struct NumberTable {
    /// A power of two, or empty.
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    bits: u64,
    /// An empty entry marks a free slot.
    entry: Entry,
}

impl NumberTable {
    /// Grows the table so that at most three quarters of the slots are used.
    fn reserve(&mut self, count: usize) {
        let slot_count = (count + count / 3 + 1).next_power_of_two();
        if slot_count > self.slots.len() {
            let empty = vec![Slot { bits: 0, entry: Entry::NONE }; slot_count];
            for slot in std::mem::replace(&mut self.slots, empty) {
                if !slot.entry.is_none() {
                    let index = self.index_of(slot.bits);
                    self.slots[index] = slot;
                }
            }
        }
    }

    /// The slot of a number, or the free slot where it would go.
    fn index_of(&self, bits: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut index = self.home(bits);
        while !self.slots[index].entry.is_none() && self.slots[index].bits != bits {
            index = (index + 1) & mask;
        }
        index
    }

    fn home(&self, bits: u64) -> usize {
        (mixed(bits) >> 32) as usize & (self.slots.len() - 1)
    }

    fn get(&self, number: f64) -> Option<&Entry> {
        if self.slots.is_empty() {
            return None;
        }
        Some(&self.slots[self.index_of(bits_of(number))].entry).filter(|entry| !entry.is_none())
    }

    /// The entry of a number; empty for a new number.
    fn entry(&mut self, number: f64) -> &mut Entry {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.reserve((self.used * 2).max(48));
        }
        let bits = bits_of(number);
        let index = self.index_of(bits);
        let slot = &mut self.slots[index];
        if slot.entry.is_none() {
            slot.bits = bits;
            self.used += 1;
        }
        &mut slot.entry
    }

    /// Removes a number whose entry is already empty; following slots move up.
    fn remove(&mut self, number: f64) {
        let bits = bits_of(number);
        let mask = self.slots.len() - 1;
        self.used -= 1;
        // The slot counts as free already, so the search walks on from the number's home slot.
        let mut hole = self.home(bits);
        while !(self.slots[hole].entry.is_none() && self.slots[hole].bits == bits) {
            hole = (hole + 1) & mask;
        }
        let mut next = (hole + 1) & mask;
        while !self.slots[next].entry.is_none() {
            let home = self.home(self.slots[next].bits);
            // Whether the hole is between the number's home slot and its current slot.
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.slots[hole] = self.slots[next];
                self.slots[next].entry = Entry::NONE;
                hole = next;
            }
            next = (next + 1) & mask;
        }
    }
}

/// Equal numbers have equal bits except for the two zeros.
fn bits_of(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Mixes the bits of numbers, which mostly differ in the highest ones. Nothing depends on the order
/// of the table.
fn mixed(bits: u64) -> u64 {
    let folded = bits ^ (bits >> 32);
    folded.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Hashes texts by their eight-byte words.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        mixed(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mixed(self.0.rotate_left(23) ^ word);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, PartialEq, Debug)]
    enum IndexedBlock {
        Number(f64),
        Boolean(bool),
        Text(&'static str),
    }

    fn stored_value() -> impl Strategy<Value = IndexedBlock> {
        prop_oneof![
            // Few values, so that rows share them; close together, so that they compete for slots.
            (0u32..40).prop_map(|number| IndexedBlock::Number(f64::from(number))),
            any::<bool>().prop_map(IndexedBlock::Boolean),
            proptest::sample::select(vec!["a", "A", "b", "12", "x*", ""]).prop_map(IndexedBlock::Text),
        ]
    }

    fn with<T>(stored_value: &IndexedBlock, action: impl FnOnce(ValueRef<'_>) -> T) -> T {
        match stored_value {
            IndexedBlock::Number(number) => action(ValueRef::Number(*number)),
            IndexedBlock::Boolean(boolean) => action(ValueRef::Boolean(*boolean)),
            IndexedBlock::Text(text) => action(ValueRef::Text(&Arc::from(*text))),
        }
    }

    fn is_same(a: &IndexedBlock, b: &IndexedBlock) -> bool {
        match (a, b) {
            (IndexedBlock::Text(a), IndexedBlock::Text(b)) => a.eq_ignore_ascii_case(b),
            _ => a == b,
        }
    }

    proptest! {
        #[test]
        fn rows_by_value_equal_a_linear_search(edits in proptest::collection::vec((0u32..60, proptest::option::of(stored_value())), 1..200)) {
            let mut table = RowsByValue::default();
            let mut cells: BTreeMap<u32, IndexedBlock> = BTreeMap::new();
            for (row, value) in edits {
                if let Some(before) = cells.remove(&row) {
                    with(&before, |before| table.remove(row, before));
                }
                if let Some(value) = value {
                    with(&value, |value| table.add(row, value));
                    cells.insert(row, value);
                }
                for sought in cells.values() {
                    let expected: Vec<u32> =
                        cells.iter().filter(|(_, cell)| is_same(cell, sought)).map(|(row, _)| *row).collect();
                    prop_assert_eq!(with(sought, |sought| table.rows(sought).to_vec()), expected);
                }
                let texts = |texts: &[&str]| cells.values().any(|cell| matches!(cell, IndexedBlock::Text(text) if texts.contains(text)));
                prop_assert_eq!(table.has_numbers_as_text(), texts(&["12"]));
                prop_assert_eq!(table.has_wildcards(), texts(&["x*"]));
            }
        }
    }
}
