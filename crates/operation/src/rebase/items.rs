//! Items over items (R17), and how they follow inserted, deleted and moved rows and columns (R18)
//! and sorts (R19).
//!
//! [`item_over_item`] is R17, [`after_edit`] R18 and [`after_sort`] R19.

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

/// Returns the item that an operation concerns.
fn item_of(operation: &Operation) -> Option<(Option<SheetId>, ItemId)> {
    if let PutItem { sheet, item, .. } | PatchItem { sheet, item, .. } | RemoveItem { sheet, item } =
        operation
    {
        Some((*sheet, *item))
    } else {
        None
    }
}

/// Returns the kind and the anchors that an operation gives to an item.
fn anchored_cells(operation: &Operation) -> Option<(ItemKind, &[Range])> {
    if let PutItem { content, .. } = operation {
        Some((content.kind, &content.anchors))
    } else if let PatchItem { patch, .. } = operation {
        Some((patch.kind, patch.anchors.as_deref()?))
    } else {
        None
    }
}

/// Returns whether both operations place items of the same exclusive kind on the same cells.
fn are_conflicting(later: &Operation, earlier: &Operation) -> bool {
    let (Some((kind, ranges)), Some((other, others))) = (anchored_cells(later), anchored_cells(earlier))
    else {
        return false;
    };
    kind == other
        && kind.schema().is_exclusive
        && ranges.iter().any(|range| others.iter().any(|other| range.intersects(*other)))
}

/// Rebases two operations on items over each other (R17).
pub(super) fn item_over_item(later: &Operation, earlier: &Operation) -> Outcome {
    let (Some((sheet, item)), Some((other_sheet, other))) = (item_of(later), item_of(earlier)) else {
        return Outcome::unchanged();
    };
    if sheet != other_sheet {
        return Outcome::unchanged();
    }
    if item != other {
        // R17: the later item removes the items that it overlaps, so the earlier one is not added
        // beside it.
        return match are_conflicting(later, earlier) {
            true => Outcome::earlier(vec![RemoveItem { sheet, item: other }]),
            false => Outcome::unchanged(),
        };
    }
    match (later, earlier) {
        (RemoveItem { .. }, RemoveItem { .. }) => Outcome::both(vec![], vec![]),
        // Removing wins over changing, and replacing an item wins over changing the replaced one.
        (PatchItem { .. }, RemoveItem { .. } | PutItem { .. }) => Outcome::later(vec![]),
        // One of the patches is for an item of another kind and does nothing.
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
            Relocated::Unchanged => None,
            Relocated::Changed(content) => Some(vec![put(content)]),
            Relocated::Removed => Some(vec![RemoveItem { sheet: *sheet, item: *item }]),
        };
    }
    if let PatchItem { sheet, item, patch } = operation {
        return match patch_after_edit(patch, *sheet, edit) {
            Relocated::Unchanged => None,
            Relocated::Changed(patch) => Some(vec![PatchItem { sheet: *sheet, item: *item, patch }]),
            // The patch anchored the item to cells that are deleted, so the item is removed.
            Relocated::Removed => Some(vec![RemoveItem { sheet: *sheet, item: *item }]),
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
    if let PutItem { sheet: container, item, content } = operation {
        let content = item_after_sort(content, sorted, &to).filter(|_| *container == Some(sheet))?;
        return Some(vec![PutItem { sheet: *container, item: *item, content: Arc::new(content) }]);
    }
    if let PatchItem { sheet: container, item, patch } = operation {
        let patch = patch_after_sort(patch, sorted, &to).filter(|_| *container == Some(sheet))?;
        return Some(vec![PatchItem { sheet: *container, item: *item, patch }]);
    }
    None
}
