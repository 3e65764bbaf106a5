//! EtherCalc's routes for reading and replacing a room, with its status codes and bodies.
//!
//! Left out are its faults: what does not exist is 404 everywhere, and a replaced room reaches open editors.
//! `docs/rest.md` has the table. A room has several sheets here; these routes speak of the first.

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use quadrille_cell::{CellAddress, Value};
use quadrille_files::{FileFormat, Imported};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

use super::segments::RoomSegment;
use super::{App, body, content};
use crate::cells::{CellReader, number_json};
use crate::error::{ApiError, ErrorCode};
use crate::priority::in_background;
use crate::room_name::{self, percent_encoded};
use crate::rooms::Change;
use crate::workbook_files::Wanted;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/_", post(create))
        .route("/_/{room}", get(save).put(replace).delete(remove))
        .route("/_/{room}/{what}", get(part))
        .route("/_/{room}/cells/{coordinate}", get(cell))
        .route("/_exists/{room}", get(exists))
}

/// Errors of these routes are plain text, as EtherCalc's are.
struct PlainError(ApiError);

impl From<ApiError> for PlainError {
    fn from(error: ApiError) -> PlainError {
        PlainError(error)
    }
}

impl IntoResponse for PlainError {
    fn into_response(self) -> Response {
        // EtherCalc answers 400 to what it cannot read.
        let status = match self.0.code {
            ErrorCode::ImportFailed | ErrorCode::UnsupportedMediaType => StatusCode::BAD_REQUEST,
            _ => self.0.status(),
        };
        (status, plain(), self.0.message).into_response()
    }
}

fn plain() -> [(header::HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, "text/plain; charset=utf-8")]
}

/// `GET /_/{room}`: the SocialCalc save.
async fn save(State(app): State<App>, RoomSegment(room): RoomSegment) -> Result<Response, PlainError> {
    let reading = app.rooms.read(&room).await?;
    Ok(content::reply(&app, &room, reading, FileFormat::SocialCalc, Wanted::default()).await?)
}

/// `/{room}.csv` and its like, from the page's route.
pub async fn export(app: &App, room: &str, format: FileFormat) -> Response {
    match room_name::parse(room) {
        Ok(room) => exported(app, &room, format).await.unwrap_or_else(IntoResponse::into_response),
        Err(error) => PlainError(error).into_response(),
    }
}

