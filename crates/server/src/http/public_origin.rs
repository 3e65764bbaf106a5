//! Under which address the browser of a request knows this server.

use axum::http::{HeaderMap, Uri, header};

use crate::config::Settings;

/// The origin, such as `https://sheets.example.org`: that of the own URL with the host of the request;
/// for names of this machine the host itself; otherwise the first own URL. The host was checked
/// before, so that nobody can choose another one.
pub fn public_origin(settings: &Settings, headers: &HeaderMap) -> String {
    origin_of_request(&settings.own_urls(), settings.has_own_tls(), headers)
}

fn origin_of_request(own_urls: &[String], has_own_tls: bool, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let host = host.to_ascii_lowercase();
    let origins: Vec<String> = own_urls.iter().filter_map(|url| origin_of(url)).collect();
    let has_host = |origin: &&String| origin.split_once("://").is_some_and(|(_, own)| own == host);
    if let Some(origin) = origins.iter().find(has_host) {
        return origin.clone();
    }
    let scheme = if has_own_tls { "https" } else { "http" };
    match origins.into_iter().next() {
        Some(origin) if !is_loopback(&host) => origin,
        _ => format!("{scheme}://{host}"),
    }
}

/// The host of an origin, without its port.
pub fn host_of(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, authority)| authority);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Scheme, host and port of a URL in the form of `Origin`: lower case, without the default port.
fn origin_of(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let (scheme, host) = (uri.scheme_str()?, uri.host()?.to_ascii_lowercase());
    match (scheme, uri.port_u16()) {
        ("https", None | Some(443)) | ("http", None | Some(80)) => Some(format!("{scheme}://{host}")),
        (_, Some(port)) => Some(format!("{scheme}://{host}:{port}")),
        _ => None,
    }
}

fn is_loopback(host: &str) -> bool {
    let name = host_of(host);
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    name == "localhost"
        || name.ends_with(".localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_that_of_the_public_url_with_the_same_host() {
        let public = ["https://Sheets.example.org/".to_owned(), "http://intranet:8080".to_owned()];
        for (urls, host, expected) in [
            (&public[..], "sheets.example.org", "https://sheets.example.org"),
            (&public, "SHEETS.example.org", "https://sheets.example.org"),
            (&public, "intranet:8080", "http://intranet:8080"),
            (&public, "192.168.1.4:8000", "https://sheets.example.org"),
            (&public, "localhost:8000", "http://localhost:8000"),
            (&[], "localhost:8000", "http://localhost:8000"),
            (&[], "[::1]:8000", "http://[::1]:8000"),
            (&[], "tower:8000", "http://tower:8000"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a header value"));
            assert_eq!(origin_of_request(urls, false, &headers), expected, "{host}");
        }
        assert_eq!(origin_of_request(&[], false, &HeaderMap::new()), "http://localhost");
        assert_eq!(origin_of_request(&public, true, &HeaderMap::new()), "https://localhost");
    }

    #[test]
    fn the_host_has_no_port() {
        for (origin, host) in [
            ("https://a.example", "a.example"),
            ("http://localhost:8000", "localhost"),
            ("http://[::1]:8", "[::1]"),
        ] {
            assert_eq!(host_of(origin), host);
        }
    }
}
