//! The heads of relayed messages: everything but what is about one connection only (RFC 9110, 7.6.1).

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use hyper::upgrade::OnUpgrade;

use crate::access::{Tenant, base_path};

/// Headers about one connection, beside those that `Connection` names. `Expect` is answered by the server
/// that reads the body.
const OF_ONE_CONNECTION: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

/// Written by proxies, which clients must not be able to remove.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// Headers that programs between two servers may add or change, such as those of a service mesh. No server goes by
/// them.
const OF_INTERMEDIARIES: [&str; 12] = [
    "baggage",
    "content-length",
    "forwarded",
    "traceparent",
    "tracestate",
    "via",
    "x-cloud-trace-context",
    "x-forwarded-client-cert",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-request-id",
];
/// Names of others begin so.
const OF_INTERMEDIARIES_BEGIN: [&str; 5] = ["x-amzn-", "x-b3-", "x-datadog-", "x-envoy-", "x-ot-"];

/// Whether a header reaches the other server as it was sent.
pub fn is_end_to_end(name: &HeaderName) -> bool {
    !OF_ONE_CONNECTION.contains(name)
        && !OF_INTERMEDIARIES.contains(&name.as_str())
        && !OF_INTERMEDIARIES_BEGIN.iter().any(|begin| name.as_str().starts_with(begin))
}

/// Removes the headers that are about one connection.
pub fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // The owner needs to know from where the request comes, which is signed.
        .filter(|name| *name != FORWARDED_FOR)
        .collect();
    for name in OF_ONE_CONNECTION.iter().chain(&named) {
        headers.remove(name);
    }
}

/// The path as the client sent it, with the prefix of a tenant that was removed before the router.
pub fn target(tenant: Option<&Tenant>, uri: &Uri) -> String {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    format!("{}{path}", base_path(tenant.map(|tenant| tenant.0.as_ref())))
}

/// The `Host` of requests to a server at this URL; `None` when that is none.
pub fn host_of(url: &str) -> Option<HeaderValue> {
    let url: Uri = url.parse().ok()?;
    HeaderValue::from_str(url.authority()?.as_str()).ok()
}

/// Asks for a WebSocket, in a request or a response.
pub fn put_upgrade(headers: &mut HeaderMap) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
}

/// Whether a request asks for a WebSocket on a connection that can become one.
pub fn is_upgrade(request: &Request) -> bool {
    let upgrade = request.headers().get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
        && request.extensions().get::<OnUpgrade>().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_are_not_relayed() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, x-private, x-forwarded-for"),
            ("x-private", "1"),
            ("x-forwarded-for", "203.0.113.7"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("expect", "100-continue"),
            ("te", "trailers"),
            ("if-match", "\"7\""),
            ("cookie", "a=b"),
            ("content-length", "4"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        remove_hop_by_hop(&mut headers);
        let mut left: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["content-length", "cookie", "if-match", "x-forwarded-for"]);
    }
}
