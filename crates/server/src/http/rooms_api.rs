//! `/api/v1/rooms`: create, read, replace and delete rooms.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Action, AuditEntry, AuditEvent};
use quadrille_cell::SheetId;
use quadrille_files::Images;
use quadrille_operation::{Command, ItemValue, plan};
use quadrille_protocol::{Author, Revision, Role, RoomName};
use quadrille_workbook::{Field, ItemId, Workbook};
use serde::Deserialize;
use serde_json::json;

use super::access_api::{check_may_own, claim_room};
use super::app::App;
use super::author::author_of;
use super::authorization::{GrantedRoom, check_room, identity_for};
use super::conditional::{etag, if_match};
use super::creation::{self, write_owned};
use super::export::{Exporter, file_response};
use super::extractors::{RoomSegment, StrictQuery};
use super::file_formats::{read_workbook, requested_format};
use super::internal_error::internal;
use super::{json_body, request_body};
use crate::access::{Grant, Identity, Visitor, audit_entry};
use crate::config::ClaimPolicy;
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, Changed, MissingRoom, Reading, linked_files};
use crate::sheet_lookup::sheet_by_name;
use crate::workbook_files::{self, ExportOptions};

/// The body of `POST /rooms` when it is JSON.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewRoom {
    name: Option<String>,
    /// Title of the workbook; a copy without one keeps the title of its source.
    title: Option<String>,
    /// The room to copy.
    copy_of: Option<String>,
    /// The revision to copy; the newest by default.
    revision: Option<u64>,
    /// Name of the author, for the history of the new room.
    author: Option<String>,
    /// Makes the caller the owner of the new room, by an owner key.
    #[serde(default)]
    claim: bool,
}

/// The initial contents of a new room.
#[derive(Default)]
struct InitialContents {
    workbook: Option<Workbook>,
    images: Images,
    author: Option<Author>,
    claim: bool,
    /// The room whose files the cells link to.
    copied_from: Option<RoomName>,
}

/// Creates a room with a random name, or with a given name that does not exist yet. Its contents
/// are those of the file in the body, or of the room `copyOf`.
pub async fn create(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let is_json = json_body::media_type(&headers).is_some_and(|media_type| media_type == "application/json");
    let (name, initial) = if body.is_empty() {
        (None, InitialContents::default())
    } else if is_json {
        let given: NewRoom = json_body::parse(&body)?;
        let name = given.name.as_deref().map(room_name::parse).transpose()?;
        check_title(given.title.as_deref())?;
        (name, initial_contents(&app, &visitor, &identity, given).await?)
    } else {
        let imported = read_workbook(&headers, body).await?;
        let mut workbook = imported.workbook;
        workbook_files::drop_editors(&mut workbook);
        let initial = InitialContents {
            workbook: Some(workbook),
            images: imported.images,
            ..InitialContents::default()
        };
        (None, initial)
    };
    let (is_random, claim) = (name.is_none(), initial.claim);
    let name = name.unwrap_or_else(room_name::random);
    // Only now is it known for which workbook the credentials have to be valid.
    let identity = identity_for(&app, &visitor, &identity, &name).await?;
    let mut identity = Arc::unwrap_or_clone(identity);
    // Nobody else knows a random name, so that no link of EtherCalc can be for it yet.
    identity.credentials.has_ethercalc_code |= is_random;
    let role = creator_role(&app, &name, &identity, claim).await?;
    if claim && app.settings.claim == ClaimPolicy::Nobody {
        return Err(ApiError::new(ErrorCode::Forbidden, "workbooks of this server cannot have an owner"));
    }
    if claim {
        check_may_own(&identity)?;
    }
    let done = store_new(&app, &visitor, &identity, &name, role, initial).await?;
    let path = percent_encoded(name.as_str());
    let (url, location) = (format!("{}/{path}", visitor.base_path()), format!("/api/v1/rooms/{path}"));
    let mut reply = json!({ "room": name.as_str(), "url": url, "revision": done.revision.0 });
    match &identity.account {
        Some(account) if creation::is_owned_by_account(&app.settings, &identity) => {
            reply["owner"] = account.id.to_string().into();
        }
        _ if claim => {
            reply["ownerKey"] = claim_room(&app, &name, &visitor, &identity).await?.reveal().into();
        }
        _ => {}
    }
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(reply)).into_response())
}

/// Stores a room that does not exist yet.
async fn store_new(
    app: &App,
    visitor: &Visitor,
    identity: &Identity,
    name: &RoomName,
    role: Role,
    initial: InitialContents,
) -> Result<Changed, ApiError> {
    let InitialContents { workbook, images, author, copied_from, .. } = initial;
    let files = workbook.as_ref().map_or(Vec::new(), linked_files);
    let change = match workbook {
        None => Change::new(MissingRoom::MustNotExist, |_, _| Ok(Default::default())),
        Some(workbook) => Change::replace_contents(workbook).if_missing(MissingRoom::MustNotExist),
    };
    let change = match author {
        None => change,
        Some(author) => change.by(author),
    };
    let change = identity.sign(change);
    let (rooms, room) = (app.rooms.clone(), name.clone());
    let write = async move {
        let done = rooms.change(&room, role, change).await?;
        rooms.put_images(&room, role, &images).await?;
        if let Some(source) = copied_from {
            rooms.copy_files(&source, &room, &files).await?;
        }
        Ok(done)
    };
    write_owned(app, name, visitor, identity, write).await
}

