//! Applying operations on items, and relocating items when rows and columns move.

use std::sync::Arc;

use quadrille_cell::{EditKind, Range, SheetId, StructuralEdit};
use quadrille_workbook::{Item, ItemId, ItemKind, Items, Workbook, import_of};

use crate::apply::step::{Step, Touch};
use crate::cell_styles::style_format;
use crate::item::belongs_in;
use crate::item::relocate::{Relocated, item_after_edit, item_after_sort};
use crate::rebase::permutation::inverse_of;
use crate::{ItemPatch, Operation};

/// Applies `PutItem`.
pub(super) fn put(
    workbook: &mut Workbook,
    sheet: Option<SheetId>,
    id: ItemId,
    content: &Arc<Item>,
    step: &mut Step,
) {
    let Some(items) = workbook.items_of(sheet) else { return };
    if !belongs_in(sheet, id, content.kind) || !items.has_capacity_for(id, content) {
        return;
    }
    let restore = match items.get(id) {
        Some(before) if *before == *content => return,
        Some(before) => Operation::PutItem { sheet, item: id, content: before.clone() },
        None if is_absent(id, content) => return,
        None => Operation::RemoveItem { sheet, item: id },
    };
    step.inverse.push(restore);
    replace(workbook, sheet, id, Item::clone(content), step);
}

/// Settings without any field are stored as no item.
fn is_absent(id: ItemId, item: &Item) -> bool {
    id == ItemId::SETTINGS && item.fields.is_empty()
}

/// Stores an item and removes those that it overlaps.
fn replace(workbook: &mut Workbook, sheet: Option<SheetId>, id: ItemId, item: Item, step: &mut Step) {
    let Some(items) = workbook.items_of(sheet) else { return };
    for dropped in overlapped(items, id, &item) {
        if let Some(before) = workbook.set_item(sheet, dropped, None) {
            step.inverse.push(Operation::PutItem { sheet, item: dropped, content: before });
        }
    }
    let kind = item.kind;
    let item = (!is_absent(id, &item)).then_some(item);
    let before = workbook.set_item(sheet, id, item);
    step.touches.push(touch(sheet, id, kind));
    restyle(workbook, sheet, (id, kind), step);
    // A client may have given an import's id to something else.
    if let Some(before) = before.filter(|before| before.kind != kind) {
        restyle(workbook, sheet, (id, before.kind), step);
        step.touches.push(touch(sheet, id, before.kind));
    }
}

/// Updates the cells whose style is the item of the workbook with this id. What a cell has from its
/// style depends on nothing but the style, so the inverse needs no formats.
fn restyle(workbook: &mut Workbook, sheet: Option<SheetId>, (id, kind): (ItemId, ItemKind), step: &mut Step) {
    if sheet.is_some() || kind != ItemKind::CellStyle {
        return;
    }
    let style = style_format(workbook, id);
    let changed = workbook.restyle(&|of| (of == id).then(|| style.clone()));
    step.touches.extend(changed.into_iter().map(|sheet| Touch::Formats(sheet, Range::whole_sheet())));
}

/// What a change of an item touches.
fn touch(sheet: Option<SheetId>, id: ItemId, kind: ItemKind) -> Touch {
    match kind.is_imported() {
        true => Touch::Import(import_of(id)),
        false => Touch::Items(sheet),
    }
}

/// Returns the items of an exclusive kind that `item` would overlap; they are removed.
fn overlapped(items: &Items, id: ItemId, item: &Item) -> Vec<ItemId> {
    if !item.kind.schema().is_exclusive {
        return Vec::new();
    }
    let others = items.of_kind(item.kind).filter(|(other, _)| *other != id);
    others.filter(|(_, other)| other.overlaps(item)).map(|(other, _)| other).collect()
}

/// Applies `PatchItem`.
pub(super) fn patch(
    workbook: &mut Workbook,
    sheet: Option<SheetId>,
    id: ItemId,
    patch: &ItemPatch,
    step: &mut Step,
) {
    let Some(items) = workbook.items_of(sheet) else { return };
    let before = match items.get(id) {
        Some(before) => before.clone(),
        None if id == ItemId::SETTINGS => Arc::new(Item::new(patch.kind)),
        None => return,
    };
    if before.kind != patch.kind || !belongs_in(sheet, id, patch.kind) {
        return;
    }
    let after = patch.apply_to(&before);
    if after == *before || !items.has_capacity_for(id, &after) {
        return;
    }
    step.inverse.push(Operation::PatchItem { sheet, item: id, patch: patch.inverse_for(&before) });
    replace(workbook, sheet, id, after, step);
}

