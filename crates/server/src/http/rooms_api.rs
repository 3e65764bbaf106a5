//! `/api/v1/rooms`: make, read, replace and remove whole rooms.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use quadrille_cell::SheetId;
use quadrille_files::Images;
use quadrille_operation::{Command, ItemValue, plan};
use quadrille_protocol::{Author, Revision, RoomName};
use quadrille_workbook::{Field, ItemId, Workbook};
use serde::Deserialize;
use serde_json::json;

use super::segments::{RoomSegment, StrictQuery, sheet};
use super::{App, body, content};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, MissingRoom, Reading};
use crate::workbook_files::Wanted;

/// The body of `POST /rooms` when it is JSON.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewRoom {
    name: Option<String>,
    /// What the workbook is called; a copy without one keeps that of its source.
    title: Option<String>,
    /// The room whose contents the new one begins with.
    copy_of: Option<String>,
    /// As that room was at this revision, instead of as it is now.
    revision: Option<u64>,
    /// Who copies it, for the history of the new room.
    author: Option<String>,
}

/// What a new room begins with.
#[derive(Default)]
struct Beginning {
    workbook: Option<Workbook>,
    images: Images,
    author: Option<Author>,
}

/// Makes a room: a new unguessable one, or one of a given name that does not exist yet. With a file as the body the room
/// holds its contents, with `copyOf` those of another room.
pub async fn create(State(app): State<App>, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let body = body::read(&headers, body, app.settings.body_bytes_max).await?;
    let is_json = media_type(&headers).is_some_and(|media_type| media_type == "application/json");
    let (name, Beginning { workbook, images, author }) = if body.is_empty() {
        (room_name::unguessable(), Beginning::default())
    } else if is_json {
        let given: NewRoom = json_body(&body)?;
        let name = given.name.as_deref().map(room_name::parse).transpose()?;
        check_title(given.title.as_deref())?;
        (name.unwrap_or_else(room_name::unguessable), copied(&app, given).await?)
    } else {
        let imported = content::parse(&headers, body).await?;
        let beginning =
            Beginning { workbook: Some(imported.workbook), images: imported.images, ..Beginning::default() };
        (room_name::unguessable(), beginning)
    };
    let change = match workbook {
        None => Change::new(MissingRoom::MustNotExist, |_, _| Ok(Default::default())),
        Some(workbook) => Change::replacing(workbook).room(MissingRoom::MustNotExist),
    };
    let change = match author {
        None => change,
        Some(author) => change.by(author),
    };
    let done = app.rooms.change(&name, change).await?;
    app.rooms.put_images(&name, &images).await?;
    let url = format!("/{}", percent_encoded(name.as_str()));
    let location = format!("/api/v1/rooms{url}");
    let reply = json!({ "room": name.as_str(), "url": url, "revision": done.revision.0 });
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(reply)).into_response())
}

/// The workbook and the images of the room that is to be copied; its history and its chat stay where they are.
async fn copied(app: &App, given: NewRoom) -> Result<Beginning, ApiError> {
    let author = given.author.as_deref().map(author_of).transpose()?;
    let title = given.title.as_deref();
    let Some(source) = given.copy_of else {
        return match given.revision {
            None => {
                let workbook = title.map(|title| {
                    let mut workbook = Workbook::new();
                    workbook.set_title(Some(title));
                    workbook
                });
                Ok(Beginning { workbook, author, ..Beginning::default() })
            }
            Some(_) => Err(ApiError::new(ErrorCode::BadJson, "a revision belongs to copyOf")),
        };
    };
    let source = room_name::parse(&source)?;
    let mut workbook = match given.revision {
        None => app.rooms.read_inputs(&source).await?.workbook.clone(),
        Some(revision) => app.rooms.past(&source, Revision(revision)).await?.inputs,
    };
    if title.is_some() {
        workbook.set_title(title);
    }
    let images = app.rooms.images_of(&source, &workbook).await?;
    Ok(Beginning { workbook: Some(workbook), images, author })
}