async fn exported(app: &App, room: &RoomName, format: FileFormat) -> Result<Response, PlainError> {
    let reading = app.rooms.read(room).await?;
    let mut response = content::reply(app, room, reading, format, Wanted::default()).await?;
    if format == FileFormat::Markdown {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/x-markdown"));
    }
    if matches!(format, FileFormat::Csv | FileFormat::Tsv | FileFormat::Xlsx | FileFormat::Ods) {
        let name =
            format!("attachment; filename*=UTF-8''{}.{}", percent_encoded(room.as_str()), format.extension());
        let name = HeaderValue::from_str(&name).expect("percent-encoded");
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// `GET /_/{room}/csv` and its like, and `/_/{room}/cells`.
async fn part(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Path((_, what)): Path<(String, String)>,
) -> Result<Response, PlainError> {
    if what == "cells" {
        let reading = app.rooms.read(&room).await?;
        let all = in_background(move || all_cells(&reading.workbook)).await;
        let all = all.ok_or_else(|| content::internal("reading cells"))??;
        return Ok(axum::Json(all).into_response());
    }
    match FileFormat::from_name(&format!("room.{what}")).filter(|format| format.extension() == what) {
        Some(format) => exported(&app, &room, format).await,
        None if what == "fods" => {
            let message = "this server does not write .fods; .ods is the same in an archive".to_owned();
            Err(ApiError::new(ErrorCode::NotImplemented, message).into())
        }
        None => Err(ApiError::new(ErrorCode::NotFound, format!("nothing is here: /_/{room}/{what}")).into()),
    }
}

/// `GET /_/{room}/cells/{coordinate}`: one cell, `null` when there is nothing in it.
async fn cell(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Path((_, coordinate)): Path<(String, String)>,
) -> Result<Response, PlainError> {
    let reading = app.rooms.read(&room).await?;
    let address = CellAddress::parse_a1(&coordinate);
    let address = address.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    let sheet = &reading.workbook.sheets()[0];
    let mut reader = CellReader::new(&reading.workbook, sheet);
    Ok(axum::Json(cell_json(sheet, &mut reader, address).unwrap_or(Json::Null)).into_response())
}

fn all_cells(workbook: &Workbook) -> Result<Json, ApiError> {
    let sheet = &workbook.sheets()[0];
    let mut reader = CellReader::new(workbook, sheet);
    let mut all = Map::new();
    let Some(used) = sheet.used_range() else { return Ok(Json::Object(all)) };
    if used.cell_count() > crate::limits::CELLS_PER_READ_MAX {
        let message = format!("the sheet has too many cells for one reply: {used}");
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    for address in used.cells() {
        if let Some(cell) = cell_json(sheet, &mut reader, address) {
            all.insert(address.to_string(), cell);
        }
    }
    Ok(Json::Object(all))
}

/// A cell with SocialCalc's member names: `datatype` is v (value), t (text), f (formula) or c (constant), `valuetype`
/// begins with n, t, b or e.
fn cell_json(sheet: &Sheet, reader: &mut CellReader<'_>, address: CellAddress) -> Option<Json> {
    let value = sheet.value(address);
    let formula = reader.formula(address);
    let (datavalue, valuetype, literal) = match &value {
        Value::Blank if formula.is_none() => return None,
        Value::Blank => (json!(""), "b".to_owned(), "v"),
        Value::Number(number) => (number_json(*number), "n".to_owned(), "v"),
        Value::Boolean(boolean) => (json!(u8::from(*boolean)), "nl".to_owned(), "c"),
        Value::Text(text) => (json!(&**text), "t".to_owned(), "t"),
        Value::Error(error) => (json!(0), format!("e{}", error.text()), "c"),
    };
    let datatype = if formula.is_some() { "f" } else { literal };
    let mut cell = json!({
        "coord": address.to_string(),
        "datatype": datatype,
        "datavalue": datavalue,
        "valuetype": valuetype,
        "formula": formula.map_or(String::new(), |formula| formula.trim_start_matches('=').to_owned()),
        "displaystring": reader.text(address, &value),
        "readonly": false,
    });
    if let Value::Error(error) = &value {
        cell["errors"] = error.text().into();
    }
    Some(cell)
}

/// `PUT /_/{room}`: 201 `OK`. CSV, TSV, xlsx, a SocialCalc save, or JSON `{"snapshot": save}`.
async fn replace(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = body::read(&headers, body, app.settings.body_bytes_max).await?;
    let imported = match snapshot_member(&headers, &body) {
        Some(given) => content::parse(&HeaderMap::new(), given.snapshot).await?,
        None => content::parse(&headers, body).await?,
    };
    app.rooms.change(&room, Change::filling(imported.workbook)).await?;
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

struct GivenSnapshot {
    room: Option<String>,
    snapshot: Bytes,
}

/// EtherCalc's JSON form of a save.
fn snapshot_member(headers: &HeaderMap, body: &Bytes) -> Option<GivenSnapshot> {
    if super::rooms_api::media_type(headers)? != "application/json" {
        return None;
    }
    let json: Json = serde_json::from_slice(body).ok()?;
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    Some(GivenSnapshot { room: text("room"), snapshot: Bytes::from(text("snapshot")?) })
}

/// `POST /_`: a room from a file or save; 201, the body is `/room`.
async fn create(State(app): State<App>, headers: HeaderMap, body: Body) -> Result<Response, PlainError> {
    let body = body::read(&headers, body, app.settings.body_bytes_max).await?;
    let (room, imported): (Option<String>, Imported) = match snapshot_member(&headers, &body) {
        Some(given) => (given.room, content::parse(&HeaderMap::new(), given.snapshot).await?),
        None => (None, content::parse(&headers, body).await?),
    };
    let room = match room {
        Some(name) => room_name::parse(&name)?,
        None => room_name::unguessable(),
    };
    app.rooms.change(&room, Change::filling(imported.workbook)).await?;
    let name = percent_encoded(room.as_str());
    let location = [(header::LOCATION, format!("/_/{name}"))];
    Ok((StatusCode::CREATED, location, plain(), format!("/{name}")).into_response())
}

/// `DELETE /_/{room}`: 201 `OK`.
async fn remove(State(app): State<App>, RoomSegment(room): RoomSegment) -> Result<Response, PlainError> {
    app.rooms.delete(&room).await?;
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// `GET /_exists/{room}`: `true` or `false`.
async fn exists(State(app): State<App>, RoomSegment(room): RoomSegment) -> Result<Response, PlainError> {
    Ok(axum::Json(app.rooms.exists(&room).await?).into_response())
}
