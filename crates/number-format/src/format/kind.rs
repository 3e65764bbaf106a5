//! [`NumberFormatKind`]: what a format code shows, as far as formulas pass it on to their results.

use super::NumberFormat;
use super::tokens::{Token, split_sections, tokenize};

/// What a format code shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberFormatKind {
    /// General, text, or an invalid code.
    General,
    /// Digits in a certain layout: `0.00`, `#,##0`, `0.00E+00`.
    Number,
    Currency,
    Percent,
    Date,
    /// A time of day or an elapsed time.
    Time,
    DateAndTime,
}

impl NumberFormatKind {
    /// Returns the kind of a format code, which is that of its first section.
    pub fn of(code: &str) -> NumberFormatKind {
        let first = split_sections(code).into_iter().next().and_then(tokenize);
        let Some(tokens) = first else { return NumberFormatKind::General };
        let has = |test: fn(&Token) -> bool| tokens.iter().any(test);
        let format = NumberFormat::parse(code);
        if !format.is_valid() || has(|token| matches!(token, Token::General | Token::Text)) {
            NumberFormatKind::General
        } else if format.is_date() {
            match (format.shows_day(), has(is_time)) {
                (true, true) => NumberFormatKind::DateAndTime,
                (true, false) => NumberFormatKind::Date,
                (false, _) => NumberFormatKind::Time,
            }
        } else if has(is_currency) {
            NumberFormatKind::Currency
        } else if has(|token| *token == Token::Percent) {
            NumberFormatKind::Percent
        } else if has(|token| matches!(token, Token::Digit(_))) {
            NumberFormatKind::Number
        } else {
            NumberFormatKind::General
        }
    }
}

fn is_time(token: &Token) -> bool {
    match token {
        Token::Date { letter, .. } => matches!(letter, 'h' | 's'),
        Token::Elapsed { .. } | Token::DayPeriod { .. } => true,
        _ => false,
    }
}

/// `[$CHF]`, or a text with a currency sign; `[$-407]` is a locale only.
fn is_currency(token: &Token) -> bool {
    match token {
        Token::Bracket(inside) => inside.strip_prefix('$').is_some_and(|sign| !sign.starts_with('-')),
        Token::Literal(text) => text.contains(is_currency_sign),
        _ => false,
    }
}

/// The currency signs (category Sc of Unicode) of living currencies.
fn is_currency_sign(character: char) -> bool {
    matches!(character, '$' | '¢'..='¥' | '֏' | '؋' | '৳' | '฿' | '៛' | '\u{20A0}'..='\u{20C0}' | '￠' | '￡' | '￥' | '￦')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_a_kind() {
        use NumberFormatKind::*;
        for (code, kind) in [
            ("", General),
            ("General", General),
            ("@", General),
            ("no code", General),
            ("0.00", Number),
            ("#,##0 \"kg\"", Number),
            ("#,##0.00 [$€-407]", Currency),
            ("$#,##0.00_);[Red]($#,##0.00)", Currency),
            ("[$CHF] #,##0.00", Currency),
            ("#,##0.00 \"₺\"", Currency),
            ("[$-407]#,##0.00", Number),
            ("0.0%", Percent),
            ("yyyy-mm-dd", Date),
            ("[$-407]d. mmmm yyyy", Date),
            ("mmm yy", Date),
            ("hh:mm AM/PM", Time),
            ("[h]:mm", Time),
            ("m/d/yyyy h:mm", DateAndTime),
        ] {
            assert_eq!(NumberFormatKind::of(code), kind, "{code}");
        }
    }
}
