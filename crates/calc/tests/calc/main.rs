//! The integration tests of this crate, one module a subject, linked into one program.

mod aggregates;
mod calculation;
mod circular_references;
mod close_to_zero;
mod formula_batches;
mod hostile_formulas;
mod lookups;
mod multiple_operations;
mod random_edits;
mod support;
