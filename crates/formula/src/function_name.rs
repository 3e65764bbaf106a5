//! The name in a call.

use crate::characters::is_name_character;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

/// The name of a function that is called. It remembers its number in the library, which is asked for at each call.
pub struct FunctionName {
    text: Arc<str>,
    /// Two more than the number, `ABSENT` where there is none, 0 before the library has been asked.
    found: AtomicU16,
}

const ABSENT: u16 = 1;

impl FunctionName {
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What `find` says of the name, which must say the same each time; numbers are below 65,534.
    pub fn number(&self, find: impl FnOnce(&str) -> Option<u16>) -> Option<u16> {
        match self.found.load(Ordering::Relaxed) {
            0 => {
                let number = find(&self.text);
                self.found.store(number.map_or(ABSENT, |number| number + 2), Ordering::Relaxed);
                number
            }
            ABSENT => None,
            found => Some(found - 2),
        }
    }
}

impl Deref for FunctionName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<T: Into<Arc<str>>> From<T> for FunctionName {
    fn from(text: T) -> FunctionName {
        FunctionName { text: text.into(), found: AtomicU16::new(0) }
    }
}

impl Clone for FunctionName {
    fn clone(&self) -> FunctionName {
        FunctionName { text: self.text.clone(), found: AtomicU16::new(self.found.load(Ordering::Relaxed)) }
    }
}

impl fmt::Debug for FunctionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, formatter)
    }
}

impl fmt::Display for FunctionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.text, formatter)
    }
}

impl PartialEq for FunctionName {
    fn eq(&self, other: &FunctionName) -> bool {
        self.text == other.text
    }
}

impl Eq for FunctionName {}

impl Hash for FunctionName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// A function's name in capitals. Where those would be no name (the capital of ΰ is a letter with two marks), characters
/// that have no single capital stay.
pub(crate) fn upper_case(name: &str) -> Arc<str> {
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_lowercase()) {
        name.into()
    } else if name.is_ascii() {
        name.to_ascii_uppercase().into()
    } else {
        let capitals = name.to_uppercase();
        if capitals.chars().all(|character| character.is_ascii() || is_name_character(character)) {
            return capitals.into();
        }
        name.chars().map(quadrille_cell::uppercase_char).collect::<String>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_asked_once_for_each_call_that_is_written() {
        for known in [Some(0), Some(517), None] {
            let name = FunctionName::from("SUM");
            let mut questions = 0;
            let mut ask = |name: &FunctionName| {
                name.number(|text| {
                    assert_eq!(text, "SUM");
                    questions += 1;
                    known
                })
            };
            assert_eq!(ask(&name), known);
            assert_eq!(ask(&name), known);
            assert_eq!(ask(&name.clone()), known);
            assert_eq!(questions, 1);
        }
    }

    #[test]
    fn names_are_equal_whether_or_not_they_have_been_looked_for() {
        let (asked, new) = (FunctionName::from("SUM"), FunctionName::from("SUM"));
        asked.number(|_| Some(3));
        assert_eq!(asked, new);
        assert_eq!(&*asked, "SUM");
        assert_ne!(asked, FunctionName::from("MAX"));
    }
}
