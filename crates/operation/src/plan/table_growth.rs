//! Growth of tables in plans: a table extends over rows that are written below it, which get the
//! number formats, alignment, data validation and conditional formats of its last row, and over columns
//! whose header is written beside its own, or that get a formula of the table's rows.

use std::borrow::Cow;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range};
use quadrille_formula::{TableRows, structured_parts, visit_names};
use quadrille_workbook::{Field, Format, FormatPatch, Input, Item, ItemId, ItemKind, Sheet};

use crate::plan::planner::Planner;
use crate::plan::ranges::with_first_row;
use crate::rebase::is_same_name;
use crate::rebase::relocate::with_span;
use crate::{ItemPatch, Operation};

/// A table that extends over the rows below it.
struct Growth<'a> {
    table: ItemId,
    before: Range,
    /// The last row before; `None` if that is the header.
    last_row: Option<Range>,
    rows: Range,
    sheet: &'a Sheet,
}

impl Planner<'_> {
    /// Extends the tables that end right above written cells, unless other contents, tables or
    /// merged cells are in the way.
    pub(super) fn grow_tables(&self, sheet: &Sheet, plan: &mut Vec<Operation>) {
        let is_written = |input: &Input| *input != Input::Blank;
        let written = plan.iter().filter_map(|operation| match operation {
            Operation::SetCells { range, inputs, .. } => inputs.iter().any(is_written).then_some(*range),
            Operation::FillCells { range, input, .. } => is_written(input).then_some(*range),
            _ => None,
        });
        let grown: Vec<Operation> =
            growths(sheet, &written.collect::<Vec<_>>()).iter().flat_map(Growth::operations).collect();
        // Rows are added first; the cell diagonally below a table does not make it larger.
        let grown = if grown.is_empty() { columns_grown(sheet, plan) } else { grown };
        plan.extend(grown);
    }

    /// Returns the sheet for reading texts that are typed into `block`: rows that a table will extend
    /// over have the formats of its last row already, so that `001` in a column of texts stays one.
    pub(super) fn with_growth<'a>(&self, sheet: &'a Sheet, block: Range) -> Cow<'a, Sheet> {
        let growths = if self.row_mapping.is_none() { growths(sheet, &[block]) } else { Vec::new() };
        let mut after = Cow::Borrowed(sheet);
        for (range, patch) in growths.iter().flat_map(Growth::formats) {
            after.to_mut().patch_format(range, &patch);
        }
        after
    }
}

/// The table that ends left of the cell and has the cell's row.
pub(super) fn table_left_of(sheet: &Sheet, cell: CellAddress) -> Option<(ItemId, &Arc<Item>)> {
    let is_beside = |anchor: &Range| {
        anchor.last().column.get() + 1 == cell.column.get()
            && (anchor.first().row..=anchor.last().row).contains(&cell.row)
    };
    let mut tables = sheet.items().of_kind(ItemKind::Table);
    tables.find(|(_, table)| matches!(table.anchors.as_slice(), [anchor] if is_beside(anchor)))
}

/// Extends the tables beside which a header is written, or a formula of their rows.
fn columns_grown(sheet: &Sheet, plan: &[Operation]) -> Vec<Operation> {
    let mut grown: Vec<(ItemId, Vec<Operation>)> = Vec::new();
    for operation in plan {
        let (range, inputs) = match operation {
            Operation::SetCells { range, inputs, .. } => (*range, inputs.as_slice()),
            Operation::FillCells { range, input, .. } => (*range, std::slice::from_ref(input)),
            _ => continue,
        };
        let Some((id, table)) = table_left_of(sheet, range.first()) else { continue };
        let Some(anchor) = table.anchors.first().filter(|_| grown.iter().all(|(other, _)| *other != id))
        else {
            continue;
        };
        let has_header = table.boolean(Field::HeaderRow) != Some(false);
        let is_header = has_header && range.first().row == anchor.first().row && inputs[0] != Input::Blank;
        let is_of_rows = inputs.iter().any(|input| is_of_rows_of(table, input));
        let (left, width) = (anchor.first().column.get(), anchor.column_count() + range.column_count());
        let after = with_span(*anchor, Dimension::Columns, left, width);
        let added = with_span(after, Dimension::Columns, range.first().column.get(), range.column_count());
        if range.last().row <= anchor.last().row && (is_header || is_of_rows) && is_free(sheet, added) {
            grown.push((id, extended_to(sheet, id, *anchor, after)));
        }
    }
    grown.into_iter().flat_map(|(_, operations)| operations).collect()
}

