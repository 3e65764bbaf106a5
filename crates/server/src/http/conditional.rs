//! Conditional requests: revisions as entity tags.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::extractors::RoomSegment;
use crate::error::{ApiError, ErrorCode};

/// The reads whose answer is a function of the path, the query, `Accept` and the revision.
const CONDITIONAL_READS: [&str; 4] = [
    "/api/v1/rooms/{room}",
    "/api/v1/rooms/{room}/items",
    "/api/v1/rooms/{room}/sheets/{sheet}/items",
    "/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}",
];

/// Whether an operation is answered with 304 if the client has the newest revision.
pub fn is_conditional_read(path: &str, method: &Method) -> bool {
    *method == Method::GET && CONDITIONAL_READS.contains(&path)
}

/// Answers with 304 before anything is calculated, if `If-None-Match` has the revision of the room.
pub async fn layer(
    State((app, is_conditional)): State<(App, bool)>,
    request: Request,
    next: Next,
) -> Response {
    let has_condition = is_conditional && request.headers().contains_key(header::IF_NONE_MATCH);
    if !has_condition {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    if let Ok(RoomSegment(room)) = RoomSegment::from_request_parts(&mut parts, &app).await
        && let Ok(reading) = app.rooms.read_inputs(&room).await
        && is_known(&parts.headers, reading.revision.0)
    {
        let tag = [(header::ETAG, etag(reading.revision.0))];
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    // Without the room or the sheet, the handler says what is wrong.
    next.run(Request::from_parts(parts, body)).await
}

/// Whether `If-None-Match` names the revision; weak and strong tags are compared alike (RFC 9110,
/// 13.1.2).
fn is_known(headers: &HeaderMap, revision: u64) -> bool {
    let tag = format!("\"{revision}\"");
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag)
}

/// Returns a room's revision as an entity tag.
pub fn etag(revision: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{revision}\"")).expect("digits and quotes are valid")
}

/// Returns the revision in `If-Match`; `None` without the header or with `*`.
///
/// # Errors
///
/// Fails with `bad_request` when the header is not a revision, and with `revision_mismatch` when it is a weak tag,
/// which is never equal to another (RFC 9110, 13.1.1 and 8.8.3.2).
pub fn if_match(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    if text.starts_with("W/\"") {
        let message = format!("If-Match compares strongly, and this is a weak tag: {text}");
        return Err(ApiError::new(ErrorCode::RevisionMismatch, message));
    }
    let number = text.trim_matches('"').parse();
    number
        .map(Some)
        .map_err(|_| ApiError::new(ErrorCode::BadRequest, "If-Match must be a revision, such as \"12\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9110, 13.1.1.
    #[test]
    fn if_match_compares_strongly() {
        for (given, expected) in [
            ("\"12\"", Ok(Some(12))),
            ("12", Ok(Some(12))),
            ("*", Ok(None)),
            ("W/\"12\"", Err(ErrorCode::RevisionMismatch)),
            ("W/12", Err(ErrorCode::BadRequest)),
            ("\"x\"", Err(ErrorCode::BadRequest)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_MATCH, HeaderValue::from_static(given));
            assert_eq!(if_match(&headers).map_err(|error| error.code), expected, "{given}");
        }
    }

    #[test]
    fn entity_tags_are_compared_with_the_revision() {
        for (given, expected) in [
            ("\"12\"", true),
            ("W/\"12\"", true),
            ("\"11\", \"12\"", true),
            ("*", true),
            ("\"1\"", false),
            ("12", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(given));
            assert_eq!(is_known(&headers, 12), expected, "{given}");
        }
    }
}
