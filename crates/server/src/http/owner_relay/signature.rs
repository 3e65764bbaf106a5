//! What two servers of one database tell each other about a relayed request, signed with the secret
//! that they share: whose request it is, and that the answer is one of the room's server.
//!
//! The signature covers the request line and the address of the client, so that it says nothing about
//! another request, and a time, after which it says nothing at all.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{ApiError, ErrorCode};
use crate::hexadecimal::{hex, hex_bytes};

/// In a request: `time peer signature`. The peer is the other end of the connection to the server that
/// relays, which may be a proxy.
pub const RELAYED_FOR: HeaderName = HeaderName::from_static("quadrille-relayed-for");
/// In its response: `here signature`, or `elsewhere signature` when the server does not run the room.
pub const RELAYED_BY: HeaderName = HeaderName::from_static("quadrille-relayed-by");
/// By which a proxy says who asks.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// How far the clocks of two servers may differ.
const CLOCKS_MAX: Duration = Duration::from_secs(60);

/// A request line and the address of the client, which a signature is for.
pub struct Signed<'a> {
    pub method: &'a Method,
    /// Path with the prefix of a tenant, and query.
    pub target: &'a str,
    pub headers: &'a HeaderMap,
}

/// Marks a request that another server of the database relays. It is not relayed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relayed {
    /// The other end of the client's connection.
    pub peer: IpAddr,
    /// The signature of the request, to which the answer refers.
    signature: String,
}

/// Returns the header for a request of this peer.
pub fn relayed_for(key: &[u8; 32], signed: &Signed<'_>, peer: IpAddr, now_ms: i64) -> HeaderValue {
    let text = format!("{now_ms} {peer}");
    let signature = hex(&request_mac(key, &text, signed).finalize().into_bytes());
    header_value(&format!("{text} {signature}"))
}

/// Checks the header of a request that another server relays; `None` for a request without one.
///
/// # Errors
///
/// Fails with `misdirected_request` when no server of this database has signed the request within the
/// last minute: then a server of another database has sent it here, or somebody who is none.
pub fn verify(key: &[u8; 32], signed: &Signed<'_>, now_ms: i64) -> Result<Option<Relayed>, ApiError> {
    let mut given = signed.headers.get_all(RELAYED_FOR).into_iter();
    let Some(first) = given.next() else { return Ok(None) };
    let refused = |reason: &str| {
        let message = format!("this server does not answer a request that was relayed to it: {reason}");
        ApiError::new(ErrorCode::MisdirectedRequest, message)
    };
    let unsigned = || refused("it was not signed by a server of the same database");
    if given.next().is_some() {
        return Err(unsigned());
    }
    let (text, signature) =
        first.to_str().ok().and_then(|text| text.rsplit_once(' ')).ok_or_else(unsigned)?;
    let bytes = hex_bytes(signature).ok_or_else(unsigned)?;
    request_mac(key, text, signed).verify_slice(&bytes).map_err(|_| unsigned())?;
    let parsed = text.split_once(' ').and_then(|(time_ms, peer)| {
        let time_ms: i64 = time_ms.parse().ok()?;
        Some((time_ms, peer.parse::<IpAddr>().ok()?))
    });
    let (time_ms, peer) = parsed.ok_or_else(unsigned)?;
    if now_ms.abs_diff(time_ms) > CLOCKS_MAX.as_millis() as u64 {
        return Err(refused("it is older than a minute, or the clocks of the servers differ"));
    }
    Ok(Some(Relayed { peer, signature: signature.to_owned() }))
}

impl Relayed {
    /// Returns the header of the answer. `is_elsewhere` is whether this server does not run the room.
    pub fn relayed_by(&self, key: &[u8; 32], is_elsewhere: bool) -> HeaderValue {
        answer(key, &self.signature, is_elsewhere)
    }
}

/// Whether the answer to a request with the header `relayed_for` says that the server does not run the
/// room; `None` when the answer is not one of a server of this database.
pub fn is_elsewhere(key: &[u8; 32], relayed_for: &HeaderValue, answered: &HeaderMap) -> Option<bool> {
    let signature = relayed_for.to_str().ok()?.rsplit(' ').next()?;
    let given = answered.get(RELAYED_BY)?;
    // The key is not told by the time of a comparison of what it has signed: the other end has it.
    [false, true].into_iter().find(|is_elsewhere| answer(key, signature, *is_elsewhere) == *given)
}

fn answer(key: &[u8; 32], signature: &str, is_elsewhere: bool) -> HeaderValue {
    let word = if is_elsewhere { "elsewhere" } else { "here" };
    let mut mac = mac(key);
    for part in ["answer", word, signature] {
        update(&mut mac, part.as_bytes());
    }
    header_value(&format!("{word} {}", hex(&mac.finalize().into_bytes())))
}

fn request_mac(key: &[u8; 32], text: &str, signed: &Signed<'_>) -> Hmac<Sha256> {
    let mut mac = mac(key);
    for part in ["request", text, signed.method.as_str(), signed.target] {
        update(&mut mac, part.as_bytes());
    }
    for value in signed.headers.get_all(FORWARDED_FOR) {
        update(&mut mac, value.as_bytes());
    }
    mac
}

