//! Compiled running totals: `=SUM(A$1:A1)` filled down is a loop that adds one row per formula.

use quadrille_cell::{CellAddress, ROWS_MAX, Range, SheetId, Value};
use quadrille_formula::{Area, Coordinate, Expression, Reference, SheetReference, Template};
use quadrille_functions::ValueRef;
use quadrille_workbook::Slice;

use crate::arithmetic_program::HostPosition;
use crate::evaluator::SheetView;
use crate::result_cache::{ResultCache, RunningSum};
use crate::value_access::borrowed_value;

/// SUM or AVERAGE of one column from a fixed row to a row relative to the formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningTotals {
    is_mean: bool,
    sheet: Option<SheetId>,
    column: Coordinate,
    top: u32,
    /// Row offset of the last summed row from the formula.
    bottom: i32,
}

impl RunningTotals {
    /// Compiles a template; `None` when it is no running total.
    pub fn compile(template: &Template) -> Option<RunningTotals> {
        let Expression::Call { function, arguments } = template.expression() else { return None };
        let is_mean = match &**function {
            "SUM" => false,
            "AVERAGE" => true,
            _ => return None,
        };
        let [Expression::Reference(Reference { sheet, area: Area::Cells(a, b) })] = &arguments[..] else {
            return None;
        };
        let sheet = match sheet {
            None => None,
            Some(SheetReference::Sheet(sheet)) => Some(*sheet),
            Some(_) => return None,
        };
        let (top, bottom) = match (a.row, b.row) {
            (Coordinate::Absolute(top), Coordinate::Relative(bottom))
            | (Coordinate::Relative(bottom), Coordinate::Absolute(top)) => (top, bottom),
            _ => return None,
        };
        (a.column == b.column).then_some(RunningTotals { is_mean, sheet, column: a.column, top, bottom })
    }

    /// Results of the rows `first..first + count`, and the number of cells read. `None` when the
    /// range of some row does not extend downwards from its fixed end.
    pub fn run(
        &self,
        host: HostPosition<'_>,
        result_cache: &ResultCache,
        first: u32,
        count: u32,
    ) -> Option<(Vec<Value>, u64)> {
        let sheet = host.workbook.sheet(self.sheet.unwrap_or(host.sheet))?;
        let column = u32::try_from(self.column.resolve(host.column)).ok()?;
        let from = CellAddress::new(self.top, column)?;
        let bottom = u32::try_from(i64::from(first) + i64::from(self.bottom)).ok()?;
        let end = bottom + count - 1;
        if bottom < self.top || end >= ROWS_MAX {
            return None;
        }
        let mut results = Vec::with_capacity(count as usize);
        let cells_read = result_cache.resume(sheet.id(), from, bottom, |sum| {
            let begin = sum.next_row;
            if bottom > begin {
                let before =
                    Range::new(CellAddress::clamped(begin, column), CellAddress::clamped(bottom - 1, column));
                sum.read(&SheetView::new(Some(sheet), before));
            }
            let mut push = |sum: &mut RunningSum, value: ValueRef<'_>| {
                sum.push(value);
                results.push(sum.result(self.is_mean));
            };
            let cells = sheet.column(from.column);
            for (row, slice) in cells.into_iter().flat_map(|cells| cells.slices(bottom, end)) {
                while sum.next_row < row {
                    push(sum, ValueRef::Blank);
                }
                match slice {
                    Slice::Numbers(numbers) => {
                        for number in numbers {
                            push(sum, ValueRef::Number(*number));
                        }
                    }
                    Slice::Mixed(mixed) => {
                        for index in 0..mixed.len() {
                            push(sum, borrowed_value(&mixed, index));
                        }
                    }
                }
            }
            while sum.next_row <= end {
                push(sum, ValueRef::Blank);
            }
            u64::from(sum.next_row - begin)
        });
        Some((results, cells_read))
    }
}
