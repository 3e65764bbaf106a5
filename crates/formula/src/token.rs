//! Tokens for editors: colouring, matching brackets, finding the reference under the cursor.

use quadrille_cell::CellAddress;

use crate::BinaryOperator;
use crate::lexer::{Lexeme, Lexer};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    Number,
    /// With its quotes; the closing one may be missing while typing.
    Text,
    Boolean,
    Error,
    /// With its sheet: `'My Sheet'!A1:B2`.
    Reference,
    Name,
    Function,
    Operator,
    /// `,` or `;`
    Separator,
    OpenParenthesis,
    CloseParenthesis,
    OpenBrace,
    CloseBrace,
    /// What no formula contains.
    Unknown,
}

/// A piece of a formula. Blanks are what lies between tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Byte offsets; `end` is exclusive.
    pub start: usize,
    pub end: usize,
}

/// The tokens of `text`, which stands after the `=`, finished or not.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text, CellAddress::default());
    let mut tokens = Vec::new();
    loop {
        let lexed = lexer.next();
        let kind = match lexed.lexeme {
            Lexeme::End => return tokens,
            Lexeme::Number(_) => TokenKind::Number,
            Lexeme::Text | Lexeme::Unclosed => TokenKind::Text,
            Lexeme::Boolean(_) => TokenKind::Boolean,
            Lexeme::Error(_) => TokenKind::Error,
            Lexeme::Reference { .. } => TokenKind::Reference,
            Lexeme::Name => TokenKind::Name,
            Lexeme::Function => TokenKind::Function,
            Lexeme::Operator(BinaryOperator::Range)
            | Lexeme::Operator(_)
            | Lexeme::Plus
            | Lexeme::Minus
            | Lexeme::Percent
            | Lexeme::At
            | Lexeme::Hash => TokenKind::Operator,
            Lexeme::Comma | Lexeme::Semicolon => TokenKind::Separator,
            Lexeme::Open => TokenKind::OpenParenthesis,
            Lexeme::Close => TokenKind::CloseParenthesis,
            Lexeme::OpenBrace => TokenKind::OpenBrace,
            Lexeme::CloseBrace => TokenKind::CloseBrace,
            Lexeme::Unknown => TokenKind::Unknown,
        };
        tokens.push(Token { kind, start: lexed.start, end: lexed.end });
    }
}
