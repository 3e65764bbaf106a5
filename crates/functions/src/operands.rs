//! What an evaluated argument is, and how a range is read without copying it.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Range, SheetId, Value};

/// An evaluated argument, or what a function yields.
#[derive(Clone)]
pub enum Operand<'a> {
    Value(Value),
    Array(Array),
    /// A reference with its cells readable.
    Range(RangeOperand<'a>),
    /// A reference that a function yields (INDEX, XLOOKUP, CHOOSE …): the evaluator opens it where values are wanted.
    /// Functions never receive one.
    Reference(SheetId, Range),
    /// An argument left out: `IF(A1,,2)`.
    Missing,
}

/// A reference: one area, or several of a union or of several sheets.
#[derive(Clone)]
pub struct RangeOperand<'a> {
    /// At least one.
    pub areas: Vec<RangeArea<'a>>,
}

/// One rectangle of a sheet. The view has the rectangle's size.
#[derive(Clone, Copy)]
pub struct RangeArea<'a> {
    pub sheet: SheetId,
    pub range: Range,
    pub view: &'a dyn RangeView,
}

/// A column or a row of a rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    Column(u32),
    Row(u32),
}

/// A rectangle of values, read column by column or one by one. Indices are zero-based within the rectangle.
pub trait RangeView {
    fn rows(&self) -> u32;
    fn columns(&self) -> u32;
    /// Every row from this one on is blank. Between 0 and [`rows`](RangeView::rows).
    fn used_rows(&self) -> u32;
    /// Every column from this one on is blank. Between 0 and [`columns`](RangeView::columns).
    fn used_columns(&self) -> u32 {
        self.columns()
    }
    fn value(&self, row: u32, column: u32) -> Value;
    /// Hands out the column from its first row on, in row order and without gaps, up to
    /// [`used_rows`](RangeView::used_rows) or earlier (the rest is blank), until `visit` breaks.
    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>);

    /// Hands out where a column or row holds exactly this number, truth value or text (case aside). `false`, and
    /// nothing handed out, when nobody keeps an index of it: then the cells are to be read.
    fn with_positions_of(
        &self,
        _line: Along,
        _value: ValueRef<'_>,
        _found: &mut dyn FnMut(IndexMatches<'_>),
    ) -> bool {
        false
    }

    /// The last row of a column whose number is not above `number`, if the column is known to hold nothing but
    /// numbers in rising order, and blanks. `None` when that is not known.
    fn last_row_up_to(&self, _column: u32, _number: f64) -> Option<Option<u32>> {
        None
    }
}

/// The places that an index has found: rows of a column, or columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct IndexMatches<'a> {
    /// Ascending, counted from anywhere; `start` is the rectangle's first.
    pub places: &'a [u32],
    pub start: u32,
    /// Some text of the line reads as a number, which criteria take for that number.
    pub numbers_as_text: bool,
}

impl IndexMatches<'_> {
    pub fn first(&self) -> Option<u32> {
        self.places.first().map(|place| place - self.start)
    }

    pub fn last(&self) -> Option<u32> {
        self.places.last().map(|place| place - self.start)
    }
}

/// Consecutive cells of a column.
#[derive(Clone, Copy)]
pub enum Chunk<'a> {
    /// So many blank cells.
    Blank(u32),
    Numbers(&'a [f64]),
    Mixed(&'a dyn CellSequence),
}

/// Cells of several kinds, readable one by one.
pub trait CellSequence {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// `index` is below [`len`](Lane::len).
    fn get(&self, index: usize) -> ValueRef<'_>;
}

/// A [`Value`] that borrows its text.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    Blank,
    Number(f64),
    Boolean(bool),
    Text(&'a Arc<str>),
    Error(ErrorValue),
}

impl ValueRef<'_> {
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Blank => Value::Blank,
            ValueRef::Number(number) => Value::Number(number),
            ValueRef::Boolean(boolean) => Value::Boolean(boolean),
            ValueRef::Text(text) => Value::Text(text.clone()),
            ValueRef::Error(error) => Value::Error(error),
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> ValueRef<'a> {
        match value {
            Value::Blank => ValueRef::Blank,
            Value::Number(number) => ValueRef::Number(*number),
            Value::Boolean(boolean) => ValueRef::Boolean(*boolean),
            Value::Text(text) => ValueRef::Text(text),
            Value::Error(error) => ValueRef::Error(*error),
        }
    }
}

/// Some consecutive cells of a lane.
struct LanePart<'a> {
    lane: &'a dyn CellSequence,
    start: usize,
    length: usize,
}

impl CellSequence for LanePart<'_> {
    fn len(&self) -> usize {
        self.length
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        self.lane.get(self.start + index)
    }
}

