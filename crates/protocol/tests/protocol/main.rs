//! The integration tests of this crate, one module a subject, linked into one program.

mod golden;
mod round_trips;
mod speed;
