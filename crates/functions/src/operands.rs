//! [`Operand`]: an evaluated argument or result, and [`RangeView`], which reads cells without
//! copying.

use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Range, SheetId, Value};

/// An evaluated argument or the result of a function.
#[derive(Clone)]
pub enum Operand<'a> {
    /// A single value.
    Value(Value),
    /// An array.
    Array(Array),
    /// A reference with a view of its cells.
    Range(RangeOperand<'a>),
    /// A reference as the result of a function (INDEX, XLOOKUP, CHOOSE etc.), which the evaluator
    /// dereferences. Never an argument.
    Reference(SheetId, Range),
    /// An empty argument: `IF(A1,,2)`.
    Missing,
}

/// A reference with one area, or with several for unions and 3-D references.
#[derive(Clone)]
pub struct RangeOperand<'a> {
    /// The areas; never empty.
    pub areas: Vec<RangeArea<'a>>,
}

/// A range of a sheet with a view of its cells. The view has the size of the range.
#[derive(Clone, Copy)]
pub struct RangeArea<'a> {
    pub sheet: SheetId,
    pub range: Range,
    pub view: &'a dyn RangeView,
}

/// A column or row of a view, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOrColumn {
    Column(u32),
    Row(u32),
}

/// A rectangle of values that is read column by column or cell by cell. Indices are zero-based
/// within the rectangle.
pub trait RangeView {
    /// Returns the number of rows.
    fn rows(&self) -> u32;
    /// Returns the number of columns.
    fn columns(&self) -> u32;
    /// Returns the number of leading rows after which all rows are blank, at most
    /// [`rows`](RangeView::rows).
    fn used_rows(&self) -> u32;
    /// Returns the number of leading columns after which all columns are blank, at most
    /// [`columns`](RangeView::columns).
    fn used_columns(&self) -> u32 {
        self.columns()
    }
    /// Returns the value of a cell.
    fn value(&self, row: u32, column: u32) -> Value;
    /// Calls `visit` with consecutive chunks of a column from its first row on, up to
    /// [`used_rows`](RangeView::used_rows) or earlier (remaining cells are blank), until it breaks.
    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>);

    /// Calls `visit` with the positions in a column or row of a number, Boolean or text
    /// (case-insensitive), if the view has an index of it. Returns `false` without a call
    /// otherwise.
    fn with_positions_of(
        &self,
        _axis: RowOrColumn,
        _value: ValueRef<'_>,
        _visit: &mut dyn FnMut(IndexMatches<'_>),
    ) -> bool {
        false
    }

    /// Returns the last row of a column whose number is at most `number`, if the column is known to
    /// contain only ascending numbers and blanks. `None` when that is not known.
    fn last_row_up_to(&self, _column: u32, _number: f64) -> Option<Option<u32>> {
        None
    }
}

/// The positions that an index returns: rows of a column, or columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct IndexMatches<'a> {
    /// Ascending positions in the sheet.
    pub positions: &'a [u32],
    /// Position in the sheet of the first row or column of the view.
    pub start: u32,
    /// Whether the indexed row or column contains numeric text, which criteria treat as numbers.
    pub has_numbers_as_text: bool,
}

impl IndexMatches<'_> {
    /// Returns the first position, relative to the view.
    pub fn first(&self) -> Option<u32> {
        self.positions.first().map(|position| position - self.start)
    }

    /// Returns the last position, relative to the view.
    pub fn last(&self) -> Option<u32> {
        self.positions.last().map(|position| position - self.start)
    }
}

/// Consecutive cells of a column.
#[derive(Clone, Copy)]
pub enum Chunk<'a> {
    /// A number of blank cells.
    Blank(u32),
    Numbers(&'a [f64]),
    Mixed(&'a dyn CellSequence),
}

/// Cells of mixed types.
pub trait CellSequence {
    /// Returns the number of cells.
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the value at `index`, which must be less than [`len`](CellSequence::len).
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
    /// Converts to an owned value.
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

/// A subsequence of cells.
struct CellSubsequence<'a> {
    cells: &'a dyn CellSequence,
    start: usize,
    length: usize,
}

impl CellSequence for CellSubsequence<'_> {
    fn len(&self) -> usize {
        self.length
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        self.cells.get(self.start + index)
    }
}

