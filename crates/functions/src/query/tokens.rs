//! A query's text in words, texts, numbers and signs.

use quadrille_cell::ErrorValue;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Word {
    /// A keyword, a function or a column; as written.
    Name(String),
    /// A column in back quotes: never a keyword.
    Quoted(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 15] = ["<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ",", "*", "+", "-", "/", ";"];

pub(super) fn words(text: &str) -> Result<Vec<Word>, ErrorValue> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' | '`' => {
                let inner = &rest[1..];
                let end = inner.find(first).ok_or(ErrorValue::Value)?;
                let inner = inner[..end].to_owned();
                words.push(if first == '`' { Word::Quoted(inner) } else { Word::Text(inner) });
                end + 2
            }
            '0'..='9' | '.' => {
                let length = number_length(rest);
                let number = quadrille_cell::parse_number(&rest[..length]);
                words.push(Word::Number(number.ok_or(ErrorValue::Value)?));
                length
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                words.push(Word::Name(rest[..length].to_owned()));
                length
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign)).ok_or(ErrorValue::Value)?;
                words.push(Word::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(words)
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
