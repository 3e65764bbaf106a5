//! [`OperationError`]: the reasons why a transaction is invalid.

use crate::item::BadItem;
use std::fmt;

/// The reason why a transaction is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperationError {
    TooManyOperations {
        count: usize,
        max: usize,
    },
    TooManyCells {
        count: u64,
        max: u64,
    },
    /// The number of contents is not the number of cells of the range.
    CellsMissing {
        expected: u64,
        found: usize,
    },
    TextTooLong {
        length: usize,
        max: usize,
    },
    FormulaTooLong {
        max: usize,
    },
    FormulaTooDeep,
    /// Infinite, NaN or negative zero.
    NumberNotCanonical,
    NumberFormatTooLong {
        length: usize,
        max: usize,
    },
    FontFamilyTooLong {
        length: usize,
        max: usize,
    },
    BadFontSize {
        points: String,
    },
    TooManyTextRuns {
        count: usize,
        max: usize,
    },
    /// A part of a text has another attribute than those of a font.
    BadTextRuns,
    /// A colour above `0xFFFFFF`.
    BadColor {
        color: u32,
    },
    /// No rows or columns, or rows or columns beyond the sheet's end.
    SpanOutsideSheet {
        first: u32,
        count: u32,
    },
    NotAPermutation,
    BadSheetName {
        name: String,
        reason: &'static str,
    },
    BadName {
        name: String,
        reason: &'static str,
    },
    BadItem(BadItem),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperationError::TooManyOperations { count, max } => {
                write!(f, "more operations in one transaction than {max}: {count}")
            }
            OperationError::TooManyCells { count, max } => {
                write!(f, "more cells in one transaction than {max}: {count}")
            }
            OperationError::CellsMissing { expected, found } => {
                write!(f, "contents do not fill the range of {expected} cells: {found}")
            }
            OperationError::TextTooLong { length, max } => {
                write!(f, "text longer than {max} characters: {length}")
            }
            OperationError::FormulaTooLong { max } => write!(f, "formula with more parts than {max}"),
            OperationError::FormulaTooDeep => {
                write!(f, "formula nested deeper than {}", quadrille_formula::DEPTH_MAX)
            }
            OperationError::NumberNotCanonical => f.write_str("number that is infinite or not a number"),
            OperationError::NumberFormatTooLong { length, max } => {
                write!(f, "number format longer than {max} characters: {length}")
            }
            OperationError::FontFamilyTooLong { length, max } => {
                write!(f, "font name longer than {max} characters: {length}")
            }
            OperationError::TooManyTextRuns { count, max } => {
                write!(f, "text with more parts than {max}: {count}")
            }
            OperationError::BadTextRuns => f.write_str("part of a text with an attribute that no font has"),
            OperationError::BadFontSize { points } => {
                write!(f, "font size must be from 1 to 409 points: {points}")
            }
            OperationError::BadColor { color } => write!(f, "not a 24-bit colour: {color:#x}"),
            OperationError::SpanOutsideSheet { first, count } => {
                write!(f, "rows or columns outside the sheet: {count} from index {first}")
            }
            OperationError::NotAPermutation => {
                f.write_str("new order of rows that does not hold each row once")
            }
            OperationError::BadSheetName { name, reason } => write!(f, "sheet name {reason}: {name}"),
            OperationError::BadName { name, reason } => write!(f, "name {reason}: {name}"),
            OperationError::BadItem(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OperationError {}

impl From<BadItem> for OperationError {
    fn from(error: BadItem) -> OperationError {
        OperationError::BadItem(error)
    }
}
