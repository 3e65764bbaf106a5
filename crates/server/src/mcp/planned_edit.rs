//! [`PlannedEdit`]: commands that are applied together or not at all, tried on a copy of the workbook.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, InputContext, Locale, Transaction, plan_typed};
use quadrille_protocol::fresh_sheet_id;
use quadrille_replica::{Replica, Timestamp};
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Value as Json, json};

use super::cell_report;
use crate::cells::CellReader;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::sheet_lookup::sheet_by_name;

/// Commands, planned one after another on a copy.
pub struct PlannedEdit {
    /// The operations of all commands.
    pub transaction: Transaction,
    /// The copy with the transaction, not calculated.
    copy: Document,
    /// Ranges that the transaction writes.
    written: Vec<(SheetId, Range)>,
}

/// Evaluation steps between two looks at other tasks, and in total.
const STEPS: u64 = 50_000;
const STEPS_MAX: u64 = 50_000_000;
/// Cells that are compared to find those that differ.
const COMPARED_CELLS_MAX: u64 = 200_000;

impl PlannedEdit {
    /// Plans commands, given as JSON. In a command, `sheet` may be the name of a sheet instead of its
    /// number.
    ///
    /// # Errors
    /// `bad_json` for too many commands and for one that is none, `bad_command` for one that cannot be
    /// carried out; the message has its number, from 1.
    pub fn plan(replica: &Replica, commands: &[Json], now: Timestamp) -> Result<PlannedEdit, ApiError> {
        if commands.is_empty() || commands.len() > limits::AGENT_COMMANDS_MAX {
            let message =
                format!("an edit has 1 to {} commands: {}", limits::AGENT_COMMANDS_MAX, commands.len());
            return Err(ApiError::new(ErrorCode::BadJson, message));
        }
        let mut copy = Document::from_workbook(replica.document().snapshot());
        let context = EvaluationContext { time_ms: now.unix_ms, seed: getrandom::u64().unwrap_or(0) };
        let (mut transaction, mut written) = (Transaction::default(), Vec::new());
        let mut new_sheets = 0;
        for (index, given) in commands.iter().enumerate() {
            let at = |error: ApiError| {
                ApiError::new(error.code, format!("command {}: {}", index + 1, error.message))
            };
            let command = command_of(&copy, given).map_err(at)?;
            let typing = InputContext::at(Locale::default(), now.unix_ms);
            let workbook = copy.workbook();
            let mut new_sheet = || loop {
                new_sheets += 1;
                let id = fresh_sheet_id(context.seed, new_sheets);
                if workbook.sheet(id).is_none() {
                    break id;
                }
            };
            let planned = plan_typed(&command, workbook, typing, &mut new_sheet)
                .map_err(|error| at(ApiError::new(ErrorCode::BadCommand, error.to_string())))?;
            written.extend(copy.apply(&planned, context).changes.ranges);
            transaction.operations.extend(planned.operations);
        }
        Ok(PlannedEdit { transaction, copy, written })
    }

    /// The first range that is written, for the selection that others see.
    pub fn target(&self) -> Option<(SheetId, Range)> {
        self.written.first().copied()
    }

    /// Calculates the copy and returns the cells whose value or formula differs from `before`, at most
    /// [`limits::AGENT_CHANGED_CELLS_SHOWN_MAX`] of them.
    pub async fn changed_cells(&mut self, before: &Workbook) -> Json {
        let mut changed = self.written.clone();
        let mut steps = 0;
        while !self.copy.is_calculated() && steps < STEPS_MAX {
            changed.extend(self.copy.evaluate(STEPS).ranges);
            steps += STEPS;
            tokio::task::yield_now().await;
        }
        self.compare(before, &changed)
    }

    fn compare(&self, before: &Workbook, changed: &[(SheetId, Range)]) -> Json {
        let (mut cells, mut total, mut left) = (Vec::new(), 0_u64, COMPARED_CELLS_MAX);
        let mut seen = std::collections::BTreeSet::new();
        for (id, range) in changed {
            let Some(after) = self.copy.workbook().sheet(*id) else { continue };
            let earlier = before.sheet(*id);
            let Some(range) = used_part(*range, earlier, after) else { continue };
            let mut read_after = CellReader::new(self.copy.workbook(), after);
            let mut read_before = earlier.map(|sheet| CellReader::new(before, sheet));
            for cell in cell_report::cells_of(range) {
                if left == 0 || !seen.insert((*id, cell)) {
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

fn command_of(document: &Document, given: &Json) -> Result<Command, ApiError> {
    let mut given = given.clone();
    for member in ["sheet", "fromSheet"] {
        if let Some(Json::String(name)) = given.get(member) {
            given[member] = sheet_by_name(document.workbook(), name)?.id().0.into();
        }
    }
    serde_json::from_value(given).map_err(|error| ApiError::new(ErrorCode::BadJson, error.to_string()))
}
