//! Presence: the people in the room with their selections, sent at intervals, never stored (`P17`).
//!
//! In a small room every session gets the presence of everyone, in one shared frame. In a large
//! room each session gets the people nearest to its view, at most
//! [`NEARBY_PEOPLE_MAX`](crate::limits::NEARBY_PEOPLE_MAX), and the total number; [`proximity`]
//! finds them.

mod color;
mod proximity;
mod reports;
mod roster;

pub(crate) use color::free_color;
pub(crate) use roster::People;
