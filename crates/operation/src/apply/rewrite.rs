//! Rewriting the formulas of a sheet for a structural edit. A formula shared by many runs is
//! analyzed once or a few times only: formulas of alternating shapes form a run each, and inserting
//! a row rewrites all of them.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::Template;
use quadrille_workbook::{Run, Sheet};

use crate::rebase::relocate::{RelocatedRange, rearranged_rows, relocate_range};

/// Rows of one column whose formula is rewritten in the same way.
#[derive(Clone)]
struct Part {
    first: u32,
    last: u32,
    /// Row of `first` after the edit.
    first_after: u32,
    /// The rewritten formula; `None` if it does not change.
    rewritten: Option<Template>,
    /// Rows (before the edit) whose formula the inverse edit alone would not restore.
    lost: Vec<(u32, u32)>,
}

/// The cached analysis of one formula.
#[derive(Default)]
struct CachedTemplate {
    /// Number of runs with this formula so far.
    runs: u32,
    /// Parts for all rows of the sheet that contain formulas.
    sheet_parts: Option<Vec<Part>>,
}

/// The rewritten formulas, and those that the inverse must restore.
#[derive(Default)]
pub(super) struct Rewritten {
    /// By column after the edit, ascending; runs in row order.
    pub columns: Vec<(ColumnIndex, Vec<Run<Template>>)>,
    /// By column and rows before the edit.
    pub restored: Vec<(ColumnIndex, Run<Template>)>,
}

