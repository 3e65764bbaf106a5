//! Checks of texts, numbers and formulas against the limits.

use crate::limits::Limits;
use crate::operation_error::OperationError;
use quadrille_cell::canonical_number;
use quadrille_formula::Expression;
use quadrille_formula::Template;
use quadrille_formula::is_within_limits;
use quadrille_formula::visit;

pub fn validate_number(number: f64) -> Result<(), OperationError> {
    match canonical_number(number) {
        Some(canonical) if canonical.to_bits() == number.to_bits() => Ok(()),
        _ => Err(OperationError::NumberNotCanonical),
    }
}

pub fn validate_text(text: &str, limits: &Limits) -> Result<(), OperationError> {
    // Bytes are at least as many as characters, so that most texts need not be counted.
    if text.len() <= limits.text_length {
        return Ok(());
    }
    let length = text.chars().count();
    if length > limits.text_length {
        return Err(OperationError::TextTooLong { length, max: limits.text_length });
    }
    Ok(())
}

pub(crate) fn validate_template(template: &Template, limits: &Limits) -> Result<(), OperationError> {
    // Checked first and without recursion, so that everything after may recurse.
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
