//! The pieces of a section: digits and literal text.

use super::tokens::Token;

/// An element of a layout.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Piece {
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
}

/// What a token shows where it has no meaning of its own.
pub(super) fn literal_of(token: &Token) -> String {
    match token {
        Token::Literal(text) => text.clone(),
        Token::Digit(digit) => digit.to_string(),
        Token::Point => ".".to_owned(),
        Token::Comma => ",".to_owned(),
        Token::Percent => "%".to_owned(),
        Token::Slash => "/".to_owned(),
        Token::Exponent { shows_plus } => if *shows_plus { "E+" } else { "E-" }.to_owned(),
        _ => String::new(),
    }
}

/// Literals and digits in order; anything else shows itself.
pub(super) fn pieces_of(tokens: &[Token]) -> Vec<Piece> {
    let piece = |token: &Token| match token {
        Token::Digit(digit) => Piece::Digit(*digit),
        other => Piece::Literal(literal_of(other)),
    };
    tokens.iter().map(piece).collect()
}