/// Rewrites the formulas of one sheet.
pub(super) struct Rewriter<'a> {
    sheet: SheetId,
    edit: &'a StructuralEdit,
    inverse_edit: &'a StructuralEdit,
    /// First and last row of the sheet that contain formulas.
    extent: (u32, u32),
    known: Vec<CachedTemplate>,
    by_template: HashMap<&'a Template, usize>,
    /// A direct-mapped cache by the address of the template, because equal templates mostly share
    /// an allocation.
    recent: [Option<(&'a Template, usize)>; RECENT],
}

const RECENT: usize = 64;

/// Analyzing a formula for the whole sheet costs about a sixteenth of analyzing one run for each
/// row or column that the edit removes or moves, because ranges that end in such rows or columns
/// differ from row to row.
const AFFECTED_PER_RUN: u32 = 16;

impl<'a> Rewriter<'a> {
    /// Returns the formulas of `sheet` after `edit`. `inverse_edit` is the inverse of `edit`.
    pub fn rewrite(
        sheet: &'a Sheet,
        edit: &'a StructuralEdit,
        inverse_edit: &'a StructuralEdit,
    ) -> Rewritten {
        let columns = sheet.columns_in(Range::whole_sheet());
        let extents = columns.filter_map(|(_, column)| column.formulas().extent());
        let Some(extent) = extents.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
            return Rewritten::default();
        };
        let mut rewriter = Rewriter {
            sheet: sheet.id(),
            edit,
            inverse_edit,
            extent,
            known: Vec::new(),
            by_template: HashMap::new(),
            recent: [None; RECENT],
        };
        let mut rewritten = Rewritten::default();
        for (column, content) in sheet.columns_in(Range::whole_sheet()) {
            if edit.dimension == Dimension::Columns {
                // The result depends on the column of the formula, not on its row.
                rewriter.known.clear();
                rewriter.by_template.clear();
                rewriter.recent = [None; RECENT];
            }
            for run in content.formulas().iter() {
                rewriter.run(column, run, &mut rewritten);
            }
        }
        quadrille_cell::stable_sort_by_key(&mut rewritten.columns, |(column, _)| *column);
        // Runs in moved rows are out of order.
        for (_, runs) in &mut rewritten.columns {
            if !runs.is_sorted_by_key(|run| run.first) {
                quadrille_cell::stable_sort_by_key(runs, |run| run.first);
            }
        }
        rewritten
    }

    fn run(&mut self, column: ColumnIndex, run: &'a Run<Template>, rewritten: &mut Rewritten) {
        let index = self.index_of(&run.value);
        let known = &mut self.known[index];
        known.runs += 1;
        let parts = match &known.sheet_parts {
            Some(parts) => parts,
            None if known.runs > 1 && known.runs * AFFECTED_PER_RUN >= affected_ranges(self.edit) => {
                let parts = self.parts(column, self.extent, &run.value);
                self.known[index].sheet_parts.insert(parts)
            }
            None => &self.parts(column, (run.first, run.last), &run.value),
        };
        let column_after = match self.edit.dimension {
            Dimension::Columns if self.sheet == self.edit.sheet => self.edit.map_index(column.get()),
            _ => Some(column.get()),
        };
        let from = parts.partition_point(|part| part.last < run.first);
        for part in parts[from..].iter().take_while(|part| part.first <= run.last) {
            let (first, last) = (part.first.max(run.first), part.last.min(run.last));
            for lost in part.lost.iter().filter(|lost| lost.0 <= last && first <= lost.1) {
                let value = run.value.clone();
                let lost = Run { first: lost.0.max(first), last: lost.1.min(last), value };
                rewritten.restored.push((column, lost));
            }
            if let (Some(value), Some(column)) = (&part.rewritten, column_after) {
                let after = |row: u32| part.first_after + (row - part.first);
                let run = Run { first: after(first), last: after(last), value: value.clone() };
                let column = ColumnIndex::clamped(column);
                match rewritten.columns.last_mut() {
                    Some((known, runs)) if *known == column => runs.push(run),
                    _ => rewritten.columns.push((column, vec![run])),
                }
            }
        }
    }

    fn index_of(&mut self, template: &'a Template) -> usize {
        // Allocations are aligned to sixteen bytes.
        let slot = (template.address() / 16) % RECENT;
        if let Some((known, index)) = self.recent[slot]
            && known.is_same(template)
        {
            return index;
        }
        let index = *self.by_template.entry(template).or_insert(self.known.len());
        if index == self.known.len() {
            self.known.push(CachedTemplate::default());
        }
        self.recent[slot] = Some((template, index));
        index
    }

    /// Analyzes a formula in the rows `first..=last` of a column. Returns the parts in row order,
    /// without deleted rows.
    fn parts(&self, column: ColumnIndex, (first, last): (u32, u32), template: &Template) -> Vec<Part> {
        let rows =
            Range::new(CellAddress::clamped(first, column.get()), CellAddress::clamped(last, column.get()));
        let mut pieces = match self.sheet == self.edit.sheet {
            true => relocate_range(rows, self.edit),
            false => vec![RelocatedRange { before: rows, after: rows }],
        };
        quadrille_cell::stable_sort_by_key(&mut pieces, |piece| piece.before.first().row);
        let mut parts = Vec::new();
        for piece in pieces {
            let (first, last) = (piece.before.first().row.get(), piece.before.last().row.get());
            let first_after = piece.after.first().row.get();
            let column_after = piece.after.first().column;
            for part in rearranged_rows(self.sheet, column, (first, last), template, self.edit) {
                let after = |row: u32| first_after + (row - first);
                let before = |row: u32| first + (row - first_after);
                let rows_after = (after(part.first), after(part.last));
                let restored =
                    rearranged_rows(self.sheet, column_after, rows_after, &part.template, self.inverse_edit);
                let lost = restored.iter().filter(|rows| rows.template != *template);
                let lost = lost.map(|rows| (before(rows.first), before(rows.last))).collect();
                let rewritten = Some(part.template).filter(|rewritten| rewritten != template);
                let first_after = rows_after.0;
                parts.push(Part { first: part.first, last: part.last, first_after, rewritten, lost });
            }
        }
        parts
    }
}

/// Returns the number of rows or columns in which the end of a range may be rewritten differently.
fn affected_ranges(edit: &StructuralEdit) -> u32 {
    match edit.kind {
        EditKind::Insert | EditKind::Delete => edit.count,
        EditKind::Move { .. } => edit.moved_window().map_or(0, |(first, last)| last - first + 1),
    }
}
