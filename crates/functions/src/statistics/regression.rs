//! Multiple regression by least squares: LINEST and TREND, and of logarithms LOGEST and GROWTH.
//! Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{DeferredVec, ErrorValue, Value};

use crate::arguments::{OperandResult, array_operand, optional, optional_boolean};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::matrix::{Matrix, matrix_operand};
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "LINEST",
        "known_ys, [known_xs], [with_constant], [with_statistics]",
        "The slopes and the constant of the plane of best fit, on demand with statistics.",
        |context, arguments| fit(context, arguments, Scale::Linear),
    )
    .examples(&[
        ("=ROUND(INDEX(LINEST({1,9,5,7},{0,4,2,3}),1),9)", "2"),
        ("=ROUND(INDEX(LINEST({1,9,5,7},{0,4,2,3}),2),9)", "1"),
    ]),
    Function::whole(
        "LOGEST",
        "known_ys, [known_xs], [with_constant], [with_statistics]",
        "The factors and the constant of the exponential curve of best fit, on demand with statistics.",
        |context, arguments| fit(context, arguments, Scale::Exponential),
    )
    .examples(&[(
        "=ROUND(INDEX(LOGEST({33100;47300;69000;102000;150000;220000},{11;12;13;14;15;16}),1),9)",
        "1.463275628",
    )]),
    Function::whole(
        "TREND",
        "known_ys, [known_xs], [new_xs], [with_constant]",
        "The values of the plane of best fit.",
        |context, arguments| predict(context, arguments, Scale::Linear),
    )
    .examples(&[("=ROUND(TREND({3,5,7},{1,2,3},10),9)", "21")]),
    Function::whole(
        "GROWTH",
        "known_ys, [known_xs], [new_xs], [with_constant]",
        "The values of the exponential curve of best fit.",
        |context, arguments| predict(context, arguments, Scale::Exponential),
    )
    .examples(&[
        ("=ROUND(GROWTH({33100;47300;69000;102000;150000;220000},{11;12;13;14;15;16},17),2)", "320196.72"),
        ("=GROWTH({1,-1})", "#NUM!"),
    ]),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Linear,
    /// A linear model of the logarithms.
    Exponential,
}

/// Observations: dependent values, and a row of independent variables for each.
struct Observations {
    ys: DeferredVec<f64>,
    xs: Matrix,
    /// Whether each variable is a row, that is, observations are columns.
    is_across: bool,
    /// Whether the known xs have the shape of the known ys, that is, there is one variable.
    has_one_variable: bool,
}

impl Observations {
    fn read(
        context: &mut CallContext,
        arguments: &[Operand],
        scale: Scale,
    ) -> Result<Observations, ErrorValue> {
        let ys = Matrix::read(context, &arguments[0])?;
        let count = ys.cells.len();
        let xs = match optional(arguments, 1) {
            Some(xs) => Matrix::read(context, xs)?,
            None => Matrix { cells: (1..=count).map(|x| x as f64).collect(), ..ys },
        };
        let has_one_variable = (xs.rows, xs.columns) == (ys.rows, ys.columns);
        let is_across = ys.rows == 1;
        let xs = match (has_one_variable, is_across) {
            (true, _) => Matrix { rows: count, columns: 1, cells: xs.cells },
            (false, true) => xs.transposed(),
            (false, false) => xs,
        };
        if xs.rows != count || !has_one_variable && ys.rows != 1 && ys.columns != 1 {
            return Err(ErrorValue::Reference);
        }
        let ys = match scale {
            Scale::Linear => ys.cells,
            Scale::Exponential if ys.cells.iter().any(|y| *y <= 0.0) => return Err(ErrorValue::Number),
            Scale::Exponential => ys.cells.iter().copied().map(libm::log).collect(),
        };
        context.budget.charge(count as u64 * (xs.columns * xs.columns) as u64)?;
        Ok(Observations { ys, xs, is_across, has_one_variable })
    }
}

/// The fitted linear model.
struct Plane {
    slopes: Vec<f64>,
    constant: f64,
    /// For each variable its row of the inverse of R in the QR decomposition; empty for variables
    /// that are linearly dependent on earlier ones.
    inverse_rows: Vec<Vec<f64>>,
    means: Vec<f64>,
    degrees: f64,
    explained: f64,
    residual: f64,
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Plane {
    /// Fits the model by QR decomposition with the Gram-Schmidt process, applied twice for
    /// precision. A variable that is linearly dependent on earlier ones gets slope 0, as in Excel.
    fn new(
        context: &CallContext,
        observations: &Observations,
        with_constant: bool,
    ) -> Result<Plane, ErrorValue> {
        const DEPENDENT: f64 = 1e-13;
        let (xs, count) = (&observations.xs, observations.ys.len());
        let shift = |mean: f64| if with_constant { mean } else { 0.0 };
        let y_mean = shift(mean(observations.ys.iter().copied()));
        let ys: Vec<f64> = observations.ys.iter().map(|y| y - y_mean).collect();
        let mut means = Vec::new();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        let mut used = Vec::new();
        // Columns of the triangular matrix R.
        let mut triangle: Vec<Vec<f64>> = Vec::new();
        for variable in 0..xs.columns {
            let column = || (0..count).map(|row| xs.get(row, variable));
            let x_mean = shift(mean(column()));
            means.push(x_mean);
            let mut rest: Vec<f64> = column().map(|x| x - x_mean).collect();
            let length = dot(&rest, &rest).sqrt();
            let mut shares = vec![0.0; directions.len()];
            for _ in 0..2 {
                for (direction, share) in directions.iter().zip(&mut shares) {
                    context.work(count as u64 / 4)?;
                    let part = dot(direction, &rest);
                    *share += part;
                    rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= part * direction);
                }
            }
            let left = dot(&rest, &rest).sqrt();
            if left <= DEPENDENT * length || left == 0.0 {
                continue;
            }
            rest.iter_mut().for_each(|rest| *rest /= left);
            shares.push(left);
            directions.push(rest);
            triangle.push(shares);
            used.push(variable);
        }
        let mut plane = Plane {
            slopes: vec![0.0; xs.columns],
            constant: y_mean,
            inverse_rows: vec![Vec::new(); xs.columns],
            means,
            degrees: count as f64 - used.len() as f64 - f64::from(u8::from(with_constant)),
            explained: 0.0,
            residual: 0.0,
        };
        let projections: Vec<f64> = directions.iter().map(|direction| dot(direction, &ys)).collect();
        let inverse = inverse_of_triangle(&triangle);
        for (row, variable) in inverse.into_iter().zip(&used) {
            plane.slopes[*variable] = dot(&row, &projections);
            plane.constant -= plane.slopes[*variable] * plane.means[*variable];
            plane.inverse_rows[*variable] = row;
        }
        plane.explained = dot(&projections, &projections);
        let mut residuals = ys;
        for (direction, part) in directions.iter().zip(&projections) {
            residuals.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= part * direction);
        }
        plane.residual = dot(&residuals, &residuals);
        if !with_constant {
            plane.constant = 0.0;
        }
        Ok(plane)
    }

    fn at(&self, xs: &[f64]) -> f64 {
        self.constant + dot(&self.slopes, xs)
    }
}

