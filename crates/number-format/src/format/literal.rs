//! Placeholders and literal text of a section.

use super::tokens::Token;

/// A digit placeholder or literal text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Piece {
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
}

/// Returns the text of a token that is used as a literal.
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

/// Converts tokens to placeholders and literals; other tokens become literals.
pub(super) fn pieces_of(tokens: &[Token]) -> Vec<Piece> {
    let piece = |token: &Token| match token {
        Token::Digit(digit) => Piece::Digit(*digit),
        other => Piece::Literal(literal_of(other)),
    };
    tokens.iter().map(piece).collect()
}
