//! Commands for a sheet of which a filter hides rows: they write, format, hide and delete what is seen.

use std::borrow::Cow;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, ROWS_MAX, Range, SheetId};

use super::seen_rows::VisibleRows;
use super::{Plan, Planner};
use crate::rebase::relocate::with_lines;
use crate::{Axis, Command, CommandError, FillMode, Operation, Transaction, apply, validate};

/// Each piece that is deleted rewrites the references to everything below it.
const DELETED_PIECES_MAX: usize = 1_000;
/// So few can be taken back whatever they hold.
const PIECES_TRUSTED: usize = 16;

/// Which rows a plan means that was made as if nothing were hidden.
pub(super) enum RowSelection<'a> {
    /// Those that it names, as far as they are seen.
    Within(&'a VisibleRows),
    /// From `first` on, as many as it names; those before are those that it names.
    From { rows: &'a VisibleRows, first: u32 },
    /// Below `last`, and above `first` upwards, as many as it names; those between are those that it names.
    Round { rows: &'a VisibleRows, first: u32, last: u32 },
}

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

impl RowSelection<'_> {
    /// The cell that one of the plan becomes; below the sheet's last row, that of the last.
    pub fn cell(&self, cell: CellAddress) -> CellAddress {
        CellAddress::clamped(self.row(cell.row.get()), cell.column.get())
    }

    pub fn is_visible(&self, cell: CellAddress) -> bool {
        let (RowSelection::Within(rows) | RowSelection::From { rows, .. } | RowSelection::Round { rows, .. }) =
            self;
        rows.count(cell.row.get(), cell.row.get()) > 0
    }

    fn row(&self, row: u32) -> u32 {
        let nth = |rows: &VisibleRows, above: u32| rows.nth(above).unwrap_or(ROWS_MAX - 1);
        match self {
            RowSelection::From { rows, first } if row >= *first => {
                nth(rows, rows.above(*first) + (row - first))
            }
            RowSelection::Round { rows, last, .. } if row > *last => {
                nth(rows, rows.above(last + 1) + (row - last - 1))
            }
            RowSelection::Round { rows, first, .. } if row < *first => {
                nth(rows, rows.above(*first).saturating_sub(first - row))
            }
            _ => row,
        }
    }

    /// What rows of the plan become, from above: offset, first row and count of each stretch. Fewer rows where the sheet
    /// ends.
    fn stretches(&self, first: u32, last: u32) -> Vec<(u32, u32, u32)> {
        // Parts of the plan's rows, each up to before the next, and above how many seen ones they begin; or none where
        // they stay.
        let parts = match *self {
            RowSelection::Within(rows) => {
                return rows.within(first, last).map(|(row, count)| (row - first, row, count)).collect();
            }
            RowSelection::From { rows, first: from } => {
                vec![(0, None), (from, Some((rows, rows.above(from))))]
            }
            RowSelection::Round { rows, first: top, last: bottom } => vec![
                // They end right above the source, as the seen ones do.
                (top - rows.above(top), Some((rows, 0))),
                (top, None),
                (bottom + 1, Some((rows, rows.above(bottom + 1)))),
            ],
        };
        let ends = parts.iter().skip(1).map(|(start, _)| *start).chain([ROWS_MAX]);
        let mut stretches = Vec::new();
        for (&(start, seen), end) in parts.iter().zip(ends) {
            let (from, to) = (start.max(first), end.min(last + 1));
            if from >= to {
                continue;
            }
            match seen {
                None => stretches.push((from - first, from, to - from)),
                Some((rows, above)) => {
                    let mut offset = from - first;
                    for (row, count) in rows.numbered(above + (from - start), to - from) {
                        stretches.push((offset, row, count));
                        offset += count;
                    }
                }
            }
        }
        stretches
    }

    fn place(
        &self,
        operation: Operation,
        on: SheetId,
        placed: &mut Vec<Operation>,
    ) -> Result<(), CommandError> {
        let Some((first, last)) = rows_of(&operation, on) else {
            placed.push(self.with_anchors(operation, on));
            return Ok(());
        };
        let stretches = self.stretches(first, last);
        if stretches.as_slice() == [(0, first, last - first + 1)] {
            placed.push(operation);
            return Ok(());
        }
        // Whole columns end with the sheet; what is listed has to fit.
        let is_whole = last == ROWS_MAX - 1 && !matches!(operation, Operation::SetCells { .. });
        let found: u32 = stretches.iter().map(|(_, _, count)| count).sum();
        if !is_whole && !matches!(self, RowSelection::Within(_)) && found < last - first + 1 {
            return Err(CommandError::OutsideSheet);
        }
        placed.extend(stretches.into_iter().map(|stretch| part(&operation, stretch)));
        Ok(())
    }

    fn with_anchors(&self, mut operation: Operation, on: SheetId) -> Operation {
        if let Operation::PutItem { sheet, content, .. } = &mut operation
            && *sheet == Some(on)
        {
            for anchor in &mut Arc::make_mut(content).anchors {
                *anchor = Range::new(self.cell(anchor.first()), self.cell(anchor.last()));
            }
        }
        operation
    }
}

/// First and last of the rows that the operation is about; what lies outside of the sheet is refused as it is.
fn rows_of(operation: &Operation, on: SheetId) -> Option<(u32, u32)> {
    let (sheet, rows) = match operation {
        Operation::SetCells { sheet, range, .. }
        | Operation::FillCells { sheet, range, .. }
        | Operation::SetFormat { sheet, range, .. } => {
            (sheet, Some((range.first().row.get(), range.last().row.get())))
        }
        Operation::SetSizes { sheet, dimension: Dimension::Rows, first, count, .. }
        | Operation::SetHidden { sheet, dimension: Dimension::Rows, first, count, .. } => {
            (sheet, is_within_sheet(*first, *count).then(|| (*first, first + count - 1)))
        }
        _ => return None,
    };
    rows.filter(|_| *sheet == on)
}

/// What becomes of one stretch of an operation's rows.
fn part(operation: &Operation, (offset, row, rows): (u32, u32, u32)) -> Operation {
    let mut part = match operation {
        Operation::SetCells { sheet, range, inputs } => {
            let cell = |row: u32| row as usize * range.column_count() as usize;
            let inputs = inputs[cell(offset)..cell(offset + rows)].to_vec();
            Operation::SetCells { sheet: *sheet, range: *range, inputs }
        }
        operation => operation.clone(),
    };
    match &mut part {
        Operation::SetCells { range, .. }
        | Operation::FillCells { range, .. }
        | Operation::SetFormat { range, .. } => *range = with_lines(*range, Dimension::Rows, row, rows),
        Operation::SetSizes { first, count, .. } | Operation::SetHidden { first, count, .. } => {
            (*first, *count) = (row, rows);
        }
        _ => {}
    }
    part
}

fn is_within_sheet(first: u32, count: u32) -> bool {
    count > 0 && count <= ROWS_MAX && first <= ROWS_MAX - count
}
