//! Planning of fills.

use quadrille_cell::{CellAddress, Dimension, Range};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::filled_cells::copied_input;
use super::series;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::span_of;
use crate::rebase::relocate::with_span;
use crate::{CommandError, FillMode, Operation};

/// The cells to fill on one side of the source.
#[derive(Clone, Copy)]
struct Extension {
    /// The cells to fill, adjacent to the source.
    range: Range,
    dimension: Dimension,
    /// Whether the fill goes up or to the left.
    is_backward: bool,
}

impl Planner<'_> {
    /// Fills `target` from `source`. Formulas keep their relative references; literals continue as
    /// a series or are repeated; formats are repeated.
    pub fn fill(&self, sheet: &Sheet, source: Range, target: Range, mode: FillMode) -> Plan {
        let mut plan = Vec::new();
        for extension in extensions(source, target)? {
            self.fill_extension(sheet, source, extension, mode, &mut plan)?;
            plan.extend(self.fill_rules(sheet, source, extension.range, extension.dimension)?);
        }
        Ok(plan)
    }

    fn fill_extension(
        &self,
        sheet: &Sheet,
        source: Range,
        extension: Extension,
        mode: FillMode,
        plan: &mut Vec<Operation>,
    ) -> Result<(), CommandError> {
        let Extension { range, dimension, is_backward } = extension;
        let across = match dimension {
            Dimension::Rows => Dimension::Columns,
            Dimension::Columns => Dimension::Rows,
        };
        let (count, dates) = (span_of(range, dimension).1 as usize, self.workbook.date_system());
        for index in span_of(range, across).0..=last_index(range, across) {
            let from = with_span(source, across, index, 1).cells();
            let from: Vec<CellAddress> = from.filter(|cell| self.is_visible(*cell)).collect();
            if from.is_empty() {
                continue;
            }
            let input = |cell| copied_input(sheet, cell, |anchor| source.contains(anchor));
            let cells = from.iter().map(|cell| (input(*cell), sheet.format(*cell))).collect::<Vec<_>>();
            let to = with_span(range, across, index, 1);
            self.fill_formats(sheet, &cells, (to, extension), plan);
            if let [(input, _)] = cells.as_slice()
                && (mode == FillMode::Copy || !series::has_next(&cells, dates))
            {
                push_fill(plan, Operation::FillCells { sheet: sheet.id(), range: to, input: input.clone() });
                continue;
            }
            self.check_cells(to.cell_count())?;
            let inputs = match (mode, is_backward) {
                (FillMode::Series, _) => series::continued(&cells, count, is_backward, dates),
                (FillMode::Copy, false) => {
                    cells.iter().map(|cell| cell.0.clone()).cycle().take(count).collect()
                }
                (FillMode::Copy, true) => {
                    let mut inputs: Vec<Input> =
                        cells.iter().rev().map(|cell| cell.0.clone()).cycle().take(count).collect();
                    inputs.reverse();
                    inputs
                }
            };
            plan.push(Operation::SetCells { sheet: sheet.id(), range: to, inputs });
        }
        Ok(())
    }

    /// Repeats the formats of one row or column over `to`.
    fn fill_formats(
        &self,
        sheet: &Sheet,
        cells: &[(Input, &Format)],
        (to, extension): (Range, Extension),
        plan: &mut Vec<Operation>,
    ) {
        let set = |range: Range, format: &Format| Operation::SetFormat {
            sheet: sheet.id(),
            range,
            patch: FormatPatch::replacing_with(format),
        };
        let is_uniform = cells.iter().all(|cell| cell.1 == cells[0].1);
        if is_uniform {
            let is_plain = *cells[0].1 == Format::default();
            let is_as_before =
                is_plain && self.row_mapping.is_none() && sheet.format_runs(to).next().is_none();
            if !is_as_before {
                push_fill(plan, set(to, cells[0].1));
            }
            return;
        }
        let (first, count) = span_of(to, extension.dimension);
        let mut start = 0;
        while start < count {
            let source = |offset: u32| {
                let length = cells.len() as u32;
                let index = match extension.is_backward {
                    false => offset % length,
                    true => length - 1 - (count - 1 - offset) % length,
                };
                cells[index as usize].1
            };
            let mut end = start + 1;
            while end < count && source(end) == source(start) {
                end += 1;
            }
            plan.push(set(with_span(to, extension.dimension, first + start, end - start), source(start)));
            start = end;
        }
    }
}

fn last_index(range: Range, dimension: Dimension) -> u32 {
    range.last().index(dimension)
}

/// Returns the parts that `target` adds to `source`, along one dimension, on one side or both.
/// Fails with [`CommandError::BadFillTarget`].
fn extensions(source: Range, target: Range) -> Result<Vec<Extension>, CommandError> {
    let dimension =
        match (source.row_count() == target.row_count(), source.column_count() == target.column_count()) {
            (_, true) => Dimension::Rows,
            (true, false) => Dimension::Columns,
            (false, false) => return Err(CommandError::BadFillTarget),
        };
    if !target.contains_range(source) {
        return Err(CommandError::BadFillTarget);
    }
    let (first, last) = (source.first().index(dimension), last_index(source, dimension));
    let (target_first, target_last) = (target.first().index(dimension), last_index(target, dimension));
    let mut extensions = Vec::new();
    if target_last > last {
        let range = with_span(target, dimension, last + 1, target_last - last);
        extensions.push(Extension { range, dimension, is_backward: false });
    }
    if target_first < first {
        let range = with_span(target, dimension, target_first, first - target_first);
        extensions.push(Extension { range, dimension, is_backward: true });
    }
    Ok(extensions)
}

/// Appends an operation, joining it to the last one if both write the same content into adjacent
/// cells.
fn push_fill(plan: &mut Vec<Operation>, operation: Operation) {
    let joined = match (plan.last_mut(), &operation) {
        (
            Some(Operation::FillCells { range: before, input: same, .. }),
            Operation::FillCells { range, input, .. },
        ) if same == input => join(before, *range),
        (
            Some(Operation::SetFormat { range: before, patch: same, .. }),
            Operation::SetFormat { range, patch, .. },
        ) if same == patch => join(before, *range),
        _ => false,
    };
    if !joined {
        plan.push(operation);
    }
}

/// Joins two ranges if their union is a rectangle; returns whether it did.
fn join(before: &mut Range, range: Range) -> bool {
    let hull = before.union(range);
    let is_rectangle = hull.cell_count() == before.cell_count() + range.cell_count();
    if is_rectangle {
        *before = hull;
    }
    is_rectangle
}
