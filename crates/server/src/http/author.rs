//! The author that a REST request names for the history.

use quadrille_protocol::Author;

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Returns the author with this name.
///
/// # Errors
///
/// Fails with `bad_query` when the name is longer than `AUTHOR_BYTES_MAX`.
pub fn author_of(name: &str) -> Result<Author, ApiError> {
    if name.len() > limits::AUTHOR_BYTES_MAX {
        return Err(ApiError::new(ErrorCode::BadQuery, "the name is too long"));
    }
    Ok(Author::named(name))
}
