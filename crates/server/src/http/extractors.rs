//! Extractors of path segments and queries, with errors as JSON.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::http::request::Parts;
use quadrille_cell::Range;
use quadrille_protocol::RoomName;
use serde::de::DeserializeOwned;

use crate::access::{Tenant, base_path};
use crate::error::{ApiError, ErrorCode};
use crate::{input_errors, room_name};

/// The path of the tenant at which a request was made; empty outside tenants with a path.
pub struct BasePath(pub String);

/// The `{room}` of the path.
pub struct RoomSegment(pub RoomName);

/// The room that a request means, if the `{room}` of the path is another name for it.
#[derive(Clone)]
pub struct AddressedRoom(pub RoomName);

/// The `{sheet}` of the path. Whether the sheet exists is checked later.
pub struct SheetSegment(pub String);

/// The `{range}` of the path.
pub struct RangeSegment(pub Range);

/// The query of the URL. Unknown members are errors if the type denies them.
pub struct StrictQuery<T>(pub T);

impl<S: Send + Sync> FromRequestParts<S> for BasePath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<BasePath, Infallible> {
        let tenant = parts.extensions.get::<Tenant>().map(|tenant| tenant.0.as_ref());
        Ok(BasePath(base_path(tenant).to_owned()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RoomSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RoomSegment, ApiError> {
        if let Some(AddressedRoom(room)) = parts.extensions.get() {
            return Ok(RoomSegment(room.clone()));
        }
        let name = segment(parts, state, "room", ErrorCode::BadRoomName).await?;
        room_name::parse(&name).map(RoomSegment)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SheetSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SheetSegment, ApiError> {
        segment(parts, state, "sheet", ErrorCode::NoSuchSheet).await.map(SheetSegment)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RangeSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RangeSegment, ApiError> {
        let text = segment(parts, state, "range", ErrorCode::BadAddress).await?;
        let range = Range::parse_a1(&text);
        range.map(RangeSegment).map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<StrictQuery<T>, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|Query(given)| StrictQuery(given))
            .map_err(|error| ApiError::new(ErrorCode::BadQuery, input_errors::of_query(&error.body_text())))
    }
}

/// Returns a segment of the path, decoded.
///
/// # Errors
///
/// Fails with `code` when it is not UTF-8.
pub async fn segment<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    name: &str,
    code: ErrorCode,
) -> Result<String, ApiError> {
    let not_utf8 = |_| ApiError::new(code, format!("the {name} in the path is not UTF-8"));
    let segments = RawPathParams::from_request_parts(parts, state).await.map_err(not_utf8)?;
    let value = segments.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    Ok(value.expect("the route has this segment"))
}
