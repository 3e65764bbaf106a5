//! EtherCalc's routes, with its status codes and bodies. `docs/rest.md` lists them.
//!
//! Replacing, creating and deleting rooms is here; reading is in `ethercalc_export.rs`, commands in
//! `ethercalc_commands.rs`, lists in `ethercalc_lists.rs`, templates in `ethercalc_templates.rs`. The
//! name of a room may mean a sheet: see `ethercalc_workbook.rs`. Unlike EtherCalc, a replaced room
//! reaches open editors.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use quadrille_access::Action;
use quadrille_files::{FileFormat, Imported, Placement, import_transaction};
use quadrille_operation::Command;
use quadrille_protocol::RoomName;
use quadrille_workbook::Workbook;
use serde_json::Value as Json;

use super::app::App;
use super::authorization::{GrantedRoom, OptionalGrant, RouteAccess, authorize, check_room};
use super::creation::{self, write_owned};
use super::ethercalc_commands::{CommandQuery, execute};
use super::ethercalc_export::{self, Shown};
use super::ethercalc_workbook::{self, AddressedSheet, addressed_sheet};
use super::export::put_warnings;
use super::extractors::{AddressedRoom, RoomSegment, StrictQuery};
use super::file_formats::{format_of_body, read_workbook};
use super::form_fields::{FORM, form_fields};
use super::plain_error::{PlainError, json, plain};
use super::rooms_api::delete_room;
use super::routing::{delete, get, post, put};
use super::{ethercalc_lists, ethercalc_mail, ethercalc_socket, ethercalc_templates};
use super::{json_body, owner_relay, request_body};
use crate::access::{Grant, Identity, Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, MissingRoom, Plan, no_such_room};

const TIME_TRIGGER: &str = "/_timetrigger";

/// Returns EtherCalc's routes.
pub fn routes(app: &App) -> Router<App> {
    let mut router = Router::new();
    for (path, access, handler) in [
        ("/_", RouteAccess::Visitor, post(create)),
        // EtherCalc does not mind a slash at the end, and clients send one.
        ("/_/", RouteAccess::Visitor, post(create)),
        ("/_/{room}", RouteAccess::Room(Action::Read), get(ethercalc_export::save)),
        ("/_/{room}", RouteAccess::Room(Action::Edit), put(replace)),
        ("/_/{room}", RouteAccess::Room(Action::Edit), post(command_or_create)),
        ("/_/{room}", RouteAccess::DeleteRoom, delete(remove)),
        ("/_/{room}/{what}", RouteAccess::Room(Action::Read), get(ethercalc_export::part)),
        ("/_/{room}/{what}", RouteAccess::Room(Action::Edit), put(replace_all)),
        ("/{room}", RouteAccess::Room(Action::Edit), put(replace_all)),
        ("/_/{room}/cells/{coordinate}", RouteAccess::Room(Action::Read), get(ethercalc_export::cell)),
        ("/_exists/{room}", RouteAccess::Optional, get(exists)),
        ("/_ws/{room}", RouteAccess::Session, get(ethercalc_socket::upgrade)),
        ("/_rooms", RouteAccess::Visitor, get(ethercalc_lists::rooms)),
        ("/_roomlinks", RouteAccess::Visitor, get(ethercalc_lists::links)),
        ("/_roomtimes", RouteAccess::Visitor, get(ethercalc_lists::times)),
        (TIME_TRIGGER, RouteAccess::Visitor, get(ethercalc_mail::time_trigger)),
        ("/_from/{template}", RouteAccess::Visitor, get(ethercalc_templates::copy)),
        ("/{template}/form", RouteAccess::Visitor, get(ethercalc_templates::form)),
    ] {
        let check = axum::middleware::from_fn_with_state((app.clone(), access), layer);
        router = router.route(path, owner_relay::add_to(app, path, true, handler.route_layer(check)));
    }
    router
}

/// As `authorization::layer`, with errors in plain text.
async fn layer(
    State((app, access)): State<(App, RouteAccess)>,
    request: Request,
    next: Next,
) -> Result<Response, PlainError> {
    let request = without_cron_secret(addressed(&app, request).await?);
    let name = request.extensions().get::<AddressedSheet>().map(|addressed| addressed.name.clone());
    let authorized = authorize(&app, access, request).await;
    // Whoever may not see the workbook gets the answer for a room that does not exist.
    let authorized = authorized.map_err(|error| match (error.code, name) {
        (ErrorCode::NoSuchRoom, Some(name)) => no_such_room(&name),
        _ => error,
    });
    Ok(authorized?.run(next).await)
}

