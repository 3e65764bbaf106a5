//! What two servers of one database tell each other about a relayed request, signed with the secret
//! that they share: whose request it is, and that the answer is one of the room's server.
//!
//! A request has two signatures (docs/decisions/0068-a-relayed-request-is-accepted-once.md). The first covers the
//! request line and the address of the client, and a time, after which it says nothing at all: all versions know it.
//! The second covers everything else: for which server the request is, its headers, its body when that is known
//! before it is sent, and a number that is accepted once.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use hmac::{Hmac, KeyInit, Mac};
use quadrille_journal::PeerId;
use sha2::Sha256;

use super::heads::is_end_to_end;
use crate::error::{ApiError, ErrorCode};
use crate::hexadecimal::{hex, hex_bytes};

/// In a request: `time peer signature`. The peer is the other end of the connection to the server that
/// relays, which may be a proxy. A time with a plus sign says that there is a second signature; versions without it
/// read the number all the same, and sign the sign.
pub const RELAYED_FOR: HeaderName = HeaderName::from_static("quadrille-relayed-for");
/// In a request: `sender number process digest signature`. The number is the sender's. The process is that of the
/// server that it is for, or `-` when only the URL is known; the digest that of the body, or `-`.
pub const RELAYED_ONCE: HeaderName = HeaderName::from_static("quadrille-relayed-once");
/// In its response: `here signature`, or `elsewhere signature` when the server does not run the room.
pub const RELAYED_BY: HeaderName = HeaderName::from_static("quadrille-relayed-by");
/// By which a proxy says who asks.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// How far the clocks of two servers may differ.
pub const CLOCKS_MAX: Duration = Duration::from_secs(60);
/// Stands for what is not known.
const UNKNOWN: &str = "-";

/// SHA-256 of a body.
pub type BodyDigest = [u8; 32];

/// A request line, its headers and the address of the client, which a signature is for.
pub struct Signed<'a> {
    pub method: &'a Method,
    /// Path with the prefix of a tenant, and query.
    pub target: &'a str,
    pub headers: &'a HeaderMap,
}

/// The server that a request is for.
#[derive(Clone, Copy)]
pub struct Addressee<'a> {
    pub url: &'a str,
    /// `None` when only the URL is known.
    pub process: Option<PeerId>,
}

/// The number of a relayed request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestNumber {
    /// Chosen at random by each process.
    pub sender: u64,
    pub number: u64,
}

/// What the second signature says about a request.
pub struct Once<'a> {
    pub to: Addressee<'a>,
    pub number: RequestNumber,
    /// `None` for a body that is passed on as it arrives.
    pub body: Option<BodyDigest>,
}

/// The headers of a relayed request.
#[derive(Clone)]
pub struct Signatures {
    relayed_for: HeaderValue,
    relayed_once: HeaderValue,
}

/// Marks a request that another server of the database relays. It is not relayed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relayed {
    /// The other end of the client's connection.
    pub peer: IpAddr,
    /// `None` for a request of a version that does not number them.
    pub number: Option<RequestNumber>,
    pub body: Option<BodyDigest>,
    /// The signature of the request, to which the answer refers.
    signature: String,
}

/// This server, as the others address it.
pub struct OwnServer<'a> {
    pub url: &'a str,
    /// In each database.
    pub processes: &'a [PeerId],
}

impl Signatures {
    /// Signs a request of this peer. The headers are those that are sent.
    pub fn new(
        key: &[u8; 32],
        signed: &Signed<'_>,
        once: &Once<'_>,
        peer: IpAddr,
        now_ms: i64,
    ) -> Signatures {
        let text = format!("+{now_ms} {peer}");
        let signature = hex(&request_mac(key, &text, signed).finalize().into_bytes());
        let relayed_for = header_value(&format!("{text} {signature}"));
        let process = once.to.process.map_or(UNKNOWN.to_owned(), |process| process.0.to_string());
        let body = once.body.map_or(UNKNOWN.to_owned(), |digest| hex(&digest));
        let RequestNumber { sender, number } = once.number;
        let text = format!("{sender:016x} {number} {process} {body}");
        let mac = once_mac(key, &text, &relayed_for, once.to.url, signed);
        let relayed_once = header_value(&format!("{text} {}", hex(&mac.finalize().into_bytes())));
        Signatures { relayed_for, relayed_once }
    }

    /// Adds them to the request.
    pub fn put(&self, headers: &mut HeaderMap) {
        headers.insert(RELAYED_FOR, self.relayed_for.clone());
        headers.insert(RELAYED_ONCE, self.relayed_once.clone());
    }

