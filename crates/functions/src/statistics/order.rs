//! Order statistics: MEDIAN, MODE, LARGE, SMALL, RANK, PERCENTILE, QUARTILE, PERCENTRANK, TRIMMEAN,
//! FREQUENCY and variants. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use std::collections::BTreeMap;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    CountMode, OperandResult, array_operand, collect_numbers, optional_boolean, optional_integer,
    optional_number,
};
use crate::array::columns::sort_numbers;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("MEDIAN", "number1, [number2], …", "The number in the middle.", median)
        .examples(&[("=MEDIAN(1,9,2)", "2"), ("=MEDIAN(1,2,3,4)", "2.5")]),
    Function::whole("MODE", "number1, [number2], …", "The most frequent number, of several the first.", mode)
        .examples(&[("=MODE(1,2,2,3,3)", "2"), ("=MODE(1,2)", "#N/A")]),
    Function::whole(
        "MODE.SNGL",
        "number1, [number2], …",
        "The most frequent number, of several the first.",
        mode,
    )
    .examples(&[("=MODE.SNGL({5,6,6})", "6")]),
    Function::whole(
        "MODE.MULT",
        "number1, [number2], …",
        "All the most frequent numbers, below each other.",
        mode_multiple,
    )
    .examples(&[("=SUM(MODE.MULT({1,2,2,3,3}))", "5")]),
    Function::whole("LARGE", "array, k", "The k-th largest number.", large)
        .lifts(&[1])
        .examples(&[("=LARGE({3,5,4},2)", "4"), ("=LARGE({1},2)", "#NUM!")]),
    Function::whole("SMALL", "array, k", "The k-th smallest number.", small)
        .lifts(&[1])
        .examples(&[("=SMALL({3,5,4},2)", "4")]),
    Function::whole(
        "RANK",
        "number, numbers, [ascending]",
        "The place of a number among others; equal ones share the best.",
        rank,
    )
    .lifts(&[0])
    .examples(&[("=RANK(5,{3,5,5,9})", "2"), ("=RANK(3,{3,5,9},1)", "1"), ("=RANK(4,{3,5})", "#N/A")]),
    Function::whole(
        "RANK.EQ",
        "number, numbers, [ascending]",
        "The place of a number among others; equal ones share the best.",
        rank,
    )
    .lifts(&[0])
    .examples(&[("=RANK.EQ(5,{3,5,5,9})", "2")]),
    Function::whole(
        "RANK.AVG",
        "number, numbers, [ascending]",
        "The place of a number among others; equal ones share the mean.",
        rank_average,
    )
    .lifts(&[0])
    .examples(&[("=RANK.AVG(5,{3,5,5,9})", "2.5")]),
    Function::whole(
        "PERCENTILE",
        "array, k",
        "The number below which a share k of the others lies, ends included.",
        percentile,
    )
    .lifts(&[1])
    .examples(&[("=PERCENTILE({1,2,3,4},0.3)", "1.9")]),
    Function::whole(
        "PERCENTILE.INC",
        "array, k",
        "The number below which a share k of the others lies, ends included.",
        percentile,
    )
    .lifts(&[1])
    .examples(&[("=PERCENTILE.INC({1,2,3,4},1)", "4"), ("=PERCENTILE.INC({1,2},2)", "#NUM!")]),
    Function::whole(
        "PERCENTILE.EXC",
        "array, k",
        "The number below which a share k of the others lies, ends not included.",
        percentile_exclusive,
    )
    .lifts(&[1])
    .examples(&[("=PERCENTILE.EXC({1,2,3,4,5},0.25)", "1.5"), ("=PERCENTILE.EXC({1,2},0)", "#NUM!")]),
    Function::whole(
        "QUARTILE",
        "array, quarter",
        "The smallest number, a quartile, or the largest.",
        quartile,
    )
    .lifts(&[1])
    .examples(&[("=QUARTILE({1,2,4,7,8,9,10,12},1)", "3.5")]),
    Function::whole(
        "QUARTILE.INC",
        "array, quarter",
        "The smallest number, a quartile, or the largest.",
        quartile,
    )
    .lifts(&[1])
    .examples(&[("=QUARTILE.INC({1,2,3},2)", "2")]),
    Function::whole("QUARTILE.EXC", "array, quarter", "A quartile, ends not included.", quartile_exclusive)
        .lifts(&[1])
        .examples(&[("=QUARTILE.EXC({1,2,3},1)", "1"), ("=QUARTILE.EXC({1,2,3},4)", "#NUM!")]),
    Function::whole(
        "PERCENTRANK",
        "array, x, [digits]",
        "Which share of the numbers lies below x, ends included.",
        percent_rank,
    )
    .lifts(&[1])
    .examples(&[("=PERCENTRANK({1,2,3,4,5},2)", "0.25")]),
    Function::whole(
        "PERCENTRANK.INC",
        "array, x, [digits]",
        "Which share of the numbers lies below x, ends included.",
        percent_rank,
    )
    .lifts(&[1])
    .examples(&[("=PERCENTRANK.INC({1,2,3,4},2.5)", "0.5")]),
    Function::whole(
        "TRIMMEAN",
        "array, share",
        "The mean without a share of the outermost numbers.",
        trimmed_mean,
    )
    .examples(&[("=TRIMMEAN({1,2,3,4,100},0.4)", "3")]),
    Function::whole(
        "FREQUENCY",
        "data, bins",
        "How many numbers fall up to each bound, and beyond the last.",
        frequency,
    )
    .examples(&[("=SUM(FREQUENCY({1,2,3,4},{2,3}))", "4")]),
];

