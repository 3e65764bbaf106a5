//! Which origins can use the server from a browser.

use axum::http::{HeaderMap, header};

use crate::error::{ApiError, ErrorCode};

/// The error for a request of an origin that is not allowed.
pub fn bad_origin() -> ApiError {
    ApiError::new(
        ErrorCode::BadOrigin,
        "pages of this origin cannot use this server; allow it with the setting `origins`",
    )
}

/// Whether the origin is the server itself or configured. Programs that send no origin are allowed.
pub fn is_allowed(headers: &HeaderMap, configured: &[String]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    if configured.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    match (authority, host) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_the_own_and_configured_origins_are_allowed() {
        let configured = ["https://wiki.example.org".to_owned()];
        for (origin, allowed) in [
            (None, true),
            (Some("http://sheets.example.org:8000"), true),
            (Some("https://sheets.example.org:8000"), true),
            (Some("https://wiki.example.org"), true),
            (Some("http://sheets.example.org"), false),
            (Some("https://evil.example.org"), false),
            (Some("null"), false),
            (Some("http://sheets.example.org:8000.evil.example"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("sheets.example.org:8000"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(is_allowed(&headers, &configured), allowed, "{origin:?}");
        }
    }
}
