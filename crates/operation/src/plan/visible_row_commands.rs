//! Commands on the visible rows of a sheet with hidden rows (`Command::VisibleRows`).

use crate::plan::row_mapping::RowMapping;
use crate::plan::row_mapping::is_within_sheet;
use std::borrow::Cow;

use quadrille_cell::{Dimension, EditKind, ROWS_MAX, Range, SheetId};

use super::visible_rows::VisibleRows;
use crate::plan::planner::{Plan, Planner};
use crate::rebase::relocate::with_span;
use crate::{Axis, Command, CommandError, FillMode, Operation, PasteScope, Transaction, apply, validate};

/// Maximum number of ranges of one deletion: each rewrites the references to all rows below it.
const DELETED_RANGES_MAX: usize = 1_000;
/// Plans with at most this many operations are undoable whatever the cells contain.
const OPERATIONS_ALWAYS_UNDOABLE: usize = 16;

impl Planner<'_> {
    /// Plans `command` on the visible rows; `from` as in [`Command::VisibleRows`].
    pub fn plan_for_visible_rows(
        &self,
        sheet: SheetId,
        from: Option<u32>,
        rows: &VisibleRows,
        command: &Command,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        match (command, from) {
            (Command::Many { commands }, _) => self.each(commands, &mut |planner, command| {
                planner.plan_for_visible_rows(sheet, from, rows, command, new_sheet)
            }),
            _ if sheet_of(command, from.is_some()) != Some(sheet.0) => self.plan(command, new_sheet),
            _ if is_among_visible_rows(command, rows)? => self.plan(command, new_sheet),
            (_, Some(first)) => {
                let Some(command) = with_visible_target(command, rows)? else { return Ok(vec![]) };
                let row_mapping = RowMapping::SpreadFrom { rows, first };
                let planner =
                    Planner { row_mapping: Some(&row_mapping), limits: self.limits.clone(), ..*self };
                self.map_plan(planner.plan(&command, new_sheet)?, sheet, &row_mapping)
            }
            (Command::DeleteRows { at, count, .. }, None) => self.delete_visible(sheet, rows, (*at, *count)),
            (Command::Fill { source, target, mode, .. }, None) => {
                let (source, target) = (Range::parse_a1(source)?, Range::parse_a1(target)?);
                if source.row_count() == target.row_count() || !target.contains_range(source) {
                    return self.map_plan(
                        self.plan(command, new_sheet)?,
                        sheet,
                        &RowMapping::VisibleOnly(rows),
                    );
                }
                let (first, last) = (source.first().row.get(), source.last().row.get());
                let above = rows.rank(first) - rows.rank(target.first().row.get());
                let below = rows.rank(target.last().row.get() + 1) - rows.rank(last + 1);
                let target =
                    with_span(target, Dimension::Rows, first - above, above + source.row_count() + below);
                let row_mapping = RowMapping::SpreadAround { rows, first, last };
                let planner =
                    Planner { row_mapping: Some(&row_mapping), limits: self.limits.clone(), ..*self };
                self.map_plan(planner.fill(self.sheet(sheet.0)?, source, target, *mode)?, sheet, &row_mapping)
            }
            (Command::FillDown { range, .. }, None) => {
                let range = Range::parse_a1(range)?;
                let (first, last) = (range.first().row.get(), range.last().row.get());
                let rank = match rows.count(first, last) {
                    0 => return Ok(vec![]),
                    // For a single row, copy the visible row above it.
                    1 => rows.rank(first).checked_sub(1).ok_or(CommandError::BadFillTarget)?,
                    _ => rows.rank(first),
                };
                let source = rows.select(rank).ok_or(CommandError::BadFillTarget)?;
                let target = with_span(range, Dimension::Rows, source, last - source + 1);
                let source = with_span(range, Dimension::Rows, source, 1);
                let plan = self.fill(self.sheet(sheet.0)?, source, target, FillMode::Copy)?;
                self.map_plan(plan, sheet, &RowMapping::VisibleOnly(rows))
            }
            (_, None) => self.map_plan(self.plan(command, new_sheet)?, sheet, &RowMapping::VisibleOnly(rows)),
        }
    }

    /// Plans `command` with the listed rows in place of those from `first` on, as in
    /// [`Command::VisibleRows`].
    pub fn plan_for_listed_rows(
        &self,
        sheet: SheetId,
        first: u32,
        rows: &[u32],
        command: &Command,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        match command {
            Command::Many { commands } => self.each(commands, &mut |planner, command| {
                planner.plan_for_listed_rows(sheet, first, rows, command, new_sheet)
            }),
            _ if sheet_of(command, true) != Some(sheet.0) => self.plan(command, new_sheet),
            _ => {
                let row_mapping = RowMapping::Listed { rows, first };
                let planner =
                    Planner { row_mapping: Some(&row_mapping), limits: self.limits.clone(), ..*self };
                self.map_plan(planner.plan(command, new_sheet)?, sheet, &row_mapping)
            }
        }
    }

    /// Deletes from the bottom upwards, so that the indices of the remaining ranges stay right.
    fn delete_visible(&self, sheet: SheetId, rows: &VisibleRows, (at, count): (u32, u32)) -> Plan {
        let sheet = self.sheet(sheet.0)?;
        if !is_within_sheet(at, count) {
            // Returns the error for these rows.
            return self.restructure(sheet, Dimension::Rows, EditKind::Delete, (at, count));
        }
        let mut ranges: Vec<(u32, u32)> = rows.spans(at, at + count - 1).collect();
        if ranges.len() > DELETED_RANGES_MAX {
            return Err(CommandError::TooManyRowRanges { count: ranges.len() });
        }
        ranges.reverse();
        let mut plan = Vec::with_capacity(ranges.len());
        for span in ranges {
            plan.extend(self.restructure(sheet, Dimension::Rows, EditKind::Delete, span)?);
        }
        Ok(plan)
    }

    /// Maps a plan to the visible rows. Fails with [`CommandError::TooManyRowRanges`] if the result
    /// has too many operations.
    fn map_plan(&self, plan: Vec<Operation>, sheet: SheetId, row_mapping: &RowMapping) -> Plan {
        let mut mapped = Vec::with_capacity(plan.len());
        for operation in plan {
            row_mapping.map_operation(operation, sheet, &mut mapped)?;
        }
        match mapped.len() {
            count if count > self.limits.operations_per_transaction => {
                Err(CommandError::TooManyRowRanges { count })
            }
            _ => Ok(mapped),
        }
    }

    /// Fails with [`CommandError::TooManyRowRanges`] if the inverse of the plan is not a valid
    /// transaction.
    pub fn check_undoable(&self, plan: Vec<Operation>) -> Plan {
        let count = plan.len();
        if count <= OPERATIONS_ALWAYS_UNDOABLE {
            return Ok(plan);
        }
        let transaction = Transaction { operations: plan };
        let inverse = apply(&mut self.workbook.clone(), &transaction).inverse;
        match validate(&inverse, &self.limits) {
            Ok(()) => Ok(transaction.operations),
            Err(_) => Err(CommandError::TooManyRowRanges { count }),
        }
    }
}

