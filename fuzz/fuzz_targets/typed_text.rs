//! Any text typed into a cell: reading it ends, a number is one that a cell can hold, and its format is one that shows it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::Value;
use quadrille_number_format::{NumberFormat, read_typed};

fuzz_target!(|text: &str| {
    let typed = read_typed(text);
    if let Value::Number(number) = typed.value {
        assert!(number.is_finite() && (number != 0.0 || number.is_sign_positive()), "{text:?}");
    }
    if let Some(code) = typed.number_format {
        let format = NumberFormat::parse(code);
        assert!(format.is_valid(), "{text:?} takes the format {code:?}");
        let shown = format.format(&typed.value).text;
        assert!(!shown.contains('\u{fffd}'), "{text:?} is shown as {shown:?}");
    }
});
