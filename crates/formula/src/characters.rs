//! Character classes of names.

pub(crate) fn is_name_character(character: char) -> bool {
    character.is_alphanumeric()
}

pub(crate) fn is_name_start(character: char) -> bool {
    character.is_alphabetic() || character == '_' || character == '\\'
}
