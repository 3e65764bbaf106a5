//! `/api/v1/rooms/{room}/items` and `…/sheets/{sheet}/items`: everything in a workbook that is not
//! a cell, such as merged cells, charts, notes, comments and rules. Kinds and fields are those of
//! the commands; `docs/rest.md` has examples.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::SheetId;
use quadrille_operation::{Command, ItemDetails, ItemValue, plan};
use quadrille_workbook::{ItemId, ItemKind, Workbook};
use serde::Deserialize;
use serde_json::json;

use super::app::App;
use super::authorization::GrantedRoom;
use super::conditional::{etag, if_match};
use super::extractors::{RoomSegment, StrictQuery, segment};
use super::json_body;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::{Change, MissingRoom, RequestMark};
use crate::sheet_lookup::sheet_by_name;

/// The owner of items: the `{sheet}` of the path, or `None` for items of the workbook.
pub struct ItemOwner(Option<String>);

/// The `{item}` of the path.
pub struct ItemSegment(u64);

impl<S: Send + Sync> FromRequestParts<S> for ItemOwner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ItemOwner, ApiError> {
        if !parts.uri.path().contains("/sheets/") {
            return Ok(ItemOwner(None));
        }
        segment(parts, state, "sheet", ErrorCode::NoSuchSheet).await.map(|name| ItemOwner(Some(name)))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ItemSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ItemSegment, ApiError> {
        let text = segment(parts, state, "item", ErrorCode::BadAddress).await?;
        let number = text.parse().ok().filter(|number| *number <= ItemId::MAX);
        let invalid = || ApiError::new(ErrorCode::BadAddress, "an item must be an integer below 2^53");
        number.map(ItemSegment).ok_or_else(invalid)
    }
}

impl ItemOwner {
    /// Returns the id of the sheet; `None` for the workbook.
    fn id(&self, workbook: &Workbook) -> Result<Option<SheetId>, ApiError> {
        self.0.as_deref().map(|name| sheet_by_name(workbook, name).map(|sheet| sheet.id())).transpose()
    }
}

/// The query of a list of items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    /// Only items of this kind.
    kind: Option<String>,
    /// Only items with a greater number: the `next` of the page before.
    after: Option<u64>,
    /// Maximum number of items; all by default.
    limit: Option<usize>,
}

/// Lists items.
pub async fn list(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    owner: ItemOwner,
    StrictQuery(query): StrictQuery<ListQuery>,
) -> Result<Response, ApiError> {
    let reading = app.rooms.read_inputs(&room).await?;
    let workbook = &*reading.workbook;
    let id = owner.id(workbook)?;
    let limit = query.limit.map_or(usize::MAX, |limit| limit.clamp(1, limits::ITEMS_PER_PAGE_MAX));
    let stored = workbook.items_of(id).into_iter().flat_map(|items| items.iter());
    let later = stored.filter(|(item, _)| query.after.is_none_or(|after| item.0 > after));
    // Those of imported data are as long as the data, which the cells have.
    let later = later.filter(|(_, content)| content.kind != ItemKind::ImportPart);
    let details = later.map(|(item, content)| ItemDetails::new(id, item, content, workbook));
    let of_kind = details.filter(|item| query.kind.as_ref().is_none_or(|kind| *kind == item.kind));
    let mut items: Vec<ItemDetails> = of_kind.take(limit.saturating_add(1)).collect();
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(|item| item.id);
    let body = json!({ "room": room.as_str(), "revision": reading.revision.0, "items": items, "next": next });
    Ok(([(header::ETAG, etag(reading.revision.0))], Json(body)).into_response())
}

/// The body of an item request. Absent members stay unchanged; `null` clears a field.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemBody {
    kind: Option<String>,
    anchors: Option<Vec<String>>,
    #[serde(default)]
    fields: BTreeMap<String, ItemValue>,
}

/// Creates an item with a random id.
pub async fn create(
    State(app): State<App>,
    granted: GrantedRoom,
    owner: ItemOwner,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    // A request that is repeated names the same item.
    let mark = granted.grant.mark.as_ref();
    let item = mark.map_or_else(RequestMark::random_number, |mark| mark.counter.0);
    put_item(&app, &granted, owner, item, &headers, body, StatusCode::CREATED).await
}

/// Creates an item with a given id, or changes the given members of an existing one.
pub async fn put(
    State(app): State<App>,
    granted: GrantedRoom,
    owner: ItemOwner,
    ItemSegment(item): ItemSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    put_item(&app, &granted, owner, item, &headers, body, StatusCode::OK).await
}

async fn put_item(
    app: &App,
    granted: &GrantedRoom,
    owner: ItemOwner,
    item: u64,
    headers: &HeaderMap,
    body: Body,
    status: StatusCode,
) -> Result<Response, ApiError> {
    let given: ItemBody = json_body::of_shape(json_body::read(headers, body).await?)?;
    let revision = change(app, granted, owner, headers, move |_, sheet| {
        let ItemBody { kind, anchors, fields } = given;
        Ok(Command::SetItem { sheet, item: Some(item), kind, anchors, fields })
    })
    .await?;
    let body = json!({ "revision": revision, "item": item });
    Ok((status, [(header::ETAG, etag(revision))], Json(body)).into_response())
}

/// Deletes an item with its dependent items, such as the comments of a thread.
pub async fn remove(
    State(app): State<App>,
    granted: GrantedRoom,
    owner: ItemOwner,
    ItemSegment(item): ItemSegment,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    change(&app, &granted, owner, &headers, move |workbook, sheet| {
        let items = workbook.items_of(sheet.map(SheetId));
        if items.is_none_or(|items| items.get(ItemId(item)).is_none()) {
            return Err(ApiError::new(ErrorCode::NotFound, format!("no such item: {item}")));
        }
        Ok(Command::RemoveItem { sheet, item })
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Carries out a command on the room's newest workbook and returns the new revision.
async fn change(
    app: &App,
    GrantedRoom { room, grant }: &GrantedRoom,
    owner: ItemOwner,
    headers: &HeaderMap,
    command: impl FnOnce(&Workbook, Option<u32>) -> Result<Command, ApiError> + Send + 'static,
) -> Result<u64, ApiError> {
    let expected = if_match(headers)?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
        let command = command(workbook, owner.id(workbook)?.map(|sheet| sheet.0))?;
        plan(&command, workbook, new_sheet)
            .map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))
    });
    Ok(app.rooms.change(room, grant.role, grant.sign(change).expecting(expected)).await?.revision.0)
}
