//! Means and extremes: AVERAGE, MIN, MAX, GEOMEAN, HARMEAN and variants. Described in ECMA-376 part
//! 1, 18.17.7, and Excel's help.

use quadrille_cell::ErrorValue;

use crate::arguments::{CountMode, OperandResult, collect_numbers, for_each_number_slice};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::{sum_all, sum_and_count};
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("AVERAGE", "number1, [number2], …", "The arithmetic mean.", average)
        .examples(&[("=AVERAGE(1,2,6)", "3"), ("=AVERAGE({\"x\"})", "#DIV/0!")]),
    Function::whole("AVERAGEA", "value1, [value2], …", "The mean, with text as 0 and TRUE as 1.", average_a)
        .examples(&[("=AVERAGEA({1,TRUE,\"x\"})", "0.666666666666667")]),
    Function::whole("MIN", "number1, [number2], …", "The smallest number, 0 if there is none.", min)
        .examples(&[("=MIN(3,1,2)", "1"), ("=MIN({\"x\"})", "0")]),
    Function::whole("MAX", "number1, [number2], …", "The largest number, 0 if there is none.", max)
        .examples(&[("=MAX(3,1,2)", "3"), ("=MAX(-3,-1)", "-1")]),
    Function::whole(
        "MINA",
        "value1, [value2], …",
        "The smallest value, with text as 0 and TRUE as 1.",
        min_a,
    )
    .examples(&[("=MINA({3,TRUE})", "1")]),
    Function::whole("MAXA", "value1, [value2], …", "The largest value, with text as 0 and TRUE as 1.", max_a)
        .examples(&[("=MAXA({-3,\"x\"})", "0")]),
    Function::whole(
        "GEOMEAN",
        "number1, [number2], …",
        "The geometric mean of positive numbers.",
        geometric_mean,
    )
    .examples(&[("=GEOMEAN(2,8)", "4"), ("=GEOMEAN(0,1)", "#NUM!")]),
    Function::whole(
        "HARMEAN",
        "number1, [number2], …",
        "The harmonic mean of positive numbers.",
        harmonic_mean,
    )
    .examples(&[("=HARMEAN(1,3)", "1.5")]),
];

pub(crate) fn average(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (sum, count) = sum_and_count(context, arguments)?;
    if count == 0 { Err(ErrorValue::DivideByZero) } else { Ok((sum / count as f64).into()) }
}

fn average_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, arguments, CountMode::Everything)?;
    if numbers.is_empty() {
        return Err(ErrorValue::DivideByZero);
    }
    let count = numbers.len() as f64;
    Ok((sum_all(numbers) / count).into())
}

/// Returns the smallest or largest number. The result does not depend on the order, so slices are
/// folded in lanes.
fn extreme(
    context: &mut CallContext,
    arguments: &[Operand],
    mode: CountMode,
    better: fn(f64, f64) -> f64,
) -> OperandResult {
    const LANES: usize = 8;
    let mut best: Option<f64> = None;
    for_each_number_slice(context, arguments, mode, &mut |numbers| {
        let Some(first) = numbers.first() else { return };
        let mut lanes = [*first; LANES];
        let mut chunks = numbers.chunks_exact(LANES);
        for chunk in &mut chunks {
            for (lane, number) in lanes.iter_mut().zip(chunk) {
                *lane = better(*lane, *number);
            }
        }
        let found = lanes.iter().chain(chunks.remainder()).copied().fold(*first, better);
        best = Some(best.map_or(found, |best| better(best, found)));
    })?;
    Ok(best.unwrap_or(0.0).into())
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

pub(crate) fn min(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme(context, arguments, CountMode::Numbers, smaller)
}

pub(crate) fn max(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme(context, arguments, CountMode::Numbers, larger)
}

fn min_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme(context, arguments, CountMode::Everything, smaller)
}

fn max_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    extreme(context, arguments, CountMode::Everything, larger)
}

fn collect_positive(context: &mut CallContext, arguments: &[Operand]) -> Result<Vec<f64>, ErrorValue> {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    let are_positive = !numbers.is_empty() && numbers.iter().all(|number| *number > 0.0);
    if are_positive { Ok(numbers) } else { Err(ErrorValue::Number) }
}

fn geometric_mean(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_positive(context, arguments)?;
    let count = numbers.len() as f64;
    let product: f64 = numbers.iter().product();
    // The product is more precise than the logarithms unless it over- or underflows.
    let mean = match product.is_normal() {
        true => libm::pow(product, 1.0 / count),
        false => libm::exp(sum_all(numbers.into_iter().map(libm::log)) / count),
    };
    Ok(mean.into())
}

fn harmonic_mean(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_positive(context, arguments)?;
    let count = numbers.len() as f64;
    Ok((count / sum_all(numbers.into_iter().map(|number| 1.0 / number))).into())
}
