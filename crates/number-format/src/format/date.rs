//! Sections that format dates, times of day and elapsed times.

use quadrille_cell::DateSystem;

use super::literal::literal_of;
use super::tokens::Token;
use crate::date::{Civil, SERIAL_MAX, civil_from_serial, weekday};
use crate::locale::{Locale, NameLength};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum DatePiece {
    Literal(String),
    /// `/`: the date separator of the locale.
    Separator,
    Year {
        count: usize,
    },
    /// `b`: the year of the Buddhist era, 543 years ahead.
    BuddhistYear {
        count: usize,
    },
    Month {
        count: usize,
    },
    Day {
        count: usize,
    },
    Hour {
        count: usize,
    },
    Minute {
        count: usize,
    },
    Second {
        count: usize,
    },
    /// `.000`: the decimal separator and `places` digits of the fraction of a second.
    Subsecond {
        places: usize,
    },
    Elapsed {
        letter: char,
        count: usize,
    },
    /// `AM/PM` (`is_long`) or `A/P`.
    DayPeriod {
        is_long: bool,
    },
}

/// Excel's finest resolution: milliseconds.
const SUBSECOND_PLACES_MAX: usize = 3;

impl DatePiece {
    /// Parses the tokens of a section with date tokens. Returns `None` when it also contains
    /// placeholders for numbers.
    pub fn parse(tokens: &[Token]) -> Option<Vec<DatePiece>> {
        let mut pieces = Vec::new();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            index += 1;
            pieces.push(match token {
                Token::Date { letter, count } => date_piece(tokens, index - 1, *letter, *count),
                Token::Elapsed { letter, count } => DatePiece::Elapsed { letter: *letter, count: *count },
                Token::DayPeriod { is_long } => DatePiece::DayPeriod { is_long: *is_long },
                Token::Point if tokens.get(index) == Some(&Token::Digit('0')) => {
                    let zeros =
                        tokens[index..].iter().take_while(|token| **token == Token::Digit('0')).count();
                    index += zeros;
                    DatePiece::Subsecond { places: zeros.min(SUBSECOND_PLACES_MAX) }
                }
                Token::Slash => DatePiece::Separator,
                Token::Digit(_) | Token::Percent | Token::Exponent { .. } => return None,
                other => DatePiece::Literal(literal_of(other)),
            });
        }
        Some(pieces)
    }
}

fn date_piece(tokens: &[Token], index: usize, letter: char, count: usize) -> DatePiece {
    match letter {
        'y' | 'e' => DatePiece::Year { count: if letter == 'e' { 4 } else { count } },
        'b' => DatePiece::BuddhistYear { count },
        'd' => DatePiece::Day { count },
        'h' => DatePiece::Hour { count },
        's' => DatePiece::Second { count },
        _ if count <= 2 && is_minute(tokens, index) => DatePiece::Minute { count },
        _ => DatePiece::Month { count },
    }
}

/// Whether `m` at `index` means minutes: it follows an hour or precedes a second.
fn is_minute(tokens: &[Token], index: usize) -> bool {
    let letter = |token: &Token| match token {
        Token::Date { letter, .. } | Token::Elapsed { letter, .. } => Some(*letter),
        _ => None,
    };
    let before = tokens[..index].iter().rev().find_map(letter);
    let after = tokens[index + 1..].iter().find_map(letter);
    before == Some('h') || after == Some('s')
}

pub(super) fn shows_day(pieces: &[DatePiece]) -> bool {
    use DatePiece::*;
    pieces.iter().any(|piece| matches!(piece, Year { .. } | BuddhistYear { .. } | Month { .. } | Day { .. }))
}

/// Formats a serial number with the separators of `locale` and the month and weekday names of
/// `names`. Returns `None` when the serial number has no date.
pub(super) fn format(
    pieces: &[DatePiece],
    serial: f64,
    dates: DateSystem,
    locale: Locale,
    names: Locale,
) -> Option<String> {
    let date_time = DateTime { locale, names, ..DateTime::new(pieces, serial, dates)? };
    let mut text = String::new();
    for piece in pieces {
        date_time.push(piece, &mut text);
    }
    Some(text)
}

/// The date and time of a serial number, rounded to the smallest unit of the format.
struct DateTime {
    /// The whole part of the serial number, from which elapsed times are counted.
    serial: i64,
    /// 0 for Sunday.
    weekday: u32,
    civil: Civil,
    /// Time since midnight in units of 10^-places seconds.
    ticks: i64,
    ticks_per_second: i64,
    has_day_period: bool,
    locale: Locale,
    names: Locale,
}

