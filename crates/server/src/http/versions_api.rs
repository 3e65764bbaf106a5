//! `/api/v1/rooms/{room}/versions`: revisions of the history with names.
//!
//! A name is an item of the workbook (`ItemKind::NamedVersion`), so that it is stored, backed up and
//! sent to everybody as the contents are. It is not copied to other workbooks and not replaced when
//! the contents are (`ItemKind::stays_in_room`).

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_operation::{Command, ItemValue, plan};
use quadrille_protocol::{Revision, RoomName};
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Workbook};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::read_body;
use super::app::App;
use super::author::author_of;
use super::authorization::GrantedRoom;
use super::conditional::{etag, if_match};
use super::extractors::{RoomSegment, StrictQuery};
use super::history_api::RevisionSegment;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::{Change, MissingRoom, RequestMark};

/// Lists the named versions, newest first.
pub async fn list(State(app): State<App>, RoomSegment(room): RoomSegment) -> Result<Json<Json_>, ApiError> {
    let reading = app.rooms.read_inputs(&room).await?;
    let base = app.rooms.history_base(&room).await.map_or(0, |base| base.0);
    let mut versions: Vec<_> = named_versions(&reading.workbook)
        .map(|(revision, _, item)| {
            let name = item.text(Field::Name).map_or("", |name| name);
            let time = item.number(Field::Time).unwrap_or(0.0);
            json!({ "revision": revision, "name": name, "timeMs": time as u64, "isKept": revision >= base })
        })
        .collect();
    versions.sort_by_key(|version| std::cmp::Reverse(version["revision"].as_u64()));
    Ok(Json(json!({ "room": room.as_str(), "revision": reading.revision.0, "versions": versions })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenName {
    name: String,
}

/// The query of a change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionQuery {
    /// Name of the author, for the history.
    name: Option<String>,
}

/// Names a revision, or renames it.
pub async fn put(
    State(app): State<App>,
    granted: GrantedRoom,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<VersionQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let GivenName { name } = read_body(&headers, body).await?;
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(ApiError::new(ErrorCode::BadCommand, "a version needs a name"));
    }
    // A version that is no longer kept can still be renamed.
    let time_ms = time_of(&app, &granted.room, revision).await;
    let changed = change(&app, &granted, &headers, query, move |workbook| {
        let name = (Field::Name.name().to_owned(), ItemValue::Text(name));
        if let Some((_, item, _)) = named_versions(workbook).find(|(named, ..)| *named == revision.0) {
            return Ok(set_item(item.0, BTreeMap::from([name])));
        }
        let time_ms = time_ms?;
        if named_versions(workbook).count() >= limits::NAMED_VERSIONS_MAX {
            let message = format!("the workbook has {} named versions", limits::NAMED_VERSIONS_MAX);
            return Err(ApiError::new(ErrorCode::BadCommand, message));
        }
        let number = |field: Field, number: f64| (field.name().to_owned(), ItemValue::Number(number));
        let fields = [name, number(Field::Revision, revision.0 as f64), number(Field::Time, time_ms as f64)];
        Ok(set_item(RequestMark::random_number(), fields.into()))
    })
    .await?;
    let body = json!({ "room": granted.room.as_str(), "revision": changed, "named": revision.0 });
    Ok(([(header::ETAG, etag(changed))], Json(body)).into_response())
}

/// Removes the name of a revision.
pub async fn remove(
    State(app): State<App>,
    granted: GrantedRoom,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<VersionQuery>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    change(&app, &granted, &headers, query, move |workbook| {
        let named = named_versions(workbook).find(|(named, ..)| *named == revision.0);
        let missing = || ApiError::new(ErrorCode::NotFound, format!("no such named version: {revision}"));
        named.map(|(_, item, _)| Command::RemoveItem { sheet: None, item: item.0 }).ok_or_else(missing)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The named revisions with their items.
fn named_versions(workbook: &Workbook) -> impl Iterator<Item = (u64, ItemId, &Item)> {
    workbook.items().of_kind(ItemKind::NamedVersion).filter_map(|(id, item)| {
        let revision = item.number(Field::Revision)?;
        Some((revision as u64, id, &**item))
    })
}

fn set_item(item: u64, fields: BTreeMap<String, ItemValue>) -> Command {
    let kind = Some(ItemKind::NamedVersion.name().to_owned());
    Command::SetItem { sheet: None, item: Some(item), kind, anchors: None, fields }
}

/// The time of a revision of the history.
async fn time_of(app: &App, room: &RoomName, revision: Revision) -> Result<i64, ApiError> {
    let missing = || ApiError::new(ErrorCode::NotFound, format!("no such revision: {revision}"));
    let bounds = app.rooms.history_bounds(room).await?;
    if revision <= bounds.base || revision > bounds.head {
        return Err(missing());
    }
    let records = app.rooms.records(room, Revision(revision.0 - 1), revision).await?;
    let record = records.first().ok_or_else(missing)?;
    Ok(record.time_and_seed.time_ms)
}

/// Carries out a command on the room's newest workbook and returns the new revision.
async fn change(
    app: &App,
    GrantedRoom { room, grant }: &GrantedRoom,
    headers: &HeaderMap,
    query: VersionQuery,
    command: impl FnOnce(&Workbook) -> Result<Command, ApiError> + Send + 'static,
) -> Result<u64, ApiError> {
    let expected = if_match(headers)?;
    let author = author_of(query.name.as_deref().unwrap_or("API"))?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
        plan(&command(workbook)?, workbook, new_sheet)
            .map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))
    });
    let change = grant.sign(change.by(author)).expecting(expected);
    Ok(app.rooms.change(room, grant.role, change).await?.revision.0)
}