/// Returns the rows of the inverse of an upper triangular matrix given by columns.
fn inverse_of_triangle(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = columns.len();
    let mut rows = vec![vec![0.0; size]; size];
    for (target, row) in (0..size).flat_map(|target| (0..=target).rev().map(move |row| (target, row))) {
        let unit = f64::from(u8::from(row == target));
        let sum: f64 = (row + 1..=target).map(|index| columns[index][row] * rows[index][target]).sum();
        rows[row][target] = (unit - sum) / columns[row][row];
    }
    rows
}

fn fit(context: &mut CallContext, arguments: &[Operand], scale: Scale) -> OperandResult {
    let observations = Observations::read(context, arguments, scale)?;
    let with_constant = optional_boolean(arguments, 2, true)?;
    let with_statistics = optional_boolean(arguments, 3, false)?;
    let plane = Plane::new(context, &observations, with_constant)?;
    let width = plane.slopes.len() + 1;
    let back = |number: f64| if scale == Scale::Linear { number } else { libm::exp(number) };
    let missing = Value::Error(ErrorValue::NotAvailable);
    // Slopes are in reverse order of the variables.
    let mut values: Vec<Value> = plane.slopes.iter().rev().map(|slope| Value::number(back(*slope))).collect();
    values.push(Value::number(back(plane.constant)));
    context.budget.charge_cells(5 * width as u64)?;
    if !with_statistics {
        return array_operand(1, width as u32, values);
    }
    let variance = if plane.degrees > 0.0 { plane.residual / plane.degrees } else { 0.0 };
    for row in plane.inverse_rows.iter().rev() {
        values.push(Value::number((variance * dot(row, row)).sqrt()));
    }
    values.push(match with_constant {
        false => missing.clone(),
        true => {
            let size = plane.inverse_rows.iter().map(Vec::len).max().unwrap_or(0);
            let mut mean_row = vec![0.0; size];
            for (row, mean) in plane.inverse_rows.iter().zip(&plane.means) {
                mean_row.iter_mut().zip(row).for_each(|(sum, part)| *sum += mean * part);
            }
            let share = 1.0 / observations.ys.len() as f64 + dot(&mean_row, &mean_row);
            Value::number((variance * share).sqrt())
        }
    });
    let total = plane.explained + plane.residual;
    let variables = plane.inverse_rows.iter().filter(|row| !row.is_empty()).count() as f64;
    let share = if total == 0.0 { 1.0 } else { plane.explained / total };
    for (left, right) in [
        (share, variance.sqrt()),
        (plane.explained / variables / variance, plane.degrees),
        (plane.explained, plane.residual),
    ] {
        values.extend([Value::number(left), Value::number(right)]);
        values.extend(std::iter::repeat_n(missing.clone(), width - 2));
    }
    array_operand(5, width as u32, values)
}

fn predict(context: &mut CallContext, arguments: &[Operand], scale: Scale) -> OperandResult {
    let observations = Observations::read(context, arguments, scale)?;
    let with_constant = optional_boolean(arguments, 3, true)?;
    let plane = Plane::new(context, &observations, with_constant)?;
    let (shape, xs) = match optional(arguments, 2) {
        Some(new) => {
            let new = Matrix::read(context, new)?;
            if observations.has_one_variable {
                let xs = Matrix { rows: new.cells.len(), columns: 1, cells: new.cells.clone() };
                ((new.rows, new.columns), xs)
            } else if observations.is_across {
                ((1, new.columns), new.transposed())
            } else {
                ((new.rows, 1), new)
            }
        }
        None => {
            let count = observations.xs.rows;
            let known = Matrix::read(context, &arguments[0])?;
            let shape = if known.cells.len() == count { (known.rows, known.columns) } else { (count, 1) };
            (shape, observations.xs)
        }
    };
    if xs.columns != plane.slopes.len() {
        return Err(ErrorValue::Reference);
    }
    let back = |number: f64| if scale == Scale::Linear { number } else { libm::exp(number) };
    let cells = xs.cells.chunks(xs.columns).map(|xs| back(plane.at(xs))).collect();
    matrix_operand(context, &Matrix { rows: shape.0, columns: shape.1, cells })
}
