//! Planning of merge and unmerge.

use quadrille_cell::{Dimension, Range, SheetId};
use quadrille_formula::{Host, relocate};
use quadrille_workbook::{Input, Item, ItemKind, Sheet};

use super::items::new_item_id;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::used_part;
use crate::rebase::relocate::with_span;
use crate::{CommandError, MergeKind, Operation};

/// Maximum number of merges of one command.
const MERGES_MAX: u32 = 5_000;

impl Planner<'_> {
    /// Plans merged cells, after unmerging all that the range intersects.
    pub fn merge(
        &self,
        sheet: &Sheet,
        range: Range,
        how: MergeKind,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let split = |dimension: Dimension, first: u32, count: u32| match count <= MERGES_MAX {
            true => Ok((first..first + count).map(|index| with_span(range, dimension, index, 1)).collect()),
            false => Err(CommandError::TooManyItems { max: MERGES_MAX as usize }),
        };
        let parts: Vec<Range> = match how {
            MergeKind::All => vec![range],
            MergeKind::Rows => split(Dimension::Rows, range.first().row.get(), range.row_count())?,
            MergeKind::Columns => {
                split(Dimension::Columns, range.first().column.get(), range.column_count())?
            }
        };
        let mut plan = unmerge(sheet, range);
        for part in parts.into_iter().filter(|part| part.cell_count() > 1) {
            plan.extend(gather(sheet, part));
            let content = Item { anchors: vec![part], ..Item::new(ItemKind::Merge) };
            plan.push(Operation::PutItem {
                sheet: Some(sheet.id()),
                item: new_item_id(new_id),
                content: content.into(),
            });
        }
        Ok(plan)
    }
}

/// Moves the first content to the first cell and clears the rest, as in Excel.
fn gather(sheet: &Sheet, part: Range) -> Vec<Operation> {
    let Some(used) = used_part(sheet, part) else { return Vec::new() };
    // Addresses are ordered row by row.
    let Some(first) = sheet.inputs_in(used).map(|(cell, _)| cell).min() else { return Vec::new() };
    if first == part.first() && sheet.inputs_in(used).count() == 1 {
        return Vec::new();
    }
    let host = |cell| Host { sheet: sheet.id(), cell };
    let input = match sheet.input(first) {
        // The formula keeps its references, as in cut and paste.
        Input::Formula(template) => Input::Formula(relocate(&template, host(first), host(part.first()))),
        input => input,
    };
    vec![
        Operation::FillCells { sheet: sheet.id(), range: part, input: Input::Blank },
        Operation::FillCells { sheet: sheet.id(), range: Range::cell(part.first()), input },
    ]
}

/// Plans the removal of all merged ranges that intersect `range`.
pub fn unmerge(sheet: &Sheet, range: Range) -> Vec<Operation> {
    merges_in(sheet, range).map(|(item, _)| Operation::RemoveItem { sheet: Some(sheet.id()), item }).collect()
}

/// Returns the merged ranges that intersect `range`.
pub fn merges_in(sheet: &Sheet, range: Range) -> impl Iterator<Item = (quadrille_workbook::ItemId, Range)> {
    let merges = sheet.items().of_kind(ItemKind::Merge);
    merges
        .flat_map(|(id, item)| item.anchors.iter().map(move |anchor| (id, *anchor)))
        .filter(move |(_, anchor)| anchor.intersects(range))
}
