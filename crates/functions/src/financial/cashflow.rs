//! Cash flows of unequal payments: NPV, IRR, MIRR, XNPV, XIRR; and the root finder of the financial
//! functions.
//!
//! Described in ECMA-376 part 1, 18.17.7; the formulas are those of Excel's help for the functions.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{CountMode, OperandResult, collect_numbers, optional_number, values_by_row};
use crate::cancel::Cancel;
use crate::coerce::number;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::sum_of_terms;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "NPV",
        "rate, value1, [value2], …",
        "What payments at the ends of periods are worth now.",
        net_present_value,
    )
    .examples(&[("=ROUND(NPV(0.1,-10000,3000,4200,6800),2)", "1188.44")]),
    Function::whole(
        "IRR",
        "values, [guess]",
        "The rate at which payments are worth nothing now.",
        internal_rate,
    )
    .examples(&[
        ("=ROUND(IRR({-70000,12000,15000,18000,21000,26000}),4)", "0.0866"),
        ("=IRR({1,2})", "#NUM!"),
    ]),
    Function::whole(
        "MIRR",
        "values, finance_rate, reinvest_rate",
        "The yield with rates for what is paid and what is received.",
        modified_rate,
    )
    .examples(&[("=ROUND(MIRR({-120000,39000,30000,21000,37000,46000},0.1,0.12),4)", "0.1261")]),
    Function::whole(
        "XNPV",
        "rate, values, dates",
        "What payments on given days are worth on the first.",
        dated_present_value,
    )
    .examples(&[(
        "=ROUND(XNPV(0.09,{-10000,2750,4250,3250,2750},{39448,39508,39751,39859,39904}),2)",
        "2086.65",
    )]),
    Function::whole(
        "XIRR",
        "values, dates, [guess]",
        "The yearly rate at which payments on given days are worth nothing.",
        dated_rate,
    )
    .examples(&[("=ROUND(XIRR({-10000,2750,4250,3250,2750},{39448,39508,39751,39859,39904}),4)", "0.3734")]),
];

/// Finds a root of a function of a rate near a guess, by the secant method; if that fails, by
/// bisection of fixed intervals.
///
/// Fails with `#VALUE!` for a guess of -100 % or less, and with `#NUM!` when no root is found.
pub(crate) fn root(guess: f64, function: impl Fn(f64) -> f64) -> Result<f64, ErrorValue> {
    const STEPS_MAX: usize = 128;
    const PRECISION: f64 = 1e-14;
    if guess <= -1.0 {
        return Err(ErrorValue::Value);
    }
    let (mut a, mut b) = (guess, guess + 0.01);
    let (mut at_a, mut at_b) = (function(a), function(b));
    for _ in 0..STEPS_MAX {
        if at_b == 0.0 {
            return Ok(b);
        }
        if at_a == at_b {
            break;
        }
        let mut next = b - at_b * (b - a) / (at_b - at_a);
        // Rates of -100 % and below are invalid: go half the way.
        if next <= -1.0 || !next.is_finite() {
            next = (b - 1.0) / 2.0;
        }
        if (next - b).abs() <= PRECISION * next.abs().max(1.0) {
            return Ok(next);
        }
        (a, at_a) = (b, at_b);
        (b, at_b) = (next, function(next));
        if !at_b.is_finite() {
            break;
        }
    }
    enclosed_root(function)
}

/// Bisects the first of some intervals with different signs at its ends.
fn enclosed_root(function: impl Fn(f64) -> f64) -> Result<f64, ErrorValue> {
    const RATES: [f64; 14] =
        [-0.999, -0.9, -0.75, -0.5, -0.25, -0.1, 0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 10.0, 100.0];
    for pair in RATES.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let at_low = function(low);
        if at_low == 0.0 {
            return Ok(low);
        }
        if (at_low < 0.0) == (function(high) < 0.0) {
            continue;
        }
        for _ in 0..200 {
            let middle = low + (high - low) / 2.0;
            if (function(middle) < 0.0) == (at_low < 0.0) { low = middle } else { high = middle }
        }
        return Ok(low);
    }
    Err(ErrorValue::Number)
}

/// Steps charged for a power, relative to reading a number.
const POWER_STEPS: u64 = 8;

