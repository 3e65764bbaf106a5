//! A stack machine for arithmetic: on all rows of a column at once, or row after row.

use std::borrow::Cow;

/// Capacity of the stack. The compiler of the steps must not exceed it.
pub const STACK_MAX: usize = 16;

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Number(f64),
    /// Pushes the number of the row from the input with this index.
    Load(usize),
    Minus,
    Percent,
    Add,
    Subtract,
    /// Addition as the outermost operator of a formula: results close to zero become zero, see
    /// [`snap_to_zero`].
    AddLast,
    SubtractLast,
    Multiply,
    Divide,
    /// Any other function of two numbers; a result that is not finite is an error.
    Call(fn(f64, f64) -> f64),
}

/// Eight units in the last place, relative to the power of two of a number.
const EIGHT_UNITS: f64 = 1.0 / (1u64 << 49) as f64;

/// Result of an outermost addition or subtraction: zero when the operands cancel except for at most
/// seven units in the last place, which Excel attributes to binary rounding
/// (docs/decisions/0012-differences-close-to-zero.md).
#[inline]
pub fn snap_to_zero(left: f64, right: f64, result: f64) -> f64 {
    let power = |number: f64| f64::from_bits(number.to_bits() & 0x7FF0_0000_0000_0000);
    let (left, right) = (power(left), power(right));
    // `f64::min` would have to check for NaN.
    let smaller = if left < right { left } else { right };
    if result.abs() < smaller * EIGHT_UNITS { 0.0 } else { result }
}

/// As [`snap_to_zero`] for chains: the full check, which would delay each result of a chain, runs
/// only when a cheap one succeeds.
#[inline]
fn snap_to_zero_in_chain(left: f64, right: f64, result: f64) -> f64 {
    if result.abs() < left.abs() * EIGHT_UNITS { snap_to_zero_checked(left, right, result) } else { result }
}

#[cold]
#[inline(never)]
fn snap_to_zero_checked(left: f64, right: f64, result: f64) -> f64 {
    snap_to_zero(left, right, result)
}

/// The numbers that a load reads.
#[derive(Debug)]
pub enum Input<'a> {
    /// One number for all rows.
    Same(f64),
    /// One number per row.
    Rows(Cow<'a, [f64]>),
    /// The result this many turns before.
    Result(usize),
}

impl Step {
    /// Carries out any step except a load. Returns `None` when the result is not finite.
    #[inline]
    pub fn calculate(&self, stack: &mut [f64; STACK_MAX], height: &mut usize) -> Option<()> {
        match self {
            Step::Number(number) => {
                stack[*height] = *number;
                *height += 1;
                return Some(());
            }
            Step::Minus => stack[*height - 1] = -stack[*height - 1] + 0.0,
            Step::Percent => stack[*height - 1] /= 100.0,
            Step::Load(_) => debug_assert!(false, "loads are carried out where the numbers are"),
            Step::Add => self.combine(stack, height, |a, b| a + b)?,
            Step::Subtract => self.combine(stack, height, |a, b| a - b)?,
            Step::AddLast => self.combine(stack, height, |a, b| snap_to_zero_in_chain(a, b, a + b))?,
            Step::SubtractLast => self.combine(stack, height, |a, b| snap_to_zero_in_chain(a, b, a - b))?,
            Step::Multiply => self.combine(stack, height, |a, b| a * b)?,
            Step::Divide => self.combine(stack, height, |a, b| a / b)?,
            Step::Call(function) => self.combine(stack, height, function)?,
        }
        Some(())
    }

    /// Division by zero is never finite. Adding zero clears the sign of a negative zero.
    #[inline]
    fn combine(
        &self,
        stack: &mut [f64; STACK_MAX],
        height: &mut usize,
        function: impl Fn(f64, f64) -> f64,
    ) -> Option<()> {
        *height -= 1;
        let result = function(stack[*height - 1], stack[*height]);
        stack[*height - 1] = result + 0.0;
        result.is_finite().then_some(())
    }
}

