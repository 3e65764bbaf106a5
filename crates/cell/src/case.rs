//! Case mapping that keeps the number of characters.

/// The lower case of a character.
///
/// A character whose lower case is several characters (`İ`) is returned unchanged.
pub fn lowercase_char(character: char) -> char {
    single(character.to_lowercase()).unwrap_or(character)
}

/// The upper case of a character.
///
/// A character whose upper case is several characters (`ß`, `ŉ`) is returned unchanged.
pub fn uppercase_char(character: char) -> char {
    single(character.to_uppercase()).unwrap_or(character)
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    first.filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_without_a_single_counterpart_stay() {
        assert_eq!((lowercase_char('É'), uppercase_char('é')), ('é', 'É'));
        assert_eq!((lowercase_char('İ'), uppercase_char('ß')), ('İ', 'ß'));
        assert_eq!((lowercase_char('1'), uppercase_char('1')), ('1', '1'));
    }
}
