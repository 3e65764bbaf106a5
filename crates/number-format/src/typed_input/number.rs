//! Typed numbers.

use quadrille_cell::parse_number;

use super::typing::Typing;
use crate::locale::{Locale, MONEY_ELSEWHERE};

type Typed = (f64, Option<&'static str>);

/// The number and the format it was typed in; `None` when the text is no number.
pub(super) fn read(text: &str, typing: Typing) -> Option<Typed> {
    let locale = typing.locale;
    if locale.decimal_separator() == '.'
        && let Some(number) = read_plain(text)
    {
        return Some((number, None));
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        // Bookkeepers' minus; a second sign inside makes text of it.
        let (number, format) = read_unsigned(inside.trim(), typing)?;
        return Some((-number, format));
    }
    let (sign, rest) = take_sign(text);
    let (number, format) = match money_before(rest, typing) {
        Some((amount, formats)) if sign.is_none() => {
            let (inner, amount) = take_sign(amount.trim_start());
            let (number, format) = read_amount(amount, formats, locale)?;
            (inner.unwrap_or(1.0) * number, format)
        }
        _ => read_unsigned(rest, typing)?,
    };
    Some((sign.unwrap_or(1.0) * number, format))
}

/// `-12.5`: what files hold by the million, read without taking it apart.
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

/// The amount after a sign of money, and the formats it takes: the place's own, or for a person who types any that is common.
fn money_before(text: &str, typing: Typing) -> Option<(&str, &'static [&'static str; 2])> {
    let own = typing.locale.currency();
    if let Some(amount) = text.strip_prefix(own.sign) {
        return Some((amount, &own.formats));
    }
    typing.today?;
    MONEY_ELSEWHERE.iter().find_map(|money| Some((text.strip_prefix(money.sign)?, &money.before)))
}

/// As [`money_before`], for a sign that stands behind.
fn money_behind(text: &str, typing: Typing) -> Option<(&str, &'static [&'static str; 2])> {
    let own = typing.locale.currency();
    // In the United States and beside them dollars stand before the amount only.
    if own.sign != "$"
        && let Some(amount) = text.strip_suffix(own.sign)
    {
        return Some((amount, &own.formats));
    }
    typing.today?;
    let elsewhere = MONEY_ELSEWHERE.iter().filter(|money| money.sign != own.sign);
    elsewhere.into_iter().find_map(|money| Some((text.strip_suffix(money.sign)?, &money.behind)))
}

fn read_amount(amount: &str, formats: &'static [&'static str; 2], locale: Locale) -> Option<Typed> {
    let number = Digits::read(amount.trim(), locale)?;
    Some((number.value()?, Some(formats[usize::from(number.has_point)])))
}

fn read_unsigned(text: &str, typing: Typing) -> Option<Typed> {
    let locale = typing.locale;
    if let Some((amount, formats)) = money_before(text, typing).or_else(|| money_behind(text, typing)) {
        return read_amount(amount, formats, locale);
    }
    if let Some(hundredths) = text.strip_suffix('%') {
        let number = Digits::read(hundredths.trim_end(), locale)?;
        // Shifting the decimal text and not dividing keeps 15 exact digits.
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

/// `1 1/2`.
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

/// A number without sign, currency or percent sign, taken apart.
struct Digits {
    /// Without separators: `1234.5`.
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
            // A narrow blank is not on keyboards.
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

/// One to three digits, then groups of three.
fn are_groups<'a>(mut groups: impl Iterator<Item = &'a str>) -> bool {
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_short = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_short { text.parse().ok() } else { None }
}
