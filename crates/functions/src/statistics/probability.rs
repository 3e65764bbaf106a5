//! Validation of probabilities.

use quadrille_cell::ErrorValue;

/// Fails with `#NUM!` unless the probability is strictly between 0 and 1.
pub(super) fn check_probability(probability: f64) -> Result<f64, ErrorValue> {
    if probability > 0.0 && probability < 1.0 { Ok(probability) } else { Err(ErrorValue::Number) }
}
