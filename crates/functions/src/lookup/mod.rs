//! Lookup and reference functions.

pub(crate) mod find;
pub(crate) mod index;
pub(crate) mod reference;
pub(crate) mod table;
pub(crate) mod xlookup;
