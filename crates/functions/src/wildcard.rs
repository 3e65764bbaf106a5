//! Wildcard patterns: `*` matches any characters, `?` one character, and `~` escapes the next one.
//! Matching is case-insensitive.
//!
//! A pattern is split at its stars. The pieces are searched from left to right, each at its first
//! match and without backtracking, so the time is at most the product of both lengths.

/// A parsed pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The pieces between stars; `None` is `?`.
    pieces: Vec<Vec<Option<char>>>,
}

/// Whether the text contains wildcard characters.
pub(crate) fn has_wildcards(text: &str) -> bool {
    text.contains(['*', '?', '~'])
}

/// Case-folds a character to a single character.
pub(crate) fn fold_char(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    // `İ`, the only character with a longer lower case, folds to its first character.
    character.to_lowercase().next().unwrap_or(character)
}

/// Whether two texts are equal case-insensitively.
pub(crate) fn equals_folded(left: &str, right: &str) -> bool {
    if left.len() == right.len() && left.eq_ignore_ascii_case(right) {
        return true;
    }
    if left.is_ascii() && right.is_ascii() {
        return false;
    }
    left.chars().map(fold_char).eq(right.chars().map(fold_char))
}

impl Pattern {
    /// Parses a pattern.
    pub fn new(text: &str) -> Pattern {
        let mut pieces = vec![Vec::new()];
        let mut characters = text.chars();
        let push = |pieces: &mut Vec<Vec<Option<char>>>, element| {
            pieces.last_mut().expect("there is always a piece").push(element);
        };
        while let Some(character) = characters.next() {
            match character {
                '*' => pieces.push(Vec::new()),
                '?' => push(&mut pieces, None),
                '~' => push(&mut pieces, Some(characters.next().map_or('~', fold_char))),
                _ => push(&mut pieces, Some(fold_char(character))),
            }
        }
        Pattern { pieces }
    }

    /// Whether the pattern matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        match Folded::new(text) {
            Folded::Bytes(bytes) => {
                self.fits_all(bytes.len(), |at| char::from(bytes[at].to_ascii_lowercase()))
            }
            Folded::Characters(characters) => self.fits_all(characters.len(), |at| characters[at]),
        }
    }

    /// Returns the start of the first match from character `from` on, in characters.
    pub fn find(&self, text: &str, from: usize) -> Option<usize> {
        match Folded::new(text) {
            Folded::Bytes(bytes) => {
                self.find_part(bytes.len(), from, |at| char::from(bytes[at].to_ascii_lowercase()))
            }
            Folded::Characters(characters) => self.find_part(characters.len(), from, |at| characters[at]),
        }
    }

    fn fits_all(&self, length: usize, at: impl Fn(usize) -> char) -> bool {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else { return false };
        if self.pieces.len() == 1 {
            return length == first.len() && fits_at(first, length, 0, &at);
        }
        if length < first.len() + last.len() || !fits_at(first, length, 0, &at) {
            return false;
        }
        let end = length - last.len();
        if !fits_at(last, length, end, &at) {
            return false;
        }
        let mut from = first.len();
        for piece in &self.pieces[1..self.pieces.len() - 1] {
            match find_piece(piece, end, from, &at) {
                Some(found) => from = found + piece.len(),
                None => return false,
            }
        }
        true
    }

    fn find_part(&self, length: usize, mut from: usize, at: impl Fn(usize) -> char) -> Option<usize> {
        let mut start = None;
        for piece in &self.pieces {
            let found = find_piece(piece, length, from, &at)?;
            start = start.or(Some(found));
            from = found + piece.len();
        }
        start
    }
}

/// A text to search in. ASCII text needs no copy.
enum Folded<'a> {
    Bytes(&'a [u8]),
    Characters(Vec<char>),
}

impl Folded<'_> {
    fn new(text: &str) -> Folded<'_> {
        match text.is_ascii() {
            true => Folded::Bytes(text.as_bytes()),
            false => Folded::Characters(text.chars().map(fold_char).collect()),
        }
    }
}

fn fits_at(piece: &[Option<char>], length: usize, start: usize, at: &impl Fn(usize) -> char) -> bool {
    start + piece.len() <= length
        && piece
            .iter()
            .enumerate()
            .all(|(index, expected)| expected.is_none_or(|expected| expected == at(start + index)))
}

fn find_piece(
    piece: &[Option<char>],
    length: usize,
    from: usize,
    at: &impl Fn(usize) -> char,
) -> Option<usize> {
    let last = length.checked_sub(piece.len())?;
    (from..=last).find(|start| fits_at(piece, length, *start, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_excel() {
        for (pattern, text, fits) in [
            ("a*", "Apple", true),
            ("*le", "apple", true),
            ("a*p*e", "apple", true),
            ("a?c", "ABC", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("?", "", false),
            ("a*a", "a", false),
            ("~*", "*", true),
            ("~*", "x", false),
            ("a~?", "a?", true),
            ("*b*b*", "abcb", true),
            ("é*", "École", true),
            ("~", "~", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), fits, "{pattern} on {text}");
        }
        assert_eq!(Pattern::new("e?t").find("A test", 0), Some(3));
        assert_eq!(Pattern::new("x*").find("a test", 0), None);
    }

    #[test]
    fn many_stars_take_at_most_quadratic_time() {
        let text = "a".repeat(30_000);
        let pattern = "*a".repeat(120) + "*b";
        assert!(!Pattern::new(&pattern).matches(&text));
    }
}
