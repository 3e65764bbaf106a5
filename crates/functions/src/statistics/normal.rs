//! The normal and log-normal distributions, confidence intervals and related functions. Described
//! in ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.18.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, numbers};
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::special::{normal_density, normal_inverse, normal_tails};

use super::probability::check_probability;
use super::student_t::student_inverse_two_tailed;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("NORM.DIST", "x, mean, deviation, cumulative", NORMAL, normal).excel_only().examples(&[
        ("=ROUND(NORM.DIST(42,40,1.5,TRUE),7)", "0.9087888"),
        ("=ROUND(NORM.DIST(42,40,1.5,FALSE),7)", "0.10934"),
        ("=NORM.DIST(1,0,0,TRUE)", "#NUM!"),
    ]),
    Function::scalar("NORMDIST", "x, mean, deviation, cumulative", NORMAL, normal)
        .examples(&[("=ROUND(NORMDIST(42,40,1.5,TRUE),7)", "0.9087888")]),
    Function::scalar("NORM.INV", "probability, mean, deviation", NORMAL_INVERSE, normal_inverse_function)
        .excel_only()
        .examples(&[("=ROUND(NORM.INV(0.908789,40,1.5),6)", "42.000002"), ("=NORM.INV(1,0,1)", "#NUM!")]),
    Function::scalar("NORMINV", "probability, mean, deviation", NORMAL_INVERSE, normal_inverse_function)
        .examples(&[("=ROUND(NORMINV(0.908789,40,1.5),6)", "42.000002")]),
    Function::scalar(
        "NORM.S.DIST",
        "z, cumulative",
        "The normal distribution with mean 0 and deviation 1, or its density.",
        standard_normal,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(NORM.S.DIST(1.333333,TRUE),9)", "0.908788726"),
        ("=ROUND(NORM.S.DIST(1.333333,FALSE),9)", "0.164010148"),
    ]),
    Function::scalar(
        "NORMSDIST",
        "z",
        "The normal distribution with mean 0 and deviation 1.",
        |_, arguments| Ok(Value::number(normal_tails(numbers::<1>(arguments)?[0]).lower)),
    )
    .examples(&[("=ROUND(NORMSDIST(1.333333),9)", "0.908788726")]),
    Function::scalar("NORM.S.INV", "probability", STANDARD_INVERSE, standard_normal_inverse)
        .excel_only()
        .examples(&[("=ROUND(NORM.S.INV(0.908789),7)", "1.3333347"), ("=NORM.S.INV(0)", "#NUM!")]),
    Function::scalar("NORMSINV", "probability", STANDARD_INVERSE, standard_normal_inverse)
        .examples(&[("=NORMSINV(0.5)", "0"), ("=ROUND(NORMSINV(0.975),6)", "1.959964")]),
    Function::scalar(
        "LOGNORM.DIST",
        "x, mean, deviation, cumulative",
        "The distribution of numbers whose logarithms are normal, or its density.",
        |_, arguments| log_normal(numbers(arguments)?, boolean(&arguments[3])?),
    )
    .excel_only()
    .examples(&[
        ("=ROUND(LOGNORM.DIST(4,3.5,1.2,TRUE),7)", "0.0390836"),
        ("=ROUND(LOGNORM.DIST(4,3.5,1.2,FALSE),7)", "0.0176176"),
    ]),
    Function::scalar(
        "LOGNORMDIST",
        "x, mean, deviation",
        "The distribution of numbers whose logarithms are normal.",
        |_, arguments| log_normal(numbers(arguments)?, true),
    )
    .examples(&[("=ROUND(LOGNORMDIST(4,3.5,1.2),7)", "0.0390836")]),
    Function::scalar("LOGNORM.INV", "probability, mean, deviation", LOG_NORMAL_INVERSE, log_normal_inverse)
        .excel_only()
        .examples(&[("=ROUND(LOGNORM.INV(0.039084,3.5,1.2),7)", "4.0000252")]),
    Function::scalar("LOGINV", "probability, mean, deviation", LOG_NORMAL_INVERSE, log_normal_inverse)
        .examples(&[("=ROUND(LOGINV(0.039084,3.5,1.2),7)", "4.0000252")]),
    Function::scalar(
        "GAUSS",
        "z",
        "The chance of lying between the mean and so many deviations above it.",
        |_, arguments| {
            let [z] = numbers(arguments)?;
            Ok(Value::number(0.5 * libm::erf(z * std::f64::consts::FRAC_1_SQRT_2)))
        },
    )
    .examples(&[("=ROUND(GAUSS(2),5)", "0.47725")]),
    Function::scalar("PHI", "z", "The density of the standard normal distribution.", |_, arguments| {
        Ok(Value::number(normal_density(numbers::<1>(arguments)?[0])))
    })
    .examples(&[("=ROUND(PHI(0.75),9)", "0.301137432")]),
    Function::scalar(
        "STANDARDIZE",
        "x, mean, deviation",
        "By how many deviations a number lies above the mean.",
        |_, arguments| {
            let [x, mean, deviation] = numbers(arguments)?;
            if deviation <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number((x - mean) / deviation)) }
        },
    )
    .examples(&[("=STANDARDIZE(42,40,1.5)", "1.33333333333333")]),
    Function::scalar("FISHER", "x", "Fisher's transformation of a correlation.", |_, arguments| {
        let [x] = numbers(arguments)?;
        if x.abs() >= 1.0 { Err(ErrorValue::Number) } else { Ok(Value::number(libm::atanh(x))) }
    })
    .examples(&[("=ROUND(FISHER(0.75),7)", "0.9729551"), ("=FISHER(1)", "#NUM!")]),
    Function::scalar("FISHERINV", "y", "The correlation of a Fisher transformation.", |_, arguments| {
        Ok(Value::number(libm::tanh(numbers::<1>(arguments)?[0])))
    })
    .examples(&[("=ROUND(FISHERINV(0.972955),6)", "0.75")]),
    Function::scalar("CONFIDENCE", "alpha, deviation, size", CONFIDENCE, confidence_normal)
        .examples(&[("=ROUND(CONFIDENCE(0.05,2.5,50),9)", "0.692951912")]),
    Function::scalar("CONFIDENCE.NORM", "alpha, deviation, size", CONFIDENCE, confidence_normal)
        .excel_only()
        .examples(&[("=ROUND(CONFIDENCE.NORM(0.05,2.5,50),9)", "0.692951912")]),
    Function::scalar(
        "CONFIDENCE.T",
        "alpha, deviation, size",
        "Half the width of the interval a mean lies in, by Student's distribution.",
        confidence_student,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(CONFIDENCE.T(0.05,1,50),9)", "0.284196855"),
        ("=CONFIDENCE.T(0.05,1,1)", "#DIV/0!"),
    ]),
];

