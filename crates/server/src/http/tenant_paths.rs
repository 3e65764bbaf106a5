//! Tenants by path prefix: below the prefix, all pages and routes of the server answer for the
//! tenant (docs/decisions/0017-tenants-by-path.md).
//!
//! [`layer`] removes the prefix before the router sees the request, and notes the tenant. What
//! leaves the server gets it again: redirects in [`prefix_location`], cookies by their path, and
//! addresses in bodies where they are made.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use super::app::App;
use crate::access::Tenant;

/// Marks a request for the prefix itself without a slash at its end, which is redirected: the
/// client reads its own prefix from the address of the page.
#[derive(Clone, Copy)]
pub struct MissingSlash;

/// Removes the prefix of a tenant from the path of a request and adds the tenant to its extensions.
pub async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    // At the host name of a tenant, all paths are its own.
    if host.is_none_or(|host| app.quotas.tenant_of_host(host).is_none())
        && let Some((tenant, uri)) = without_prefix(&app, request.uri())
    {
        match uri {
            Some(uri) => *request.uri_mut() = uri,
            None => _ = request.extensions_mut().insert(MissingSlash),
        }
        request.extensions_mut().insert(Tenant(tenant));
    }
    next.run(request).await
}

/// The tenant of a path, and the address below its prefix; `None` for the prefix itself.
fn without_prefix(app: &App, uri: &Uri) -> Option<(Arc<str>, Option<Uri>)> {
    let path = uri.path();
    let end = path[1..].find('/').map_or(path.len(), |end| end + 1);
    let tenant = app.quotas.tenant_of_path(&path[..end])?;
    if end == path.len() {
        return Some((tenant, None));
    }
    let rest = uri.path_and_query().map_or(&path[end..], |whole| &whole.as_str()[end..]);
    let rest = PathAndQuery::try_from(rest).expect("the end of a valid path, from a slash on");
    Some((tenant, Some(Uri::from(rest))))
}

/// Adds the prefix of a tenant to a redirect within the server.
pub fn prefix_location(headers: &mut HeaderMap, prefix: &str) {
    let location = headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
    let Some(location) = location.filter(|location| is_within(location)) else { return };
    if let Ok(prefixed) = HeaderValue::from_str(&format!("{prefix}{location}")) {
        headers.insert(header::LOCATION, prefixed);
    }
}

/// `//host` is another server.
fn is_within(location: &str) -> bool {
    location.starts_with('/') && !location.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_within_the_server_get_the_prefix() {
        for (location, expected) in [
            ("/budget?view", "/acme/budget?view"),
            ("https://sso.example.org/", "https://sso.example.org/"),
            ("//evil.example", "//evil.example"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::LOCATION, HeaderValue::from_static(location));
            prefix_location(&mut headers, "/acme");
            assert_eq!(headers[header::LOCATION], expected);
        }
    }
}
