//! Security headers of every response.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::config::Settings;

/// Headers that are added to every response.
pub struct FixedHeaders {
    always: Vec<(HeaderName, HeaderValue)>,
    /// `Strict-Transport-Security`.
    transport: Option<HeaderValue>,
}

impl FixedHeaders {
    /// Creates the headers of the settings.
    ///
    /// # Errors
    ///
    /// Fails when `frame_ancestors` or `picture_origins` of an issuer has a value that is not an origin,
    /// or `hsts` is not a value of `Strict-Transport-Security`.
    pub fn new(settings: &Settings) -> Result<FixedHeaders, String> {
        let ancestors = match settings.frame_ancestors.as_slice() {
            [] => "'self'".to_owned(),
            origins => format!("'self' {}", origins.join(" ")),
        };
        let pictures = settings.token_issuers.picture_origins()?;
        let pictures: String = pictures.iter().map(|origin| format!(" {origin}")).collect();
        // 'wasm-unsafe-eval' allows compiling WebAssembly, but not evaluating text as script.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
             img-src 'self' data: blob:{pictures}; connect-src 'self'; worker-src 'self' blob:; font-src 'self'; \
             manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
        );
        let policy = HeaderValue::from_str(&policy)
            .map_err(|_| format!("frame_ancestors: not an origin: {ancestors}"))?;
        let always = vec![
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
            // Only files that are the same for everybody, and images, whose names are guessed by
            // nobody, say otherwise.
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        Ok(FixedHeaders { always, transport: transport_security(settings)? })
    }

    /// Adds the headers to a response that has no others of these names. `is_own_machine` is whether
    /// the request was for `localhost`: its other ports must stay reachable without TLS.
    pub fn add_to(&self, headers: &mut HeaderMap, is_own_machine: bool) {
        for (name, value) in &self.always {
            headers.entry(name).or_insert_with(|| value.clone());
        }
        if let Some(transport) = self.transport.as_ref().filter(|_| !is_own_machine) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, transport.clone());
        }
    }
}

/// `Strict-Transport-Security` (RFC 6797), if browsers reach this server over HTTPS.
fn transport_security(settings: &Settings) -> Result<Option<HeaderValue>, String> {
    if settings.hsts.is_empty() || !settings.is_https() {
        return Ok(None);
    }
    let invalid = || format!("hsts must be like max-age=31536000: {}", settings.hsts);
    let has_age = settings.hsts.split(';').any(|directive| {
        let seconds = directive.trim().strip_prefix("max-age=");
        seconds.is_some_and(|seconds| seconds.parse::<u64>().is_ok())
    });
    match has_age {
        true => HeaderValue::from_str(&settings.hsts).map(Some).map_err(|_| invalid()),
        false => Err(invalid()),
    }
}
