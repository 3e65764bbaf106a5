//! What is in order: sorting, and maps and sets by their keys.
//!
//! The standard library has all of it, faster, and compiled anew for each type: a seventh of what the browser downloaded. What is
//! here is small for each type and fast enough; loops over numbers, and indexes with millions of entries, use the standard library's.

mod map;
mod sorting;

pub use map::{Entry, Iter, IterMut, Map, Range, Set};
pub use sorting::{numbers, sort, sort_by, sort_by_key};
