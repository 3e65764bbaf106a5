//! The errors of SQLite as those of the access store.

use quadrille_access::AccessError;
use rusqlite::ErrorCode;

/// The file within the data directory.
pub(crate) const ACCESS: &str = "access.db";

/// Turns an error of SQLite into one of the access store.
pub(super) fn engine(error: rusqlite::Error) -> AccessError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => AccessError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            AccessError::Damaged { what: ACCESS.to_owned(), reason: error.to_string() }
        }
        _ => AccessError::Engine { reason: error.to_string() },
    }
}
