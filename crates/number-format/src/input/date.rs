//! Parsing of typed dates and times.

use super::input_context::InputContext;
use crate::date::{Civil, civil_from_serial, serial_from_civil};
use crate::locale::{DateOrder, Locale, NameLength};

type Typed = (f64, Option<&'static str>);

/// Returns the serial number and format of a date, a time, or a date with a time; `None` for other
/// text.
pub(super) fn read(text: &str, context: InputContext) -> Option<Typed> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(time) = Time::read(text, context.locale) {
        return Some((time.days, Some(time.format)));
    }
    if let Some((serial, format)) = read_date(text, context) {
        return Some((serial as f64, Some(format)));
    }
    // A date with a time, which begins after a space or a `T`.
    for (at, character) in text.char_indices().rev() {
        if character != ' ' && character != 'T' {
            continue;
        }
        let (date, time) = (text[..at].trim_end(), text[at + 1..].trim_start());
        let time = if character == 'T' { time.strip_suffix('Z').unwrap_or(time) } else { time };
        let Some((serial, date_format)) = read_date(date, context) else { continue };
        let Some(time) = Time::read(time, context.locale) else { continue };
        if time.days < 1.0 {
            let format = if date_format == "yyyy-mm-dd" { "yyyy-mm-dd h:mm" } else { "m/d/yyyy h:mm" };
            return Some((serial as f64 + time.days, Some(format)));
        }
    }
    None
}

struct Time {
    /// Fraction of a day since midnight; 1 or more from 24 hours.
    days: f64,
    format: &'static str,
}

impl Time {
    /// `13:30`, `1:30:05.5 PM`, `5 PM`, `27:30`.
    fn read(text: &str, locale: Locale) -> Option<Time> {
        let (clock, is_afternoon) = split_day_period(text, locale);
        let mut parts = clock.split(':');
        let hours = digits(parts.next()?, 4)?;
        let minutes = parts.next();
        let seconds = parts.next();
        if parts.next().is_some() || minutes.is_none() && is_afternoon.is_none() {
            return None;
        }
        let minute = minutes.map_or(Some(0), |minutes| digits(minutes, 2))?;
        let second = seconds.map_or(Some(0.0), |seconds| read_seconds(seconds, locale))?;
        if minute > 59 || second >= 60.0 {
            return None;
        }
        let hour = match is_afternoon {
            Some(_) if !(1..=12).contains(&hours) => return None,
            Some(is_afternoon) => hours % 12 + if is_afternoon { 12 } else { 0 },
            None => hours,
        };
        let has_subseconds = seconds.is_some_and(|seconds| seconds.contains(locale.decimal_separator()));
        let format = match (is_afternoon.is_some(), seconds.is_some()) {
            _ if has_subseconds => "mm:ss.0",
            (true, true) => "h:mm:ss AM/PM",
            (true, false) => "h:mm AM/PM",
            _ if hour >= 24 => "[h]:mm:ss",
            (false, true) => "h:mm:ss",
            (false, false) => "h:mm",
        };
        let days = (f64::from(hour * 3600 + minute * 60) + second) / 86_400.0;
        Some(Time { days, format })
    }
}

/// Splits off a day period (AM or PM): the one of the locale at either end of the text, or the
/// English one at its end. Returns the rest, and whether it is PM.
fn split_day_period(text: &str, locale: Locale) -> (&str, Option<bool>) {
    for is_afternoon in [false, true] {
        let local = locale.day_period(is_afternoon);
        // Keyboards have no narrow no-break space.
        let typed = local.replace('\u{202F}', " ");
        for period in [local, &typed] {
            if let Some(clock) = text.strip_suffix(period).or(text.strip_prefix(period)) {
                return (clock.trim(), Some(is_afternoon));
            }
        }
    }
    let Some(at) = text.len().checked_sub(2) else { return (text, None) };
    let Some((clock, period)) = text.split_at_checked(at) else { return (text, None) };
    match period.to_ascii_lowercase().as_str() {
        "am" => (clock.trim_end(), Some(false)),
        "pm" => (clock.trim_end(), Some(true)),
        _ => (text, None),
    }
}

fn read_seconds(text: &str, locale: Locale) -> Option<f64> {
    let (seconds, fraction) = text.split_once(locale.decimal_separator()).unwrap_or((text, "0"));
    digits(seconds, 2)?;
    digits(fraction, 9)?;
    quadrille_cell::parse_number(&format!("{seconds}.{fraction}"))
}