/// Copies a room to one with a name that nobody else knows.
///
/// # Errors
///
/// Fails with `no_such_room` when the source does not exist or must not be read, and as creating a
/// room does.
pub async fn copy_to_random(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    source: &RoomName,
    name: &RoomName,
) -> Result<(), ApiError> {
    let given = NewRoom { copy_of: Some(source.as_str().to_owned()), ..NewRoom::default() };
    let initial = initial_contents(app, visitor, identity, given).await?;
    let mut identity = Identity::clone(identity);
    identity.credentials.has_ethercalc_code = true;
    let role = creator_role(app, name, &identity, false).await?;
    store_new(app, visitor, &identity, name, role, initial).await.map(|_| ())
}

/// The role of whoever creates a room with this name. `claim` is whether the room will belong to
/// its creator by an owner key.
///
/// # Errors
///
/// Fails with `room_exists` when the name belongs to somebody, and with `sign_in_required` or
/// `forbidden` when new rooms are not for everybody.
async fn creator_role(
    app: &App,
    name: &RoomName,
    identity: &Identity,
    claim: bool,
) -> Result<Role, ApiError> {
    creation::check_may_create(&app.settings, identity)?;
    let document = app.access.document(name).await?;
    let decided = app.access.decide_by(&document, &identity.credentials).role;
    let will_own = claim || creation::is_owned_by_account(&app.settings, identity);
    let role = match will_own && document.is_none() {
        true => Some(creation::limited_owner(identity)),
        false => decided,
    };
    match role {
        Some(role) if role.can_edit() => Ok(role),
        _ if document.is_some() => {
            // Somebody may be guessing names.
            app.denials.record(&identity.actor, None, Some(name));
            Err(ApiError::new(ErrorCode::RoomExists, format!("the room already exists: {name}")))
        }
        Some(_) if identity.account.is_some() => {
            Err(ApiError::new(ErrorCode::Forbidden, "the scope of the API token does not allow this"))
        }
        _ => {
            Err(ApiError::new(ErrorCode::Forbidden, "the default role of this server does not allow editing"))
        }
    }
}

/// Returns the initial contents of a room created with JSON. A copy has the workbook and the images
/// of its source, but not its history and chat.
async fn initial_contents(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    given: NewRoom,
) -> Result<InitialContents, ApiError> {
    let author = given.author.as_deref().map(author_of).transpose()?;
    let (title, claim) = (given.title.as_deref(), given.claim);
    let Some(source) = given.copy_of else {
        return match given.revision {
            None => {
                let workbook = title.map(|title| {
                    let mut workbook = Workbook::new();
                    workbook.set_title(Some(title));
                    workbook
                });
                Ok(InitialContents { workbook, author, claim, ..InitialContents::default() })
            }
            Some(_) => Err(ApiError::new(ErrorCode::BadJson, "revision needs copyOf")),
        };
    };
    let source = room_name::parse(&source)?;
    let action = if given.revision.is_some() { Action::ReadHistory } else { Action::Read };
    let grant = check_room(app, visitor, identity, &source, action).await?;
    // Whoever owns the copy can do with it what the owners of the original have forbidden.
    Exporter { visitor: visitor.clone(), grant }.record(app, &source, "copy").await?;
    let mut workbook = match given.revision {
        None => app.rooms.read_inputs(&source).await?.workbook.clone(),
        Some(revision) => app.rooms.workbook_at(&source, Revision(revision)).await?.inputs,
    };
    if title.is_some() {
        workbook.set_title(title);
    }
    workbook_files::drop_editors(&mut workbook);
    let images = app.rooms.images_of(&source, &workbook).await?;
    Ok(InitialContents { workbook: Some(workbook), images, author, claim, copied_from: Some(source) })
}

/// Checks that the text is a valid title.
fn check_title(title: Option<&str>) -> Result<(), ApiError> {
    let Some(title) = title else { return Ok(()) };
    let fields = [(Field::Title.name().to_owned(), ItemValue::Text(title.to_owned()))].into();
    let item = Some(ItemId::SETTINGS.0);
    let command = Command::SetItem { sheet: None, item, kind: None, anchors: None, fields };
    let planned = plan(&command, &Workbook::new(), &mut || SheetId(2));
    planned.map(|_| ()).map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))
}

/// The query of a room or of a past revision.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadQuery {
    /// File extension of the format.
    format: Option<String>,
    /// The sheet, for formats with one sheet.
    sheet: Option<String>,
    /// Given with any value or none: numbers with full precision instead of as displayed.
    raw: Option<String>,
    /// Given with any value or none: escapes texts that spreadsheet programs would interpret as
    /// formulas.
    safe: Option<String>,
}

