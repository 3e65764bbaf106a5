//! The opening handshake of a WebSocket (RFC 6455, 4.2).

use axum::http::{HeaderMap, HeaderName, Method, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// Appended to the client's key, so that only a WebSocket server can compute the answer (RFC 6455,
/// 1.3).
const PROTOCOL_ID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Returns the value of `sec-websocket-accept`.
///
/// # Errors
///
/// Fails with the reason when the request is not a valid handshake.
pub fn accept(method: &Method, headers: &HeaderMap) -> Result<String, &'static str> {
    if method != Method::GET {
        return Err("the method must be GET");
    }
    if !has_token(headers, header::CONNECTION, "upgrade") {
        return Err("the header connection must contain upgrade");
    }
    if !has_token(headers, header::UPGRADE, "websocket") {
        return Err("the header upgrade must be websocket");
    }
    if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version.as_bytes() != b"13") {
        return Err("the header sec-websocket-version must be 13");
    }
    let key = headers.get(header::SEC_WEBSOCKET_KEY).ok_or("the header sec-websocket-key is missing")?;
    if STANDARD.decode(key.as_bytes()).map(|bytes| bytes.len()) != Ok(16) {
        return Err("the header sec-websocket-key must be 16 bytes in base64");
    }
    Ok(answer(key.as_bytes()))
}

fn answer(key: &[u8]) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(PROTOCOL_ID).finalize())
}

fn has_token(headers: &HeaderMap, name: HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|item| item.trim().eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc_gives_its_answer() {
        // RFC 6455, 1.3.
        assert_eq!(answer(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_rejected_handshake_names_the_header() {
        let complete = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let without = |left_out: &str| {
            let headers = complete.iter().filter(|(name, _)| *name != left_out);
            headers
                .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
                .collect()
        };
        assert!(accept(&Method::GET, &without("nothing")).is_ok());
        assert!(accept(&Method::POST, &without("nothing")).is_err());
        for (name, _) in complete {
            let why = accept(&Method::GET, &without(name)).expect_err(name);
            assert!(why.contains(name), "{why}");
        }
    }
}
