//! Request bodies in JSON.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde_json::Value as Json;

use super::request_body;
use crate::error::{ApiError, ErrorCode};
use crate::{input_errors, limits};

/// Reads a request body of type `application/json`.
///
/// # Errors
///
/// Fails when the content type is another, the body is too long or slow, or it is not JSON.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Json, ApiError> {
    let media_type = media_type(headers);
    if media_type.as_deref() != Some("application/json") {
        let given = media_type.unwrap_or_else(|| "none".into());
        let message = format!("the content type must be application/json: {given}");
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    }
    let body: Bytes = request_body::read(headers, body, limits::JSON_BYTES_MAX).await?;
    parse(&body)
}

/// Returns the media type of the body without parameters, in lower case.
pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Parses a JSON body.
///
/// # Errors
///
/// Fails with `body_too_large`, or with `bad_json` and the position of the error.
pub fn parse<T: serde::de::DeserializeOwned>(body: &Bytes) -> Result<T, ApiError> {
    if body.len() > limits::JSON_BYTES_MAX {
        let message = format!("the body is longer than {} bytes", limits::JSON_BYTES_MAX);
        return Err(ApiError::new(ErrorCode::BodyTooLarge, message));
    }
    serde_json::from_slice(body).map_err(|error| bad_json(&error))
}

/// Reads JSON of a known shape.
///
/// # Errors
///
/// Fails with `bad_json`.
pub fn of_shape<T: serde::de::DeserializeOwned>(given: Json) -> Result<T, ApiError> {
    serde_json::from_value(given).map_err(|error| bad_json(&error))
}

fn bad_json(error: &serde_json::Error) -> ApiError {
    ApiError::new(ErrorCode::BadJson, input_errors::of_json(error))
}
