//! The aggregate of a group's values.

use quadrille_cell::{ErrorValue, Value};

use crate::definition::Function;
use crate::dictionary::Dictionary;
use crate::hasher::FastMap;
use crate::source::Cell;

/// Aggregates the cells of one value field in one group, in row order. Texts and truth values
/// count only for the functions that count cells.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    /// The first error, which is the result of functions that do not count.
    error: Option<ErrorValue>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Cells that are not blank, or numbers.
    Count(u64),
    /// Kahan's sum with Neumaier's correction: one row more or less changes no other digits.
    Sum {
        count: u64,
        sum: f64,
        correction: f64,
    },
    Extremes {
        count: u64,
        minimum: f64,
        maximum: f64,
    },
    /// Welford's mean and sum of squared differences from it.
    Moments {
        count: u64,
        mean: f64,
        squares: f64,
    },
    Product {
        count: u64,
        product: f64,
    },
    Numbers(Vec<f64>),
    /// Codes of one dictionary per value field.
    Codes(FastMap<u32, ()>),
}

impl Accumulator {
    /// An accumulator without values.
    pub fn new(function: Function) -> Accumulator {
        let state = match function {
            Function::Count | Function::CountNumbers => State::Count(0),
            Function::CountUnique => State::Codes(FastMap::default()),
            Function::Sum | Function::Average => State::Sum { count: 0, sum: 0.0, correction: 0.0 },
            Function::Minimum | Function::Maximum => {
                State::Extremes { count: 0, minimum: f64::INFINITY, maximum: f64::NEG_INFINITY }
            }
            Function::Median => State::Numbers(Vec::new()),
            Function::Product => State::Product { count: 0, product: 1.0 },
            Function::Deviation
            | Function::DeviationPopulation
            | Function::Variance
            | Function::VariancePopulation => State::Moments { count: 0, mean: 0.0, squares: 0.0 },
        };
        Accumulator { error: None, state }
    }

    /// Adds a cell. `dictionary` gives the codes of different values.
    pub fn push(&mut self, function: Function, cell: Cell<'_>, dictionary: &mut Dictionary) {
        match (&mut self.state, cell) {
            (_, Cell::Blank) => {}
            (State::Codes(codes), cell) => drop(codes.insert(dictionary.code(cell), ())),
            (State::Count(count), cell) => {
                *count += u64::from(function == Function::Count || matches!(cell, Cell::Number(_)));
            }
            (_, Cell::Error(error)) => drop(self.error.get_or_insert(error)),
            (State::Sum { count, sum, correction }, Cell::Number(number)) => {
                *count += 1;
                add(sum, correction, number);
            }
            (State::Extremes { count, minimum, maximum }, Cell::Number(number)) => {
                *count += 1;
                *minimum = minimum.min(number);
                *maximum = maximum.max(number);
            }
            (State::Moments { count, mean, squares }, Cell::Number(number)) => {
                *count += 1;
                let difference = number - *mean;
                *mean += difference / *count as f64;
                *squares += difference * (number - *mean);
            }
            (State::Product { count, product }, Cell::Number(number)) => {
                *count += 1;
                *product *= number;
            }
            (State::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
            (_, Cell::Text(_) | Cell::Boolean(_)) => {}
        }
    }

    /// Adds the values of another group with the same function.
    pub fn merge(&mut self, other: &Accumulator) {
        self.error = self.error.or(other.error);
        match (&mut self.state, &other.state) {
            (State::Count(count), State::Count(more)) => *count += more,
            (
                State::Sum { count, sum, correction },
                State::Sum { count: more, sum: other_sum, correction: other_correction },
            ) => {
                *count += more;
                add(sum, correction, *other_sum);
                add(sum, correction, *other_correction);
            }
            (
                State::Extremes { count, minimum, maximum },
                State::Extremes { count: more, minimum: other_minimum, maximum: other_maximum },
            ) => {
                *count += more;
                *minimum = minimum.min(*other_minimum);
                *maximum = maximum.max(*other_maximum);
            }
            (
                State::Moments { count, mean, squares },
                State::Moments { count: more, mean: other_mean, squares: other_squares },
            ) => {
                // Chan, Golub and LeVeque's combination of two sets.
                if *more > 0 {
                    let total = (*count + *more) as f64;
                    let difference = other_mean - *mean;
                    *squares +=
                        other_squares + difference * difference * (*count as f64 * *more as f64 / total);
                    *mean += difference * (*more as f64 / total);
                    *count += more;
                }
            }
            (State::Product { count, product }, State::Product { count: more, product: other_product }) => {
                *count += more;
                *product *= other_product;
            }
            (State::Numbers(numbers), State::Numbers(more)) => numbers.extend_from_slice(more),
            (State::Codes(codes), State::Codes(more)) => codes.extend(more.keys().map(|code| (*code, ()))),
            _ => debug_assert!(false, "groups of one field have one function"),
        }
    }

    /// The aggregate.
    pub fn value(&self, function: Function) -> Value {
        if let Some(error) = self.error {
            return Value::Error(error);
        }
        match &self.state {
            State::Count(count) => Value::Number(*count as f64),
            State::Codes(codes) => Value::Number(codes.len() as f64),
            State::Sum { count: 0, .. } if function == Function::Average => {
                Value::Error(ErrorValue::DivideByZero)
            }
            State::Sum { count, sum, correction } => {
                let total = sum + correction;
                Value::number(if function == Function::Average { total / *count as f64 } else { total })
            }
            State::Extremes { count: 0, .. } | State::Product { count: 0, .. } => Value::Number(0.0),
            State::Extremes { minimum, maximum, .. } => {
                Value::number(if function == Function::Minimum { *minimum } else { *maximum })
            }
            State::Product { product, .. } => Value::number(*product),
            State::Numbers(numbers) => median(numbers),
            State::Moments { count, squares, .. } => {
                let is_sample = matches!(function, Function::Deviation | Function::Variance);
                let divisor = count.saturating_sub(u64::from(is_sample)) as f64;
                let variance = squares / divisor;
                match function {
                    _ if divisor == 0.0 => Value::Error(ErrorValue::DivideByZero),
                    Function::Deviation | Function::DeviationPopulation => Value::number(variance.sqrt()),
                    _ => Value::number(variance),
                }
            }
        }
    }
}

fn add(sum: &mut f64, correction: &mut f64, number: f64) {
    let total = *sum + number;
    *correction += match sum.abs() >= number.abs() {
        true => (*sum - total) + number,
        false => (number - total) + *sum,
    };
    *sum = total;
}

fn median(numbers: &[f64]) -> Value {
    let mut sorted = numbers.to_vec();
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        return Value::Error(ErrorValue::Number);
    }
    let (before, upper, _) = sorted.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if numbers.len() % 2 == 1 {
        return Value::number(upper);
    }
    let lower = before.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Value::number(lower + (upper - lower) / 2.0)
}
