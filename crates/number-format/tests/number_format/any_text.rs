//! Properties of arbitrary format codes and input: no panic, bounded output, finite numbers.

use proptest::prelude::*;
use quadrille_cell::Value;
use quadrille_number_format::{NumberFormat, general, parse_input};

/// Random sequences of format code elements, and arbitrary text.
fn code() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "0",
        "#",
        "?",
        ".",
        ",",
        "%",
        "E+",
        "E-",
        "/",
        ";",
        "@",
        "\"",
        "\\",
        "_",
        "*",
        "[",
        "]",
        "[Red]",
        "[>1]",
        "[h]",
        "[$€-407]",
        "y",
        "yyyy",
        "m",
        "mm",
        "d",
        "h",
        "s",
        ".000",
        "AM/PM",
        "General",
        " ",
        "-",
        "8",
        "é",
        "x",
        "[color99]",
    ]);
    prop_oneof![4 => prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat()), 1 => "\\PC{0,20}"]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -1e6..1e6f64, 0.0..3e6f64, Just(0.0), Just(-0.4), Just(999_999.999_999)]
        .prop_filter("cells hold finite numbers", |number| number.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn any_code_formats_any_value_with_bounded_length(code in code(), number in number()) {
        let format = NumberFormat::parse(&code);
        for value in [Value::number(number), Value::text("text"), Value::Blank, Value::from(true)] {
            let formatted = format.format(&value).text;
                        // The 309 digits of the largest number, with the literals of a code between
                        // them.
            prop_assert!(formatted.len() < 4000, "{code:?} of {number}: {formatted:?}");
        }
    }

    #[test]
    fn any_input_parses_to_a_finite_number_or_no_number(text in prop_oneof!["\\PC{0,30}", "[-+0-9.,:/% $()eEapmAPMTZ]{0,16}"]) {
        if let Value::Number(number) = parse_input(&text).value {
            prop_assert!(number.is_finite());
        }
    }

    #[test]
    fn general_output_parses_to_the_same_digits(number in number()) {
        let formatted = general(number, None);
        let Value::Number(read) = parse_input(&formatted).value else {
            panic!("{formatted} does not read as a number")
        };
        prop_assert_eq!(general(read, None), formatted);
    }

    #[test]
    fn general_stays_within_its_width(number in number()) {
        let formatted = general(number, Some(11));
        prop_assert!(formatted.trim_start_matches('-').len() <= 11, "{}", formatted);
    }
}
