//! Positions. Indices are zero-based in memory and one-based on screen; both ends of a range are inclusive.

use std::fmt;

/// Rows of a sheet, as in XLSX (ECMA-376 part 1, 18.3.1.73).
pub const ROWS_MAX: u32 = 1_048_576;
/// Columns of a sheet, A to XFD, as in XLSX.
pub const COLUMNS_MAX: u32 = 16_384;

/// Zero-based row, always below [`ROWS_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RowIndex(u32);

/// Zero-based column, always below [`COLUMNS_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ColumnIndex(u32);

/// Identity of a sheet within its workbook; never reused, independent of name and order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SheetId(pub u32);

/// Rows or columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dimension {
    Rows,
    Columns,
}

impl Dimension {
    /// How many rows or columns a sheet has.
    pub const fn len_max(self) -> u32 {
        match self {
            Dimension::Rows => ROWS_MAX,
            Dimension::Columns => COLUMNS_MAX,
        }
    }
}

impl RowIndex {
    pub const LAST: RowIndex = RowIndex(ROWS_MAX - 1);

    /// `None` when the sheet has no such row.
    pub const fn new(index: u32) -> Option<RowIndex> {
        if index < ROWS_MAX { Some(RowIndex(index)) } else { None }
    }

    /// The row, or the sheet's last one when there is no such row.
    pub const fn clamped(index: u32) -> RowIndex {
        if index < ROWS_MAX { RowIndex(index) } else { RowIndex::LAST }
    }

    pub const fn get(self) -> u32 {
        self.0
    }
}

impl ColumnIndex {
    pub const LAST: ColumnIndex = ColumnIndex(COLUMNS_MAX - 1);

    /// `None` when the sheet has no such column.
    pub const fn new(index: u32) -> Option<ColumnIndex> {
        if index < COLUMNS_MAX { Some(ColumnIndex(index)) } else { None }
    }

    /// The column, or the sheet's last one when there is no such column.
    pub const fn clamped(index: u32) -> ColumnIndex {
        if index < COLUMNS_MAX { ColumnIndex(index) } else { ColumnIndex::LAST }
    }

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

/// One cell of a sheet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CellAddress {
    pub row: RowIndex,
    pub column: ColumnIndex,
}

impl CellAddress {
    /// Zero-based; `None` outside the sheet.
    pub const fn new(row: u32, column: u32) -> Option<CellAddress> {
        match (RowIndex::new(row), ColumnIndex::new(column)) {
            (Some(row), Some(column)) => Some(CellAddress { row, column }),
            _ => None,
        }
    }

    /// Zero-based; the nearest cell of the sheet when outside.
    pub const fn clamped(row: u32, column: u32) -> CellAddress {
        CellAddress { row: RowIndex::clamped(row), column: ColumnIndex::clamped(column) }
    }

    pub const fn index(self, dimension: Dimension) -> u32 {
        match dimension {
            Dimension::Rows => self.row.0,
            Dimension::Columns => self.column.0,
        }
    }
}

/// A rectangle of cells that cannot be empty or inverted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    first: CellAddress,
    last: CellAddress,
}

impl Range {
    /// The rectangle spanned by any two opposite corners.
    pub fn new(a: CellAddress, b: CellAddress) -> Range {
        Range {
            first: CellAddress { row: a.row.min(b.row), column: a.column.min(b.column) },
            last: CellAddress { row: a.row.max(b.row), column: a.column.max(b.column) },
        }
    }

    pub const fn cell(address: CellAddress) -> Range {
        Range { first: address, last: address }
    }

    /// Zero-based and inclusive; `None` when outside the sheet or inverted.
    pub fn from_indices(first_row: u32, first_column: u32, last_row: u32, last_column: u32) -> Option<Range> {
        if first_row > last_row || first_column > last_column {
            return None;
        }
        Some(Range {
            first: CellAddress::new(first_row, first_column)?,
            last: CellAddress::new(last_row, last_column)?,
        })
    }

    /// Every cell of a sheet.
    pub const fn whole_sheet() -> Range {
        Range {
            first: CellAddress { row: RowIndex(0), column: ColumnIndex(0) },
            last: CellAddress { row: RowIndex::LAST, column: ColumnIndex::LAST },
        }
    }

