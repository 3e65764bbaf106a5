//! Cells of a room's sheet: read, write, append rows.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use quadrille_cell::Range;
use quadrille_protocol::RoomName;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::segments::{RangeSegment, RoomSegment, SheetSegment, StrictQuery, sheet};
use super::{App, body, content, rooms_api};
use crate::cells::{CellReader, Notation, append_rows, write_cells};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::priority::in_background;
use crate::rooms::{Change, MissingRoom, Reading};

#[derive(Deserialize)]
pub struct CellsQuery {
    #[serde(default)]
    notation: Notation,
}

pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
    StrictQuery(query): StrictQuery<CellsQuery>,
) -> Result<Response, ApiError> {
    let reading = app.rooms.read(&room).await?;
    read_reply(&room, reading, sheet_name, range, query.notation).await
}

/// The cells of a workbook, the room's or one of its past.
pub async fn read_reply(
    room: &RoomName,
    reading: Reading,
    sheet_name: String,
    range: Range,
    notation: Notation,
) -> Result<Response, ApiError> {
    let (room, revision) = (room.clone(), reading.revision.0);
    let work = move || -> Result<Json_, ApiError> {
        let sheet = sheet(&reading.workbook, &sheet_name)?;
        let mut reader = CellReader::new(&reading.workbook, sheet).writing(notation);
        let mut reply = json!({ "room": room.as_str(), "revision": revision, "sheet": &**sheet.name() });
        if range.first() == range.last() {
            reply["range"] = range.to_string().into();
            reply["cell"] = reader.cell(range.first());
        } else {
            let (range, cells) = reader.range(range)?;
            reply["range"] = range.to_string().into();
            reply["cells"] = cells;
        }
        Ok(reply)
    };
    // A few cells are not worth a thread; a million are.
    let reply = match range.cell_count() {
        0..=1_000 => work(),
        _ => in_background(work).await.unwrap_or_else(|| Err(content::internal("reading cells"))),
    }?;
    Ok(([(header::ETAG, content::etag(revision))], Json(reply)).into_response())
}

pub async fn write(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
    StrictQuery(query): StrictQuery<CellsQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = content::if_match(&headers)?;
    let given = read_json(&headers, body).await?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
        write_cells(workbook, sheet(workbook, &sheet_name)?, range, &given, query.notation)
    });
    let done = app.rooms.change(&room, change.expecting(expected)).await?;
    let reply = json!({ "revision": done.revision.0, "range": range.to_string() });
    Ok(([(header::ETAG, content::etag(done.revision.0))], Json(reply)).into_response())
}

pub async fn append(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    SheetSegment(sheet_name): SheetSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = content::if_match(&headers)?;
    let given = read_json(&headers, body).await?;
    // Where the rows went is known once the room has planned the change.
    let (tell, told) = std::sync::mpsc::channel();
    let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
        let (range, transaction) = append_rows(workbook, sheet(workbook, &sheet_name)?, &given)?;
        tell.send(range).map_err(|_| content::internal("appending rows"))?;
        Ok(transaction)
    });
    let done = app.rooms.change(&room, change.expecting(expected)).await?;
    let range = told.try_recv().map_err(|_| content::internal("appending rows"))?;
    let reply = json!({ "revision": done.revision.0, "range": range.to_string() });
    Ok((StatusCode::CREATED, Json(reply)).into_response())
}

pub async fn read_json(headers: &HeaderMap, body: Body) -> Result<Json_, ApiError> {
    let media_type = rooms_api::media_type(headers);
    if media_type.as_deref() != Some("application/json") {
        let given = media_type.unwrap_or_else(|| "none".into());
        let message = format!("the content type is application/json, not: {given}");
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    }
    let body: Bytes = body::read(headers, body, limits::JSON_BYTES_MAX).await?;
    rooms_api::json_body(&body)
}
