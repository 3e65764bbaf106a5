//! What a formula reads and what reads a cell, for people who follow a calculation.
//!
//! Both come from the dependency graph, so they include references by names and tables and the ranges that
//! INDIRECT and OFFSET read when they were last evaluated.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Input, Workbook};

use crate::Calculation;
use crate::template_analysis::TemplateAnalysis;

/// Formulas of which [`Calculation::dependents`] examines whether they read the range. A node of the graph
/// can hold formulas that do not.
const CANDIDATES_MAX: usize = 100_000;

/// The formulas that read a range.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependents {
    /// In the order of sheets, columns and rows.
    pub cells: Vec<(SheetId, CellAddress)>,
    /// Whether these are all.
    pub is_all: bool,
}

impl Calculation {
    /// Returns the ranges that the formula in a cell reads, in the order of the formula and each once; none for
    /// other cells.
    pub fn precedents(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Vec<(SheetId, Range)> {
        let Some(Input::Formula(template)) = workbook.sheet(sheet).map(|sheet| sheet.input(cell)) else {
            return Vec::new();
        };
        let row = cell.row.get();
        let analysis = TemplateAnalysis::new(&template, sheet, cell.column.get(), workbook);
        let mut ranges = Vec::new();
        let mut add = |read: (SheetId, Range)| {
            if !ranges.contains(&read) {
                ranges.push(read);
            }
        };
        for pattern in &analysis.patterns[..analysis.reference_count] {
            let Some((top, bottom)) = pattern.rows_of(row, row) else { continue };
            let first = CellAddress::clamped(top, pattern.columns.0);
            add((pattern.sheet, Range::new(first, CellAddress::clamped(bottom, pattern.columns.1))));
        }
        let node = self.graph.node_at(sheet, cell).map(|id| self.graph.node(id));
        let dynamic = node.and_then(|node| node.dynamic_reads.as_ref());
        dynamic.into_iter().flat_map(|reads| reads.reads_of(row)).for_each(add);
        ranges
    }

    /// Returns the cells with formulas in a range, column by column, at most `max`.
    pub fn formulas_in(&self, sheet: SheetId, range: Range, max: usize) -> Vec<CellAddress> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let columns = self.graph.columns_in(sheet, range);
        let nodes = columns.flat_map(|column| self.graph.nodes_in(sheet, column, top, bottom));
        let nodes = nodes.map(|id| self.graph.node(id)).filter(|node| !node.is_pivot);
        let rows = nodes.flat_map(|node| {
            let rows = node.first.max(top)..=node.last.min(bottom);
            rows.map(|row| CellAddress::clamped(row, node.column))
        });
        rows.take(max).collect()
    }

    /// Returns the formulas that read any cell of a range, at most `max`.
    pub fn dependents(&self, workbook: &Workbook, sheet: SheetId, range: Range, max: usize) -> Dependents {
        let dependents = self.graph.dependents_of(sheet, range).into_iter();
        let runs = dependents.map(|(edge, first, last)| (self.graph.node(edge.node), first, last));
        let runs = runs.filter(|(node, ..)| !node.is_pivot);
        let mut runs: Vec<_> =
            runs.map(|(node, first, last)| (node.sheet, node.column, first, last)).collect();
        quadrille_cell::stable_sort_by(&mut runs, &mut Ord::cmp);
        let mut dependents = Dependents { cells: Vec::new(), is_all: true };
        let mut examined = 0;
        // The next row of the column: several references of a formula can read the range.
        let mut next = (sheet, 0, 0);
        for (host, column, first, last) in runs {
            let start = if (next.0, next.1) == (host, column) { first.max(next.2) } else { first };
            next = (host, column, start.max(last + 1));
            for row in start..=last {
                let cell = CellAddress::clamped(row, column);
                examined += 1;
                if dependents.cells.len() == max || examined > CANDIDATES_MAX {
                    dependents.is_all = false;
                    return dependents;
                }
                let reads = self.precedents(workbook, host, cell);
                if reads.iter().any(|(of, read)| *of == sheet && read.intersects(range)) {
                    dependents.cells.push((host, cell));
                }
            }
        }
        dependents
    }
}
