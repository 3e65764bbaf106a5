//! Requests of the server itself: to providers and hosts that the operator has named, and to addresses
//! that users choose. They block: callers run them on a thread for blocking work.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Request, Response, Uri};
use ureq::config::ConfigBuilder;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::unversioned::transport::DefaultConnector;

use crate::guarded_resolver::{Destinations, GuardedResolver};

/// A client with limits of time and size. It follows no redirects: a server that answers with one
/// could make this one send requests to other machines of its network.
pub struct HttpClient {
    agent: ureq::Agent,
    bytes_max: u64,
    /// It connects by HTTPS or to this machine only. The resolver of a guarded client decides by the address
    /// instead.
    needs_protection: bool,
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
            HttpError::NotProtected => f.write_str("the address is not https"),
            HttpError::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HttpError {}

impl HttpClient {
    /// Reads the certificate authorities of the system. A request may take `seconds_max`, and a
    /// response may have `bytes_max`.
    pub fn new(seconds_max: u64, bytes_max: u64) -> HttpClient {
        HttpClient { agent: config(seconds_max).build().into(), bytes_max, needs_protection: true }
    }

    /// As [`new`](HttpClient::new), for destinations that users choose: it connects only to public
    /// addresses by HTTPS, and to what the operator allows. It uses no proxy, which would
    /// connect to any address.
    pub fn guarded(seconds_max: u64, bytes_max: u64, destinations: Destinations) -> HttpClient {
        let config = config(seconds_max).proxy(None).max_idle_connections(0).build();
        let resolver = GuardedResolver::new(destinations);
        let agent = ureq::Agent::with_parts(config, DefaultConnector::new(), resolver);
        HttpClient { agent, bytes_max, needs_protection: false }
    }

    /// Sends a request and returns the response without its body.
    ///
    /// # Errors
    /// When the address is not allowed, the server is not reached or too slow.
    pub fn send_for_status(&self, request: Request<Vec<u8>>) -> Result<Response<()>, HttpError> {
        self.run(request).map(|response| response.map(drop))
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// When the address is not protected, the server is not reached, is too slow or sends too much.
    pub fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, HttpError> {
        let (parts, mut body) = self.run(request)?.into_parts();
        let read = body.with_config().limit(self.bytes_max).read_to_vec();
        Ok(Response::from_parts(parts, read.map_err(|error| HttpError::Failed(Box::new(error)))?))
    }

    fn run(&self, request: Request<Vec<u8>>) -> Result<Response<ureq::Body>, HttpError> {
        if self.needs_protection && !is_protected(request.uri()) {
            return Err(HttpError::NotProtected);
        }
        self.agent.run(request).map_err(|error| HttpError::Failed(Box::new(error)))
    }
}

/// The configuration of a client that trusts the system's authorities, and fails after some seconds.
pub fn config(seconds_max: u64) -> ConfigBuilder<AgentScope> {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::warn!(%error, "a certificate authority of the system was not read");
    }
    let roots = found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::from(roots.collect::<Vec<_>>()))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    ureq::Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(Duration::from_secs(seconds_max)))
        .user_agent(concat!("quadrille/", env!("CARGO_PKG_VERSION")))
}

/// Whether nobody on the way can read or change what is sent to this address: HTTPS, or this
/// machine.
pub fn is_protected(uri: &Uri) -> bool {
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => {
            let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            let host = host.to_ascii_lowercase();
            address.is_ok_and(|address| address.is_loopback())
                || host == "localhost"
                || host.ends_with(".localhost")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_sent_over_https_or_to_this_machine() {
        for (uri, expected) in [
            ("https://sso.example.org/keys", true),
            ("HTTPS://sso.example.org/keys", true),
            ("http://sso.example.org/keys", false),
            ("http://localhost:8000/keys", true),
            ("http://127.0.0.1:8000/keys", true),
            ("http://[::1]:8000/keys", true),
            ("http://127.0.0.1.example.org/keys", false),
            ("http://localhost.example.org/keys", false),
            ("http://localhost@example.org/keys", false),
            ("ftp://localhost/keys", false),
            ("/keys", false),
        ] {
            assert_eq!(is_protected(&uri.parse().expect("a URI")), expected, "{uri}");
        }
    }

    #[test]
    fn a_request_to_an_unprotected_address_is_not_sent() {
        let request = Request::get("http://192.0.2.1/").body(Vec::new()).expect("a request");
        assert!(matches!(HttpClient::new(1, 1).send(request), Err(HttpError::NotProtected)));
    }
}
