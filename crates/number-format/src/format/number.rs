//! Sections that format numbers with digit placeholders: `#,##0.00`, `0.0%`, `0.00E+00`,
//! `000-00-0000`.

use super::literal::{Piece, literal_of, pieces_of};
use super::tokens::Token;
use crate::locale::Locale;
use crate::rounded_decimal::Decimal;

#[derive(Clone, Debug)]
pub(super) struct NumberLayout {
    integer: Vec<Piece>,
    has_point: bool,
    fraction: Vec<Piece>,
    exponent: Option<ExponentLayout>,
    has_groups: bool,
    /// Power of ten by which the number is scaled: +2 for each percent sign, -3 for each trailing
    /// comma.
    power: i32,
}

#[derive(Clone, Debug)]
struct ExponentLayout {
    shows_plus: bool,
    pieces: Vec<Piece>,
}

impl NumberLayout {
    /// Parses the tokens of a section. Returns `None` for two decimal points or two exponents.
    pub fn parse(mut tokens: Vec<Token>) -> Option<NumberLayout> {
        let percents = tokens.iter().filter(|token| **token == Token::Percent).count();
        let mut power = 2 * percents as i32;
        let has_groups = take_commas(&mut tokens, &mut power);

        let exponent_at = tokens.iter().position(|token| matches!(token, Token::Exponent { .. }));
        let (mantissa, exponent) = match exponent_at {
            Some(at) => {
                let Token::Exponent { shows_plus } = tokens[at] else { return None };
                let pieces = pieces_of(&tokens[at + 1..]);
                if !pieces.iter().any(is_digit) {
                    return None;
                }
                (&tokens[..at], Some(ExponentLayout { shows_plus, pieces }))
            }
            None => (&tokens[..], None),
        };
        let mut parts = mantissa.split(|token| *token == Token::Point);
        let integer = pieces_of(parts.next().unwrap_or_default());
        let fraction = parts.next();
        if parts.next().is_some()
            || tokens.iter().filter(|token| matches!(token, Token::Exponent { .. })).count() > 1
        {
            return None;
        }
        Some(NumberLayout {
            integer,
            has_point: fraction.is_some(),
            fraction: pieces_of(fraction.unwrap_or_default()),
            exponent,
            has_groups,
            power,
        })
    }
}

fn is_digit(piece: &Piece) -> bool {
    matches!(piece, Piece::Digit(_))
}

fn digit_count(pieces: &[Piece]) -> usize {
    pieces.iter().filter(|piece| is_digit(piece)).count()
}

/// Removes thousands separators and scaling commas; returns whether digits are grouped.
///
/// A comma between digits before the decimal point groups digits by three. Each comma directly
/// after the last digit before the point, or after the last digit overall, divides by a thousand.
fn take_commas(tokens: &mut Vec<Token>, power: &mut i32) -> bool {
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let last_integer = tokens[..point].iter().rposition(is_digit);
    let last = tokens.iter().rposition(is_digit);
    let first = tokens.iter().position(is_digit);
    let mut has_groups = false;
    let mut remaining = Vec::with_capacity(tokens.len());
    let mut is_after_last_digit = false;
    for (index, token) in tokens.iter().enumerate() {
        if *token != Token::Comma {
            remaining.push(token.clone());
            is_after_last_digit = last_integer == Some(index) || last == Some(index);
        } else if is_after_last_digit {
            *power -= 3;
        } else if first < Some(index) && Some(index) < last_integer {
            has_groups = true;
        } else {
            remaining.push(Token::Literal(literal_of(token)));
        }
    }
    *tokens = remaining;
    has_groups
}

/// Whether the number rounds to zero, in which case no minus sign is shown.
pub(super) fn rounds_to_zero(layout: &NumberLayout, magnitude: &Decimal) -> bool {
    let places = digit_count(&layout.fraction) as i32;
    layout.exponent.is_none() && magnitude.shifted(layout.power).round(places).is_zero()
}

/// Formats a nonnegative number.
pub(super) fn format(layout: &NumberLayout, magnitude: &Decimal, locale: Locale) -> String {
    let number = magnitude.shifted(layout.power);
    match &layout.exponent {
        Some(exponent) => format_scientific(layout, exponent, &number, locale),
        None => format_plain(layout, &number, locale),
    }
}

