//! OpenDocument spreadsheets (ODF 1.3, ISO/IEC 26300): values, formulas, formats, merged cells,
//! sizes, names and notes. Other contents are left out with a warning.

mod filters;
mod format_properties;
mod formulas;
mod names;
mod numbers;
mod pivots;
mod read;
mod styles;
mod validations;
mod write;
mod write_text;

pub(crate) use names::{can_express, rejected_names};
pub(crate) use numbers::has_data_style;
pub(crate) use pivots::written_pivots;
pub(crate) use read::read;
pub(crate) use validations::validation_name;
pub(crate) use write::{is_written_with_cells, write, write_flat};
