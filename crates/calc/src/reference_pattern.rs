//! Reference patterns compress the dependency graph: they describe how the rows that a reference
//! covers follow the row of the formula.
//!
//! A run of 100,000 formulas `=SUM(A$1:A1)` has one reference with the pattern "from row 1 to the
//! host's row". The rows that the run reads, and the formulas affected by a changed row, follow
//! from the pattern without looking at single cells.

use quadrille_cell::{COLUMNS_MAX, Dimension, ROWS_MAX, SheetId};
use quadrille_formula::{Area, Coordinate};

/// A reference of a run of formulas in one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ReferencePattern {
    pub sheet: SheetId,
    /// First and last column, the same for the whole run.
    pub columns: (u32, u32),
    /// The two edges in either order; relative edges move with the host.
    pub rows: (Coordinate, Coordinate),
}

impl ReferencePattern {
    /// Creates the pattern of an area; `None` when its columns are outside the sheet (`#REF!`).
    pub fn new(sheet: SheetId, area: &Area, host_column: u32) -> Option<ReferencePattern> {
        let columns = |first: Coordinate, last: Coordinate| {
            let (a, b) = (first.resolve(host_column), last.resolve(host_column));
            let inside = |index: i64| (0..i64::from(COLUMNS_MAX)).contains(&index);
            (inside(a) && inside(b)).then(|| (a.min(b) as u32, a.max(b) as u32))
        };
        let all =
            |dimension: Dimension| (Coordinate::Absolute(0), Coordinate::Absolute(dimension.len_max() - 1));
        let (columns, rows) = match *area {
            Area::Cell(cell) => (columns(cell.column, cell.column)?, (cell.row, cell.row)),
            Area::Cells(first, last) => (columns(first.column, last.column)?, (first.row, last.row)),
            Area::Rows(first, last) => ((0, COLUMNS_MAX - 1), (first, last)),
            Area::Columns(first, last) => (columns(first, last)?, all(Dimension::Rows)),
        };
        Some(ReferencePattern { sheet, columns, rows })
    }

    /// The union of the rows that the formulas in `first..=last` read; `None` when outside the
    /// sheet.
    pub fn rows_of(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let edges = [
            self.rows.0.resolve(first),
            self.rows.0.resolve(last),
            self.rows.1.resolve(first),
            self.rows.1.resolve(last),
        ];
        let low = edges.into_iter().min().expect("there are four");
        let high = edges.into_iter().max().expect("there are four");
        let (low, high) = (low.max(0), high.min(i64::from(ROWS_MAX) - 1));
        (low <= high).then_some((low as u32, high as u32))
    }

    /// The formulas among `hosts` that read any of the rows `first..=last`.
    pub fn hosts_reading(&self, first: u32, last: u32, hosts: (u32, u32)) -> Option<(u32, u32)> {
        use Coordinate::{Absolute, Relative};
        let (first, last) = (i64::from(first), i64::from(last));
        let (low, high) = match self.rows {
            (Absolute(a), Absolute(b)) => {
                let (a, b) = (i64::from(a.min(b)), i64::from(a.max(b)));
                if a <= last && first <= b { (i64::MIN, i64::MAX) } else { return None }
            }
            (Relative(a), Relative(b)) => (first - i64::from(a.max(b)), last - i64::from(a.min(b))),
            (Absolute(fixed), Relative(offset)) | (Relative(offset), Absolute(fixed)) => {
                let (fixed, offset) = (i64::from(fixed), i64::from(offset));
                if fixed < first {
                    (first - offset, i64::MAX)
                } else if fixed > last {
                    (i64::MIN, last - offset)
                } else {
                    (i64::MIN, i64::MAX)
                }
            }
        };
        let low = low.max(i64::from(hosts.0));
        let high = high.min(i64::from(hosts.1));
        (low <= high).then_some((low as u32, high as u32))
    }

    /// The direction of the rows read, seen from any host in `hosts`.
    pub fn direction(&self, hosts: (u32, u32)) -> Direction {
        let edge = |edge: Coordinate| match edge {
            Coordinate::Relative(offset) if offset < 0 => Direction::Above,
            Coordinate::Relative(offset) if offset > 0 => Direction::Below,
            Coordinate::Relative(_) => Direction::Mixed,
            Coordinate::Absolute(row) if row < hosts.0 => Direction::Above,
            Coordinate::Absolute(row) if row > hosts.1 => Direction::Below,
            Coordinate::Absolute(_) => Direction::Mixed,
        };
        let (a, b) = (edge(self.rows.0), edge(self.rows.1));
        if a == b { a } else { Direction::Mixed }
    }

    /// Whether the reference covers a column.
    pub fn contains_column(&self, column: u32) -> bool {
        self.columns.0 <= column && column <= self.columns.1
    }
}

/// Rows strictly above the host, strictly below it, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Above,
    Below,
    Mixed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = Coordinate> {
        prop_oneof![(0u32..40).prop_map(Coordinate::Absolute), (-20i32..20).prop_map(Coordinate::Relative)]
    }

    proptest! {
        #[test]
        fn patterns_equal_single_references(
            a in coordinate(), b in coordinate(), host in (0u32..40, 0u32..40), changed in (0u32..40, 0u32..40)
        ) {
            let pattern = ReferencePattern { sheet: SheetId(1), columns: (0, 0), rows: (a, b) };
            let hosts = (host.0.min(host.1), host.0.max(host.1));
            let changed = (i64::from(changed.0.min(changed.1)), i64::from(changed.0.max(changed.1)));
            let reading: Vec<u32> = (hosts.0..=hosts.1)
                .filter(|host| {
                    let (a, b) = (a.resolve(*host), b.resolve(*host));
                    a.min(b) <= changed.1 && changed.0 <= a.max(b)
                })
                .collect();
            let found = pattern.hosts_reading(changed.0 as u32, changed.1 as u32, hosts);
            let expected = reading.first().map(|first| (*first, reading[reading.len() - 1]));
            prop_assert_eq!(found, expected);
            if let Some((first, last)) = found {
                prop_assert_eq!((last - first + 1) as usize, reading.len(), "hosts are consecutive");
            }
        }
    }
}
