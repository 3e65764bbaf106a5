//! `/api/v1/rooms/{room}/history/{revision}/differences`: compares two revisions cell by cell.

use axum::Json;
use axum::extract::State;
use quadrille_protocol::Revision;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::app::App;
use super::extractors::{RoomSegment, StrictQuery};
use super::history_api::RevisionSegment;
use super::internal_error::internal;
use crate::differences::{SheetAlignments, sheet_differences};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::thread_priority::in_background;

/// The query of a comparison.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferencesQuery {
    /// The later revision; the newest by default.
    to: Option<u64>,
    /// Maximum number of cells of each sheet; 500 by default.
    limit: Option<u64>,
}

/// Compares a revision with a later one.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<DifferencesQuery>,
) -> Result<Json<Json_>, ApiError> {
    let head = app.rooms.history_bounds(&room).await?.head;
    let to = query.to.map_or(head, Revision);
    if to < revision {
        let message = format!("`to` must not be before the revision of the path: {to} is before {revision}");
        return Err(ApiError::new(ErrorCode::BadQuery, message));
    }
    let limit = query.limit.unwrap_or(500).clamp(1, limits::DIFFERENCES_SHOWN_MAX);
    let before = app.rooms.workbook_handle(app.rooms.workbook_at(&room, revision).await?.values);
    let after = app.rooms.workbook_handle(app.rooms.workbook_at(&room, to).await?.values);
    let mut alignments = SheetAlignments::default();
    let mut read_up_to = revision;
    // Over more revisions, cells are compared with those at the same address.
    while read_up_to < to && to.0 - revision.0 <= limits::HISTORY_SCANNED_MAX {
        let records = app.rooms.records(&room, read_up_to, to).await?;
        let Some(last) = records.last() else { break };
        read_up_to = last.revision;
        for record in &records {
            alignments.follow(&record.transaction);
        }
    }
    let compare = move || sheet_differences(&before, &after, &alignments, limit as usize);
    let sheets = in_background(compare).await.ok_or_else(|| internal("comparing revisions"))?;
    Ok(Json(json!({ "room": room.as_str(), "revision": revision.0, "to": to.0, "sheets": sheets })))
}
