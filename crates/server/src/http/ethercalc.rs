//! EtherCalc's routes for reading and replacing a room, with its status codes and bodies.
//! `docs/rest.md` lists them. The name of a room may mean a sheet: see `ethercalc_workbook.rs`.
//!
//! They differ where EtherCalc has bugs: a missing resource is 404 everywhere, and a replaced room
//! reaches open editors. Routes for cells use the first sheet of the room.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, Path, RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use bytes::Bytes;
use quadrille_access::Action;
use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_files::{FileFormat, Imported, Placement, import_transaction};
use quadrille_operation::Command;
use quadrille_protocol::RoomName;
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

use super::app::App;
use super::authorization::{GrantedRoom, OptionalGrant, RouteAccess, authorize, check_room};
use super::creation::{self, write_owned};
use super::ethercalc_workbook::{self, AddressedSheet, addressed_sheet};
use super::export::{Exporter, file_response};
use super::extractors::{AddressedRoom, RoomSegment};
use super::file_formats::{format_of_body, read_workbook};
use super::internal_error::internal;
use super::plain_error::{PlainError, plain};
use super::rooms_api::delete_room;
use super::{ethercalc_commands, ethercalc_socket, json_body, request_body};
use crate::access::{Grant, Identity, Visitor, now_ms};
use crate::cells::{CellReader, number_json};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, MissingRoom, Plan, Reading, no_such_room};
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
        ("/_/{room}/{what}", RouteAccess::Room(Action::Edit), put(replace_all)),
        ("/{room}", RouteAccess::Room(Action::Edit), put(replace_all)),
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
    let request = addressed(&app, request).await?;
    let name = request.extensions().get::<AddressedSheet>().map(|addressed| addressed.name.clone());
    let authorized = authorize(&app, access, request).await;
    // Whoever may not see the workbook gets the answer for a room that does not exist.
    let authorized = authorized.map_err(|error| match (error.code, name) {
        (ErrorCode::NoSuchRoom, Some(name)) => no_such_room(&name),
        _ => error,
    });
    Ok(authorized?.run(next).await)
}

/// Notes in a request what its path means by another name than that of the room: `R.1` a sheet of the
/// workbook `R`, `=R` all its sheets. The access is that of the workbook.
async fn addressed(app: &App, request: Request) -> Result<Request, ApiError> {
    let (mut parts, body) = request.into_parts();
    // Paths that are not UTF-8 are refused later.
    let names = RawPathParams::from_request_parts(&mut parts, app).await.ok();
    let name = names.as_ref().and_then(|names| names.iter().find(|(key, _)| *key == "room"));
    let name = name.map(|(_, name)| name.to_owned()).unwrap_or_default();
    if let Some(name) = name.strip_prefix('=') {
        let format = FileFormat::from_name(name);
        let room = format.and_then(|format| name.strip_suffix(format.extension())?.strip_suffix('.'));
        parts.extensions.insert(AddressedRoom(room_name::parse(room.unwrap_or(name))?));
        parts.extensions.insert(Shown::All);
    } else if let Some(addressed) = addressed_sheet(app, &name).await? {
        parts.extensions.insert(AddressedRoom(addressed.room.clone()));
        parts.extensions.insert(Shown::Sheet(addressed.sheet));
        parts.extensions.insert(addressed);
    }
    Ok(Request::from_parts(parts, body))
}

/// What a request means of a workbook.
#[derive(Clone, Copy, Default)]
enum Shown {
    /// The first sheet, or the table of contents of a workbook of several rooms.
    #[default]
    First,
    Sheet(SheetId),
    All,
}

impl Shown {
    /// What is read, and the sheet if it is not the first one.
    fn of(
        self,
        app: &App,
        room: &RoomName,
        reading: Reading,
        format: FileFormat,
    ) -> (Reading, ExportOptions) {
        let has_all_sheets = matches!(format, FileFormat::Xlsx | FileFormat::Ods);
        let options = ExportOptions::default();
        let shown = match self {
            Shown::Sheet(sheet) if has_all_sheets => {
                ethercalc_workbook::with_sheet_first((*reading.workbook).clone(), sheet)
            }
            Shown::Sheet(sheet) => return (reading, ExportOptions { sheet: Some(sheet), ..options }),
            Shown::First if !has_all_sheets && ethercalc_workbook::is_of_several_rooms(&reading.workbook) => {
                ethercalc_workbook::contents(room, &reading.workbook)
            }
            Shown::First | Shown::All => return (reading, options),
        };
        (Reading { workbook: app.rooms.workbook_handle(shown), ..reading }, options)
    }
}

