//! Blocks: up to 4,096 consecutive values of one column.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

/// Rows of a full block. 32 KB of numbers: one edit copies little, and a scan stays in the cache.
pub const BLOCK_ROWS: usize = 4096;

/// Type of a value in a mixed block; the payload holds the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Tag {
    Blank,
    /// The payload holds the bits of the number.
    Number,
    /// The payload is 0 or 1.
    Boolean,
    /// The payload is an index into the texts of the block.
    Text,
    /// The payload is the code of the error.
    Error,
}

/// 1 to 4,096 consecutive values.
#[derive(Clone, Debug)]
pub enum Block {
    /// Numbers only, as a plain vector.
    Numbers(Vec<f64>),
    /// Values of several types.
    Mixed(Mixed),
}

/// Values of several types: parallel vectors of tags and payloads, and a dictionary of texts.
#[derive(Clone, Debug, Default)]
pub struct Mixed {
    tags: Vec<Tag>,
    payloads: Vec<u64>,
    /// May contain unused texts; compacted when there are more texts than values.
    texts: Vec<Arc<str>>,
    /// Number of values that are not numbers; at zero the block becomes [`Block::Numbers`].
    others: usize,
}

/// Consecutive values of one block, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    Numbers(&'a [f64]),
    Mixed(MixedSlice<'a>),
}

/// Consecutive values of a mixed block, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct MixedSlice<'a> {
    tags: &'a [Tag],
    payloads: &'a [u64],
    texts: &'a [Arc<str>],
}

impl Block {
    /// Creates a block. `values` must not be empty and not longer than [`BLOCK_ROWS`].
    pub fn from_values(values: &[Value]) -> Block {
        debug_assert!(!values.is_empty() && values.len() <= BLOCK_ROWS);
        let numbers: Option<Vec<f64>> = values
            .iter()
            .map(|value| match value {
                Value::Number(number) => Some(*number),
                _ => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            return Block::Numbers(numbers);
        }
        let mut mixed = Mixed::default();
        let mut text_indices = std::collections::HashMap::new();
        for value in values {
            let payload = match value {
                Value::Text(text) => *text_indices.entry(text.clone()).or_insert_with(|| {
                    mixed.texts.push(text.clone());
                    mixed.texts.len() as u64 - 1
                }),
                other => plain_payload(other),
            };
            mixed.push_raw(tag_of(value), payload);
        }
        Block::Mixed(mixed)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Block::Numbers(numbers) => numbers.len(),
            Block::Mixed(mixed) => mixed.tags.len(),
        }
    }

    /// Whether the block has no values; never true for a stored block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is out of bounds, as do the other methods that take an index.
    pub fn get(&self, index: usize) -> Value {
        match self {
            Block::Numbers(numbers) => Value::Number(numbers[index]),
            Block::Mixed(_) => self.slice(index, index).get(0),
        }
    }

