//! The integration tests of this crate, one module a subject, linked into one program.

mod any_text;
mod date_system_1904;
mod locales;
mod oracle;
