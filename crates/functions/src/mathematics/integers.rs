//! Integers: GCD, LCM, FACT, FACTDOUBLE, COMBIN, COMBINA, PERMUT. Described in ECMA-376 part 1,
//! 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, values_by_row};
use crate::coerce::{integer, number};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

/// From 2^53 on, doubles do not represent all integers.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("GCD", "number1, [number2], …", "The greatest common divisor.", gcd).examples(&[
        ("=GCD(24,36)", "12"),
        ("=GCD(5,0)", "5"),
        ("=GCD(-1)", "#NUM!"),
    ]),
    Function::whole("LCM", "number1, [number2], …", "The least common multiple.", lcm).examples(&[
        ("=LCM(24,36)", "72"),
        ("=LCM(5,0)", "0"),
        ("=LCM(2147483647,1073741823)", "#NUM!"),
    ]),
    Function::scalar("FACT", "number", "The product of the whole numbers up to this one.", factorial)
        .examples(&[("=FACT(5)", "120"), ("=FACT(0)", "1"), ("=FACT(-1)", "#NUM!"), ("=FACT(171)", "#NUM!")]),
    Function::scalar(
        "FACTDOUBLE",
        "number",
        "The product of every second whole number up to this one.",
        double_factorial,
    )
    .examples(&[("=FACTDOUBLE(6)", "48"), ("=FACTDOUBLE(7)", "105")]),
    Function::scalar("COMBIN", "number, chosen", "How many sets of so many can be chosen.", combinations)
        .examples(&[("=COMBIN(8,2)", "28"), ("=COMBIN(2,3)", "#NUM!")]),
    Function::scalar(
        "COMBINA",
        "number, chosen",
        "How many sets with repetitions can be chosen.",
        combinations_repeated,
    )
    .examples(&[("=COMBINA(4,3)", "20")]),
    Function::scalar(
        "PERMUT",
        "number, chosen",
        "How many ordered choices of so many there are.",
        permutations,
    )
    .examples(&[("=PERMUT(100,3)", "970200")]),
];

fn common_divisor(mut a: f64, mut b: f64) -> f64 {
    while b != 0.0 {
        (a, b) = (b, libm::fmod(a, b));
    }
    a
}

/// Collects the arguments as nonnegative integers below [`WHOLE_MAX`]. Fails with `#NUM!` for
/// others.
fn collect_whole(context: &mut CallContext, arguments: &[Operand]) -> Result<Vec<f64>, ErrorValue> {
    let mut numbers = Vec::new();
    for argument in arguments {
        for value in values_by_row(context, argument)? {
            context.work(1)?;
            // Unlike SUM, these functions convert text in cells and reject Booleans.
            match value {
                Value::Blank => {}
                Value::Boolean(_) => return Err(ErrorValue::Value),
                value => numbers.push(number(&value)?),
            }
        }
    }
    let is_one_range = matches!(arguments, [argument] if !matches!(argument, Operand::Value(_)));
    if numbers.is_empty() && !is_one_range {
        return Err(ErrorValue::Value);
    }
    if numbers.iter().any(|number| *number < 0.0) {
        return Err(ErrorValue::Number);
    }
    numbers.iter_mut().for_each(|number| *number = number.trunc());
    let are_whole = numbers.iter().all(|number| (0.0..WHOLE_MAX).contains(number));
    if are_whole { Ok(numbers) } else { Err(ErrorValue::Number) }
}

fn gcd(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_whole(context, arguments)?;
    Ok(numbers.into_iter().fold(0.0, common_divisor).into())
}

fn lcm(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_whole(context, arguments)?;
    if numbers.is_empty() || numbers.contains(&0.0) {
        return Ok(0.0.into());
    }
    let multiple = numbers.into_iter().fold(1.0, |a, b| a / common_divisor(a, b) * b);
    if multiple < WHOLE_MAX { Ok(multiple.into()) } else { Err(ErrorValue::Number) }
}

fn factorial(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?;
    if !(0.0..171.0).contains(&number) {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number((2..=number as u32).fold(1.0, |product, factor| product * f64::from(factor))))
}

fn double_factorial(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?.trunc();
    if !(-1.0..=300.0).contains(&number) {
        return Err(ErrorValue::Number);
    }
    let factors = (1..=number.max(0.0) as u32).rev().step_by(2);
    Ok(Value::number(factors.fold(1.0, |product, factor| product * f64::from(factor))))
}

fn combinations(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    choose(integer(&arguments[0])?, integer(&arguments[1])?)
}

fn combinations_repeated(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, chosen) = (integer(&arguments[0])?, integer(&arguments[1])?);
    if number == 0 && chosen == 0 { Ok(Value::number(1.0)) } else { choose(number + chosen - 1, chosen) }
}

pub(super) fn choose(number: i64, chosen: i64) -> ValueResult {
    if number < 0 || chosen < 0 || chosen > number {
        return Err(ErrorValue::Number);
    }
    let mut product = 1.0f64;
    for step in 1..=chosen.min(number - chosen) {
        // Every partial product is itself a binomial coefficient and hence an integer.
        product = (product * (number - chosen.min(number - chosen) + step) as f64 / step as f64).round();
        if !product.is_finite() {
            return Err(ErrorValue::Number);
        }
    }
    Ok(Value::number(product))
}

fn permutations(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (number, chosen) = (integer(&arguments[0])?, integer(&arguments[1])?);
    if number < 0 || chosen < 0 || chosen > number {
        return Err(ErrorValue::Number);
    }
    let mut product = 1.0f64;
    for factor in (number - chosen + 1)..=number {
        product *= factor as f64;
        if !product.is_finite() {
            return Err(ErrorValue::Number);
        }
    }
    Ok(Value::number(product))
}
