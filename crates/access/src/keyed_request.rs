//! Requests with an idempotency key: what was asked, and the answer once there is one.
//!
//! A6  A key is stored before its request is carried out, and belongs to the first request that was sent with it.
//!     A room keeps its newest requests up to a limit. Removing the access document of a room removes them.

use std::fmt;

use quadrille_protocol::RoomName;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::access_error::AccessError;

/// A SHA-256, as 64 hexadecimal digits in JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    /// Reads the text that [`Display`](fmt::Display) writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<Digest> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Digest(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::parse(&text).ok_or_else(|| de::Error::custom("not a SHA-256"))
    }
}

/// A request that was sent with an idempotency key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeyedRequest {
    /// Of the key, the workbook and whoever sent it.
    pub key: Digest,
    pub room: String,
    /// Of the request itself.
    pub fingerprint: Digest,
    /// The number that the record of the request has in the journal.
    pub number: u64,
    /// The revision of the workbook before the request: its record is a later one.
    pub after: u64,
    /// Milliseconds since 1970-01-01 UTC.
    pub created_ms: i64,
    /// `None` until it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<RecordedAnswer>,
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedAnswer {
    pub status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// JSON, or empty.
    pub body: String,
}

/// The part of an access store that stores requests with an idempotency key.
pub trait KeyedRequestStore {
    /// Returns the stored request of the key if it was created at `not_before_ms` or later; otherwise stores
    /// this one (A6). Of the other requests of the room the newest `count_max - 1` are kept.
    fn begin_keyed_request(
        &mut self,
        request: &KeyedRequest,
        not_before_ms: i64,
        count_max: usize,
    ) -> Result<Option<KeyedRequest>, AccessError>;

    /// Records the answer of a request, if the request is still stored.
    fn answer_keyed_request(&mut self, key: Digest, answer: &RecordedAnswer) -> Result<(), AccessError>;

    /// Removes requests created before a moment, at most `count`, oldest first; how many.
    fn forget_keyed_requests_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError>;
}

/// Removes everything of a room. For stores in memory.
pub(crate) fn forget_room(requests: &mut std::collections::BTreeMap<Digest, KeyedRequest>, room: &RoomName) {
    requests.retain(|_, request| request.room != room.as_str());
}
