//! Student's t, F and beta distributions, all by the incomplete beta function. Described in
//! ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.18.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or, numbers};
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::special::{Tails, beta_tails, beta_tails_with_rest, inverse, ln_beta};

use super::probability::check_probability;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "T.DIST",
        "x, degrees_of_freedom, cumulative",
        "Student's distribution, or its density.",
        student,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(T.DIST(60,1,TRUE),8)", "0.99469533"),
        ("=ROUND(T.DIST(8,3,FALSE),8)", "0.00073691"),
        ("=T.DIST(1,0.5,TRUE)", "#NUM!"),
    ]),
    Function::scalar(
        "T.DIST.RT",
        "x, degrees_of_freedom",
        "The chance of a larger number under Student's distribution.",
        |_, arguments| {
            let [x, freedom] = numbers(arguments)?;
            or_num_error(student_tails(x, degrees_of_freedom(freedom)?).map(|tails| tails.upper))
        },
    )
    .excel_only()
    .examples(&[("=ROUND(T.DIST.RT(1.959999998,60),6)", "0.027322")]),
    Function::scalar(
        "T.DIST.2T",
        "x, degrees_of_freedom",
        "The chance of a number farther from 0 under Student's distribution.",
        |_, arguments| {
            let [x, freedom] = numbers(arguments)?;
            student_upper_tail(x, freedom, 2.0)
        },
    )
    .excel_only()
    .examples(&[("=ROUND(T.DIST.2T(1.959999998,60),6)", "0.054645"), ("=T.DIST.2T(-1,60)", "#NUM!")]),
    Function::scalar(
        "TDIST",
        "x, degrees_of_freedom, tails",
        "The chance of a larger number under Student's distribution, on one side or both.",
        |_, arguments| {
            let [x, freedom, tails] = numbers(arguments)?;
            if ![1.0, 2.0].contains(&tails.trunc()) {
                return Err(ErrorValue::Number);
            }
            student_upper_tail(x, freedom, tails.trunc())
        },
    )
    .examples(&[("=ROUND(TDIST(1.959999998,60,2),6)", "0.054645"), ("=TDIST(1,60,3)", "#NUM!")]),
    Function::scalar(
        "T.INV",
        "probability, degrees_of_freedom",
        "Where Student's distribution reaches a probability.",
        student_inverse,
    )
    .excel_only()
    .examples(&[("=ROUND(T.INV(0.75,2),7)", "0.8164966"), ("=ROUND(T.INV(0.25,2),7)", "-0.8164966")]),
    Function::scalar("T.INV.2T", "probability, degrees_of_freedom", TWO_TAILED, student_inverse_two)
        .excel_only()
        .examples(&[("=ROUND(T.INV.2T(0.546449,60),6)", "0.606533")]),
    Function::scalar("TINV", "probability, degrees_of_freedom", TWO_TAILED, student_inverse_two)
        .examples(&[("=ROUND(TINV(0.054645,60),4)", "1.96")]),
    Function::scalar(
        "F.DIST",
        "x, degrees_of_freedom1, degrees_of_freedom2, cumulative",
        "The F distribution, or its density.",
        fisher,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(F.DIST(15.20686486,6,4,TRUE),6)", "0.99"),
        ("=ROUND(F.DIST(15.20686486,6,4,FALSE),7)", "0.0012238"),
    ]),
    Function::scalar("F.DIST.RT", "x, degrees_of_freedom1, degrees_of_freedom2", FISHER_RIGHT, fisher_right)
        .excel_only()
        .examples(&[("=ROUND(F.DIST.RT(15.20686486,6,4),6)", "0.01")]),
    Function::scalar("FDIST", "x, degrees_of_freedom1, degrees_of_freedom2", FISHER_RIGHT, fisher_right)
        .examples(&[("=ROUND(FDIST(15.20686486,6,4),6)", "0.01"), ("=FDIST(-1,6,4)", "#NUM!")]),
    Function::scalar(
        "F.INV",
        "probability, degrees_of_freedom1, degrees_of_freedom2",
        "Where the F distribution reaches a probability.",
        fisher_inverse,
    )
    .excel_only()
    .examples(&[("=ROUND(F.INV(0.01,6,4),8)", "0.10930991")]),
    Function::scalar(
        "F.INV.RT",
        "probability, degrees_of_freedom1, degrees_of_freedom2",
        FISHER_INVERSE_RIGHT,
        fisher_inverse_right,
    )
    .excel_only()
    .examples(&[("=ROUND(F.INV.RT(0.01,6,4),7)", "15.2068649")]),
    Function::scalar(
        "FINV",
        "probability, degrees_of_freedom1, degrees_of_freedom2",
        FISHER_INVERSE_RIGHT,
        fisher_inverse_right,
    )
    .examples(&[("=ROUND(FINV(0.01,6,4),7)", "15.2068649")]),
    Function::scalar(
        "BETA.DIST",
        "x, alpha, beta, cumulative, [low], [high]",
        "The beta distribution, or its density.",
        |_, arguments| beta(arguments, boolean(&arguments[3])?, 4),
    )
    .excel_only()
    .examples(&[
        ("=ROUND(BETA.DIST(2,8,10,TRUE,1,3),7)", "0.6854706"),
        ("=ROUND(BETA.DIST(2,8,10,FALSE,1,3),7)", "1.4837646"),
    ]),
    Function::scalar(
        "BETADIST",
        "x, alpha, beta, [low], [high]",
        "The beta distribution.",
        |_, arguments| beta(arguments, true, 3),
    )
    .examples(&[("=ROUND(BETADIST(2,8,10,1,3),7)", "0.6854706")]),
    Function::scalar("BETA.INV", "probability, alpha, beta, [low], [high]", BETA_INVERSE, beta_inverse)
        .excel_only()
        .examples(&[("=ROUND(BETA.INV(0.685470581,8,10,1,3),6)", "2")]),
    Function::scalar("BETAINV", "probability, alpha, beta, [low], [high]", BETA_INVERSE, beta_inverse)
        .examples(&[("=ROUND(BETAINV(0.685470581,8,10,1,3),6)", "2")]),
];

