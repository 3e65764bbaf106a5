//! [`Planner`]: the workbook that the commands so far leave, and their operations.

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_operation::{
    Axis, ClearScope, Command, Operation, PasteScope, Transaction, apply, plan as plan_command,
};
use quadrille_workbook::{Sheet, Workbook};

use crate::CELLS_PER_STATEMENT_MAX;
use crate::clipboard::Clipboard;
use crate::statement::Scope;

/// Rows or columns to which a paste gives sizes, at most; each is an operation.
const LINES_PER_PASTE_MAX: u32 = 10_000;

/// The state between two commands.
pub(crate) struct Planner<'a> {
    /// The workbook that the commands so far leave. Cloning it was cheap: it shares what is not written.
    pub workbook: Workbook,
    pub sheet: SheetId,
    pub clipboard: Option<Clipboard>,
    pub operations: Vec<Operation>,
    pub new_sheet: &'a mut dyn FnMut() -> SheetId,
}

impl Planner<'_> {
    /// The sheet that the commands so far leave.
    pub(crate) fn sheet(&self) -> &Sheet {
        self.workbook.sheet(self.sheet).expect("no command removes the sheet")
    }

    /// Plans and applies a command of the workbook's own.
    pub(crate) fn command(&mut self, command: &Command) -> Result<(), String> {
        let step =
            plan_command(command, &self.workbook, self.new_sheet).map_err(|error| error.to_string())?;
        self.take(step);
        Ok(())
    }

    pub(crate) fn take(&mut self, step: Transaction) {
        apply(&mut self.workbook, &step);
        self.operations.extend(step.operations);
    }

    pub(crate) fn clear(&mut self, range: Range, what: ClearScope) -> Result<(), String> {
        self.command(&Command::Clear { sheet: self.sheet.0, range: range.to_string(), what })
    }

    /// Pastes at the first cell of `target`, repeated as often as it fits; the last copies may be cut off.
    pub(crate) fn paste(&mut self, clipboard: &Clipboard, target: Range, scope: Scope) -> Result<(), String> {
        let source = clipboard.range();
        let tiles =
            tiles(source, target).ok_or_else(|| format!("{source} does not fit at {}", target.first()))?;
        let id = (self.new_sheet)();
        // The clipboard becomes a sheet for as long as the copies are planned.
        let mut with_clipboard = self.workbook.clone();
        let mut names = (1..).map(|number| format!("Clipboard {number}"));
        let name = names.find(|name| with_clipboard.sheet_by_name(name).is_none()).expect("one is free");
        with_clipboard.insert_sheet(clipboard.sheet_named(id, &name), usize::MAX);
        for (part, target) in tiles {
            let copy = Command::CopyPaste {
                from_sheet: id.0,
                source: part.to_string(),
                sheet: self.sheet.0,
                target: target.to_string(),
                what: paste_scope(scope),
                excluded_rows: Vec::new(),
            };
            let step =
                plan_command(&copy, &with_clipboard, self.new_sheet).map_err(|error| error.to_string())?;
            self.take(step);
        }
        if scope == Scope::Contents {
            self.paste_notes(clipboard, target)?;
        } else {
            self.paste_sizes(clipboard, target)?;
        }
        Ok(())
    }

    /// Pastes notes, which SocialCalc counts as contents. A paste of everything has done so already.
    fn paste_notes(&mut self, clipboard: &Clipboard, target: Range) -> Result<(), String> {
        let notes: Vec<(CellAddress, String)> = clipboard.notes().collect();
        let area = pasted(clipboard.range(), target);
        if !notes.is_empty() && area.cell_count() > CELLS_PER_STATEMENT_MAX {
            return Err(too_many(area));
        }
        self.remove_notes(area)?;
        for (cell, text) in notes {
            for copy in copies(clipboard.range(), target, cell) {
                self.note(copy, &text)?;
            }
        }
        Ok(())
    }

    /// Gives the columns the widths of the copied ones, and hides rows and columns as they were hidden. As
    /// in SocialCalc, those without a width of their own change nothing.
    fn paste_sizes(&mut self, clipboard: &Clipboard, target: Range) -> Result<(), String> {
        let area = pasted(clipboard.range(), target);
        for dimension in [Dimension::Columns, Dimension::Rows] {
            let first = clipboard.range().first().index(dimension);
            let count = clipboard.range().last().index(dimension) - first + 1;
            let copied = clipboard.cells();
            let (start, end) = (area.first().index(dimension), area.last().index(dimension));
            let is_plain = copied.hidden_in(dimension, first, first + count - 1).next().is_none()
                && (dimension == Dimension::Rows || copied.size_runs(dimension).next().is_none());
            if is_plain {
                continue;
            }
            if end - start >= LINES_PER_PASTE_MAX {
                return Err(format!(
                    "{area} has more than {LINES_PER_PASTE_MAX} rows or columns to hide or resize"
                ));
            }
            for index in start..=end {
                let line = first + (index - start) % count;
                let size = copied.size(dimension, line).filter(|_| dimension == Dimension::Columns);
                self.set_line(dimension, index, size, copied.is_hidden(dimension, line))?;
            }
        }
        Ok(())
    }

    /// Gives a row or column a size, and hides it, unless it is so already.
    pub(crate) fn set_line(
        &mut self,
        dimension: Dimension,
        index: u32,
        size: Option<u16>,
        is_hidden: bool,
    ) -> Result<(), String> {
        let (sheet, axis) = (self.sheet.0, axis(dimension));
        if size.is_some() && self.sheet().size(dimension, index) != size {
            self.command(&Command::Resize { sheet, dimension: axis, first: index, count: 1, size })?;
        }
        if is_hidden && !self.sheet().is_hidden(dimension, index) {
            let hidden = true;
            self.command(&Command::SetHidden { sheet, dimension: axis, first: index, count: 1, hidden })?;
        }
        Ok(())
    }

    pub(crate) fn cut_paste(&mut self, source: Range, to: CellAddress) -> Result<(), String> {
        self.command(&Command::CutPaste {
            from_sheet: self.sheet.0,
            source: source.to_string(),
            sheet: self.sheet.0,
            target: to.to_string(),
        })
    }
}

