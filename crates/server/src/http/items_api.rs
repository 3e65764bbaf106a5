//! Items of a sheet or of the workbook: merged cells, charts, notes, comments, rules and all else that is not a cell. The
//! kinds and fields are those of the page's commands; `docs/rest.md` shows some.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::SheetId;
use quadrille_operation::{Command, ItemDetails, ItemValue, plan};
use quadrille_protocol::RoomName;
use quadrille_workbook::{ItemId, Workbook};
use serde::Deserialize;
use serde_json::json;

use super::cells_api::read_json;
use super::segments::{RoomSegment, StrictQuery, segment, sheet};
use super::{App, content};
use crate::error::{ApiError, ErrorCode};
use crate::rooms::{Change, MissingRoom};

/// The `{sheet}` of the path, or `None` for the routes of the workbook's own items.
pub struct Home(Option<String>);

/// The `{item}` of the path.
pub struct ItemSegment(u64);

impl<S: Send + Sync> FromRequestParts<S> for Home {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Home, ApiError> {
        if !parts.uri.path().contains("/sheets/") {
            return Ok(Home(None));
        }
        segment(parts, state, "sheet", ErrorCode::NoSuchSheet).await.map(|name| Home(Some(name)))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ItemSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ItemSegment, ApiError> {
        let text = segment(parts, state, "item", ErrorCode::BadAddress).await?;
        let number = text.parse().ok().filter(|number| *number <= ItemId::MAX);
        let wrong = || ApiError::new(ErrorCode::BadAddress, "an item is a whole number below 2^53");
        number.map(ItemSegment).ok_or_else(wrong)
    }
}

impl Home {
    fn id(&self, workbook: &Workbook) -> Result<Option<SheetId>, ApiError> {
        self.0.as_deref().map(|name| sheet(workbook, name).map(|sheet| sheet.id())).transpose()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    /// Only items of this kind.
    kind: Option<String>,
}

pub async fn list(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    home: Home,
    StrictQuery(query): StrictQuery<ListQuery>,
) -> Result<Response, ApiError> {
    let reading = app.rooms.read_inputs(&room).await?;
    let workbook = &*reading.workbook;
    let id = home.id(workbook)?;
    let known = workbook.items_of(id).into_iter().flat_map(|items| items.iter());
    let mut items: Vec<ItemDetails> =
        known.map(|(item, content)| ItemDetails::new(id, item, content, workbook)).collect();
    items.retain(|item| query.kind.as_ref().is_none_or(|kind| *kind == item.kind));
    let body = json!({ "room": room.as_str(), "revision": reading.revision.0, "items": items });
    Ok(([(header::ETAG, content::etag(reading.revision.0))], Json(body)).into_response())
}

/// An item as given: what is not there stays, `null` clears a field.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenItem {
    kind: Option<String>,
    anchors: Option<Vec<String>>,
    #[serde(default)]
    fields: BTreeMap<String, ItemValue>,
}

pub async fn create(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    home: Home,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the operating system gives random numbers");
    // Zero is for settings.
    let item = (u64::from_le_bytes(random) & ItemId::MAX).max(1);
    put_item(&app, &room, home, item, &headers, body, StatusCode::CREATED).await
}

/// Makes the item, or changes what is given of it.
pub async fn put(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    home: Home,
    ItemSegment(item): ItemSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    put_item(&app, &room, home, item, &headers, body, StatusCode::OK).await
}

async fn put_item(
    app: &App,
    room: &RoomName,
    home: Home,
    item: u64,
    headers: &HeaderMap,
    body: Body,
    status: StatusCode,
) -> Result<Response, ApiError> {
    let given: GivenItem = serde_json::from_value(read_json(headers, body).await?)
        .map_err(|error| ApiError::new(ErrorCode::BadJson, error.to_string()))?;
    let revision = change(app, room, home, headers, move |_, sheet| {
        let GivenItem { kind, anchors, fields } = given;
        Ok(Command::SetItem { sheet, item: Some(item), kind, anchors, fields })
    })
    .await?;
    let body = json!({ "revision": revision, "item": item });
    Ok((status, [(header::ETAG, content::etag(revision))], Json(body)).into_response())
}

/// Together with what belongs to it, such as the comments of a thread.
pub async fn remove(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    home: Home,
    ItemSegment(item): ItemSegment,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    change(&app, &room, home, &headers, move |workbook, sheet| {
        let items = workbook.items_of(sheet.map(SheetId));
        if items.is_none_or(|items| items.get(ItemId(item)).is_none()) {
            return Err(ApiError::new(ErrorCode::NotFound, format!("no such item: {item}")));
        }
        Ok(Command::RemoveItem { sheet, item })
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Carries out a command on the room's newest workbook; the revision it got.
async fn change(
    app: &App,
    room: &RoomName,
    home: Home,
    headers: &HeaderMap,
    command: impl FnOnce(&Workbook, Option<u32>) -> Result<Command, ApiError> + Send + 'static,
) -> Result<u64, ApiError> {
    let expected = content::if_match(headers)?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
        let command = command(workbook, home.id(workbook)?.map(|sheet| sheet.0))?;
        plan(&command, workbook, new_sheet)
            .map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))
    });
    Ok(app.rooms.change(room, change.expecting(expected)).await?.revision.0)
}