impl Chunk<'_> {
    /// Calls `visit` with at most the first `length` cells of the chunk.
    pub fn with_length_max<T>(self, length: u32, visit: impl FnOnce(Chunk<'_>) -> T) -> T {
        if self.len() <= length {
            return visit(self);
        }
        self.part(0, length, visit)
    }

    /// Calls `visit` with `length` cells of the chunk from `start` on. They must lie within the
    /// chunk.
    pub fn part<T>(self, start: u32, length: u32, visit: impl FnOnce(Chunk<'_>) -> T) -> T {
        let (first, count) = (start as usize, length as usize);
        match self {
            Chunk::Blank(_) => visit(Chunk::Blank(length)),
            Chunk::Numbers(numbers) => visit(Chunk::Numbers(&numbers[first..first + count])),
            Chunk::Mixed(cells) => {
                visit(Chunk::Mixed(&CellSubsequence { cells, start: first, length: count }))
            }
        }
    }

    /// Returns the number of cells.
    pub fn len(&self) -> u32 {
        match self {
            Chunk::Blank(count) => *count,
            Chunk::Numbers(numbers) => numbers.len() as u32,
            Chunk::Mixed(cells) => cells.len() as u32,
        }
    }

    /// Whether the chunk has no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows per chunk of an array, the same as the block size of a sheet.
const ARRAY_ROWS_IN_CHUNK: usize = 4_096;

/// A single value is a view of one cell.
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
        let _ = visit(Chunk::Mixed(&StridedCells { values: std::slice::from_ref(self), stride: 1 }));
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
        // In chunks, so that callers can poll for cancellation between them.
        let stride = Array::columns(self) as usize;
        for rows in self.values().chunks(stride * ARRAY_ROWS_IN_CHUNK) {
            let Some(values) = rows.get(column as usize..) else { return };
            if visit(Chunk::Mixed(&StridedCells { values, stride })).is_break() {
                return;
            }
        }
    }
}

/// Every `stride`-th value: a column of a row-major array.
struct StridedCells<'a> {
    values: &'a [Value],
    stride: usize,
}

impl CellSequence for StridedCells<'_> {
    fn len(&self) -> usize {
        self.values.len().div_ceil(self.stride)
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        ValueRef::from(&self.values[index * self.stride])
    }
}

impl Operand<'static> {
    /// Returns an error value as an operand.
    pub fn error(error: ErrorValue) -> Operand<'static> {
        Operand::Value(Value::Error(error))
    }
}

impl Operand<'_> {
    /// Returns the views of the operand: several for references with several areas, none for
    /// [`Operand::Reference`], one otherwise.
    pub fn views(&self) -> Vec<&dyn RangeView> {
        match self {
            Operand::Value(value) => vec![value],
            Operand::Array(array) => vec![array],
            Operand::Range(range) => range.areas.iter().map(|area| area.view).collect(),
            Operand::Missing => vec![&Value::Blank],
            Operand::Reference(..) => Vec::new(),
        }
    }

    /// Returns the view of the operand; `None` for references with several areas and
    /// [`Operand::Reference`].
    pub fn view(&self) -> Option<&dyn RangeView> {
        match self {
            Operand::Value(value) => Some(value),
            Operand::Array(array) => Some(array),
            Operand::Range(range) if range.areas.len() == 1 => Some(range.areas[0].view),
            Operand::Missing => Some(&Value::Blank),
            Operand::Range(_) | Operand::Reference(..) => None,
        }
    }

    /// Returns the value of an operand with a single cell; `None` for several cells.
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

    /// Whether the argument is empty.
    pub fn is_missing(&self) -> bool {
        matches!(self, Operand::Missing)
    }

    /// Whether the operand is a reference with a view.
    pub fn is_range(&self) -> bool {
        matches!(self, Operand::Range(_))
    }
}

impl<T: Into<Value>> From<T> for Operand<'static> {
    fn from(value: T) -> Operand<'static> {
        Operand::Value(value.into())
    }
}
