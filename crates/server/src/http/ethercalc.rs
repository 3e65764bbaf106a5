//! EtherCalc's routes for reading and replacing a room, with its status codes and bodies.
//! `docs/rest.md` lists them.
//!
//! They differ where EtherCalc has bugs: a missing resource is 404 everywhere, and a replaced room
//! reaches open editors. Routes for cells use the first sheet of the room.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use bytes::Bytes;
use quadrille_access::Action;
use quadrille_cell::{CellAddress, Value};
use quadrille_files::{FileFormat, Imported};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

use super::app::App;
use super::authorization::{GrantedRoom, OptionalGrant, RouteAccess, authorize, check_room};
use super::creation::{self, write_owned};
use super::export::{Exporter, file_response};
use super::extractors::RoomSegment;
use super::file_formats::read_workbook;
use super::internal_error::internal;
use super::plain_error::{PlainError, plain};
use super::rooms_api::delete_room;
use super::{ethercalc_commands, ethercalc_socket, json_body, request_body};
use crate::access::{Grant, Identity, Visitor, now_ms};
use crate::cells::{CellReader, number_json};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};
use crate::rooms::Change;
use crate::thread_priority::in_background;
use crate::workbook_files::ExportOptions;

/// Returns EtherCalc's routes.
pub fn routes(app: &App) -> Router<App> {
    let mut router = Router::new();
    for (path, access, handler) in [
        ("/_", RouteAccess::Visitor, post(create)),
        ("/_/{room}", RouteAccess::Room(Action::Read), get(save)),
        ("/_/{room}", RouteAccess::Room(Action::Edit), put(replace)),
        ("/_/{room}", RouteAccess::Room(Action::Edit), post(ethercalc_commands::execute)),
        ("/_/{room}", RouteAccess::DeleteRoom, delete(remove)),
        ("/_/{room}/{what}", RouteAccess::Room(Action::Read), get(part)),
        ("/_/{room}/cells/{coordinate}", RouteAccess::Room(Action::Read), get(cell)),
        ("/_exists/{room}", RouteAccess::Optional, get(exists)),
        ("/_ws/{room}", RouteAccess::Session, get(ethercalc_socket::upgrade)),
    ] {
        let check = axum::middleware::from_fn_with_state((app.clone(), access), layer);
        router = router.route(path, handler.route_layer(check));
    }
    router
}

/// As `authorization::layer`, with errors in plain text.
async fn layer(
    State((app, access)): State<(App, RouteAccess)>,
    request: Request,
    next: Next,
) -> Result<Response, PlainError> {
    Ok(authorize(&app, access, request).await?.run(next).await)
}

/// `GET /_/{room}`: the room in SocialCalc save format.
async fn save(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    let reading = app.rooms.read(&room).await?;
    Ok(file_response(&app, &room, &exporter, reading, FileFormat::SocialCalc, ExportOptions::default())
        .await?)
}

/// `GET /{room}.csv` and other extensions, called by the route of the room's page.
pub async fn export(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    room: &str,
    format: FileFormat,
) -> Response {
    let exported = async {
        let room = room_name::parse(room)?;
        let grant = check_room(app, visitor, identity, &room, Action::Read).await?;
        let exporter = Exporter { visitor: visitor.clone(), grant };
        export_response(app, &room, &exporter, format).await
    };
    exported.await.unwrap_or_else(IntoResponse::into_response)
}

