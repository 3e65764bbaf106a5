//! Cells that an array formula or a pivot table fills. They have no input: a copy of them has their
//! values, and some commands refuse to take an array or a pivot table apart.

use quadrille_cell::{CellAddress, Range, stable_sort_by_key};
use quadrille_workbook::{Format, Input, ItemId, ItemKind, Sheet, Workbook};

use crate::plan::planner::Planner;
use crate::{Command, CommandError, Operation, Transaction};

/// The cells of an array or a pivot table.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Filled {
    /// The cell of the formula, or the first cell of the pivot table.
    pub anchor: CellAddress,
    /// All cells, with the anchor.
    pub area: Range,
    pub is_pivot: bool,
}

/// The arrays and pivot tables that fill cells of `range`. Those of which only the formula is in the
/// range are not among them.
pub(super) fn filled_in(sheet: &Sheet, range: Range) -> Vec<Filled> {
    let (top, bottom) = (range.first().row.get(), range.last().row.get());
    let mut anchors: Vec<CellAddress> = Vec::new();
    for (_, column) in sheet.columns_in(range) {
        anchors.extend(column.spilled().iter_in(top, bottom).map(|run| *run.value));
    }
    stable_sort_by_key(&mut anchors, |anchor| (anchor.row, anchor.column));
    anchors.dedup();
    anchors.into_iter().map(|anchor| filled_from(sheet, anchor)).collect()
}

/// The cells that are filled from `anchor`.
fn filled_from(sheet: &Sheet, anchor: CellAddress) -> Filled {
    Filled { anchor, area: sheet.spilled_range(anchor), is_pivot: sheet.formula(anchor).is_none() }
}

/// Whether the formula of a cell fills other cells too.
pub(super) fn is_array_anchor(sheet: &Sheet, cell: CellAddress) -> bool {
    let (row, column) = (cell.row.get(), cell.column.get());
    [(row + 1, column), (row, column + 1)].into_iter().any(|(row, column)| {
        CellAddress::new(row, column).is_some_and(|beside| sheet.spill_anchor(beside) == Some(cell))
    })
}

/// What a copy of a cell has as input. An array spills again where its formula is copied too, which
/// `is_copied` tells of the cell of the formula; other filled cells are copied as values.
pub(super) fn copied_input(
    sheet: &Sheet,
    cell: CellAddress,
    is_copied: impl Fn(CellAddress) -> bool,
) -> Input {
    match sheet.spill_anchor(cell) {
        Some(anchor) if sheet.formula(anchor).is_none() || !is_copied(anchor) => {
            Input::from(sheet.value(cell))
        }
        _ => sheet.input(cell),
    }
}

/// The filled cells of `source` that are copied as values, with these values. `copied` are the
/// pivot tables that are copied themselves.
pub(super) fn copied_values(sheet: &Sheet, source: Range, copied: &[Filled]) -> Vec<Operation> {
    let filled = filled_in(sheet, source).into_iter().filter(|filled| match filled.is_pivot {
        true => !copied.contains(filled),
        false => !source.contains(filled.anchor),
    });
    let parts = filled.filter_map(|filled| filled.area.intersection(source));
    parts
        .map(|range| {
            let inputs = range.cells().map(|cell| Input::from(sheet.value(cell))).collect();
            Operation::SetCells { sheet: sheet.id(), range, inputs }
        })
        .collect()
}

/// The pivot table whose first cell is `anchor`.
pub(super) fn pivot_table_at(sheet: &Sheet, anchor: CellAddress) -> Option<ItemId> {
    let mut tables = sheet.items().of_kind(ItemKind::PivotTable);
    let is_there = |ranges: &[Range]| ranges.first().is_some_and(|range| range.first() == anchor);
    tables.find(|(_, table)| is_there(&table.anchors)).map(|(id, _)| id)
}

/// The pivot tables whose cells are all in `range`.
pub(super) fn whole_pivot_tables(sheet: &Sheet, range: Range) -> Vec<Filled> {
    if !sheet.items().has_pivot_tables() {
        return Vec::new();
    }
    let mut filled = filled_in(sheet, range);
    filled.retain(|filled| filled.is_pivot && range.contains_range(filled.area));
    filled
}

/// Removes the pivot tables whose cells are all in `range`, which is cleared.
pub(super) fn removed_pivot_tables(sheet: &Sheet, range: Range) -> Vec<Operation> {
    let whole = whole_pivot_tables(sheet, range).into_iter();
    let items = whole.filter_map(|filled| pivot_table_at(sheet, filled.anchor));
    items.map(|item| Operation::RemoveItem { sheet: Some(sheet.id()), item }).collect()
}

