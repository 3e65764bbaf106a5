//! Functions that yield arrays.

pub(crate) mod filter;
pub(crate) mod shape;
pub(crate) mod sort;
