//! Typed dates and times.

use super::typing::Typing;
use crate::date::{Civil, civil_from_serial, serial_from_civil};
use crate::locale::{DateOrder, Locale, NameLength};

type Typed = (f64, Option<&'static str>);

/// The serial number and the format it was typed in; `None` when the text is no date, no time and not both.
pub(super) fn read(text: &str, typing: Typing) -> Option<Typed> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(time) = Time::read(text, typing.locale) {
        return Some((time.days, Some(time.format)));
    }
    if let Some((serial, format)) = read_date(text, typing) {
        return Some((serial as f64, Some(format)));
    }
    // A date and a time: the time begins behind a blank or a T.
    for (at, character) in text.char_indices().rev() {
        if character != ' ' && character != 'T' {
            continue;
        }
        let (date, time) = (text[..at].trim_end(), text[at + 1..].trim_start());
        let time = if character == 'T' { time.strip_suffix('Z').unwrap_or(time) } else { time };
        let Some((serial, date_format)) = read_date(date, typing) else { continue };
        let Some(time) = Time::read(time, typing.locale) else { continue };
        if time.days < 1.0 {
            let format = if date_format == "yyyy-mm-dd" { "yyyy-mm-dd h:mm" } else { "m/d/yyyy h:mm" };
            return Some((serial as f64 + time.days, Some(format)));
        }
    }
    None
}

struct Time {
    /// Since midnight; 24 hours or more are whole days.
    days: f64,
    format: &'static str,
}

