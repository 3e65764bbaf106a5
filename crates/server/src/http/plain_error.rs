//! Errors in plain text, as EtherCalc sends them.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, Elsewhere, ErrorCode};

/// An error in plain text, as EtherCalc sends it.
pub struct PlainError(pub ApiError);

impl From<ApiError> for PlainError {
    fn from(error: ApiError) -> PlainError {
        PlainError(error)
    }
}

/// The content type of EtherCalc's JSON.
pub const JSON: &str = "application/json; charset=utf-8";

impl IntoResponse for PlainError {
    fn into_response(self) -> Response {
        if matches!(self.0.code, ErrorCode::NoSuchRoom | ErrorCode::NotFound) {
            // EtherCalc's has no body.
            return (StatusCode::NOT_FOUND, plain(), "").into_response();
        }
        // EtherCalc answers 400 when it cannot read a body.
        let status = match self.0.code {
            ErrorCode::ImportFailed | ErrorCode::UnsupportedMediaType => StatusCode::BAD_REQUEST,
            _ => self.0.status(),
        };
        let mut response = (status, plain(), self.0.message).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, self.0.retry_after_seconds.unwrap_or(1).into());
        }
        if self.0.code == ErrorCode::RoomElsewhere {
            response.extensions_mut().insert(Elsewhere(self.0.room));
        }
        response
    }
}

/// The content type of EtherCalc's JSON, as a header.
pub fn json() -> [(header::HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, JSON)]
}

/// The content type of plain text.
pub fn plain() -> [(header::HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, "text/plain; charset=utf-8")]
}
