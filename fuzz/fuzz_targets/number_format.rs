//! Formats random values with random format codes: parsing the code ends, and the output has a
//! bounded length.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{DateSystem, Value};
use quadrille_number_format::{Locale, NumberFormat};

fuzz_target!(|input: (f64, bool, u8, &str)| {
    let (number, is_text, locale_index, code) = input;
    let locale = Locale::all().nth(usize::from(locale_index) % 9).unwrap_or_default();
    let dates = if locale_index < 128 { DateSystem::From1900 } else { DateSystem::From1904 };
    let format = NumberFormat::parse(code).with_date_system(dates);
    let value = if is_text { Value::text(code) } else { Value::number(number) };
    let output = format.format_in(&value, locale).text;
    // A number has at most 309 digits before the decimal point, each followed by at most one
    // separator; every placeholder can display a whole text.
    let length_max = if is_text { (code.len() + 1) * (code.len() + 1) } else { 1_000 + code.len() * 64 };
    assert!(output.len() <= length_max, "{code:?} formats {number} with {} bytes", output.len());
});