const TWO_TAILED: &str =
    "The distance from 0 that is exceeded with a probability, on either side, under Student's distribution.";
const FISHER_RIGHT: &str = "The chance of a larger number under the F distribution.";
const FISHER_INVERSE_RIGHT: &str = "The value that is exceeded with a probability under the F distribution.";
const BETA_INVERSE: &str = "Where the beta distribution reaches a probability.";

/// Converts the result of a series; `#NUM!` when it did not converge.
pub(super) fn or_num_error(number: Option<f64>) -> ValueResult {
    number.map(Value::number).ok_or(ErrorValue::Number)
}

/// Truncates degrees of freedom. Fails with `#NUM!` outside 1 to 10^10.
pub(super) fn degrees_of_freedom(freedom: f64) -> Result<f64, ErrorValue> {
    let freedom = freedom.trunc();
    if (1.0..=1e10).contains(&freedom) { Ok(freedom) } else { Err(ErrorValue::Number) }
}

/// Student's t distribution for any positive degrees of freedom.
pub(super) fn student_tails(x: f64, freedom: f64) -> Option<Tails> {
    let square = x * x;
    let beyond =
        beta_tails_with_rest(freedom / (freedom + square), square / (freedom + square), freedom / 2.0, 0.5)?;
    let (far, near) = (beyond.lower / 2.0, 0.5 + beyond.upper / 2.0);
    Some(if x < 0.0 { Tails { lower: far, upper: near } } else { Tails { lower: near, upper: far } })
}

fn student(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, freedom] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[2])?;
    let freedom = degrees_of_freedom(freedom)?;
    if is_cumulative {
        return or_num_error(student_tails(x, freedom).map(|tails| tails.lower));
    }
    let exponent = -(freedom + 1.0) / 2.0 * libm::log1p(x * x / freedom) - ln_beta(freedom / 2.0, 0.5);
    Ok(Value::number(libm::exp(exponent) / freedom.sqrt()))
}

fn student_upper_tail(x: f64, freedom: f64, sides: f64) -> ValueResult {
    if x < 0.0 {
        return Err(ErrorValue::Number);
    }
    or_num_error(student_tails(x, degrees_of_freedom(freedom)?).map(|tails| tails.upper * sides))
}

/// Returns the two-tailed quantile of Student's t distribution.
pub(crate) fn student_inverse_two_tailed(probability: f64, freedom: f64) -> Option<f64> {
    inverse(-probability / 2.0, 0.0, f64::INFINITY, |x| Some(-student_tails(x, freedom)?.upper))
}

fn student_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, freedom] = numbers(arguments)?;
    let probability = check_probability(probability)?;
    let freedom = degrees_of_freedom(freedom)?;
    if probability == 0.5 {
        return Ok(Value::number(0.0));
    }
    let (tail, sign) = if probability < 0.5 { (probability, -1.0) } else { (1.0 - probability, 1.0) };
    or_num_error(student_inverse_two_tailed(2.0 * tail, freedom).map(|x| sign * x))
}

