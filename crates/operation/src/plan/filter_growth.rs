//! Growth of filters in plans: a filter that gets a condition extends over the rows that have been
//! filled right below it, as Excel's does when it is applied again.

use quadrille_cell::{Dimension, Range};
use quadrille_workbook::{ItemId, ItemKind, Sheet};

use crate::rebase::relocate::with_span;
use crate::{ItemPatch, Operation};

/// The range of a filter with the filled rows right below it. The range of a filter of a table, which
/// grows by itself, stays as it is.
pub fn filled_filter_range(sheet: &Sheet, range: Range) -> Range {
    let items = sheet.items();
    let is_of_table = items
        .of_kind(ItemKind::Table)
        .any(|(_, table)| table.anchors.iter().any(|cells| cells.intersects(range)));
    let Some(used) = sheet.used_range() else { return range };
    if is_of_table {
        return range;
    }
    let first = range.first().row.get();
    let mut last = range.last().row.get();
    let last_used = used.last().row.get();
    if last_used <= last {
        return range;
    }
    let below = with_span(range, Dimension::Rows, last + 1, last_used - last);
    let others = [ItemKind::Table, ItemKind::AutoFilter].into_iter().flat_map(|kind| items.of_kind(kind));
    let others = others.flat_map(|(_, other)| &other.anchors).filter_map(|cells| cells.intersection(below));
    let end = others.map(|cells| cells.first().row.get()).min().unwrap_or(last_used + 1);
    let is_filled = |row: u32| {
        sheet.columns_in(below).any(|(_, column)| {
            column.slices(row, row).any(|(_, slice)| (0..slice.len()).any(|at| !slice.get(at).is_blank()))
        })
    };
    while last + 1 < end && is_filled(last + 1) {
        last += 1;
    }
    with_span(range, Dimension::Rows, first, last - first + 1)
}

/// The operation that extends a filter or filter view over the filled rows right below it.
pub(super) fn extended_filter(sheet: &Sheet, filter: ItemId) -> Option<Operation> {
    let item = sheet.item(filter)?;
    let [range] = item.anchors.as_slice() else { return None };
    if !matches!(item.kind, ItemKind::AutoFilter | ItemKind::FilterView) {
        return None;
    }
    let extended = filled_filter_range(sheet, *range);
    (extended != *range).then(|| {
        let patch = ItemPatch { anchors: Some(vec![extended]), ..ItemPatch::new(item.kind) };
        Operation::PatchItem { sheet: Some(sheet.id()), item: filter, patch }
    })
}
