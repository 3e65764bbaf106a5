//! Commands for a sheet of which a filter hides rows: they write, format, hide and delete what is seen.

use crate::plan::row_selection::RowSelection;
use crate::plan::row_selection::is_within_sheet;
use std::borrow::Cow;

use quadrille_cell::{Dimension, EditKind, Range, SheetId};

use super::seen_rows::VisibleRows;
use crate::plan::planner::{Plan, Planner};
use crate::rebase::relocate::with_lines;
use crate::{Axis, Command, CommandError, FillMode, Operation, Transaction, apply, validate};

/// Each piece that is deleted rewrites the references to everything below it.
const DELETED_PIECES_MAX: usize = 1_000;
/// So few can be taken back whatever they hold.
const PIECES_TRUSTED: usize = 16;

impl Planner<'_> {
    /// `from` as [`Command::InSight`] has it.
    pub fn for_visible_rows(
        &self,
        sheet: SheetId,
        from: Option<u32>,
        rows: &VisibleRows,
        command: &Command,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        match (command, from) {
            (Command::Many { commands }, _) => self.each(commands, &mut |planner, command| {
                planner.for_visible_rows(sheet, from, rows, command, new_sheet)
            }),
            _ if sheet_of(command, from.is_some()) != Some(sheet.0) => self.plan(command, new_sheet),
            (_, Some(first)) => {
                let Some(command) = packed(command, rows)? else { return Ok(vec![]) };
                let placing = RowSelection::From { rows, first };
                let planner = Planner { placing: Some(&placing), limits: self.limits.clone(), ..*self };
                self.placed(planner.plan(&command, new_sheet)?, sheet, &placing)
            }
            (Command::DeleteRows { at, count, .. }, None) => self.delete_visible(sheet, rows, (*at, *count)),
            (Command::Fill { source, target, mode, .. }, None) => {
                let (source, target) = (Range::parse_a1(source)?, Range::parse_a1(target)?);
                if source.row_count() == target.row_count() || !target.contains_range(source) {
                    return self.placed(self.plan(command, new_sheet)?, sheet, &RowSelection::Within(rows));
                }
                let (first, last) = (source.first().row.get(), source.last().row.get());
                let above = rows.above(first) - rows.above(target.first().row.get());
                let below = rows.above(target.last().row.get() + 1) - rows.above(last + 1);
                let target =
                    with_lines(target, Dimension::Rows, first - above, above + source.row_count() + below);
                let placing = RowSelection::Round { rows, first, last };
                let planner = Planner { placing: Some(&placing), limits: self.limits.clone(), ..*self };
                self.placed(planner.fill(self.sheet(sheet.0)?, source, target, *mode)?, sheet, &placing)
            }
            (Command::FillDown { range, .. }, None) => {
                let range = Range::parse_a1(range)?;
                let (first, last) = (range.first().row.get(), range.last().row.get());
                let above = match rows.count(first, last) {
                    0 => return Ok(vec![]),
                    // Of a single row, the one that is seen above it.
                    1 => rows.above(first).checked_sub(1).ok_or(CommandError::BadFillTarget)?,
                    _ => rows.above(first),
                };
                let source = rows.nth(above).ok_or(CommandError::BadFillTarget)?;
                let target = with_lines(range, Dimension::Rows, source, last - source + 1);
                let source = with_lines(range, Dimension::Rows, source, 1);
                let plan = self.fill(self.sheet(sheet.0)?, source, target, FillMode::Copy)?;
                self.placed(plan, sheet, &RowSelection::Within(rows))
            }
            (_, None) => self.placed(self.plan(command, new_sheet)?, sheet, &RowSelection::Within(rows)),
        }
    }

    /// From below, so that what is still to be deleted stays where it is.
    fn delete_visible(&self, sheet: SheetId, rows: &VisibleRows, (at, count): (u32, u32)) -> Plan {
        let sheet = self.sheet(sheet.0)?;
        if !is_within_sheet(at, count) {
            // Which says what is wrong.
            return self.restructure(sheet, Dimension::Rows, EditKind::Delete, (at, count));
        }
        let mut pieces: Vec<(u32, u32)> = rows.within(at, at + count - 1).collect();
        if pieces.len() > DELETED_PIECES_MAX {
            return Err(CommandError::TooManyPieces { count: pieces.len() });
        }
        pieces.reverse();
        let mut plan = Vec::with_capacity(pieces.len());
        for lines in pieces {
            plan.extend(self.restructure(sheet, Dimension::Rows, EditKind::Delete, lines)?);
        }
        Ok(plan)
    }

    fn placed(&self, plan: Vec<Operation>, sheet: SheetId, placing: &RowSelection) -> Plan {
        let mut placed = Vec::with_capacity(plan.len());
        for operation in plan {
            placing.place(operation, sheet, &mut placed)?;
        }
        match placed.len() {
            count if count > self.limits.operations_per_transaction => {
                Err(CommandError::TooManyPieces { count })
            }
            _ => Ok(placed),
        }
    }

    /// What takes a change of many pieces back has to be a transaction as well.
    pub fn undoable(&self, plan: Vec<Operation>) -> Plan {
        let count = plan.len();
        if count <= PIECES_TRUSTED {
            return Ok(plan);
        }
        let transaction = Transaction { operations: plan };
        let inverse = apply(&mut self.workbook.clone(), &transaction).inverse;
        match validate(&inverse, &self.limits) {
            Ok(()) => Ok(transaction.operations),
            Err(_) => Err(CommandError::TooManyPieces { count }),
        }
    }
}

/// The sheet of a command that writes, formats, hides or deletes rows; others are as ever. Cells that are merged in place
/// are merged with what is hidden between them.
fn sheet_of(command: &Command, is_brought: bool) -> Option<u32> {
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
        Command::Merge { sheet, .. } if is_brought => Some(*sheet),
        _ => None,
    }
}

/// The command with its target in as many rows as are seen of it; `None` where that is none.
fn packed<'a>(command: &'a Command, rows: &VisibleRows) -> Result<Option<Cow<'a, Command>>, CommandError> {
    let (Command::CopyPaste { target, .. }
    | Command::PasteText { target, .. }
    | Command::TypeEverywhere { range: target, .. }) = command
    else {
        return Ok(Some(Cow::Borrowed(command)));
    };
    let range = Range::parse_a1(target)?;
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let seen = rows.count(first, last);
    if seen == 0 || seen == last - first + 1 {
        return Ok((seen > 0).then_some(Cow::Borrowed(command)));
    }
    let target = with_lines(range, Dimension::Rows, first, seen).to_string();
    Ok(Some(Cow::Owned(match command {
        Command::CopyPaste { from_sheet, source, sheet, what, leaving_out, .. } => Command::CopyPaste {
            from_sheet: *from_sheet,
            source: source.clone(),
            sheet: *sheet,
            target,
            what: *what,
            leaving_out: leaving_out.clone(),
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
