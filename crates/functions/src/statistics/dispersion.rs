//! Variance, standard deviation, DEVSQ and AVEDEV, by the two-pass algorithm: first the mean, then
//! the squared deviations. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::ErrorValue;

use crate::arguments::{CountMode, OperandResult, collect_numbers};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::sum_all;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("VAR", "number1, [number2], …", "The variance of a sample.", variance_sample)
        .examples(&[("=VAR(1,2,3,4)", "1.66666666666667"), ("=VAR(1)", "#DIV/0!")]),
    Function::whole("VAR.S", "number1, [number2], …", "The variance of a sample.", variance_sample)
        .examples(&[("=VAR.S(2,4)", "2")]),
    Function::whole(
        "VARA",
        "value1, [value2], …",
        "The variance of a sample, with text as 0 and TRUE as 1.",
        variance_sample_a,
    )
    .examples(&[("=VARA({2,\"x\"})", "2")]),
    Function::whole("VAR.P", "number1, [number2], …", "The variance of a population.", variance_all)
        .examples(&[("=VAR.P(2,4)", "1")]),
    Function::whole("VARP", "number1, [number2], …", "The variance of a population.", variance_all)
        .examples(&[("=VARP(2,4)", "1")]),
    Function::whole(
        "VARPA",
        "value1, [value2], …",
        "The variance of a population, with text as 0 and TRUE as 1.",
        |context, arguments| Ok(variance(context, arguments, CountMode::Everything, 0)?.into()),
    )
    .examples(&[("=VARPA({2,\"x\"})", "1")]),
    Function::whole(
        "STDEVPA",
        "value1, [value2], …",
        "The standard deviation of a population, with text as 0 and TRUE as 1.",
        |context, arguments| Ok(variance(context, arguments, CountMode::Everything, 0)?.sqrt().into()),
    )
    .examples(&[("=STDEVPA({4,\"x\"})", "2")]),
    Function::whole(
        "STDEV",
        "number1, [number2], …",
        "The standard deviation of a sample.",
        deviation_sample,
    )
    .examples(&[("=STDEV(1,3,5)", "2")]),
    Function::whole(
        "STDEV.S",
        "number1, [number2], …",
        "The standard deviation of a sample.",
        deviation_sample,
    )
    .examples(&[("=STDEV.S(1,3,5)", "2")]),
    Function::whole(
        "STDEVA",
        "value1, [value2], …",
        "The standard deviation of a sample, with text as 0 and TRUE as 1.",
        deviation_sample_a,
    )
    .examples(&[("=ROUND(STDEVA({2,\"x\"}),6)", "1.414214")]),
    Function::whole(
        "STDEV.P",
        "number1, [number2], …",
        "The standard deviation of a population.",
        deviation_all,
    )
    .examples(&[("=STDEV.P(2,4)", "1")]),
    Function::whole(
        "STDEVP",
        "number1, [number2], …",
        "The standard deviation of a population.",
        deviation_all,
    )
    .examples(&[("=STDEVP(2,4)", "1")]),
    Function::whole(
        "DEVSQ",
        "number1, [number2], …",
        "The sum of the squared differences from the mean.",
        squared_deviations,
    )
    .examples(&[("=DEVSQ(1,2,3)", "2")]),
    Function::whole("AVEDEV", "number1, [number2], …", "The mean distance from the mean.", mean_deviation)
        .examples(&[("=AVEDEV(1,2,3,4)", "1")]),
];

fn mean(numbers: &[f64]) -> f64 {
    sum_all(numbers.iter().copied()) / numbers.len() as f64
}

fn squares(numbers: &[f64]) -> f64 {
    let mean = mean(numbers);
    sum_all(numbers.iter().map(|number| (number - mean) * (number - mean)))
}

/// Returns the variance. `freedom` is subtracted from the count: 1 for a sample, 0 for a
/// population.
fn variance(
    context: &mut CallContext,
    arguments: &[Operand],
    mode: CountMode,
    freedom: usize,
) -> Result<f64, ErrorValue> {
    let numbers = collect_numbers(context, arguments, mode)?;
    if numbers.len() <= freedom {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(squares(&numbers) / (numbers.len() - freedom) as f64)
}

pub(crate) fn variance_sample(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Numbers, 1)?.into())
}

fn variance_sample_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Everything, 1)?.into())
}

pub(crate) fn variance_all(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Numbers, 0)?.into())
}

pub(crate) fn deviation_sample(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Numbers, 1)?.sqrt().into())
}

fn deviation_sample_a(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Everything, 1)?.sqrt().into())
}

pub(crate) fn deviation_all(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(variance(context, arguments, CountMode::Numbers, 0)?.sqrt().into())
}

fn squared_deviations(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    if numbers.is_empty() { Err(ErrorValue::Number) } else { Ok(squares(&numbers).into()) }
}

fn mean_deviation(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    if numbers.is_empty() {
        return Err(ErrorValue::Number);
    }
    let middle = mean(&numbers);
    let distances = sum_all(numbers.iter().map(|number| (number - middle).abs()));
    Ok((distances / numbers.len() as f64).into())
}
