//! Correlation, covariance and simple linear regression: CORREL, COVARIANCE.P, SLOPE, INTERCEPT,
//! FORECAST, STEYX etc. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::ErrorValue;

use crate::arguments::{OperandResult, optional_number};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::{number_pairs, sum_all};
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("CORREL", "array1, array2", "The correlation of two arrays.", correlation)
        .examples(&[("=CORREL({1,2,3},{2,4,6})", "1"), ("=CORREL({1,1},{1,2})", "#DIV/0!")]),
    Function::whole("PEARSON", "array1, array2", "The correlation of two arrays.", correlation)
        .examples(&[("=PEARSON({1,2,3},{6,4,2})", "-1")]),
    Function::whole("RSQ", "known_ys, known_xs", "The square of the correlation.", correlation_squared)
        .examples(&[("=RSQ({1,2,3},{6,4,2})", "1")]),
    Function::whole("COVARIANCE.P", "array1, array2", "The covariance of a population.", covariance_all)
        .examples(&[("=COVARIANCE.P({1,2,3},{1,2,3})", "0.666666666666667")]),
    Function::whole("COVAR", "array1, array2", "The covariance of a population.", covariance_all)
        .examples(&[("=COVAR({1,3},{1,3})", "1")]),
    Function::whole("COVARIANCE.S", "array1, array2", "The covariance of a sample.", covariance_sample)
        .examples(&[("=COVARIANCE.S({1,2,3},{1,2,3})", "1")]),
    Function::whole("SLOPE", "known_ys, known_xs", "The slope of the line of best fit.", slope)
        .examples(&[("=SLOPE({2,4,6},{1,2,3})", "2")]),
    Function::whole(
        "INTERCEPT",
        "known_ys, known_xs",
        "Where the line of best fit meets the y axis.",
        intercept,
    )
    .examples(&[("=INTERCEPT({3,5,7},{1,2,3})", "1")]),
    Function::whole("FORECAST", "x, known_ys, known_xs", "The y of the line of best fit at x.", forecast)
        .lifts(&[0])
        .examples(&[("=FORECAST(4,{3,5,7},{1,2,3})", "9")]),
    Function::whole(
        "FORECAST.LINEAR",
        "x, known_ys, known_xs",
        "The y of the line of best fit at x.",
        forecast,
    )
    .lifts(&[0])
    .examples(&[("=FORECAST.LINEAR(4,{3,5,7},{1,2,3})", "9")]),
    Function::whole(
        "STEYX",
        "known_ys, known_xs",
        "The standard error of the line of best fit.",
        standard_error,
    )
    .examples(&[("=STEYX({2,4,6},{1,2,3})", "0")]),
];

/// Means, and sums of products of the deviations from them.
struct Moments {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Moments {
    fn new(context: &mut CallContext, xs: &Operand, ys: &Operand) -> Result<Moments, ErrorValue> {
        let pairs = number_pairs(context, xs, ys)?;
        if pairs.is_empty() {
            return Err(ErrorValue::DivideByZero);
        }
        let count = pairs.len() as f64;
        let mean_x = sum_all(pairs.iter().map(|(x, _)| *x)) / count;
        let mean_y = sum_all(pairs.iter().map(|(_, y)| *y)) / count;
        let sum =
            |term: fn(f64, f64) -> f64| sum_all(pairs.iter().map(|(x, y)| term(x - mean_x, y - mean_y)));
        Ok(Moments {
            count,
            mean_x,
            mean_y,
            xx: sum(|x, _| x * x),
            yy: sum(|_, y| y * y),
            xy: sum(|x, y| x * y),
        })
    }

    fn slope(&self) -> Result<f64, ErrorValue> {
        divide(self.xy, self.xx)
    }
}

fn divide(numerator: f64, denominator: f64) -> Result<f64, ErrorValue> {
    if denominator == 0.0 { Err(ErrorValue::DivideByZero) } else { Ok(numerator / denominator) }
}

fn correlation(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[0], &arguments[1])?;
    Ok(divide(moments.xy, (moments.xx * moments.yy).sqrt())?.into())
}

fn correlation_squared(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[1], &arguments[0])?;
    Ok(divide(moments.xy * moments.xy, moments.xx * moments.yy)?.into())
}

fn covariance_all(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[0], &arguments[1])?;
    Ok((moments.xy / moments.count).into())
}

fn covariance_sample(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[0], &arguments[1])?;
    Ok(divide(moments.xy, moments.count - 1.0)?.into())
}

fn slope(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(Moments::new(context, &arguments[1], &arguments[0])?.slope()?.into())
}

fn intercept(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[1], &arguments[0])?;
    Ok((moments.mean_y - moments.slope()? * moments.mean_x).into())
}

fn forecast(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let x = optional_number(arguments, 0, 0.0)?;
    let moments = Moments::new(context, &arguments[2], &arguments[1])?;
    Ok((moments.mean_y + moments.slope()? * (x - moments.mean_x)).into())
}

fn standard_error(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let moments = Moments::new(context, &arguments[1], &arguments[0])?;
    if moments.count < 3.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let rest = moments.yy - divide(moments.xy * moments.xy, moments.xx)?;
    Ok((rest.max(0.0) / (moments.count - 2.0)).sqrt().into())
}
