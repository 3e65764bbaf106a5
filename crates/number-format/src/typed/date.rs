//! Typed dates and times.

use crate::date::{Civil, serial_from_civil};

type Typed = (f64, Option<&'static str>);

/// The serial number and the format it was typed in; `None` when the text is no date, no time and not both.
pub(super) fn read(text: &str) -> Option<Typed> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(time) = Time::read(text) {
        return Some((time.days, Some(time.format)));
    }
    if let Some((serial, format)) = read_date(text) {
        return Some((serial as f64, Some(format)));
    }
    // A date and a time: the time begins behind a blank or a T.
    for (at, character) in text.char_indices().rev() {
        if character != ' ' && character != 'T' {
            continue;
        }
        let (date, time) = (text[..at].trim_end(), text[at + 1..].trim_start());
        let time = if character == 'T' { time.strip_suffix('Z').unwrap_or(time) } else { time };
        let (Some((serial, date_format)), Some(time)) = (read_date(date), Time::read(time)) else { continue };
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
    fn read(text: &str) -> Option<Time> {
        let (clock, is_afternoon) = take_noon(text);
        let mut parts = clock.split(':');
        let hours = whole(parts.next()?, 4)?;
        let minutes = parts.next();
        let seconds = parts.next();
        if parts.next().is_some() || minutes.is_none() && is_afternoon.is_none() {
            return None;
        }
        let minute = minutes.map_or(Some(0), |minutes| whole(minutes, 2))?;
        let second = seconds.map_or(Some(0.0), read_seconds)?;
        if minute > 59 || second >= 60.0 {
            return None;
        }
        let hour = match is_afternoon {
            Some(_) if !(1..=12).contains(&hours) => return None,
            Some(is_afternoon) => hours % 12 + if is_afternoon { 12 } else { 0 },
            None => hours,
        };
        let has_subseconds = seconds.is_some_and(|seconds| seconds.contains('.'));
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

/// Whether the text ends in AM or PM, and what stands before.
fn take_noon(text: &str) -> (&str, Option<bool>) {
    let Some(at) = text.len().checked_sub(2) else { return (text, None) };
    let Some((clock, noon)) = text.split_at_checked(at) else { return (text, None) };
    match noon.to_ascii_lowercase().as_str() {
        "am" => (clock.trim_end(), Some(false)),
        "pm" => (clock.trim_end(), Some(true)),
        _ => (text, None),
    }
}

fn read_seconds(text: &str) -> Option<f64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    whole(seconds, 2)?;
    whole(fraction, 9)?;
    text.parse().ok()
}

/// Up to so many digits.
fn whole(text: &str, length_max: usize) -> Option<u32> {
    let is_whole = (1..=length_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { text.parse().ok() } else { None }
}

fn read_date(text: &str) -> Option<(i64, &'static str)> {
    let parts = split_date(text)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let serial = |year, month, day| serial_from_civil(Civil { year, month, day });
    match parts[..] {
        [a, b, c] => {
            if a.len() == 4
                && let (Some(year), Some(month), Some(day)) = (whole(a, 4), whole(b, 2), whole(c, 2))
            {
                return Some((serial(year as i32, month, day)?, "yyyy-mm-dd"));
            }
            let year = year(c)?;
            if let (Some(month), Some(day)) = (whole(a, 2), whole(b, 2)) {
                return Some((serial(year, month, day)?, "m/d/yyyy"));
            }
            let (day, month) = match (whole(a, 2), whole(b, 2)) {
                (Some(day), None) => (day, month(b)?),
                (None, Some(day)) => (day, month(a)?),
                _ => return None,
            };
            Some((serial(year, month, day)?, "d-mmm-yy"))
        }
        // A month and its year; two digits could as well be a day.
        [a, b] if b.len() == 4 => Some((serial(year(b)?, month(a)?, 1)?, "mmm-yy")),
        _ => None,
    }
}

/// Two or three parts between slashes, hyphens, or blanks and commas; one kind of separator only.
fn split_date(text: &str) -> Option<Vec<String>> {
    let separator = ['/', '-', ' '].into_iter().find(|separator| text.contains(*separator))?;
    let without_comma = if separator == ' ' { text.replacen(", ", " ", 1) } else { text.to_owned() };
    let parts: Vec<String> = without_comma.split(separator).map(|part| part.trim().to_owned()).collect();
    let are_words =
        parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    (are_words && (2..=3).contains(&parts.len())).then_some(parts)
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

/// A month's name or its first three letters.
fn month(text: &str) -> Option<u32> {
    let is_name = |name: &&'static str| {
        text.eq_ignore_ascii_case(name)
            || text.eq_ignore_ascii_case(&name[..3])
            || text.eq_ignore_ascii_case("sept") && *name == "September"
    };
    let index = crate::date::MONTHS.iter().position(is_name)?;
    Some(index as u32 + 1)
}
