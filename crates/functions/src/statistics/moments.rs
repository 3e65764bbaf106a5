//! KURT, SKEW, SKEW.P, PERCENTRANK.EXC, PROB, PERMUTATIONA. Described in ECMA-376 part 1, 18.17.7,
//! and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    CountMode, OperandResult, ValueResult, collect_numbers, optional, optional_integer, optional_number,
};
use crate::array::columns::sort_numbers;
use crate::coerce::integer;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::{number_pairs, sum_all};
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("KURT", "number1, [number2], …", "The excess kurtosis of a sample.", kurtosis)
        .examples(&[("=ROUND(KURT(3,4,5,2,3,4,5,6,4,7),9)", "-0.151799637"), ("=KURT(1,2,3)", "#DIV/0!")]),
    Function::whole("SKEW", "number1, [number2], …", "The skewness of a sample.", |context, arguments| {
        let (count, moment) = third_moment(context, arguments, 1.0)?;
        if count < 3.0 {
            return Err(ErrorValue::DivideByZero);
        }
        Ok((moment * count / ((count - 1.0) * (count - 2.0))).into())
    })
    .examples(&[("=ROUND(SKEW(3,4,5,2,3,4,5,6,4,7),6)", "0.359543")]),
    Function::whole(
        "SKEW.P",
        "number1, [number2], …",
        "The skewness of a population.",
        |context, arguments| {
            let (count, moment) = third_moment(context, arguments, 0.0)?;
            Ok((moment / count).into())
        },
    )
    .excel_only()
    .examples(&[("=ROUND(SKEW.P(3,4,5,2,3,4,5,6,4,7),6)", "0.303193")]),
    Function::whole(
        "PERCENTRANK.EXC",
        "array, x, [digits]",
        "The share of numbers below a number, 0 and 1 excluded.",
        percent_rank_exclusive,
    )
    .excel_only()
    .examples(&[
        ("=PERCENTRANK.EXC({1,2,3,6,6,6,7,8,9},7)", "0.7"),
        ("=PERCENTRANK.EXC({1,2,3,6,6,6,7,8,9},5.43)", "0.381"),
        ("=PERCENTRANK.EXC({1,2,3,6,6,6,7,8,9},5.43,1)", "0.3"),
        ("=PERCENTRANK.EXC({1,2},3)", "#N/A"),
    ]),
    Function::whole("PROB", "values, chances, low, [high]", "The chance of a value between two.", chance)
        .examples(&[
            ("=PROB({0,1,2,3},{0.2,0.3,0.1,0.4},2)", "0.1"),
            ("=PROB({0,1,2,3},{0.2,0.3,0.1,0.4},1,3)", "0.8"),
            ("=PROB({0,1},{0.2,0.3},1)", "#NUM!"),
        ]),
    Function::scalar(
        "PERMUTATIONA",
        "number, chosen",
        "How many ordered choices with repetitions there are.",
        permutations_repeated,
    )
    .examples(&[("=PERMUTATIONA(3,2)", "9"), ("=PERMUTATIONA(2,-1)", "#NUM!")]),
];

/// Returns count and standardized numbers, by the standard deviation of a sample (`freedom` 1) or
/// of the population (0).
fn standardized(
    context: &mut CallContext,
    arguments: &[Operand],
    freedom: f64,
) -> Result<(f64, Vec<f64>), ErrorValue> {
    let mut numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    let count = numbers.len() as f64;
    if count <= freedom {
        return Err(ErrorValue::DivideByZero);
    }
    let mean = sum_all(numbers.iter().copied()) / count;
    numbers.iter_mut().for_each(|number| *number -= mean);
    let deviation = (sum_all(numbers.iter().map(|number| number * number)) / (count - freedom)).sqrt();
    if deviation == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    numbers.iter_mut().for_each(|number| *number /= deviation);
    Ok((count, numbers))
}

fn third_moment(
    context: &mut CallContext,
    arguments: &[Operand],
    freedom: f64,
) -> Result<(f64, f64), ErrorValue> {
    let (count, numbers) = standardized(context, arguments, freedom)?;
    if count < 3.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok((count, sum_all(numbers.iter().map(|number| number * number * number))))
}

fn kurtosis(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (n, numbers) = standardized(context, arguments, 1.0)?;
    if n < 4.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let moment = sum_all(numbers.iter().map(|number| number * number * (number * number)));
    let normal = 3.0 * (n - 1.0) * (n - 1.0) / ((n - 2.0) * (n - 3.0));
    Ok((moment * n * (n + 1.0) / ((n - 1.0) * (n - 2.0) * (n - 3.0)) - normal).into())
}

fn percent_rank_exclusive(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut numbers = collect_numbers(context, &arguments[..1], CountMode::Numbers)?;
    sort_numbers(&context.budget.cancel, &mut numbers)?;
    let x = optional_number(arguments, 1, 0.0)?;
    let digits = optional_integer(arguments, 2, 3)?;
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Err(ErrorValue::Number) };
    if digits < 1 {
        return Err(ErrorValue::Number);
    }
    if !(*first..=*last).contains(&x) {
        return Err(ErrorValue::NotAvailable);
    }
    let below = numbers.partition_point(|number| *number < x);
    let rank = match numbers[below] == x {
        true => below as f64 + 1.0,
        false => below as f64 + (x - numbers[below - 1]) / (numbers[below] - numbers[below - 1]),
    };
    let power = libm::pow(10.0, digits.min(15) as f64);
    // The small addend corrects rounding errors just below the next digit.
    Ok(((rank / (numbers.len() + 1) as f64 * power + 1e-9).floor() / power).into())
}

fn chance(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let pairs = number_pairs(context, &arguments[0], &arguments[1])?;
    let low = optional_number(arguments, 2, 0.0)?;
    let high = if optional(arguments, 3).is_some() { optional_number(arguments, 3, 0.0)? } else { low };
    let total = sum_all(pairs.iter().map(|(_, chance)| *chance));
    let are_chances = pairs.iter().all(|(_, chance)| (0.0..=1.0).contains(chance));
    if !are_chances || (total - 1.0).abs() > 1e-7 {
        return Err(ErrorValue::Number);
    }
    let is_between = |(value, _): &&(f64, f64)| low <= *value && *value <= high;
    Ok(sum_all(pairs.iter().filter(is_between).map(|(_, chance)| *chance)).into())
}

fn permutations_repeated(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, chosen) = (integer(&arguments[0])?, integer(&arguments[1])?);
    if number < 0 || chosen < 0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(libm::pow(number as f64, chosen as f64)))
}
