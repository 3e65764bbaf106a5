//! Resolving areas in relative form to ranges, and access to their coordinates.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, RowIndex};

use crate::{Area, CellReference, Coordinate};

/// Returns the range that an area covers in a formula at `host`. The corners of the area may be in
/// any order.
///
/// Returns `None` when a corner lies outside the sheet; such a reference evaluates to `#REF!`.
pub fn resolve_area(area: &Area, host: CellAddress) -> Option<Range> {
    match *area {
        Area::Cell(cell) => resolve_cell(cell, host).map(Range::cell),
        Area::Cells(first, last) => Some(Range::new(resolve_cell(first, host)?, resolve_cell(last, host)?)),
        Area::Rows(first, last) => Some(Range::rows(resolve_row(first, host)?, resolve_row(last, host)?)),
        Area::Columns(first, last) => {
            Some(Range::columns(resolve_column(first, host)?, resolve_column(last, host)?))
        }
    }
}

fn resolve_cell(cell: CellReference, host: CellAddress) -> Option<CellAddress> {
    Some(CellAddress { row: resolve_row(cell.row, host)?, column: resolve_column(cell.column, host)? })
}

fn resolve_row(row: Coordinate, host: CellAddress) -> Option<RowIndex> {
    u32::try_from(row.resolve(host.row.get())).ok().and_then(RowIndex::new)
}

fn resolve_column(column: Coordinate, host: CellAddress) -> Option<ColumnIndex> {
    u32::try_from(column.resolve(host.column.get())).ok().and_then(ColumnIndex::new)
}

/// Returns the coordinate of index `target` for a host at index `host`, absolute or relative as
/// `like` is. Both indices may lie outside the sheet.
pub(crate) fn coordinate_at(like: Coordinate, target: i64, host: i64) -> Coordinate {
    match like {
        Coordinate::Absolute(_) => Coordinate::Absolute(target.clamp(0, i64::from(u32::MAX)) as u32),
        Coordinate::Relative(_) => {
            let offset = target.saturating_sub(host);
            Coordinate::Relative(offset.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
        }
    }
}

impl Area {
    /// Returns the two coordinates along `dimension`, equal for a single cell; `None` for whole
    /// columns along rows and for whole rows along columns.
    pub(crate) fn coordinates(&self, dimension: Dimension) -> Option<(Coordinate, Coordinate)> {
        let of = |cell: CellReference| match dimension {
            Dimension::Rows => cell.row,
            Dimension::Columns => cell.column,
        };
        match (*self, dimension) {
            (Area::Cell(cell), _) => Some((of(cell), of(cell))),
            (Area::Cells(first, last), _) => Some((of(first), of(last))),
            (Area::Rows(first, last), Dimension::Rows) => Some((first, last)),
            (Area::Columns(first, last), Dimension::Columns) => Some((first, last)),
            (Area::Rows(..), Dimension::Columns) | (Area::Columns(..), Dimension::Rows) => None,
        }
    }

    /// Returns the area with other coordinates along `dimension`.
    pub(crate) fn with_coordinates(&self, dimension: Dimension, first: Coordinate, last: Coordinate) -> Area {
        let set = |cell: CellReference, coordinate: Coordinate| match dimension {
            Dimension::Rows => CellReference { row: coordinate, ..cell },
            Dimension::Columns => CellReference { column: coordinate, ..cell },
        };
        match (*self, dimension) {
            (Area::Cell(cell), _) => Area::Cell(set(cell, first)),
            (Area::Cells(a, b), _) => Area::Cells(set(a, first), set(b, last)),
            (Area::Rows(..), Dimension::Rows) => Area::Rows(first, last),
            (Area::Columns(..), Dimension::Columns) => Area::Columns(first, last),
            (unchanged @ (Area::Rows(..) | Area::Columns(..)), _) => unchanged,
        }
    }
}
