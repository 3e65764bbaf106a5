//! Operators on values and, element by element, on arrays.

use std::cmp::Ordering;

use quadrille_cell::{Array, DeferredVec, ErrorValue, Value};
use quadrille_formula::{BinaryOperator, Expression, UnaryOperator};
use quadrille_functions::{compare, number, text, text_value};

use super::Evaluator;
use super::item::{Evaluation, Item, OperatorPosition, Stop, Values};
use crate::arithmetic::arithmetic;

/// Cancellation work charged per element.
const ELEMENT_STEPS: u64 = 4;

impl<'a> Evaluator<'a, '_> {
    pub(super) fn unary(&mut self, operator: UnaryOperator, operand: &'a Expression) -> Evaluation<Item<'a>> {
        let item = self.evaluate(operand)?;
        // A plus sign changes nothing, not even a text or a reference.
        if operator == UnaryOperator::Plus {
            return Ok(item);
        }
        Ok(match self.values(item)? {
            Values::One(value) => Item::Value(unary_value(operator, &value)),
            Values::Array(array) => {
                if self.context.budget.charge_cells(array.values().len() as u64).is_err() {
                    return Ok(ErrorValue::Calculation.into());
                }
                let should_continue = |_: &&Value| !self.pass.cancel.is_requested_within(1);
                let elements = array.values().iter().take_while(should_continue);
                let values: DeferredVec<Value> = elements.map(|value| unary_value(operator, value)).collect();
                if values.len() < array.values().len() {
                    return Err(Stop::Cancelled);
                }
                let array = Array::new(array.rows(), array.columns(), values);
                Item::Array(array.expect("the array keeps its size"))
            }
        })
    }

    /// Evaluates a tree of binary operators. The left side is walked in a loop, since long sums
    /// lean to the left.
    pub(super) fn binary(
        &mut self,
        expression: &'a Expression,
        position: OperatorPosition,
    ) -> Evaluation<Item<'a>> {
        let mut pending: Vec<(BinaryOperator, &'a Expression)> = Vec::new();
        let mut leftmost = expression;
        while let Expression::Binary(operator, left, right) = leftmost {
            pending.push((*operator, right));
            leftmost = left;
        }
        let mut result = self.evaluate(leftmost)?;
        while let Some((operator, right)) = pending.pop() {
            if operator == BinaryOperator::Add && is_style(right) {
                continue;
            }
            let right = self.evaluate(right)?;
            result = match operator {
                BinaryOperator::Range | BinaryOperator::Union | BinaryOperator::Intersection => {
                    self.combine_references(operator, result, right)
                }
                _ if pending.is_empty() && position == OperatorPosition::Outermost => {
                    self.binary_values(operator, result, right, last_value)?
                }
                _ => self.binary_values(operator, result, right, binary_value)?,
            };
        }
        Ok(result)
    }

    fn binary_values(
        &mut self,
        operator: BinaryOperator,
        left: Item<'a>,
        right: Item<'a>,
        calculate: fn(BinaryOperator, &Value, &Value) -> Value,
    ) -> Evaluation<Item<'a>> {
        let (left, right) = (self.values(left)?, self.values(right)?);
        if let (Values::One(left), Values::One(right)) = (&left, &right) {
            let value = calculate(operator, left, right);
            return Ok(match &value {
                Value::Text(text) if self.context.budget.charge_text(text).is_err() => {
                    ErrorValue::Calculation.into()
                }
                _ => Item::Value(value),
            });
        }
        let sides = [left, right];
        Ok(self.broadcast(&sides, |values| calculate(operator, values[0], values[1])))
    }

    /// Applies `function` to the elements of several operands at the same position. A single row or
    /// column is repeated; positions outside any other operand are `#N/A`.
    pub(super) fn broadcast(
        &mut self,
        operands: &[Values],
        mut function: impl FnMut(&[&Value]) -> Value,
    ) -> Item<'a> {
        let size = |values: &Values| match values {
            Values::One(_) => (1, 1),
            Values::Array(array) => (array.rows(), array.columns()),
        };
        let rows = operands.iter().map(|operand| size(operand).0).max().unwrap_or(1);
        let columns = operands.iter().map(|operand| size(operand).1).max().unwrap_or(1);
        let count = u64::from(rows) * u64::from(columns);
        if self.context.budget.charge_cells(count).is_err() {
            return ErrorValue::Calculation.into();
        }
        let not_available = Value::Error(ErrorValue::NotAvailable);
        let mut results = DeferredVec::with_capacity(count as usize);
        let mut elements: Vec<&Value> = Vec::with_capacity(operands.len());
        for row in 0..rows {
            for column in 0..columns {
                if self.pass.cancel.is_requested_within(ELEMENT_STEPS) {
                    return ErrorValue::Calculation.into();
                }
                elements.clear();
                for operand in operands {
                    elements.push(match operand {
                        Values::One(value) => value,
                        Values::Array(array) => {
                            let row = if array.rows() == 1 { 0 } else { row };
                            let column = if array.columns() == 1 { 0 } else { column };
                            array.get(row, column).unwrap_or(&not_available)
                        }
                    });
                }
                let result = function(&elements);
                if let Value::Text(text) = &result
                    && self.context.budget.charge_text(text).is_err()
                {
                    return ErrorValue::Calculation.into();
                }
                results.push(result);
            }
        }
        Item::Array(Array::new(rows, columns, results).expect("one result per element"))
    }
}