/// The error for a command on too many cells.
pub(crate) fn too_many(range: Range) -> String {
    format!("{range} has more than {CELLS_PER_STATEMENT_MAX} cells")
}

/// A dimension as commands name it.
pub(crate) fn axis(dimension: Dimension) -> Axis {
    match dimension {
        Dimension::Rows => Axis::Rows,
        Dimension::Columns => Axis::Columns,
    }
}

/// The parts that a paste copies.
pub(crate) fn paste_scope(scope: Scope) -> PasteScope {
    match scope {
        Scope::All => PasteScope::All,
        Scope::Contents => PasteScope::Contents,
        Scope::Formats => PasteScope::Formats,
    }
}

/// The range that a paste writes: `target`, or one copy if that is larger.
fn pasted(source: Range, target: Range) -> Range {
    let (first, last) = (target.first(), target.last());
    let row = last.row.get().max(first.row.get() + source.row_count() - 1);
    let column = last.column.get().max(first.column.get() + source.column_count() - 1);
    Range::new(first, CellAddress::clamped(row, column))
}

/// The cells of a paste that are copies of `cell`.
fn copies(source: Range, target: Range, cell: CellAddress) -> Vec<CellAddress> {
    let area = pasted(source, target);
    let along = |dimension: Dimension| {
        let (first, last) = (source.first().index(dimension), source.last().index(dimension));
        let start = area.first().index(dimension) + (cell.index(dimension) - first);
        (start..=area.last().index(dimension)).step_by((last - first + 1) as usize)
    };
    let rows = along(Dimension::Rows);
    rows.flat_map(|row| along(Dimension::Columns).map(move |column| CellAddress::clamped(row, column)))
        .collect()
}

/// The copies of `source` that cover the larger of `target` and one copy, as pairs of a part of the source
/// and its range: whole copies, then those that are cut off at the right, below, and in the corner. `None`
/// when they leave the sheet.
fn tiles(source: Range, target: Range) -> Option<Vec<(Range, Range)>> {
    let at = target.first();
    let cut = |size: u32, copy: u32| {
        let size = size.max(copy);
        [(0, copy, size - size % copy), (size - size % copy, size % copy, size % copy)]
    };
    let mut tiles = Vec::new();
    for (row, rows, height) in cut(target.row_count(), source.row_count()) {
        for (column, columns, width) in cut(target.column_count(), source.column_count()) {
            if rows == 0 || columns == 0 {
                continue;
            }
            let block = |first: CellAddress, row: u32, column: u32, height: u32, width: u32| {
                let (top, left) = (first.row.get() + row, first.column.get() + column);
                Range::from_indices(top, left, top + height - 1, left + width - 1)
            };
            tiles.push((block(source.first(), 0, 0, rows, columns)?, block(at, row, column, height, width)?));
        }
    }
    Some(tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Range {
        Range::parse_a1(text).expect("valid")
    }

    #[test]
    fn copies_cover_the_target() {
        let text = |source, target| {
            let tiles = tiles(range(source), range(target)).expect("within the sheet");
            tiles.iter().map(|(part, to)| format!("{part} {to}")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(text("A1:B2", "D1"), "A1:B2 D1:E2");
        assert_eq!(text("A1:B2", "D1:G4"), "A1:B2 D1:G4");
        assert_eq!(text("A1:B2", "D1:F3"), "A1:B2 D1:E2, A1:A2 F1:F2, A1:B1 D3:E3, A1 F3");
        assert_eq!(tiles(range("A1:B2"), range("XFD1")), None);
    }
}