impl Time {
    /// `13:30`, `1:30:05.5 PM`, `5 PM`, `27:30`.
    fn read(text: &str, locale: Locale) -> Option<Time> {
        let (clock, is_afternoon) = take_noon(text, locale);
        let mut parts = clock.split(':');
        let hours = whole(parts.next()?, 4)?;
        let minutes = parts.next();
        let seconds = parts.next();
        if parts.next().is_some() || minutes.is_none() && is_afternoon.is_none() {
            return None;
        }
        let minute = minutes.map_or(Some(0), |minutes| whole(minutes, 2))?;
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

/// Whether the text says before or after noon, in English at its end or as it is said there at either end; and what is
/// left.
fn take_noon(text: &str, locale: Locale) -> (&str, Option<bool>) {
    for is_afternoon in [false, true] {
        let local = locale.noon(is_afternoon);
        // A narrow blank is not on keyboards.
        let typed = local.replace('\u{202F}', " ");
        for noon in [local, &typed] {
            if let Some(clock) = text.strip_suffix(noon).or(text.strip_prefix(noon)) {
                return (clock.trim(), Some(is_afternoon));
            }
        }
    }
    let Some(at) = text.len().checked_sub(2) else { return (text, None) };
    let Some((clock, noon)) = text.split_at_checked(at) else { return (text, None) };
    match noon.to_ascii_lowercase().as_str() {
        "am" => (clock.trim_end(), Some(false)),
        "pm" => (clock.trim_end(), Some(true)),
        _ => (text, None),
    }
}

fn read_seconds(text: &str, locale: Locale) -> Option<f64> {
    let (seconds, fraction) = text.split_once(locale.decimal_separator()).unwrap_or((text, "0"));
    whole(seconds, 2)?;
    whole(fraction, 9)?;
    quadrille_cell::parse_number(&format!("{seconds}.{fraction}"))
}

/// Up to so many digits.
fn whole(text: &str, length_max: usize) -> Option<u32> {
    let is_whole = (1..=length_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { text.parse().ok() } else { None }
}

fn read_date(text: &str, typing: Typing) -> Option<(i64, &'static str)> {
    let parts = split_date(text, typing.locale)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let locale = typing.locale;
    // There is no day before the first, though there are numbers.
    let behind = typing.dates.offset_from_1900();
    let serial = |year, month, day| {
        let serial = serial_from_civil(Civil { year, month, day })? - behind;
        (serial >= 0).then_some(serial)
    };
    match parts[..] {
        [a, b, c] => {
            if a.len() == 4
                && let (Some(year), Some(month), Some(day)) = (whole(a, 4), whole(b, 2), whole(c, 2))
            {
                // Written with hyphens a date keeps its form, otherwise it takes that of its place.
                let is_local = locale.date_order() == DateOrder::YearMonthDay && !text.contains('-');
                return Some((
                    serial(year as i32, month, day)?,
                    if is_local { "m/d/yyyy" } else { "yyyy-mm-dd" },
                ));
            }
            let (first, second) = match locale.date_order() {
                DateOrder::YearMonthDay if whole(a, 2).is_some() && month(b, locale).is_none() => {
                    return Some((serial(year(a)?, whole(b, 2)?, whole(c, 2)?)?, "m/d/yyyy"));
                }
                DateOrder::DayMonthYear => (b, a),
                _ => (a, b),
            };
            let year = year(c)?;
            if let (Some(month), Some(day)) = (whole(first, 2), whole(second, 2)) {
                return Some((serial(year, month, day)?, "m/d/yyyy"));
            }
            let (day, month) = match (whole(a, 2), whole(b, 2)) {
                (Some(day), None) => (day, month(b, locale)?),
                (None, Some(day)) => (day, month(a, locale)?),
                _ => return None,
            };
            Some((serial(year, month, day)?, "d-mmm-yy"))
        }
        // A month and its year; two digits could as well be a day.
        [a, b] if b.len() == 4 && month(a, locale).is_some() => {
            Some((serial(year(b)?, month(a, locale)?, 1)?, "mmm-yy"))
        }
        // A day of this year.
        [a, b] => {
            let year = civil_from_serial(typing.today?)?.year;
            let (month, day) = match (whole(a, 2), whole(b, 2)) {
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

/// Two or three parts between slashes, hyphens, points, or blanks and commas; one kind of separator only.
fn split_date(text: &str, locale: Locale) -> Option<Vec<String>> {
    if let Some(parts) = split_east_asian(text) {
        return Some(parts);
    }
    // Points only where dates are written so; elsewhere `1.2.3` is no date.
    let separators = ['/', '-', ' ', locale.date_separator()];
    let separator = separators.into_iter().find(|separator| text.contains(*separator))?;
    let spaced = match separator {
        // `May 1, 2024`, `1 de mayo de 2024`.
        ' ' => text.replacen(", ", " ", 1).replace(" de ", " "),
        // `1.5.`, a day without a year.
        '.' => text.strip_suffix('.').unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    // A point behind a day's number or a short name: `1. Mai`, `1 févr. 2024`.
    let part = |part: &str| part.trim().strip_suffix('.').unwrap_or(part.trim()).to_owned();
    let parts: Vec<String> = spaced.split(separator).map(part).collect();
    let are_words = parts
        .iter()
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c.is_alphabetic()));
    (are_words && (2..=3).contains(&parts.len())).then_some(parts)
}

/// `2024年5月1日`, `5月1日`.
fn split_east_asian(text: &str) -> Option<Vec<String>> {
    let (year, rest) = text.split_once('年').map_or((None, text), |(year, rest)| (Some(year), rest));
    let (month, day) = rest.split_once('月')?;
    let numbers = year.into_iter().chain([month, day.strip_suffix('日')?]).map(str::trim);
    let numbers: Vec<String> = numbers.map(str::to_owned).collect();
    numbers.iter().all(|number| whole(number, 4).is_some()).then_some(numbers)
}

/// Four digits, or two of which 00 to 29 mean 2000 to 2029 and the others the 1900s, as in Excel.
fn year(text: &str) -> Option<i32> {
    let number = whole(text, 4)? as i32;
    match text.len() {
        4 => Some(number),
        1 | 2 => Some(if number < 30 { 2000 + number } else { 1900 + number }),
        _ => None,
    }
}

/// A month's name, or its first letters, as it is said there or in English. Without the point that short names end in.
fn month(text: &str, locale: Locale) -> Option<u32> {
    let folded = text.to_lowercase();
    for locale in [locale, Locale::STORED] {
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
