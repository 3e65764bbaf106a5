//! The gamma function, and the gamma, chi-squared, exponential and Weibull distributions. Described
//! in ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.18.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, numbers};
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::special::{gamma_tails, inverse};

use super::probability::check_probability;
use super::student_t::{degrees_of_freedom, or_num_error};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("GAMMA", "number", "The gamma function.", gamma).examples(&[
        ("=ROUND(GAMMA(2.5),9)", "1.329340388"),
        ("=ROUND(GAMMA(-3.75),9)", "0.267866129"),
        ("=GAMMA(0)", "#NUM!"),
    ]),
    Function::scalar("GAMMALN", "number", "The logarithm of the gamma function.", ln_gamma)
        .examples(&[("=ROUND(GAMMALN(4),9)", "1.791759469"), ("=GAMMALN(0)", "#NUM!")]),
    Function::scalar("GAMMALN.PRECISE", "number", "The logarithm of the gamma function.", ln_gamma)
        .excel_only()
        .examples(&[("=ROUND(GAMMALN.PRECISE(4.5),8)", "2.45373657")]),
    Function::scalar("GAMMA.DIST", "x, alpha, beta, cumulative", GAMMA, gamma_distribution)
        .excel_only()
        .examples(&[
            ("=ROUND(GAMMA.DIST(10.00001131,9,2,TRUE),6)", "0.068094"),
            ("=ROUND(GAMMA.DIST(10.00001131,9,2,FALSE),8)", "0.03263913"),
        ]),
    Function::scalar("GAMMADIST", "x, alpha, beta, cumulative", GAMMA, gamma_distribution)
        .examples(&[("=ROUND(GAMMADIST(10.00001131,9,2,TRUE),6)", "0.068094")]),
    Function::scalar("GAMMA.INV", "probability, alpha, beta", GAMMA_INVERSE, gamma_inverse)
        .excel_only()
        .examples(&[("=ROUND(GAMMA.INV(0.068094,9,2),6)", "10.000011")]),
    Function::scalar("GAMMAINV", "probability, alpha, beta", GAMMA_INVERSE, gamma_inverse)
        .examples(&[("=ROUND(GAMMAINV(0.068094,9,2),6)", "10.000011")]),
    Function::scalar(
        "CHISQ.DIST",
        "x, degrees_of_freedom, cumulative",
        "The chi squared distribution, or its density.",
        chi_squared,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(CHISQ.DIST(0.5,1,TRUE),8)", "0.52049988"),
        ("=ROUND(CHISQ.DIST(2,3,FALSE),8)", "0.20755375"),
    ]),
    Function::scalar("CHISQ.DIST.RT", "x, degrees_of_freedom", CHI_RIGHT, chi_squared_right)
        .excel_only()
        .examples(&[("=ROUND(CHISQ.DIST.RT(18.307,10),7)", "0.0500006")]),
    Function::scalar("CHIDIST", "x, degrees_of_freedom", CHI_RIGHT, chi_squared_right)
        .examples(&[("=ROUND(CHIDIST(18.307,10),7)", "0.0500006"), ("=CHIDIST(-1,10)", "#NUM!")]),
    Function::scalar(
        "CHISQ.INV",
        "probability, degrees_of_freedom",
        "Where the chi squared distribution reaches a probability.",
        chi_squared_inverse,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(CHISQ.INV(0.93,1),9)", "3.283020287"),
        ("=ROUND(CHISQ.INV(0.6,2),9)", "1.832581464"),
    ]),
    Function::scalar(
        "CHISQ.INV.RT",
        "probability, degrees_of_freedom",
        CHI_INVERSE_RIGHT,
        chi_squared_inverse_right,
    )
    .excel_only()
    .examples(&[("=ROUND(CHISQ.INV.RT(0.050001,10),6)", "18.306973")]),
    Function::scalar(
        "CHIINV",
        "probability, degrees_of_freedom",
        CHI_INVERSE_RIGHT,
        chi_squared_inverse_right,
    )
    .examples(&[("=ROUND(CHIINV(0.050001,10),6)", "18.306973")]),
    Function::scalar("EXPON.DIST", "x, lambda, cumulative", EXPONENTIAL, exponential).excel_only().examples(
        &[
            ("=ROUND(EXPON.DIST(0.2,10,TRUE),8)", "0.86466472"),
            ("=ROUND(EXPON.DIST(0.2,10,FALSE),8)", "1.35335283"),
        ],
    ),
    Function::scalar("EXPONDIST", "x, lambda, cumulative", EXPONENTIAL, exponential)
        .examples(&[("=ROUND(EXPONDIST(0.2,10,TRUE),8)", "0.86466472")]),
    Function::scalar("WEIBULL.DIST", "x, alpha, beta, cumulative", WEIBULL, weibull).excel_only().examples(
        &[
            ("=ROUND(WEIBULL.DIST(105,20,100,TRUE),6)", "0.929581"),
            ("=ROUND(WEIBULL.DIST(105,20,100,FALSE),6)", "0.035589"),
        ],
    ),
    Function::scalar("WEIBULL", "x, alpha, beta, cumulative", WEIBULL, weibull)
        .examples(&[("=ROUND(WEIBULL(105,20,100,TRUE),6)", "0.929581")]),
];

