//! Which cells show one of some texts, asked of a million of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Value, parse_number};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::Format;

use super::stored_text;

/// The texts that a filter leaves to be seen. Writing a number as text takes a hundred times as long as comparing it, so numbers
/// that cannot come to one of the texts are not written, and what was written lately is remembered.
pub(super) struct DisplayedTexts<'a> {
    /// In order.
    texts: Vec<&'a str>,
    /// Those that are numbers, in order.
    numbers: Vec<f64>,
    blanks: bool,
    dates: DateSystem,
    formats: RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    /// By a number's bits; one that comes to the same place drives another out.
    known: RefCell<Vec<Known>>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    bits: u64,
    /// Where the format code lies in memory, which it does not leave while cells are looked at; 0 is nothing known.
    code: usize,
    is_shown: bool,
}

const KNOWN_BITS: u32 = 12;

/// A number without a format is shown with at least five digits.
const TOLERANCE: f64 = 1e-4;

impl<'a> DisplayedTexts<'a> {
    pub fn new(mut texts: Vec<&'a str>, blanks: bool, dates: DateSystem) -> DisplayedTexts<'a> {
        texts.sort();
        let mut numbers: Vec<f64> = texts.iter().filter_map(|text| parse_number(text)).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        let known = RefCell::new(vec![Known::default(); 1 << KNOWN_BITS]);
        DisplayedTexts { texts, numbers, blanks, dates, formats: RefCell::default(), known }
    }

    pub fn has(&self, value: &Value, format: &Format) -> bool {
        let Value::Number(number) = value else { return self.has_text(value, format) };
        let code = match &format.number_format {
            Some(code) => code.as_ptr().addr(),
            None if !self.may_be(*number) => return false,
            // No text lies there.
            None => 1,
        };
        let bits = number.to_bits();
        // Fibonacci hashing: the highest bits of the product depend on all of the number's.
        let place = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - KNOWN_BITS)) as usize;
        let known = self.known.borrow()[place];
        if (known.bits, known.code) == (bits, code) {
            return known.is_shown;
        }
        let is_shown = self.has_text(value, format);
        self.known.borrow_mut()[place] = Known { bits, code, is_shown };
        is_shown
    }

    fn has_text(&self, value: &Value, format: &Format) -> bool {
        let text = stored_text(value, format, self.dates, &self.formats);
        if text.is_empty() { self.blanks } else { self.texts.binary_search(&&*text).is_ok() }
    }

    /// Whether one of the texts is a number close enough to be how this one is shown.
    fn may_be(&self, number: f64) -> bool {
        let at = self.numbers.partition_point(|known| *known < number);
        let is_close = |known: &f64| (known - number).abs() <= TOLERANCE * known.abs().max(number.abs());
        self.numbers[at.saturating_sub(1)..].iter().take(2).any(is_close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::text_without_code;
    use proptest::prelude::*;
    use quadrille_number_format::Locale;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("a cell's", |number| number.is_finite()),
            (-1_000_000..1_000_000i32).prop_map(f64::from),
            (-1e12..1e12f64),
            (-1.0..1.0f64),
            (0..40i32, 1..100_000u32).prop_map(|(power, digits)| f64::from(digits) * 10f64.powi(-power)),
        ]
    }

    proptest! {
        /// What is not written as text would not have been one of the texts.
        #[test]
        fn numbers_are_found_as_by_writing_each(numbers in prop::collection::vec(number(), 1..40), picked in 0..40usize) {
            let text = |number: f64| text_without_code(&Value::Number(number), Locale::STORED);
            let wanted: Vec<String> = numbers.iter().take(picked).map(|number| text(*number)).collect();
            let shown = DisplayedTexts::new(wanted.iter().map(String::as_str).collect(), false, DateSystem::From1900);
            for _ in 0..2 {
                for number in &numbers {
                    let expected = wanted.contains(&text(*number));
                    prop_assert_eq!(shown.has(&Value::Number(*number), &Format::default()), expected, "{}", number);
                }
            }
        }
    }
}
