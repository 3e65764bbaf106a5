//! Row and column indices, cell addresses and ranges.
//!
//! Indices are zero-based; only text is one-based. Both ends of a range are inclusive.

use std::fmt;

/// Number of rows of a sheet, as in XLSX (ECMA-376 part 1, 18.3.1.73).
pub const ROWS_MAX: u32 = 1_048_576;
/// Number of columns of a sheet, A to XFD, as in XLSX.
pub const COLUMNS_MAX: u32 = 16_384;

/// Zero-based index of a row, always below [`ROWS_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RowIndex(u32);

/// Zero-based index of a column, always below [`COLUMNS_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ColumnIndex(u32);

/// Identity of a sheet within its workbook. It is never reused and does not depend on the sheet's
/// name and position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SheetId(pub u32);

/// One of the two dimensions of a sheet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dimension {
    Rows,
    Columns,
}

impl Dimension {
    /// Number of rows or columns of a sheet.
    pub const fn len_max(self) -> u32 {
        match self {
            Dimension::Rows => ROWS_MAX,
            Dimension::Columns => COLUMNS_MAX,
        }
    }
}

impl RowIndex {
    /// The last row of a sheet.
    pub const LAST: RowIndex = RowIndex(ROWS_MAX - 1);

    /// The row at a zero-based index; `None` beyond the last row of a sheet.
    pub const fn new(index: u32) -> Option<RowIndex> {
        if index < ROWS_MAX { Some(RowIndex(index)) } else { None }
    }

    /// The row at a zero-based index; the last row of a sheet when the index is beyond it.
    pub const fn clamped(index: u32) -> RowIndex {
        if index < ROWS_MAX { RowIndex(index) } else { RowIndex::LAST }
    }

    /// The zero-based index.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl ColumnIndex {
    /// The last column of a sheet.
    pub const LAST: ColumnIndex = ColumnIndex(COLUMNS_MAX - 1);

    /// The column at a zero-based index; `None` beyond the last column of a sheet.
    pub const fn new(index: u32) -> Option<ColumnIndex> {
        if index < COLUMNS_MAX { Some(ColumnIndex(index)) } else { None }
    }

    /// The column at a zero-based index; the last column of a sheet when the index is beyond it.
    pub const fn clamped(index: u32) -> ColumnIndex {
        if index < COLUMNS_MAX { ColumnIndex(index) } else { ColumnIndex::LAST }
    }

    /// The zero-based index.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for RowIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.0 + 1)
    }
}

impl fmt::Debug for ColumnIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}", column_name(*self))
    }
}

/// The position of a cell within its sheet. Ordered by row, then by column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CellAddress {
    pub row: RowIndex,
    pub column: ColumnIndex,
}

impl CellAddress {
    /// The cell at zero-based indices; `None` outside the sheet.
    pub const fn new(row: u32, column: u32) -> Option<CellAddress> {
        match (RowIndex::new(row), ColumnIndex::new(column)) {
            (Some(row), Some(column)) => Some(CellAddress { row, column }),
            _ => None,
        }
    }

    /// The cell at zero-based indices; the nearest cell of the sheet when they are outside.
    pub const fn clamped(row: u32, column: u32) -> CellAddress {
        CellAddress { row: RowIndex::clamped(row), column: ColumnIndex::clamped(column) }
    }

    /// The zero-based index of the cell's row or column.
    pub const fn index(self, dimension: Dimension) -> u32 {
        match dimension {
            Dimension::Rows => self.row.0,
            Dimension::Columns => self.column.0,
        }
    }
}

/// A rectangle of cells of one sheet. It is never empty and never inverted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    first: CellAddress,
    last: CellAddress,
}

impl Range {
    /// The smallest range that contains two cells, which may be any opposite corners of it.
    pub fn new(a: CellAddress, b: CellAddress) -> Range {
        Range {
            first: CellAddress { row: a.row.min(b.row), column: a.column.min(b.column) },
            last: CellAddress { row: a.row.max(b.row), column: a.column.max(b.column) },
        }
    }

    /// The range of a single cell.
    pub const fn cell(address: CellAddress) -> Range {
        Range { first: address, last: address }
    }

    /// The range between zero-based, inclusive indices; `None` when it is inverted or ends outside
    /// the sheet.
    pub fn from_indices(first_row: u32, first_column: u32, last_row: u32, last_column: u32) -> Option<Range> {
        if first_row > last_row || first_column > last_column {
            return None;
        }
        Some(Range {
            first: CellAddress::new(first_row, first_column)?,
            last: CellAddress::new(last_row, last_column)?,
        })
    }

    /// All cells of a sheet.
    pub const fn whole_sheet() -> Range {
        Range {
            first: CellAddress { row: RowIndex(0), column: ColumnIndex(0) },
            last: CellAddress { row: RowIndex::LAST, column: ColumnIndex::LAST },
        }
    }

    /// The whole rows from `first` to `last`, both included, in either order.
    pub fn rows(first: RowIndex, last: RowIndex) -> Range {
        Range::new(
            CellAddress { row: first, column: ColumnIndex(0) },
            CellAddress { row: last, column: ColumnIndex::LAST },
        )
    }

    /// The whole columns from `first` to `last`, both included, in either order.
    pub fn columns(first: ColumnIndex, last: ColumnIndex) -> Range {
        Range::new(
            CellAddress { row: RowIndex(0), column: first },
            CellAddress { row: RowIndex::LAST, column: last },
        )
    }

    /// The top left cell.
    pub const fn first(self) -> CellAddress {
        self.first
    }

    /// The bottom right cell.
    pub const fn last(self) -> CellAddress {
        self.last
    }

    /// Number of rows; at least 1.
    pub const fn row_count(self) -> u32 {
        self.last.row.0 - self.first.row.0 + 1
    }

