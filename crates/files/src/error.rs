//! Errors of reading and writing files.

use std::fmt;

/// Kind of an error. [`FileErrorCode::text`] is part of the REST API and stable across versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileErrorCode {
    Cancelled,
    UnknownFormat,
    NotText,
    InvalidEncoding,
    UnterminatedQuote,
    TooManyRows,
    TooManyColumns,
    TooManyCells,
    TooManySheets,
    TextTooLong,
    BadJson,
    BadSave,
    BadXml,
    BadArchive,
    ArchiveLimits,
    Encrypted,
    NotAWorkbook,
    CannotWrite,
}

impl FileErrorCode {
    /// The code in the REST API.
    pub const fn text(self) -> &'static str {
        match self {
            FileErrorCode::Cancelled => "cancelled",
            FileErrorCode::UnknownFormat => "unknown_format",
            FileErrorCode::NotText => "not_text",
            FileErrorCode::InvalidEncoding => "invalid_encoding",
            FileErrorCode::UnterminatedQuote => "unterminated_quote",
            FileErrorCode::TooManyRows => "too_many_rows",
            FileErrorCode::TooManyColumns => "too_many_columns",
            FileErrorCode::TooManyCells => "too_many_cells",
            FileErrorCode::TooManySheets => "too_many_sheets",
            FileErrorCode::TextTooLong => "text_too_long",
            FileErrorCode::BadJson => "bad_json",
            FileErrorCode::BadSave => "bad_save",
            FileErrorCode::BadXml => "bad_xml",
            FileErrorCode::BadArchive => "bad_archive",
            FileErrorCode::ArchiveLimits => "archive_limits",
            FileErrorCode::Encrypted => "encrypted",
            FileErrorCode::NotAWorkbook => "not_a_workbook",
            FileErrorCode::CannotWrite => "cannot_write",
        }
    }
}

/// An error with its position; rows and columns are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    pub code: FileErrorCode,
    /// Row of the sheet, or line of a JSON file.
    pub row: Option<u32>,
    pub column: Option<u32>,
    /// Description without the position, in lower case.
    pub reason: String,
}

impl FileError {
    /// Creates an error without a position.
    pub fn new(code: FileErrorCode, reason: impl Into<String>) -> FileError {
        FileError { code, row: None, column: None, reason: reason.into() }
    }

    /// Adds the row, counted from 1.
    pub fn at_row(self, row: u32) -> FileError {
        FileError { row: Some(row), ..self }
    }

    /// Adds the row and the column, counted from 1.
    pub fn at(self, row: u32, column: u32) -> FileError {
        FileError { row: Some(row), column: Some(column), ..self }
    }

    /// The error of a read that the caller has cancelled.
    pub fn cancelled() -> FileError {
        FileError::new(FileErrorCode::Cancelled, "cancelled")
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row, self.column) {
            (Some(row), Some(column)) => write!(f, "row {row}, column {column}: {}", self.reason),
            (Some(row), None) => write!(f, "row {row}: {}", self.reason),
            _ => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for FileError {}
