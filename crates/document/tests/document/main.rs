//! The integration tests of this crate, one module a subject, linked into one program.

mod charts;
mod conditional_formats;
mod date_system;
mod filled_cells;
mod filters;
mod formula_evaluation;
mod formula_trace;
mod goal_seek;
mod imports;
mod locales;
mod pivot_tables;
mod settings;
mod subtotals;
mod support;
mod tables;
mod validation;
