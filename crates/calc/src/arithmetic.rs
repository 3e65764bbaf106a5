//! Arithmetic on two numbers, shared by the evaluator and the compiled programs.

use quadrille_cell::ErrorValue;
use quadrille_formula::BinaryOperator;
use quadrille_functions::power;

/// Applies an arithmetic operator. The vector loops give the same bits. The last operator of a
/// formula is followed by [`quadrille_vector_math::snap_to_zero`].
pub(crate) fn arithmetic(operator: BinaryOperator, left: f64, right: f64) -> Result<f64, ErrorValue> {
    let result = match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide if right == 0.0 => return Err(ErrorValue::DivideByZero),
        BinaryOperator::Divide => left / right,
        BinaryOperator::Power => power(left, right)?,
        _ => return Err(ErrorValue::Value),
    };
    quadrille_cell::canonical_number(result).ok_or(ErrorValue::Number)
}
