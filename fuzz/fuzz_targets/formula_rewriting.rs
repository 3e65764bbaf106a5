//! Rewrites a filled formula for a structural edit: rewriting it once per split run equals
//! rewriting every cell. Moving a formula to another cell and back restores it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{
    COLUMNS_MAX, CellAddress, ColumnIndex, Dimension, EditKind, ROWS_MAX, SheetId, StructuralEdit,
};
use quadrille_formula::{Host, SheetNames, parse, rearrange, relocate, split_points};

struct NoSheets;

impl SheetNames for NoSheets {
    fn sheet_id(&self, _: &str) -> Option<SheetId> {
        None
    }

    fn sheet_name(&self, _: SheetId) -> Option<&str> {
        None
    }
}

fuzz_target!(|input: (u32, u32, u8, u32, u32, bool, bool, &str)| {
    let (row, column, length, at, count, deletes, in_columns, text) = input;
    let (row, column) = (row % ROWS_MAX, column % COLUMNS_MAX);
    let dimension = if in_columns { Dimension::Columns } else { Dimension::Rows };
    let at = at % dimension.len_max();
    let kind = if deletes { EditKind::Delete } else { EditKind::Insert };
    let count_max = if deletes { dimension.len_max() - at } else { dimension.len_max() };
    let edit = StructuralEdit { sheet: SheetId(1), dimension, kind, at, count: 1 + count % count_max };

    let host = |row: u32| Host { sheet: SheetId(1), cell: CellAddress::clamped(row, column) };
    let template = parse(text, host(row), &NoSheets);
    let last = (row + u32::from(length)).min(ROWS_MAX - 1);
    let points = split_points(&template, SheetId(1), ColumnIndex::clamped(column), (row, last), &edit);
    assert!(points.is_sorted() && points.iter().all(|point| row < *point && *point <= last));
    let mut start = row;
    for row in row..=last {
        if points.contains(&row) {
            start = row;
        }
        assert_eq!(rearrange(&template, host(row), &edit), rearrange(&template, host(start), &edit));
    }
    let elsewhere = Host { sheet: SheetId(1), cell: CellAddress::clamped(at, column / 2) };
    let moved = relocate(&template, host(row), elsewhere);
    assert_eq!(relocate(&moved, elsewhere, host(row)), template);
});
