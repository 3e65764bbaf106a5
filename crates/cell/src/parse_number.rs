//! [`parse_number`]: decimal numbers to the nearest `f64`.

/// Parses a decimal number such as `-1.5e3` to the nearest `f64`; ties go to the even one.
///
/// Accepts what [`str::parse`] accepts, except `inf`, `infinity` and `nan` in any case. The result
/// is infinite when the number is too large for an `f64`. Returns `None` when the text is not a
/// number.
pub fn parse_number(text: &str) -> Option<f64> {
    #[cfg(target_arch = "wasm32")]
    return small::parse_number(text);
    #[cfg(not(target_arch = "wasm32"))]
    {
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        if is_decimal { text.parse().ok() } else { None }
    }
}

/// The same without the table of powers of five of the standard library, which has 11 KB that do not
/// compress, for the engine in browsers (decision 0007).
#[cfg(any(test, target_arch = "wasm32"))]
mod small {
    /// Larger exponents give zero or infinity for every number of digits that fits into memory.
    const EXPONENT_MAX: i32 = 100_000_000;

    /// As `parse_number` of the crate.
    pub fn parse_number(text: &str) -> Option<f64> {
        let (is_negative, rest) = sign(text.as_bytes());
        let (integer, rest) = digits(rest);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => digits(rest),
            rest => (&[][..], rest),
        };
        if integer.is_empty() && fraction.is_empty() {
            return None;
        }
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', rest @ ..] => exponent(rest)?,
            _ => return None,
        };
        let first = integer.iter().position(|digit| *digit != b'0').unwrap_or(integer.len());
        let end = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        let size: f64 =
            minimal_lexical::parse_float(integer[first..].iter(), fraction[..end].iter(), exponent);
        Some(if is_negative { -size } else { size })
    }

    fn exponent(text: &[u8]) -> Option<i32> {
        let (is_negative, rest) = sign(text);
        let (digits, rest) = digits(rest);
        if digits.is_empty() || !rest.is_empty() {
            return None;
        }
        let add = |size: i32, digit: &u8| (size * 10 + i32::from(digit - b'0')).min(EXPONENT_MAX);
        let size = digits.iter().fold(0, add);
        Some(if is_negative { -size } else { size })
    }

    fn sign(text: &[u8]) -> (bool, &[u8]) {
        match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        }
    }

    /// The digits at the start, and what follows them.
    fn digits(text: &[u8]) -> (&[u8], &[u8]) {
        let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        text.split_at(end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that browsers read the same number as the server, to the bit.
    fn check(text: &str) {
        assert_eq!(
            small::parse_number(text).map(f64::to_bits),
            parse_number(text).map(f64::to_bits),
            "{text}"
        );
    }

    #[test]
    fn browsers_read_numbers_between_two_floats_as_the_server_does() {
        for text in [
            // Halfway between two floats, and a digit beyond (https://github.com/nigeltao/parse-number-fxx-test-data).
            "9007199254740993",
            "9007199254740993.00000000000000000000000000000000000000000000000001",
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "0e1000000000000000000000",
            "1e-1000000000000000000000",
            "1e1000000000000000000000",
            "000.000",
            "-0",
            "-0.0e-5",
            "123456789012345678901234567890123456789012345678901234567890e-30",
        ] {
            check(text);
        }
        check(&format!("0.{}1e1000", "0".repeat(1_000)));
        check(&format!("1{}e-1000", "0".repeat(1_000)));
        check(&format!("{}.5", "9".repeat(400)));
    }

    proptest! {
        #[test]
        fn browsers_read_each_float_as_the_server_does(bits: u64) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                check(&number.to_string());
                check(&format!("{number:e}"));
                check(&format!("{number:.20e}"));
            }
        }

        #[test]
        fn browsers_read_digits_as_the_server_does(text in "[+-]?[0-9]{0,25}\\.?[0-9]{0,25}([eE][+-]?[0-9]{0,4})?") {
            check(&text);
        }

        #[test]
        fn browsers_reject_what_the_server_rejects(text in "[0-9eE+.\\- i]{0,8}") {
            check(&text);
        }
    }

    #[test]
    fn decimal_numbers_are_parsed_to_the_nearest_number() {
        assert_eq!(parse_number("9007199254740993"), Some(9_007_199_254_740_992.0));
        assert_eq!(parse_number("9007199254740993.0000000000000000000000001"), Some(9_007_199_254_740_994.0));
        assert_eq!(parse_number("+.5e1"), Some(5.0));
        assert_eq!(parse_number("4.9e-324"), Some(f64::from_bits(1)));
        assert_eq!(parse_number("1e309"), Some(f64::INFINITY));
    }

    #[test]
    fn names_of_infinity_and_nan_are_not_numbers() {
        for text in ["inf", "-Infinity", "NaN", "", ".", "-", "e5", "1e", "1.2.3", "--1", "1 "] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}
