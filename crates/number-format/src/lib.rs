//! Number formats, and the reading of typed numbers, dates and percentages.
//!
//! [`NumberFormat`] turns a value into the text a cell shows, by a code in Excel's format language; [`general`] is what
//! cells without a code use. [`read_typed`] goes the other way: what typing a text into a cell means. Both know one
//! locale, English (United States), and ISO dates. [`date`] converts between serial numbers and the calendar.
//!
//! All rounding is done on the decimal digits (15 of them, as in Excel) and away from zero, never on the binary
//! number, so that `2.675` with two decimals is `2.68`. See [`Decimal`].

pub mod date;
mod decimal;
mod format;
mod general;
mod typed;

pub use decimal::{Decimal, Rounding};
pub use format::{Formatted, NumberFormat};
pub use general::{GENERAL_WIDTH, general};
pub use typed::{TypedInput, read_typed};
