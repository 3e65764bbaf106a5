//! Hypothesis tests: Z.TEST, T.TEST, F.TEST, CHISQ.TEST. Described in ECMA-376 part 1, 18.17.7 (by
//! their former names), and Excel's help.

use quadrille_cell::ErrorValue;

use crate::arguments::{
    CountMode, OperandResult, collect_numbers, optional, optional_integer, optional_number, view,
};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::special::normal_tails;
use crate::mathematics::summation::{number_pairs, sum_all};
use crate::operands::Operand;

use super::gamma::chi_squared_upper_tail;
use super::student_t::{fisher_tails, student_tails};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("Z.TEST", "array, x, [deviation]", Z, z_test).excel_only().examples(&[
        ("=ROUND(Z.TEST({3,6,7,8,6,5,4,2,1,9},4),6)", "0.090574"),
        ("=ROUND(Z.TEST({3,6,7,8,6,5,4,2,1,9},6),6)", "0.863043"),
    ]),
    Function::whole("ZTEST", "array, x, [deviation]", Z, z_test)
        .examples(&[("=ROUND(ZTEST({3,6,7,8,6,5,4,2,1,9},4),6)", "0.090574")]),
    Function::whole("T.TEST", "array1, array2, tails, type", T, t_test).excel_only().examples(&[
        ("=ROUND(T.TEST({3,4,5,8,9,1,2,4,5},{6,19,3,2,14,4,5,17,1},2,1),6)", "0.196016"),
        ("=T.TEST({1,2},{1,2},3,1)", "#NUM!"),
    ]),
    Function::whole("TTEST", "array1, array2, tails, type", T, t_test)
        .examples(&[("=ROUND(TTEST({3,4,5,8,9,1,2,4,5},{6,19,3,2,14,4,5,17,1},2,1),6)", "0.196016")]),
    Function::whole("F.TEST", "array1, array2", F, f_test)
        .excel_only()
        .examples(&[("=ROUND(F.TEST({6,7,9,15,21},{20,28,31,38,40}),8)", "0.64831785")]),
    Function::whole("FTEST", "array1, array2", F, f_test)
        .examples(&[("=ROUND(FTEST({6,7,9,15,21},{20,28,31,38,40}),8)", "0.64831785")]),
    Function::whole("CHISQ.TEST", "actual, expected", CHI, chi_test).excel_only().examples(&[(
        "=ROUND(CHISQ.TEST({58,35;11,25;10,23},{45.35,47.65;17.56,18.44;16.09,16.91}),7)",
        "0.0003082",
    )]),
    Function::whole("CHITEST", "actual, expected", CHI, chi_test)
        .examples(&[("=CHITEST({1,2},{1,2,3})", "#N/A")]),
];

const Z: &str = "The chance that a sample's mean is larger than it is, by the normal distribution.";
const T: &str = "The chance that two samples differ as they do though their means are equal.";
const F: &str = "The chance that two samples' variances differ as they do though they are equal.";
const CHI: &str = "The chance that counts differ from what is expected as they do.";

/// Count, mean and variance of a sample.
struct Sample {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Sample {
    fn new(numbers: &[f64]) -> Result<Sample, ErrorValue> {
        let count = numbers.len() as f64;
        if count < 2.0 {
            return Err(ErrorValue::DivideByZero);
        }
        let mean = sum_all(numbers.iter().copied()) / count;
        let squares = sum_all(numbers.iter().map(|number| (number - mean) * (number - mean)));
        Ok(Sample { count, mean, variance: squares / (count - 1.0) })
    }

    fn read(context: &mut CallContext, operand: &Operand) -> Result<Sample, ErrorValue> {
        Sample::new(&collect_numbers(context, std::slice::from_ref(operand), CountMode::Numbers)?)
    }
}

fn z_test(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, &arguments[..1], CountMode::Numbers)?;
    if numbers.is_empty() {
        return Err(ErrorValue::NotAvailable);
    }
    let x = optional_number(arguments, 1, 0.0)?;
    let count = numbers.len() as f64;
    let mean = sum_all(numbers.iter().copied()) / count;
    let deviation = match optional(arguments, 2) {
        Some(_) => optional_number(arguments, 2, 0.0)?,
        None => Sample::new(&numbers)?.variance.sqrt(),
    };
    if deviation == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    if deviation < 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(normal_tails((mean - x) / (deviation / count.sqrt())).upper.into())
}

fn t_test(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let sides = optional_integer(arguments, 2, 0)?;
    if !(1..=2).contains(&sides) {
        return Err(ErrorValue::Number);
    }
    let (difference, square_error, degrees) = match optional_integer(arguments, 3, 0)? {
        1 => {
            let pairs = number_pairs(context, &arguments[0], &arguments[1])?;
            let differences: Vec<f64> = pairs.into_iter().map(|(a, b)| a - b).collect();
            let sample = Sample::new(&differences)?;
            (sample.mean, sample.variance / sample.count, sample.count - 1.0)
        }
        kind @ 2..=3 => {
            let (a, b) = (Sample::read(context, &arguments[0])?, Sample::read(context, &arguments[1])?);
            let (share_a, share_b) = (a.variance / a.count, b.variance / b.count);
            if kind == 2 {
                let degrees = a.count + b.count - 2.0;
                let pooled = (a.variance * (a.count - 1.0) + b.variance * (b.count - 1.0)) / degrees;
                (a.mean - b.mean, pooled * (1.0 / a.count + 1.0 / b.count), degrees)
            } else {
                // Welch's test; the Welch-Satterthwaite degrees of freedom are not rounded.
                let sum = share_a + share_b;
                let parts = share_a * share_a / (a.count - 1.0) + share_b * share_b / (b.count - 1.0);
                (a.mean - b.mean, sum, sum * sum / parts)
            }
        }
        _ => return Err(ErrorValue::Number),
    };
    if square_error == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let tails = student_tails(difference.abs() / square_error.sqrt(), degrees).ok_or(ErrorValue::Number)?;
    Ok((tails.upper * sides as f64).into())
}

fn f_test(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (a, b) = (Sample::read(context, &arguments[0])?, Sample::read(context, &arguments[1])?);
    if a.variance == 0.0 || b.variance == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let tails =
        fisher_tails(a.variance / b.variance, a.count - 1.0, b.count - 1.0).ok_or(ErrorValue::Number)?;
    Ok((2.0 * tails.lower.min(tails.upper)).into())
}

fn chi_test(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (actual, expected) = (view(&arguments[0])?, view(&arguments[1])?);
    let (rows, columns) = (actual.rows(), actual.columns());
    if (rows, columns) != (expected.rows(), expected.columns()) || rows == 1 && columns == 1 {
        return Err(ErrorValue::NotAvailable);
    }
    let pairs = number_pairs(context, &arguments[0], &arguments[1])?;
    if pairs.iter().any(|(_, expected)| *expected == 0.0) {
        return Err(ErrorValue::DivideByZero);
    }
    if pairs.iter().any(|(actual, expected)| *actual < 0.0 || *expected < 0.0) {
        return Err(ErrorValue::Number);
    }
    let sum =
        sum_all(pairs.iter().map(|(actual, expected)| (actual - expected) * (actual - expected) / expected));
    let (rows, columns) = (f64::from(rows), f64::from(columns));
    let degrees =
        if rows > 1.0 && columns > 1.0 { (rows - 1.0) * (columns - 1.0) } else { rows * columns - 1.0 };
    Ok(chi_squared_upper_tail(sum, degrees).ok_or(ErrorValue::Number)?.into())
}