impl DateTime {
    fn new(pieces: &[DatePiece], number: f64, dates: DateSystem) -> Option<DateTime> {
        let serial_max = SERIAL_MAX - dates.offset_from_1900();
        if !(0.0..(serial_max + 1) as f64).contains(&number) {
            return None;
        }
        let places = pieces.iter().find_map(|piece| match piece {
            DatePiece::Subsecond { places } => Some(*places as u32),
            _ => None,
        });
        let ticks_per_second = 10i64.pow(places.unwrap_or(0));
        let ticks_per_day = 86_400 * ticks_per_second;
        let has_time = !pieces.iter().all(|piece| {
            use DatePiece::*;
            matches!(
                piece,
                Literal(_) | Separator | Year { .. } | BuddhistYear { .. } | Month { .. } | Day { .. }
            )
        });
        let mut serial = number.floor() as i64;
        let mut ticks = ((number - number.floor()) * ticks_per_day as f64).round() as i64;
        // A format without a time does not round up to the next day.
        if has_time && ticks >= ticks_per_day && serial < serial_max {
            (serial, ticks) = (serial + 1, 0);
        }
        let has_day_period = pieces.iter().any(|piece| matches!(piece, DatePiece::DayPeriod { .. }));
        let day = serial + dates.offset_from_1900();
        let (civil, weekday) = (civil_from_serial(day)?, weekday(day));
        let (locale, names) = (Locale::INVARIANT, Locale::INVARIANT);
        Some(DateTime { serial, weekday, civil, ticks, ticks_per_second, has_day_period, locale, names })
    }

    fn push(&self, piece: &DatePiece, text: &mut String) {
        let seconds = self.ticks / self.ticks_per_second;
        let elapsed_seconds = self.serial * 86_400 + seconds;
        let hour = seconds / 3600;
        match piece {
            DatePiece::Literal(literal) => text.push_str(literal),
            DatePiece::Separator => text.push(self.locale.date_separator()),
            DatePiece::Year { count } => push_year(text, i64::from(self.civil.year), *count),
            DatePiece::BuddhistYear { count } => push_year(text, i64::from(self.civil.year) + 543, *count),
            DatePiece::Month { count } => {
                let month = self.civil.month;
                let name = |length| self.names.month(month as usize - 1, length);
                match count {
                    1 | 2 => push_padded(text, i64::from(month), *count),
                    3 => text.push_str(name(NameLength::Short)),
                    5 => text.extend(name(NameLength::Full).chars().next()),
                    _ => text.push_str(name(NameLength::Full)),
                }
            }
            DatePiece::Day { count } => {
                let name = |length| self.names.weekday(self.weekday as usize, length);
                match count {
                    1 | 2 => push_padded(text, i64::from(self.civil.day), *count),
                    3 => text.push_str(name(NameLength::Short)),
                    _ => text.push_str(name(NameLength::Full)),
                }
            }
            DatePiece::Hour { count } if self.has_day_period => {
                push_padded(text, (hour + 11) % 12 + 1, (*count).min(2))
            }
            DatePiece::Hour { count } => push_padded(text, hour, (*count).min(2)),
            DatePiece::Minute { count } => push_padded(text, seconds / 60 % 60, *count),
            DatePiece::Second { count } => push_padded(text, seconds % 60, (*count).min(2)),
            DatePiece::Subsecond { places } => {
                text.push(self.locale.decimal_separator());
                push_padded(text, self.ticks % self.ticks_per_second, *places);
            }
            DatePiece::Elapsed { letter, count } => {
                let unit = match letter {
                    'h' => 3600,
                    'm' => 60,
                    _ => 1,
                };
                push_padded(text, elapsed_seconds / unit, *count);
            }
            DatePiece::DayPeriod { is_long } => match is_long {
                true => text.push_str(self.names.day_period(hour >= 12)),
                false => text.push(if hour < 12 { 'A' } else { 'P' }),
            },
        }
    }
}

fn push_padded(text: &mut String, number: i64, width: usize) {
    text.push_str(&format!("{number:0width$}"));
}

fn push_year(text: &mut String, year: i64, count: usize) {
    match count {
        1 | 2 => push_padded(text, year % 100, 2),
        _ => push_padded(text, year, 4),
    }
}
