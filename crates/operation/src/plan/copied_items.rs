//! Planning of what is copied with cells besides contents and formats: merged cells, notes, links,
//! sparklines and images in cells; data validation and conditional formats.
//!
//! As in Excel, the copies replace what the target has of these. Comments stay with the cell that was
//! copied, as in Google Sheets.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_formula::{Host, relocate};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Items, Sheet};

use super::filled_cells::{Filled, pivot_table_at};
use super::items::new_item_id;
use super::names::map_fields;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::{shifted, span_of};
use crate::rebase::relocate::with_span;
use crate::{CommandError, ItemPatch, Operation, PasteScope};

/// PastedCells cells, and the cells that they replace.
#[derive(Clone, Copy)]
pub(super) struct PastedCells<'a> {
    pub from: &'a Sheet,
    pub source: Range,
    pub to: &'a Sheet,
    pub target: Range,
}

/// Where the copies of a part of the source are placed.
pub(super) enum Placement<'a> {
    /// The source is repeated over the target, whose size is a multiple of it.
    Repeated,
    /// In the ranges that the function returns.
    At(&'a dyn Fn(Range) -> Vec<Range>),
}

/// Whether the item is attached to one cell, or is a merged cell, so that each copy has an item of its own.
pub(super) fn is_of_cells(item: &Item) -> bool {
    match item.kind {
        ItemKind::Merge | ItemKind::Note | ItemKind::Link | ItemKind::Sparkline => true,
        ItemKind::Image => item.boolean(Field::InCell) == Some(true),
        _ => false,
    }
}

/// Whether items of this kind apply to ranges. The ranges of copies are added to the item itself.
pub(super) fn is_rule(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Validation | ItemKind::ConditionalRule)
}

/// Whether all anchors are within `range`.
pub(super) fn is_within(item: &Item, range: Range) -> bool {
    !item.anchors.is_empty() && item.anchors.iter().all(|anchor| range.contains_range(*anchor))
}

/// Whether a paste takes this item along. Formats include conditional formats, as in Excel.
fn is_copied(item: &Item, what: PasteScope) -> bool {
    match what {
        PasteScope::All | PasteScope::Transposed => is_of_cells(item) || is_rule(item.kind),
        PasteScope::Formats => item.kind == ItemKind::ConditionalRule,
        PasteScope::Contents | PasteScope::Values => false,
    }
}

impl Planner<'_> {
    /// Plans the items of copied cells. A paste into the visible rows of a filtered sheet has none.
    ///
    /// # Errors
    /// [`CommandError::TooManyItems`] when the sheet, or one of its rules, would get too many.
    pub(super) fn copy_items(
        &self,
        copied: PastedCells<'_>,
        what: PasteScope,
        placement: &Placement<'_>,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        if self.row_mapping.is_some() || (copied.from.items().is_empty() && copied.to.items().is_empty()) {
            return Ok(Vec::new());
        }
        let PastedCells { from, source, to, target } = copied;
        let sheet = Some(to.id());
        let mut plan = Vec::new();
        for (item, content) in to.items().iter().filter(|(_, content)| is_copied(content, what)) {
            if is_of_cells(content) && is_replaced(content, copied) {
                plan.push(Operation::RemoveItem { sheet, item });
            }
        }
        let mut count = to.items().len();
        for (item, content) in from.items().iter().filter(|(_, content)| is_copied(content, what)) {
            let places = copied.places(content, placement)?;
            let is_of_same_sheet = from.id() == to.id();
            if is_rule(content.kind) && is_of_same_sheet {
                plan.extend(with_ranges(sheet, item, content, &[target], places)?);
                continue;
            }
            for anchors in places_of_copies(content, places) {
                count += 1;
                let first = anchors[0].first();
                let content = Item { anchors, ..with_formulas_at(content, source.first(), first) };
                let item = new_item_id(new_id);
                plan.push(Operation::PutItem { sheet, item, content: Arc::new(content) });
            }
        }
        if from.id() != to.id() {
            let rules = to.items().iter().filter(|(_, rule)| is_rule(rule.kind) && is_copied(rule, what));
            for (item, rule) in rules {
                plan.extend(with_ranges(sheet, item, rule, &[target], Vec::new())?);
            }
        }
        match count > Items::COUNT_MAX {
            true => Err(CommandError::TooManyItems { max: Items::COUNT_MAX }),
            false => Ok(plan),
        }
    }

    /// Plans the data validation and the conditional formats of filled cells: they grow over the cells of
    /// `filled`, which extends the source along `dimension`.
    ///
    /// # Errors
    /// [`CommandError::TooManyItems`] when a rule would get too many ranges.
    pub(super) fn fill_rules(
        &self,
        sheet: &Sheet,
        source: Range,
        filled: Range,
        dimension: Dimension,
    ) -> Plan {
        let mut plan = Vec::new();
        if self.row_mapping.is_some() {
            return Ok(plan);
        }
        for (item, rule) in sheet.items().iter().filter(|(_, rule)| is_rule(rule.kind)) {
            let parts = rule.anchors.iter().filter_map(|anchor| anchor.intersection(source));
            // A rule for only some of the source's rows (or columns) is not continued.
            let parts = parts.filter(|part| span_of(*part, dimension) == span_of(source, dimension));
            let (first, count) = span_of(filled, dimension);
            let added = parts.map(|part| with_span(part, dimension, first, count)).collect();
            plan.extend(with_ranges(Some(sheet.id()), item, rule, &[filled], added)?);
        }
        Ok(plan)
    }
}