/// Evaluates `count` rows, none of which reads another. Returns `None` when any intermediate result
/// is not finite.
#[inline(never)]
pub fn evaluate_rows(steps: &[Step], inputs: &[Input<'_>], count: usize) -> Option<Vec<f64>> {
    let mut stack: Vec<Lane<'_>> = Vec::with_capacity(STACK_MAX);
    for step in steps {
        match step {
            Step::Number(number) => stack.push(Lane::Same(*number)),
            Step::Load(index) => stack.push(match &inputs[*index] {
                Input::Same(number) => Lane::Same(*number),
                Input::Rows(numbers) => Lane::Borrowed(numbers),
                Input::Result(_) => return None,
            }),
            Step::Minus => {
                let operand = stack.pop()?;
                stack.push(operand.map(|number| -number));
            }
            Step::Percent => {
                let operand = stack.pop()?;
                stack.push(operand.map(|number| number / 100.0));
            }
            step => {
                let right = stack.pop()?;
                let left = stack.pop()?;
                stack.push(match step {
                    Step::Add => left.zip(right, |a, b| a + b),
                    Step::Subtract => left.zip(right, |a, b| a - b),
                    Step::AddLast => left.zip(right, |a, b| snap_to_zero(a, b, a + b)),
                    Step::SubtractLast => left.zip(right, |a, b| snap_to_zero(a, b, a - b)),
                    Step::Multiply => left.zip(right, |a, b| a * b),
                    Step::Divide => left.zip(right, |a, b| a / b),
                    Step::Call(function) => left.zip(right, function),
                    _ => None,
                }?);
            }
        }
    }
    Some(match stack.pop()? {
        // Adding zero clears the sign of a negative zero.
        Lane::Same(number) => vec![number + 0.0; count],
        Lane::Borrowed(numbers) => numbers.iter().map(|number| number + 0.0).collect(),
        Lane::Owned(mut numbers) => {
            for number in &mut numbers {
                *number += 0.0;
            }
            numbers
        }
    })
}

/// Evaluates `count` rows in order and appends the results to `results`, which holds the preceding
/// results as far back as any input reaches. With `upwards`, rows go from last to first. Stops
/// before the first result that is not finite.
#[inline(never)]
pub fn evaluate_chain(
    steps: &[Step],
    inputs: &[Input<'_>],
    results: &mut Vec<f64>,
    count: usize,
    upwards: bool,
) {
    results.reserve(count);
    let mut stack = [0.0; STACK_MAX];
    for turn in 0..count {
        let offset = if upwards { count - 1 - turn } else { turn };
        match evaluate_row(steps, inputs, results, offset, &mut stack) {
            Some(number) => results.push(number),
            None => break,
        }
    }
}

#[inline]
fn evaluate_row(
    steps: &[Step],
    inputs: &[Input<'_>],
    results: &[f64],
    offset: usize,
    stack: &mut [f64; STACK_MAX],
) -> Option<f64> {
    let mut height = 0;
    for step in steps {
        match step {
            Step::Load(index) => {
                stack[height] = match &inputs[*index] {
                    Input::Same(number) => *number,
                    Input::Rows(numbers) => numbers[offset],
                    Input::Result(turns) => results[results.len() - turns],
                };
                height += 1;
            }
            step => step.calculate(stack, &mut height)?,
        }
    }
    Some(stack[0])
}

/// The numbers of all rows on one level of the stack.
enum Lane<'a> {
    Same(f64),
    Borrowed(&'a [f64]),
    Owned(Vec<f64>),
}

impl<'a> Lane<'a> {
    fn map(self, function: impl Fn(f64) -> f64) -> Lane<'a> {
        match self {
            Lane::Same(number) => Lane::Same(function(number)),
            Lane::Borrowed(numbers) => Lane::Owned(numbers.iter().map(|number| function(*number)).collect()),
            Lane::Owned(mut numbers) => {
                for number in &mut numbers {
                    *number = function(*number);
                }
                Lane::Owned(numbers)
            }
        }
    }

    #[inline]
    fn zip(self, right: Lane<'a>, function: impl Fn(f64, f64) -> f64) -> Option<Lane<'a>> {
        use Lane::*;
        let lane = match (self, right) {
            (Same(a), Same(b)) => Same(function(a, b)),
            (Same(a), right) => right.map(|b| function(a, b)),
            (left, Same(b)) => left.map(|a| function(a, b)),
            (Owned(mut left), right) => {
                for (a, b) in left.iter_mut().zip(right.numbers()) {
                    *a = function(*a, *b);
                }
                Owned(left)
            }
            (left, Owned(mut right)) => {
                for (a, b) in left.numbers().iter().zip(&mut right) {
                    *b = function(*a, *b);
                }
                Owned(right)
            }
            (Borrowed(left), Borrowed(right)) => {
                Owned(left.iter().zip(right).map(|(a, b)| function(*a, *b)).collect())
            }
        };
        lane.is_finite().then_some(lane)
    }

    /// One pass over all numbers is faster than a branch per number.
    fn is_finite(&self) -> bool {
        match self {
            Lane::Same(number) => number.is_finite(),
            other => other.numbers().iter().fold(true, |finite, number| finite & number.is_finite()),
        }
    }

    fn numbers(&self) -> &[f64] {
        match self {
            Lane::Same(_) => &[],
            Lane::Borrowed(numbers) => numbers,
            Lane::Owned(numbers) => numbers,
        }
    }
}
