//! `POST /api/v1/rooms/{room}/import`: imports a file into a room and reports progress.
//!
//! The response is NDJSON: any number of `progress` lines, then one `done` or `error` line. A
//! client that disconnects before `done` cancels the import. After a cancellation or an error,
//! which has the row and the reason, the room is unchanged.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use quadrille_files::{FileError, FileFormat, Imported, Placement, import_transaction};
use quadrille_number_format::InputContext;
use quadrille_protocol::RoomName;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use super::app::App;
use super::authorization::GrantedRoom;
use super::conditional::if_match;
use super::creation::write_owned;
use super::extractors::StrictQuery;
use super::internal_error::internal;
use super::request_body;
use crate::access::{Grant, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::rooms::{Change, MissingRoom};
use crate::thread_priority::in_background;
use crate::workbook_files;

/// The query of an import.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportQuery {
    /// The file name, which determines the format and the name of the sheet.
    name: String,
    /// By default `replace` in an empty workbook and `append` in others.
    placement: Option<PlacementQuery>,
    /// The language tag of the locale whose numbers and dates a text file has.
    locale: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PlacementQuery {
    Replace,
    Append,
}

/// How the contents of a file come into a room.
#[derive(Clone, Copy)]
struct ImportTarget {
    placement: Option<PlacementQuery>,
    /// The revision that the room must have.
    expected: Option<u64>,
}

/// Lines queued for a slow client; further progress lines are skipped, the last line never is.
const LINES_MAX: usize = 16;

/// Imports the body as a file.
pub async fn import(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    StrictQuery(query): StrictQuery<ImportQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let format = FileFormat::from_name(&query.name).or_else(|| FileFormat::from_content(&body));
    let format = format.filter(|format| format.can_read()).ok_or_else(|| {
        ApiError::new(ErrorCode::UnsupportedMediaType, format!("unsupported file format: {}", query.name))
    })?;
    let typing = workbook_files::typing_of(query.locale.as_deref());
    let (lines, received) = mpsc::channel::<Json>(LINES_MAX);
    tokio::spawn(async move {
        let last = match read_file(format, body, query.name.clone(), typing, lines.clone()).await {
            Err(error) => error,
            // The client disconnected before the room was changed: cancelled.
            Ok(_) if lines.is_closed() => return,
            Ok(imported) => {
                let into = ImportTarget { placement: query.placement, expected };
                put_owned(&app, &room, &visitor, &grant, imported, into).await
            }
        };
        // Fails when the client has disconnected; the change is made in any case.
        let _ = lines.send(last).await;
    });
    let lines = stream::unfold(received, async |mut received| {
        let line = received.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(format!("{line}\n"))), received))
    });
    let no_store = (header::CACHE_CONTROL, "no-store");
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson"), no_store], Body::from_stream(lines)).into_response())
}

async fn read_file(
    format: FileFormat,
    bytes: Bytes,
    name: String,
    typing: InputContext,
    lines: mpsc::Sender<Json>,
) -> Result<Imported, Json> {
    let read = in_background(move || {
        workbook_files::read(format, &bytes, &name, typing, &mut |progress| {
            let line = json!({ "progress": {
                "rows": progress.rows, "bytes": progress.bytes, "bytesTotal": progress.bytes_total
            } });
            // A full queue skips this line; a closed one means that the client has disconnected.
            !matches!(lines.try_send(line), Err(mpsc::error::TrySendError::Closed(_)))
        })
    });
    match read.await {
        Some(read) => read.map_err(|error| file_error(&error)),
        None => Err(internal("reading the file").body()),
    }
}

fn file_error(error: &FileError) -> Json {
    let mut json = json!({ "error": { "code": error.code.text(), "message": error.to_string() } });
    if let Some(row) = error.row {
        json["error"]["row"] = row.into();
    }
    if let Some(column) = error.column {
        json["error"]["column"] = column.into();
    }
    json
}

/// Puts a file into a room, which belongs to the account of the request if it did not exist.
async fn put_owned(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    imported: Imported,
    into: ImportTarget,
) -> Json {
    let (own_app, name, own_grant) = (app.clone(), room.clone(), grant.clone());
    let write = async move { put_into_room(&own_app, &name, &own_grant, imported, into).await };
    let written = write_owned(app, room, visitor, &grant.identity, write).await;
    written.unwrap_or_else(|error| error.body())
}

async fn put_into_room(
    app: &App,
    room: &RoomName,
    grant: &Grant,
    imported: Imported,
    into: ImportTarget,
) -> Result<Json, ApiError> {
    let mut warnings = imported.warnings;
    // Images first, so that they exist when open editors display the cells.
    warnings.extend(app.rooms.put_images(room, grant.role, &imported.images).await?);
    let mut workbook = imported.workbook;
    let sheets: Vec<String> = workbook.sheets().iter().map(|sheet| sheet.name().to_string()).collect();
    let used = workbook.sheets().iter().filter_map(|sheet| sheet.used_range());
    let rows: u64 = used.map(|range| u64::from(range.last().row.get()) + 1).sum();
    let change = Change::new(MissingRoom::Create, move |room, ids| {
        let placement = match into.placement {
            Some(PlacementQuery::Replace) => Placement::Replace,
            Some(PlacementQuery::Append) => Placement::Append,
            None if workbook_files::is_empty(room) => Placement::Replace,
            None => Placement::Append,
        };
        workbook_files::keep_title(&mut workbook, room);
        Ok(import_transaction(&workbook, room, placement, ids))
    })
    .heavy();
    let revision =
        app.rooms.change(room, grant.role, grant.sign(change).expecting(into.expected)).await?.revision.0;
    Ok(json!({ "done": { "revision": revision, "rows": rows, "sheets": sheets, "warnings": warnings } }))
}
