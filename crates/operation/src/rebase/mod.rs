//! Rebasing: transforms two concurrent transactions so that each can be applied after the other.
//!
//! To find the rule for a pair of operations, look up the pair in the table of
//! `docs/operations.md`, then search `pair.rs` for the rule's number:
//!
//! | file | rules |
//! |---|---|
//! | `pair.rs` | the `match` over all pairs; R1, R2, R3, R13, R14 |
//! | `cells.rs` | contents and formats: R4, R5, R6, R7 |
//! | `rows_columns.rs` | inserted and deleted rows and columns, sizes: R8, R11, R12, R16 |
//! | `moves.rs` | moved rows and columns: R8, R20 |
//! | `permutation.rs` | sorts: R9, R10 |
//! | `items.rs` | items: R17, R18, R19 |
//! | `names.rs` | defined names: R14, R15 |
//!
//! `relocate.rs` has the functions by which the ranges and formulas of an operation follow rows and
//! columns, and `outcome.rs` the result type. This file transforms lists of operations pair by
//! pair.

mod cells;
mod items;
mod moves;
mod names;
mod outcome;
mod pair;
pub(crate) mod permutation;
pub(crate) mod relocate;
mod rows_columns;

pub(crate) use names::{is_same_name, name_host};
use quadrille_cell::{Range, SheetId};

use crate::{Operation, Transaction};

/// Transforms `transaction` to follow the concurrent transaction `over`, which precedes it in the
/// room's order.
///
/// The result follows the rows and columns that `over` moved. Where both write the same cell, the
/// result still writes it: the later one wins.
pub fn rebase(transaction: &Transaction, over: &Transaction) -> Transaction {
    rebase_pair(transaction, over).0
}

/// Transforms two concurrent transactions against each other. Returns `(later over earlier, earlier
/// over later)`.
///
/// `earlier` precedes `later` in the room's order. Applying `earlier` and then the first result
/// gives the same workbook as applying `later` and then the second result, except in the cases that
/// `docs/operations.md` lists (E1 to E8). The second result is used only for the optimistic
/// document of a replica and for the rebase window of the room.
pub fn rebase_pair(later: &Transaction, earlier: &Transaction) -> (Transaction, Transaction) {
    if are_disjoint(later, earlier) {
        return (later.clone(), earlier.clone());
    }
    let (later, earlier) = transform_lists(later.operations.clone(), earlier.operations.clone());
    (Transaction { operations: later }, Transaction { operations: earlier })
}

/// Transforms the inverse of a transaction to follow `since`, which was applied after that
/// transaction. Cells that `since` wrote are not reverted.
///
/// The result is empty if nothing is left to revert.
pub fn rebase_undo(inverse: &Transaction, since: &Transaction) -> Transaction {
    rebase_pair(since, inverse).1
}

/// Transforms two lists of operations. Runs of operations that only write cells and formats are
/// compared as a whole, all others pair by pair.
fn transform_lists(later: Vec<Operation>, mut earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut rebased = Vec::with_capacity(later.len());
    for mut run in runs(later) {
        let mut rest = Vec::with_capacity(earlier.len());
        for other in runs(earlier) {
            let (transformed, other) = match is_writing(&run) && is_writing(&other) {
                true => {
                    let other = without_overwritten(&run, other);
                    (run, other)
                }
                false => transform_each(run, other),
            };
            run = transformed;
            rest.extend(other);
        }
        rebased.extend(run);
        earlier = rest;
    }
    (rebased, earlier)
}

/// Splits a list into runs of operations that write cells or formats and runs that do not.
fn runs(operations: Vec<Operation>) -> Vec<Vec<Operation>> {
    let mut runs: Vec<Vec<Operation>> = Vec::new();
    for operation in operations {
        match runs.last_mut() {
            Some(last) if written_range(&last[0]).is_some() == written_range(&operation).is_some() => {
                last.push(operation);
            }
            _ => runs.push(vec![operation]),
        }
    }
    runs
}

fn is_writing(operations: &[Operation]) -> bool {
    operations.iter().all(|operation| written_range(operation).is_some())
}

fn transform_each(later: Vec<Operation>, mut earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut rebased = Vec::with_capacity(later.len());
    for operation in later {
        let (operations, rest) = transform_one(operation, earlier);
        rebased.extend(operations);
        earlier = rest;
    }
    (rebased, earlier)
}