impl PastedCells<'_> {
    /// Plans copies of pivot tables, which keep their sources.
    ///
    /// # Errors
    /// [`CommandError::TooManyItems`] when the sheet would get too many.
    pub(super) fn copy_pivot_tables(self, tables: &[Filled], new_id: &mut dyn FnMut() -> SheetId) -> Plan {
        let mut plan = Vec::new();
        for table in tables {
            let Some(item) = pivot_table_at(self.from, table.anchor) else { continue };
            let place = |at: CellAddress| shifted(Range::cell(at), self.source.first(), self.target.first());
            let (Some(content), Some(anchor)) = (self.from.item(item), place(table.anchor)) else { continue };
            let mut content = Item { anchors: vec![anchor], ..Item::clone(content) };
            map_fields(&mut content.fields, &|at: CellAddress, template: &_| {
                let to = place(at).unwrap_or(anchor).first();
                let host = |sheet: &Sheet, cell| Host { sheet: sheet.id(), cell };
                let template = relocate(template, host(self.from, at), host(self.to, to));
                Some(FieldValue::Formula { at: to, template })
            });
            let item = new_item_id(new_id);
            plan.push(Operation::PutItem { sheet: Some(self.to.id()), item, content: Arc::new(content) });
        }
        match self.to.items().len() + plan.len() > Items::COUNT_MAX {
            true => Err(CommandError::TooManyItems { max: Items::COUNT_MAX }),
            false => Ok(plan),
        }
    }

    /// The places of the item's copies.
    fn places(&self, item: &Item, placement: &Placement<'_>) -> Result<Vec<Range>, CommandError> {
        let parts: Vec<Range> = match is_rule(item.kind) {
            true => item.anchors.iter().filter_map(|anchor| anchor.intersection(self.source)).collect(),
            false if is_within(item, self.source) => item.anchors.clone(),
            false => Vec::new(),
        };
        let mut places = Vec::new();
        for part in parts {
            match placement {
                Placement::At(place) => places.extend(place(part)),
                Placement::Repeated => self.repeat(part, is_rule(item.kind), &mut places)?,
            }
            if places.len() > Items::COUNT_MAX {
                return Err(CommandError::TooManyItems { max: Items::COUNT_MAX });
            }
        }
        Ok(places)
    }

    /// Adds the copies of a part of the source. Where it has all rows or columns of the source, its copies
    /// are one range if they may be joined.
    fn repeat(&self, part: Range, is_joined: bool, places: &mut Vec<Range>) -> Result<(), CommandError> {
        let spans = |dimension| {
            let (first, height) = span_of(self.source, dimension);
            let (start, length) = span_of(self.target, dimension);
            let (at, count) = span_of(part, dimension);
            if is_joined && count == height {
                return vec![(start, length)];
            }
            let copies = (0..length / height).take(Items::COUNT_MAX + 1);
            copies.map(|copy| (start + copy * height + (at - first), count)).collect()
        };
        let (rows, columns): (Vec<_>, Vec<_>) = (spans(Dimension::Rows), spans(Dimension::Columns));
        if rows.len() * columns.len() > Items::COUNT_MAX {
            return Err(CommandError::TooManyItems { max: Items::COUNT_MAX });
        }
        for (row, height) in &rows {
            let block = |(column, width): &(u32, u32)| {
                Range::from_indices(*row, *column, row + height - 1, column + width - 1)
            };
            places.extend(columns.iter().filter_map(block));
        }
        Ok(())
    }
}

