/// Parses a decimal number such as `-1.5e3` to the nearest `f64`; ties go to the even one.
///
/// Accepts what [`str::parse`] accepts, except `inf`, `infinity` and `nan` in any case. The result
/// is infinite when the number is too large for an `f64`. Returns `None` when the text is not a
/// number.
pub fn parse_number(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if is_decimal { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

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
