//! `/api/v1/rooms/{room}/window`: what a page draws before its engine is there. Bytes, because the page's grid takes them as
//! they are.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::Range;
use serde::Deserialize;

use super::segments::{RoomSegment, StrictQuery};
use super::{App, content};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::preview::Wanted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowQuery {
    /// By name; the first when none is given.
    sheet: Option<String>,
    range: Option<String>,
}

/// More than most screens show; one range for everybody, so that a thousand who come at once are given the same bytes.
const RANGE: &str = "A1:AZ80";

pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<WindowQuery>,
) -> Result<Response, ApiError> {
    let range = Range::parse_a1(query.range.as_deref().unwrap_or(RANGE));
    let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    if range.cell_count() > limits::PREVIEW_CELLS_MAX {
        let message = format!("a window has at most {} cells: {range}", limits::PREVIEW_CELLS_MAX);
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    let look = match app.rooms.preview(&room, Wanted { sheet: query.sheet, range }).await {
        // Every new room is opened before anything is in it: to a page that is no mistake.
        Err(error) if error.code == ErrorCode::NoSuchRoom => {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        look => look?,
    };
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".try_into().expect("letters")),
        (header::CACHE_CONTROL, "no-cache".try_into().expect("letters")),
        (header::ETAG, content::etag(look.revision.0)),
    ];
    Ok((headers, look.bytes).into_response())
}
