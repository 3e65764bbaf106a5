//! SUBTOTAL and AGGREGATE: hidden rows and other subtotals in their ranges read as blank.

use std::borrow::Cow;
use std::ops::ControlFlow;

use quadrille_cell::{Array, Dimension, ErrorValue, Range, SheetId, Value};
use quadrille_formula::Expression;
use quadrille_functions::{Chunk, Function, Operand, RangeView, number};

use super::Evaluator;
use super::item::{Areas, Evaluation, Item, Stop, Values, operand};
use super::references::offset_range;
use super::sheet_view::SheetView;
use crate::row_set::RowSet;

/// What a call excludes from its ranges.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Exclusions {
    /// Rows that a filter hides.
    filtered: bool,
    /// Rows that are hidden by hand.
    hidden_rows: bool,
    subtotals: bool,
}

impl Exclusions {
    const ALL: Exclusions = Exclusions { filtered: true, hidden_rows: true, subtotals: true };

    /// From the function number of SUBTOTAL.
    fn by_number(number: i64) -> Exclusions {
        match number {
            1..=11 => Exclusions { hidden_rows: false, ..Exclusions::ALL },
            101..=111 => Exclusions::ALL,
            _ => Exclusions::default(),
        }
    }

    /// From the options of AGGREGATE. The function itself handles the option to ignore errors.
    fn by_options(options: i64) -> Exclusions {
        match options {
            0 | 2 => Exclusions { subtotals: true, ..Exclusions::default() },
            1 | 3 => Exclusions::ALL,
            5 | 7 => Exclusions { subtotals: false, ..Exclusions::ALL },
            _ => Exclusions::default(),
        }
    }
}

/// A view of a range in which excluded cells are blank.
struct FilteredView<'a> {
    view: SheetView<'a>,
    range: Range,
    /// Excluded rows of the sheet.
    rows: RowSet,
    /// Excluded cells of the sheet, each range within one column.
    cells: Vec<Range>,
}

impl<'a> Evaluator<'a, '_> {
    /// `SUBTOTAL(3,OFFSET(A1,{0;1;2},0))`: one result per area, a common way to count visible rows
    /// that meet a condition. `None` when no argument is an OFFSET with an array.
    pub(super) fn call_subtotal_by_ranges(
        &mut self,
        function: &'static Function,
        arguments: &'a [Expression],
    ) -> Evaluation<Option<Item<'a>>> {
        let offset = arguments.iter().enumerate().find_map(|(index, argument)| match argument {
            Expression::Call { function, arguments } if &**function == "OFFSET" => Some((index, arguments)),
            _ => None,
        });
        let Some((index, [start, shifts @ ..])) = offset.map(|(index, arguments)| (index, &arguments[..]))
        else {
            return Ok(None);
        };
        if !(2..=4).contains(&shifts.len()) {
            return Ok(None);
        }
        let mut given: Vec<Option<Values>> = Vec::with_capacity(shifts.len());
        let (mut rows, mut columns) = (1, 1);
        for shift in shifts {
            let item = self.evaluate(shift)?;
            given.push(match item {
                Item::Missing => None,
                item => Some(self.values(item)?),
            });
            if let Some(Some(Values::Array(array))) = given.last() {
                (rows, columns) = (rows.max(array.rows()), columns.max(array.columns()));
            }
        }
        let Item::Reference(Areas::One(sheet, range)) = self.evaluate(start)? else { return Ok(None) };
        if (rows, columns) == (1, 1) {
            return Ok(None);
        }
        let count = rows as usize * columns as usize;
        if self.context.budget.charge_cells(count as u64).is_err() {
            return Ok(Some(ErrorValue::Calculation.into()));
        }
        let mut others: Vec<Item<'a>> = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            others.push(if at == index { Item::Missing } else { self.evaluate(argument)? });
        }
        let mut results = Vec::with_capacity(count);
        for at in 0..count as u32 {
            let (row, column) = (at / columns, at % columns);
            let mut numbers = [0.0, 0.0, f64::from(range.row_count()), f64::from(range.column_count())];
            let mut failed = None;
            for (given, slot) in given.iter().zip(&mut numbers) {
                let value = match given {
                    None => continue,
                    Some(Values::One(value)) => value,
                    // A single row or column is repeated.
                    Some(Values::Array(array)) => {
                        let row = if array.rows() == 1 { 0 } else { row };
                        let column = if array.columns() == 1 { 0 } else { column };
                        array.get(row, column).unwrap_or(&Value::Error(ErrorValue::NotAvailable))
                    }
                };
                match number(value) {
                    Ok(number) => *slot = number.trunc(),
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            others[index] = match failed {
                Some(error) => error.into(),
                None => offset_range(sheet, range, numbers),
            };
            let result = self.call_subtotal(function, others.clone())?;
            results.push(self.one_value(result)?);
        }
        let array = Array::new(rows, columns, results).expect("one result for each index");
        Ok(Some(Item::Array(array)))
    }

    pub(super) fn call_subtotal(
        &mut self,
        function: &'static Function,
        mut items: Vec<Item<'a>>,
    ) -> Evaluation<Item<'a>> {
        let is_aggregate = function.name == "AGGREGATE";
        let mut given = [0; 2];
        let given_count = 1 + usize::from(is_aggregate);
        for (item, given) in items.iter_mut().zip(&mut given).take(given_count) {
            if let Item::Reference(Areas::One(sheet, cell)) = *item
                && cell.cell_count() == 1
            {
                *item = Item::Value(self.cell_value(sheet, cell)?);
            }
            // The function rejects arguments that are not numbers.
            if let Item::Value(value) = item {
                *given = number(value).map_or(0, |number| number.trunc() as i64);
            }
        }
        let [number, options] = given;
        let exclusions =
            if is_aggregate { Exclusions::by_options(options) } else { Exclusions::by_number(number) };
        if exclusions == Exclusions::default() {
            return self.call_function(function, items);
        }
        // LARGE and similar functions take a number after the range.
        let ranges_end = if is_aggregate && number >= 14 { 3 } else { items.len() };
        let mut views: Vec<Vec<(SheetId, Range, FilteredView<'a>)>> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut opened = Vec::new();
            if let Item::Reference(areas) = item {
                let exclusions = if index < ranges_end { exclusions } else { Exclusions::default() };
                for (sheet, range) in areas.as_slice() {
                    match self.filtered_view(sheet, range, exclusions)? {
                        Ok(view) => opened.push((sheet, range, view)),
                        Err(error) => return Ok(error.into()),
                    }
                }
            }
            views.push(opened);
        }
        let operands: Vec<Operand<'_>> = items.into_iter().zip(&views).map(operand).collect();
        Ok(Item::from_result(function.call(&mut self.context, &operands)))
    }

    fn filtered_view(
        &mut self,
        sheet: SheetId,
        range: Range,
        exclusions: Exclusions,
    ) -> Evaluation<Result<FilteredView<'a>, ErrorValue>> {
        let view = self.view(sheet, range)?;
        let row_bounds = (range.first().row.get(), range.last().row.get());
        let found = self.pass.workbook.sheet(sheet);
        let mut rows: Vec<(u32, u32)> = Vec::new();
        if let Some(found) = found.filter(|_| exclusions.hidden_rows) {
            rows.extend(found.hidden_in(Dimension::Rows, row_bounds.0, row_bounds.1));
        }
        if let Some(found) = found.filter(|_| exclusions.filtered) {
            let deciding = self.pass.hidden.filter_inputs(sheet, row_bounds);
            for cells in &deciding {
                // Filters do not test subtotals.
                let subtotals = self.pass.state.subtotals_in(sheet, *cells);
                let mut tested = vec![*cells];
                for subtotal in subtotals {
                    tested = tested.into_iter().flat_map(|part| part.subtract(subtotal)).collect();
                }
                for part in tested {
                    if !self.pass.state.is_ready(sheet, part) {
                        return Err(Stop::Need(sheet, part));
                    }
                }
            }
            let used = found.used_range().map_or(0, |used| used.last().row.get());
            let in_use =
                |cells: &Range| (used + 1).saturating_sub(cells.first().row.get()).min(cells.row_count());
            let steps: u64 = deciding.iter().map(|cells| u64::from(in_use(cells))).sum();
            if self.context.budget.charge(steps).is_err() {
                return Ok(Err(ErrorValue::Calculation));
            }
            let hidden = self.pass.hidden;
            let Some(judged_count) = hidden.filtered(found, row_bounds, self.pass.cancel, &mut rows) else {
                return Err(Stop::Cancelled);
            };
            // The charge does not depend on cached results (rule L4).
            self.context.steps_saved += steps.saturating_sub(judged_count);
        }
        rows.sort();
        let cells = match exclusions.subtotals {
            true => self.pass.state.subtotals_in(sheet, range),
            false => Vec::new(),
        };
        Ok(Ok(FilteredView { view, range, rows: RowSet::from_ascending(rows), cells }))
    }
}