/// Refuses what cannot be a workbook's title.
fn check_title(title: Option<&str>) -> Result<(), ApiError> {
    let Some(title) = title else { return Ok(()) };
    let fields = [(Field::Title.name().to_owned(), ItemValue::Text(title.to_owned()))].into();
    let item = Some(ItemId::SETTINGS.0);
    let command = Command::SetItem { sheet: None, item, kind: None, anchors: None, fields };
    let planned = plan(&command, &Workbook::new(), &mut || SheetId(2));
    planned.map(|_| ()).map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))
}

/// Who changes something over REST, as the history will tell.
pub fn author_of(name: &str) -> Result<Author, ApiError> {
    if name.len() > limits::AUTHOR_BYTES_MAX {
        return Err(ApiError::new(ErrorCode::BadQuery, "the name is too long"));
    }
    Ok(Author::named(name))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadQuery {
    format: Option<String>,
    sheet: Option<String>,
    /// Numbers in full instead of as shown.
    raw: Option<String>,
    /// Text that no spreadsheet program takes for a formula.
    safe: Option<String>,
}

/// Facts about the room, or its contents in the format asked for.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<ReadQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // Before the formulas are computed: the format may be one that is not known.
    content::asked_for(query.format.as_deref(), &headers)?;
    let reading = app.rooms.read(&room).await?;
    read_reply(&app, &room, reading, &query, &headers).await
}

/// What a reader gets of a workbook, the room's or one of its past.
pub async fn read_reply(
    app: &App,
    room: &RoomName,
    reading: Reading,
    query: &ReadQuery,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let Some(format) = content::asked_for(query.format.as_deref(), headers)? else {
        return Ok(facts(room, &reading));
    };
    let sheet = query
        .sheet
        .as_deref()
        .map(|name| sheet(&reading.workbook, name))
        .transpose()?
        .map(|sheet| sheet.id());
    let wanted = Wanted { sheet, raw: query.raw.is_some(), formula_safe: query.safe.is_some() };
    content::reply(app, room, reading, format, wanted).await
}

fn facts(room: &RoomName, reading: &Reading) -> Response {
    let sheets: Vec<_> = reading
        .workbook
        .sheets()
        .iter()
        .map(|sheet| {
            let used = sheet.used_range();
            json!({
                "name": &**sheet.name(),
                "rows": used.map_or(0, |used| used.last().row.get() + 1),
                "columns": used.map_or(0, |used| used.last().column.get() + 1),
            })
        })
        .collect();
    let body = json!({
        "room": room.as_str(),
        "title": reading.workbook.title(),
        "revision": reading.revision.0,
        "sessions": reading.sessions,
        "sheets": sheets,
    });
    ([(header::ETAG, content::etag(reading.revision.0))], Json(body)).into_response()
}

/// Replaces everything in the room, which is made when it does not exist.
pub async fn replace(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = content::if_match(&headers)?;
    let body = body::read(&headers, body, app.settings.body_bytes_max).await?;
    let imported = content::parse(&headers, body).await?;
    let done = app.rooms.change(&room, Change::filling(imported.workbook).expecting(expected)).await?;
    let mut warnings = imported.warnings;
    warnings.extend(app.rooms.put_images(&room, &imported.images).await?);
    let status = if done.was_new { StatusCode::CREATED } else { StatusCode::OK };
    let reply = json!({ "room": room.as_str(), "revision": done.revision.0, "warnings": warnings });
    Ok((status, [(header::ETAG, content::etag(done.revision.0))], Json(reply)).into_response())
}

/// Removes the room with its history; open editors are told.
pub async fn remove(State(app): State<App>, RoomSegment(room): RoomSegment) -> Result<StatusCode, ApiError> {
    app.rooms.delete(&room).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// A JSON body of a type; says where it is wrong.
pub fn json_body<T: serde::de::DeserializeOwned>(body: &Bytes) -> Result<T, ApiError> {
    if body.len() > limits::JSON_BYTES_MAX {
        let message = format!("the body is longer than {} bytes", limits::JSON_BYTES_MAX);
        return Err(ApiError::new(ErrorCode::BodyTooLarge, message));
    }
    serde_json::from_slice(body).map_err(|error| ApiError::new(ErrorCode::BadJson, error.to_string()))
}
