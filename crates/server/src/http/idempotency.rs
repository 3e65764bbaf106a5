//! Idempotency keys: a request that is repeated with the same `Idempotency-Key` is carried out once
//! (draft-ietf-httpapi-idempotency-key-header).
//!
//! The key is stored before its request is carried out, with a random number that the record of the
//! request gets in the journal. After a crash between the journal and the recorded answer, the
//! number tells whether the change is there; then the handler runs without writing and gives the
//! same answer again. Errors change nothing and are not recorded.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quadrille_access::{Digest, KeyedRequest, RecordedAnswer};
use quadrille_protocol::{Counter, Revision, RoomName};
use sha2::{Digest as _, Sha256};

use super::app::App;
use super::extractors::RoomSegment;
use super::internal_error::internal;
use super::request_body;
use crate::access::{Grant, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::{RequestMark, storage_unanswered};

pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// Says that an answer was recorded earlier.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The operations that take a key. The others of `POST` and `PATCH` refuse one, so that nobody relies
/// on it; those of `PUT` and `DELETE` can be repeated anyway.
const ROUTES: [(&str, Method); 10] = [
    ("/api/v1/rooms/{room}", Method::PUT),
    ("/api/v1/rooms/{room}/chat", Method::POST),
    ("/api/v1/rooms/{room}/commands", Method::POST),
    ("/api/v1/rooms/{room}/history/{revision}/restore", Method::POST),
    ("/api/v1/rooms/{room}/items/{item}", Method::PUT),
    ("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", Method::PUT),
    ("/api/v1/rooms/{room}/sheets/{sheet}/items", Method::POST),
    ("/api/v1/rooms/{room}/sheets/{sheet}/items/{item}", Method::PUT),
    ("/api/v1/rooms/{room}/sheets/{sheet}/items/{item}", Method::DELETE),
    ("/api/v1/rooms/{room}/sheets/{sheet}/rows", Method::POST),
];

/// What happens to the key of a request to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyUse {
    Taken,
    /// A key is an error.
    Refused,
    /// The operation can be repeated without one.
    Ignored,
}

impl KeyUse {
    pub fn of(path: &str, method: &Method) -> KeyUse {
        if ROUTES.iter().any(|(known, its)| *known == path && its == method) {
            return KeyUse::Taken;
        }
        let is_repeatable = method.is_safe() || *method == Method::PUT || *method == Method::DELETE;
        if path.starts_with("/api/v1/") && !is_repeatable { KeyUse::Refused } else { KeyUse::Ignored }
    }
}

/// Carries out a request once for each of its keys. The access has been checked before: a recorded
/// answer goes only to those who may make the request now.
pub async fn layer(State((app, key_use)): State<(App, KeyUse)>, request: Request, next: Next) -> Response {
    let answered = match (key_use, request.headers().contains_key(HEADER)) {
        (KeyUse::Ignored, _) | (_, false) => Ok(next.run(request).await),
        (KeyUse::Refused, true) => Err(bad_key("this operation does not take an Idempotency-Key")),
        (KeyUse::Taken, true) => carry_out_once(app, request, next).await,
    };
    answered.unwrap_or_else(IntoResponse::into_response)
}

async fn carry_out_once(app: App, request: Request, next: Next) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let key = key(&parts.headers)?.to_owned();
    let RoomSegment(room) = RoomSegment::from_request_parts(&mut parts, &app).await?;
    let grant: Grant = parts.extensions.get().cloned().expect("the route needs a role");
    let body = request_body::read(&parts.headers, body, app.settings.body_bytes_max).await?;
    let request = KeyedRequest {
        key: scoped(&key, &room, &grant),
        room: room.as_str().to_owned(),
        fingerprint: fingerprint(&parts, &body),
        number: RequestMark::random_number(),
        after: 0,
        created_ms: now_ms(),
        answer: None,
    };
    let in_use = || {
        let message = "a request with this Idempotency-Key is being carried out; try again later";
        ApiError::new(ErrorCode::IdempotencyKeyInUse, message)
    };
    let running = app.running_keys.begin(request.key).ok_or_else(in_use)?;
    // Finished even if the client disconnects, or gets an answer before the database: otherwise the key would be
    // free before it is known whether the change is in the journal.
    let (rooms, named) = (app.rooms.clone(), room.clone());
    let work = async move {
        let _running = running;
        Keyed { app, room, parts, body, grant }.carry_out(request, next).await
    };
    let finished = rooms.unless_away(&named, tokio::spawn(work)).await.ok_or_else(storage_unanswered)?;
    finished.unwrap_or_else(|_| Err(internal("carrying out a request with a key")))
}

/// A request whose key is not in use elsewhere.
struct Keyed {
    app: App,
    room: RoomName,
    parts: Parts,
    body: Bytes,
    grant: Grant,
}

impl Keyed {
    async fn carry_out(mut self, mut request: KeyedRequest, next: Next) -> Result<Response, ApiError> {
        request.after = match self.app.rooms.read_inputs(&self.room).await {
            Ok(reading) => reading.revision.0,
            Err(error) if error.code == ErrorCode::NoSuchRoom => 0,
            Err(error) => return Err(error),
        };
        let fingerprint = request.fingerprint;
        let not_before_ms = request.created_ms - limits::IDEMPOTENCY_KEY_HOURS as i64 * 3_600_000;
        let (begun, count_max) = (request.clone(), limits::IDEMPOTENCY_KEYS_PER_ROOM_MAX);
        let stored =
            self.app.access.run(move |store| store.begin_keyed_request(&begun, not_before_ms, count_max));
        let mut mark = RequestMark { counter: Counter(request.number), recorded: None };
        if let Some(stored) = stored.await? {
            if stored.fingerprint != fingerprint {
                let message = "this Idempotency-Key was used for another request";
                return Err(ApiError::new(ErrorCode::IdempotencyKeyReused, message));
            }
            if let Some(answer) = stored.answer {
                return replayed(answer);
            }
            // The first attempt failed, or the server ended before the answer was recorded.
            mark.counter = Counter(stored.number);
            mark.recorded = self.recorded(Revision(stored.after), mark.counter).await?;
        }
        self.grant.mark = Some(mark);
        self.parts.extensions.insert(self.grant);
        let response = next.run(Request::from_parts(self.parts, Body::from(self.body))).await;
        match response.status().is_success() {
            true => record(&self.app, request.key, response).await,
            false => Ok(response),
        }
    }

