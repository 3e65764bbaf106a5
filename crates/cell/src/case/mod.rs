//! Small letters and capitals.
//!
//! Natively by the standard library. In the browser's engine by the table beside this, to the same results: those of the standard library are 2 % of
//! the download.

mod table;

use table::{LONG_CAPITALS, OTHER_CAPITALS, SMALL};

/// The text in small letters.
pub fn lowercase(text: &str) -> String {
    // What a sigma becomes follows from its neighbours, and in the same way everywhere.
    if cfg!(target_arch = "wasm32") || text.contains(SIGMA) {
        small_by_table(text)
    } else {
        text.to_lowercase()
    }
}

/// The text in capitals.
pub fn uppercase(text: &str) -> String {
    if cfg!(target_arch = "wasm32") { capitals_by_table(text) } else { text.to_uppercase() }
}

/// The small letter of a character, whatever its neighbours are; `None` when there are several.
pub fn lower_character(character: char) -> Option<char> {
    if cfg!(target_arch = "wasm32") {
        (character != DOTTED_I).then(|| small(character))
    } else {
        only(character.to_lowercase())
    }
}

/// The capital of a character; `None` when there are several.
pub fn upper_character(character: char) -> Option<char> {
    if cfg!(target_arch = "wasm32") {
        long_capital(character).is_none().then(|| capital(character))
    } else {
        only(character.to_uppercase())
    }
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    first.filter(|_| characters.next().is_none())
}

const SIGMA: char = 'Σ';
const DOTTED_I: char = 'İ';

fn small_by_table(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut lower = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            SIGMA if is_final(text, at) => lower.push('ς'),
            DOTTED_I => lower.push_str("i\u{307}"),
            other => lower.push(small(other)),
        }
    }
    lower
}

/// Whether the sigma at this place ends a word: behind a letter, and not before one.
fn is_final(text: &str, at: usize) -> bool {
    let is_letter = |next: Option<char>| next.is_some_and(char::is_alphabetic);
    let (before, behind) = (&text[..at], &text[at + SIGMA.len_utf8()..]);
    is_letter(before.chars().rev().find(|other| !is_passed_over(*other)))
        && !is_letter(behind.chars().find(|other| !is_passed_over(*other)))
}

/// Accents that stand by themselves, apostrophes and what is within words otherwise.
fn is_passed_over(character: char) -> bool {
    matches!(
        character,
        '\'' | '.' | ':' | '^' | '`' | '\u{a8}' | '\u{ad}' | '\u{b7}' | '\u{300}'
            ..='\u{36f}' | '\u{2018}' | '\u{2019}'
    )
}

fn small(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let code = u32::from(character);
    let at = SMALL.partition_point(|run| run.last < code);
    let run = SMALL
        .get(at)
        .filter(|run| run.first <= code && (code - run.first).is_multiple_of(u32::from(run.step)));
    run.and_then(|run| char::from_u32(code.wrapping_add_signed(run.distance))).unwrap_or(character)
}

fn capitals_by_table(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    let mut upper = String::with_capacity(text.len());
    for character in text.chars() {
        match long_capital(character) {
            Some(capitals) => upper.push_str(capitals),
            None => upper.push(capital(character)),
        }
    }
    upper
}

fn long_capital(character: char) -> Option<&'static str> {
    let at = LONG_CAPITALS.binary_search_by_key(&character, |(small, _)| *small).ok()?;
    Some(LONG_CAPITALS[at].1)
}

fn capital(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_uppercase();
    }
    if let Ok(at) = OTHER_CAPITALS.binary_search_by_key(&character, |(small, _)| *small) {
        return OTHER_CAPITALS[at].1;
    }
    // Of several the first: the others are signs that look like it, as the one for ohm.
    let code = u32::from(character);
    let mut capitals = SMALL.iter().filter_map(|run| {
        let capital = code.wrapping_add_signed(-run.distance);
        let is_in_run = (run.first..=run.last).contains(&capital);
        (is_in_run && (capital - run.first).is_multiple_of(u32::from(run.step))).then_some(capital)
    });
    capitals.next().and_then(char::from_u32).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_characters_are_as_in_the_standard_library() {
        for character in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let text = character.to_string();
            assert_eq!(small_by_table(&text), text.to_lowercase(), "{character:?}");
            assert_eq!(capitals_by_table(&text), text.to_uppercase(), "{character:?}");
            assert_eq!(
                long_capital(character).is_none(),
                upper_character(character).is_some(),
                "{character:?}"
            );
            assert_eq!(character != DOTTED_I, lower_character(character).is_some(), "{character:?}");
        }
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_is_another_one() {
        for text in [
            "ΟΔΥΣΣΕΥΣ",
            "Σ",
            "ΑΣ ΒΣ",
            "Α.Σ.Α",
            "ΑΣ.",
            "ΑΣ'Α",
            "ΑΣ’",
            " Σ",
            "ÀΣ",
            "1Σ",
            "ΣΣ",
            "ΑΣ1",
            "Α\u{301}Σ\u{301}Β",
        ] {
            assert_eq!(lowercase(text), text.to_lowercase(), "{text}");
            assert_eq!(lowercase(text), small_by_table(text));
        }
    }
}
