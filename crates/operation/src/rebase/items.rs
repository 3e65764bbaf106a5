//! Items against items, and against rows and columns that move.

use std::sync::Arc;

use quadrille_cell::{Range, SheetId, StructuralEdit};
use quadrille_workbook::{ItemId, ItemKind};

use super::permutation::inverse_of;
use crate::Operation;
use crate::Operation::{PatchItem, PutItem, RemoveItem};
use crate::item::relocate::{
    Relocated, item_after_edit, item_after_sort, patch_after_edit, patch_after_sort,
};
use crate::rebase::outcome::Outcome;

/// Which item an operation is about.
fn place(operation: &Operation) -> Option<(Option<SheetId>, ItemId)> {
    if let PutItem { sheet, item, .. } | PatchItem { sheet, item, .. } | RemoveItem { sheet, item } =
        operation
    {
        Some((*sheet, *item))
    } else {
        None
    }
}

/// The kind that an operation makes an item be, and the cells that it claims for it.
fn claim(operation: &Operation) -> Option<(ItemKind, &[Range])> {
    if let PutItem { content, .. } = operation {
        Some((content.kind, &content.anchors))
    } else if let PatchItem { patch, .. } = operation {
        Some((patch.kind, patch.anchors.as_deref()?))
    } else {
        None
    }
}

/// Both want the same cells for items that may not overlap.
fn contend(later: &Operation, earlier: &Operation) -> bool {
    let (Some((kind, ranges)), Some((other, others))) = (claim(later), claim(earlier)) else { return false };
    kind == other
        && kind.schema().is_exclusive
        && ranges.iter().any(|range| others.iter().any(|other| range.intersects(*other)))
}

pub(super) fn item_over_item(later: &Operation, earlier: &Operation) -> Outcome {
    let (Some((sheet, item)), Some((other_sheet, other))) = (place(later), place(earlier)) else {
        return Outcome::unchanged();
    };
    if sheet != other_sheet {
        return Outcome::unchanged();
    }
    if item != other {
        // The later one drops what it overlaps; the earlier one is not put in again beside it.
        return match contend(later, earlier) {
            true => Outcome::earlier(vec![RemoveItem { sheet, item: other }]),
            false => Outcome::unchanged(),
        };
    }
    match (later, earlier) {
        (RemoveItem { .. }, RemoveItem { .. }) => Outcome::both(vec![], vec![]),
        // Removing wins over changing, and a whole item over a change of the one it replaces.
        (PatchItem { .. }, RemoveItem { .. } | PutItem { .. }) => Outcome::later(vec![]),
        // One of them is for another item, and does nothing.
        (PatchItem { patch, .. }, PatchItem { patch: before, .. }) if patch.kind != before.kind => {
            Outcome::unchanged()
        }
        (PatchItem { patch, .. }, PatchItem { patch: before, .. }) => {
            let rest = before.without(patch);
            match rest.is_empty() {
                true => Outcome::earlier(vec![]),
                false => Outcome::earlier(vec![PatchItem { sheet, item, patch: rest }]),
            }
        }
        _ => Outcome::earlier(vec![]),
    }
}

/// `None` when nothing changes.
pub(super) fn after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    if let PutItem { sheet, item, content } = operation {
        let put = |content| PutItem { sheet: *sheet, item: *item, content: Arc::new(content) };
        return match item_after_edit(content, *sheet, edit) {
            Relocated::Same => None,
            Relocated::Changed(content) => Some(vec![put(content)]),
            Relocated::Gone => Some(vec![RemoveItem { sheet: *sheet, item: *item }]),
        };
    }
    if let PatchItem { sheet, item, patch } = operation {
        return match patch_after_edit(patch, *sheet, edit) {
            Relocated::Same => None,
            Relocated::Changed(patch) => Some(vec![PatchItem { sheet: *sheet, item: *item, patch }]),
            // Moved to cells that are gone, and gone with them.
            Relocated::Gone => Some(vec![RemoveItem { sheet: *sheet, item: *item }]),
        };
    }
    None
}

/// `None` when nothing changes.
pub(super) fn after_sort(
    operation: &Operation,
    sheet: SheetId,
    sorted: Range,
    order: &[u32],
) -> Option<Vec<Operation>> {
    let to = inverse_of(order);
    if let PutItem { sheet: home, item, content } = operation {
        let content = item_after_sort(content, sorted, &to).filter(|_| *home == Some(sheet))?;
        return Some(vec![PutItem { sheet: *home, item: *item, content: Arc::new(content) }]);
    }
    if let PatchItem { sheet: home, item, patch } = operation {
        let patch = patch_after_sort(patch, sorted, &to).filter(|_| *home == Some(sheet))?;
        return Some(vec![PatchItem { sheet: *home, item: *item, patch }]);
    }
    None
}
