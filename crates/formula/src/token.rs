//! Tokens for editors: colouring, matching brackets, finding the reference under the cursor.

use std::borrow::Cow;

use quadrille_cell::CellAddress;

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
            Lexeme::Name | Lexeme::Structured { .. } => TokenKind::Name,
            Lexeme::Function => TokenKind::Function,
            Lexeme::Operator(_)
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

/// A formula as typed, with the parentheses that its end leaves open: `SUM(A1:A3` is taken as `SUM(A1:A3)`, as
/// in Excel. Anything else that is wrong stays as it is.
pub fn completed(text: &str) -> Cow<'_, str> {
    let mut lexer = Lexer::new(text, CellAddress::default());
    let mut open = 0usize;
    loop {
        match lexer.next().lexeme {
            Lexeme::Open => open += 1,
            Lexeme::Close if open > 0 => open -= 1,
            Lexeme::Close | Lexeme::Unclosed => return Cow::Borrowed(text),
            Lexeme::End if open == 0 => return Cow::Borrowed(text),
            Lexeme::End => return Cow::Owned(text.to_owned() + &")".repeat(open)),
            _ => {}
        }
    }
}