fn mac(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    // Other texts are signed with the same key.
    mac.update(b"requests that servers relay");
    mac
}

/// Adds a part with its length, so that no two lists of parts are the same bytes.
fn update(mac: &mut Hmac<Sha256>, part: &[u8]) {
    mac.update(&(part.len() as u64).to_be_bytes());
    mac.update(part);
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("digits, letters, dots and colons are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn peer() -> IpAddr {
        "203.0.113.7".parse().expect("an address")
    }

    fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(*name, value.parse().expect("a header value"));
        }
        headers
    }

    /// Whether a request with the header is accepted, changed by the caller.
    fn accepts(
        key: &[u8; 32],
        now_ms: i64,
        change: impl FnOnce(&mut Method, &mut String, &mut HeaderMap),
    ) -> bool {
        let (mut method, mut target) = (Method::PUT, "/acme/api/v1/rooms/sales?a=b".to_owned());
        let mut headers = headers(&[(FORWARDED_FOR, "198.51.100.1")]);
        let signed = Signed { method: &method, target: &target, headers: &headers };
        let value = relayed_for(&KEY, &signed, peer(), 1_000_000);
        headers.insert(RELAYED_FOR, value);
        change(&mut method, &mut target, &mut headers);
        let signed = Signed { method: &method, target: &target, headers: &headers };
        let verified = verify(key, &signed, now_ms);
        assert!(
            verified.as_ref().map_or(true, |found| found.as_ref().is_some_and(|found| found.peer == peer()))
        );
        verified.is_ok()
    }

    #[test]
    fn only_servers_with_the_same_secret_say_who_asks_and_for_a_minute() {
        assert!(accepts(&KEY, 1_000_000, |_, _, _| ()));
        assert!(accepts(&KEY, 1_060_000, |_, _, _| ()));
        assert!(accepts(&KEY, 940_000, |_, _, _| ()), "a clock that is behind");
        assert!(!accepts(&KEY, 1_060_001, |_, _, _| ()));
        assert!(!accepts(&[8; 32], 1_000_000, |_, _, _| ()));
    }

    #[test]
    fn a_signature_is_for_one_request_of_one_client() {
        assert!(!accepts(&KEY, 1_000_000, |method, _, _| *method = Method::DELETE));
        assert!(!accepts(&KEY, 1_000_000, |_, target, _| target.push('c')));
        assert!(!accepts(&KEY, 1_000_000, |_, _, headers| drop(headers.remove(FORWARDED_FOR))));
        assert!(!accepts(&KEY, 1_000_000, |_, _, headers| {
            headers.append(FORWARDED_FOR, HeaderValue::from_static("192.0.2.1"));
        }));
        assert!(!accepts(&KEY, 1_000_000, |_, _, headers| {
            let text = headers[RELAYED_FOR].to_str().expect("ASCII").replace("203.0.113.7", "192.0.2.1");
            headers.insert(RELAYED_FOR, text.parse().expect("a header value"));
        }));
        assert!(!accepts(&KEY, 1_000_000, |_, _, headers| {
            let again = headers[RELAYED_FOR].clone();
            headers.append(RELAYED_FOR, again);
        }));
    }

    #[test]
    fn a_request_without_the_header_is_that_of_a_client_and_nonsense_is_refused() {
        let (method, target) = (Method::GET, "/");
        let found =
            |headers: &HeaderMap| verify(&KEY, &Signed { method: &method, target, headers }, 1_000_000);
        assert_eq!(found(&HeaderMap::new()), Ok(None));
        for text in ["", "- -", "1000000 - ", "1000000 203.0.113.7 00", "1000000 203.0.113.7 0g", "x y z"] {
            let refused = found(&headers(&[("quadrille-relayed-for", text)])).expect_err(text);
            assert_eq!(refused.code, ErrorCode::MisdirectedRequest, "{text}");
        }
    }

    #[test]
    fn an_answer_is_that_of_the_server_that_was_asked() {
        let headers = HeaderMap::new();
        let signed = Signed { method: &Method::GET, target: "/", headers: &headers };
        let asked = relayed_for(&KEY, &signed, peer(), 1_000_000);
        let mut sent = HeaderMap::new();
        sent.insert(RELAYED_FOR, asked.clone());
        let relayed = verify(&KEY, &Signed { headers: &sent, ..signed }, 1_000_000);
        let relayed = relayed.expect("signed").expect("relayed");
        for elsewhere in [false, true] {
            let mut answered = HeaderMap::new();
            assert_eq!(is_elsewhere(&KEY, &asked, &answered), None);
            answered.insert(RELAYED_BY, relayed.relayed_by(&KEY, elsewhere));
            assert_eq!(is_elsewhere(&KEY, &asked, &answered), Some(elsewhere));
            answered.insert(RELAYED_BY, relayed.relayed_by(&[8; 32], elsewhere));
            assert_eq!(is_elsewhere(&KEY, &asked, &answered), None);
        }
    }
}
