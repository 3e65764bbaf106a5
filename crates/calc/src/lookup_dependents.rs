//! Narrows the dependents of an edited cell to the lookups that it can affect.
//!
//! In the graph, ten thousand lookups in one table all depend on every cell of it. A lookup,
//! however, sees a row only through its key: an edited key affects lookups of its old and its new
//! value, an edited result affects lookups of the key beside it. An index over the column of lookup
//! values finds them.
//!
//! The index over the keys still holds the old values, because indexes are refreshed when an
//! evaluation finishes. Narrowing therefore requires that the last evaluation finished, and does
//! not apply to cells that change during an evaluation: those make all their dependents dirty.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_functions::{FoldedText, RowOrColumn, ValueRef};
use quadrille_workbook::Workbook;

use crate::compiled_lookup::{CompiledLookup, MatchMode, cell_at};
use crate::graph::{Edge, Graph, Node};
use crate::index::{Indexes, contains_wildcard};
use crate::reference_pattern::ReferencePattern;

/// Larger edits affect so many lookups that narrowing costs more than it saves.
const CELLS_MAX: u64 = 16;
/// The lookup values of this many lookups are scanned rather than indexed.
const SCANNED_LOOKUPS_MAX: u32 = 64;

/// Marks the affected lookups dirty and returns the edges that are handled thereby, sorted.
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
    let mut handled_edges = Vec::new();
    for (edge, first, last) in graph.dependents_of(sheet, range) {
        let node = graph.node(edge.node);
        let Some(lookup) = node.lookup.as_deref() else { continue };
        // A few lookups in a column are evaluated as fast as narrowed. Lookups filled to the right
        // are one node each.
        if !lookup.is_along_row() && last - first < SCANNED_LOOKUPS_MAX {
            continue;
        }
        let Some(pattern) = node.analysis.patterns.get(edge.pattern as usize) else { continue };
        let Some(rows) = affected_rows(node, lookup, pattern, indexes, workbook, (sheet, range)) else {
            continue;
        };
        for row in rows.into_iter().filter(|row| (first..=last).contains(row)) {
            graph.mark_dirty(edge.node, row, row, |_, _| {});
        }
        handled_edges.push(edge);
    }
    quadrille_cell::stable_sort_by(&mut handled_edges, &mut Ord::cmp);
    handled_edges
}

/// Rows of a run of lookups that changed cells affect through one reference; `None` for all rows.
fn affected_rows(
    node: &Node,
    lookup: &CompiledLookup,
    pattern: &ReferencePattern,
    indexes: &Indexes,
    workbook: &Workbook,
    (sheet, range): (SheetId, Range),
) -> Option<Vec<u32>> {
    let (lookup_sheet, lookup_column, lookup_offset) = lookup.lookup_values_from(node.sheet, node.column)?;
    let is_lookup_value = pattern.sheet == lookup_sheet
        && pattern.columns == (lookup_column, lookup_column)
        && pattern.rows == (lookup.lookup_value.row, lookup.lookup_value.row);
    if is_lookup_value || lookup.match_mode == MatchMode::Approximate {
        return None;
    }
    let (keys_sheet, keys_line) = lookup.keys_from(node.sheet, node.column)?;
    let keys_now = workbook.sheet(keys_sheet)?;
    let count = node.last - node.first + 1;
    let hosts = moved((node.first, node.last), lookup_offset)?;
    let mut rows = Vec::new();
    let mut add_lookups_of = |key: ValueRef<'_>| -> Option<()> {
        match key {
            // A blank lookup value matches zero or a blank.
            ValueRef::Number(0.0) | ValueRef::Blank => return None,
            ValueRef::Error(_) => return Some(()),
            _ => {}
        }
        if count <= SCANNED_LOOKUPS_MAX {
            let lookup_value = workbook.sheet(lookup_sheet)?;
            for row in hosts.0..=hosts.1 {
                let lookup_value = lookup_value.value(CellAddress::clamped(row, lookup_column));
                let is_match = match (key, &lookup_value) {
                    (_, Value::Text(text))
                        if lookup.match_mode == MatchMode::ExactOrWildcard && contains_wildcard(text) =>
                    {
                        true
                    }
                    (ValueRef::Text(key), Value::Text(text)) => {
                        FoldedText(key.clone()) == FoldedText(text.clone())
                    }
                    (ValueRef::Number(key), Value::Number(number)) => key == *number,
                    (ValueRef::Boolean(key), Value::Boolean(boolean)) => key == *boolean,
                    _ => false,
                };
                if is_match {
                    rows.push((i64::from(row) - lookup_offset) as u32);
                }
            }
            return Some(());
        }
        // An index that has not seen the edit suffices and must not be refreshed: it may be asked
        // for old keys. Lookups whose lookup value was edited are dirty anyway.
        let existing = indexes.existing(lookup_sheet, lookup_column);
        let build = || indexes.by_value(workbook.sheet(lookup_sheet)?, lookup_column, hosts, count);
        let lookup_value = existing.or_else(build)?;
        if lookup.match_mode == MatchMode::ExactOrWildcard && lookup_value.values().has_wildcards() {
            return None;
        }
        let found = lookup_value.values().rows_in(key, hosts);
        rows.extend(found.iter().map(|row| (i64::from(*row) - lookup_offset) as u32));
        Some(())
    };
    let mut keys = Vec::new();
    for cell in range.cells() {
        let affected = lookup.affected_keys(sheet, (node.sheet, node.column), cell);
        keys.extend(affected.into_iter().flatten());
    }
    for position in keys {
        let now = keys_now.value(cell_at(keys_line, position));
        let before = match keys_line {
            RowOrColumn::Column(column) => indexes
                .existing_before_edit(keys_sheet, column)?
                .with_value(position, |value| value.to_value()),
            RowOrColumn::Row(row) => indexes.row_value_before(keys_sheet, row, position)?,
        };
        add_lookups_of(ValueRef::from(&before))?;
        add_lookups_of(ValueRef::from(&now))?;
    }
    Some(rows)
}

fn moved((first, last): (u32, u32), offset: i64) -> Option<(u32, u32)> {
    let moved = |row: u32| u32::try_from(i64::from(row) + offset).ok();
    Some((moved(first)?, moved(last)?))
}