async fn export_response(
    app: &App,
    room: &RoomName,
    exporter: &Exporter,
    format: FileFormat,
) -> Result<Response, PlainError> {
    let reading = app.rooms.read(room).await?;
    let mut response = file_response(app, room, exporter, reading, format, ExportOptions::default()).await?;
    if format == FileFormat::Markdown {
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/x-markdown; charset=utf-8"));
    }
    if matches!(format, FileFormat::Csv | FileFormat::Tsv | FileFormat::Xlsx | FileFormat::Ods) {
        let name =
            format!("attachment; filename*=UTF-8''{}.{}", percent_encoded(room.as_str()), format.extension());
        let name = HeaderValue::from_str(&name).expect("percent-encoded text is valid");
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// `GET /_/{room}/csv` and other formats, and `GET /_/{room}/cells`.
async fn part(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Path((_, what)): Path<(String, String)>,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    if what == "cells" {
        let reading = app.rooms.read(&room).await?;
        let all = in_background(move || all_cells(&reading.workbook)).await;
        let all = all.ok_or_else(|| internal("reading cells"))??;
        exporter.record(&app, &room, "cells").await?;
        return Ok(axum::Json(all).into_response());
    }
    match FileFormat::from_name(&format!("room.{what}")).filter(|format| format.extension() == what) {
        Some(format) => export_response(&app, &room, &exporter, format).await,
        None if what == "fods" => {
            let message = "the server cannot write .fods; use .ods".to_owned();
            Err(ApiError::new(ErrorCode::NotImplemented, message).into())
        }
        None => Err(ApiError::new(ErrorCode::NotFound, format!("no such resource: /_/{room}/{what}")).into()),
    }
}

/// `GET /_/{room}/cells/{coordinate}`: a cell; `null` when it is empty.
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
        let message = format!("the sheet has too many cells for one response: {used}");
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    for address in used.cells() {
        if let Some(cell) = cell_json(sheet, &mut reader, address) {
            all.insert(address.to_string(), cell);
        }
    }
    Ok(Json::Object(all))
}

/// Returns a cell with SocialCalc's member names: `datatype` is v (value), t (text), f (formula) or
/// c (constant), `valuetype` begins with n, t, b or e.
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

/// `PUT /_/{room}`: replaces the room; 201 `OK`. The body is CSV, TSV, xlsx, a SocialCalc save or
/// JSON `{"snapshot": save}`.
async fn replace(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let imported = match snapshot_member(&headers, &body) {
        Some(given) => read_workbook(&HeaderMap::new(), given.snapshot).await?,
        None => read_workbook(&headers, body).await?,
    };
    let replaced_ms = now_ms();
    replace_room(&app, &room, &visitor, &grant, imported).await?;
    app.ethercalc_peers.note_replaced(&room, replaced_ms);
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// Replaces the contents of a room, which is created when it does not exist.
async fn replace_room(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    imported: Imported,
) -> Result<(), ApiError> {
    let change = grant.sign(Change::replace_with_file(imported.workbook));
    let (rooms, name, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(app, room, visitor, &grant.identity, write).await.map(|_| ())
}

struct GivenSnapshot {
    room: Option<String>,
    snapshot: Bytes,
}

/// Returns the save in EtherCalc's JSON form; `None` when the body has another form.
fn snapshot_member(headers: &HeaderMap, body: &Bytes) -> Option<GivenSnapshot> {
    if json_body::media_type(headers)? != "application/json" {
        return None;
    }
    let json: Json = serde_json::from_slice(body).ok()?;
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    Some(GivenSnapshot { room: text("room"), snapshot: Bytes::from(text("snapshot")?) })
}

/// `POST /_`: creates a room from a file or save; 201, the body is `/room`.
async fn create(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let (room, imported): (Option<String>, Imported) = match snapshot_member(&headers, &body) {
        Some(given) => (given.room, read_workbook(&HeaderMap::new(), given.snapshot).await?),
        None => (None, read_workbook(&headers, body).await?),
    };
    let room = match room {
        Some(name) => room_name::parse(&name)?,
        None => room_name::random(),
    };
    // The named room may exist already, and belong to somebody. Whoever has no access to it gets the same
    // answer as for one that does not exist.
    let granted = check_room(&app, &visitor, &identity, &room, Action::Edit).await;
    if granted.is_err() || !app.rooms.exists(&room).await? {
        creation::check_may_create(&app.settings, &identity)?;
    }
    let grant = granted?;
    replace_room(&app, &room, &visitor, &grant, imported).await?;
    let name = percent_encoded(room.as_str());
    let location = [(header::LOCATION, format!("/_/{name}"))];
    Ok((StatusCode::CREATED, location, plain(), format!("/{name}")).into_response())
}

/// `DELETE /_/{room}`: deletes the room; 201 `OK`.
async fn remove(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(visitor): Extension<Visitor>,
    Extension(grant): Extension<Grant>,
) -> Result<Response, PlainError> {
    delete_room(&app, &room, &visitor, &grant).await?;
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// `GET /_exists/{room}`: `true` or `false`.
async fn exists(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(OptionalGrant(grant)): Extension<OptionalGrant>,
) -> Result<Response, PlainError> {
    Ok(axum::Json(grant.is_some() && app.rooms.exists(&room).await?).into_response())
}
