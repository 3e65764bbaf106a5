//! Field masks: `?fields=` names the members of a JSON answer that a client wants.
//!
//! A mask is a list of paths such as `revision,cells.value`. A path goes through arrays: it means the
//! member of each element. What it does not find is left out, so that the same mask fits answers that
//! lack a member. Errors are sent whole.

use std::collections::BTreeMap;
use std::fmt;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::internal_error::internal;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::thread_priority::in_background;

/// Bytes of an answer from which it is masked in the background.
const LARGE_BYTES: usize = 64 << 10;

/// The members of a value that are wanted; all of them without any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct FieldMask(BTreeMap<String, FieldMask>);

impl FieldMask {
    /// Reads the value of the query.
    ///
    /// # Errors
    ///
    /// Fails with `bad_query` for an empty name, and for too many names.
    fn parse(text: &str) -> Result<FieldMask, ApiError> {
        let bad = |message: String| ApiError::new(ErrorCode::BadQuery, message);
        let mut mask = FieldMask::default();
        let mut names = 0;
        for path in text.split(',') {
            let mut at = &mut mask;
            let mut is_whole = false;
            for name in path.trim().split('.') {
                names += 1;
                if name.is_empty() || names > limits::FIELD_NAMES_MAX {
                    let max = limits::FIELD_NAMES_MAX;
                    return Err(bad(format!(
                        "fields must be 1 to {max} names such as revision,cells.value: {text}"
                    )));
                }
                // A shorter path before this one asks for the whole member already.
                is_whole = is_whole || at.0.get(name).is_some_and(|known| known.0.is_empty());
                if !is_whole {
                    at = at.0.entry(name.to_owned()).or_default();
                }
            }
            if !is_whole {
                at.0.clear();
            }
        }
        Ok(mask)
    }

    /// Reads the wanted members of a JSON text. The others take no memory, however many there are: an exported
    /// workbook has millions of cells.
    ///
    /// # Errors
    ///
    /// Fails for a text that is not JSON.
    fn read(&self, text: &[u8]) -> serde_json::Result<Json> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let value = self.deserialize(&mut reader)?;
        reader.end()?;
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for &FieldMask {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Json, D::Error> {
        match self.0.is_empty() {
            true => Json::deserialize(reader),
            false => reader.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for &FieldMask {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = serde_json::Map::new();
        while let Some(name) = map.next_key::<String>()? {
            match self.0.get(&name) {
                Some(mask) => {
                    let value = map.next_value_seed(mask)?;
                    members.insert(name, value);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Json::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
}

/// Whether an operation takes `fields`.
pub fn takes_fields(path: &str, method: &Method) -> bool {
    let others = ["/openapi.json", "/socket", "/window", "/images/{image}", "/export"];
    *method == Method::GET && path.starts_with("/api/v1/") && !others.iter().any(|end| path.ends_with(end))
}

/// Takes `fields` out of the query, and what it does not name out of the answer.
pub async fn layer(State(takes_fields): State<bool>, mut request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    if !takes_fields || !query.split('&').any(|pair| pair.starts_with("fields=")) {
        return next.run(request).await;
    }
    let (mask, uri) = match split(request.uri()) {
        Ok(split) => split,
        Err(error) => return error.into_response(),
    };
    *request.uri_mut() = uri;
    let response = next.run(request).await;
    let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if response.status() != StatusCode::OK || media_type != Some("application/json") {
        return response;
    }
    masked(response, mask).await.unwrap_or_else(IntoResponse::into_response)
}

/// The mask in a query, and the URI without it.
fn split(uri: &Uri) -> Result<(FieldMask, Uri), ApiError> {
    let query = uri.query().unwrap_or_default();
    let (given, others): (Vec<&str>, Vec<&str>) =
        query.split('&').partition(|pair| pair.starts_with("fields="));
    let [given] = given[..] else {
        return Err(ApiError::new(ErrorCode::BadQuery, "fields can be given once"));
    };
    let text = given.trim_start_matches("fields=").replace('+', " ");
    let text = percent_decode_str(&text).decode_utf8();
    let text = text.map_err(|_| ApiError::new(ErrorCode::BadQuery, "fields is not UTF-8"))?;
    let mask = FieldMask::parse(&text)?;
    let target = match others.is_empty() {
        true => uri.path().to_owned(),
        false => format!("{}?{}", uri.path(), others.join("&")),
    };
    let mut parts = uri.clone().into_parts();
    let target = PathAndQuery::try_from(target).map_err(|_| internal("a query without its fields"))?;
    parts.path_and_query = Some(target);
    let uri = Uri::from_parts(parts).map_err(|_| internal("a query without its fields"))?;
    Ok((mask, uri))
}

async fn masked(response: Response, mask: FieldMask) -> Result<Response, ApiError> {
    let (mut parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.map_err(|_| internal("reading an answer"))?;
    let is_large = body.len() > LARGE_BYTES;
    let work = move || Some(mask.read(&body).ok()?.to_string());
    let text = if is_large { in_background(work).await.flatten() } else { work() };
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(parts, Body::from(text.ok_or_else(|| internal("reading an answer"))?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mask_keeps_the_named_members() {
        let value = json!({ "room": "plan", "revision": 7, "sheets": [{ "name": "A", "rows": 2 }],
            "cells": [[{ "value": 1, "text": "1" }, { "value": null }]] });
        for (mask, expected) in [
            ("revision", json!({ "revision": 7 })),
            ("revision,room", json!({ "revision": 7, "room": "plan" })),
            ("cells.value", json!({ "cells": [[{ "value": 1 }, { "value": null }]] })),
            ("cells.text , revision", json!({ "revision": 7, "cells": [[{ "text": "1" }, {}]] })),
            ("sheets.name,sheets", json!({ "sheets": [{ "name": "A", "rows": 2 }] })),
            ("sheets,sheets.name", json!({ "sheets": [{ "name": "A", "rows": 2 }] })),
            ("revision.value", json!({ "revision": 7 })),
            (
                "cells.value,room.name",
                json!({ "room": "plan", "cells": [[{ "value": 1 }, { "value": null }]] }),
            ),
            ("unknown", json!({})),
        ] {
            let masked = FieldMask::parse(mask).expect(mask).read(value.to_string().as_bytes());
            assert_eq!(masked.expect("JSON"), expected, "{mask}");
        }
        let mask = FieldMask::parse("kept").expect("a mask");
        assert!(
            mask.read(br#"{"kept":1,"left out":[1,}"#).is_err(),
            "invalid in a member that is not wanted"
        );
        for text in ["", "a,,b", "a.", ".", &vec!["a"; 101].join(",")] {
            assert!(FieldMask::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_mask_leaves_the_query() {
        for (given, expected) in [
            ("/api/v1/rooms/a?fields=b", "/api/v1/rooms/a"),
            ("/api/v1/rooms/a?limit=2&fields=b%2Cc&after=1", "/api/v1/rooms/a?limit=2&after=1"),
        ] {
            let (_, uri) = split(&given.parse().expect("a URI")).expect(given);
            assert_eq!(uri.to_string(), expected);
        }
        assert!(split(&"/a?fields=b&fields=c".parse().expect("a URI")).is_err());
        assert!(split(&"/a?fields=%ff".parse().expect("a URI")).is_err());
    }
}