/// The anchors of each copy: one with all ranges for a rule, one for each range otherwise.
fn places_of_copies(item: &Item, places: Vec<Range>) -> Vec<Vec<Range>> {
    match is_rule(item.kind) {
        true if places.is_empty() => Vec::new(),
        true => vec![places],
        false => places.into_iter().map(|place| vec![place]).collect(),
    }
}

/// Whether the copies replace an item of the target's cells. A cell that is copied to merged cells leaves
/// them merged.
fn is_replaced(item: &Item, copied: PastedCells<'_>) -> bool {
    match item.kind {
        ItemKind::Merge => {
            let is_single = copied.source.cell_count() == 1;
            !is_single && item.anchors.iter().any(|anchor| anchor.intersects(copied.target))
        }
        _ => is_within(item, copied.target),
    }
}

/// The operation that takes `holes` from the ranges of a rule and adds others; none when nothing changes.
///
/// # Errors
/// [`CommandError::TooManyItems`] when the rule would have too many ranges.
pub(super) fn with_ranges(
    sheet: Option<SheetId>,
    item: ItemId,
    rule: &Item,
    holes: &[Range],
    added: Vec<Range>,
) -> Result<Option<Operation>, CommandError> {
    // A range that is taken away and added stays as it is, so that repeated pastes do not split ranges.
    let without = |ranges: Vec<Range>, holes: &[Range]| {
        holes.iter().fold(ranges, |ranges, hole| {
            ranges.into_iter().flat_map(|range| range.subtract(*hole)).collect::<Vec<Range>>()
        })
    };
    let mut anchors = without(rule.anchors.clone(), &without(holes.to_vec(), &added));
    for range in without(added, &anchors.clone()) {
        join(&mut anchors, range);
    }
    if anchors == rule.anchors {
        return Ok(None);
    }
    let max = rule.kind.schema().anchors_max;
    if anchors.len() > max {
        return Err(CommandError::TooManyItems { max });
    }
    if anchors.is_empty() {
        return Ok(Some(Operation::RemoveItem { sheet, item }));
    }
    let patch = ItemPatch { anchors: Some(anchors), ..ItemPatch::new(rule.kind) };
    Ok(Some(Operation::PatchItem { sheet, item, patch }))
}

/// Adds a range, joined with one beside it when both are a range together.
fn join(anchors: &mut Vec<Range>, range: Range) {
    let is_beside = |anchor: &Range| {
        !anchor.intersects(range)
            && anchor.union(range).cell_count() == anchor.cell_count() + range.cell_count()
    };
    match anchors.iter().position(is_beside) {
        Some(beside) => anchors[beside] = anchors[beside].union(range),
        None => anchors.push(range),
    }
}

/// The item with formulas that read in the cell `to` as they did in `from`, with relative references
/// shifted, as in copied cells.
pub(super) fn with_formulas_at(item: &Item, from: CellAddress, to: CellAddress) -> Item {
    let mut copy = item.clone();
    map_fields(&mut copy.fields, &|at: CellAddress, template: &_| {
        let at = shifted(Range::cell(at), from, to).map_or(to, Range::first);
        Some(FieldValue::Formula { at, template: Clone::clone(template) })
    });
    copy
}