    async fn recorded(
        &self,
        after: Revision,
        counter: Counter,
    ) -> Result<Option<Arc<quadrille_protocol::Record>>, ApiError> {
        match self.app.rooms.record_of_request(&self.room, after, counter).await {
            Ok(record) => Ok(record.map(Arc::new)),
            Err(error) if error.code == ErrorCode::NoSuchRoom => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Records an answer and returns it. One that is not recorded is made again from the journal.
async fn record(app: &App, key: Digest, response: Response) -> Result<Response, ApiError> {
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.map_err(|_| internal("reading an answer"))?;
    if body.len() <= limits::IDEMPOTENCY_ANSWER_BYTES_MAX
        && let Ok(text) = String::from_utf8(body.to_vec())
    {
        let etag = parts.headers.get(header::ETAG).and_then(|etag| etag.to_str().ok());
        let answer =
            RecordedAnswer { status: parts.status.as_u16(), etag: etag.map(str::to_owned), body: text };
        if let Err(error) = app.access.run(move |store| store.answer_keyed_request(key, &answer)).await {
            tracing::warn!(reason = error.message, "the answer to a request with a key was not recorded");
        }
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn replayed(answer: RecordedAnswer) -> Result<Response, ApiError> {
    let unreadable = |_| internal("reading a recorded answer");
    let mut response = Response::new(Body::from(answer.body.clone()));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).map_err(|_| internal("a recorded answer"))?;
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    if !answer.body.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if let Some(etag) = answer.etag {
        headers.insert(header::ETAG, HeaderValue::try_from(etag).map_err(unreadable)?);
    }
    Ok(response)
}

/// The key in the header: a string of RFC 9651, or the same without its quotes.
fn key(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(HEADER).iter();
    let (first, second) = (values.next(), values.next());
    let text = first.filter(|_| second.is_none()).and_then(|value| value.to_str().ok());
    let text = text.ok_or_else(|| bad_key("Idempotency-Key must be one string of ASCII characters"))?.trim();
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let key = quoted.unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b',');
    if key.is_empty() || key.len() > limits::IDEMPOTENCY_KEY_BYTES_MAX || !key.bytes().all(is_plain) {
        return Err(bad_key(&format!(
            "Idempotency-Key must have 1 to {} characters without spaces, quotes, commas and backslashes",
            limits::IDEMPOTENCY_KEY_BYTES_MAX
        )));
    }
    Ok(key)
}

fn bad_key(message: &str) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}

/// The key of one caller in one workbook: others can use the same text.
fn scoped(key: &str, room: &RoomName, grant: &Grant) -> Digest {
    let actor = serde_json::to_string(&grant.identity.actor).expect("an actor is plain data");
    let author = grant.identity.author.as_ref().map_or("", |author| &author.id);
    sha256([actor.as_bytes(), author.as_bytes(), room.as_str().as_bytes(), key.as_bytes()])
}

fn fingerprint(parts: &Parts, body: &[u8]) -> Digest {
    let header = |name| parts.headers.get(name).map_or(&b""[..], HeaderValue::as_bytes);
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    sha256([parts.method.as_str().as_bytes(), target.as_bytes(), header(header::CONTENT_TYPE), body])
}

/// The digest of several texts, each with its length, so that the borders count.
pub fn sha256<const N: usize>(texts: [&[u8]; N]) -> Digest {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    Digest(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_strings_with_or_without_quotes() {
        let long = "x".repeat(256);
        for (given, expected) in [
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", Some("8e03978e-40d5-43dd-bc93-6894a57f9324")),
            ("\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", Some("8e03978e-40d5-43dd-bc93-6894a57f9324")),
            ("\"\"", None),
            ("a b", None),
            ("\"a", None),
            ("a\", \"b", None),
            (long.as_str(), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_str(given).expect("a header"));
            assert_eq!(key(&headers).ok(), expected, "{given}");
        }
        let mut twice = HeaderMap::new();
        twice.append(HEADER, HeaderValue::from_static("a"));
        twice.append(HEADER, HeaderValue::from_static("b"));
        assert!(key(&twice).is_err());
    }

    #[test]
    fn operations_take_ignore_or_refuse_a_key() {
        for (path, method, expected) in [
            ("/api/v1/rooms/{room}/sheets/{sheet}/rows", Method::POST, KeyUse::Taken),
            ("/api/v1/rooms/{room}/access", Method::PUT, KeyUse::Ignored),
            ("/api/v1/rooms", Method::POST, KeyUse::Refused),
            ("/api/v1/account", Method::PATCH, KeyUse::Refused),
            ("/api/v1/rooms/{room}", Method::GET, KeyUse::Ignored),
            ("/mcp", Method::POST, KeyUse::Ignored),
        ] {
            assert_eq!(KeyUse::of(path, &method), expected, "{method} {path}");
        }
    }
}
