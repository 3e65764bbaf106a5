//! The files of the web client: embedded in release builds, read from `web/dist` in development
//! builds.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::hexadecimal::hex;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Dist;

/// Files under `assets/` have a hash in their name and never change.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Other files are revalidated with every use, and answered with 304 when unchanged.
const REVALIDATED: &str = "no-cache";

/// The script for embedding, which pages of any origin can load. The headers of the workbook's page
/// decide which origins can embed it.
const EMBED_SCRIPT: &str = "embed.js";

/// Returns the page of the web client, which displays the start page at `/` and a workbook at
/// `/{room}`.
pub fn page(headers: &HeaderMap) -> Response {
    file("index.html", headers).unwrap_or_else(not_built)
}

/// Returns a file by its path in `web/dist`; `None` when it does not exist.
pub fn file(path: &str, headers: &HeaderMap) -> Option<Response> {
    let (file, encoding) = encoded(path, headers)?;
    let etag = format!("\"{}\"", hex(&file.metadata.sha256_hash()[..16]));
    let cache = if path.starts_with("assets/") { IMMUTABLE } else { REVALIDATED };
    let unchanged =
        headers.get(header::IF_NONE_MATCH).is_some_and(|cached| cached.as_bytes() == etag.as_bytes());
    let mut response = match unchanged {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(Body::from(file.data)),
    };
    let reply = response.headers_mut();
    reply.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(path)));
    reply.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    reply.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    reply.insert(header::ETAG, HeaderValue::from_str(&etag).expect("hexadecimal digits are valid"));
    if path == EMBED_SCRIPT {
        reply.insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
        reply.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    if let Some(encoding) = encoding {
        reply.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// Returns the smallest encoding of the file that the browser accepts. The web build writes `.br`
/// and `.gz` files beside the originals.
fn encoded(path: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    for (encoding, end) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(headers, encoding)
            && let Some(file) = Dist::get(&format!("{path}{end}"))
        {
            return Some((file, Some(encoding)));
        }
    }
    Dist::get(path).map(|file| (file, None))
}

/// Whether a client accepts a content encoding.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    accepted.split(',').any(|item| {
        let (name, weight) = item.split_once(';').unwrap_or((item, ""));
        name.trim() == encoding
            && !matches!(weight.replace(' ', "").as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The page when the web client has not been built.
fn not_built() -> Response {
    const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Quadrille</title>\
        <h1>The web client is not built</h1>\
        <p>The server is running and serves its API under <a href=\"/api/v1/openapi.json\">/api/v1</a>, but \
        <code>web/dist</code> did not exist when the server was built. \
        Run <code>make run</code> in the repository, or <code>npm ci &amp;&amp; npm run build</code> in \
        <code>web/</code> and build the server again.</p></html>";
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::OK, headers, PAGE).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_accepted_unless_its_weight_is_zero() {
        for (accepted, brotli, gzip) in [
            ("gzip, deflate, br, zstd", true, true),
            ("br;q=0, gzip;q=0.5", false, true),
            ("identity", false, false),
            ("", false, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!((accepts(&headers, "br"), accepts(&headers, "gzip")), (brotli, gzip), "{accepted}");
        }
    }
}
