//! Finding values in tables, and references.

pub(crate) mod find;
pub(crate) mod index;
pub(crate) mod reference;
pub(crate) mod table;
pub(crate) mod xlookup;