/// Whether an operand is `STYLE(css)`. Added to one of EtherCalc's form controls, `TEXTBOX("")+STYLE(css)`,
/// it changes how the control is drawn and not its value, even if that is a text.
fn is_style(operand: &Expression) -> bool {
    matches!(operand, Expression::Call { function, .. } if &**function.text() == "STYLE")
}

fn unary_value(operator: UnaryOperator, operand: &Value) -> Value {
    match (operator, number(operand)) {
        (_, Err(error)) => Value::Error(error),
        (UnaryOperator::Minus, Ok(number)) => Value::number(-number),
        (UnaryOperator::Percent, Ok(number)) => Value::number(number / 100.0),
        _ => operand.clone(),
    }
}

/// Applies an arithmetic, text or comparison operator to values.
pub(crate) fn binary_value(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    use BinaryOperator::*;
    let outcome = match operator {
        Add | Subtract | Multiply | Divide | Power => {
            number(left).and_then(|left| Ok(Value::Number(arithmetic(operator, left, number(right)?)?)))
        }
        Concatenate => concatenate(left, right),
        Equal => compare(left, right).map(|order| Value::Boolean(order == Ordering::Equal)),
        NotEqual => compare(left, right).map(|order| Value::Boolean(order != Ordering::Equal)),
        Less => compare(left, right).map(|order| Value::Boolean(order == Ordering::Less)),
        LessOrEqual => compare(left, right).map(|order| Value::Boolean(order != Ordering::Greater)),
        Greater => compare(left, right).map(|order| Value::Boolean(order == Ordering::Greater)),
        GreaterOrEqual => compare(left, right).map(|order| Value::Boolean(order != Ordering::Less)),
        Range | Union | Intersection => Err(ErrorValue::Value),
    };
    outcome.unwrap_or_else(Value::Error)
}

/// As [`binary_value`] for the outermost operator of a formula.
fn last_value(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    let value = binary_value(operator, left, right);
    match (operator, &value, number(left), number(right)) {
        (BinaryOperator::Add | BinaryOperator::Subtract, Value::Number(result), Ok(left), Ok(right)) => {
            Value::Number(quadrille_vector_math::snap_to_zero(left, right, *result))
        }
        _ => value,
    }
}

fn concatenate(left: &Value, right: &Value) -> Result<Value, ErrorValue> {
    let (left, right) = (text(left)?, text(right)?);
    let mut joined = String::with_capacity(left.len() + right.len());
    joined.push_str(&left);
    joined.push_str(&right);
    text_value(joined)
}
