//! [`FunctionName`]: the name in a function call, with its cached index in the function library.

use crate::characters::is_name_character;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

/// The name of a called function. Caches the index of the function in the library, which every
/// evaluation of the call needs.
pub struct FunctionName {
    text: Arc<str>,
    /// Index + 2, `ABSENT` for unknown functions, or `NOT_LOOKED_UP`.
    cached_index: AtomicU16,
}

const NOT_LOOKED_UP: u16 = 0;
const ABSENT: u16 = 1;

impl FunctionName {
    /// Returns the name in upper case.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the index of the function in the library, or `None` for unknown functions.
    ///
    /// The first call runs `find`; later calls return the cached result. `find` must be
    /// deterministic and return indices below 65,534.
    pub fn registry_index(&self, find: impl FnOnce(&str) -> Option<u16>) -> Option<u16> {
        match self.cached_index.load(Ordering::Relaxed) {
            NOT_LOOKED_UP => {
                let index = find(&self.text);
                self.cached_index.store(index.map_or(ABSENT, |index| index + 2), Ordering::Relaxed);
                index
            }
            ABSENT => None,
            cached => Some(cached - 2),
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
        FunctionName { text: text.into(), cached_index: AtomicU16::new(NOT_LOOKED_UP) }
    }
}

impl Clone for FunctionName {
    fn clone(&self) -> FunctionName {
        FunctionName {
            text: self.text.clone(),
            cached_index: AtomicU16::new(self.cached_index.load(Ordering::Relaxed)),
        }
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

/// Returns a function name in upper case. If the result is not a valid name (the upper case of ΰ is
/// three characters), characters without a single upper-case character are unchanged.
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
    fn the_index_is_looked_up_once() {
        for known in [Some(0), Some(517), None] {
            let name = FunctionName::from("SUM");
            let mut lookups = 0;
            let mut look_up = |name: &FunctionName| {
                name.registry_index(|text| {
                    assert_eq!(text, "SUM");
                    lookups += 1;
                    known
                })
            };
            assert_eq!(look_up(&name), known);
            assert_eq!(look_up(&name), known);
            assert_eq!(look_up(&name.clone()), known);
            assert_eq!(lookups, 1);
        }
    }

    #[test]
    fn equality_ignores_the_cached_index() {
        let (looked_up, new) = (FunctionName::from("SUM"), FunctionName::from("SUM"));
        looked_up.registry_index(|_| Some(3));
        assert_eq!(looked_up, new);
        assert_eq!(&*looked_up, "SUM");
        assert_ne!(looked_up, FunctionName::from("MAX"));
    }
}
