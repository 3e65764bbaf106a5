//! One section of a format code: its condition, color, locale and body.

use super::color;
use super::date::DatePiece;
use super::fraction::FractionLayout;
use super::literal::literal_of;
use super::number::NumberLayout;
use super::tokens::{Token, tokenize};
use crate::locale::Locale;

#[derive(Clone, Debug)]
pub(super) struct Section {
    pub condition: Option<Condition>,
    pub color: Option<u32>,
    /// Locale of month and weekday names, as in `[$-407]`.
    pub locale: Option<Locale>,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Number(NumberLayout),
    Fraction(FractionLayout),
    Date(Vec<DatePiece>),
    /// Literals, `@` and General.
    Text(Vec<TextPiece>),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TextPiece {
    Literal(String),
    General,
    /// `@`.
    Text,
}

/// A condition such as `[>=100]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    operator: Operator,
    operand: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operator {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Condition {
    pub const POSITIVE: Condition = Condition { operator: Operator::Greater, operand: 0.0 };
    pub const NEGATIVE: Condition = Condition { operator: Operator::Less, operand: 0.0 };

    fn parse(text: &str) -> Option<Condition> {
        const OPERATORS: [(&str, Operator); 6] = [
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<>", Operator::NotEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
            ("=", Operator::Equal),
        ];
        let (operand, operator) =
            OPERATORS.iter().find_map(|(sign, operator)| Some((text.strip_prefix(sign)?, *operator)))?;
        Some(Condition { operator, operand: quadrille_cell::parse_number(operand.trim())? })
    }

    /// Whether the condition holds for a number.
    pub fn holds(self, number: f64) -> bool {
        match self.operator {
            Operator::Less => number < self.operand,
            Operator::LessOrEqual => number <= self.operand,
            Operator::Equal => number == self.operand,
            Operator::NotEqual => number != self.operand,
            Operator::GreaterOrEqual => number >= self.operand,
            Operator::Greater => number > self.operand,
        }
    }

    /// Whether the condition holds for negative numbers only. Such a section shows no minus sign.
    pub fn is_only_negative(self) -> bool {
        match self.operator {
            Operator::Less => self.operand <= 0.0,
            Operator::LessOrEqual | Operator::Equal => self.operand < 0.0,
            _ => false,
        }
    }
}

impl Section {
    /// Returns the section of the format General.
    pub fn general() -> Section {
        Section { condition: None, color: None, locale: None, body: Body::Text(vec![TextPiece::General]) }
    }

    /// Parses one section. Returns `None` when it is invalid.
    pub fn parse(code: &str) -> Option<Section> {
        let mut section =
            Section { condition: None, color: None, locale: None, body: Body::Text(Vec::new()) };
        let mut tokens = Vec::new();
        for token in tokenize(code)? {
            match token {
                Token::Bracket(inside) => section.apply_bracket(&inside, &mut tokens)?,
                other => tokens.push(other),
            }
        }
        section.body = body(tokens)?;
        Some(section)
    }

    fn apply_bracket(&mut self, inside: &str, tokens: &mut Vec<Token>) -> Option<()> {
        if let Some(currency) = inside.strip_prefix('$') {
            // `[$€-407]`: a currency symbol and a locale identifier, both optional.
            let (sign, number) = currency.split_once('-').unwrap_or((currency, ""));
            let number = u32::from_str_radix(number.split(',').next().unwrap_or_default(), 16);
            self.locale = number.ok().and_then(Locale::from_windows).or(self.locale);
            tokens.push(Token::Literal(sign.to_owned()));
        } else if let Some(condition) = Condition::parse(inside) {
            self.condition = Some(condition);
        } else if let Some(color) = color::parse(inside) {
            self.color = Some(color);
        } else if !inside.to_ascii_lowercase().starts_with("dbnum") && !inside.starts_with("NatNum") {
            return None;
        }
        Some(())
    }

    /// Whether the section contains `@`.
    pub fn is_for_text(&self) -> bool {
        matches!(&self.body, Body::Text(pieces) if pieces.contains(&TextPiece::Text))
    }

    /// Formats a text value.
    pub fn format_text(&self, text: &str) -> String {
        match &self.body {
            Body::Text(pieces) => format_text_pieces(pieces, text),
            _ => text.to_owned(),
        }
    }
}

pub(super) fn format_text_pieces(pieces: &[TextPiece], value: &str) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            TextPiece::Literal(literal) => text.push_str(literal),
            TextPiece::General | TextPiece::Text => text.push_str(value),
        }
    }
    text
}

fn body(tokens: Vec<Token>) -> Option<Body> {
    let has = |test: fn(&Token) -> bool| tokens.iter().any(test);
    let has_digits = has(|token| matches!(token, Token::Digit(_)));
    let has_general = has(|token| matches!(token, Token::General | Token::Text));
    if has(|token| matches!(token, Token::Date { .. } | Token::Elapsed { .. } | Token::DayPeriod { .. })) {
        if has_general {
            return None;
        }
        return DatePiece::parse(&tokens).map(Body::Date);
    }
    if has_general {
        return (!has_digits).then(|| Body::Text(tokens.into_iter().map(text_piece).collect()));
    }
    if tokens.is_empty() {
        return Some(Body::Text(Vec::new()));
    }
    if has_digits && has(|token| matches!(token, Token::Slash)) {
        return FractionLayout::parse(tokens).map(Body::Fraction);
    }
    NumberLayout::parse(tokens).map(Body::Number)
}

fn text_piece(token: Token) -> TextPiece {
    match token {
        Token::General => TextPiece::General,
        Token::Text => TextPiece::Text,
        other => TextPiece::Literal(literal_of(&other)),
    }
}
