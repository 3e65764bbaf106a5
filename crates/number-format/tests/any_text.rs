//! Neither format codes nor typed texts break anything, whatever they are.

use proptest::prelude::*;
use quadrille_cell::Value;
use quadrille_number_format::{NumberFormat, general, read_typed};

/// Text of what format codes are made of, and of anything.
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
    fn every_code_shows_every_number(code in code(), number in number()) {
        let format = NumberFormat::parse(&code);
        for value in [Value::number(number), Value::text("text"), Value::Blank, Value::from(true)] {
            let shown = format.format(&value).text;
            // 400 digits of the largest number, and what a code can put between them.
            prop_assert!(shown.len() < 4000, "{code:?} of {number}: {shown:?}");
        }
    }

    #[test]
    fn every_text_can_be_typed(text in prop_oneof!["\\PC{0,30}", "[-+0-9.,:/% $()eEapmAPMTZ]{0,16}"]) {
        if let Value::Number(number) = read_typed(&text).value {
            prop_assert!(number.is_finite());
        }
    }

    #[test]
    fn what_general_shows_in_full_reads_as_the_same_digits(number in number()) {
        let shown = general(number, None);
        let Value::Number(read) = read_typed(&shown).value else {
            panic!("{shown} does not read as a number")
        };
        prop_assert_eq!(general(read, None), shown);
    }

    #[test]
    fn general_keeps_to_its_width(number in number()) {
        let shown = general(number, Some(11));
        prop_assert!(shown.trim_start_matches('-').len() <= 11, "{}", shown);
    }
}
