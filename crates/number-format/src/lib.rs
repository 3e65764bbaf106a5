//! Number formats, and the parsing of numbers, dates and percentages that a user types.
//!
//! - [`NumberFormat`] formats a value with a format code of ECMA-376; [`general()`] is the format
//!   of cells without a code.
//! - [`parse_input`] is the reverse: it converts the text typed into a cell to a value.
//! - [`Locale`] has the separators, names and date order of a language. Without one, all functions
//!   use English (United States), the notation in which workbooks are stored.
//! - [`date`] converts between serial numbers and calendar dates.
//!
//! Rounding operates on the 15 significant decimal digits that Excel keeps, half away from zero,
//! never on the binary number: `2.675` with two decimals is `2.68`. See [`Decimal`].
//!
//! ```
//! use quadrille_cell::Value;
//! use quadrille_number_format::{NumberFormat, parse_input};
//!
//! let input = parse_input("12.5%");
//! assert_eq!(input.value, Value::Number(0.125));
//! let format = NumberFormat::parse(input.number_format.unwrap_or("General"));
//! assert_eq!(format.format(&input.value).text, "12.50%");
//! ```
//!
//! This crate has no clock and does not know workbooks or formulas. Start reading with `format.rs`
//! and `input.rs`.

pub mod date;
mod format;
mod general;
mod input;
mod locale;
mod rounded_decimal;

pub use format::{Formatted, NumberFormat, NumberFormatKind};
pub use general::{GENERAL_WIDTH, general, general_in};
pub use input::{InputContext, ParsedInput, parse_input, parse_input_with};
pub use locale::{DateOrder, Locale, NameLength};
pub use rounded_decimal::{Decimal, Rounding};
