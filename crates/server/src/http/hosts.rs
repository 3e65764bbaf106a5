//! By which host names the server answers. A page of another site whose name was made to point to
//! this server (DNS rebinding) would otherwise be a page of the same origin.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};

use crate::error::{ApiError, ErrorCode};

/// The names to which the server answers.
pub struct Hosts {
    names: Vec<String>,
    listen: Option<IpAddr>,
    last_warning: Mutex<Option<Instant>>,
}

/// Least time between two warnings about refused names: anybody can cause them.
const WARNING_EVERY: Duration = Duration::from_secs(60);

impl Hosts {
    /// The names of a server that listens on `listen` and has these public URLs. `machine` is the
    /// host name of the machine.
    ///
    /// # Errors
    ///
    /// Fails when a public URL is not `http` or `https` with a host.
    pub fn new(
        public_urls: &[String],
        listen: Option<IpAddr>,
        machine: Option<&str>,
    ) -> Result<Hosts, String> {
        let mut names = Vec::new();
        for url in public_urls {
            let host = public_host(url)
                .ok_or_else(|| format!("public_url must be like https://sheets.example.org: {url}"))?;
            names.push(host);
        }
        let is_unspecified = listen.is_some_and(|address| address.is_unspecified());
        if is_unspecified && public_urls.is_empty() {
            names.extend(machine.map(str::to_ascii_lowercase));
        }
        Ok(Hosts { names, listen, last_warning: Mutex::default() })
    }

    /// Checks the `Host` header. A request without one is accepted: no browser sends it.
    ///
    /// # Errors
    ///
    /// Fails with `misdirected_request` for the name of another host.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut hosts = headers.get_all(header::HOST).into_iter();
        let Some(host) = hosts.next() else { return Ok(()) };
        let is_ours = host.to_str().is_ok_and(|host| self.is_ours(host)) && hosts.next().is_none();
        if is_ours {
            return Ok(());
        }
        let mut last_warning = self.last_warning.lock().unwrap_or_else(PoisonError::into_inner);
        if last_warning.is_none_or(|at| at.elapsed() >= WARNING_EVERY) {
            *last_warning = Some(Instant::now());
            tracing::warn!(
                ?host,
                "refused a request for an unknown host name; if it is a name of this server, add it to the setting `public_url`"
            );
        }
        let message = "this server does not answer to this host name; its operator can add it to the setting `public_url`";
        Err(ApiError::new(ErrorCode::MisdirectedRequest, message))
    }

    /// Whether a host name, with its port or without, is one of this server.
    pub fn is_ours(&self, host: &str) -> bool {
        let name = host_name(host);
        let name = name.as_str();
        if let Ok(address) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            // A browser that is given an address asks no name server, so nobody can have rebound
            // it.
            let is_any = self.listen.is_some_and(|listen| listen.is_unspecified());
            return is_any
                || address.to_canonical().is_loopback()
                || Some(address) == self.listen
                || self.names.iter().any(|own| own == name);
        }
        is_localhost(name) || self.names.iter().any(|own| own == name)
    }
}

/// RFC 6761, 6.3: names below `localhost` are this machine too.
fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether the `Host` header names this machine, as in development.
pub fn is_own_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(|host| is_localhost(&host_name(host)))
}

/// The name in a `Host` header as names are compared: in lower case, without port and final dot.
pub fn host_name(host: &str) -> String {
    let name = without_port(host).to_ascii_lowercase();
    name.strip_suffix('.').map(str::to_owned).unwrap_or(name)
}

/// The host of a public URL in lower case, without its port.
pub fn public_host(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = host_name(authority);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
    (!host.is_empty() && host.bytes().all(is_plain)).then_some(host)
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !host.ends_with(':') => host,
        _ => authority,
    }
}

/// The host name of the machine.
pub fn machine_name() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(hosts: &Hosts, host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a header value"));
        hosts.check(&headers).is_ok()
    }

    fn listening_on(address: &str, public_urls: &[&str]) -> Hosts {
        let urls: Vec<String> = public_urls.iter().map(|url| (*url).to_owned()).collect();
        Hosts::new(&urls, Some(address.parse().expect("an address")), Some("Tower")).expect("valid")
    }

    #[test]
    fn only_own_names_are_accepted() {
        let local = listening_on("127.0.0.1", &[]);
        let private = listening_on("192.168.1.4", &[]);
        let public = listening_on("127.0.0.1", &["https://Sheets.example.org", "http://[2001:db8::1]:8000/"]);
        let any = listening_on("0.0.0.0", &[]);
        let any_public = listening_on("::", &["https://sheets.example.org"]);
        for (host, accepted) in [
            ("localhost:8000", [true, true, true, true, true]),
            ("LOCALHOST", [true, true, true, true, true]),
            ("localhost.", [true, true, true, true, true]),
            ("wiki.localhost", [true, true, true, true, true]),
            ("127.0.0.1:9", [true, true, true, true, true]),
            ("[::1]:8000", [true, true, true, true, true]),
            ("192.168.1.4:8000", [false, true, false, true, true]),
            ("192.168.1.5:8000", [false, false, false, true, true]),
            ("[2001:db8::1]:8000", [false, false, true, true, true]),
            ("sheets.example.org", [false, false, true, false, true]),
            ("sheets.example.org:443", [false, false, true, false, true]),
            ("tower:8000", [false, false, false, true, false]),
            ("evil.example", [false, false, false, false, false]),
            ("localhost.evil.example", [false, false, false, false, false]),
            ("127.0.0.1.evil.example", [false, false, false, false, false]),
            ("evil.example:localhost", [false, false, false, false, false]),
            ("", [false, false, false, false, false]),
        ] {
            let found = [&local, &private, &public, &any, &any_public].map(|hosts| accepts(hosts, host));
            assert_eq!(found, accepted, "{host}");
        }
    }

    #[test]
    fn a_request_without_host_is_accepted_and_one_with_two_is_not() {
        let hosts = listening_on("127.0.0.1", &[]);
        let mut headers = HeaderMap::new();
        assert!(hosts.check(&headers).is_ok());
        headers.append(header::HOST, "localhost".parse().expect("a header value"));
        headers.append(header::HOST, "evil.example".parse().expect("a header value"));
        assert!(hosts.check(&headers).is_err());
    }

    #[test]
    fn public_urls_have_a_scheme_and_a_host() {
        for url in ["sheets.example.org", "ftp://sheets.example.org", "https://", "https://a b", "*"] {
            assert!(Hosts::new(&[url.to_owned()], None, None).is_err(), "{url}");
        }
    }
}
