//! Filters by displayed text, fast enough for a million cells.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Value, parse_number};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::Format;

use crate::cell_text::invariant_text;

/// The texts that a filter keeps visible. Formatting a number takes a hundred times as long as
/// comparing it, so numbers that cannot match are not formatted, and recent results are cached.
pub(super) struct DisplayedTexts<'a> {
    /// Sorted.
    texts: Vec<&'a str>,
    /// The texts that are numbers, sorted.
    numbers: Vec<f64>,
    blanks: bool,
    dates: DateSystem,
    formats: RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    /// By the hash of a number's bits; a new result replaces the one in its slot.
    cache: RefCell<Vec<CachedResult>>,
}

#[derive(Clone, Copy, Default)]
struct CachedResult {
    bits: u64,
    /// Address of the format code, which is stable while cells are compared; 0 marks an empty slot.
    code: usize,
    is_visible: bool,
}

const CACHE_BITS: u32 = 12;

/// A number without a format is displayed with at least five digits.
const TOLERANCE: f64 = 1e-4;

impl<'a> DisplayedTexts<'a> {
    /// Prepares the comparison. `blanks` tells whether blank cells stay visible.
    pub fn new(mut texts: Vec<&'a str>, blanks: bool, dates: DateSystem) -> DisplayedTexts<'a> {
        quadrille_cell::stable_sort_by(&mut texts, &mut Ord::cmp);
        let mut numbers: Vec<f64> = texts.iter().filter_map(|text| parse_number(text)).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        let cache = RefCell::new(vec![CachedResult::default(); 1 << CACHE_BITS]);
        DisplayedTexts { texts, numbers, blanks, dates, formats: RefCell::default(), cache }
    }

    /// Whether a cell with this value and format stays visible.
    pub fn contains(&self, value: &Value, format: &Format) -> bool {
        let Value::Number(number) = value else { return self.contains_text(value, format) };
        let code = match &format.number_format {
            Some(code) => code.as_ptr().addr(),
            None if !self.is_near_number(*number) => return false,
            // No format code has this address.
            None => 1,
        };
        let bits = number.to_bits();
        // Fibonacci hashing: the highest bits of the product depend on all bits of the number.
        let slot = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - CACHE_BITS)) as usize;
        let cache = self.cache.borrow()[slot];
        if (cache.bits, cache.code) == (bits, code) {
            return cache.is_visible;
        }
        let is_visible = self.contains_text(value, format);
        self.cache.borrow_mut()[slot] = CachedResult { bits, code, is_visible };
        is_visible
    }

    fn contains_text(&self, value: &Value, format: &Format) -> bool {
        let text = invariant_text(value, format, self.dates, &self.formats);
        if text.is_empty() { self.blanks } else { self.texts.binary_search(&&*text).is_ok() }
    }

    /// Whether one of the texts is a number so close that it may be the text of this number.
    fn is_near_number(&self, number: f64) -> bool {
        let at = self.numbers.partition_point(|cache| *cache < number);
        let is_close = |cache: &f64| (cache - number).abs() <= TOLERANCE * cache.abs().max(number.abs());
        self.numbers[at.saturating_sub(1)..].iter().take(2).any(is_close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell_text::text_without_code;
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
        /// A number that is not formatted would not have matched.
        #[test]
        fn numbers_match_as_if_formatted(numbers in prop::collection::vec(number(), 1..40), picked in 0..40usize) {
            let text = |number: f64| text_without_code(&Value::Number(number), Locale::INVARIANT);
            let visible: Vec<String> = numbers.iter().take(picked).map(|number| text(*number)).collect();
            let filter = DisplayedTexts::new(visible.iter().map(String::as_str).collect(), false, DateSystem::From1900);
            for _ in 0..2 {
                for number in &numbers {
                    let expected = visible.contains(&text(*number));
                    prop_assert_eq!(filter.contains(&Value::Number(*number), &Format::default()), expected, "{}", number);
                }
            }
        }
    }
}