    /// The values `first..=last`.
    pub fn slice(&self, first: usize, last: usize) -> Slice<'_> {
        match self {
            Block::Numbers(numbers) => Slice::Numbers(&numbers[first..=last]),
            Block::Mixed(mixed) => Slice::Mixed(MixedSlice {
                tags: &mixed.tags[first..=last],
                payloads: &mixed.payloads[first..=last],
                texts: &mixed.texts,
            }),
        }
    }

    /// Whether the value at `index` is blank.
    pub fn is_blank_at(&self, index: usize) -> bool {
        match self {
            Block::Numbers(_) => false,
            Block::Mixed(mixed) => mixed.tags[index] == Tag::Blank,
        }
    }

    /// Replaces the value at `index`.
    pub fn set(&mut self, index: usize, value: &Value) {
        match (&mut *self, value) {
            (Block::Numbers(numbers), Value::Number(number)) => numbers[index] = *number,
            _ => {
                self.as_mixed().set(index, value);
                self.simplify();
            }
        }
    }

    /// Appends `blanks` blank values and then `value`.
    pub fn push(&mut self, blanks: usize, value: &Value) {
        match (&mut *self, value) {
            (Block::Numbers(numbers), Value::Number(number)) if blanks == 0 => numbers.push(*number),
            _ => {
                let mixed = self.as_mixed();
                for _ in 0..blanks {
                    mixed.push_raw(Tag::Blank, 0);
                }
                mixed.push_raw(Tag::Blank, 0);
                let last = mixed.tags.len() - 1;
                mixed.set(last, value);
                self.simplify();
            }
        }
    }

    /// Inserts `count` blank values before `index`.
    pub fn insert_blanks(&mut self, index: usize, count: usize) {
        let mixed = self.as_mixed();
        mixed.tags.splice(index..index, std::iter::repeat_n(Tag::Blank, count));
        mixed.payloads.splice(index..index, std::iter::repeat_n(0, count));
        mixed.others += count;
    }

    /// Overwrites the values from `index` on with numbers.
    pub fn set_numbers(&mut self, index: usize, source: &[f64]) {
        if index == 0 && source.len() == self.len() {
            match self {
                Block::Numbers(numbers) => numbers.copy_from_slice(source),
                Block::Mixed(_) => *self = Block::Numbers(source.to_vec()),
            }
            return;
        }
        match self {
            Block::Numbers(numbers) => numbers[index..index + source.len()].copy_from_slice(source),
            Block::Mixed(mixed) => {
                for (at, number) in (index..).zip(source) {
                    mixed.others -= usize::from(mixed.tags[at] != Tag::Number);
                    mixed.tags[at] = Tag::Number;
                    mixed.payloads[at] = number.to_bits();
                }
                self.simplify();
            }
        }
    }

    /// Copies the values `first..=last` into a new block.
    pub fn copy(&self, first: usize, last: usize) -> Block {
        match self {
            Block::Numbers(numbers) => Block::Numbers(numbers[first..=last].to_vec()),
            Block::Mixed(_) => {
                let slice = self.slice(first, last);
                let values: Vec<Value> = (0..slice.len()).map(|index| slice.get(index)).collect();
                Block::from_values(&values)
            }
        }
    }

    /// Appends `blanks` blank values and then the values of `other`.
    pub fn append(&mut self, blanks: usize, other: &Block) {
        match (&mut *self, other) {
            (Block::Numbers(numbers), Block::Numbers(more)) if blanks == 0 => numbers.extend_from_slice(more),
            _ => {
                let mut values: Vec<Value> = (0..self.len()).map(|index| self.get(index)).collect();
                values.extend(std::iter::repeat_n(Value::Blank, blanks));
                values.extend((0..other.len()).map(|index| other.get(index)));
                *self = Block::from_values(&values);
            }
        }
    }

    fn as_mixed(&mut self) -> &mut Mixed {
        if let Block::Numbers(numbers) = self {
            *self = Block::Mixed(Mixed {
                tags: vec![Tag::Number; numbers.len()],
                payloads: numbers.iter().map(|number| number.to_bits()).collect(),
                texts: Vec::new(),
                others: 0,
            });
        }
        match self {
            Block::Mixed(mixed) => mixed,
            Block::Numbers(_) => unreachable!("turned into a mixed block above"),
        }
    }

    /// Converts a mixed block that holds only numbers to [`Block::Numbers`].
    fn simplify(&mut self) {
        if let Block::Mixed(mixed) = self
            && mixed.others == 0
        {
            *self = Block::Numbers(mixed.payloads.iter().map(|bits| f64::from_bits(*bits)).collect());
        }
    }

    /// Size on the heap in bytes; each text is counted once per block.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Block::Numbers(numbers) => numbers.capacity() * 8,
            Block::Mixed(mixed) => {
                let texts: usize = mixed.texts.iter().map(|text| 16 + text.len()).sum();
                mixed.tags.capacity() + mixed.payloads.capacity() * 8 + mixed.texts.capacity() * 16 + texts
            }
        }
    }
}

