//! SUM, PRODUCT, SUMSQ, SUMPRODUCT, SUMX2MY2, SUMX2PY2, SUMXMY2. The `sum` module defines the order
//! of summation. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use std::ops::ControlFlow;

use quadrille_cell::ErrorValue;

use crate::arguments::{CountMode, OperandResult, charge_view, collect_numbers, for_each_number_slice, view};
use crate::cancel::Cancel;
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Chunk, Operand, RangeView, ValueRef};
use crate::sum::{SegmentSum, sum_view};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("SUM", "number1, [number2], …", "Adds numbers; text in ranges is passed over.", sum)
        .examples(&[
            ("=SUM(1,2,3)", "6"),
            ("=SUM(\"3\",TRUE)", "4"),
            ("=SUM({1,\"x\",TRUE})", "1"),
            ("=SUM(1,\"x\")", "#VALUE!"),
        ]),
    Function::whole("PRODUCT", "number1, [number2], …", "Multiplies numbers.", product)
        .examples(&[("=PRODUCT(2,3,4)", "24")]),
    Function::whole("SUMSQ", "number1, [number2], …", "Adds the squares of numbers.", sum_of_squares)
        .examples(&[("=SUMSQ(3,4)", "25")]),
    Function::whole(
        "SUMPRODUCT",
        "array1, [array2], …",
        "Multiplies what stands at the same place and adds the products.",
        sum_of_products,
    )
    .examples(&[
        ("=SUMPRODUCT({1,2,3},{4,5,6})", "32"),
        ("=SUMPRODUCT({1,2},{1,2,3})", "#VALUE!"),
        ("=SUMPRODUCT({1,\"x\"},{2,3})", "2"),
    ]),
    Function::whole("SUMX2MY2", "array_x, array_y", "Adds the differences of squares.", sum_x2_minus_y2)
        .examples(&[("=SUMX2MY2({2,3},{1,2})", "8")]),
    Function::whole("SUMX2PY2", "array_x, array_y", "Adds the sums of squares.", sum_x2_plus_y2)
        .examples(&[("=SUMX2PY2({2,3},{1,2})", "18")]),
    Function::whole(
        "SUMXMY2",
        "array_x, array_y",
        "Adds the squares of differences.",
        sum_difference_squared,
    )
    .examples(&[("=SUMXMY2({2,3},{1,1})", "5")]),
];

/// Returns sum and count of all numbers in the arguments.
pub(crate) fn sum_and_count(
    context: &mut CallContext,
    arguments: &[Operand],
) -> Result<(f64, u64), ErrorValue> {
    let mut total = (0.0, 0);
    for argument in arguments {
        match argument {
            Operand::Value(value) => total = (total.0 + number(value)?, total.1 + 1),
            Operand::Missing => total.1 += 1,
            _ => {
                for view in argument.views() {
                    charge_view(context, view)?;
                    let (sum, count) = sum_view(view)?;
                    total = (total.0 + sum, total.1 + count);
                }
            }
        }
    }
    Ok(total)
}

fn sum(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(sum_and_count(context, arguments)?.0.into())
}

fn product(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut product = None;
    for_each_number_slice(context, arguments, CountMode::Numbers, &mut |numbers| {
        for number in numbers {
            product = Some(product.unwrap_or(1.0) * number);
        }
    })?;
    Ok(product.unwrap_or(0.0).into())
}

/// Sums numbers in the order of a column.
pub(crate) fn sum_all(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sum = SegmentSum::new();
    for number in numbers {
        sum.push(number);
    }
    sum.finish()
}

/// As [`sum_all`], for terms that cost `steps` each. Stops early when the evaluation is cancelled.
pub(crate) fn sum_of_terms(cancel: &Cancel, steps: u64, terms: impl IntoIterator<Item = f64>) -> f64 {
    sum_all(terms.into_iter().take_while(|_| !cancel.is_requested_within(steps)))
}

fn sum_of_squares(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    Ok(sum_all(numbers.into_iter().map(|number| number * number)).into())
}