/// The common case of two runs that only write cells and formats: the later operations do not
/// change, and each earlier one loses what they overwrite. Only operations that share rows are
/// compared.
fn without_overwritten(later: &[Operation], earlier: Vec<Operation>) -> Vec<Operation> {
    let mut by_first_row: Vec<(u32, u32, usize)> = later
        .iter()
        .enumerate()
        .filter_map(|(index, operation)| written_range(operation).map(|(_, range)| (range, index)))
        .map(|(range, index)| (range.first().row.get(), range.last().row.get(), index))
        .collect();
    sort_by_first(&mut by_first_row);
    // Last row of all operations up to this one.
    let mut reach = 0;
    let reaches: Vec<u32> = by_first_row
        .iter()
        .map(|(_, last, _)| {
            reach = reach.max(*last);
            reach
        })
        .collect();
    let mut rest = Vec::with_capacity(earlier.len());
    for operation in earlier {
        let Some((_, range)) = written_range(&operation) else { continue };
        let (first, last) = (range.first().row.get(), range.last().row.get());
        let from = reaches.partition_point(|reach| *reach < first);
        let to = by_first_row.partition_point(|(start, _, _)| *start <= last);
        let candidates = by_first_row.get(from..to).unwrap_or_default().iter();
        let overlapping = candidates.filter(|(_, last, _)| *last >= first);
        let mut overlapping: Vec<_> = overlapping.map(|&(_, _, index)| (index as u32, 0, index)).collect();
        // In their order, because attributes are set again over a style that is applied.
        sort_by_first(&mut overlapping);
        let mut parts = vec![operation];
        for later in overlapping.into_iter().filter_map(|(_, _, index)| later.get(index)) {
            parts = parts
                .into_iter()
                .flat_map(|part| pair::rebase_operations(later, &part).earlier.unwrap_or_else(|| vec![part]))
                .collect();
        }
        rest.extend(parts);
    }
    rest
}

fn sort_by_first(list: &mut [(u32, u32, usize)]) {
    quadrille_cell::stable_sort_by_key(list, |(first, _, _)| *first);
}

/// Transforms one operation over a list. The recursion terminates because a rule that splits an
/// operation splits its cells: the parts are disjoint, and each meets each part of the other side
/// once.
fn transform_one(later: Operation, earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut parts = vec![later];
    let mut rebased = Vec::with_capacity(earlier.len());
    for operation in earlier {
        if parts.is_empty() {
            rebased.push(operation);
        } else if parts.len() == 1 {
            let outcome = pair::rebase_operations(&parts[0], &operation);
            parts = outcome.later.unwrap_or(parts);
            match outcome.earlier {
                Some(operations) => rebased.extend(operations),
                None => rebased.push(operation),
            }
        } else {
            let (operations, rest) = transform_each(parts, vec![operation]);
            parts = operations;
            rebased.extend(rest);
        }
    }
    (parts, rebased)
}

/// Returns whether both transactions only write cells and formats, in disjoint areas. Then neither
/// changes the other and their order does not matter. This is the most frequent case.
pub fn are_disjoint(a: &Transaction, b: &Transaction) -> bool {
    match (written_area(&a.operations), written_area(&b.operations)) {
        (Some(a), Some(b)) => areas_are_disjoint(&a, &b),
        _ => false,
    }
}

fn areas_are_disjoint(a: &[(SheetId, Range)], b: &[(SheetId, Range)]) -> bool {
    a.iter().all(|(sheet, range)| {
        b.iter().all(|(other_sheet, other)| sheet != other_sheet || !range.intersects(*other))
    })
}

/// Returns the bounding range of the written cells of each sheet; `None` if an operation does more
/// than write cells.
fn written_area(operations: &[Operation]) -> Option<Vec<(SheetId, Range)>> {
    let mut areas: Vec<(SheetId, Range)> = Vec::new();
    for operation in operations {
        let (sheet, range) = written_range(operation)?;
        match areas.iter_mut().find(|(known, _)| *known == sheet) {
            Some((_, area)) => *area = area.union(range),
            None => areas.push((sheet, range)),
        }
    }
    Some(areas)
}

/// Returns the range of an operation that only writes cells or formats; `None` for all others.
fn written_range(operation: &Operation) -> Option<(SheetId, Range)> {
    match operation {
        Operation::SetCells { sheet, range, .. }
        | Operation::FillCells { sheet, range, .. }
        | Operation::SetFormat { sheet, range, .. } => Some((*sheet, *range)),
        Operation::Restructure(_)
        | Operation::SetSizes { .. }
        | Operation::PermuteRows { .. }
        | Operation::AddSheet { .. }
        | Operation::RemoveSheet { .. }
        | Operation::RenameSheet { .. }
        | Operation::MoveSheet { .. }
        | Operation::DefineName { .. }
        | Operation::SetHidden { .. }
        | Operation::PutItem { .. }
        | Operation::PatchItem { .. }
        | Operation::RemoveItem { .. }
        | Operation::Tick => None,
    }
}
