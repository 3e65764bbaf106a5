//! `/api/v1/rooms/{room}/published`: the published pages of a workbook and their links.

use axum::Json;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{AuditEvent, Publication, PublishedPart, SecretId, WorkbookAccess};
use quadrille_cell::SheetId;
use quadrille_workbook::Workbook;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, check_length, conflict, not_found};
use super::app::App;
use super::authorization::{GrantedRoom, check_exists};
use super::extractors::segment;
use super::internal_error::internal;
use super::{access_document, json_body, request_body};
use crate::access::{Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::published::{define_range, part_formula};
use crate::room_link::{LinkPurpose, RoomLink};
use crate::rooms::{Change, MissingRoom};
use crate::sheet_lookup::sheet_by_name;

/// Bytes of a request to publish.
const BODY_BYTES_MAX: usize = 16 << 10;

/// A request about the published pages of a workbook.
pub struct PublishedScope {
    app: App,
    granted: GrantedRoom,
    visitor: Visitor,
}

impl FromRequestParts<App> for PublishedScope {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<PublishedScope, ApiError> {
        let granted = GrantedRoom::from_request_parts(parts, app).await?;
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        check_exists(app, &granted.room).await?;
        Ok(PublishedScope { app: app.clone(), granted, visitor })
    }
}

/// The `{page}` of the path.
pub struct PageSegment(SecretId);

impl FromRequestParts<App> for PageSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<PageSegment, ApiError> {
        let text = segment(parts, app, "page", ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(PageSegment).ok_or_else(|| not_found("published page", text))
    }
}

/// What is to be published: a sheet, a range of it or a defined name; without any of them the workbook.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishBody {
    title: Option<String>,
    sheet: Option<String>,
    range: Option<String>,
    name: Option<String>,
}

impl PublishedScope {
    async fn publications(&self) -> Result<Vec<Publication>, ApiError> {
        let document = self.app.access.document(&self.granted.room).await?;
        Ok(document.map_or(Vec::new(), |document| document.value.publications.clone()))
    }

    /// Changes the access document. `edit` may run several times.
    async fn change(
        &self,
        event: AuditEvent,
        id: SecretId,
        edit: impl FnMut(&mut WorkbookAccess) -> Result<(), ApiError> + Send + 'static,
    ) -> Result<(), ApiError> {
        access_document::change(&self.app, &self.granted, &self.visitor, (event, id), edit).await
    }

    /// Finds what is to be published. A range gets a defined name, which moves with its cells.
    async fn part(&self, given: &PublishBody) -> Result<PublishedPart, ApiError> {
        let GrantedRoom { room, grant } = &self.granted;
        let reading = self.app.rooms.read_inputs(room).await?;
        match (&given.sheet, &given.range, &given.name) {
            (None, None, None) => Ok(PublishedPart::Workbook),
            (Some(sheet), None, None) => {
                Ok(PublishedPart::Sheet(sheet_by_name(&reading.workbook, sheet)?.id().0))
            }
            (None, None, Some(name)) => match reading.workbook.name(name) {
                Some(_) => Ok(PublishedPart::Name(name.clone())),
                None => {
                    let shortened: String = name.chars().take(64).collect();
                    Err(ApiError::new(ErrorCode::NotFound, format!("no such defined name: {shortened}")))
                }
            },
            (Some(sheet), Some(range), None) => {
                let (sender, receiver) = std::sync::mpsc::channel();
                let (sheet, range) = (sheet.clone(), range.clone());
                let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
                    let (name, transaction) = define_range(workbook, &sheet, &range)?;
                    sender.send(name).map_err(|_| internal("publishing a range"))?;
                    Ok(transaction)
                });
                self.app.rooms.change(room, grant.role, grant.sign(change)).await?;
                receiver.try_recv().map(PublishedPart::Name).map_err(|_| internal("publishing a range"))
            }
            _ => Err(bad("publish a `sheet`, a `sheet` with a `range`, or a `name`")),
        }
    }

    fn json(&self, publication: &Publication, workbook: &Workbook) -> Json_ {
        let (room, key) = (&self.granted.room, self.app.access.key());
        let link = RoomLink::of(LinkPurpose::PublishedPage, room, &publication.link);
        let url = link.map(|link| format!("{}/_published/{}", self.visitor.base_path(), link.reveal(key)));
        let (sheet, name) = match &publication.part {
            PublishedPart::Workbook => (None, None),
            PublishedPart::Sheet(number) => {
                let sheet = workbook.sheet(SheetId(*number));
                (sheet.map(|sheet| sheet.name().to_string()), None)
            }
            PublishedPart::Name(name) => (None, Some(name)),
        };
        let kind = match &publication.part {
            PublishedPart::Workbook => "workbook",
            PublishedPart::Sheet(_) => "sheet",
            PublishedPart::Name(_) => "name",
        };
        json!({
            "id": publication.id.to_string(),
            "url": url,
            "title": publication.title,
            "kind": kind,
            "sheet": sheet,
            "name": name,
            "range": part_formula(workbook, &publication.part),
            "createdMs": publication.created_ms,
        })
    }
}

