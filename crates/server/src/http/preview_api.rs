//! `/api/v1/rooms/{room}/window`: a preview, the first cells in the binary form that the client's
//! grid draws (`P21`).

use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::Range;
use serde::Deserialize;

use super::app::App;
use super::authorization::OptionalGrant;
use super::conditional::etag;
use super::extractors::{RoomSegment, StrictQuery};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::preview::Wanted;

/// The query of a preview.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewQuery {
    /// Name of the sheet; the first visible one by default.
    sheet: Option<String>,
    range: Option<String>,
}

/// The default range: larger than most screens, and the same for all clients, so that they share
/// one preview.
const DEFAULT_RANGE: &str = "A1:AZ80";

/// Returns a preview; 204 when the room does not exist.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(OptionalGrant(grant)): Extension<OptionalGrant>,
    StrictQuery(query): StrictQuery<PreviewQuery>,
) -> Result<Response, ApiError> {
    let range = Range::parse_a1(query.range.as_deref().unwrap_or(DEFAULT_RANGE));
    let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    if range.cell_count() > limits::PREVIEW_CELLS_MAX {
        let message = format!("a preview can have at most {} cells: {range}", limits::PREVIEW_CELLS_MAX);
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    if grant.is_none() {
        // As for a room that does not exist.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let preview = match app.rooms.preview(&room, Wanted { sheet: query.sheet, range }).await {
        // A client opens a new room before it exists, so this is not an error.
        Err(error) if error.code == ErrorCode::NoSuchRoom => {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        preview => preview?,
    };
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".try_into().expect("a valid header value")),
        (header::CACHE_CONTROL, "private, no-cache".try_into().expect("a valid header value")),
        (header::ETAG, etag(preview.revision.0)),
    ];
    Ok((headers, preview.bytes).into_response())
}
