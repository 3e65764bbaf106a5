//! Documents as JSON, identifiers as text, and the errors of SQLite as those of the access store.

use quadrille_access::{AccessError, SecretId};
use rusqlite::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The file within the data directory.
pub(super) const ACCESS: &str = "access.db";

/// Writes a document.
pub(super) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("access documents are plain data")
}

/// Reads a stored document; `what` names it in the error.
pub(super) fn from_json<T: DeserializeOwned>(
    json: &str,
    what: impl FnOnce() -> String,
) -> Result<T, AccessError> {
    serde_json::from_str(json)
        .map_err(|error| AccessError::Damaged { what: what(), reason: error.to_string() })
}

/// Secrets' identifiers and accounts as text of fixed length, which sorts as their numbers do.
pub(super) fn secret_text(id: SecretId) -> String {
    format!("{:016x}", id.0)
}

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
