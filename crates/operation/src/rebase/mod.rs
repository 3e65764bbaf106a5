//! Concurrent transactions: what each becomes when the other has been applied before it.
//!
//! [`pair`] holds the rule for every two kinds of operation; this file leads whole transactions past one
//! another. `docs/operations.md` states the outcomes, and its examples are tests.

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

/// What becomes of `transaction` when `over`, made at the same time, comes before it in the room's order.
///
/// It follows the rows and columns that `over` moved, and where both write the same thing, writes it again:
/// the later one wins.
pub fn rebase(transaction: &Transaction, over: &Transaction) -> Transaction {
    rebase_pair(transaction, over).0
}

/// Leads two concurrent transactions past one another: `(later over earlier, earlier over later)`.
///
/// `earlier` stands before `later` in the room's order. Applying `earlier` and then the first result gives
/// the same workbook as applying `later` and then the second, with the exceptions that `docs/operations.md`
/// lists; the second result is only used for what a replica shows before the room has confirmed it, and for
/// the room's bridge to that replica.
pub fn rebase_pair(later: &Transaction, earlier: &Transaction) -> (Transaction, Transaction) {
    if are_apart(later, earlier) {
        return (later.clone(), earlier.clone());
    }
    let (later, earlier) = pass(later.operations.clone(), earlier.operations.clone());
    (Transaction { operations: later }, Transaction { operations: earlier })
}

/// What becomes of the inverse of a transaction when `since` was applied after that transaction: what others
/// have written since is left alone, and the rest is still taken back.
///
/// Empty when nothing is left to take back.
pub fn rebase_undo(inverse: &Transaction, since: &Transaction) -> Transaction {
    rebase_pair(since, inverse).1
}

/// Stretches that only write cells and formats are compared as wholes, everything else one by one.
fn pass(later: Vec<Operation>, mut earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut passed = Vec::with_capacity(later.len());
    for mut stretch in stretches(later) {
        let mut rest = Vec::with_capacity(earlier.len());
        for other in stretches(earlier) {
            let (led, other) = match is_writing(&stretch) && is_writing(&other) {
                true => {
                    let other = trimmed(&stretch, other);
                    (stretch, other)
                }
                false => pass_each(stretch, other),
            };
            stretch = led;
            rest.extend(other);
        }
        passed.extend(stretch);
        earlier = rest;
    }
    (passed, earlier)
}

/// Divides a list where writing begins or ends.
fn stretches(operations: Vec<Operation>) -> Vec<Vec<Operation>> {
    let mut stretches: Vec<Vec<Operation>> = Vec::new();
    for operation in operations {
        match stretches.last_mut() {
            Some(last) if written_range(&last[0]).is_some() == written_range(&operation).is_some() => {
                last.push(operation);
            }
            _ => stretches.push(vec![operation]),
        }
    }
    stretches
}

fn is_writing(operations: &[Operation]) -> bool {
    operations.iter().all(|operation| written_range(operation).is_some())
}

fn pass_each(later: Vec<Operation>, mut earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut passed = Vec::with_capacity(later.len());
    for operation in later {
        let (operations, rest) = pass_one(operation, earlier);
        passed.extend(operations);
        earlier = rest;
    }
    (passed, earlier)
}

/// The usual case, when both only write cells and formats: the later ones stay as they are, and each earlier
/// one loses what they write again. Only operations that share rows are compared.
fn trimmed(later: &[Operation], earlier: Vec<Operation>) -> Vec<Operation> {
    let mut by_first_row: Vec<(u32, u32, &Operation)> = later
        .iter()
        .filter_map(|operation| written_range(operation).map(|(_, range)| (range, operation)))
        .map(|(range, operation)| (range.first().row.get(), range.last().row.get(), operation))
        .collect();
    by_first_row.sort_by_key(|(first, _, _)| *first);
    // How far down the operations up to this one reach.
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
        let mut parts = vec![operation];
        for (_, end, later) in by_first_row.get(from..to).unwrap_or_default() {
            if *end >= first {
                parts = parts
                    .into_iter()
                    .flat_map(|part| {
                        pair::rebase_operations(later, &part).earlier.unwrap_or_else(|| vec![part])
                    })
                    .collect();
            }
        }
        rest.extend(parts);
    }
    rest
}

/// Ends because a rule that divides an operation divides its cells: the parts have nothing in common, and
/// each meets each part of the other side once.
fn pass_one(later: Operation, earlier: Vec<Operation>) -> (Vec<Operation>, Vec<Operation>) {
    let mut parts = vec![later];
    let mut passed = Vec::with_capacity(earlier.len());
    for operation in earlier {
        if parts.is_empty() {
            passed.push(operation);
        } else if parts.len() == 1 {
            let outcome = pair::rebase_operations(&parts[0], &operation);
            parts = outcome.later.unwrap_or(parts);
            match outcome.earlier {
                Some(operations) => passed.extend(operations),
                None => passed.push(operation),
            }
        } else {
            let (operations, rest) = pass_each(parts, vec![operation]);
            parts = operations;
            passed.extend(rest);
        }
    }
    (parts, passed)
}

/// Whether the two only write cells and formats, in places that have nothing in common: the usual case, and
/// then neither changes and their order does not matter.
pub fn are_apart(a: &Transaction, b: &Transaction) -> bool {
    match (written_area(&a.operations), written_area(&b.operations)) {
        (Some(a), Some(b)) => is_apart(&a, &b),
        _ => false,
    }
}

fn is_apart(a: &[(SheetId, Range)], b: &[(SheetId, Range)]) -> bool {
    a.iter().all(|(sheet, range)| {
        b.iter().all(|(other_sheet, other)| sheet != other_sheet || !range.intersects(*other))
    })
}

/// One range around everything written on each sheet; `None` when an operation does more than write cells.
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

/// What an operation that only writes cells or formats writes; `None` for the others.
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