/// Whether the formula refers to the cells of the table in its own row.
fn is_of_rows_of(table: &Item, input: &Input) -> bool {
    let (Input::Formula(template), Some(own)) = (input, table.text(Field::Name)) else { return false };
    let mut is_found = false;
    visit_names(template, &mut |name| {
        is_found |= structured_parts(name)
            .is_some_and(|(table, rows, _)| rows == TableRows::This && is_same_name(table, own));
    });
    is_found
}

/// Whether no contents, tables or merged cells are in the way of a table.
fn is_free(sheet: &Sheet, cells: Range) -> bool {
    sheet.inputs_in(cells).next().is_none()
        && [ItemKind::Table, ItemKind::Merge].into_iter().all(|kind| {
            let mut others = sheet.items().of_kind(kind);
            others.all(|(_, other)| other.anchors.iter().all(|other| !other.intersects(cells)))
        })
}

/// Gives a table other cells, and its filter, which has the same ones or all but its total row.
fn extended_to(sheet: &Sheet, table: ItemId, before: Range, after: Range) -> Vec<Operation> {
    let patch = |item: ItemId, kind: ItemKind, cells: Range| {
        let patch = ItemPatch { anchors: Some(vec![cells]), ..ItemPatch::new(kind) };
        Operation::PatchItem { sheet: Some(sheet.id()), item, patch }
    };
    let filters = sheet.items().of_kind(ItemKind::AutoFilter).filter_map(|(id, filter)| {
        let [cells] = filter.anchors.as_slice() else { return None };
        let is_own = before.contains_range(*cells)
            && cells.first() == before.first()
            && cells.last().column == before.last().column;
        // Another filter may reach further down.
        let below = before.last().row.get().checked_sub(cells.last().row.get())?;
        let height = after.row_count().checked_sub(below).filter(|_| is_own && below <= 1)?;
        let cells = with_span(after, Dimension::Rows, after.first().row.get(), height);
        Some(patch(id, ItemKind::AutoFilter, cells))
    });
    [patch(table, ItemKind::Table, after)].into_iter().chain(filters).collect()
}

/// The tables that extend over cells of `written`.
fn growths<'a>(sheet: &'a Sheet, written: &[Range]) -> Vec<Growth<'a>> {
    let tables = sheet.items().of_kind(ItemKind::Table);
    tables.filter_map(|(id, table)| growth(sheet, id, table, written)).collect()
}

fn growth<'a>(sheet: &'a Sheet, id: ItemId, table: &Item, written: &[Range]) -> Option<Growth<'a>> {
    let [anchor] = table.anchors.as_slice() else { return None };
    if table.boolean(Field::TotalRow) == Some(true) {
        return None;
    }
    let below = anchor.last().row.get() + 1;
    let (left, right) = (anchor.first().column, anchor.last().column);
    // A block of rows of unequal lengths is written as several ranges, one below the other.
    let continues = |next: u32| {
        let joins = |range: &&Range| {
            range.first().row.get() == next && left <= range.first().column && range.last().column <= right
        };
        written.iter().filter(joins).map(|range| range.last().row.get() + 1).max()
    };
    let mut next = below;
    while let Some(after) = continues(next) {
        next = after;
    }
    if next == below {
        return None;
    }
    let rows = with_span(*anchor, Dimension::Rows, below, next - below);
    let is_header = anchor.row_count() == 1 && table.boolean(Field::HeaderRow) != Some(false);
    let last_row = with_first_row(*anchor, anchor.last().row.get());
    let last_row = (!is_header).then_some(last_row);
    is_free(sheet, rows).then_some(Growth { table: id, before: *anchor, last_row, rows, sheet })
}

