//! The integration tests of this crate, one module a subject, linked into one program.

mod any_arguments;
mod cancellation;
mod documentation;
mod examples;
mod libreoffice;
mod names;
mod oracle;
mod support;
mod tables;