/// Applies `RemoveItem`.
pub(super) fn remove(workbook: &mut Workbook, sheet: Option<SheetId>, id: ItemId, step: &mut Step) {
    if workbook.items_of(sheet).is_none_or(|items| items.get(id).is_none()) {
        return;
    }
    if let Some(before) = workbook.set_item(sheet, id, None) {
        step.touches.push(touch(sheet, id, before.kind));
        restyle(workbook, sheet, (id, before.kind), step);
        step.inverse.push(Operation::PutItem { sheet, item: id, content: before });
    }
}

/// Relocates anchors in the edited sheet and formulas of all items. The inverse restores the items
/// that the inverse edit alone would not.
pub(super) fn restructure(
    workbook: &mut Workbook,
    edit: &StructuralEdit,
    inverse_edit: &StructuralEdit,
    step: &mut Step,
) {
    let sheets: Vec<Option<SheetId>> =
        workbook.sheets().iter().map(|sheet| Some(sheet.id())).chain([None]).collect();
    for sheet in sheets {
        let Some(items) = workbook.items_of(sheet).filter(|items| !items.is_empty()) else { continue };
        let mut changed: Vec<(ItemId, Option<Item>)> = Vec::new();
        for (id, item) in items.iter() {
            let restores = |edited: &Item| match item_after_edit(edited, sheet, inverse_edit) {
                Relocated::Unchanged => *edited == **item,
                Relocated::Changed(restored) => restored == **item,
                Relocated::Removed => false,
            };
            let is_restored = match item_after_edit(item, sheet, edit) {
                Relocated::Unchanged => restores(item),
                Relocated::Changed(after) => {
                    let is_restored = restores(&after);
                    changed.push((id, Some(after)));
                    is_restored
                }
                Relocated::Removed => {
                    changed.push((id, None));
                    false
                }
            };
            if !is_restored {
                step.inverse.push(Operation::PutItem { sheet, item: id, content: item.clone() });
            }
        }
        let moved: Vec<ItemId> = match edit.kind {
            EditKind::Move { .. } => changed.iter().map(|(id, _)| *id).collect(),
            EditKind::Insert | EditKind::Delete => Vec::new(),
        };
        let before = items.clone();
        set_all(workbook, sheet, changed, step);
        make_room(workbook, sheet, &before, moved, step);
    }
}

/// Moved rows or columns may bring an item over another one of an exclusive kind. The moved or
/// widened item stays; the other is removed.
fn make_room(
    workbook: &mut Workbook,
    sheet: Option<SheetId>,
    before: &Items,
    moved: Vec<ItemId>,
    step: &mut Step,
) {
    for id in moved {
        let Some(items) = workbook.items_of(sheet) else { return };
        let Some(item) = items.get(id).cloned() else { continue };
        for dropped in overlapped(items, id, &item) {
            workbook.set_item(sheet, dropped, None);
            if let Some(content) = before.get(dropped) {
                step.inverse.push(Operation::PutItem { sheet, item: dropped, content: content.clone() });
            }
        }
    }
}

/// Moves single-cell items with their rows. The inverse sort moves them back.
pub(super) fn permute_rows(
    workbook: &mut Workbook,
    sheet: SheetId,
    range: Range,
    order: &[u32],
    step: &mut Step,
) {
    let Some(items) = workbook.items_of(Some(sheet)).filter(|items| !items.is_empty()) else { return };
    let to = inverse_of(order);
    let changed = items
        .iter()
        .filter_map(|(id, item)| item_after_sort(item, range, &to).map(|after| (id, Some(after))))
        .collect();
    set_all(workbook, Some(sheet), changed, step);
}

fn set_all(
    workbook: &mut Workbook,
    sheet: Option<SheetId>,
    changed: Vec<(ItemId, Option<Item>)>,
    step: &mut Step,
) {
    if !changed.is_empty() {
        step.touches.push(Touch::Items(sheet));
    }
    for (id, item) in changed {
        workbook.set_item(sheet, id, item);
    }
}