    /// Number of columns; at least 1.
    pub const fn column_count(self) -> u32 {
        self.last.column.0 - self.first.column.0 + 1
    }

    /// Number of cells; at least 1.
    pub const fn cell_count(self) -> u64 {
        self.row_count() as u64 * self.column_count() as u64
    }

    /// Returns `true` if the range consists of whole rows.
    pub const fn is_whole_rows(self) -> bool {
        self.first.column.0 == 0 && self.last.column.0 == COLUMNS_MAX - 1
    }

    /// Returns `true` if the range consists of whole columns.
    pub const fn is_whole_columns(self) -> bool {
        self.first.row.0 == 0 && self.last.row.0 == ROWS_MAX - 1
    }

    /// Returns `true` if the cell is in the range.
    pub fn contains(self, address: CellAddress) -> bool {
        self.first.row <= address.row
            && address.row <= self.last.row
            && self.first.column <= address.column
            && address.column <= self.last.column
    }

    /// Returns `true` if all cells of `other` are in the range.
    pub fn contains_range(self, other: Range) -> bool {
        self.contains(other.first) && self.contains(other.last)
    }

    /// The cells that are in both ranges; `None` when there are none.
    pub fn intersection(self, other: Range) -> Option<Range> {
        let first = CellAddress {
            row: self.first.row.max(other.first.row),
            column: self.first.column.max(other.first.column),
        };
        let last = CellAddress {
            row: self.last.row.min(other.last.row),
            column: self.last.column.min(other.last.column),
        };
        (first.row <= last.row && first.column <= last.column).then_some(Range { first, last })
    }

    /// Returns `true` if the ranges have a cell in common.
    pub fn intersects(self, other: Range) -> bool {
        self.intersection(other).is_some()
    }

    /// The smallest range that contains both ranges.
    pub fn union(self, other: Range) -> Range {
        Range {
            first: CellAddress {
                row: self.first.row.min(other.first.row),
                column: self.first.column.min(other.first.column),
            },
            last: CellAddress {
                row: self.last.row.max(other.last.row),
                column: self.last.column.max(other.last.column),
            },
        }
    }

    /// The cells of this range that are not in `other`, as at most four disjoint ranges: above,
    /// below, left and right of `other`.
    pub fn subtract(self, other: Range) -> Vec<Range> {
        let Some(hole) = self.intersection(other) else { return vec![self] };
        let mut rest = Vec::new();
        let at = |row: u32, column: u32| CellAddress { row: RowIndex(row), column: ColumnIndex(column) };
        let (top, bottom) = (self.first.row.0, self.last.row.0);
        let (left, right) = (self.first.column.0, self.last.column.0);
        let (hole_top, hole_bottom) = (hole.first.row.0, hole.last.row.0);
        let (hole_left, hole_right) = (hole.first.column.0, hole.last.column.0);
        if top < hole_top {
            rest.push(Range::new(at(top, left), at(hole_top - 1, right)));
        }
        if hole_bottom < bottom {
            rest.push(Range::new(at(hole_bottom + 1, left), at(bottom, right)));
        }
        if left < hole_left {
            rest.push(Range::new(at(hole_top, left), at(hole_bottom, hole_left - 1)));
        }
        if hole_right < right {
            rest.push(Range::new(at(hole_top, hole_right + 1), at(hole_bottom, right)));
        }
        rest
    }

    /// The cells of the range in row order, from the top left.
    pub fn cells(self) -> impl Iterator<Item = CellAddress> {
        (self.first.row.0..=self.last.row.0).flat_map(move |row| {
            (self.first.column.0..=self.last.column.0)
                .map(move |column| CellAddress { row: RowIndex(row), column: ColumnIndex(column) })
        })
    }
}

/// The letters of a column: `A` for the first, `XFD` for the last.
pub fn column_name(column: ColumnIndex) -> String {
    let mut letters = [0u8; 3];
    let mut start = letters.len();
    let mut rest = column.get() + 1;
    while rest > 0 {
        start -= 1;
        letters[start] = b'A' + ((rest - 1) % 26) as u8;
        rest = (rest - 1) / 26;
    }
    String::from_utf8_lossy(&letters[start..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(text: &str) -> Range {
        Range::parse_a1(text).expect("test ranges are valid")
    }

    #[test]
    fn subtraction_gives_the_ranges_around_the_intersection() {
        let rest = range("A1:D4").subtract(range("B2:C3"));
        assert_eq!(rest, [range("A1:D1"), range("A4:D4"), range("A2:A3"), range("D2:D3")]);
        assert_eq!(range("A1:B2").subtract(range("C3")), [range("A1:B2")]);
        assert_eq!(range("B2").subtract(range("A1:D4")), []);
    }

    #[test]
    fn disjoint_ranges_have_no_intersection() {
        assert_eq!(range("A1:B2").intersection(range("B2:C3")), Some(range("B2")));
        assert_eq!(range("A1:B2").intersection(range("C1")), None);
    }

    fn small_range() -> impl Strategy<Value = Range> {
        (0u32..6, 0u32..6, 0u32..6, 0u32..6)
            .prop_map(|(a, b, c, d)| Range::new(CellAddress::clamped(a, b), CellAddress::clamped(c, d)))
    }

    proptest! {
        #[test]
        fn subtraction_covers_each_remaining_cell_once(a in small_range(), b in small_range()) {
            let rest = a.subtract(b);
            for cell in a.cells() {
                let pieces = rest.iter().filter(|piece| piece.contains(cell)).count();
                prop_assert_eq!(pieces, usize::from(!b.contains(cell)));
            }
            prop_assert!(rest.iter().all(|piece| a.contains_range(*piece)));
        }
    }
}