    /// Whether the answer says that the server does not run the room; `None` when the answer is not one of a
    /// server of this database.
    pub fn is_elsewhere(&self, key: &[u8; 32], answered: &HeaderMap) -> Option<bool> {
        let given = answered.get(RELAYED_BY)?;
        // A version without the second signature refers to the first.
        [&self.relayed_once, &self.relayed_for].into_iter().find_map(|asked| {
            let signature = asked.to_str().ok()?.rsplit(' ').next()?;
            // The key is not told by the time of a comparison of what it has signed: the other end has it.
            [false, true].into_iter().find(|is_elsewhere| answer(key, signature, *is_elsewhere) == *given)
        })
    }
}

/// Removes the headers of a relayed request.
pub fn remove(headers: &mut HeaderMap) {
    headers.remove(RELAYED_FOR);
    headers.remove(RELAYED_ONCE);
}

/// Checks the headers of a request that another server relays; `None` for a request without them. The number and
/// the body are checked by the caller.
///
/// # Errors
///
/// Fails with `misdirected_request` when no server of this database has signed the request for this server within
/// the last minute: then a server of another database has sent it here, or somebody who is none.
pub fn verify(
    key: &[u8; 32],
    signed: &Signed<'_>,
    own: &OwnServer<'_>,
    now_ms: i64,
) -> Result<Option<Relayed>, ApiError> {
    if !signed.headers.contains_key(RELAYED_FOR) {
        return Ok(None);
    }
    let unsigned = || refused("it was not signed by a server of the same database");
    let first = only(signed.headers, &RELAYED_FOR).ok_or_else(unsigned)?;
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
    if !text.starts_with('+') {
        return Ok(Some(Relayed { peer, number: None, body: None, signature: signature.to_owned() }));
    }
    verify_once(key, signed, own, first, peer).map(Some)
}

fn verify_once(
    key: &[u8; 32],
    signed: &Signed<'_>,
    own: &OwnServer<'_>,
    first: &HeaderValue,
    peer: IpAddr,
) -> Result<Relayed, ApiError> {
    let changed = || refused("it was changed on its way, or is for another server");
    let second = only(signed.headers, &RELAYED_ONCE).and_then(|value| value.to_str().ok());
    let (text, signature) = second.and_then(|text| text.rsplit_once(' ')).ok_or_else(changed)?;
    let bytes = hex_bytes(signature).ok_or_else(changed)?;
    once_mac(key, text, first, own.url, signed).verify_slice(&bytes).map_err(|_| changed())?;
    let parts: Vec<&str> = text.split(' ').collect();
    let [sender, number, process, body] = *parts else { return Err(changed()) };
    let number = RequestNumber {
        sender: u64::from_str_radix(sender, 16).map_err(|_| changed())?,
        number: number.parse().map_err(|_| changed())?,
    };
    if process != UNKNOWN && !own.processes.iter().any(|own| own.0.to_string() == process) {
        return Err(refused("it is for another server, or was sent before this one has started"));
    }
    let body = match body {
        UNKNOWN => None,
        digest => Some(hex_bytes(digest).and_then(|digest| digest.try_into().ok()).ok_or_else(changed)?),
    };
    Ok(Relayed { peer, number: Some(number), body, signature: signature.to_owned() })
}

/// The error for a request that says that it was relayed.
pub fn refused(reason: &str) -> ApiError {
    let message = format!("this server does not answer a request that was relayed to it: {reason}");
    ApiError::new(ErrorCode::MisdirectedRequest, message)
}

/// The header, if there is exactly one.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut given = headers.get_all(name).into_iter();
    given.next().filter(|_| given.next().is_none())
}

