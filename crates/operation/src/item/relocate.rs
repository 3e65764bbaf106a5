//! How items move with rows and columns, and with sorted rows.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, rearrange};
use quadrille_workbook::{FieldValue, Item, ItemKind};

use crate::ItemPatch;
use crate::rebase::name_host;
use crate::rebase::relocate::with_lines;

/// What became of something that moves with rows and columns.
#[derive(Debug)]
pub(crate) enum Relocated<T> {
    Same,
    Changed(T),
    /// Every cell that it was anchored to is gone.
    Gone,
}

pub(crate) fn item_after_edit(item: &Item, sheet: Option<SheetId>, edit: &StructuralEdit) -> Relocated<Item> {
    let mut after = item.clone();
    if sheet == Some(edit.sheet) && !item.anchors.is_empty() {
        match anchors_after_edit(item.kind, &item.anchors, edit) {
            Some(anchors) => after.anchors = anchors,
            None => return Relocated::Gone,
        }
    }
    for value in after.fields.values_mut() {
        follow_edit(value, sheet, edit);
    }
    if after == *item { Relocated::Same } else { Relocated::Changed(after) }
}

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
            None => return Relocated::Gone,
        }
    }
    for value in after.fields.values_mut().flatten() {
        follow_edit(value, sheet, edit);
    }
    if after == *patch { Relocated::Same } else { Relocated::Changed(after) }
}

/// `None` when nothing, or less than the kind needs, is left.
fn anchors_after_edit(kind: ItemKind, anchors: &[Range], edit: &StructuralEdit) -> Option<Vec<Range>> {
    let after: Vec<Range> = anchors.iter().filter_map(|anchor| edit.map_range(*anchor)).collect();
    let cells: u64 = after.iter().map(|anchor| anchor.cell_count()).sum();
    (cells >= kind.schema().cells_min).then_some(after)
}

fn follow_edit(value: &mut FieldValue, sheet: Option<SheetId>, edit: &StructuralEdit) {
    match value {
        FieldValue::Formula { at, template } => {
            let sheet = sheet.unwrap_or(name_host().sheet);
            let (before, after) = match sheet == edit.sheet {
                true => moved_host(*at, edit),
                false => (*at, *at),
            };
            if let Some(rewritten) = rearrange(template, Host { sheet, cell: before }, edit) {
                *template = rewritten;
            }
            *at = after;
        }
        FieldValue::List(values) => values.iter_mut().for_each(|value| follow_edit(value, sheet, edit)),
        FieldValue::Record(fields) => {
            fields.values_mut().for_each(|value| follow_edit(value, sheet, edit));
        }
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Text(_) | FieldValue::Color(_) => {}
    }
}

/// The cell in which a formula is read, before and after: where its own cell goes, the next one that stays does
/// instead, for the formula of a range is the same in each of its cells.
fn moved_host(at: CellAddress, edit: &StructuralEdit) -> (CellAddress, CellAddress) {
    let on_line = |line: u32| with_lines(Range::cell(at), edit.dimension, line, 1).first();
    let beside = match edit.kind {
        EditKind::Delete => edit.at.checked_add(edit.count),
        EditKind::Insert | EditKind::Move { .. } => None,
    };
    let lines = [Some(at.index(edit.dimension)), beside, edit.at.checked_sub(1)];
    for line in lines.into_iter().flatten().filter(|line| *line < edit.dimension.len_max()) {
        if let Some(after) = edit.map_index(line) {
            return (on_line(line), on_line(after));
        }
    }
    (at, at)
}

/// Items of single cells move with the rows that are sorted. `to` gives for each row of `sorted`, counted from
/// its first, the row it becomes.
pub(crate) fn item_after_sort(item: &Item, sorted: Range, to: &[u32]) -> Option<Item> {
    if !item.kind.schema().follows_sort {
        return None;
    }
    let mut after = item.clone();
    follow_sort(&mut after.anchors, &mut after.fields.values_mut(), sorted, to);
    (after != *item).then_some(after)
}

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
        Some(row) => with_lines(range, Dimension::Rows, top + row, 1),
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
