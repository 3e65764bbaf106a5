//! [`Repeatable`]: a request that can be sent to one server after another.

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use bytes::Bytes;
use hyper::body::Body as _;
use sha2::{Digest as _, Sha256};

use super::signature::BodyDigest;
use crate::error::ApiError;
use crate::http::{idempotency, request_body};
use crate::limits;

/// A request that can be sent again while its body has not been read, or was kept.
pub struct Repeatable {
    pub parts: Parts,
    body: RequestBody,
}

enum RequestBody {
    Kept(Bytes),
    /// `None` when it is being passed on.
    Streamed(Option<Body>),
}

impl Repeatable {
    /// Keeps the body if it is short.
    pub async fn new(parts: Parts, body: Body) -> Result<Repeatable, ApiError> {
        let length = body.size_hint().exact().unwrap_or(u64::MAX);
        let body = match length {
            0 => RequestBody::Kept(Bytes::new()),
            length if length <= limits::RELAY_KEPT_BODY_BYTES as u64 => RequestBody::Kept(
                request_body::read(&parts.headers, body, limits::RELAY_KEPT_BODY_BYTES).await?,
            ),
            _ => RequestBody::Streamed(Some(body)),
        };
        Ok(Repeatable { parts, body })
    }

    /// A request with this body.
    pub fn kept(parts: Parts, body: Bytes) -> Repeatable {
        Repeatable { parts, body: RequestBody::Kept(body) }
    }

    /// The digest of a body that was kept.
    pub fn body_digest(&self) -> Option<BodyDigest> {
        match &self.body {
            RequestBody::Kept(bytes) => Some(Sha256::digest(bytes).into()),
            RequestBody::Streamed(_) => None,
        }
    }

    /// The request, as long as it can be sent.
    pub fn take(&mut self) -> Option<Request> {
        let body = match &mut self.body {
            RequestBody::Kept(bytes) if bytes.is_empty() => Body::empty(),
            RequestBody::Kept(bytes) => Body::from(bytes.clone()),
            RequestBody::Streamed(body) => body.take()?,
        };
        Some(Request::from_parts(self.parts.clone(), body))
    }

    /// Puts back the body of a request that was not sent.
    pub fn put_back(&mut self, body: Body) {
        if let RequestBody::Streamed(kept) = &mut self.body {
            *kept = Some(body);
        }
    }

    /// Whether it can be sent again.
    pub fn is_kept(&self) -> bool {
        !matches!(self.body, RequestBody::Streamed(None))
    }

    /// Whether carrying it out twice is as good as once.
    pub fn is_safe_to_repeat(&self) -> bool {
        self.parts.method.is_safe() || self.parts.headers.contains_key(idempotency::HEADER)
    }
}
