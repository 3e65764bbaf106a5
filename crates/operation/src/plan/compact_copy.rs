//! Planning of copies without some rows of the source; the rows after them move up.

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::copied_items::{PastedCells, Placement};
use super::copy::{TILES_MAX, tiles};
use super::filled_cells::{copied_input, is_array_anchor};
use super::visible_rows::VisibleRows;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::block_at;
use crate::rebase::relocate::with_span;
use crate::{Operation, PasteScope};

impl Planner<'_> {
    /// Like [`copy_paste`](Self::copy_paste) and [`paste_transposed`](Self::paste_transposed),
    /// without the rows `excluded_rows`.
    pub fn copy_without_excluded_rows(
        &self,
        (from, source): (&Sheet, Range),
        (to, target): (&Sheet, Range),
        what: PasteScope,
        excluded_rows: &[(u32, u32)],
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let rows = VisibleRows::excluding(excluded_rows);
        let Some(included) = IncludedRows::of(from, source, &rows) else { return Ok(vec![]) };
        let is_transposed = what == PasteScope::Transposed;
        if is_transposed && included.filled == 0 {
            return Ok(vec![]);
        }
        let (height, width) = match is_transposed {
            // Blank rows at the end need not fit.
            true => (source.column_count(), included.filled),
            false => (included.height, source.column_count()),
        };
        let is_multiple = !is_transposed
            && target.row_count().is_multiple_of(height)
            && target.column_count().is_multiple_of(width);
        let target = match is_multiple {
            true => target,
            false => block_at(target.first(), height as usize, width as usize)?,
        };
        let position = |cell: CellAddress| {
            let (row, column) =
                (cell.row.get() - target.first().row.get(), cell.column.get() - target.first().column.get());
            if is_transposed { (column, row) } else { (row % height, column % width) }
        };
        let mut plan = Vec::new();
        if what != PasteScope::Formats {
            plan.push(Operation::FillCells { sheet: to.id(), range: target, input: Input::Blank });
            // Whole columns are written only as far as they are used.
            let is_single = !is_transposed && (target.row_count(), target.column_count()) == (height, width);
            let written = if is_single { included.filled } else { target.row_count() };
            if written > 0 {
                let range = with_span(target, Dimension::Rows, target.first().row.get(), written);
                self.check_cells(range.cell_count())?;
                let input = |cell| match included.cell(position(cell)) {
                    Some(cell) if what == PasteScope::Values => Input::from(from.value(cell)),
                    // Without some of its rows an array would have another size.
                    Some(cell) if is_array_anchor(from, cell) => Input::from(from.value(cell)),
                    Some(cell) => copied_input(from, cell, |_| false),
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
            let mut runs = self.copied_formats(from, source, &[]);
            runs.retain(|(_, format)| *format != Format::default());
            for tile in tiles(target, height, width).take(TILES_MAX as usize) {
                for (run, format) in &runs {
                    let run =
                        included.run(*run, tile, is_transposed).and_then(|run| run.intersection(target));
                    plan.extend(run.map(|run| set(run, format)));
                }
            }
        }
        let place = &|part: Range| {
            let copies = tiles(target, height, width).take(TILES_MAX as usize);
            let copies = copies.filter_map(|tile| included.run(part, tile, is_transposed));
            copies.filter_map(|copy| copy.intersection(target)).collect()
        };
        let copied = PastedCells { from, source, to, target };
        plan.extend(self.copy_items(copied, what, &Placement::At(place), new_id)?);
        Ok(plan)
    }
}

/// The included rows of a source, as if they were adjacent.
struct IncludedRows<'a> {
    rows: &'a VisibleRows,
    source: Range,
    /// Number of included rows above the source.
    above: u32,
    height: u32,
    /// Number of rows, from the first, that may have contents.
    filled: u32,
}

impl<'a> IncludedRows<'a> {
    /// Returns `None` if all rows are excluded.
    fn of(from: &Sheet, source: Range, rows: &'a VisibleRows) -> Option<IncludedRows<'a>> {
        let (first, last) = (source.first().row.get(), source.last().row.get());
        let height = rows.count(first, last);
        let used = from.used_range().map(|used| used.last().row.get()).filter(|used| *used >= first);
        let filled = used.map_or(0, |used| rows.count(first, used.min(last)));
        (height > 0).then(|| IncludedRows { rows, source, above: rows.rank(first), height, filled })
    }

    /// Returns the source cell at a row and column, counted from the first included one.
    fn cell(&self, (row, column): (u32, u32)) -> Option<CellAddress> {
        let row = self.rows.select(self.above + row)?;
        CellAddress::new(row, self.source.first().column.get() + column)
    }

    /// Returns the position of a part of the source in the copy that begins at `tile`.
    fn run(&self, run: Range, tile: CellAddress, is_transposed: bool) -> Option<Range> {
        let run = run.intersection(self.source)?;
        let count = self.rows.count(run.first().row.get(), run.last().row.get());
        let down = self.rows.rank(run.first().row.get()) - self.above;
        let right = run.first().column.get() - self.source.first().column.get();
        let (down, right, height, width) = match is_transposed {
            true => (right, down, run.column_count(), count),
            false => (down, right, count, run.column_count()),
        };
        let first = CellAddress::new(tile.row.get() + down, tile.column.get() + right)?;
        block_at(first, height as usize, width as usize).ok()
    }
}