/// Cron jobs send `/_timetrigger` a secret of EtherCalc's, which proves nothing here and is no error.
fn without_cron_secret(request: Request) -> Request {
    let (mut parts, body) = request.into_parts();
    if parts.uri.path() == TIME_TRIGGER && Visitor::from_request(&parts, None, false).is_err() {
        parts.headers.remove(header::AUTHORIZATION);
    }
    Request::from_parts(parts, body)
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
        let format = FileFormat::from_name(name).filter(|format| format.can_write());
        let room = format.and_then(|format| name.strip_suffix(format.extension())?.strip_suffix('.'));
        parts.extensions.insert(AddressedRoom(room_name::parse(room.unwrap_or(name))?));
        parts.extensions.insert(Shown::All);
    } else if let Some(addressed) = addressed_sheet(&app.rooms, &name).await? {
        parts.extensions.insert(AddressedRoom(addressed.room.clone()));
        parts.extensions.insert(Shown::Sheet(addressed.sheet));
        parts.extensions.insert(addressed);
    }
    Ok(Request::from_parts(parts, body))
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
    let (headers, body) = decoded_once(headers, body);
    let imported = match snapshot_member(&headers, &body) {
        Some(given) => read_workbook(&HeaderMap::new(), given.snapshot).await?,
        None => read_workbook(&headers, body).await?,
    };
    let replaced_ms = now_ms();
    let warnings = match addressed {
        Some(Extension(addressed)) => {
            let (name, sheet, file) = (room.clone(), addressed.sheet, imported.workbook);
            let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
                ethercalc_workbook::replace_sheet(&name, workbook, sheet, file)
            });
            app.rooms.change(&room, grant.role, grant.sign(change.heavy())).await?;
            imported.warnings
        }
        None => replace_room(&app, &room, &visitor, &grant, imported).await?,
    };
    app.ethercalc_peers.note_replaced(&room, replaced_ms);
    Ok(done_with(&warnings))
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
    if !matches!(format, FileFormat::Xlsx | FileFormat::Xls | FileFormat::Xlsb | FileFormat::Ods) {
        let message = "a file with all sheets is xlsx, xls, xlsb or ods".to_owned();
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message).into());
    }
    let mut imported = read_workbook(&HeaderMap::new(), body).await?;
    ethercalc_workbook::number_sheets(&mut imported.workbook);
    let change = grant.sign(Change::replace_with_file(imported.workbook));
    let (rooms, name, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(&app, &room, &visitor, &grant.identity, write).await?;
    Ok(done_with(&imported.warnings))
}

/// EtherCalc's answer to a file, with the warnings of the import in a header.
fn done_with(warnings: &[String]) -> Response {
    let mut response = (StatusCode::CREATED, plain(), "OK").into_response();
    put_warnings(response.headers_mut(), warnings);
    response
}