fn present_value(cancel: &Cancel, rate: f64, values: &[f64], first_period: i32) -> f64 {
    let growth = 1.0 + rate;
    let terms = values.iter().zip(first_period..).filter(|(value, _)| **value != 0.0);
    let terms = terms.map(|(value, period)| value / libm::pow(growth, f64::from(period)));
    sum_of_terms(cancel, POWER_STEPS, terms)
}

fn net_present_value(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let rate = optional_number(arguments, 0, 0.0)?;
    let values = collect_numbers(context, &arguments[1..], CountMode::Numbers)?;
    if rate == -1.0 {
        return Err(ErrorValue::DivideByZero);
    }
    context.budget.charge(values.len() as u64 * POWER_STEPS)?;
    Ok(present_value(&context.budget.cancel, rate, &values, 1).into())
}

/// Fails with `#NUM!` unless there are both positive and negative values.
fn check_signs(values: &[f64]) -> Result<(), ErrorValue> {
    let flows = values.iter().any(|value| *value > 0.0) && values.iter().any(|value| *value < 0.0);
    if flows { Ok(()) } else { Err(ErrorValue::Number) }
}

fn internal_rate(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let values = collect_numbers(context, &arguments[..1], CountMode::Numbers)?;
    check_signs(&values)?;
    context.budget.charge(values.len() as u64 * 64)?;
    let cancel = &context.budget.cancel;
    let rate = root(optional_number(arguments, 1, 0.1)?, |rate| present_value(cancel, rate, &values, 0))?;
    Ok(rate.into())
}

fn modified_rate(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let values = collect_numbers(context, &arguments[..1], CountMode::Numbers)?;
    let (finance, reinvest) = (optional_number(arguments, 1, 0.0)?, optional_number(arguments, 2, 0.0)?);
    let part = |is_wanted: fn(f64) -> bool| -> Vec<f64> {
        values.iter().map(|value| if is_wanted(*value) { *value } else { 0.0 }).collect()
    };
    context.budget.charge(values.len() as u64 * 2 * POWER_STEPS)?;
    let cancel = &context.budget.cancel;
    let paid = present_value(cancel, finance, &part(|value| value < 0.0), 0);
    let periods = values.len() as f64 - 1.0;
    let received =
        present_value(cancel, reinvest, &part(|value| value > 0.0), 0) * libm::pow(1.0 + reinvest, periods);
    if paid == 0.0 || periods < 1.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok((libm::pow(-received / paid, 1.0 / periods) - 1.0).into())
}

/// Returns the values with the years since the first date.
fn dated_values(
    context: &mut CallContext,
    values: &Operand,
    dates: &Operand,
) -> Result<Vec<(f64, f64)>, ErrorValue> {
    let numbers = |context: &mut CallContext, operand: &Operand| -> Result<Vec<f64>, ErrorValue> {
        values_by_row(context, operand)?.iter().map(number).collect()
    };
    let (values, dates) = (numbers(context, values)?, numbers(context, dates)?);
    if values.len() != dates.len() || values.is_empty() {
        return Err(ErrorValue::Number);
    }
    let first = dates[0].floor();
    if dates.iter().any(|date| date.floor() < first) {
        return Err(ErrorValue::Number);
    }
    Ok(values.into_iter().zip(dates).map(|(value, date)| (value, (date.floor() - first) / 365.0)).collect())
}

fn dated_sum(cancel: &Cancel, rate: f64, values: &[(f64, f64)]) -> f64 {
    let terms = values.iter().map(|(value, years)| value / libm::pow(1.0 + rate, *years));
    sum_of_terms(cancel, POWER_STEPS, terms)
}

fn dated_present_value(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let rate = optional_number(arguments, 0, 0.0)?;
    // Excel rejects negative rates here, although XIRR returns them.
    if rate < 0.0 {
        return Err(ErrorValue::Number);
    }
    let values = dated_values(context, &arguments[1], &arguments[2])?;
    Ok(Operand::Value(Value::number(dated_sum(&context.budget.cancel, rate, &values))))
}

fn dated_rate(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let values = dated_values(context, &arguments[0], &arguments[1])?;
    check_signs(&values.iter().map(|(value, _)| *value).collect::<Vec<_>>())?;
    context.budget.charge(values.len() as u64 * 64)?;
    let cancel = &context.budget.cancel;
    Ok(root(optional_number(arguments, 2, 0.1)?, |rate| dated_sum(cancel, rate, &values))?.into())
}