fn sorted(context: &mut CallContext, arguments: &[Operand]) -> Result<Vec<f64>, ErrorValue> {
    let mut numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    sort_numbers(&context.budget.cancel, &mut numbers)?;
    Ok(numbers)
}

fn sorted_not_empty(context: &mut CallContext, argument: &Operand) -> Result<Vec<f64>, ErrorValue> {
    let numbers = sorted(context, std::slice::from_ref(argument))?;
    if numbers.is_empty() { Err(ErrorValue::Number) } else { Ok(numbers) }
}

fn median(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted(context, arguments)?;
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => Err(ErrorValue::Number),
        length if length % 2 == 1 => Ok(numbers[middle].into()),
        _ => Ok(((numbers[middle - 1] + numbers[middle]) / 2.0).into()),
    }
}

/// Returns the most frequent numbers in the order of their first occurrence. Fails with `#N/A` when
/// no number occurs twice.
fn modes(context: &mut CallContext, arguments: &[Operand]) -> Result<Vec<f64>, ErrorValue> {
    let numbers = collect_numbers(context, arguments, CountMode::Numbers)?;
    let mut counts: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for (position, number) in numbers.iter().enumerate() {
        context.work(8)?;
        counts.entry(number.to_bits()).or_insert((0, position)).0 += 1;
    }
    let most = counts.values().map(|(count, _)| *count).max().unwrap_or(0);
    if most < 2 {
        return Err(ErrorValue::NotAvailable);
    }
    let mut positions: Vec<usize> =
        counts.values().filter(|(count, _)| *count == most).map(|(_, position)| *position).collect();
    positions.sort();
    Ok(positions.into_iter().map(|position| numbers[position]).collect())
}

fn mode(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok(modes(context, arguments)?[0].into())
}

fn mode_multiple(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let modes = modes(context, arguments)?;
    array_operand(modes.len() as u32, 1, modes.into_iter().map(Value::number).collect::<Vec<_>>())
}

/// Converts a one-based rank to an index. Fails with `#NUM!` outside 1 to `length`.
fn rank_index(k: f64, length: usize) -> Result<usize, ErrorValue> {
    let k = k.floor();
    if k >= 1.0 && k <= length as f64 { Ok(k as usize - 1) } else { Err(ErrorValue::Number) }
}

pub(crate) fn large(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted_not_empty(context, &arguments[0])?;
    let index = rank_index(optional_number(arguments, 1, 1.0)?, numbers.len())?;
    Ok(numbers[numbers.len() - 1 - index].into())
}

pub(crate) fn small(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted_not_empty(context, &arguments[0])?;
    Ok(numbers[rank_index(optional_number(arguments, 1, 1.0)?, numbers.len())?].into())
}

/// Returns how many numbers rank before the number, and how many are equal to it. Fails with `#N/A`
/// when none is equal.
fn rank_parts(context: &mut CallContext, arguments: &[Operand]) -> Result<(usize, usize), ErrorValue> {
    let number = optional_number(arguments, 0, 0.0)?;
    let numbers = collect_numbers(context, &arguments[1..2], CountMode::Numbers)?;
    let is_ascending = optional_boolean(arguments, 2, false)?;
    let equal = numbers.iter().filter(|other| **other == number).count();
    if equal == 0 {
        return Err(ErrorValue::NotAvailable);
    }
    let is_before = |other: f64| if is_ascending { other < number } else { other > number };
    Ok((numbers.iter().filter(|other| is_before(**other)).count(), equal))
}

