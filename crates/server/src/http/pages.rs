//! Pages of the web client at `/` and `/{room}`, its assets, and redirects to it.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::Action;
use quadrille_files::FileFormat;
use quadrille_protocol::RoomName;

use super::app::App;
use super::authorization::check_room;
use super::ethercalc_workbook::{AddressedSheet, addressed_sheet};
use super::{creation, ethercalc_export, web_client};
use crate::access::{Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};

/// The start page and the pages for accounts: the web client chooses by the path.
pub async fn start(headers: HeaderMap) -> Response {
    web_client::page(&headers)
}

/// Redirects to a new room with a random name, or to the sign-in page if that is needed to create
/// one.
pub async fn new_room(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, ApiError> {
    new(&app, &identity, "")
}

/// EtherCalc's address of a new room with several sheets; here every room can have several.
pub async fn new_multiple_room(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, ApiError> {
    new(&app, &identity, "=")
}

fn new(app: &App, identity: &Identity, prefix: &str) -> Result<Response, ApiError> {
    match creation::check_may_create(&app.settings, identity) {
        Ok(()) => Ok(found(new_room_location(app, prefix, &room_name::random_ethercalc()))),
        Err(error) if error.code == ErrorCode::SignInRequired => {
            Ok(found(format!("/_sign-in?return=/{prefix}_new")))
        }
        Err(error) => Err(error),
    }
}

/// Where a new room is edited: with EtherCalc's key by the address that adds the room's code.
pub fn new_room_location(app: &App, prefix: &str, room: &RoomName) -> String {
    let edit = if app.access.assertions().ethercalc_key.is_some() { "/edit" } else { "" };
    format!("/{prefix}{}{edit}", percent_encoded(room.as_str()))
}

/// A file of the web client under `assets/`.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    web_client::file(&format!("assets/{path}"), &headers).unwrap_or_else(|| not_found(&path))
}

/// `/{room}` is the page of a workbook, `/{room}.csv` an export, `/favicon.svg` a file of the web
/// client.
pub async fn room(
    State(app): State<App>,
    name: Result<Path<String>, PathRejection>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    let Ok(Path(name)) = name else {
        return ApiError::new(ErrorCode::BadRoomName, "the path is not UTF-8").into_response();
    };
    if room_name::parse(&name).is_ok() {
        let addressed = match addressed_sheet(&app.rooms, &name).await {
            Ok(addressed) => addressed,
            Err(error) => return error.into_response(),
        };
        // A sheet is shown with the others of its workbook, to those who may see that it exists.
        if let Some(AddressedSheet { room, .. }) = addressed
            && check_room(&app, &visitor, &identity, &room, Action::Read).await.is_ok()
        {
            let query = if query.is_empty() { query } else { format!("?{query}") };
            return redirect(room.as_str(), &query);
        }
        let has_auth = query.split('&').any(|pair| pair.starts_with("auth="));
        if app.access.assertions().ethercalc_key.is_some() && !has_auth {
            // As EtherCalc with a key: the address says that it is for viewing.
            return redirect(&name, &format!("?{query}{}auth=0", if query.is_empty() { "" } else { "&" }));
        }
        return web_client::page(&headers);
    }
    if let Some(file) = web_client::file(&name, &headers) {
        return file;
    }
    if name == "favicon.ico" {
        // Browsers request it even if the page names another icon.
        return web_client::file("logo.svg", &headers)
            .unwrap_or_else(|| StatusCode::NO_CONTENT.into_response());
    }
    let export = FileFormat::from_name(&name)
        .filter(|format| format.can_write())
        .and_then(|format| Some((name.strip_suffix(format.extension())?.strip_suffix('.')?, format)));
    if let (Some(multiple), None) = (name.strip_prefix('='), &export) {
        // EtherCalc's address of a room with several sheets; here every room can have several.
        let query = if query.is_empty() { query } else { format!("?{query}") };
        return redirect(multiple, &query);
    }
    match export {
        Some((room, format)) => ethercalc_export::export(&app, &visitor, &identity, room, format).await,
        None => match room_name::parse(&name) {
            Err(error) => error.into_response(),
            Ok(_) => not_found(&name),
        },
    }
}

/// EtherCalc's address for editing. With a key it gives everybody the code of the room: as with
/// EtherCalc, a proxy in front decides who may open it.
pub async fn edit(State(app): State<App>, Path(name): Path<String>) -> Response {
    redirect_with_code(&app, &name, "").await
}

/// EtherCalc's address for viewing.
pub async fn view(State(app): State<App>, Path(name): Path<String>) -> Response {
    redirect_with_code(&app, &name, "&view=1").await
}

/// EtherCalc's address of a form that is filled in, which here is the workbook.
pub async fn app(State(app): State<App>, Path(name): Path<String>) -> Response {
    redirect_with_code(&app, &name, "&app=1").await
}

/// Redirects to the page of a room with its code; without a key this is its name, as in EtherCalc.
async fn redirect_with_code(app: &App, name: &str, behind_code: &str) -> Response {
    // EtherCalc's address of a room with several sheets.
    let name = name.strip_prefix('=').unwrap_or(name);
    let Some(key) = &app.access.assertions().ethercalc_key else {
        return redirect(name, &format!("?auth={}{behind_code}", percent_encoded(name)));
    };
    // The code is that of the workbook.
    let room = match addressed_sheet(&app.rooms, name).await {
        Ok(Some(addressed)) => Ok(addressed.room),
        Ok(None) => room_name::parse(name),
        Err(error) => Err(error),
    };
    match room {
        Ok(room) => redirect(room.as_str(), &format!("?auth={}{behind_code}", key.code(&room))),
        Err(error) => error.into_response(),
    }
}

fn redirect(name: &str, query: &str) -> Response {
    match room_name::parse(name) {
        Ok(room) => found(format!("/{}{query}", percent_encoded(room.as_str()))),
        Err(error) => error.into_response(),
    }
}

/// A redirect as EtherCalc sends it, with a note for those who read it.
pub fn found(location: String) -> Response {
    let note = format!("Found. Redirecting to {location}");
    let headers = [
        (header::LOCATION, location),
        (header::CONTENT_TYPE, "text/plain; charset=UTF-8".to_owned()),
        // The code of a room must not stay in a cache.
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (StatusCode::FOUND, headers, note).into_response()
}

fn not_found(path: &str) -> Response {
    ApiError::new(ErrorCode::NotFound, format!("no such resource: {path}")).into_response()
}
