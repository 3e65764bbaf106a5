//! Any text typed into a cell, anywhere: reading it ends, a number is one that a cell can hold, its format is one that shows
//! it, and a formula has as many bytes in the separators of one place as in those of another.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{DateSystem, Value};
use quadrille_formula::{Separators, delocalized, localized};
use quadrille_number_format::{Locale, NumberFormat, Typing, read_typed_in};

fuzz_target!(|input: (u8, &str)| {
    let (place, text) = input;
    let locale = Locale::all().nth(usize::from(place) % 9).unwrap_or_default();
    let dates = if place < 128 { DateSystem::From1900 } else { DateSystem::From1904 };
    let typed = read_typed_in(text, Typing { locale, dates, today: Some(45_444), ..Typing::default() });
    if let Value::Number(number) = typed.value {
        assert!(number.is_finite() && (number != 0.0 || number.is_sign_positive()), "{text:?}");
    }
    if let Some(code) = typed.number_format {
        let format = NumberFormat::parse(code).counting(dates);
        assert!(format.is_valid(), "{text:?} takes the format {code:?}");
        format.format_in(&typed.value, locale);
    }
    let separators = Separators {
        decimal: locale.decimal_separator(),
        list: locale.list_separator(),
        column: locale.column_separator(),
    };
    assert_eq!(delocalized(text, separators).len(), text.len());
    assert_eq!(localized(text, separators).len(), text.len());
});
