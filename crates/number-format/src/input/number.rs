//! Parsing of typed numbers, percentages, fractions and amounts of money.

use quadrille_cell::parse_number;

use super::input_context::InputContext;
use crate::locale::{FOREIGN_CURRENCIES, Locale};

type Typed = (f64, Option<&'static str>);

/// Returns the number and the format of its notation; `None` for other text.
pub(super) fn read(text: &str, context: InputContext) -> Option<Typed> {
    let locale = context.locale;
    if locale.decimal_separator() == '.'
        && let Some(number) = read_plain(text)
    {
        return Some((number, None));
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        // Accounting notation of negative numbers; a sign inside the parentheses is invalid.
        let (number, format) = read_unsigned(inside.trim(), context)?;
        return Some((-number, format));
    }
    let (sign, rest) = take_sign(text);
    let (number, format) = match split_currency_prefix(rest, context) {
        Some((amount, formats)) if sign.is_none() => {
            let (inner, amount) = take_sign(amount.trim_start());
            let (number, format) = read_amount(amount, formats, locale)?;
            (inner.unwrap_or(1.0) * number, format)
        }
        _ => read_unsigned(rest, context)?,
    };
    Some((sign.unwrap_or(1.0) * number, format))
}

/// Fast path for plain numbers such as `-12.5`, the most frequent ones in files.
fn read_plain(text: &str) -> Option<f64> {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    let is_plain = magnitude.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_plain && magnitude != "." { parse_number(text) } else { None }
}

fn take_sign(text: &str) -> (Option<f64>, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (Some(-1.0), &text[1..]),
        Some(b'+') => (Some(1.0), &text[1..]),
        _ => (None, text),
    }
}

/// Splits off a currency symbol before the amount. Returns the amount and the formats of the
/// currency: that of the locale, or a common foreign one for input by a user.
fn split_currency_prefix(text: &str, context: InputContext) -> Option<(&str, &'static [&'static str; 2])> {
    let own = context.locale.currency();
    if let Some(amount) = text.strip_prefix(own.sign) {
        return Some((amount, &own.formats));
    }
    context.today?;
    FOREIGN_CURRENCIES
        .iter()
        .find_map(|currency| Some((text.strip_prefix(currency.sign)?, &currency.prefix_formats)))
}

/// As [`split_currency_prefix`], for a symbol after the amount.
fn split_currency_suffix(text: &str, context: InputContext) -> Option<(&str, &'static [&'static str; 2])> {
    let own = context.locale.currency();
    // Locales with dollars write the symbol before the amount only.
    if own.sign != "$"
        && let Some(amount) = text.strip_suffix(own.sign)
    {
        return Some((amount, &own.formats));
    }
    context.today?;
    let foreign = FOREIGN_CURRENCIES.iter().filter(|currency| currency.sign != own.sign);
    foreign
        .into_iter()
        .find_map(|currency| Some((text.strip_suffix(currency.sign)?, &currency.suffix_formats)))
}

fn read_amount(amount: &str, formats: &'static [&'static str; 2], locale: Locale) -> Option<Typed> {
    let number = Digits::read(amount.trim(), locale)?;
    Some((number.value()?, Some(formats[usize::from(number.has_point)])))
}

fn read_unsigned(text: &str, context: InputContext) -> Option<Typed> {
    let locale = context.locale;
    if let Some((amount, formats)) =
        split_currency_prefix(text, context).or_else(|| split_currency_suffix(text, context))
    {
        return read_amount(amount, formats, locale);
    }
    if let Some(hundredths) = text.strip_suffix('%') {
        let number = Digits::read(hundredths.trim_end(), locale)?;
        // Shifting the decimal exponent keeps 15 exact digits, which a division would not.
        let value = number.value_times_power_of_ten(-2)?;
        return Some((value, Some(if number.has_point { "0.00%" } else { "0%" })));
    }
    if let Some((whole, fraction)) = text.split_once(' ') {
        let read = read_fraction(whole, fraction.trim_start());
        if read.is_some() {
            return read;
        }
    }
    let number = Digits::read(text, locale)?;
    let format = match (number.exponent.is_some(), number.has_groups, number.has_point) {
        (true, ..) => Some("0.00E+00"),
        (_, true, true) => Some("#,##0.00"),
        (_, true, false) => Some("#,##0"),
        _ => None,
    };
    Some((number.value()?, format))
}

/// Parses a mixed fraction: `1 1/2`.
fn read_fraction(whole: &str, fraction: &str) -> Option<Typed> {
    let digits = |text: &str| -> Option<f64> {
        let is_short = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_short { parse_number(text) } else { None }
    };
    let (numerator, denominator) = fraction.split_once('/')?;
    let value = digits(numerator)? / digits(denominator).filter(|denominator| *denominator > 0.0)?;
    let format = if denominator.len() > 1 { "# ??/??" } else { "# ?/?" };
    Some((digits(whole)? + value, Some(format)))
}

/// The parts of a number without sign, currency or percent sign.
struct Digits {
    /// Digits without thousands separators: `1234.5`.
    mantissa: String,
    exponent: Option<i32>,
    has_groups: bool,
    has_point: bool,
}

impl Digits {
    fn read(text: &str, locale: Locale) -> Option<Digits> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], Some(read_exponent(&text[at + 1..])?)),
            None => (text, None),
        };
        let (whole, fraction) =
            mantissa.split_once(locale.decimal_separator()).map_or((mantissa, None), |(a, b)| (a, Some(b)));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_group = |c: char| match locale.group_separator() {
            // Keyboards have no narrow no-break space.
            '\u{202F}' => matches!(c, ' ' | '\u{A0}' | '\u{202F}'),
            separator => c == separator,
        };
        let has_groups = whole.contains(is_group);
        if has_groups && !are_groups(whole.split(is_group)) {
            return None;
        }
        let whole = whole.replace(is_group, "");
        if !all_digits(&whole) || !all_digits(fraction.unwrap_or_default()) {
            return None;
        }
        if whole.is_empty() && fraction.unwrap_or_default().is_empty() {
            return None;
        }
        let mantissa = format!("{whole}.{}", fraction.unwrap_or_default());
        Some(Digits { mantissa, exponent, has_groups, has_point: fraction.is_some() })
    }

    fn value(&self) -> Option<f64> {
        self.value_times_power_of_ten(0)
    }

    fn value_times_power_of_ten(&self, power: i32) -> Option<f64> {
        let exponent = self.exponent.unwrap_or(0) + power;
        let number = parse_number(&format!("{}e{exponent}", self.mantissa))?;
        number.is_finite().then_some(number)
    }
}

/// Whether the first group has one to three digits and the others three.
fn are_groups<'a>(mut groups: impl Iterator<Item = &'a str>) -> bool {
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_short = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_short { text.parse().ok() } else { None }
}
