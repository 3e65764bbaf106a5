//! Copies of which rows are left out: what follows them moves up.

use quadrille_cell::{CellAddress, Dimension, Range};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::copy::{TILES_MAX, tiles};
use super::seen_rows::VisibleRows;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::block_at;
use crate::rebase::relocate::with_lines;
use crate::{Operation, PasteScope};

impl Planner<'_> {
    /// As [`copy_paste`](Self::copy_paste) and [`paste_transposed`](Self::paste_transposed).
    pub fn copy_leaving_out(
        &self,
        (from, source): (&Sheet, Range),
        (to, target): (&Sheet, Range),
        what: PasteScope,
        leaving_out: &[(u32, u32)],
    ) -> Plan {
        let rows = VisibleRows::beside(leaving_out);
        let Some(packed) = Packed::of(from, source, &rows) else { return Ok(vec![]) };
        let is_turned = what == PasteScope::Transposed;
        if is_turned && packed.filled == 0 {
            return Ok(vec![]);
        }
        let (height, width) = match is_turned {
            // What is blank below does not have to fit.
            true => (source.column_count(), packed.filled),
            false => (packed.height, source.column_count()),
        };
        let is_multiple = !is_turned
            && target.row_count().is_multiple_of(height)
            && target.column_count().is_multiple_of(width);
        let target = match is_multiple {
            true => target,
            false => block_at(target.first(), height as usize, width as usize)?,
        };
        let place = |cell: CellAddress| {
            let (row, column) =
                (cell.row.get() - target.first().row.get(), cell.column.get() - target.first().column.get());
            if is_turned { (column, row) } else { (row % height, column % width) }
        };
        let mut plan = Vec::new();
        if what != PasteScope::Formats {
            plan.push(Operation::FillCells { sheet: to.id(), range: target, input: Input::Blank });
            // Whole columns are written as far as they hold anything.
            let is_single = !is_turned && (target.row_count(), target.column_count()) == (height, width);
            let written = if is_single { packed.filled } else { target.row_count() };
            if written > 0 {
                let range = with_lines(target, Dimension::Rows, target.first().row.get(), written);
                self.check_cells(range.cell_count())?;
                let input = |cell| match packed.cell(place(cell)) {
                    Some(cell) if what == PasteScope::Values => Input::from(from.value(cell)),
                    Some(cell) => from.input(cell),
                    None => Input::Blank,
                };
                let inputs = range.cells().map(input).collect();
                plan.push(Operation::SetCells { sheet: to.id(), range, inputs });
            }
        }
        if !matches!(what, PasteScope::Contents | PasteScope::Values) {
            let set = |range: Range, format: &Format| Operation::SetFormat {
                sheet: to.id(),
                range,
                patch: FormatPatch::replacing_with(format),
            };
            plan.push(set(target, &Format::default()));
            let runs: Vec<_> =
                from.format_runs(source).filter(|(_, format)| **format != Format::default()).collect();
            for tile in tiles(target, height, width).take(TILES_MAX as usize) {
                for (run, format) in &runs {
                    let run = packed.run(*run, tile, is_turned).and_then(|run| run.intersection(target));
                    plan.extend(run.map(|run| set(run, format)));
                }
            }
        }
        Ok(plan)
    }
}

/// The rows of a source that are not left out, as if nothing were between them.
struct Packed<'a> {
    rows: &'a VisibleRows,
    source: Range,
    /// Seen rows above the source.
    above: u32,
    height: u32,
    /// How many of them, counted from the first, may hold anything.
    filled: u32,
}

impl<'a> Packed<'a> {
    /// `None` where all is left out.
    fn of(from: &Sheet, source: Range, rows: &'a VisibleRows) -> Option<Packed<'a>> {
        let (first, last) = (source.first().row.get(), source.last().row.get());
        let height = rows.count(first, last);
        let used = from.used_range().map(|used| used.last().row.get()).filter(|used| *used >= first);
        let filled = used.map_or(0, |used| rows.count(first, used.min(last)));
        (height > 0).then(|| Packed { rows, source, above: rows.above(first), height, filled })
    }

    /// `place`: row and column, counted from the first that is there.
    fn cell(&self, (row, column): (u32, u32)) -> Option<CellAddress> {
        let row = self.rows.nth(self.above + row)?;
        CellAddress::new(row, self.source.first().column.get() + column)
    }

    /// Where a part of the source is, in a copy that begins at `tile`.
    fn run(&self, run: Range, tile: CellAddress, is_turned: bool) -> Option<Range> {
        let run = run.intersection(self.source)?;
        let count = self.rows.count(run.first().row.get(), run.last().row.get());
        let down = self.rows.above(run.first().row.get()) - self.above;
        let right = run.first().column.get() - self.source.first().column.get();
        let (down, right, height, width) = match is_turned {
            true => (right, down, run.column_count(), count),
            false => (down, right, count, run.column_count()),
        };
        let first = CellAddress::new(tile.row.get() + down, tile.column.get() + right)?;
        block_at(first, height as usize, width as usize).ok()
    }
}
