//! Compiled arithmetic over single cells: a run of such formulas is a loop over slices of numbers.
//!
//! A program handles numbers only. Where a cell holds anything else or a result is an error, it
//! returns `None` and the evaluator takes those cells. Both give the same bits: see [`arithmetic`].
//! The loops are in `quadrille-vector-math`; formulas that need a deeper stack are evaluated cell
//! by cell.

use std::borrow::Cow;

use quadrille_cell::{ColumnIndex, ROWS_MAX, SheetId, Value};
use quadrille_formula::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Reference, SheetReference, Template,
    UnaryOperator,
};
use quadrille_vector_math::{self as vector_math, Input, STACK_MAX, Step};
use quadrille_workbook::{Slice, Tag, Workbook};

use crate::arithmetic::arithmetic;

#[derive(Clone, Debug)]
pub(crate) struct ArithmeticProgram {
    steps: Vec<Step>,
    loads: Vec<Load>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Load {
    sheet: Option<SheetId>,
    cell: CellReference,
}

/// The column whose formulas are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct HostPosition<'a> {
    pub workbook: &'a Workbook,
    pub sheet: SheetId,
    pub column: u32,
}

impl ArithmeticProgram {
    /// Compiles a template; `None` unless it is arithmetic over numbers and single cells.
    pub fn compile(template: &Template) -> Option<ArithmeticProgram> {
        let mut program = ArithmeticProgram { steps: Vec::new(), loads: Vec::new() };
        let depth = program.push(template.expression())?;
        if let (Expression::Binary(..), Some(last)) = (template.expression(), program.steps.last_mut()) {
            *last = match *last {
                Step::Add => Step::AddLast,
                Step::Subtract => Step::SubtractLast,
                step => step,
            };
        }
        // A bare number or reference gains nothing, and a bare reference may yield a text.
        (depth <= STACK_MAX && program.steps.len() > 1).then(|| {
            program.steps.shrink_to_fit();
            program.loads.shrink_to_fit();
            program
        })
    }

    /// Appends the steps of an expression; returns the stack depth that they need.
    fn push(&mut self, expression: &Expression) -> Option<usize> {
        let (step, depth) = match expression {
            Expression::Number(number) => (Step::Number(*number), 1),
            Expression::Reference(reference) => {
                let load = ArithmeticProgram::load(reference)?;
                let existing = self.loads.iter().position(|other| *other == load);
                let index = existing.unwrap_or_else(|| {
                    self.loads.push(load);
                    self.loads.len() - 1
                });
                (Step::Load(index), 1)
            }
            Expression::Parenthesised(inner) => return self.push(inner),
            Expression::Unary(UnaryOperator::Minus, operand) => {
                let depth = self.push(operand)?;
                (Step::Minus, depth)
            }
            Expression::Unary(UnaryOperator::Percent, operand) => {
                let depth = self.push(operand)?;
                (Step::Percent, depth)
            }
            Expression::Binary(operator, left, right) => {
                use BinaryOperator::*;
                if !matches!(operator, Add | Subtract | Multiply | Divide | Power) {
                    return None;
                }
                let left = self.push(left)?;
                let right = self.push(right)?;
                let step = match operator {
                    Add => Step::Add,
                    Subtract => Step::Subtract,
                    Multiply => Step::Multiply,
                    Divide => Step::Divide,
                    _ => Step::Call(power),
                };
                (step, left.max(right + 1))
            }
            _ => return None,
        };
        self.steps.push(step);
        (depth <= STACK_MAX).then_some(depth)
    }

    /// Compiles a reference to one cell of one sheet.
    pub fn load(reference: &Reference) -> Option<Load> {
        let sheet = match &reference.sheet {
            None => None,
            Some(SheetReference::Sheet(sheet)) => Some(*sheet),
            Some(_) => return None,
        };
        match reference.area {
            Area::Cell(cell) => Some(Load { sheet, cell }),
            _ => None,
        }
    }

    /// Results of the rows `first..first + count`, none of which reads another. `None` when a cell
    /// is not numeric or a result is an error.
    pub fn run(&self, host: HostPosition<'_>, first: u32, count: usize) -> Option<Vec<f64>> {
        let mut inputs = Vec::with_capacity(self.loads.len());
        for load in &self.loads {
            inputs.push(load.read(host, first, count)?);
        }
        vector_math::evaluate_rows(&self.steps, &inputs, count)
    }

    /// As [`run`](Self::run) for formulas that read results above them, or below them when
    /// `upwards`. Evaluates in that direction and stops before the first row that is not numeric.
    /// Returns the results in row order: the first rows of the range, or the last ones when
    /// `upwards`.
    pub fn run_chain(
        &self,
        host: HostPosition<'_>,
        first: u32,
        count: usize,
        upwards: bool,
    ) -> Option<Vec<f64>> {
        let mut inputs: Vec<Input<'_>> = Vec::with_capacity(self.loads.len());
        let mut reach = 0;
        for load in &self.loads {
            match load.own_offset(host, upwards) {
                Some(offset) => {
                    let turns = offset.unsigned_abs() as usize;
                    reach = reach.max(turns);
                    inputs.push(Input::Result(turns));
                }
                None => inputs.push(load.read(host, first, count)?),
            }
        }
        // Results outside the range come first, then those of the range in order of evaluation.
        let mut history: Vec<f64> = Vec::with_capacity(reach + count);
        let (from, step) = if upwards {
            (i64::from(first) + count as i64 - 1 + reach as i64, -1)
        } else {
            (i64::from(first) - reach as i64, 1)
        };
        let needed = needed_before(&inputs, reach);
        for (distance, needed) in (0i64..).zip(needed) {
            let row = from + step * distance;
            history.push(if needed { host.number(host.sheet, row, host.column)? } else { 0.0 });
        }
        vector_math::evaluate_chain(&self.steps, &inputs, &mut history, count, upwards);
        let mut results = history.split_off(reach);
        if upwards {
            results.reverse();
        }
        Some(results)
    }