impl Mixed {
    fn push_raw(&mut self, tag: Tag, payload: u64) {
        self.tags.push(tag);
        self.payloads.push(payload);
        self.others += usize::from(tag != Tag::Number);
    }

    fn set(&mut self, index: usize, value: &Value) {
        let payload = match value {
            Value::Text(text) => self.intern(text),
            other => plain_payload(other),
        };
        let tag = tag_of(value);
        self.others -= usize::from(self.tags[index] != Tag::Number);
        self.others += usize::from(tag != Tag::Number);
        self.tags[index] = tag;
        self.payloads[index] = payload;
        if self.texts.len() > self.tags.len() + 16 {
            self.compact();
        }
    }

    fn intern(&mut self, text: &Arc<str>) -> u64 {
        // Searching further back costs more than a second entry for the same text.
        const SCAN_BACK: usize = 32;
        let from = self.texts.len().saturating_sub(SCAN_BACK);
        let found = self.texts[from..].iter().position(|interned| interned == text);
        let index = found.map_or(self.texts.len(), |position| from + position);
        if index == self.texts.len() {
            self.texts.push(text.clone());
        }
        index as u64
    }

    /// Removes texts that no value uses.
    fn compact(&mut self) {
        let old = std::mem::take(&mut self.texts);
        let mut new_index: Vec<Option<u64>> = vec![None; old.len()];
        for (tag, payload) in self.tags.iter().zip(&mut self.payloads) {
            if *tag == Tag::Text {
                let index = *payload as usize;
                *payload = *new_index[index].get_or_insert_with(|| {
                    self.texts.push(old[index].clone());
                    self.texts.len() as u64 - 1
                });
            }
        }
    }
}

impl<'a> Slice<'a> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Slice::Numbers(numbers) => numbers.len(),
            Slice::Mixed(mixed) => mixed.len(),
        }
    }

    /// Whether the slice has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index`; panics if it is out of bounds.
    pub fn get(&self, index: usize) -> Value {
        match self {
            Slice::Numbers(numbers) => Value::Number(numbers[index]),
            Slice::Mixed(mixed) => mixed.get(index),
        }
    }
}

impl<'a> MixedSlice<'a> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether the slice has no values.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Type of the value at `index`.
    pub fn tag(&self, index: usize) -> Tag {
        self.tags[index]
    }

    /// The value at `index`; panics if it is out of bounds.
    pub fn get(&self, index: usize) -> Value {
        let payload = self.payloads[index];
        match self.tags[index] {
            Tag::Blank => Value::Blank,
            Tag::Number => Value::Number(f64::from_bits(payload)),
            Tag::Boolean => Value::Boolean(payload != 0),
            Tag::Text => Value::Text(self.texts[payload as usize].clone()),
            Tag::Error => {
                Value::Error(ErrorValue::from_code(payload as u8).expect("only codes of errors are stored"))
            }
        }
    }

    /// The number at `index`, or `None` for a value of another type.
    pub fn number(&self, index: usize) -> Option<f64> {
        (self.tags[index] == Tag::Number).then(|| f64::from_bits(self.payloads[index]))
    }

    /// The text at `index` without incrementing its reference count, or `None` for a value of
    /// another type.
    pub fn text(&self, index: usize) -> Option<&'a Arc<str>> {
        (self.tags[index] == Tag::Text).then(|| &self.texts[self.payloads[index] as usize])
    }
}

fn tag_of(value: &Value) -> Tag {
    match value {
        Value::Blank => Tag::Blank,
        Value::Number(_) => Tag::Number,
        Value::Boolean(_) => Tag::Boolean,
        Value::Text(_) => Tag::Text,
        Value::Error(_) => Tag::Error,
    }
}

/// The payload of any value but a text, whose payload is an index into the dictionary.
fn plain_payload(value: &Value) -> u64 {
    match value {
        Value::Blank | Value::Text(_) => 0,
        Value::Number(number) => number.to_bits(),
        Value::Boolean(boolean) => u64::from(*boolean),
        Value::Error(error) => u64::from(error.code()),
    }
}
