//! Texts without regard to case.

use quadrille_cell::lowercase_char;

/// Text in lower case, character by character.
pub(crate) fn folded(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().map(lowercase_char).collect(),
    }
}
