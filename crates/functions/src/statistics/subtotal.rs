//! SUBTOTAL and AGGREGATE. Described in Excel's help, SUBTOTAL also in ECMA-376 part 1, 18.17.7.
//!
//! The cells that they exclude, hidden rows and other subtotals, are already blank in their
//! operands: the evaluator knows which rows are hidden.

use quadrille_cell::{Array, ErrorValue, Value};

use super::{averages, counting, dispersion};
use crate::arguments::{CountMode, OperandResult, collect_numbers, optional_integer, values_by_row};
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::summation::sum_and_count;
use crate::operands::Operand;
use crate::statistics::aggregates::aggregate_function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "AGGREGATE",
        "function_number, options, range1, [range2], …",
        "One of nineteen functions, chosen by number; options 0 to 3 leave out other subtotals, 1, 3, 5 and 7 hidden rows, 2, 3, 6 and 7 errors.",
        aggregate,
    )
    .excel_only()
    .examples(&[
        ("=AGGREGATE(9,6,{1,#N/A,3})", "4"),
        ("=AGGREGATE(14,6,{5,#N/A,3},2)", "3"),
        ("=AGGREGATE(9,4,{1,#N/A})", "#N/A"),
        ("=AGGREGATE(20,4,{1})", "#VALUE!"),
    ]),
    Function::whole(
        "SUBTOTAL",
        "function_number, range1, [range2], …",
        "Average, count, sum or another of eleven functions, chosen by number; leaves out other subtotals and rows that a filter hides, from 101 on also rows hidden by hand.",
        subtotal,
    )
    .examples(&[
        ("=SUBTOTAL(9,{1,2,3})", "6"),
        ("=SUBTOTAL(101,{1,2,3})", "2"),
        ("=SUBTOTAL(12,{1})", "#VALUE!"),
    ]),
];

/// Functions by one-based number; those from 14 on take a second argument.
const AGGREGATES: [&str; 19] = [
    "AVERAGE",
    "COUNT",
    "COUNTA",
    "MAX",
    "MIN",
    "PRODUCT",
    "STDEV.S",
    "STDEV.P",
    "SUM",
    "VAR.S",
    "VAR.P",
    "MEDIAN",
    "MODE.SNGL",
    "LARGE",
    "SMALL",
    "PERCENTILE.INC",
    "QUARTILE.INC",
    "PERCENTILE.EXC",
    "QUARTILE.EXC",
];

fn aggregate(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let number = optional_integer(arguments, 0, 0)?;
    let options = optional_integer(arguments, 1, 0)?;
    if !(1..=19).contains(&number) || !(0..=7).contains(&options) {
        return Err(ErrorValue::Value);
    }
    let function = aggregate_function(AGGREGATES[number as usize - 1]);
    let ranges = &arguments[2..];
    reject_3d_references(ranges)?;
    if number >= 14 && ranges.len() != 2 {
        return Err(ErrorValue::Value);
    }
    if !matches!(options, 2 | 3 | 6 | 7) {
        return Ok(function.call(context, ranges));
    }
    let count = if number >= 14 { 1 } else { ranges.len() };
    let mut operands = Vec::new();
    for range in &ranges[..count] {
        let mut values = values_by_row(context, range)?;
        context.budget.charge_cells(values.len() as u64)?;
        values.retain(|value| !matches!(value, Value::Error(_)));
        // There are no empty arrays; a blank cell is ignored.
        let values = if values.is_empty() { vec![Value::Blank] } else { values };
        operands
            .push(Operand::Array(Array::new(values.len() as u32, 1, values).ok_or(ErrorValue::Calculation)?));
    }
    operands.extend(ranges[count..].iter().cloned());
    Ok(function.call(context, &operands))
}

fn subtotal(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let ranges = &arguments[1..];
    reject_3d_references(ranges)?;
    let number = optional_integer(arguments, 0, 0)?;
    match if number > 100 { number - 100 } else { number } {
        1 => averages::average(context, ranges),
        2 => counting::count(context, ranges),
        3 => counting::count_a(context, ranges),
        4 => averages::max(context, ranges),
        5 => averages::min(context, ranges),
        6 => {
            let numbers = collect_numbers(context, ranges, CountMode::Numbers)?;
            Ok(if numbers.is_empty() { 0.0 } else { numbers.iter().product() }.into())
        }
        7 => dispersion::deviation_sample(context, ranges),
        8 => dispersion::deviation_all(context, ranges),
        9 => Ok(sum_and_count(context, ranges)?.0.into()),
        10 => dispersion::variance_sample(context, ranges),
        11 => dispersion::variance_all(context, ranges),
        _ => Err(ErrorValue::Value),
    }
}

/// Fails with `#VALUE!` for 3-D references, as in Excel.
fn reject_3d_references(ranges: &[Operand]) -> Result<(), ErrorValue> {
    let is_3d_reference = |range: &Operand| match range {
        Operand::Range(range) => range.areas.iter().any(|area| area.sheet != range.areas[0].sheet),
        _ => false,
    };
    if ranges.iter().any(is_3d_reference) { Err(ErrorValue::Value) } else { Ok(()) }
}