/// Parses a number of one to `length_max` digits.
fn digits(text: &str, length_max: usize) -> Option<u32> {
    let is_digits = (1..=length_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits { text.parse().ok() } else { None }
}

fn read_date(text: &str, context: InputContext) -> Option<(i64, &'static str)> {
    let parts = split_date(text, context.locale)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let locale = context.locale;
    // Typed dates before the first day of the date system are text.
    let offset_from_1900 = context.dates.offset_from_1900();
    let serial = |year, month, day| {
        let serial = serial_from_civil(Civil { year, month, day })? - offset_from_1900;
        (serial >= 0).then_some(serial)
    };
    match parts[..] {
        [a, b, c] => {
            if a.len() == 4
                && let (Some(year), Some(month), Some(day)) = (digits(a, 4), digits(b, 2), digits(c, 2))
            {
                // A date with hyphens keeps the ISO format; otherwise it gets the short date.
                let is_local = locale.date_order() == DateOrder::YearMonthDay && !text.contains('-');
                return Some((
                    serial(year as i32, month, day)?,
                    if is_local { "m/d/yyyy" } else { "yyyy-mm-dd" },
                ));
            }
            let (first, second) = match locale.date_order() {
                DateOrder::YearMonthDay if digits(a, 2).is_some() && month(b, locale).is_none() => {
                    return Some((serial(year(a)?, digits(b, 2)?, digits(c, 2)?)?, "m/d/yyyy"));
                }
                DateOrder::DayMonthYear => (b, a),
                _ => (a, b),
            };
            let year = year(c)?;
            if let (Some(month), Some(day)) = (digits(first, 2), digits(second, 2)) {
                return Some((serial(year, month, day)?, "m/d/yyyy"));
            }
            let (day, month) = match (digits(a, 2), digits(b, 2)) {
                (Some(day), None) => (day, month(b, locale)?),
                (None, Some(day)) => (day, month(a, locale)?),
                _ => return None,
            };
            Some((serial(year, month, day)?, "d-mmm-yy"))
        }
        // A month and a four-digit year; two digits are taken for a day.
        [a, b] if b.len() == 4 && month(a, locale).is_some() => {
            Some((serial(year(b)?, month(a, locale)?, 1)?, "mmm-yy"))
        }
        // A day of the current year.
        [a, b] => {
            let year = civil_from_serial(context.today?)?.year;
            let (month, day) = match (digits(a, 2), digits(b, 2)) {
                (Some(day), Some(month)) if locale.date_order() == DateOrder::DayMonthYear => (month, day),
                (Some(month), Some(day)) => (month, day),
                (Some(day), None) => (month(b, locale)?, day),
                (None, Some(day)) => (month(a, locale)?, day),
                _ => return None,
            };
            Some((serial(year, month, day)?, "d-mmm"))
        }
        _ => None,
    }
}

/// Splits a date into two or three parts at slashes, hyphens, points, or spaces and commas. Only
/// one kind of separator is allowed.
fn split_date(text: &str, locale: Locale) -> Option<Vec<String>> {
    if let Some(parts) = split_east_asian(text) {
        return Some(parts);
    }
    // Points only in locales that write dates with them.
    let separators = ['/', '-', ' ', locale.date_separator()];
    let separator = separators.into_iter().find(|separator| text.contains(*separator))?;
    let spaced = match separator {
        // `May 1, 2024`, `1 de mayo de 2024`.
        ' ' => text.replacen(", ", " ", 1).replace(" de ", " "),
        // `1.5.`, a day without a year.
        '.' => text.strip_suffix('.').unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    // A point may follow a day number or an abbreviation: `1. Mai`, `1 févr. 2024`.
    let part = |part: &str| part.trim().strip_suffix('.').unwrap_or(part.trim()).to_owned();
    let parts: Vec<String> = spaced.split(separator).map(part).collect();
    let are_words = parts
        .iter()
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c.is_alphabetic()));
    (are_words && (2..=3).contains(&parts.len())).then_some(parts)
}

/// Splits `2024年5月1日` or `5月1日` into numbers.
fn split_east_asian(text: &str) -> Option<Vec<String>> {
    let (year, rest) = text.split_once('年').map_or((None, text), |(year, rest)| (Some(year), rest));
    let (month, day) = rest.split_once('月')?;
    let numbers = year.into_iter().chain([month, day.strip_suffix('日')?]).map(str::trim);
    let numbers: Vec<String> = numbers.map(str::to_owned).collect();
    numbers.iter().all(|number| digits(number, 4).is_some()).then_some(numbers)
}

/// Parses a year of four digits, or of two: 00 to 29 mean 2000 to 2029, others the 1900s, as in
/// Excel.
fn year(text: &str) -> Option<i32> {
    let number = digits(text, 4)? as i32;
    match text.len() {
        4 => Some(number),
        1 | 2 => Some(if number < 30 { 2000 + number } else { 1900 + number }),
        _ => None,
    }
}

/// Returns the number of a full or abbreviated month name in the locale or in English. `text` has
/// no trailing point.
fn month(text: &str, locale: Locale) -> Option<u32> {
    let folded = text.to_lowercase();
    for locale in [locale, Locale::INVARIANT] {
        for index in 0..12 {
            let is_name = [NameLength::Full, NameLength::Short].into_iter().any(|length| {
                let name = locale.month(index, length).to_lowercase();
                name.strip_suffix('.').unwrap_or(&name) == folded
            });
            if is_name || index == 8 && folded == "sept" {
                return Some(index as u32 + 1);
            }
        }
    }
    None
}
