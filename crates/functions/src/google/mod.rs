//! Functions of Google Sheets that Excel does not have, described in Google's help.
//!
//! Google's names for operators (ADD, EQ, LT etc.) are not supported: they are rarely used and
//! would shadow names of LET and of the workbook.

mod validation_and_conversion;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, boolean_or, integer_or, numbers, optional_integer, view};
use crate::array::shape::select;
use crate::compare::compare;
use crate::context::CallContext;
use crate::dates::displayed_serial;
use crate::function::Function;
use crate::mathematics::summation::{number_pairs, sum_all};
use crate::operands::Operand;

pub(crate) use validation_and_conversion::FUNCTIONS as VALIDATION_AND_CONVERSION;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "ISBETWEEN",
        "value, low, high, [low_included], [high_included]",
        "Whether a value lies between two others.",
        is_between,
    )
    .examples(&[("=ISBETWEEN(7.9,1.2,12.3)", "TRUE"), ("=ISBETWEEN(1,1,2,FALSE)", "FALSE")]),
    Function::whole(
        "AVERAGE.WEIGHTED",
        "values, weights",
        "The mean of values that count by their weights.",
        weighted_average,
    )
    .examples(&[("=AVERAGE.WEIGHTED({1,4},{2,1})", "2"), ("=AVERAGE.WEIGHTED({1},{0})", "#DIV/0!")]),
    Function::whole("ARRAYFORMULA", "array", "The array itself: every formula may yield one.", array_formula)
        .examples(&[("=SUM(ARRAYFORMULA({1,2,3}*2))", "12")]),
    Function::scalar(
        "EPOCHTODATE",
        "timestamp, [unit]",
        "The date and time of a Unix time in seconds (1), milliseconds (2) or microseconds (3).",
        epoch_to_date,
    )
    .examples(&[
        ("=EPOCHTODATE(1655906568)", "44734.5852777778"),
        ("=EPOCHTODATE(0,2)", "25569"),
        ("=EPOCHTODATE(-1)", "#NUM!"),
    ]),
    Function::whole(
        "ARRAY_CONSTRAIN",
        "array, rows, columns",
        "The first rows and columns of an array.",
        constrain,
    )
    .examples(&[("=SUM(ARRAY_CONSTRAIN({1,2,3;4,5,6},1,2))", "3")]),
];

fn is_between(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (with_low, with_high) = (boolean_or(arguments, 3, true)?, boolean_or(arguments, 4, true)?);
    let from_low = compare(&arguments[0], &arguments[1])?;
    let from_high = compare(&arguments[0], &arguments[2])?;
    let is_above = from_low.is_gt() || with_low && from_low.is_eq();
    Ok(Value::Boolean(is_above && (from_high.is_lt() || with_high && from_high.is_eq())))
}

fn weighted_average(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let pairs = number_pairs(context, &arguments[0], &arguments[1])?;
    if pairs.iter().any(|(_, weight)| *weight < 0.0) {
        return Err(ErrorValue::Value);
    }
    let weights = sum_all(pairs.iter().map(|(_, weight)| *weight));
    if weights == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok((sum_all(pairs.iter().map(|(value, weight)| value * weight)) / weights).into())
}

fn array_formula(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    match &arguments[0] {
        Operand::Range(range) if range.areas.len() == 1 => {
            Ok(Operand::Reference(range.areas[0].sheet, range.areas[0].range))
        }
        Operand::Array(array) => Ok(Operand::Array(array.clone())),
        operand => Ok(Operand::Value(operand.single().ok_or(ErrorValue::Value)?)),
    }
}

fn epoch_to_date(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    const DAY_SECONDS: f64 = 86_400.0;
    /// Serial number of 1970-01-01 in the 1900 date system.
    const FIRST_DAY: f64 = 25_569.0;
    let [timestamp] = numbers(arguments)?;
    let per_second = match integer_or(arguments, 1, 1)? {
        1 => 1.0,
        2 => 1e3,
        3 => 1e6,
        _ => return Err(ErrorValue::Number),
    };
    if timestamp < 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(displayed_serial(FIRST_DAY) + timestamp / per_second / DAY_SECONDS))
}

fn constrain(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    let (rows, columns) = (optional_integer(arguments, 1, 0)?, optional_integer(arguments, 2, 0)?);
    if rows < 1 || columns < 1 {
        return Err(ErrorValue::Value);
    }
    let first = |count: i64, length: u32| (0..count.min(i64::from(length)) as u32).collect::<Vec<u32>>();
    select(context, source, &first(rows, source.rows()), &first(columns, source.columns()))
}
