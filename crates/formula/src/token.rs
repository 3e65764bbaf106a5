//! Tokens for editors: syntax highlighting, matching brackets, the reference at the cursor.

use std::borrow::Cow;

use quadrille_cell::CellAddress;

use crate::lexer::{Lexeme, Lexer};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    Number,
    /// A text constant with its quotes; the closing quote can be missing.
    Text,
    Boolean,
    Error,
    /// A reference with its sheet: `'My Sheet'!A1:B2`.
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
    /// Characters that are invalid in formulas.
    Unknown,
}

/// A token of a formula. Only whitespace lies between tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Byte offsets; `end` is exclusive.
    pub start: usize,
    pub end: usize,
}

/// Returns the tokens of a formula without its `=`. The formula may be incomplete.
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

/// Appends a missing closing quotation mark and missing closing parentheses: `SUM(A1:A3` becomes
/// `SUM(A1:A3)` and `LEN("a` becomes `LEN("a")`, as in Excel. Other errors are not corrected.
pub fn close_parentheses(text: &str) -> Cow<'_, str> {
    let mut lexer = Lexer::new(text, CellAddress::default());
    let mut open = 0usize;
    loop {
        let lexed = lexer.next();
        match lexed.lexeme {
            Lexeme::Open => open += 1,
            Lexeme::Close if open > 0 => open -= 1,
            Lexeme::Unclosed if text[lexed.start..].starts_with('"') => {
                return Cow::Owned(text.to_owned() + "\"" + &")".repeat(open));
            }
            Lexeme::Close | Lexeme::Unclosed => return Cow::Borrowed(text),
            Lexeme::End if open == 0 => return Cow::Borrowed(text),
            Lexeme::End => return Cow::Owned(text.to_owned() + &")".repeat(open)),
            _ => {}
        }
    }
}