fn rank(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    Ok((rank_parts(context, arguments)?.0 as f64 + 1.0).into())
}

fn rank_average(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (before, equal) = rank_parts(context, arguments)?;
    Ok((before as f64 + (equal as f64 + 1.0) / 2.0).into())
}

/// Interpolates linearly at a fractional index.
fn interpolate(numbers: &[f64], position: f64) -> f64 {
    let below = position.floor();
    let index = below as usize;
    match numbers.get(index + 1) {
        Some(above) => numbers[index] + (position - below) * (above - numbers[index]),
        None => numbers[index],
    }
}

fn inclusive(numbers: &[f64], share: f64) -> OperandResult {
    if !(0.0..=1.0).contains(&share) {
        return Err(ErrorValue::Number);
    }
    Ok(interpolate(numbers, share * (numbers.len() - 1) as f64).into())
}

fn exclusive(numbers: &[f64], share: f64) -> OperandResult {
    let position = share * (numbers.len() + 1) as f64;
    if !(1.0..=numbers.len() as f64).contains(&position) {
        return Err(ErrorValue::Number);
    }
    Ok(interpolate(numbers, position - 1.0).into())
}

fn percentile(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let share = optional_number(arguments, 1, 0.0)?;
    inclusive(&sorted_not_empty(context, &arguments[0])?, share)
}

fn percentile_exclusive(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let share = optional_number(arguments, 1, 0.0)?;
    exclusive(&sorted_not_empty(context, &arguments[0])?, share)
}

fn quarter(arguments: &[Operand], allowed: std::ops::RangeInclusive<i64>) -> Result<f64, ErrorValue> {
    let quarter = optional_integer(arguments, 1, 0)?;
    if allowed.contains(&quarter) { Ok(quarter as f64 / 4.0) } else { Err(ErrorValue::Number) }
}

fn quartile(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    inclusive(&sorted_not_empty(context, &arguments[0])?, quarter(arguments, 0..=4)?)
}

fn quartile_exclusive(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    exclusive(&sorted_not_empty(context, &arguments[0])?, quarter(arguments, 1..=3)?)
}

fn percent_rank(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted_not_empty(context, &arguments[0])?;
    let x = optional_number(arguments, 1, 0.0)?;
    let digits = optional_integer(arguments, 2, 3)?;
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    if digits < 1 {
        return Err(ErrorValue::Number);
    }
    if !(first..=last).contains(&x) {
        return Err(ErrorValue::NotAvailable);
    }
    let below = numbers.partition_point(|number| *number < x);
    let position = match numbers[below] == x {
        true => below as f64,
        false => below as f64 - 1.0 + (x - numbers[below - 1]) / (numbers[below] - numbers[below - 1]),
    };
    let rank = if numbers.len() == 1 { 1.0 } else { position / (numbers.len() - 1) as f64 };
    let power = libm::pow(10.0, digits.min(15) as f64);
    // The small addend corrects rounding errors just below the next digit.
    Ok(((rank * power + 1e-9).floor() / power).into())
}

fn trimmed_mean(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted_not_empty(context, &arguments[0])?;
    let share = optional_number(arguments, 1, 0.0)?;
    if !(0.0..1.0).contains(&share) {
        return Err(ErrorValue::Number);
    }
    let cut = (share * numbers.len() as f64 / 2.0).floor() as usize;
    let inner = &numbers[cut..numbers.len() - cut];
    Ok((crate::mathematics::summation::sum_all(inner.iter().copied()) / inner.len() as f64).into())
}

fn frequency(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = sorted(context, &arguments[..1])?;
    let bounds = collect_numbers(context, &arguments[1..2], CountMode::Numbers)?;
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    quadrille_cell::stable_sort_by(&mut order, &mut |a, b| bounds[*a].total_cmp(&bounds[*b]));
    let mut counts = vec![Value::number(0.0); bounds.len() + 1];
    let mut counted = 0;
    for index in order {
        let up_to = numbers.partition_point(|number| *number <= bounds[index]);
        counts[index] = Value::number((up_to - counted) as f64);
        counted = up_to;
    }
    counts[bounds.len()] = Value::number((numbers.len() - counted) as f64);
    array_operand(counts.len() as u32, 1, counts)
}
