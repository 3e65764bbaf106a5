//! The number format General.

use crate::locale::Locale;
use crate::rounded_decimal::Decimal;

/// Maximum width of a number in a cell with the format General, in characters without the sign.
pub const GENERAL_WIDTH: usize = 11;

/// Without a width limit, longer fractions are written in scientific notation.
const PLAIN_FRACTION_WIDTH: i32 = 20;
/// From 1E+21, integers are written in scientific notation.
const PLAIN_INTEGER_DIGITS: i32 = 21;

/// Formats a finite number as General, in at most `width_max` characters without the sign, or with
/// all 15 digits when there is no limit.
pub fn general(number: f64, width_max: Option<usize>) -> String {
    let decimal = Decimal::new(number);
    match width_max {
        Some(width) => within_width(&decimal, width as i32),
        None => in_full(&decimal),
    }
}

/// As [`general`], with the decimal separator of `locale`.
pub fn general_in(number: f64, width_max: Option<usize>, locale: Locale) -> String {
    let text = general(number, width_max);
    match locale.decimal_separator() {
        '.' => text,
        separator => text.replacen('.', separator.encode_utf8(&mut [0; 4]), 1),
    }
}

fn in_full(decimal: &Decimal) -> String {
    let is_plain = if decimal.exponent > 0 {
        decimal.exponent <= PLAIN_INTEGER_DIGITS
    } else {
        2 - decimal.exponent + decimal.digits.len() as i32 <= PLAIN_FRACTION_WIDTH
    };
    if is_plain { decimal.plain() } else { decimal.scientific() }
}

fn within_width(decimal: &Decimal, width: i32) -> String {
    let plain = if decimal.exponent > 0 {
        // All integer digits, then the point and as many decimals as fit.
        decimal.round((width - decimal.exponent - 1).max(0))
    } else if decimal.exponent >= -3 {
        decimal.round((width - 2).max(0))
    } else {
        decimal.clone()
    };
    let text = plain.plain();
    if text.len() as i32 - i32::from(text.starts_with('-')) <= width {
        return if plain.is_zero() { "0".into() } else { text };
    }
    // "E+11" takes four characters and the point one; a three-digit exponent takes one more.
    let exponent_width = 4 + i32::from((decimal.exponent - 1).abs() >= 100);
    let digits = (width - exponent_width - 1).max(1) as usize;
    decimal.round_significant(digits).scientific()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_fits_eleven_characters_in_a_cell() {
        for (number, in_cell, in_full) in [
            (0.0, "0", "0"),
            (-0.0, "0", "0"),
            (1.0, "1", "1"),
            (-1.5, "-1.5", "-1.5"),
            (1.0 / 3.0, "0.333333333", "0.333333333333333"),
            (-2.0 / 3.0, "-0.666666667", "-0.666666666666667"),
            (1234.56789012, "1234.56789", "1234.56789012"),
            (12345678901.5, "12345678902", "12345678901.5"),
            (123456789012.0, "1.23457E+11", "123456789012"),
            (99999999999.9, "1E+11", "99999999999.9"),
            (0.00012345678, "0.000123457", "0.00012345678"),
            (0.00001, "0.00001", "0.00001"),
            (0.00001234567, "1.23457E-05", "0.00001234567"),
            (1.5e-10, "1.5E-10", "0.00000000015"),
            (1e20, "1E+20", "100000000000000000000"),
            (1e21, "1E+21", "1E+21"),
            (1.2345678901234e100, "1.2346E+100", "1.2345678901234E+100"),
            (0.1 + 0.2, "0.3", "0.3"),
            (123456789012345680.0, "1.23457E+17", "123456789012346000"),
        ] {
            assert_eq!(general(number, Some(GENERAL_WIDTH)), in_cell, "{number} in a cell");
            assert_eq!(general(number, None), in_full, "{number} in full");
        }
    }
}
