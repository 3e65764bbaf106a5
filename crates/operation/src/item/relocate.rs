//! How items follow inserted, deleted, moved and sorted rows and columns (R18, R19).

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, rearrange};
use quadrille_workbook::{FieldValue, Item, ItemKind};

use crate::ItemPatch;
use crate::rebase::name_host;
use crate::rebase::relocate::with_span;

/// The result of relocating an item or a patch.
#[derive(Debug)]
pub(crate) enum Relocated<T> {
    Unchanged,
    Changed(T),
    /// All cells of the anchors were deleted, or fewer remain than the kind requires.
    Removed,
}

/// Returns the item after a structural edit.
pub(crate) fn item_after_edit(item: &Item, sheet: Option<SheetId>, edit: &StructuralEdit) -> Relocated<Item> {
    let mut after = item.clone();
    if sheet == Some(edit.sheet) && !item.anchors.is_empty() {
        match anchors_after_edit(item.kind, &item.anchors, edit) {
            Some(anchors) => after.anchors = anchors,
            None => return Relocated::Removed,
        }
    }
    for value in after.fields.values_mut() {
        relocate_formulas(value, sheet, edit);
    }
    if after == *item { Relocated::Unchanged } else { Relocated::Changed(after) }
}

/// Returns the patch after a structural edit.
pub(crate) fn patch_after_edit(
    patch: &ItemPatch,
    sheet: Option<SheetId>,
    edit: &StructuralEdit,
) -> Relocated<ItemPatch> {
    let mut after = patch.clone();
    if let Some(anchors) = &patch.anchors
        && sheet == Some(edit.sheet)
        && !anchors.is_empty()
    {
        match anchors_after_edit(patch.kind, anchors, edit) {
            Some(anchors) => after.anchors = Some(anchors),
            None => return Relocated::Removed,
        }
    }
    for value in after.fields.values_mut().flatten() {
        relocate_formulas(value, sheet, edit);
    }
    if after == *patch { Relocated::Unchanged } else { Relocated::Changed(after) }
}

/// Returns the anchors after the edit; `None` if fewer cells remain than the kind requires.
fn anchors_after_edit(kind: ItemKind, anchors: &[Range], edit: &StructuralEdit) -> Option<Vec<Range>> {
    let after: Vec<Range> = anchors.iter().filter_map(|anchor| edit.map_range(*anchor)).collect();
    let cells: u64 = after.iter().map(|anchor| anchor.cell_count()).sum();
    (cells >= kind.schema().cells_min).then_some(after)
}

/// Rewrites the formulas of a field's value for an edit.
fn relocate_formulas(value: &mut FieldValue, sheet: Option<SheetId>, edit: &StructuralEdit) {
    match value {
        FieldValue::Formula { at, template } => {
            let sheet = sheet.unwrap_or(name_host().sheet);
            let (before, after) = match sheet == edit.sheet {
                true => relocated_host(*at, edit),
                false => (*at, *at),
            };
            if let Some(rewritten) = rearrange(template, Host { sheet, cell: before }, edit) {
                *template = rewritten;
            }
            *at = after;
        }
        FieldValue::List(values) => values.iter_mut().for_each(|value| relocate_formulas(value, sheet, edit)),
        FieldValue::Record(fields) => {
            fields.values_mut().for_each(|value| relocate_formulas(value, sheet, edit));
        }
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Text(_) | FieldValue::Color(_) => {}
    }
}

/// Returns the cell to which a formula is relative, before and after the edit. If that cell is
/// deleted, the next remaining cell is used instead, because the formula of a range is the same in
/// each of its cells.
fn relocated_host(at: CellAddress, edit: &StructuralEdit) -> (CellAddress, CellAddress) {
    let with_index = |index: u32| with_span(Range::cell(at), edit.dimension, index, 1).first();
    let next = match edit.kind {
        EditKind::Delete => edit.at.checked_add(edit.count),
        EditKind::Insert | EditKind::Move { .. } => None,
    };
    let candidates = [Some(at.index(edit.dimension)), next, edit.at.checked_sub(1)];
    for index in candidates.into_iter().flatten().filter(|index| *index < edit.dimension.len_max()) {
        if let Some(after) = edit.map_index(index) {
            return (with_index(index), with_index(after));
        }
    }
    (at, at)
}

/// Returns the item after a sort; `None` if it does not change. Only single-cell items of certain
/// kinds follow a sort. `to` gives the new row of each row of `sorted`, both counted from its first
/// row.
pub(crate) fn item_after_sort(item: &Item, sorted: Range, to: &[u32]) -> Option<Item> {
    if !item.kind.schema().follows_sort {
        return None;
    }
    let mut after = item.clone();
    follow_sort(&mut after.anchors, &mut after.fields.values_mut(), sorted, to);
    (after != *item).then_some(after)
}

/// Like [`item_after_sort`], for a patch.
pub(crate) fn patch_after_sort(patch: &ItemPatch, sorted: Range, to: &[u32]) -> Option<ItemPatch> {
    if !patch.kind.schema().follows_sort {
        return None;
    }
    let mut after = patch.clone();
    let anchors = after.anchors.as_deref_mut().unwrap_or_default();
    follow_sort(anchors, &mut after.fields.values_mut().flatten(), sorted, to);
    (after != *patch).then_some(after)
}

fn follow_sort(
    anchors: &mut [Range],
    values: &mut dyn Iterator<Item = &mut FieldValue>,
    sorted: Range,
    to: &[u32],
) {
    for anchor in anchors {
        *anchor = range_after_sort(*anchor, sorted, to);
    }
    for value in values {
        value_after_sort(value, sorted, to);
    }
}

fn range_after_sort(range: Range, sorted: Range, to: &[u32]) -> Range {
    if range.cell_count() != 1 || !sorted.contains_range(range) {
        return range;
    }
    let top = sorted.first().row.get();
    match to.get((range.first().row.get() - top) as usize) {
        Some(row) => with_span(range, Dimension::Rows, top + row, 1),
        None => range,
    }
}

fn value_after_sort(value: &mut FieldValue, sorted: Range, to: &[u32]) {
    let each = |values: &mut dyn Iterator<Item = &mut FieldValue>| {
        values.for_each(|value| value_after_sort(value, sorted, to));
    };
    match value {
        FieldValue::Formula { at, .. } => *at = range_after_sort(Range::cell(*at), sorted, to).first(),
        FieldValue::List(values) => each(&mut values.iter_mut()),
        FieldValue::Record(fields) => each(&mut BTreeMap::values_mut(fields)),
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Text(_) | FieldValue::Color(_) => {}
    }
}
