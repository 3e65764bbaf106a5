//! Requests to OpenID Connect providers. They block: callers run them on a thread for blocking work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use openidconnect::url::Url;
use openidconnect::{HttpRequest, HttpResponse};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::settings::is_protected;
use crate::limits;

/// A client with limits of time and size. It follows no redirects: a provider that answers with one
/// could make the server send requests to other machines of its network.
pub struct HttpClient {
    agent: ureq::Agent,
}

/// Why a request has no response.
#[derive(Debug)]
pub enum HttpError {
    /// The address is neither HTTPS nor on this machine.
    NotProtected,
    Failed(Box<ureq::Error>),
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HttpError::NotProtected => f.write_str("the provider names an address that is not https"),
            HttpError::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HttpError {}

impl HttpClient {
    /// Reads the certificate authorities of the system.
    pub fn new() -> HttpClient {
        let found = rustls_native_certs::load_native_certs();
        for error in found.errors {
            tracing::warn!(%error, "a certificate authority of the system was not read");
        }
        let roots = found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(roots.collect::<Vec<_>>()))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let agent = ureq::Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(limits::PROVIDER_SECONDS_MAX)))
            .user_agent(concat!("quadrille/", env!("CARGO_PKG_VERSION")))
            .build();
        HttpClient { agent: agent.into() }
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// When the provider is not reached, is too slow or sends too much.
    pub fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let url = Url::parse(&request.uri().to_string()).map_err(|_| HttpError::NotProtected)?;
        if !is_protected(&url) {
            return Err(HttpError::NotProtected);
        }
        let failed = |error| HttpError::Failed(Box::new(error));
        let response = self.agent.run(request).map_err(failed)?;
        let (parts, mut body) = response.into_parts();
        let limited = body.with_config().limit(limits::PROVIDER_RESPONSE_BYTES_MAX);
        Ok(HttpResponse::from_parts(parts, limited.read_to_vec().map_err(failed)?))
    }
}
