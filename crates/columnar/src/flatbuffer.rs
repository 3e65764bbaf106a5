//! FlatBuffers, in which Arrow writes its metadata: the parts that are needed.
//!
//! A buffer is built from its end: bytes are collected in reverse order, and the position of an object is its
//! distance from the end.

/// The position of a finished object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position(usize);

/// The value of a field of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    U8(u8),
    I16(i16),
    I64(i64),
    Object(Position),
}

#[derive(Default)]
pub(crate) struct Builder {
    reversed: Vec<u8>,
}

/// The largest alignment of a value.
const ALIGNMENT: usize = 8;

impl Builder {
    /// Adds zeros so that `size` more bytes end at a multiple of `alignment`.
    fn pad(&mut self, size: usize, alignment: usize) {
        while !(self.reversed.len() + size).is_multiple_of(alignment) {
            self.reversed.push(0);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    fn position(&self) -> Position {
        Position(self.reversed.len())
    }

    fn push_offset(&mut self, to: Position) {
        self.pad(4, 4);
        let offset = (self.reversed.len() + 4 - to.0) as u32;
        self.push(&offset.to_le_bytes());
    }

    /// A text.
    pub fn text(&mut self, text: &str) -> Position {
        self.pad(text.len() + 1, 4);
        self.push(&[0]);
        self.push(text.as_bytes());
        self.push(&(text.len() as u32).to_le_bytes());
        self.position()
    }

    /// A vector of tables.
    pub fn objects(&mut self, objects: &[Position]) -> Position {
        self.pad(4 * objects.len(), 4);
        objects.iter().rev().for_each(|object| self.push_offset(*object));
        self.push(&(objects.len() as u32).to_le_bytes());
        self.position()
    }

    /// A vector of structs of two 64-bit numbers.
    pub fn pairs(&mut self, pairs: &[(i64, i64)]) -> Position {
        self.pad(16 * pairs.len(), ALIGNMENT);
        for (first, second) in pairs.iter().rev() {
            self.push(&second.to_le_bytes());
            self.push(&first.to_le_bytes());
        }
        self.push(&(pairs.len() as u32).to_le_bytes());
        self.position()
    }

    /// A table with fields at the given slots.
    pub fn table(&mut self, fields: &[(usize, Field)]) -> Position {
        let end = self.reversed.len();
        let slots = fields.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
        let mut positions = vec![None; slots];
        for (slot, field) in fields {
            match field {
                Field::U8(value) => self.push(&[*value]),
                Field::I16(value) => {
                    self.pad(2, 2);
                    self.push(&value.to_le_bytes());
                }
                Field::I64(value) => {
                    self.pad(8, 8);
                    self.push(&value.to_le_bytes());
                }
                Field::Object(object) => self.push_offset(*object),
            }
            positions[*slot] = Some(self.reversed.len());
        }
        // The distance to the table of field offsets, which stands before the table.
        self.pad(4, 4);
        let vtable_bytes = 4 + 2 * slots;
        self.push(&(vtable_bytes as i32).to_le_bytes());
        let table = self.position();
        for position in positions.iter().rev() {
            let offset = position.map_or(0, |position| table.0 - position);
            self.push(&(offset as u16).to_le_bytes());
        }
        self.push(&((table.0 - end) as u16).to_le_bytes());
        self.push(&(vtable_bytes as u16).to_le_bytes());
        table
    }

    /// The bytes of the buffer with this table as its root.
    pub fn finish(mut self, root: Position) -> Vec<u8> {
        self.pad(4, ALIGNMENT);
        self.push_offset(root);
        self.reversed.reverse();
        self.reversed
    }
}