fn sum_of_products(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut views = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let view = view(argument)?;
        charge_view(context, view)?;
        views.push(view);
    }
    let (rows, columns) = (views[0].rows(), views[0].columns());
    if views.iter().any(|view| (view.rows(), view.columns()) != (rows, columns)) {
        return Err(ErrorValue::Value);
    }
    // Rows in which one factor is blank contribute zero.
    let used_rows = views.iter().map(|view| view.used_rows()).min().unwrap_or(0);
    let mut total = 0.0;
    for column in 0..columns {
        let mut products = vec![1.0; used_rows as usize];
        for view in &views {
            context.work(u64::from(used_rows) / 4)?;
            multiply_column(*view, column, &mut products)?;
        }
        let mut sum = SegmentSum::new();
        sum.extend(&products);
        total += sum.finish();
    }
    Ok(total.into())
}

/// Multiplies each product by the number in its row of the column. Other values count as zero.
fn multiply_column(view: &dyn RangeView, column: u32, products: &mut [f64]) -> Result<(), ErrorValue> {
    let mut row = 0;
    let mut error = None;
    view.for_each_chunk(column, &mut |chunk| {
        let end = (row + chunk.len() as usize).min(products.len());
        let part = &mut products[row..end];
        match chunk {
            Chunk::Blank(_) => part.fill(0.0),
            Chunk::Numbers(numbers) => {
                part.iter_mut().zip(numbers).for_each(|(product, number)| *product *= number)
            }
            Chunk::Mixed(cells) => {
                for (index, product) in part.iter_mut().enumerate() {
                    match cells.get(index) {
                        ValueRef::Number(number) => *product *= number,
                        ValueRef::Error(first) => error = error.or(Some(first)),
                        _ => *product = 0.0,
                    }
                }
            }
        }
        row = end;
        if row < products.len() && error.is_none() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    products[row..].fill(0.0);
    error.map_or(Ok(()), Err)
}

/// Returns the pairs of numbers of two arrays of the same size, ignoring pairs with other values.
///
/// Fails with `#N/A` for different sizes, and with the first error value.
pub(crate) fn number_pairs(
    context: &mut CallContext,
    first: &Operand,
    second: &Operand,
) -> Result<Vec<(f64, f64)>, ErrorValue> {
    let (first, second) = (view(first)?, view(second)?);
    charge_view(context, first)?;
    charge_view(context, second)?;
    let count = |view: &dyn RangeView| u64::from(view.rows()) * u64::from(view.columns());
    if count(first) != count(second) {
        return Err(ErrorValue::NotAvailable);
    }
    let mut pairs = Vec::new();
    let columns = first.columns();
    for row in 0..first.used_rows() {
        context.work(u64::from(columns))?;
        for column in 0..columns {
            // The cell at the same row-major position, since one can be a row and the other a
            // column.
            let position = u64::from(row) * u64::from(columns) + u64::from(column);
            let other = (position / u64::from(second.columns()), position % u64::from(second.columns()));
            use quadrille_cell::Value;
            match (first.value(row, column), second.value(other.0 as u32, other.1 as u32)) {
                (Value::Error(error), _) | (_, Value::Error(error)) => return Err(error),
                (Value::Number(x), Value::Number(y)) => pairs.push((x, y)),
                _ => {}
            }
        }
    }
    Ok(pairs)
}

fn sum_over_pairs(
    context: &mut CallContext,
    arguments: &[Operand],
    term: fn(f64, f64) -> f64,
) -> OperandResult {
    let pairs = number_pairs(context, &arguments[0], &arguments[1])?;
    Ok(sum_all(pairs.into_iter().map(|(x, y)| term(x, y))).into())
}

fn sum_x2_minus_y2(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    sum_over_pairs(context, arguments, |x, y| x * x - y * y)
}

fn sum_x2_plus_y2(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    sum_over_pairs(context, arguments, |x, y| x * x + y * y)
}

fn sum_difference_squared(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    sum_over_pairs(context, arguments, |x, y| (x - y) * (x - y))
}