impl Chunk<'_> {
    /// Hands out this chunk, cut to at most `length` cells.
    pub fn with_length_max<T>(self, length: u32, visit: impl FnOnce(Chunk<'_>) -> T) -> T {
        if self.len() <= length {
            return visit(self);
        }
        self.part(0, length, visit)
    }

    /// Hands out `length` of the chunk's cells from `start` on, which lie within it.
    pub fn part<T>(self, start: u32, length: u32, visit: impl FnOnce(Chunk<'_>) -> T) -> T {
        let (first, count) = (start as usize, length as usize);
        match self {
            Chunk::Blank(_) => visit(Chunk::Blank(length)),
            Chunk::Numbers(numbers) => visit(Chunk::Numbers(&numbers[first..first + count])),
            Chunk::Mixed(lane) => visit(Chunk::Mixed(&LanePart { lane, start: first, length: count })),
        }
    }

    pub fn len(&self) -> u32 {
        match self {
            Chunk::Blank(count) => *count,
            Chunk::Numbers(numbers) => numbers.len() as u32,
            Chunk::Mixed(lane) => lane.len() as u32,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows of an array that are handed out together, as many as of a sheet.
const ARRAY_ROWS_IN_CHUNK: usize = 4_096;

/// One value is a rectangle of one cell.
impl RangeView for Value {
    fn rows(&self) -> u32 {
        1
    }

    fn columns(&self) -> u32 {
        1
    }

    fn used_rows(&self) -> u32 {
        1
    }

    fn value(&self, _row: u32, _column: u32) -> Value {
        self.clone()
    }

    fn for_each_chunk(&self, _column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        let _ = visit(Chunk::Mixed(&StridedLane { values: std::slice::from_ref(self), stride: 1 }));
    }
}

impl RangeView for Array {
    fn rows(&self) -> u32 {
        Array::rows(self)
    }

    fn columns(&self) -> u32 {
        Array::columns(self)
    }

    fn used_rows(&self) -> u32 {
        Array::rows(self)
    }

    fn value(&self, row: u32, column: u32) -> Value {
        self.get(row, column).cloned().unwrap_or_default()
    }

    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        // In pieces, so that whoever goes through them can look between two whether to go on.
        let stride = Array::columns(self) as usize;
        for rows in self.values().chunks(stride * ARRAY_ROWS_IN_CHUNK) {
            let Some(values) = rows.get(column as usize..) else { return };
            if visit(Chunk::Mixed(&StridedLane { values, stride })).is_break() {
                return;
            }
        }
    }
}

/// Every `stride`-th of some values: a column of a row-by-row array.
struct StridedLane<'a> {
    values: &'a [Value],
    stride: usize,
}

impl CellSequence for StridedLane<'_> {
    fn len(&self) -> usize {
        self.values.len().div_ceil(self.stride)
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        ValueRef::from(&self.values[index * self.stride])
    }
}

impl Operand<'static> {
    pub fn error(error: ErrorValue) -> Operand<'static> {
        Operand::Value(Value::Error(error))
    }
}

impl Operand<'_> {
    /// The operand as rectangles, one for all but references with several areas. Empty only for a reference that
    /// was not opened.
    pub fn views(&self) -> Vec<&dyn RangeView> {
        match self {
            Operand::Value(value) => vec![value],
            Operand::Array(array) => vec![array],
            Operand::Range(range) => range.areas.iter().map(|area| area.view).collect(),
            Operand::Missing => vec![&Value::Blank],
            Operand::Reference(..) => Vec::new(),
        }
    }

    /// The operand as one rectangle; `None` for a reference with several areas.
    pub fn view(&self) -> Option<&dyn RangeView> {
        match self {
            Operand::Value(value) => Some(value),
            Operand::Array(array) => Some(array),
            Operand::Range(range) if range.areas.len() == 1 => Some(range.areas[0].view),
            Operand::Missing => Some(&Value::Blank),
            Operand::Range(_) | Operand::Reference(..) => None,
        }
    }

    /// The one value of a scalar or of a rectangle with one cell; `None` when there are several.
    pub fn single(&self) -> Option<Value> {
        match self {
            Operand::Value(value) => Some(value.clone()),
            Operand::Missing => Some(Value::Blank),
            _ => {
                let view = self.view()?;
                (view.rows() == 1 && view.columns() == 1).then(|| view.value(0, 0))
            }
        }
    }

    pub fn is_missing(&self) -> bool {
        matches!(self, Operand::Missing)
    }

    pub fn is_range(&self) -> bool {
        matches!(self, Operand::Range(_))
    }
}

impl<T: Into<Value>> From<T> for Operand<'static> {
    fn from(value: T) -> Operand<'static> {
        Operand::Value(value.into())
    }
}
