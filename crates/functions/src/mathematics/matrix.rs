//! Matrix functions: MMULT, MDETERM, MINVERSE, MUNIT. Described in ECMA-376 part 1, 18.17.7, and
//! Excel's help. Determinant and inverse use elimination with partial pivoting.

use quadrille_cell::{DeferredVec, ErrorValue, Value};

use crate::arguments::{OperandResult, array_operand, charge_view, optional_integer, view};
use crate::cancel::POLL_STEPS;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("MMULT", "array1, array2", "The product of two matrices.", product)
        .examples(&[("=INDEX(MMULT({1,3;7,2},{2,0;0,2}),2,1)", "14"), ("=MMULT({1,2},{1,2})", "#VALUE!")]),
    Function::whole("MDETERM", "array", "The determinant of a matrix.", determinant).examples(&[
        ("=ROUND(MDETERM({1,3,8,5;1,3,6,1;1,1,1,0;7,3,10,2}),9)", "88"),
        ("=MDETERM({1,2})", "#VALUE!"),
    ]),
    Function::whole("MINVERSE", "array", "The inverse of a matrix.", inverse)
        .examples(&[("=INDEX(MINVERSE({4,-1;2,0}),2,2)", "2"), ("=MINVERSE({1,2;2,4})", "#NUM!")]),
    Function::whole("MUNIT", "size", "The unit matrix.", unit)
        .examples(&[("=SUM(MUNIT(3))", "3"), ("=MUNIT(0)", "#VALUE!")]),
];

/// A matrix in row-major order.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub cells: DeferredVec<f64>,
}

impl Matrix {
    /// Reads an operand. Fails with `#VALUE!` unless every cell contains a number.
    pub fn read(context: &mut CallContext, operand: &Operand) -> Result<Matrix, ErrorValue> {
        let view = view(operand)?;
        // Blank rows are invalid; checking them first avoids allocating whole columns.
        if view.used_rows() < view.rows() {
            return Err(ErrorValue::Value);
        }
        charge_view(context, view)?;
        let mut cells = DeferredVec::with_capacity(view.rows() as usize * view.columns() as usize);
        for row in 0..view.rows() {
            context.work(u64::from(view.columns()))?;
            for column in 0..view.columns() {
                match view.value(row, column) {
                    Value::Number(number) => cells.push(number),
                    Value::Error(error) => return Err(error),
                    _ => return Err(ErrorValue::Value),
                }
            }
        }
        Ok(Matrix { rows: view.rows() as usize, columns: view.columns() as usize, cells })
    }

    /// Returns the number at a row and column.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.columns + column]
    }

    /// Returns the transposed matrix.
    pub fn transposed(&self) -> Matrix {
        let cells = (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| self.get(row, column)));
        Matrix { rows: self.columns, columns: self.rows, cells: cells.collect() }
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.cells.swap(a * self.columns + column, b * self.columns + column);
        }
    }

    /// Adds a multiple of one row to another.
    fn add_row(&mut self, to: usize, from: usize, factor: f64) {
        for column in 0..self.columns {
            self.cells[to * self.columns + column] += factor * self.get(from, column);
        }
    }

    /// Returns the row from `step` on with the largest magnitude in column `step`.
    fn pivot(&self, step: usize) -> usize {
        let larger = |best: usize, row: usize| {
            if self.get(row, step).abs() > self.get(best, step).abs() { row } else { best }
        };
        (step..self.rows).fold(step, larger)
    }
}

fn square(context: &mut CallContext, operand: &Operand) -> Result<Matrix, ErrorValue> {
    let matrix = Matrix::read(context, operand)?;
    if matrix.rows != matrix.columns {
        return Err(ErrorValue::Value);
    }
    let size = matrix.rows as u64;
    context.budget.charge(size * size * size)?;
    Ok(matrix)
}

pub(crate) fn matrix_operand(context: &mut CallContext, matrix: &Matrix) -> OperandResult {
    context.budget.charge_cells(matrix.cells.len() as u64)?;
    let mut values = DeferredVec::with_capacity(matrix.cells.len());
    for numbers in matrix.cells.chunks(POLL_STEPS as usize) {
        context.work(numbers.len() as u64)?;
        values.extend(numbers.iter().map(|number| Value::number(*number)));
    }
    array_operand(matrix.rows as u32, matrix.columns as u32, values)
}

fn product(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (a, b) = (Matrix::read(context, &arguments[0])?, Matrix::read(context, &arguments[1])?);
    if a.columns != b.rows {
        return Err(ErrorValue::Value);
    }
    let count = a.rows as u64 * b.columns as u64;
    context.budget.charge_cells(count)?;
    context.budget.charge(count * a.columns as u64)?;
    let mut cells = DeferredVec::from(vec![0.0; count as usize]);
    for row in 0..a.rows {
        for column in 0..b.columns {
            context.work(a.columns as u64)?;
            let products = (0..a.columns).map(|index| a.get(row, index) * b.get(index, column));
            cells[row * b.columns + column] = products.sum();
        }
    }
    matrix_operand(context, &Matrix { rows: a.rows, columns: b.columns, cells })
}

fn determinant(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut matrix = square(context, &arguments[0])?;
    let mut determinant = 1.0;
    for step in 0..matrix.rows {
        let pivot = matrix.pivot(step);
        if pivot != step {
            matrix.swap_rows(pivot, step);
            determinant = -determinant;
        }
        let diagonal = matrix.get(step, step);
        if diagonal == 0.0 {
            return Ok(0.0.into());
        }
        determinant *= diagonal;
        for row in step + 1..matrix.rows {
            context.work(matrix.columns as u64)?;
            let factor = -matrix.get(row, step) / diagonal;
            matrix.add_row(row, step, factor);
        }
    }
    Ok(determinant.into())
}

/// Gauss-Jordan elimination of the matrix augmented with the unit matrix.
fn inverse(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let matrix = square(context, &arguments[0])?;
    let size = matrix.rows;
    let mut wide =
        Matrix { rows: size, columns: 2 * size, cells: DeferredVec::with_capacity(2 * size * size) };
    for row in 0..size {
        context.work(2 * size as u64)?;
        wide.cells.extend_from_slice(&matrix.cells[row * size..][..size]);
        wide.cells.extend((0..size).map(|column| f64::from(u8::from(row == column))));
    }
    for step in 0..size {
        let pivot = wide.pivot(step);
        wide.swap_rows(pivot, step);
        let diagonal = wide.get(step, step);
        if diagonal == 0.0 {
            return Err(ErrorValue::Number);
        }
        wide.cells[step * 2 * size..][..2 * size].iter_mut().for_each(|cell| *cell /= diagonal);
        for row in (0..size).filter(|row| *row != step) {
            context.work(wide.columns as u64)?;
            let factor = -wide.get(row, step);
            wide.add_row(row, step, factor);
        }
    }
    let cells = (0..size).flat_map(|row| wide.cells[row * 2 * size + size..][..size].to_vec()).collect();
    matrix_operand(context, &Matrix { rows: size, columns: size, cells })
}

fn unit(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let size = optional_integer(arguments, 0, 0)?;
    if !(1..=1_048_576).contains(&size) {
        return Err(ErrorValue::Value);
    }
    context.budget.charge_cells((size * size) as u64)?;
    let mut cells = DeferredVec::from(vec![Value::Number(0.0); (size * size) as usize]);
    for cell in cells.iter_mut().step_by(size as usize + 1) {
        *cell = Value::Number(1.0);
    }
    array_operand(size as u32, size as u32, cells)
}
