//! Conversion of SQLite errors.

use quadrille_journal::StorageError;
use rusqlite::ErrorCode;

/// Converts an error of SQLite into one of the `Storage` trait.
pub(crate) fn engine(error: rusqlite::Error) -> StorageError {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    if let FromSqlConversionFailure(..)
    | IntegralValueOutOfRange(..)
    | InvalidColumnType(..)
    | Utf8Error(..) = &error
    {
        return StorageError::JournalDamaged { reason: format!("a row has invalid contents: {error}") };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StorageError::JournalDamaged { reason: error.to_string() }
        }
        _ => StorageError::Engine { reason: error.to_string() },
    }
}