/// Checks that sorting the rows of `range` moves each array with its formula.
///
/// # Errors
/// [`CommandError::SortedPivotTable`] and [`CommandError::SortedArray`].
pub(super) fn check_sortable(sheet: &Sheet, range: Range) -> Result<(), CommandError> {
    for filled in filled_in(sheet, range) {
        if filled.is_pivot {
            return Err(CommandError::SortedPivotTable);
        }
        if filled.area.row_count() > 1 || !range.contains(filled.anchor) {
            return Err(CommandError::SortedArray { formula: filled.anchor.to_string() });
        }
    }
    Ok(())
}

/// Checks that cut cells contain pivot tables as a whole, and arrays with their formulas.
///
/// # Errors
/// [`CommandError::PartOfPivotTable`] and [`CommandError::PartOfArray`].
pub(super) fn check_movable(sheet: &Sheet, range: Range) -> Result<(), CommandError> {
    for filled in filled_in(sheet, range) {
        if filled.is_pivot && !range.contains_range(filled.area) {
            return Err(CommandError::PartOfPivotTable);
        }
        if !range.contains(filled.anchor) {
            return Err(CommandError::PartOfArray { formula: filled.anchor.to_string() });
        }
    }
    Ok(())
}

/// Checks a transaction that a person's command has become: it must not write into the cells of a pivot
/// table or clear a part of them. Changes of programs and of others at the same time are not checked;
/// they block the pivot table, as [`#SPILL!`](quadrille_cell::ErrorValue) tells.
///
/// # Errors
/// [`CommandError::CellsOfPivotTable`] and [`CommandError::PartOfPivotTable`].
pub fn check_pivot_tables(
    command: &Command,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), CommandError> {
    if !workbook.sheets().iter().any(|sheet| sheet.items().has_pivot_tables()) {
        return Ok(());
    }
    let changed: Vec<ItemId> = transaction.operations.iter().filter_map(changed_item).collect();
    let is_kept = |sheet: &Sheet, filled: &Filled| {
        filled.is_pivot && pivot_table_at(sheet, filled.anchor).is_some_and(|item| !changed.contains(&item))
    };
    for operation in &transaction.operations {
        let (sheet, range, error) = match operation {
            // Positions after it are others.
            Operation::Restructure(_) => return Ok(()),
            Operation::SetCells { sheet, range, inputs } => {
                let mut inputs = range.cells().zip(inputs);
                let is_written = |(_, input): &(CellAddress, &Input)| **input != Input::Blank;
                let Some((first, _)) = inputs.find(is_written) else { continue };
                let written = inputs.filter(is_written);
                let written =
                    written.fold(Range::cell(first), |range, (cell, _)| range.union(Range::cell(cell)));
                (sheet, written, CommandError::CellsOfPivotTable)
            }
            Operation::FillCells { sheet, range, input } if *input != Input::Blank => {
                (sheet, *range, CommandError::CellsOfPivotTable)
            }
            Operation::FillCells { sheet, range, .. } if clears(command) => {
                (sheet, *range, CommandError::PartOfPivotTable)
            }
            _ => continue,
        };
        if let Some(sheet) = workbook.sheet(*sheet)
            && filled_in(sheet, range).iter().any(|filled| is_kept(sheet, filled))
        {
            return Err(error);
        }
    }
    Ok(())
}

fn changed_item(operation: &Operation) -> Option<ItemId> {
    match operation {
        Operation::PutItem { item, .. }
        | Operation::PatchItem { item, .. }
        | Operation::RemoveItem { item, .. } => Some(*item),
        _ => None,
    }
}

fn clears(command: &Command) -> bool {
    // A stack instead of recursion, because the sender determines the nesting depth.
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        match command {
            Command::Clear { .. } => return true,
            Command::Many { commands } => waiting.extend(commands),
            Command::VisibleRows { command, .. } => waiting.push(command),
            _ => {}
        }
    }
    false
}

impl Planner<'_> {
    /// The formats of cells that a copy of them has: those of the cells, and over them those that a
    /// pivot table gives to its cells.
    /// `copied` are the pivot tables that are copied themselves.
    pub(super) fn copied_formats(
        &self,
        sheet: &Sheet,
        source: Range,
        copied: &[Filled],
    ) -> Vec<(Range, Format)> {
        let mut runs: Vec<(Range, Format)> =
            sheet.format_runs(source).map(|(range, format)| (range, format.clone())).collect();
        if !sheet.items().has_pivot_tables() {
            return runs;
        }
        for filled in filled_in(sheet, source) {
            if !filled.is_pivot || copied.contains(&filled) {
                continue;
            }
            let Some(part) = filled.area.intersection(source) else { continue };
            let first_run = runs.len();
            for column in part.first().column.get()..=part.last().column.get() {
                for row in part.first().row.get()..=part.last().row.get() {
                    let cell = CellAddress::clamped(row, column);
                    let Some(format) = (self.displayed_format)(sheet, cell) else { continue };
                    match runs[first_run..].last_mut() {
                        Some((range, same)) if *same == format && range.last().column == cell.column => {
                            *range = range.union(Range::cell(cell));
                        }
                        _ => runs.push((Range::cell(cell), format)),
                    }
                }
            }
        }
        runs
    }
}