    /// Whole rows, zero-based and inclusive.
    pub fn rows(first: RowIndex, last: RowIndex) -> Range {
        Range::new(
            CellAddress { row: first, column: ColumnIndex(0) },
            CellAddress { row: last, column: ColumnIndex::LAST },
        )
    }

    /// Whole columns, zero-based and inclusive.
    pub fn columns(first: ColumnIndex, last: ColumnIndex) -> Range {
        Range::new(
            CellAddress { row: RowIndex(0), column: first },
            CellAddress { row: RowIndex::LAST, column: last },
        )
    }

    pub const fn first(self) -> CellAddress {
        self.first
    }

    pub const fn last(self) -> CellAddress {
        self.last
    }

    pub const fn row_count(self) -> u32 {
        self.last.row.0 - self.first.row.0 + 1
    }

    pub const fn column_count(self) -> u32 {
        self.last.column.0 - self.first.column.0 + 1
    }

    pub const fn cell_count(self) -> u64 {
        self.row_count() as u64 * self.column_count() as u64
    }

    pub const fn is_whole_rows(self) -> bool {
        self.first.column.0 == 0 && self.last.column.0 == COLUMNS_MAX - 1
    }

    pub const fn is_whole_columns(self) -> bool {
        self.first.row.0 == 0 && self.last.row.0 == ROWS_MAX - 1
    }

    pub fn contains(self, address: CellAddress) -> bool {
        self.first.row <= address.row
            && address.row <= self.last.row
            && self.first.column <= address.column
            && address.column <= self.last.column
    }

    pub fn contains_range(self, other: Range) -> bool {
        self.contains(other.first) && self.contains(other.last)
    }

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

    pub fn intersects(self, other: Range) -> bool {
        self.intersection(other).is_some()
    }

    /// The smallest range that holds both.
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

    /// What is left of this range when `other` is taken out: at most four ranges (above, below, left, right).
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

    /// Cells row by row, from the top left.
    pub fn cells(self) -> impl Iterator<Item = CellAddress> {
        (self.first.row.0..=self.last.row.0).flat_map(move |row| {
            (self.first.column.0..=self.last.column.0)
                .map(move |column| CellAddress { row: RowIndex(row), column: ColumnIndex(column) })
        })
    }
}

/// `A` for the first column, `XFD` for the last.
pub fn column_name(column: ColumnIndex) -> String {
    let mut letters = [0u8; 3];
    let mut at = letters.len();
    let mut rest = column.get() + 1;
    while rest > 0 {
        at -= 1;
        letters[at] = b'A' + ((rest - 1) % 26) as u8;
        rest = (rest - 1) / 26;
    }
    String::from_utf8_lossy(&letters[at..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(text: &str) -> Range {
        Range::parse_a1(text).expect("test ranges are valid")
    }

    #[test]
    fn subtracting_leaves_what_surrounds_the_hole() {
        let rest = range("A1:D4").subtract(range("B2:C3"));
        assert_eq!(rest, [range("A1:D1"), range("A4:D4"), range("A2:A3"), range("D2:D3")]);
        assert_eq!(range("A1:B2").subtract(range("C3")), [range("A1:B2")]);
        assert_eq!(range("B2").subtract(range("A1:D4")), []);
    }

    #[test]
    fn intersection_of_apart_ranges_is_none() {
        assert_eq!(range("A1:B2").intersection(range("B2:C3")), Some(range("B2")));
        assert_eq!(range("A1:B2").intersection(range("C1")), None);
    }

    fn small_range() -> impl Strategy<Value = Range> {
        (0u32..6, 0u32..6, 0u32..6, 0u32..6)
            .prop_map(|(a, b, c, d)| Range::new(CellAddress::clamped(a, b), CellAddress::clamped(c, d)))
    }

    proptest! {
        #[test]
        fn subtraction_partitions(a in small_range(), b in small_range()) {
            let rest = a.subtract(b);
            for cell in a.cells() {
                let pieces = rest.iter().filter(|piece| piece.contains(cell)).count();
                prop_assert_eq!(pieces, usize::from(!b.contains(cell)));
            }
            prop_assert!(rest.iter().all(|piece| a.contains_range(*piece)));
        }
    }
}