impl Relayed {
    /// Returns the header of the answer. `is_elsewhere` is whether this server does not run the room.
    pub fn relayed_by(&self, key: &[u8; 32], is_elsewhere: bool) -> HeaderValue {
        answer(key, &self.signature, is_elsewhere)
    }
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

fn once_mac(
    key: &[u8; 32],
    text: &str,
    relayed_for: &HeaderValue,
    url: &str,
    signed: &Signed<'_>,
) -> Hmac<Sha256> {
    let mut mac = mac(key);
    for part in ["once".as_bytes(), text.as_bytes(), relayed_for.as_bytes(), url.as_bytes()] {
        update(&mut mac, part);
    }
    let is_signed = |name: &&HeaderName| is_end_to_end(name) && ![RELAYED_FOR, RELAYED_ONCE].contains(name);
    let mut names: Vec<&HeaderName> = signed.headers.keys().filter(is_signed).collect();
    // Headers of one name have an order; names have none.
    names.sort_unstable_by_key(|name| name.as_str());
    for name in names {
        for value in signed.headers.get_all(name) {
            update(&mut mac, name.as_str().as_bytes());
            update(&mut mac, value.as_bytes());
        }
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
    HeaderValue::from_str(text).expect("digits, letters, dots, colons and signs are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];
    const URL: &str = "http://10.0.0.5:8000";
    const OWN: OwnServer<'_> = OwnServer { url: URL, processes: &[PeerId(41), PeerId(52)] };
    const NUMBER: RequestNumber = RequestNumber { sender: 0xabcd, number: 17 };

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

    fn once(process: Option<PeerId>) -> Once<'static> {
        Once { to: Addressee { url: URL, process }, number: NUMBER, body: Some([9; 32]) }
    }

    /// A request as it is sent.
    struct Sent {
        method: Method,
        target: String,
        headers: HeaderMap,
    }

    impl Sent {
        fn new(once: &Once<'_>) -> Sent {
            let (method, target) = (Method::PUT, "/acme/api/v1/rooms/sales?a=b".to_owned());
            let mut headers = headers(&[
                (FORWARDED_FOR, "198.51.100.1"),
                ("cookie", "session=1"),
                ("authorization", "Bearer qt_1"),
                ("host", "sheets.example.org"),
            ]);
            let signed = Signed { method: &method, target: &target, headers: &headers };
            Signatures::new(&KEY, &signed, once, peer(), 1_000_000).put(&mut headers);
            Sent { method, target, headers }
        }

        fn verify(&self, key: &[u8; 32], own: &OwnServer<'_>, now_ms: i64) -> Result<Relayed, ApiError> {
            let signed = Signed { method: &self.method, target: &self.target, headers: &self.headers };
            verify(key, &signed, own, now_ms).map(|found| found.expect("relayed"))
        }
    }

    /// Whether a request is accepted that was changed on its way.
    fn accepts(change: impl FnOnce(&mut Sent)) -> bool {
        let mut sent = Sent::new(&once(Some(PeerId(52))));
        change(&mut sent);
        let verified = sent.verify(&KEY, &OWN, 1_000_000);
        if let Ok(relayed) = &verified {
            assert_eq!((relayed.peer, relayed.number, relayed.body), (peer(), Some(NUMBER), Some([9; 32])));
        }
        verified.is_ok()
    }

    #[test]
    fn only_servers_with_the_same_secret_say_who_asks_and_for_a_minute() {
        let sent = Sent::new(&once(Some(PeerId(41))));
        assert!(sent.verify(&KEY, &OWN, 1_000_000).is_ok());
        assert!(sent.verify(&KEY, &OWN, 1_060_000).is_ok());
        assert!(sent.verify(&KEY, &OWN, 940_000).is_ok(), "a clock that is behind");
        assert!(sent.verify(&KEY, &OWN, 1_060_001).is_err());
        assert!(sent.verify(&[8; 32], &OWN, 1_000_000).is_err());
    }

    #[test]
    fn a_signature_is_for_one_request_of_one_client() {
        assert!(accepts(|_| ()));
        assert!(!accepts(|sent| sent.method = Method::DELETE));
        assert!(!accepts(|sent| sent.target.push('c')));
        let other = || HeaderValue::from_static("x");
        for name in [FORWARDED_FOR, "cookie", "authorization", "host", "quadrille-relayed-once"] {
            let changes: [fn(&mut HeaderMap, &'static str, HeaderValue); 3] = [
                |headers, name, _| _ = headers.remove(name),
                |headers, name, other| _ = headers.append(name, other),
                |headers, name, other| _ = headers.insert(name, other),
            ];
            for change in changes {
                assert!(!accepts(|sent| change(&mut sent.headers, name, other())), "{name}");
            }
        }
        assert!(!accepts(|sent| _ = sent.headers.append("if-match", other())));
        for name in ["quadrille-relayed-for", "quadrille-relayed-once"] {
            for (part, other) in [("203.0.113.7", "192.0.2.1"), ("+1", "1"), (" 17 ", " 18 "), ("52", "41")] {
                let change = |sent: &mut Sent| {
                    let text = sent.headers[name].to_str().expect("ASCII").replacen(part, other, 1);
                    sent.headers.insert(name, text.parse().expect("a header value"));
                };
                let mut changed = Sent::new(&once(Some(PeerId(52))));
                let before = changed.headers[name].clone();
                change(&mut changed);
                if changed.headers[name] != before {
                    assert!(!accepts(change), "{name}: {part}");
                }
            }
            assert!(!accepts(|sent| {
                let again = sent.headers[name].clone();
                sent.headers.append(name, again);
            }));
        }
    }

    #[test]
    fn a_signature_is_for_one_process_of_one_server() {
        let verified = |process, own: &OwnServer<'_>| {
            Sent::new(&once(process)).verify(&KEY, own, 1_000_000).map_err(|error| error.code)
        };
        assert!(verified(Some(PeerId(41)), &OWN).is_ok());
        assert!(verified(None, &OWN).is_ok(), "a server that is known by its URL");
        // It has started again since.
        assert_eq!(verified(Some(PeerId(40)), &OWN), Err(ErrorCode::MisdirectedRequest));
        let other = OwnServer { url: "http://10.0.0.6:8000", ..OWN };
        for process in [Some(PeerId(41)), None] {
            assert_eq!(verified(process, &other), Err(ErrorCode::MisdirectedRequest));
        }
    }

    #[test]
    fn headers_of_intermediaries_may_be_added() {
        assert!(accepts(|sent| {
            for (name, value) in [
                ("connection", "upgrade"),
                ("upgrade", "websocket"),
                ("content-length", "4"),
                ("traceparent", "00-1-1-01"),
                ("x-request-id", "1"),
                ("via", "1.1 mesh"),
            ] {
                sent.headers.append(name, HeaderValue::from_static(value));
            }
        }));
    }

    /// A header as versions before this one have sent it.
    #[test]
    fn a_version_without_numbers_is_understood_and_its_header_is_none_of_ours() {
        let (method, target) = (Method::GET, "/api/v1/rooms/sales");
        let mut headers = headers(&[("cookie", "session=1")]);
        let signed = Signed { method: &method, target, headers: &headers };
        let text = format!("1000000 {}", peer());
        let signature = hex(&request_mac(&KEY, &text, &signed).finalize().into_bytes());
        headers.insert(RELAYED_FOR, header_value(&format!("{text} {signature}")));
        let signed = Signed { method: &method, target, headers: &headers };
        let relayed = verify(&KEY, &signed, &OWN, 1_000_000).expect("signed").expect("relayed");
        assert_eq!((relayed.peer, relayed.number, relayed.body), (peer(), None, None));
        // The header of this version does not pass for one of those when the second is taken away.
        assert!(!accepts(|sent| {
            sent.headers.remove(RELAYED_ONCE);
            let text = sent.headers[RELAYED_FOR].to_str().expect("ASCII").replacen('+', "", 1);
            sent.headers.insert(RELAYED_FOR, text.parse().expect("a header value"));
        }));
    }

    #[test]
    fn a_request_without_the_header_is_that_of_a_client_and_nonsense_is_refused() {
        let (method, target) = (Method::GET, "/");
        let found =
            |headers: &HeaderMap| verify(&KEY, &Signed { method: &method, target, headers }, &OWN, 1_000_000);
        assert_eq!(found(&HeaderMap::new()), Ok(None));
        for text in ["", "- -", "1000000 - ", "1000000 203.0.113.7 00", "1000000 203.0.113.7 0g", "x y z"] {
            let refused = found(&headers(&[("quadrille-relayed-for", text)])).expect_err(text);
            assert_eq!(refused.code, ErrorCode::MisdirectedRequest, "{text}");
        }
    }

    #[test]
    fn an_answer_is_that_of_the_server_that_was_asked() {
        let empty = HeaderMap::new();
        let signed = Signed { method: &Method::GET, target: "/", headers: &empty };
        let asked = Signatures::new(&KEY, &signed, &once(None), peer(), 1_000_000);
        let mut sent = HeaderMap::new();
        asked.put(&mut sent);
        let relayed = verify(&KEY, &Signed { headers: &sent, ..signed }, &OWN, 1_000_000);
        let relayed = relayed.expect("signed").expect("relayed");
        for elsewhere in [false, true] {
            let mut answered = HeaderMap::new();
            assert_eq!(asked.is_elsewhere(&KEY, &answered), None);
            answered.insert(RELAYED_BY, relayed.relayed_by(&KEY, elsewhere));
            assert_eq!(asked.is_elsewhere(&KEY, &answered), Some(elsewhere));
            answered.insert(RELAYED_BY, relayed.relayed_by(&[8; 32], elsewhere));
            assert_eq!(asked.is_elsewhere(&KEY, &answered), None);
        }
        // A version without the second signature refers to the first.
        let first = sent[RELAYED_FOR].to_str().expect("ASCII").rsplit(' ').next().expect("a part");
        let earlier = Relayed { signature: first.to_owned(), ..relayed };
        let answered = HeaderMap::from_iter([(RELAYED_BY, earlier.relayed_by(&KEY, true))]);
        assert_eq!(asked.is_elsewhere(&KEY, &answered), Some(true));
    }
}
