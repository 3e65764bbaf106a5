//! Functions that return arrays.

pub(crate) mod columns;
pub(crate) mod filter;
pub(crate) mod shape;
pub(crate) mod sort;
pub(crate) mod wrap;
