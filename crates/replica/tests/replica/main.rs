//! The integration tests of this crate, one module a subject, linked into one program.

mod local_persistence;
mod session;