impl FilteredView<'_> {
    /// Excluded rows of one column.
    fn ignored_rows(&self, column: u32) -> Cow<'_, RowSet> {
        let mut rows = Cow::Borrowed(&self.rows);
        for cells in self.cells.iter().filter(|cells| cells.first().column.get() == column) {
            rows.to_mut().add(cells.first().row.get(), cells.last().row.get(), |_, _| {});
        }
        rows
    }

    fn column(&self, column: u32) -> u32 {
        self.range.first().column.get() + column
    }
}

impl RangeView for FilteredView<'_> {
    fn rows(&self) -> u32 {
        self.view.rows()
    }

    fn columns(&self) -> u32 {
        self.view.columns()
    }

    fn used_rows(&self) -> u32 {
        self.view.used_rows()
    }

    fn value(&self, row: u32, column: u32) -> Value {
        let line = self.range.first().row.get() + row;
        let is_cell = |cells: &Range| {
            cells.first().column.get() == self.column(column)
                && (cells.first().row.get()..=cells.last().row.get()).contains(&line)
        };
        if self.rows.first_in(line, line).is_some() || self.cells.iter().any(is_cell) {
            return Value::Blank;
        }
        self.view.value(row, column)
    }

    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        let exclusions = self.ignored_rows(self.column(column));
        let mut row = self.range.first().row.get();
        let mut spans = exclusions.iter_in(row, self.range.last().row.get()).peekable();
        self.view.for_each_chunk(column, &mut |chunk| {
            let (start, end) = (row, row + chunk.len());
            while row < end {
                while spans.next_if(|(_, last)| *last < row).is_some() {}
                let flow = match spans.peek() {
                    Some((first, last)) if *first <= row => {
                        let from = std::mem::replace(&mut row, (last + 1).min(end));
                        visit(Chunk::Blank(row - from))
                    }
                    next => {
                        let until = next.map_or(end, |(first, _)| (*first).min(end));
                        let from = std::mem::replace(&mut row, until);
                        chunk.part(from - start, until - from, &mut *visit)
                    }
                };
                if flow.is_break() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
    }
}