/// `GET /_/{room}`: the room in SocialCalc save format.
async fn save(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    shown: Option<Extension<Shown>>,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    let (reading, format) = (app.rooms.read(&room).await?, FileFormat::SocialCalc);
    let (reading, options) =
        shown.map(|Extension(shown)| shown).unwrap_or_default().of(&app, &room, reading, format);
    Ok(file_response(&app, &room, &exporter, reading, format, options).await?)
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
        let (room, shown) = match room.strip_prefix('=') {
            Some(room) => (room_name::parse(room)?, Shown::All),
            None => match addressed_sheet(app, room).await? {
                Some(addressed) => (addressed.room, Shown::Sheet(addressed.sheet)),
                None => (room_name::parse(room)?, Shown::First),
            },
        };
        let grant = check_room(app, visitor, identity, &room, Action::Read).await?;
        let exporter = Exporter { visitor: visitor.clone(), grant };
        export_response(app, &room, shown, &exporter, format).await
    };
    exported.await.unwrap_or_else(IntoResponse::into_response)
}

async fn export_response(
    app: &App,
    room: &RoomName,
    shown: Shown,
    exporter: &Exporter,
    format: FileFormat,
) -> Result<Response, PlainError> {
    let (reading, options) = shown.of(app, room, app.rooms.read(room).await?, format);
    let mut response = file_response(app, room, exporter, reading, format, options).await?;
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
    shown: Option<Extension<Shown>>,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    let shown = shown.map(|Extension(shown)| shown).unwrap_or_default();
    if what == "cells" {
        let reading = app.rooms.read(&room).await?;
        let (reading, options) = shown.of(&app, &room, reading, FileFormat::SocialCalc);
        let all = in_background(move || all_cells(&reading.workbook, options.sheet)).await;
        let all = all.ok_or_else(|| internal("reading cells"))??;
        exporter.record(&app, &room, "cells").await?;
        return Ok(axum::Json(all).into_response());
    }
    match FileFormat::from_name(&format!("room.{what}")).filter(|format| format.extension() == what) {
        Some(format) => export_response(&app, &room, shown, &exporter, format).await,
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
    shown: Option<Extension<Shown>>,
) -> Result<Response, PlainError> {
    let reading = app.rooms.read(&room).await?;
    let shown = shown.map(|Extension(shown)| shown).unwrap_or_default();
    let (reading, options) = shown.of(&app, &room, reading, FileFormat::SocialCalc);
    let address = CellAddress::parse_a1(&coordinate);
    let address = address.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    let sheet = sheet_of(&reading.workbook, options.sheet)?;
    let mut reader = CellReader::new(&reading.workbook, sheet);
    Ok(axum::Json(cell_json(sheet, &mut reader, address).unwrap_or(Json::Null)).into_response())
}

/// The sheet, or the first one.
fn sheet_of(workbook: &Workbook, sheet: Option<SheetId>) -> Result<&Sheet, ApiError> {
    let removed = || ApiError::new(ErrorCode::NoSuchSheet, "the sheet was removed");
    sheet.map_or(Ok(&*workbook.sheets()[0]), |sheet| workbook.sheet(sheet).ok_or_else(removed))
}

fn all_cells(workbook: &Workbook, sheet: Option<SheetId>) -> Result<Json, ApiError> {
    let sheet = sheet_of(workbook, sheet)?;
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
    addressed: Option<Extension<AddressedSheet>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let imported = match snapshot_member(&headers, &body) {
        Some(given) => read_workbook(&HeaderMap::new(), given.snapshot).await?,
        None => read_workbook(&headers, body).await?,
    };
    let replaced_ms = now_ms();
    match addressed {
        Some(Extension(addressed)) => {
            let (sheet, file) = (addressed.sheet, imported.workbook);
            let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
                ethercalc_workbook::replace_sheet(workbook, sheet, file)
            });
            app.rooms.change(&room, grant.role, grant.sign(change.heavy())).await?;
        }
        None => replace_room(&app, &room, &visitor, &grant, imported).await?,
    }
    app.ethercalc_peers.note_replaced(&room, replaced_ms);
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// `PUT /=R.xlsx` and `PUT /_/=R/xlsx`: replaces all sheets of a workbook, which is one of several rooms
/// then; 201 `OK`.
async fn replace_all(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    shown: Option<Extension<Shown>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    if !matches!(shown, Some(Extension(Shown::All))) {
        let message = "a file with all sheets is put at /_/=ROOM/xlsx".to_owned();
        return Err(ApiError::new(ErrorCode::MethodNotAllowed, message).into());
    }
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    // Programs send such a file with any type, or none.
    let format = format_of_body(&HeaderMap::new(), &body)?;
    if !matches!(format, FileFormat::Xlsx | FileFormat::Ods) {
        let message = "a file with all sheets is xlsx or ods".to_owned();
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message).into());
    }
    let mut imported = read_workbook(&HeaderMap::new(), body).await?;
    ethercalc_workbook::number_sheets(&mut imported.workbook);
    let change = grant.sign(Change::replace_with_file(imported.workbook));
    let (rooms, name, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(&app, &room, &visitor, &grant.identity, write).await?;
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// Replaces the contents of a room, which is created when it does not exist. A table of contents
/// becomes the sheets of a new workbook, and changes those of a workbook of several rooms.
async fn replace_room(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    imported: Imported,
) -> Result<(), ApiError> {
    let file = imported.workbook;
    let change = match ethercalc_workbook::is_contents(&file) {
        true => {
            let is_free = ethercalc_workbook::can_be_sheets(app, room, &Workbook::new(), &file).await?;
            let room = room.clone();
            Change::new(MissingRoom::Create, move |workbook, new_sheet| {
                let is_blank = ethercalc_workbook::is_blank(workbook) && is_free;
                if is_blank || ethercalc_workbook::is_of_several_rooms(workbook) {
                    return ethercalc_workbook::apply_contents(&room, workbook, &file, new_sheet);
                }
                Ok(import_transaction(&file, workbook, Placement::Replace, new_sheet))
            })
        }
        false => {
            let change = Change::replace_with_file(file);
            Change { plan: unless_of_several_rooms(room, change.plan), ..change }
        }
    };
    let change = grant.sign(change);
    let (rooms, name, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(app, room, visitor, &grant.identity, write).await.map(|_| ())
}

/// Refuses to replace a workbook of several rooms by the contents of one of them.
fn unless_of_several_rooms(room: &RoomName, plan: Plan) -> Plan {
    let room = room.clone();
    Box::new(move |workbook, new_sheet| {
        if ethercalc_workbook::is_of_several_rooms(workbook) {
            let message = format!(
                "{room} has several sheets: put a table of contents with #url and #title, all sheets at \
                 /_/={room}/xlsx, or one at its own address such as /_/{room}.1"
            );
            return Err(ApiError::new(ErrorCode::BadRequest, message));
        }
        plan(workbook, new_sheet)
    })
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
    Ok((StatusCode::CREATED, location, plain(), format!("{}/{name}", visitor.base_path())).into_response())
}

/// `DELETE /_/{room}`: deletes the room or the sheet; 201 `OK`.
async fn remove(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(visitor): Extension<Visitor>,
    Extension(grant): Extension<Grant>,
    addressed: Option<Extension<AddressedSheet>>,
) -> Result<Response, PlainError> {
    if let Some(Extension(AddressedSheet { sheet, .. })) = addressed {
        let remove = Command::RemoveSheet { sheet: sheet.0 };
        let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
            let planned = quadrille_operation::plan(&remove, workbook, new_sheet);
            planned.map_err(|error| ApiError::new(ErrorCode::BadRequest, error.to_string()))
        });
        app.rooms.change(&room, grant.role, grant.sign(change)).await?;
        return Ok((StatusCode::CREATED, plain(), "OK").into_response());
    }
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
