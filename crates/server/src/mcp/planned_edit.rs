//! [`PlannedEdit`]: commands that are applied together or not at all, tried on a copy of the workbook.

use std::time::Instant;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::Transaction;
use quadrille_protocol::fresh_sheet_id;
use quadrille_replica::{Replica, Timestamp};
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Value as Json, json};

use super::cell_report;
use super::workers::Workers;
use crate::cells::CellReader;
use crate::command_batch::plan_batch;
use crate::error::ApiError;
use crate::limits;

/// Commands, planned one after another on a copy.
pub struct PlannedEdit {
    /// The operations of all commands.
    pub transaction: Transaction,
    /// The copy with the transaction, not calculated.
    copy: Document,
    /// Ranges that the transaction writes, then those that the calculation of the copy changes.
    changed: Vec<(SheetId, Range)>,
}

/// Cells that are compared to find those that differ.
const COMPARED_CELLS_MAX: u64 = 200_000;

impl PlannedEdit {
    /// Plans commands, given as JSON, as [`plan_batch`] does.
    ///
    /// # Errors
    /// Those of [`plan_batch`].
    pub fn plan(replica: &Replica, commands: &[Json], now: Timestamp) -> Result<PlannedEdit, ApiError> {
        let workbook = replica.document().snapshot();
        let context = EvaluationContext { time_ms: now.unix_ms, seed: getrandom::u64().unwrap_or(0) };
        let mut new_sheets = 0;
        let mut new_sheet = || {
            loop {
                new_sheets += 1;
                let id = fresh_sheet_id(context.seed, new_sheets);
                if workbook.sheet(id).is_none() {
                    break id;
                }
            }
        };
        let transaction = plan_batch(&workbook, commands, now.unix_ms, &mut new_sheet)?;
        let mut copy = Document::from_workbook(workbook);
        let changed = copy.apply(&transaction, context).changes.ranges;
        Ok(PlannedEdit { transaction, copy, changed })
    }

    /// The first range that is written, for the selection that others see.
    pub fn target(&self) -> Option<(SheetId, Range)> {
        self.changed.first().copied()
    }

    /// Whether all formulas of the copy are calculated.
    pub fn is_calculated(&self) -> bool {
        self.copy.is_calculated()
    }

    /// Calculates the copy until all of it is calculated or the time has come.
    pub fn calculate(&mut self, until: Instant) {
        while !self.copy.is_calculated() {
            self.changed.extend(self.copy.evaluate(Workers::STEPS).ranges);
            if until <= Instant::now() {
                break;
            }
        }
    }

    /// The cells of the copy whose value or formula differs from `before`, at most
    /// [`limits::AGENT_CHANGED_CELLS_SHOWN_MAX`] of them.
    pub fn changed_cells(&self, before: &Workbook) -> Json {
        let (mut cells, mut total, mut left) = (Vec::new(), 0_u64, COMPARED_CELLS_MAX);
        let mut seen = std::collections::BTreeSet::new();
        for (id, range) in &self.changed {
            let Some(after) = self.copy.workbook().sheet(*id) else { continue };
            let earlier = before.sheet(*id);
            let Some(range) = used_part(*range, earlier, after) else { continue };
            let mut read_after = CellReader::new(self.copy.workbook(), after);
            let mut read_before = earlier.map(|sheet| CellReader::new(before, sheet));
            for cell in cell_report::cells_of(range) {
                if left == 0 {
                    break;
                }
                if !seen.insert((*id, cell)) {
                    continue;
                }
                left -= 1;
                let new = content(&mut read_after, cell);
                let old = read_before.as_mut().map_or(Json::Null, |reader| content(reader, cell));
                if new == old {
                    continue;
                }
                total += 1;
                if cells.len() < limits::AGENT_CHANGED_CELLS_SHOWN_MAX {
                    let cell = cell.to_string();
                    cells
                        .push(json!({ "sheet": &**after.name(), "cell": cell, "before": old, "after": new }));
                }
            }
        }
        json!({ "cells": cells, "total": total, "isComplete": left > 0 && self.copy.is_calculated() })
    }
}

/// The part of a range in which one of the sheets has something.
fn used_part(range: Range, before: Option<&Sheet>, after: &Sheet) -> Option<Range> {
    let used = before.and_then(Sheet::used_range).into_iter().chain(after.used_range());
    let last = used
        .map(|used| used.last())
        .reduce(|a, b| CellAddress { row: a.row.max(b.row), column: a.column.max(b.column) })?;
    range.intersection(Range::new(CellAddress::default(), last))
}

/// What a cell contains and shows, without its format.
fn content(reader: &mut CellReader, cell: CellAddress) -> Json {
    let mut json = reader.cell(cell);
    if let Some(members) = json.as_object_mut() {
        members.remove("format");
        members.remove("text");
    }
    json
}
