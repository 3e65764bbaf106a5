//! Texts of values, shared by the display of cells and by filters.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Value};

use quadrille_number_format::{GENERAL_WIDTH, Locale, NumberFormat, general_in};
use quadrille_workbook::Format;

/// Passes the parsed number format to `use_format`. Formats are cached by code, all for one date
/// system.
pub(crate) fn with_number_format<T>(
    cache: &RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    code: &Arc<str>,
    dates: DateSystem,
    use_format: impl FnOnce(&NumberFormat) -> T,
) -> T {
    let mut cache = cache.borrow_mut();
    // A workbook has few formats; the limit bounds the memory if a client sends thousands.
    const NUMBER_FORMATS_MAX: usize = 4_096;
    if cache.len() >= NUMBER_FORMATS_MAX {
        cache.clear();
    }
    if !cache.contains_key(code) {
        cache.insert(code.clone(), NumberFormat::parse(code).with_date_system(dates));
    }
    use_format(&cache[code])
}

/// The text of a value in a cell without a number format.
pub(crate) fn text_without_code(value: &Value, locale: Locale) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => general_in(*number, Some(GENERAL_WIDTH), locale),
        Value::Text(text) => text.to_string(),
        Value::Boolean(boolean) => boolean_text(*boolean).to_owned(),
        Value::Error(error) => error.text().to_owned(),
    }
}

/// The text of a truth value.
pub(crate) fn boolean_text(boolean: bool) -> &'static str {
    if boolean { "TRUE" } else { "FALSE" }
}

/// The text of a cell in the invariant locale (English), by which filters compare.
pub(crate) fn invariant_text<'a>(
    value: &'a Value,
    format: &Format,
    dates: DateSystem,
    formats: &RefCell<BTreeMap<Arc<str>, NumberFormat>>,
) -> Cow<'a, str> {
    match (value, &format.number_format) {
        (Value::Text(text), None) => Cow::Borrowed(text),
        (Value::Number(_) | Value::Text(_), Some(code)) => {
            Cow::Owned(with_number_format(formats, code, dates, |format| format.format(value).text))
        }
        _ => Cow::Owned(text_without_code(value, Locale::INVARIANT)),
    }
}
