//! Errors for panics of background work.

use crate::error::{ApiError, ErrorCode};

/// The error after a panic while `doing` something, such as "reading the file".
pub fn internal(doing: &str) -> ApiError {
    ApiError::new(ErrorCode::Internal, format!("internal error while {doing}"))
}