fn student_inverse_two(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, freedom] = numbers(arguments)?;
    let freedom = degrees_of_freedom(freedom)?;
    if probability == 1.0 {
        return Ok(Value::number(0.0));
    }
    or_num_error(student_inverse_two_tailed(check_probability(probability)?, freedom))
}

pub(super) fn fisher_tails(x: f64, first: f64, second: f64) -> Option<Tails> {
    let (weight, total) = (first * x, first * x + second);
    beta_tails_with_rest(weight / total, second / total, first / 2.0, second / 2.0)
}

fn fisher(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, first, second] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[3])?;
    let (first, second) = (degrees_of_freedom(first)?, degrees_of_freedom(second)?);
    if x < 0.0 {
        return Err(ErrorValue::Number);
    }
    if is_cumulative {
        return or_num_error(fisher_tails(x, first, second).map(|tails| tails.lower));
    }
    if x == 0.0 {
        // The density at 0 is infinite, one or zero.
        return if first < 2.0 {
            Err(ErrorValue::DivideByZero)
        } else {
            Ok(Value::number(f64::from(u8::from(first == 2.0))))
        };
    }
    let (half_first, half_second) = (first / 2.0, second / 2.0);
    let exponent = half_first * libm::log(first / second) + (half_first - 1.0) * libm::log(x)
        - (half_first + half_second) * libm::log1p(first * x / second)
        - ln_beta(half_first, half_second);
    Ok(Value::number(libm::exp(exponent)))
}

fn fisher_right(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, first, second] = numbers(arguments)?;
    let (first, second) = (degrees_of_freedom(first)?, degrees_of_freedom(second)?);
    if x < 0.0 {
        return Err(ErrorValue::Number);
    }
    or_num_error(fisher_tails(x, first, second).map(|tails| tails.upper))
}

fn fisher_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, first, second] = numbers(arguments)?;
    let (first, second) = (degrees_of_freedom(first)?, degrees_of_freedom(second)?);
    if probability == 0.0 {
        return Ok(Value::number(0.0));
    }
    let probability = check_probability(probability)?;
    or_num_error(inverse(probability, 0.0, f64::INFINITY, |x| Some(fisher_tails(x, first, second)?.lower)))
}

fn fisher_inverse_right(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, first, second] = numbers(arguments)?;
    let (first, second) = (degrees_of_freedom(first)?, degrees_of_freedom(second)?);
    if probability == 1.0 {
        return Ok(Value::number(0.0));
    }
    let probability = check_probability(probability)?;
    or_num_error(inverse(-probability, 0.0, f64::INFINITY, |x| Some(-fisher_tails(x, first, second)?.upper)))
}

/// Reads the interval of the distribution. Fails with `#NUM!` when it is empty.
fn bounds(arguments: &[Value], index: usize) -> Result<(f64, f64), ErrorValue> {
    let (low, high) = (number_or(arguments, index, 0.0)?, number_or(arguments, index + 1, 1.0)?);
    if low < high { Ok((low, high)) } else { Err(ErrorValue::Number) }
}

fn beta(arguments: &[Value], is_cumulative: bool, bounds_index: usize) -> ValueResult {
    let [x, alpha, beta] = numbers(arguments)?;
    let (low, high) = bounds(arguments, bounds_index)?;
    if alpha <= 0.0 || beta <= 0.0 || !(low..=high).contains(&x) {
        return Err(ErrorValue::Number);
    }
    let share = (x - low) / (high - low);
    if is_cumulative {
        return or_num_error(beta_tails(share, alpha, beta).map(|tails| tails.lower));
    }
    let power = |base: f64, exponent: f64| if exponent == 0.0 { 0.0 } else { exponent * libm::log(base) };
    let exponent = power(share, alpha - 1.0) + power(1.0 - share, beta - 1.0) - ln_beta(alpha, beta);
    Ok(Value::number(libm::exp(exponent) / (high - low)))
}

fn beta_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, alpha, beta] = numbers(arguments)?;
    let (low, high) = bounds(arguments, 3)?;
    if alpha <= 0.0 || beta <= 0.0 {
        return Err(ErrorValue::Number);
    }
    let probability = check_probability(probability)?;
    let share = inverse(probability, 0.0, 1.0, |x| Some(beta_tails(x, alpha, beta)?.lower));
    or_num_error(share.map(|share| low + share * (high - low)))
}
