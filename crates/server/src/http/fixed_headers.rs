//! Security headers of every response.

use axum::http::{HeaderName, HeaderValue, header};

use crate::config::Settings;

/// Headers that are added to every response.
pub struct FixedHeaders(Vec<(HeaderName, HeaderValue)>);

impl FixedHeaders {
    /// Creates the headers of the settings.
    ///
    /// # Errors
    ///
    /// Fails when `frame_ancestors` has a value that is not an origin.
    pub fn new(settings: &Settings) -> Result<FixedHeaders, String> {
        let ancestors = match settings.frame_ancestors.as_slice() {
            [] => "'self'".to_owned(),
            origins => format!("'self' {}", origins.join(" ")),
        };
        // 'wasm-unsafe-eval' allows compiling WebAssembly, but not evaluating text as script.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
             img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; font-src 'self'; \
             manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
        );
        let policy = HeaderValue::from_str(&policy)
            .map_err(|_| format!("frame_ancestors: not an origin: {ancestors}"))?;
        Ok(FixedHeaders(vec![
            (header::CONTENT_SECURITY_POLICY, policy),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
            (
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("same-origin"),
            ),
            (
                HeaderName::from_static("permissions-policy"),
                HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
            ),
        ]))
    }

    pub fn iter(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        self.0.iter()
    }
}