const NORMAL: &str = "The normal distribution, or its density.";
const NORMAL_INVERSE: &str = "Where the normal distribution reaches a probability.";
const STANDARD_INVERSE: &str = "Where the standard normal distribution reaches a probability.";
const LOG_NORMAL_INVERSE: &str = "Where the logarithmic normal distribution reaches a probability.";
const CONFIDENCE: &str = "Half the width of the interval a mean lies in, by the normal distribution.";

fn normal(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, mean, deviation] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[3])?;
    if deviation <= 0.0 {
        return Err(ErrorValue::Number);
    }
    let z = (x - mean) / deviation;
    Ok(Value::number(if is_cumulative { normal_tails(z).lower } else { normal_density(z) / deviation }))
}

fn standard_normal(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [z] = numbers(arguments)?;
    Ok(Value::number(if boolean(&arguments[1])? { normal_tails(z).lower } else { normal_density(z) }))
}

fn normal_inverse_function(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, mean, deviation] = numbers(arguments)?;
    if deviation <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(mean + deviation * normal_inverse(check_probability(probability)?)))
}

fn standard_normal_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability] = numbers(arguments)?;
    Ok(Value::number(normal_inverse(check_probability(probability)?)))
}

fn log_normal([x, mean, deviation]: [f64; 3], is_cumulative: bool) -> ValueResult {
    if deviation <= 0.0 || x <= 0.0 {
        return Err(ErrorValue::Number);
    }
    let z = (libm::log(x) - mean) / deviation;
    Ok(Value::number(if is_cumulative { normal_tails(z).lower } else { normal_density(z) / (x * deviation) }))
}

fn log_normal_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, mean, deviation] = numbers(arguments)?;
    if deviation <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(libm::exp(mean + deviation * normal_inverse(check_probability(probability)?))))
}

fn confidence_arguments(arguments: &[Value]) -> Result<[f64; 3], ErrorValue> {
    let [alpha, deviation, size] = numbers(arguments)?;
    let size = size.trunc();
    if deviation <= 0.0 || size < 1.0 {
        return Err(ErrorValue::Number);
    }
    Ok([check_probability(alpha)?, deviation, size])
}

fn confidence_normal(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [alpha, deviation, size] = confidence_arguments(arguments)?;
    Ok(Value::number(-normal_inverse(alpha / 2.0) * deviation / size.sqrt()))
}

fn confidence_student(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [alpha, deviation, size] = confidence_arguments(arguments)?;
    if size == 1.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let quantile = student_inverse_two_tailed(alpha, size - 1.0).ok_or(ErrorValue::Number)?;
    Ok(Value::number(quantile * deviation / size.sqrt()))
}
