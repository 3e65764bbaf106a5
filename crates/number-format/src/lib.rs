//! Number formats, and the reading of typed numbers, dates and percentages.
//!
//! [`NumberFormat`] turns a value into the text a cell shows, by a code in Excel's format language; [`general`] is what
//! cells without a code use. [`read_typed`] goes the other way: what typing a text into a cell means. All three are those of
//! English (United States), which is how workbooks are stored; with a [`Locale`], as one person sees and types them.
//! [`date`] converts between serial numbers and the calendar.
//!
//! All rounding is done on the decimal digits (15 of them, as in Excel) and away from zero, never on the binary
//! number, so that `2.675` with two decimals is `2.68`. See [`Decimal`].

pub mod date;
mod format;
mod general;
mod locale;
mod rounded_decimal;
mod typed_input;

pub use format::{Formatted, NumberFormat};
pub use general::{GENERAL_WIDTH, general, general_in};
pub use locale::{DateOrder, Locale, NameLength};
pub use rounded_decimal::{Decimal, Rounding};
pub use typed_input::{TypedInput, Typing, read_typed, read_typed_in};
