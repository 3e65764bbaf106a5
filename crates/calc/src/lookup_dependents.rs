//! Which lookups an edited cell can affect.
//!
//! Ten thousand lookups in one table all read every cell of it, so by the graph alone an edit of one makes all of them
//! dirty. But a lookup sees a row only by its key: an edited key concerns those that look for what it was or what it
//! is now, an edited result those that look for the key beside it. Who looks for what is told by an index over the
//! cells with the values looked up.
//!
//! What the key was is what the index over the keys still says, since it is brought up to date when an evaluation has
//! ended, and only then are all formulas as the index says. So nothing is narrowed when the last evaluation did not end,
//! nor for cells that change while one is under way: those make all that read them dirty.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_functions::{Along, FoldedText, ValueRef};
use quadrille_workbook::Workbook;

use crate::compiled_lookup::{CompiledLookup, Search, cell_along};
use crate::graph::{Edge, Graph, Node};
use crate::index::{Indexes, may_stand_for_many};
use crate::reference_pattern::ReferencePattern;

/// Larger edits concern so many lookups that asking costs more than it saves.
const CELLS_MAX: u64 = 16;
/// What so few lookups look for is read, and not found by an index.
const READ_MAX: u32 = 64;

/// Marks the lookups dirty that the edited cells concern, and yields the entries of the graph that are thereby dealt with,
/// in order.
pub(crate) fn affected_lookups(
    graph: &mut Graph,
    indexes: &Indexes,
    workbook: &Workbook,
    sheet: SheetId,
    range: Range,
) -> Vec<Edge> {
    if indexes.is_empty() || range.cell_count() > CELLS_MAX {
        return Vec::new();
    }
    let mut candidates: Vec<(Edge, u32, u32)> = Vec::new();
    graph.dependents(sheet, range, |edge, first, last| {
        if graph.node(edge.node).lookup.is_some() {
            candidates.push((edge, first, last));
        }
    });
    let mut dealt_with = Vec::new();
    for (edge, first, last) in candidates {
        let node = graph.node(edge.node);
        let Some(lookup) = node.lookup.as_deref() else { continue };
        // A few lookups in columns are evaluated as fast as narrowed. In a row those that were filled to the right are one each.
        if !lookup.is_along_row() && last - first < READ_MAX {
            continue;
        }
        let Some(pattern) = node.plan.patterns.get(edge.pattern as usize) else { continue };
        let Some(rows) = affected_rows(node, lookup, pattern, indexes, workbook, (sheet, range)) else {
            continue;
        };
        for row in rows.into_iter().filter(|row| (first..=last).contains(row)) {
            graph.mark_dirty(edge.node, row, row, |_, _| {});
        }
        dealt_with.push(edge);
    }
    dealt_with.sort();
    dealt_with
}

/// The rows of a run of lookups that changed cells concern through one reference; `None` for all of them.
fn affected_rows(
    node: &Node,
    lookup: &CompiledLookup,
    pattern: &ReferencePattern,
    indexes: &Indexes,
    workbook: &Workbook,
    (sheet, range): (SheetId, Range),
) -> Option<Vec<u32>> {
    let (wanted_sheet, wanted_column, wanted_offset) = lookup.wanted_from(node.sheet, node.column)?;
    let is_wanted = pattern.sheet == wanted_sheet
        && pattern.columns == (wanted_column, wanted_column)
        && pattern.rows == (lookup.wanted.row, lookup.wanted.row);
    if is_wanted || lookup.search == Search::Sorted {
        return None;
    }
    let (keys_sheet, keys_line) = lookup.keys_from(node.sheet, node.column)?;
    let keys_now = workbook.sheet(keys_sheet)?;
    let count = node.last - node.first + 1;
    let hosts = moved((node.first, node.last), wanted_offset)?;
    let mut rows = Vec::new();
    let mut seekers = |key: ValueRef<'_>| -> Option<()> {
        match key {
            // A blank cell looks for zero, or for a blank.
            ValueRef::Number(0.0) | ValueRef::Blank => return None,
            ValueRef::Error(_) => return Some(()),
            _ => {}
        }
        if count <= READ_MAX {
            let wanted = workbook.sheet(wanted_sheet)?;
            for row in hosts.0..=hosts.1 {
                let wanted = wanted.value(CellAddress::clamped(row, wanted_column));
                let is_sought = match (key, &wanted) {
                    (_, Value::Text(text)) if lookup.search == Search::Equal && may_stand_for_many(text) => {
                        true
                    }
                    (ValueRef::Text(key), Value::Text(text)) => {
                        FoldedText(key.clone()) == FoldedText(text.clone())
                    }
                    (ValueRef::Number(key), Value::Number(number)) => key == *number,
                    (ValueRef::Boolean(key), Value::Boolean(boolean)) => key == *boolean,
                    _ => false,
                };
                if is_sought {
                    rows.push((i64::from(row) - wanted_offset) as u32);
                }
            }
            return Some(());
        }
        // One that knows nothing of the edits will do, and must stay so: it may be asked what keys were. Lookups of
        // edited cells are dirty anyway.
        let known = indexes.known(wanted_sheet, wanted_column);
        let anew = || indexes.by_value(workbook.sheet(wanted_sheet)?, wanted_column, hosts, count);
        let wanted = known.or_else(anew)?;
        if lookup.search == Search::Equal && wanted.values().has_wildcards() {
            return None;
        }
        let found = wanted.values().rows_among(key, hosts);
        rows.extend(found.iter().map(|row| (i64::from(*row) - wanted_offset) as u32));
        Some(())
    };
    let mut keys = Vec::new();
    for cell in range.cells() {
        let concerned = lookup.affected_keys(sheet, (node.sheet, node.column), cell);
        keys.extend(concerned.into_iter().flatten());
    }
    for place in keys {
        let now = keys_now.value(cell_along(keys_line, place));
        let before = match keys_line {
            Along::Column(column) => {
                indexes.known_before(keys_sheet, column)?.with_value(place, |value| value.to_value())
            }
            Along::Row(row) => indexes.row_value_before(keys_sheet, row, place)?,
        };
        seekers(ValueRef::from(&before))?;
        seekers(ValueRef::from(&now))?;
    }
    Some(rows)
}

fn moved((first, last): (u32, u32), offset: i64) -> Option<(u32, u32)> {
    let moved = |row: u32| u32::try_from(i64::from(row) + offset).ok();
    Some((moved(first)?, moved(last)?))
}
