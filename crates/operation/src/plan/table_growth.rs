//! Growth of tables in plans: a table extends over rows that are written below it, which get the
//! number formats, alignment, data validation and conditional formats of its last row.

use std::borrow::Cow;

use quadrille_cell::{Dimension, Range};
use quadrille_workbook::{Field, Format, FormatPatch, Input, Item, ItemId, ItemKind, Sheet};

use crate::plan::planner::Planner;
use crate::plan::ranges::with_first_row;
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
    let is_free = sheet.inputs_in(rows).next().is_none()
        && [ItemKind::Table, ItemKind::Merge].into_iter().all(|kind| {
            let mut others = sheet.items().of_kind(kind);
            others.all(|(_, other)| other.anchors.iter().all(|other| !other.intersects(rows)))
        });
    let is_header = anchor.row_count() == 1 && table.boolean(Field::HeaderRow) != Some(false);
    let last_row = with_first_row(*anchor, anchor.last().row.get());
    let last_row = (!is_header).then_some(last_row);
    is_free.then_some(Growth { table: id, before: *anchor, last_row, rows, sheet })
}

impl Growth<'_> {
    fn operations(&self) -> Vec<Operation> {
        let sheet = self.sheet.id();
        let patch_anchors = |item: ItemId, kind: ItemKind, anchors: Vec<Range>| {
            let mut patch = ItemPatch::new(kind);
            patch.anchors = Some(anchors);
            Operation::PatchItem { sheet: Some(sheet), item, patch }
        };
        let mut operations =
            vec![patch_anchors(self.table, ItemKind::Table, vec![self.before.union(self.rows)])];
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
