//! Errors of REST requests: one JSON form with stable codes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_protocol::RoomName;
use serde_json::json;

use crate::rate_limits::LimitExceeded;

/// The error codes of `/api/v1`. Clients rely on them, so they are never renamed. `docs/rest.md`
/// lists them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorCode {
    BadRoomName,
    BadAddress,
    BadJson,
    BadQuery,
    BadRequest,
    BadCommand,
    BadAnswers,
    BadOrigin,
    BadCredentials,
    SignInRequired,
    SignInFailed,
    WeakPassword,
    TokenExpired,
    SignInAgain,
    Forbidden,
    MailDisabled,
    NotFound,
    NoSuchRoom,
    NoSuchSheet,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    RoomExists,
    Conflict,
    HistoryGone,
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    QuotaExceeded,
    MisdirectedRequest,
    RevisionMismatch,
    BodyTooLarge,
    TooManyCells,
    TooManyImages,
    UnsupportedMediaType,
    ImportFailed,
    UpgradeRequired,
    TooManyRequests,
    Internal,
    ProviderFailed,
    Overloaded,
    Draining,
    RoomElsewhere,
    StorageFailed,
}

impl ErrorCode {
    #[cfg(test)]
    pub const ALL: [ErrorCode; 43] = [
        ErrorCode::BadRoomName,
        ErrorCode::BadAddress,
        ErrorCode::BadJson,
        ErrorCode::BadQuery,
        ErrorCode::BadRequest,
        ErrorCode::BadCommand,
        ErrorCode::BadAnswers,
        ErrorCode::BadOrigin,
        ErrorCode::BadCredentials,
        ErrorCode::SignInRequired,
        ErrorCode::SignInFailed,
        ErrorCode::WeakPassword,
        ErrorCode::TokenExpired,
        ErrorCode::SignInAgain,
        ErrorCode::Forbidden,
        ErrorCode::MailDisabled,
        ErrorCode::NotFound,
        ErrorCode::NoSuchRoom,
        ErrorCode::NoSuchSheet,
        ErrorCode::MethodNotAllowed,
        ErrorCode::NotAcceptable,
        ErrorCode::RequestTimeout,
        ErrorCode::RoomExists,
        ErrorCode::Conflict,
        ErrorCode::HistoryGone,
        ErrorCode::IdempotencyKeyInUse,
        ErrorCode::IdempotencyKeyReused,
        ErrorCode::QuotaExceeded,
        ErrorCode::MisdirectedRequest,
        ErrorCode::RevisionMismatch,
        ErrorCode::BodyTooLarge,
        ErrorCode::TooManyCells,
        ErrorCode::TooManyImages,
        ErrorCode::UnsupportedMediaType,
        ErrorCode::ImportFailed,
        ErrorCode::UpgradeRequired,
        ErrorCode::TooManyRequests,
        ErrorCode::Internal,
        ErrorCode::ProviderFailed,
        ErrorCode::Overloaded,
        ErrorCode::Draining,
        ErrorCode::RoomElsewhere,
        ErrorCode::StorageFailed,
    ];

    /// Returns the code as sent, and its HTTP status.
    pub const fn parts(self) -> (&'static str, StatusCode) {
        match self {
            ErrorCode::BadRoomName => ("bad_room_name", StatusCode::BAD_REQUEST),
            ErrorCode::BadAddress => ("bad_address", StatusCode::BAD_REQUEST),
            ErrorCode::BadJson => ("bad_json", StatusCode::BAD_REQUEST),
            ErrorCode::BadQuery => ("bad_query", StatusCode::BAD_REQUEST),
            ErrorCode::BadRequest => ("bad_request", StatusCode::BAD_REQUEST),
            ErrorCode::BadCommand => ("bad_command", StatusCode::UNPROCESSABLE_ENTITY),
            ErrorCode::BadAnswers => ("bad_answers", StatusCode::UNPROCESSABLE_ENTITY),
            ErrorCode::BadOrigin => ("bad_origin", StatusCode::FORBIDDEN),
            ErrorCode::BadCredentials => ("bad_credentials", StatusCode::UNAUTHORIZED),
            ErrorCode::SignInRequired => ("sign_in_required", StatusCode::UNAUTHORIZED),
            ErrorCode::SignInFailed => ("sign_in_failed", StatusCode::UNAUTHORIZED),
            ErrorCode::WeakPassword => ("weak_password", StatusCode::BAD_REQUEST),
            ErrorCode::TokenExpired => ("token_expired", StatusCode::UNAUTHORIZED),
            ErrorCode::SignInAgain => ("sign_in_again", StatusCode::FORBIDDEN),
            ErrorCode::Forbidden => ("forbidden", StatusCode::FORBIDDEN),
            ErrorCode::MailDisabled => ("mail_disabled", StatusCode::FORBIDDEN),
            ErrorCode::NotFound => ("not_found", StatusCode::NOT_FOUND),
            ErrorCode::NoSuchRoom => ("no_such_room", StatusCode::NOT_FOUND),
            ErrorCode::NoSuchSheet => ("no_such_sheet", StatusCode::NOT_FOUND),
            ErrorCode::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            ErrorCode::NotAcceptable => ("not_acceptable", StatusCode::NOT_ACCEPTABLE),
            ErrorCode::RequestTimeout => ("request_timeout", StatusCode::REQUEST_TIMEOUT),
            ErrorCode::RoomExists => ("room_exists", StatusCode::CONFLICT),
            ErrorCode::Conflict => ("conflict", StatusCode::CONFLICT),
            ErrorCode::HistoryGone => ("history_gone", StatusCode::GONE),
            ErrorCode::IdempotencyKeyInUse => ("idempotency_key_in_use", StatusCode::CONFLICT),
            ErrorCode::IdempotencyKeyReused => ("idempotency_key_reused", StatusCode::UNPROCESSABLE_ENTITY),
            ErrorCode::QuotaExceeded => ("quota_exceeded", StatusCode::FORBIDDEN),
            ErrorCode::MisdirectedRequest => ("misdirected_request", StatusCode::MISDIRECTED_REQUEST),
            ErrorCode::RevisionMismatch => ("revision_mismatch", StatusCode::PRECONDITION_FAILED),
            ErrorCode::BodyTooLarge => ("body_too_large", StatusCode::PAYLOAD_TOO_LARGE),
            ErrorCode::TooManyCells => ("too_many_cells", StatusCode::PAYLOAD_TOO_LARGE),
            ErrorCode::TooManyImages => ("too_many_images", StatusCode::PAYLOAD_TOO_LARGE),
            ErrorCode::UnsupportedMediaType => ("unsupported_media_type", StatusCode::UNSUPPORTED_MEDIA_TYPE),
            ErrorCode::ImportFailed => ("import_failed", StatusCode::UNPROCESSABLE_ENTITY),
            ErrorCode::UpgradeRequired => ("upgrade_required", StatusCode::UPGRADE_REQUIRED),
            ErrorCode::TooManyRequests => ("too_many_requests", StatusCode::TOO_MANY_REQUESTS),
            ErrorCode::Internal => ("internal", StatusCode::INTERNAL_SERVER_ERROR),
            ErrorCode::ProviderFailed => ("provider_failed", StatusCode::BAD_GATEWAY),
            ErrorCode::Overloaded => ("overloaded", StatusCode::SERVICE_UNAVAILABLE),
            ErrorCode::Draining => ("draining", StatusCode::SERVICE_UNAVAILABLE),
            ErrorCode::RoomElsewhere => ("room_elsewhere", StatusCode::SERVICE_UNAVAILABLE),
            ErrorCode::StorageFailed => ("storage_failed", StatusCode::SERVICE_UNAVAILABLE),
        }
    }
}