/// Returns the sheet whose rows a command writes, formats, hides or deletes; `None` for commands
/// that run unchanged. A merge without `from` is one of these: it merges hidden rows too.
fn sheet_of(command: &Command, has_target_row: bool) -> Option<u32> {
    match command {
        Command::TypeText { sheet, .. }
        | Command::TypeTexts { sheet, .. }
        | Command::TypeEverywhere { sheet, .. }
        | Command::SetCells { sheet, .. }
        | Command::Clear { sheet, .. }
        | Command::CopyPaste { sheet, .. }
        | Command::PasteText { sheet, .. }
        | Command::Fill { sheet, .. }
        | Command::FillDown { sheet, .. }
        | Command::FillRight { sheet, .. }
        | Command::DeleteRows { sheet, .. }
        | Command::Resize { sheet, dimension: Axis::Rows, .. }
        | Command::TrimWhitespace { sheet, .. }
        | Command::Format { sheet, .. }
        | Command::Toggle { sheet, .. }
        | Command::SetItem { sheet: Some(sheet), .. }
        | Command::SetHidden { sheet, dimension: Axis::Rows, .. } => Some(*sheet),
        Command::Merge { sheet, .. } if has_target_row => Some(*sheet),
        _ => None,
    }
}

/// Returns whether a copy or a fill writes rows of which none is hidden, so that there is nothing to map.
fn is_among_visible_rows(command: &Command, rows: &VisibleRows) -> Result<bool, CommandError> {
    let (first, count) = match command {
        Command::CopyPaste { source, target, what, .. } => {
            let (source, target) = (Range::parse_a1(source)?, Range::parse_a1(target)?);
            let copied = match what {
                PasteScope::Transposed => source.column_count(),
                _ => source.row_count(),
            };
            (target.first().row.get(), copied.max(target.row_count()))
        }
        Command::Fill { target, .. } => {
            let target = Range::parse_a1(target)?;
            (target.first().row.get(), target.row_count())
        }
        _ => return Ok(false),
    };
    // What would leave the sheet fails in the same way either way.
    let last = (first + count - 1).min(ROWS_MAX - 1);
    Ok(rows.count(first, last) == last - first + 1)
}

/// Returns the command with its target reduced to as many rows as are visible of it; `None` if no
/// row is visible.
fn with_visible_target<'a>(
    command: &'a Command,
    rows: &VisibleRows,
) -> Result<Option<Cow<'a, Command>>, CommandError> {
    let (Command::CopyPaste { target, .. }
    | Command::PasteText { target, .. }
    | Command::TypeEverywhere { range: target, .. }) = command
    else {
        return Ok(Some(Cow::Borrowed(command)));
    };
    let range = Range::parse_a1(target)?;
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let visible = rows.count(first, last);
    if visible == 0 || visible == last - first + 1 {
        return Ok((visible > 0).then_some(Cow::Borrowed(command)));
    }
    let target = with_span(range, Dimension::Rows, first, visible).to_string();
    Ok(Some(Cow::Owned(match command {
        Command::CopyPaste { from_sheet, source, sheet, what, excluded_rows, .. } => Command::CopyPaste {
            from_sheet: *from_sheet,
            source: source.clone(),
            sheet: *sheet,
            target,
            what: *what,
            excluded_rows: excluded_rows.clone(),
        },
        Command::PasteText { sheet, text, .. } => {
            Command::PasteText { sheet: *sheet, target, text: text.clone() }
        }
        Command::TypeEverywhere { sheet, text, .. } => {
            Command::TypeEverywhere { sheet: *sheet, range: target, text: text.clone() }
        }
        _ => return Ok(Some(Cow::Borrowed(command))),
    })))
}
