//! `/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}` and `…/rows`: read and write cells, append
//! rows.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::Range;
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::RoomName;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::app::App;
use super::authorization::GrantedRoom;
use super::columns::{CellsFormat, HeaderChoice, columns_format, columns_response};
use super::conditional::{etag, if_match};
use super::extractors::{RangeSegment, RoomSegment, SheetSegment, StrictQuery};
use super::internal_error::internal;
use super::json_body;
use crate::cells::{CellReader, Notation, WriteOptions, append_rows, write_cells};
use crate::error::ApiError;
use crate::rooms::{Change, MissingRoom, Reading};
use crate::sheet_lookup::sheet_by_name;
use crate::thread_priority::in_background;

/// The query of reads.
#[derive(Deserialize)]
pub struct ReadQuery {
    #[serde(default)]
    notation: Notation,
    format: Option<CellsFormat>,
    #[serde(default)]
    header: HeaderChoice,
}

/// Reads a cell or a range.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
    StrictQuery(query): StrictQuery<ReadQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let reading = app.rooms.read(&room).await?;
    if let Some(format) = columns_format(query.format, &headers) {
        return columns_response(reading, sheet_name, range, format, query.header).await;
    }
    cells_response(&room, reading, sheet_name, range, query.notation).await
}

/// Returns the response with cells of a workbook, current or past.
///
/// # Errors
///
/// Fails when the sheet does not exist or the range is too large.
pub async fn cells_response(
    room: &RoomName,
    reading: Reading,
    sheet_name: String,
    range: Range,
    notation: Notation,
) -> Result<Response, ApiError> {
    let (room, revision) = (room.clone(), reading.revision.0);
    let work = move || -> Result<Json_, ApiError> {
        let sheet = sheet_by_name(&reading.workbook, &sheet_name)?;
        let mut reader = CellReader::new(&reading.workbook, sheet).with_notation(notation);
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
    // Only a large range is worth a background thread.
    let reply = match range.cell_count() {
        0..=1_000 => work(),
        _ => in_background(work).await.unwrap_or_else(|| Err(internal("reading cells"))),
    }?;
    Ok(([(header::ETAG, etag(revision))], Json(reply)).into_response())
}

/// Writes a cell or a range.
pub async fn write(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
    StrictQuery(options): StrictQuery<WriteOptions>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let given = json_body::read(&headers, body).await?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
        write_cells(workbook, sheet_by_name(workbook, &sheet_name)?, range, &given, options)
    });
    let done = app.rooms.change(&room, grant.role, grant.sign(change).expecting(expected)).await?;
    let reply = json!({ "revision": done.revision.0, "range": range.to_string() });
    Ok(([(header::ETAG, etag(done.revision.0))], Json(reply)).into_response())
}

/// Appends rows below the last used row.
pub async fn append(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    SheetSegment(sheet_name): SheetSegment,
    StrictQuery(options): StrictQuery<WriteOptions>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let given = json_body::read(&headers, body).await?;
    // The range is known when the change is planned on the room's thread.
    let (sender, receiver) = std::sync::mpsc::channel();
    let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
        let sheet = sheet_by_name(workbook, &sheet_name)?;
        let (range, transaction) = append_rows(workbook, sheet, &given, options)?;
        sender.send(range).map_err(|_| internal("appending rows"))?;
        Ok(transaction)
    });
    let done = app.rooms.change(&room, grant.role, grant.sign(change).expecting(expected)).await?;
    let range = match &done.recorded {
        Some(record) => written_range(&record.transaction),
        None => receiver.try_recv().ok(),
    };
    let range = range.ok_or_else(|| internal("appending rows"))?;
    let reply = json!({ "revision": done.revision.0, "range": range.to_string() });
    Ok((StatusCode::CREATED, Json(reply)).into_response())
}

/// The range of the cells that a transaction writes, which is that of the appended rows unless cells
/// at the edge were left unchanged.
fn written_range(transaction: &Transaction) -> Option<Range> {
    let ranges = transaction.operations.iter().filter_map(|operation| match operation {
        Operation::SetCells { range, .. } | Operation::FillCells { range, .. } => Some(*range),
        _ => None,
    });
    ranges.reduce(Range::union)
}
