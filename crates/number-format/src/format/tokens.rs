//! A format code cut into sections, and a section into tokens.

/// One element of a section as written.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// Shown as it is: quoted, escaped, or a character without meaning.
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    Slash,
    /// `E+` or `E-`; whether a positive exponent shows its sign.
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
    /// `[h]`, `[mm]` …: time that does not start again at midnight.
    Elapsed {
        letter: char,
        count: usize,
    },
    /// `AM/PM` or `A/P`; whether it is the long one.
    Noon {
        is_long: bool,
    },
    /// What stands in other brackets.
    Bracket(String),
}

/// Cuts at semicolons that are not quoted, escaped or in brackets.
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

/// `None` when the section holds a letter without meaning or ends in the middle of something.
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

/// A token, if what stands there shows anything, and how many bytes it takes.
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
        // The width of a character, for which a blank has to do.
        '_' => literal(" ", 1 + next?.len_utf8()),
        // Filling needs the width of the cell, which only who draws it knows.
        '*' => Some((None, 1 + next?.len_utf8())),
        '[' => {
            let end = rest.find(']')?;
            Some((Some(bracket(&rest[1..end])), end + 1))
        }
        _ if starts_with("general") => Some((Some(Token::General), 7)),
        _ if starts_with("am/pm") => Some((Some(Token::Noon { is_long: true }), 5)),
        _ if starts_with("a/p") => Some((Some(Token::Noon { is_long: false }), 3)),
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
        // Eras of Japanese and other calendars, which this locale does not have.
        'g' | 'G' => Some((None, 1)),
        // Between an ISO date and its time.
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
