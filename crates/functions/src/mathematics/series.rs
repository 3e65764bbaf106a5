//! MULTINOMIAL and SERIESSUM (ECMA-376 part 1, 18.17.7), ACOTH and PERCENTOF (Excel's help).

use quadrille_cell::{ErrorValue, Value};

use super::integers::choose;
use super::summation::sum_and_count;
use crate::arguments::{CountMode, OperandResult, collect_numbers, numbers, optional_number, values_by_row};
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("ACOTH", "number", "The inverse hyperbolic cotangent.", |_, arguments| {
        let [x] = numbers(arguments)?;
        if x.abs() <= 1.0 { Err(ErrorValue::Number) } else { Ok(Value::number(libm::atanh(1.0 / x))) }
    })
    .examples(&[("=ROUND(ACOTH(6),9)", "0.168236118"), ("=ACOTH(1)", "#NUM!")]),
    Function::whole(
        "MULTINOMIAL",
        "number1, [number2], …",
        "In how many ways so many things fall into groups of these sizes.",
        multinomial,
    )
    .examples(&[("=MULTINOMIAL(2,3,4)", "1260"), ("=MULTINOMIAL(-1)", "#NUM!")]),
    Function::whole(
        "SERIESSUM",
        "x, power, step, coefficients",
        "The sum of powers of a number, each with its coefficient.",
        series_sum,
    )
    .examples(&[
        ("=SERIESSUM(2,0,1,{1,2,3})", "17"),
        ("=SERIESSUM(2,1,2,{1;1})", "10"),
        ("=SERIESSUM(0,0,2,{1,2})", "#NUM!"),
    ]),
    Function::whole("PERCENTOF", "part, whole", "The share of one sum in another.", |context, arguments| {
        let part = sum_and_count(context, &arguments[..1])?.0;
        let whole = sum_and_count(context, &arguments[1..])?.0;
        if whole == 0.0 { Err(ErrorValue::DivideByZero) } else { Ok((part / whole).into()) }
    })
    .excel_only()
    .examples(&[("=PERCENTOF({1,2},{1,2,3,6})", "0.25")]),
];

fn multinomial(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    let (mut total, mut ways) = (0i64, 1.0);
    for number in numbers {
        if !(0.0..1e9).contains(&number) {
            return Err(ErrorValue::Number);
        }
        total += number as i64;
        let Value::Number(choices) = choose(total, number as i64)? else { return Err(ErrorValue::Number) };
        ways *= choices;
    }
    Ok(ways.into())
}

fn series_sum(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (x, power) = (optional_number(arguments, 0, 0.0)?, optional_number(arguments, 1, 0.0)?);
    let step = optional_number(arguments, 2, 0.0)?;
    let mut sum = 0.0;
    for (index, coefficient) in values_by_row(context, &arguments[3])?.iter().enumerate() {
        let power = power + index as f64 * step;
        if x == 0.0 && power == 0.0 {
            return Err(ErrorValue::Number);
        }
        sum += number(coefficient)? * libm::pow(x, power);
    }
    Ok(sum.into())
}