/// Replaces the contents of a room, which is created when it does not exist. A table of contents
/// becomes the sheets of a new workbook, and changes those of a workbook of several rooms. Returns the
/// warnings of the import.
async fn replace_room(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    imported: Imported,
) -> Result<Vec<String>, ApiError> {
    let file = imported.workbook;
    let change = match ethercalc_workbook::is_contents(&file) {
        true => {
            let is_free =
                ethercalc_workbook::can_be_sheets(&app.rooms, room, &Workbook::new(), &file).await?;
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
    write_owned(app, room, visitor, &grant.identity, write).await?;
    Ok(imported.warnings)
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

/// EtherCalc's media type of csv whose UTF-8 was taken for Latin-1 and encoded as UTF-8 again.
const DOUBLY_ENCODED_CSV: &str = "text/x-ethercalc-csv-double-encoded";

/// The body as csv in UTF-8 if it is doubly encoded; otherwise as it is.
fn decoded_once(mut headers: HeaderMap, body: Bytes) -> (HeaderMap, Bytes) {
    if json_body::media_type(&headers).as_deref() != Some(DOUBLY_ENCODED_CSV) {
        return (headers, body);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv"));
    let latin1 = |text: &str| text.chars().map(|letter| u8::try_from(u32::from(letter))).collect();
    let decoded: Option<Result<Vec<u8>, _>> = std::str::from_utf8(&body).ok().map(latin1);
    match decoded {
        Some(Ok(bytes)) if std::str::from_utf8(&bytes).is_ok() => (headers, bytes.into()),
        // It was encoded once only.
        _ => (headers, body),
    }
}

struct GivenSnapshot {
    room: Option<String>,
    snapshot: Bytes,
}

/// Returns the save in EtherCalc's JSON form, or in the fields of a form; `None` when the body has
/// another one.
fn snapshot_member(headers: &HeaderMap, body: &Bytes) -> Option<GivenSnapshot> {
    let mut members: Vec<(String, String)> = match json_body::media_type(headers)?.as_str() {
        "application/json" => {
            let Json::Object(members) = serde_json::from_slice(body).ok()? else { return None };
            let text = |(name, value)| match value {
                Json::String(text) => Some((name, text)),
                _ => None,
            };
            members.into_iter().filter_map(text).collect()
        }
        FORM => form_fields(body).ok()?,
        _ => return None,
    };
    let mut text = |name: &str| {
        let member = members.iter_mut().find(|(member, _)| member == name);
        member.map(|(_, text)| std::mem::take(text))
    };
    Some(GivenSnapshot { room: text("room"), snapshot: Bytes::from(text("snapshot")?) })
}

/// `POST /_/{room}`: carries out commands, or creates a room with this name from a save.
async fn command_or_create(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    addressed: Option<Extension<AddressedSheet>>,
    query: StrictQuery<CommandQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    match save_of_form(&headers, &body).filter(|_| addressed.is_none()) {
        Some(save) => create_named(&app, &room, &visitor, &grant, save).await,
        None => {
            let (granted, visitor) = (GrantedRoom { room, grant }, Extension(visitor));
            execute(State(app), granted, visitor, addressed, query, headers, Body::from(body)).await
        }
    }
}

/// The save in a form without commands, by which the package `ethercalc-client` of Apereo OAE creates a
/// room with a name: `room=plan&snapshot=…` at `POST /_/plan`.
fn save_of_form(headers: &HeaderMap, body: &Bytes) -> Option<Bytes> {
    let is_form = json_body::media_type(headers).as_deref() == Some(FORM);
    let has_commands = || {
        let fields = form_fields(body).unwrap_or_default();
        fields.iter().any(|(name, _)| name == "command" || name.starts_with("command["))
    };
    if !is_form || has_commands() {
        return None;
    }
    snapshot_member(headers, body).map(|given| given.snapshot)
}

/// Creates a room with a name from a save; 201, the body is `/room`.
///
/// # Errors
/// 409 when there is a room of this name, which `PUT` replaces.
async fn create_named(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    save: Bytes,
) -> Result<Response, PlainError> {
    if app.rooms.exists(room).await? {
        let message = format!("{room} exists already; PUT replaces it");
        return Err(ApiError::new(ErrorCode::RoomExists, message).into());
    }
    let imported = read_workbook(&HeaderMap::new(), save).await?;
    let warnings = replace_room(app, room, visitor, grant, imported).await?;
    Ok(created(room, visitor, &warnings))
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
    let (headers, body) = decoded_once(headers, body);
    let (room, imported): (Option<String>, Imported) = match snapshot_member(&headers, &body) {
        Some(given) => (given.room, read_workbook(&HeaderMap::new(), given.snapshot).await?),
        None => (None, read_workbook(&headers, body).await?),
    };
    let room = match room {
        Some(name) => room_name::parse(&name)?,
        None => room_name::random_ethercalc(),
    };
    // The named room may exist already, and belong to somebody. Whoever has no access to it gets the same
    // answer as for one that does not exist.
    let granted = check_room(&app, &visitor, &identity, &room, Action::Edit).await;
    if granted.is_err() || !app.rooms.exists(&room).await? {
        creation::check_may_create(&app.settings, &identity)?;
    }
    let grant = granted?;
    let warnings = replace_room(&app, &room, &visitor, &grant, imported).await?;
    Ok(created(&room, &visitor, &warnings))
}

fn created(room: &RoomName, visitor: &Visitor, warnings: &[String]) -> Response {
    let name = percent_encoded(room.as_str());
    let location = [(header::LOCATION, format!("/_/{name}"))];
    let body = format!("{}/{name}", visitor.base_path());
    let mut response = (StatusCode::CREATED, location, plain(), body).into_response();
    put_warnings(response.headers_mut(), warnings);
    response
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
    match delete_room(&app, &room, &visitor, &grant).await {
        Err(error) if error.code != ErrorCode::NoSuchRoom => return Err(error.into()),
        _ => {}
    }
    Ok((StatusCode::CREATED, plain(), "OK").into_response())
}

/// `GET /_exists/{room}`: `true` or `false`.
async fn exists(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(OptionalGrant(grant)): Extension<OptionalGrant>,
) -> Result<Response, PlainError> {
    let exists = grant.is_some() && app.rooms.exists(&room).await?;
    Ok((json(), exists.to_string()).into_response())
}
