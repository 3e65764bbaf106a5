//! Arithmetic as steps of a stack machine: for all rows of a column at once, or for one after the other.

use std::borrow::Cow;

/// Numbers that the stack holds at most; who compiles the steps makes sure.
pub const STACK_MAX: usize = 16;

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Number(f64),
    /// Pushes what the input of this index has for the row.
    Load(usize),
    Minus,
    Percent,
    Add,
    Subtract,
    /// What a formula does last, where a result close to zero is zero: see [`settled`].
    AddLast,
    SubtractLast,
    Multiply,
    Divide,
    /// Anything else of two numbers; an error is a result that is not finite.
    Call(fn(f64, f64) -> f64),
}

/// Of what an addition or subtraction is less than eight units in the last place: the power of two within a number, by this.
const EIGHT_UNITS: f64 = 1.0 / (1u64 << 49) as f64;

/// What a formula shows whose last step added or subtracted two numbers: zero when they cancel but for seven units in their last
/// place at most, which Excel takes for an error of binary fractions (docs/decisions/0012-differences-close-to-zero.md).
#[inline]
pub fn settled(left: f64, right: f64, result: f64) -> f64 {
    let power = |number: f64| f64::from_bits(number.to_bits() & 0x7FF0_0000_0000_0000);
    let (left, right) = (power(left), power(right));
    // Not `min`, which has to look for what is no number.
    let smaller = if left < right { left } else { right };
    if result.abs() < smaller * EIGHT_UNITS { 0.0 } else { result }
}

/// As [`settled`], without making each result wait for the look: one formula of a chain needs that of the one before.
#[inline]
fn settled_in_turn(left: f64, right: f64, result: f64) -> f64 {
    if result.abs() < left.abs() * EIGHT_UNITS { settled_seldom(left, right, result) } else { result }
}

#[cold]
#[inline(never)]
fn settled_seldom(left: f64, right: f64, result: f64) -> f64 {
    settled(left, right, result)
}

/// What a load reads.
#[derive(Debug)]
pub enum Input<'a> {
    /// One number for all rows.
    Same(f64),
    /// One for each row.
    Rows(Cow<'a, [f64]>),
    /// The result so many turns ago.
    Result(usize),
}

impl Step {
    /// Any step but a load, which depends on where numbers come from. `None` for a result that is not finite.
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
            Step::AddLast => self.combine(stack, height, |a, b| settled_in_turn(a, b, a + b))?,
            Step::SubtractLast => self.combine(stack, height, |a, b| settled_in_turn(a, b, a - b))?,
            Step::Multiply => self.combine(stack, height, |a, b| a * b)?,
            Step::Divide => self.combine(stack, height, |a, b| a / b)?,
            Step::Call(function) => self.combine(stack, height, function)?,
        }
        Some(())
    }

    /// Division by zero is never finite. Adding zero takes the sign from a negative zero.
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

/// The results of `count` rows, none of which reads another. `None` when some result on the way is not finite.
#[inline(never)]
pub fn each(steps: &[Step], inputs: &[Input<'_>], count: usize) -> Option<Vec<f64>> {
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
                    Step::AddLast => left.zip(right, |a, b| settled(a, b, a + b)),
                    Step::SubtractLast => left.zip(right, |a, b| settled(a, b, a - b)),
                    Step::Multiply => left.zip(right, |a, b| a * b),
                    Step::Divide => left.zip(right, |a, b| a / b),
                    Step::Call(function) => left.zip(right, function),
                    _ => None,
                }?);
            }
        }
    }
    Some(match stack.pop()? {
        // Adding zero takes the sign from a negative zero.
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

/// The results of `count` rows one after the other, appended to `known`, which holds those before them as far back as
/// any input reaches. `upwards` takes the rows from last to first. Ends before the first that is not finite.
#[inline(never)]
pub fn in_turn(steps: &[Step], inputs: &[Input<'_>], known: &mut Vec<f64>, count: usize, upwards: bool) {
    known.reserve(count);
    let mut stack = [0.0; STACK_MAX];
    for turn in 0..count {
        let offset = if upwards { count - 1 - turn } else { turn };
        match one(steps, inputs, known, offset, &mut stack) {
            Some(number) => known.push(number),
            None => break,
        }
    }
}

#[inline]
fn one(
    steps: &[Step],
    inputs: &[Input<'_>],
    known: &[f64],
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
                    Input::Result(turns) => known[known.len() - turns],
                };
                height += 1;
            }
            step => step.calculate(stack, &mut height)?,
        }
    }
    Some(stack[0])
}

/// Numbers of all rows at one point of the steps.
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

    /// One look over all of them is cheaper than a branch for each.
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
