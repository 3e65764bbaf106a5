//! The lexer of format codes: sections at semicolons, and the tokens of a section.

/// A token of a section.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// Literal text: quoted, escaped, or a character without special meaning.
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    Slash,
    /// `E+` (`shows_plus`) or `E-`.
    Exponent {
        shows_plus: bool,
    },
    /// `@`.
    Text,
    General,
    /// A run of one of `y m d h s e b`, in lower case.
    Date {
        letter: char,
        count: usize,
    },
    /// `[h]`, `[mm]`, `[s]`: elapsed time.
    Elapsed {
        letter: char,
        count: usize,
    },
    /// `AM/PM` (`is_long`) or `A/P`.
    DayPeriod {
        is_long: bool,
    },
    /// The content of other brackets.
    Bracket(String),
}

/// Splits a code at semicolons that are not quoted, escaped or in brackets.
pub(super) fn split_sections(code: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let (mut start, mut in_quotes, mut in_brackets) = (0, false, false);
    let mut characters = code.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '\\' | '_' | '*' => {
                characters.next();
            }
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            ';' if !in_brackets => {
                sections.push(&code[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    sections.push(&code[start..]);
    sections
}

/// Returns the tokens of a section, or `None` when it contains an unknown letter or ends inside a
/// quote, escape or bracket.
pub(super) fn tokenize(section: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = section;
    while let Some(character) = rest.chars().next() {
        let (token, length) = next_token(rest, character)?;
        tokens.extend(token);
        rest = &rest[length..];
    }
    Some(tokens)
}

/// Returns the next token, or none if the characters there produce no output, and its length in
/// bytes.
fn next_token(rest: &str, character: char) -> Option<(Option<Token>, usize)> {
    let literal = |text: &str, length: usize| Some((Some(Token::Literal(text.to_owned())), length));
    let starts_with =
        |prefix: &str| rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let one = |token: Token| Some((Some(token), 1));
    let next = rest[character.len_utf8()..].chars().next();
    match character {
        '"' => {
            let end = rest[1..].find('"')?;
            literal(&rest[1..1 + end], end + 2)
        }
        '\\' => {
            let escaped = next?;
            literal(&escaped.to_string(), 1 + escaped.len_utf8())
        }
        // `_x` is a space as wide as `x`; plain text uses one space.
        '_' => literal(" ", 1 + next?.len_utf8()),
        // `*x` fills the width of the cell, which is unknown here.
        '*' => Some((None, 1 + next?.len_utf8())),
        '[' => {
            let end = rest.find(']')?;
            Some((Some(bracket(&rest[1..end])), end + 1))
        }
        _ if starts_with("general") => Some((Some(Token::General), 7)),
        _ if starts_with("am/pm") => Some((Some(Token::DayPeriod { is_long: true }), 5)),
        _ if starts_with("a/p") => Some((Some(Token::DayPeriod { is_long: false }), 3)),
        '0' | '#' | '?' => one(Token::Digit(character)),
        '.' => one(Token::Point),
        ',' => one(Token::Comma),
        '%' => one(Token::Percent),
        '/' => one(Token::Slash),
        '@' => one(Token::Text),
        'E' | 'e' if matches!(next, Some('+' | '-')) => {
            Some((Some(Token::Exponent { shows_plus: next == Some('+') }), 2))
        }
        _ if "ymdhseb".contains(character.to_ascii_lowercase()) => {
            let letter = character.to_ascii_lowercase();
            let count = rest.chars().take_while(|next| next.to_ascii_lowercase() == letter).count();
            Some((Some(Token::Date { letter, count }), count))
        }
        // Era names are not supported.
        'g' | 'G' => Some((None, 1)),
        // Literals of ISO 8601 dates.
        'T' | 'Z' => literal(&rest[..1], 1),
        _ if character.is_ascii_alphabetic() => None,
        _ => literal(&character.to_string(), character.len_utf8()),
    }
}

fn bracket(inside: &str) -> Token {
    let lower = inside.to_ascii_lowercase();
    match lower.chars().next() {
        Some(letter @ ('h' | 'm' | 's')) if lower.chars().all(|other| other == letter) => {
            Token::Elapsed { letter, count: lower.len() }
        }
        _ => Token::Bracket(inside.to_owned()),
    }
}
