//! The lexer of queries.

use quadrille_cell::ErrorValue;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A keyword, function or column, as written.
    Name(String),
    /// A column in back quotes, never a keyword.
    Quoted(String),
    Text(String),
    Number(f64),
    Symbol(&'static str),
}

/// Symbols, longer ones first.
const SYMBOLS: [&str; 15] = ["<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ",", "*", "+", "-", "/", ";"];

pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, ErrorValue> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' | '`' => {
                let inner = &rest[1..];
                let end = inner.find(first).ok_or(ErrorValue::Value)?;
                let inner = inner[..end].to_owned();
                tokens.push(if first == '`' { Token::Quoted(inner) } else { Token::Text(inner) });
                end + 2
            }
            '0'..='9' | '.' => {
                let length = number_length(rest);
                let number = quadrille_cell::parse_number(&rest[..length]);
                tokens.push(Token::Number(number.ok_or(ErrorValue::Value)?));
                length
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(Token::Name(rest[..length].to_owned()));
                length
            }
            _ => {
                let symbol =
                    SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)).ok_or(ErrorValue::Value)?;
                tokens.push(Token::Symbol(symbol));
                symbol.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