/// Lists the published pages with their links, oldest first.
pub async fn list(scope: PublishedScope) -> Result<Json<Json_>, ApiError> {
    let reading = scope.app.rooms.read_inputs(&scope.granted.room).await?;
    let publications = scope.publications().await?;
    let pages: Vec<_> =
        publications.iter().map(|publication| scope.json(publication, &reading.workbook)).collect();
    Ok(Json(json!({ "pages": pages })))
}

/// Publishes a part of the workbook at a new link.
pub async fn publish(scope: PublishedScope, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    if json_body::media_type(&headers).as_deref() != Some("application/json") {
        let message = "the content type must be application/json";
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    }
    let bytes = request_body::read(&headers, body, BODY_BYTES_MAX).await?;
    let given: PublishBody = json_body::parse(&bytes)?;
    if let Some(title) = &given.title {
        check_length("title", title)?;
    }
    let full =
        || conflict(format!("a workbook has at most {} published pages", limits::PUBLISHED_PER_ROOM_MAX));
    if scope.publications().await?.len() >= limits::PUBLISHED_PER_ROOM_MAX {
        return Err(full());
    }
    let part = scope.part(&given).await?;
    let reading = scope.app.rooms.read_inputs(&scope.granted.room).await?;
    let workbook = &reading.workbook;
    // The title of the workbook is shown with a part of it only when somebody says so.
    let own_title = match &part {
        PublishedPart::Workbook => workbook.title().map(str::to_owned),
        PublishedPart::Sheet(number) => {
            workbook.sheet(SheetId(*number)).map(|sheet| sheet.name().to_string())
        }
        PublishedPart::Name(name) => Some(name.clone()),
    };
    let title = given.title.filter(|title| !title.trim().is_empty()).or(own_title);
    let publication = Publication {
        id: SecretId(getrandom::u64().expect("the operating system provides random numbers")),
        link: RoomLink::new_nonce(),
        title: title.unwrap_or_else(|| workbook.sheets()[0].name().to_string()),
        part,
        created_ms: now_ms(),
    };
    let added = publication.clone();
    let add = move |access: &mut WorkbookAccess| {
        if access.publications.len() >= limits::PUBLISHED_PER_ROOM_MAX {
            return Err(full());
        }
        access.publications.push(added.clone());
        Ok(())
    };
    scope.change(AuditEvent::PublicationCreated, publication.id, add).await?;
    Ok((StatusCode::CREATED, Json(scope.json(&publication, workbook))).into_response())
}

/// Stops publishing a page: its link ends, and open pages say so.
pub async fn stop(scope: PublishedScope, PageSegment(id): PageSegment) -> Result<StatusCode, ApiError> {
    let remove = move |access: &mut WorkbookAccess| {
        let position = access.publications.iter().position(|publication| publication.id == id);
        access.publications.remove(position.ok_or_else(|| not_found("published page", id))?);
        Ok(())
    };
    scope.change(AuditEvent::PublicationStopped, id, remove).await?;
    Ok(StatusCode::NO_CONTENT)
}