const GAMMA: &str = "The gamma distribution, or its density.";
const GAMMA_INVERSE: &str = "Where the gamma distribution reaches a probability.";
const CHI_RIGHT: &str = "The chance of a larger number under the chi squared distribution.";
const CHI_INVERSE_RIGHT: &str =
    "The value that is exceeded with a probability under the chi squared distribution.";
const EXPONENTIAL: &str = "The distribution of the time until the next event, or its density.";
const WEIBULL: &str = "The Weibull distribution of lifetimes, or its density.";

fn gamma(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [number] = numbers(arguments)?;
    if number <= 0.0 && number == number.trunc() {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(libm::tgamma(number)))
}

fn ln_gamma(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [number] = numbers(arguments)?;
    if number <= 0.0 { Err(ErrorValue::Number) } else { Ok(Value::number(libm::lgamma(number))) }
}

fn gamma_density(x: f64, alpha: f64, beta: f64) -> ValueResult {
    if x == 0.0 {
        // The density at 0 is infinite, 1/beta or zero.
        return match alpha {
            alpha if alpha < 1.0 => Err(ErrorValue::Number),
            1.0 => Ok(Value::number(1.0 / beta)),
            _ => Ok(Value::number(0.0)),
        };
    }
    let scaled = x / beta;
    let exponent = (alpha - 1.0) * libm::log(scaled) - scaled - libm::lgamma(alpha);
    Ok(Value::number(libm::exp(exponent) / beta))
}

fn gamma_distribution(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, alpha, beta] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[3])?;
    if x < 0.0 || alpha <= 0.0 || beta <= 0.0 {
        return Err(ErrorValue::Number);
    }
    if is_cumulative {
        or_num_error(gamma_tails(alpha, x / beta).map(|tails| tails.lower))
    } else {
        gamma_density(x, alpha, beta)
    }
}

fn gamma_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, alpha, beta] = numbers(arguments)?;
    if alpha <= 0.0 || beta <= 0.0 {
        return Err(ErrorValue::Number);
    }
    if probability == 0.0 {
        return Ok(Value::number(0.0));
    }
    let probability = check_probability(probability)?;
    let x = inverse(probability, 0.0, f64::INFINITY, |x| Some(gamma_tails(alpha, x)?.lower));
    or_num_error(x.map(|x| x * beta))
}

fn chi_squared(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, freedom] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[2])?;
    let freedom = degrees_of_freedom(freedom)?;
    if x < 0.0 {
        return Err(ErrorValue::Number);
    }
    if is_cumulative {
        or_num_error(gamma_tails(freedom / 2.0, x / 2.0).map(|tails| tails.lower))
    } else {
        gamma_density(x, freedom / 2.0, 2.0)
    }
}

/// Returns the upper tail of the chi-squared distribution.
pub(super) fn chi_squared_upper_tail(x: f64, freedom: f64) -> Option<f64> {
    Some(gamma_tails(freedom / 2.0, x / 2.0)?.upper)
}

fn chi_squared_right(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, freedom] = numbers(arguments)?;
    let freedom = degrees_of_freedom(freedom)?;
    if x < 0.0 {
        return Err(ErrorValue::Number);
    }
    or_num_error(chi_squared_upper_tail(x, freedom))
}

fn chi_squared_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, freedom] = numbers(arguments)?;
    let freedom = degrees_of_freedom(freedom)?;
    if probability == 0.0 {
        return Ok(Value::number(0.0));
    }
    let probability = check_probability(probability)?;
    let half = inverse(probability, 0.0, f64::INFINITY, |x| Some(gamma_tails(freedom / 2.0, x)?.lower));
    or_num_error(half.map(|half| 2.0 * half))
}

fn chi_squared_inverse_right(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [probability, freedom] = numbers(arguments)?;
    let freedom = degrees_of_freedom(freedom)?;
    if probability == 1.0 {
        return Ok(Value::number(0.0));
    }
    let probability = check_probability(probability)?;
    let half = inverse(-probability, 0.0, f64::INFINITY, |x| Some(-gamma_tails(freedom / 2.0, x)?.upper));
    or_num_error(half.map(|half| 2.0 * half))
}

fn exponential(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, lambda] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[2])?;
    if x < 0.0 || lambda <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(match is_cumulative {
        true => -libm::expm1(-lambda * x),
        false => lambda * libm::exp(-lambda * x),
    }))
}

fn weibull(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [x, alpha, beta] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[3])?;
    if x < 0.0 || alpha <= 0.0 || beta <= 0.0 {
        return Err(ErrorValue::Number);
    }
    let power = libm::pow(x / beta, alpha);
    Ok(Value::number(match is_cumulative {
        true => -libm::expm1(-power),
        false => alpha / beta * libm::pow(x / beta, alpha - 1.0) * libm::exp(-power),
    }))
}