fn format_plain(layout: &NumberLayout, number: &Decimal, locale: Locale) -> String {
    let places = digit_count(&layout.fraction) as i32;
    let rounded = number.round(places);
    fill_mantissa(layout, &rounded, &rounded.integer_digits(), locale)
}

fn fill_mantissa(layout: &NumberLayout, number: &Decimal, integer_digits: &str, locale: Locale) -> String {
    let group = layout.has_groups.then(|| locale.group_separator());
    let mut text = match layout.integer.is_empty() {
        // `.00` formats 12.5 as `12.50`.
        true => integer_digits.to_owned(),
        false => fill_integer(&layout.integer, integer_digits, group),
    };
    if layout.has_point {
        text.push(locale.decimal_separator());
    }
    fill_fraction(&mut text, &layout.fraction, number);
    text
}

fn format_scientific(
    layout: &NumberLayout,
    exponent_layout: &ExponentLayout,
    number: &Decimal,
    locale: Locale,
) -> String {
    let places = digit_count(&layout.fraction) as i32;
    // `##0.0E+0` shows exponents that are multiples of three.
    let step = digit_count(&layout.integer).max(1) as i32;
    let power_of = |number: &Decimal| match number.is_zero() {
        true => 0,
        false => (number.exponent - 1).div_euclid(step) * step,
    };
    let mut power = power_of(number);
    let mut mantissa = number.shifted(-power).round(places);
    if power_of(&mantissa) > 0 {
        // Rounding added a digit: 9.99 became 10.0.
        power += step;
        mantissa = number.shifted(-power).round(places);
    }
    let digits = if mantissa.is_zero() { "0".to_owned() } else { mantissa.integer_digits() };
    let mut text = fill_mantissa(layout, &mantissa, &digits, locale);
    text.push('E');
    match power {
        ..0 => text.push('-'),
        _ if exponent_layout.shows_plus => text.push('+'),
        _ => {}
    }
    let digits = if power == 0 { String::new() } else { power.abs().to_string() };
    text.push_str(&fill_integer(&exponent_layout.pieces, &digits, None));
    text
}

/// Fills the placeholders before the decimal point from the right. The first placeholder takes all
/// remaining digits.
pub(super) fn fill_integer(pieces: &[Piece], digits: &str, group: Option<char>) -> String {
    let placeholders = digit_count(pieces);
    let mut digits: Vec<char> = digits.chars().collect();
    let mut reversed: Vec<char> = Vec::new();
    let (mut digit_count_so_far, mut placeholders_done) = (0, 0);
    let mut push = |reversed: &mut Vec<char>, digit: char| {
        if let Some(group) = group
            && digit_count_so_far > 0
            && digit_count_so_far % 3 == 0
        {
            reversed.push(if digit == ' ' { ' ' } else { group });
        }
        reversed.push(digit);
        digit_count_so_far += 1;
    };
    for piece in pieces.iter().rev() {
        match piece {
            Piece::Literal(text) => reversed.extend(text.chars().rev()),
            Piece::Digit(placeholder) => {
                placeholders_done += 1;
                match (digits.pop(), placeholder) {
                    (Some(digit), _) => push(&mut reversed, digit),
                    (None, '0') => push(&mut reversed, '0'),
                    (None, '?') => push(&mut reversed, ' '),
                    (None, _) => {}
                }
                while placeholders_done == placeholders
                    && let Some(digit) = digits.pop()
                {
                    push(&mut reversed, digit);
                }
            }
        }
    }
    // Without placeholders before the point all integer digits are shown: `.00` formats 12.5 as
    // `12.50`.
    if placeholders == 0
        && pieces.iter().all(|piece| matches!(piece, Piece::Literal(text) if text.is_empty()))
    {
        return digits.into_iter().collect();
    }
    reversed.into_iter().rev().collect()
}

/// Fills the placeholders after the decimal point; `#` omits trailing zeros, `?` replaces them with
/// spaces.
fn fill_fraction(text: &mut String, pieces: &[Piece], number: &Decimal) {
    let last_place = number.digits.len() as i32 - number.exponent;
    let mut place = 0;
    for piece in pieces {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Digit(placeholder) => {
                place += 1;
                match placeholder {
                    '#' if place > last_place => {}
                    '?' if place > last_place => text.push(' '),
                    _ => text.push(char::from(b'0' + number.digit_at(-place))),
                }
            }
        }
    }
}
