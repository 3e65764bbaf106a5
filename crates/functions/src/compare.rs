//! Comparison of values as by Excel's comparison operators.

use std::borrow::Cow;
use std::cmp::Ordering;

use quadrille_cell::{ErrorValue, Value};

/// Compares two values as `<`, `=` and `>` do in formulas: numbers before text before Booleans;
/// text case-insensitively; blank as 0, `""` or FALSE, according to the other operand.
///
/// Fails with the first operand that is an error.
pub fn compare(left: &Value, right: &Value) -> Result<Ordering, ErrorValue> {
    use Value::*;
    Ok(match (left, right) {
        (Error(error), _) | (_, Error(error)) => return Err(*error),
        (Number(a), Number(b)) => compare_numbers(*a, *b),
        (Text(a), Text(b)) => compare_text(a, b),
        (Boolean(a), Boolean(b)) => a.cmp(b),
        (Blank, Blank) => Ordering::Equal,
        (Blank, Number(b)) => compare_numbers(0.0, *b),
        (Number(a), Blank) => compare_numbers(*a, 0.0),
        (Blank, Text(b)) => "".cmp(b),
        (Text(a), Blank) => (**a).cmp(""),
        (Blank, Boolean(b)) => false.cmp(b),
        (Boolean(a), Blank) => a.cmp(&false),
        _ => type_rank(left).cmp(&type_rank(right)),
    })
}

/// Whether two values are equal by [`compare`]. Errors are not equal to anything.
pub fn equals(left: &Value, right: &Value) -> bool {
    compare(left, right) == Ok(Ordering::Equal)
}

/// Compares numbers by 15 significant digits, as Excel does, so that 0.1+0.2 equals 0.3.
pub fn compare_numbers(left: f64, right: f64) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    let order = if left < right { Ordering::Less } else { Ordering::Greater };
    // Numbers with the same 15 digits differ by less than one unit of the 15th digit.
    if (left - right).abs() > left.abs().max(right.abs()) * 1e-14 {
        return order;
    }
    let digits = |number: f64| format!("{number:.14e}");
    if digits(left) == digits(right) { Ordering::Equal } else { order }
}

/// Compares texts case-insensitively.
pub(crate) fn compare_text(left: &str, right: &str) -> Ordering {
    if left.is_ascii() && right.is_ascii() {
        let folded = left.bytes().zip(right.bytes()).find_map(|(a, b)| {
            let order = a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase());
            (order != Ordering::Equal).then_some(order)
        });
        return folded.unwrap_or_else(|| left.len().cmp(&right.len()));
    }
    fold_case(left).cmp(&fold_case(right))
}

/// Returns the case-folded text: texts that differ only in case have the same result.
pub fn fold_case(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.to_lowercase())
}

fn type_rank(value: &Value) -> u8 {
    match value {
        Value::Blank | Value::Number(_) => 0,
        Value::Text(_) => 1,
        Value::Boolean(_) => 2,
        Value::Error(_) => 3,
    }
}
