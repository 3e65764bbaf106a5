//! The answers to requests that no route is for.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ErrorCode};

/// The answer at a path without a resource.
pub async fn unknown_route(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/etc/") || path.starts_with("/var/") {
        // As EtherCalc answers those who look for files of the machine.
        return StatusCode::NOT_FOUND.into_response();
    }
    ApiError::new(ErrorCode::NotFound, format!("no such resource: {}", request.uri().path())).into_response()
}

/// The answer to a method that the resource does not have.
pub async fn unknown_method(request: Request) -> Response {
    let message = format!("the method is not allowed here: {}", request.method());
    ApiError::new(ErrorCode::MethodNotAllowed, message).into_response()
}
