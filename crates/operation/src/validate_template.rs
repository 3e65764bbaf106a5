//! Checks of numbers, texts and formulas against the [`Limits`].

use crate::limits::Limits;
use crate::operation_error::OperationError;
use quadrille_cell::canonical_number;
use quadrille_formula::Expression;
use quadrille_formula::Template;
use quadrille_formula::is_within_limits;
use quadrille_formula::visit;

/// Checks that the number is finite and not negative zero.
pub fn validate_number(number: f64) -> Result<(), OperationError> {
    match canonical_number(number) {
        Some(canonical) if canonical.to_bits() == number.to_bits() => Ok(()),
        _ => Err(OperationError::NumberNotCanonical),
    }
}

/// Checks that the text has at most `limits.text_length` characters.
pub fn validate_text(text: &str, limits: &Limits) -> Result<(), OperationError> {
    // A text has at least as many bytes as characters, so most texts need no counting.
    if text.len() <= limits.text_length {
        return Ok(());
    }
    let length = text.chars().count();
    if length > limits.text_length {
        return Err(OperationError::TextTooLong { length, max: limits.text_length });
    }
    Ok(())
}

/// Checks depth, number of nodes, numbers and texts of a formula.
pub(crate) fn validate_template(template: &Template, limits: &Limits) -> Result<(), OperationError> {
    // This check does not recurse, so that all later code may.
    if !is_within_limits(template.expression()) {
        return Err(OperationError::FormulaTooDeep);
    }
    let mut parts = 0;
    let mut result = Ok(());
    visit(template.expression(), &mut |expression| {
        parts += 1;
        if result.is_err() {
            return;
        }
        result = match expression {
            Expression::Number(number) => validate_number(*number),
            Expression::Text(text) | Expression::Invalid(text) | Expression::Name(text) => {
                validate_text(text, limits)
            }
            Expression::Boolean(_)
            | Expression::Error(_)
            | Expression::Missing
            | Expression::Reference(_)
            | Expression::Call { .. }
            | Expression::Apply { .. }
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::Parenthesised(_)
            | Expression::Array(_) => Ok(()),
        };
    });
    if parts > limits.formula_parts {
        return Err(OperationError::FormulaTooLong { max: limits.formula_parts });
    }
    result
}