/// Marks a response that says that another server runs the room.
#[derive(Clone)]
pub struct Elsewhere(pub Option<RoomName>);

/// Time between two log lines of requests that failed because of the storage.
const WARNING_EVERY: Duration = Duration::from_secs(60);
static STORAGE_WARNING: Mutex<LastWarning> = Mutex::new(LastWarning { at: None, unlogged: 0 });

/// When a failure was logged last, and how many were not since.
struct LastWarning {
    at: Option<Instant>,
    unlogged: u64,
}

impl LastWarning {
    /// Whether a failure is logged now, and how many were not logged before it.
    fn may_warn(&mut self, now: Instant) -> Option<u64> {
        if self.at.is_some_and(|at| now.duration_since(at) < WARNING_EVERY) {
            self.unlogged += 1;
            return None;
        }
        self.at = Some(now);
        Some(std::mem::take(&mut self.unlogged))
    }
}

/// The error of a request: a code for programs and a message for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    /// Seconds after which to retry, for the header `retry-after`; 1 if `None`.
    pub retry_after_seconds: Option<u64>,
    /// The room that another server runs, with `room_elsewhere`.
    pub room: Option<RoomName>,
}

impl ApiError {
    /// An error with a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), retry_after_seconds: None, room: None }
    }

    /// The error for an exceeded rate limit.
    pub fn rate_limited(exceeded: LimitExceeded) -> ApiError {
        let message = format!("rate limit exceeded ({}); try again later", exceeded.limit.name());
        ApiError {
            retry_after_seconds: Some(exceeded.seconds()),
            ..ApiError::new(ErrorCode::TooManyRequests, message)
        }
    }

    /// Writes a line to the log. While the storage is away, many requests fail for the same reason.
    fn log(&self) {
        let mut others = 0;
        if self.code == ErrorCode::StorageFailed {
            let mut last = STORAGE_WARNING.lock().unwrap_or_else(PoisonError::into_inner);
            match last.may_warn(Instant::now()) {
                Some(unlogged) => others = unlogged,
                None => return,
            }
        }
        tracing::warn!(code = self.code.parts().0, message = self.message, others, "request failed");
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        self.code.parts().1
    }

    /// Returns the body: `{"error":{"code":…,"message":…}}`.
    pub fn body(&self) -> serde_json::Value {
        json!({ "error": { "code": self.code.parts().0, "message": self.message } })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        if status.is_server_error() {
            self.log();
        }
        let mut response = (status, Json(self.body())).into_response();
        if status == StatusCode::UNAUTHORIZED {
            // RFC 9110, 11.6.1: a 401 names at least one scheme.
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            let seconds = self.retry_after_seconds.unwrap_or(1);
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self.code == ErrorCode::RoomElsewhere {
            response.extensions_mut().insert(Elsewhere(self.room));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_documented_with_its_status() {
        let documentation = include_str!("../../../docs/rest.md");
        for code in ErrorCode::ALL {
            let (name, status) = code.parts();
            let row = format!("| `{name}` | {} |", status.as_u16());
            assert!(documentation.contains(&row), "docs/rest.md lacks the row {row}");
        }
    }

    #[test]
    fn failures_of_the_storage_are_logged_every_minute_with_their_number() {
        let (mut last, began) = (LastWarning { at: None, unlogged: 0 }, Instant::now());
        let after = |seconds| began + Duration::from_secs(seconds);
        assert_eq!(last.may_warn(began), Some(0));
        assert_eq!([1, 30, 59].map(|seconds| last.may_warn(after(seconds))), [None; 3]);
        assert_eq!(last.may_warn(after(60)), Some(3));
        assert_eq!(last.may_warn(after(119)), None);
        assert_eq!(last.may_warn(after(200)), Some(1));
    }
}