impl Growth<'_> {
    fn operations(&self) -> Vec<Operation> {
        let sheet = self.sheet.id();
        let patch_anchors = |item: ItemId, kind: ItemKind, anchors: Vec<Range>| {
            let mut patch = ItemPatch::new(kind);
            patch.anchors = Some(anchors);
            Operation::PatchItem { sheet: Some(sheet), item, patch }
        };
        let mut operations = extended_to(self.sheet, self.table, self.before, self.before.union(self.rows));
        for kind in [ItemKind::Validation, ItemKind::ConditionalRule] {
            for (id, item) in self.sheet.items().of_kind(kind) {
                if let Some(anchors) = self.extended_anchors(item) {
                    operations.push(patch_anchors(id, kind, anchors));
                }
            }
        }
        let formats = self.formats();
        operations.extend(formats.into_iter().map(|(range, patch)| Operation::SetFormat {
            sheet,
            range,
            patch,
        }));
        operations
    }

    /// The anchors of a rule with the new rows, if it applies to cells of the last row; `None` if
    /// nothing changes.
    fn extended_anchors(&self, rule: &Item) -> Option<Vec<Range>> {
        let last_row = self.last_row?;
        let mut anchors = rule.anchors.clone();
        for anchor in &rule.anchors {
            let Some(part) = anchor.intersection(last_row) else { continue };
            let added = with_span(part, Dimension::Rows, self.rows.first().row.get(), self.rows.row_count());
            let is_taken = |item: &Item| item.anchors.iter().any(|other| other.intersects(added));
            let mut others = self.sheet.items().of_kind(rule.kind);
            // Rows that have a validation already keep it.
            let is_kept = rule.kind == ItemKind::Validation && others.any(|(_, item)| is_taken(item));
            if is_kept || is_taken(rule) {
                continue;
            }
            let is_same_width =
                (anchor.first().column, anchor.last().column) == (added.first().column, added.last().column);
            match anchors.iter_mut().find(|other| *other == anchor) {
                Some(own) if is_same_width => *own = own.union(added),
                _ => anchors.push(added),
            }
        }
        let is_allowed = anchors.len() <= rule.kind.schema().anchors_max;
        (is_allowed && anchors != rule.anchors).then_some(anchors)
    }

    /// The formats of the new rows, column by column: cells that have one of their own keep it.
    fn formats(&self) -> Vec<(Range, FormatPatch)> {
        let Some(last_row) = self.last_row else { return Vec::new() };
        let mut formats = Vec::new();
        for cell in last_row.cells() {
            let Some(patch) = extended_format(self.sheet.format(cell)) else { continue };
            let (first, count) = (self.rows.first().row.get(), self.rows.row_count());
            let column = with_span(Range::cell(cell), Dimension::Rows, first, count);
            let own = self.sheet.format_runs(column).filter(|(_, format)| **format != Format::default());
            let mut plain = vec![column];
            for (range, _) in own {
                plain = plain.into_iter().flat_map(|part| part.subtract(range)).collect();
            }
            formats.extend(plain.into_iter().map(|range| (range, patch.clone())));
        }
        formats
    }
}

/// What new rows take of the format of the last row. Colors and borders often mark its end.
fn extended_format(format: &Format) -> Option<FormatPatch> {
    let patch = FormatPatch {
        number_format: format.number_format.clone().map(Some),
        horizontal: format.horizontal.map(Some),
        wrap: format.wrap.then_some(true),
        ..FormatPatch::default()
    };
    (patch != FormatPatch::default()).then_some(patch)
}
