//! Conditional requests: revisions as entity tags.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::error::{ApiError, ErrorCode};

/// Returns a room's revision as an entity tag.
pub fn etag(revision: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{revision}\"")).expect("digits and quotes are valid")
}

/// Returns the revision in `If-Match`; `None` without the header or with `*`.
///
/// # Errors
///
/// Fails with `bad_request` when the header is not a revision.
pub fn if_match(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let number = text.trim_start_matches("W/").trim_matches('"').parse();
    number
        .map(Some)
        .map_err(|_| ApiError::new(ErrorCode::BadRequest, "If-Match must be a revision, such as \"12\""))
}
