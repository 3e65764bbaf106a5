//! Parses random text as typed input in random locales: parsing ends, numbers are valid cell
//! values, the chosen number format is valid, and converting the separators of a formula preserves
//! its length.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{DateSystem, Value};
use quadrille_formula::{FunctionNames, Separators, delocalized, localized};
use quadrille_number_format::{Locale, NumberFormat, InputContext, parse_input_with};

fuzz_target!(|input: (u8, &str)| {
    let (locale_index, text) = input;
    let locale = Locale::all().nth(usize::from(locale_index) % 9).unwrap_or_default();
    let dates = if locale_index < 128 { DateSystem::From1900 } else { DateSystem::From1904 };
    let typed = parse_input_with(text, InputContext { locale, dates, today: Some(45_444), ..InputContext::default() });
    if let Value::Number(number) = typed.value {
        assert!(number.is_finite() && (number != 0.0 || number.is_sign_positive()), "{text:?}");
    }
    if let Some(code) = typed.number_format {
        let format = NumberFormat::parse(code).with_date_system(dates);
        assert!(format.is_valid(), "{text:?} takes the format {code:?}");
        format.format_in(&typed.value, locale);
    }
    let separators = Separators {
        decimal: locale.decimal_separator(),
        list: locale.list_separator(),
        column: locale.column_separator(),
    };
    assert_eq!(delocalized(text, separators, &FunctionNames::ENGLISH).len(), text.len());
    assert_eq!(localized(text, separators, &FunctionNames::ENGLISH).len(), text.len());
});