/// Returns facts about the room, or its contents in the requested format.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    exporter: Exporter,
    StrictQuery(query): StrictQuery<ReadQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // Checked before formulas are calculated: the format may be unknown.
    requested_format(query.format.as_deref(), &headers)?;
    let reading = app.rooms.read(&room).await?;
    workbook_response(&app, &room, &exporter, reading, &query, &headers).await
}

/// Returns the response with a workbook, current or past.
///
/// # Errors
///
/// Fails when the format or the sheet is unknown.
pub async fn workbook_response(
    app: &App,
    room: &RoomName,
    exporter: &Exporter,
    reading: Reading,
    query: &ReadQuery,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let Some(format) = requested_format(query.format.as_deref(), headers)? else {
        return Ok(facts(room, &reading));
    };
    let sheet = query
        .sheet
        .as_deref()
        .map(|name| sheet_by_name(&reading.workbook, name))
        .transpose()?
        .map(|sheet| sheet.id());
    let options = ExportOptions {
        sheet,
        raw: query.raw.is_some(),
        formula_safe: query.safe.is_some(),
        ethercalc: false,
    };
    file_response(app, room, exporter, reading, format, options).await
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
    ([(header::ETAG, etag(reading.revision.0))], Json(body)).into_response()
}

/// Replaces the contents of the room, which is created when it does not exist.
pub async fn replace(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let imported = read_workbook(&headers, body).await?;
    let change = grant.sign(Change::replace_with_file(imported.workbook));
    let (rooms, name, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move {
        let done = rooms.change(&name, role, change.expecting(expected)).await?;
        Ok((done, rooms.put_images(&name, role, &imported.images).await?))
    };
    let (done, image_warnings) = write_owned(&app, &room, &visitor, &grant.identity, write).await?;
    let mut warnings = imported.warnings;
    warnings.extend(image_warnings);
    let status = if done.was_new { StatusCode::CREATED } else { StatusCode::OK };
    let reply = json!({ "room": room.as_str(), "revision": done.revision.0, "warnings": warnings });
    Ok((status, [(header::ETAG, etag(done.revision.0))], Json(reply)).into_response())
}

/// Deletes the room with its history and closes its sessions.
pub async fn remove(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(visitor): Extension<Visitor>,
    Extension(grant): Extension<Grant>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let expected = if_match(&headers)?.map(Revision);
    let entry = deletion_entry(&room, &visitor, &grant);
    delete_workbook_at(&app, &room, expected, entry).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a room with its access document.
///
/// # Errors
///
/// Fails with `no_such_room` when there is neither.
pub async fn delete_room(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
) -> Result<(), ApiError> {
    delete_workbook(app, room, deletion_entry(room, visitor, grant)).await
}

fn deletion_entry(room: &RoomName, visitor: &Visitor, grant: &Grant) -> AuditEntry {
    audit_entry(&grant.identity.actor, AuditEvent::WorkbookDeleted, Some(room), "", visitor)
}

/// Deletes a workbook with its history and its access document, whoever asks. `entry` is written to
/// the audit log.
///
/// # Errors
///
/// Fails with `no_such_room` when there is neither.
pub async fn delete_workbook(app: &App, room: &RoomName, entry: AuditEntry) -> Result<(), ApiError> {
    delete_workbook_at(app, room, None, entry).await
}

async fn delete_workbook_at(
    app: &App,
    room: &RoomName,
    expected: Option<Revision>,
    entry: AuditEntry,
) -> Result<(), ApiError> {
    let (app, room) = (app.clone(), room.clone());
    let work = async move {
        // The contents first: without its access document the workbook would be open to everybody.
        let deleted = app.rooms.delete(&room, expected).await;
        let had_document = app.access.document(&room).await?.is_some();
        if let Err(error) = &deleted
            && error.code != ErrorCode::NoSuchRoom
        {
            return deleted;
        }
        let is_missing = deleted.is_err() && !had_document;
        let triggers = Arc::clone(&app.time_triggers);
        let mut gone = BTreeSet::from([room.clone()]);
        for sheet in triggers.sheet_names(&room) {
            // A room of this name is not a sheet of the deleted workbook.
            if !app.rooms.exists(&sheet).await? {
                gone.insert(sheet);
            }
        }
        if !is_missing {
            app.access.change(&room, move |_| Ok((None, vec![entry.clone()]))).await?;
            app.quotas.recount();
        }
        // Also of a room without contents: a command may have set a trigger and nothing else.
        let forgotten = tokio::task::spawn_blocking(move || triggers.forget(&gone)).await;
        forgotten.map_err(|_| internal("removing time triggers"))??;
        if is_missing { deleted } else { Ok(()) }
    };
    // Finished even if the client disconnects.
    tokio::spawn(work).await.unwrap_or_else(|_| Err(internal("deleting the room")))
}
