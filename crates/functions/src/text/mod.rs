//! Text functions. A character is a Unicode code point; Excel counts those beyond U+FFFF as two.

pub(crate) mod characters;
pub(crate) mod convert;
pub(crate) mod east_asia;
pub(crate) mod join;
pub(crate) mod patterns;
pub(crate) mod search;
pub(crate) mod split;
pub(crate) mod substrings;
pub(crate) mod value_to_text;
