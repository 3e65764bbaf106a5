//! Any format code and any value: reading the code ends, and what is shown is no longer than the code allows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{DateSystem, Value};
use quadrille_number_format::{Locale, NumberFormat};

fuzz_target!(|input: (f64, bool, u8, &str)| {
    let (number, is_text, place, code) = input;
    let locale = Locale::all().nth(usize::from(place) % 9).unwrap_or_default();
    let dates = if place < 128 { DateSystem::From1900 } else { DateSystem::From1904 };
    let format = NumberFormat::parse(code).counting(dates);
    let value = if is_text { Value::text(code) } else { Value::number(number) };
    let shown = format.format_in(&value, locale).text;
    // A number has at most 309 digits before the point, each perhaps followed by a separator; a text may be shown by
    // every placeholder.
    let length_max = if is_text { (code.len() + 1) * (code.len() + 1) } else { 1_000 + code.len() * 64 };
    assert!(shown.len() <= length_max, "{code:?} shows {number} in {} bytes", shown.len());
});