    /// The result of one row.
    pub fn run_one(&self, host: HostPosition<'_>, row: u32) -> Option<f64> {
        let mut stack = [0.0; STACK_MAX];
        let mut height = 0;
        for step in &self.steps {
            match step {
                Step::Load(index) => {
                    let load = &self.loads[*index];
                    let (sheet, at, column) = load.cell(host, row)?;
                    stack[height] = host.number(sheet, at, column)?;
                    height += 1;
                }
                step => step.calculate(&mut stack, &mut height)?,
            }
        }
        Some(stack[0])
    }
}

/// Which of the `reach` results outside the range some formula reads.
fn needed_before(inputs: &[Input<'_>], reach: usize) -> Vec<bool> {
    let mut needed = vec![false; reach];
    for input in inputs {
        // The formula in turn `t` reads position `reach + t - turns`, which is outside while t <
        // turns.
        if let Input::Result(turns) = input {
            needed[reach - turns..].fill(true);
        }
    }
    needed
}

/// As in [`arithmetic`]; NaN stands for an error.
fn power(base: f64, exponent: f64) -> f64 {
    arithmetic(BinaryOperator::Power, base, exponent).unwrap_or(f64::NAN)
}

impl Load {
    /// Sheet, row and column that a formula in `row` reads; the row may be outside the sheet.
    pub fn cell(&self, host: HostPosition<'_>, row: u32) -> Option<(SheetId, i64, u32)> {
        let column = u32::try_from(self.cell.column.resolve(host.column)).ok()?;
        Some((self.sheet.unwrap_or(host.sheet), self.cell.row.resolve(row), column))
    }

    /// The row offset when the load reads results of the run itself. A load from the other side
    /// reads rows outside the run, otherwise the run would be evaluated on demand.
    fn own_offset(&self, host: HostPosition<'_>, upwards: bool) -> Option<i32> {
        let same_sheet = self.sheet.is_none_or(|sheet| sheet == host.sheet);
        let same_column = self.cell.column.resolve(host.column) == i64::from(host.column);
        match self.cell.row {
            Coordinate::Relative(offset) if same_sheet && same_column && (offset > 0) == upwards => {
                Some(offset)
            }
            _ => None,
        }
    }

    fn read<'a>(&self, host: HostPosition<'a>, first: u32, count: usize) -> Option<Input<'a>> {
        let sheet = self.sheet.unwrap_or(host.sheet);
        let column = u32::try_from(self.cell.column.resolve(host.column)).ok().and_then(ColumnIndex::new)?;
        let top = self.cell.row.resolve(first);
        if let Coordinate::Absolute(_) = self.cell.row {
            return host.number(sheet, top, column.get()).map(Input::Same);
        }
        let bottom = top + count as i64 - 1;
        if top < 0 || bottom >= i64::from(ROWS_MAX) {
            return None;
        }
        let sheet = host.workbook.sheet(sheet)?;
        let Some(column) = sheet.column(column) else { return Some(Input::Same(0.0)) };
        let (top, bottom) = (top as u32, bottom as u32);
        let mut slices = column.slices(top, bottom).peekable();
        if let Some((row, Slice::Numbers(numbers))) = slices.peek()
            && *row == top
            && numbers.len() == count
        {
            return Some(Input::Rows(Cow::Borrowed(numbers)));
        }
        let mut numbers = vec![0.0; count];
        for (row, slice) in slices {
            let target = &mut numbers[(row - top) as usize..];
            match slice {
                Slice::Numbers(source) => target[..source.len()].copy_from_slice(source),
                Slice::Mixed(mixed) => {
                    for (index, target) in (0..mixed.len()).zip(target) {
                        *target = match mixed.tag(index) {
                            Tag::Blank => 0.0,
                            Tag::Number => mixed.number(index)?,
                            _ => plain_number(&mixed.get(index))?,
                        };
                    }
                }
            }
        }
        Some(Input::Rows(Cow::Owned(numbers)))
    }
}

impl HostPosition<'_> {
    /// The number that an operator sees in a cell; `None` for texts, errors and cells outside the
    /// sheet.
    pub fn number(self, sheet: SheetId, row: i64, column: u32) -> Option<f64> {
        let cell = quadrille_cell::CellAddress::new(u32::try_from(row).ok()?, column)?;
        plain_number(&self.workbook.sheet(sheet)?.value(cell))
    }
}

fn plain_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Blank => Some(0.0),
        Value::Boolean(boolean) => Some(f64::from(u8::from(*boolean))),
        Value::Text(_) | Value::Error(_) => None,
    }
}
