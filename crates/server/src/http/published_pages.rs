//! `/_published/{link}`: a published page for whoever has its link, and the changes that follow it.
//!
//! The page needs no role: its link is the permission, and nothing but the published cells is in it.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use quadrille_access::Publication;
use quadrille_cell::SheetId;
use quadrille_journal::ImageId;
use quadrille_protocol::RoomName;
use serde::Deserialize;
use tokio::time::timeout;

use super::app::App;
use super::extractors::{StrictQuery, segment};
use super::fallbacks::unknown_route;
use super::form_responses::is_of_tenant;
use super::images_api::image_response;
use super::owner_relay::Relayed;
use super::web_client::accepts;
use crate::access::{Document as AccessDocument, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::forms::{accepted_language, language_of};
use crate::limits;
use crate::mail::MailLanguage;
use crate::published::{Drawing, PageKey, PageOptions, Part, gzip, missing_page, published_page};
use crate::room_link::{LinkPurpose, RoomLink};
use crate::rooms::image_id;

/// The `{link}` of the path, with the query.
pub struct PageRequest {
    app: App,
    visitor: Visitor,
    headers: HeaderMap,
    link: String,
    language: MailLanguage,
    /// The language is that of the address.
    is_language_chosen: bool,
    sheet: Option<SheetId>,
    image: Option<ImageId>,
    version: String,
    is_embedded: bool,
}

impl FromRequestParts<App> for PageRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<PageRequest, ApiError> {
        let link = segment(parts, app, "link", ErrorCode::BadAddress).await?;
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        let query = parts.uri.query().unwrap_or_default();
        let value = |name: &str| {
            let mut values = query.split('&').filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            values.next_back()
        };
        let chosen = value("lang").and_then(language_of);
        let last_event = parts.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        Ok(PageRequest {
            app: app.clone(),
            visitor,
            headers: parts.headers.clone(),
            link,
            language: chosen.unwrap_or_else(|| accepted_language(&parts.headers)),
            is_language_chosen: chosen.is_some(),
            sheet: value("sheet").and_then(|number| number.parse().ok()).map(SheetId),
            image: value("image").and_then(image_id),
            version: last_event.or(value("version")).unwrap_or_default().to_owned(),
            is_embedded: query.split('&').any(|pair| pair == "embed" || pair.starts_with("embed=")),
        })
    }
}

/// A publication with its workbook.
struct Found {
    room: RoomName,
    publication: Publication,
    document: AccessDocument,
}

impl Found {
    /// Finds the publication of a link.
    ///
    /// # Errors
    ///
    /// Fails with `not_found` for a link that none has.
    async fn by_link(app: &App, link: &str) -> Result<Found, ApiError> {
        let missing = || ApiError::new(ErrorCode::NotFound, "no such published page");
        let link = RoomLink::parse(LinkPurpose::PublishedPage, app.access.key(), link).ok_or_else(missing)?;
        let nonce = link.stored_nonce();
        let published = |document: &AccessDocument| {
            let access = &document.as_ref()?.value;
            let publication = access.publications.iter().find(|publication| publication.link == nonce);
            publication.filter(|_| access.trashed_ms.is_none()).cloned()
        };
        let mut document = app.access.document(&link.room).await?;
        if published(&document).is_none() {
            document = app.access.latest_document(&link.room).await?;
        }
        let publication = published(&document).ok_or_else(missing)?;
        Ok(Found { room: link.room, publication, document })
    }

    fn key(&self, sheet: Option<SheetId>) -> PageKey {
        PageKey {
            room: self.room.clone(),
            publication: self.publication.id,
            link: self.publication.link.clone(),
            part: self.publication.part.clone(),
            sheet,
        }
    }

    /// The sheet of the tab that is asked for; the first one if that is none of the publication.
    async fn drawn_key(&self, app: &App, asked: Option<SheetId>) -> Result<PageKey, ApiError> {
        let first = self.key(None);
        let Some(asked) = asked else { return Ok(first) };
        // Numbers that are no sheets must not make drawings of their own.
        let drawing = app.published.drawing(&first).await?;
        let is_other_tab = drawing.sheets.iter().skip(1).any(|(sheet, _)| *sheet == asked);
        Ok(self.key(Some(asked).filter(|_| is_other_tab)))
    }
}

impl PageRequest {
    /// # Errors
    /// `not_found` for a link that no publication has.
    async fn find(&self) -> Result<Found, ApiError> {
        let found = Found::by_link(&self.app, &self.link).await?;
        let document = found.document.as_ref();
        match document.is_some_and(|document| is_of_tenant(&document.value, &self.visitor)) {
            true => Ok(found),
            false => Err(ApiError::new(ErrorCode::NotFound, "no such published page")),
        }
    }
}

/// The page, or one of its images.
pub async fn page(request: PageRequest) -> Response {
    match show(&request).await {
        Ok(response) => response,
        Err(error) if matches!(error.code, ErrorCode::NotFound | ErrorCode::NoSuchRoom) => {
            let page = missing_page(request.language);
            with_headers(&request, (StatusCode::NOT_FOUND, page).into_response())
        }
        Err(error) => error.into_response(),
    }
}

async fn show(request: &PageRequest) -> Result<Response, ApiError> {
    let found = request.find().await?;
    request.app.rooms.check_owner(&found.room).await?;
    let key = found.drawn_key(&request.app, request.sheet).await?;
    let drawing = request.app.published.drawing(&key).await?;
    if let Some(image) = request.image {
        if !drawing.images.contains(&image) {
            return Err(ApiError::new(ErrorCode::NotFound, "no such image on this page"));
        }
        return image_response(&request.app, &found.room, image, &request.headers).await;
    }
    let is_compressed = accepts(&request.headers, "gzip");
    let etag = format!(
        "\"{}-{}{}{}\"",
        drawing.version,
        request.language.tag(),
        if request.is_embedded { "-embed" } else { "" },
        if is_compressed { "-gzip" } else { "" }
    );
    let known = request.headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let response = match known.is_some_and(|known| known.contains(&etag)) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false if is_compressed => {
            let body = body(request, &found.publication, &drawing, true);
            ([(header::CONTENT_ENCODING, "gzip")], body).into_response()
        }
        false => body(request, &found.publication, &drawing, false).into_response(),
    };
    let mut response = with_headers(request, response);
    let etag = HeaderValue::from_str(&etag).expect("hexadecimal digits and a language");
    response.headers_mut().insert(header::ETAG, etag);
    Ok(response)
}

/// The page in parts: the table is neither copied nor compressed for each reader.
fn body(request: &PageRequest, publication: &Publication, drawing: &Drawing, is_compressed: bool) -> Body {
    let mut query = String::new();
    if request.is_embedded {
        query.push_str("&embed");
    }
    if request.is_language_chosen {
        query.push_str("&lang=");
        query.push_str(request.language.tag());
    }
    let options = PageOptions {
        title: &publication.title,
        language: request.language,
        is_embedded: request.is_embedded,
        query: &query,
    };
    let (start, end) = published_page(drawing, &options);
    let chunks = match is_compressed {
        true => {
            gzip(&[Part::new(start.as_bytes()), drawing.compressed_table.clone(), Part::new(end.as_bytes())])
        }
        false => vec![start.into(), drawing.table.clone(), end.into()],
    };
    Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)))
}

fn with_headers(request: &PageRequest, mut response: Response) -> Response {
    // The cells bring styles, but neither scripts nor anything from elsewhere. Other sites may show the page
    // with `?embed`: it knows nobody and changes nothing.
    let ancestors = if request.is_embedded { "*" } else { "'self'" };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
    );
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::CONTENT_SECURITY_POLICY, &policy),
        (header::VARY, "accept-language, accept-encoding"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_str(value).expect("plain text"));
    }
    response
}

/// The changes of a page as server-sent events: cells that differ, or that the page is to be loaded again.
/// A reader that connects again names what it shows by `Last-Event-ID` or `version`.
pub async fn events(request: PageRequest) -> Result<Response, ApiError> {
    let found = request.find().await?;
    let key = match request.app.rooms.owner_elsewhere(&found.room).await? {
        Some(_) => found.key(request.sheet),
        None => found.drawn_key(&request.app, request.sheet).await?,
    };
    let reader = request.app.published.read(&key, &request.version)?;
    let first = Some(Bytes::from_static(b"retry: 2000\n\n"));
    let events = stream::unfold((reader, first), async |(mut reader, first)| {
        let bytes = match first {
            Some(first) => first,
            None => reader.next().await?,
        };
        Some((Ok::<_, Infallible>(bytes), (reader, None)))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // nginx would collect events in a buffer.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(events)).into_response())
}

/// The query of another server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerQuery {
    version: String,
    sheet: Option<u32>,
}

/// `GET /internal/published/{link}`: the next events of a page after a version, for all readers at another
/// server of the database; none if there are none for a while. Nobody else finds this resource.
pub async fn events_for_server(
    State(app): State<App>,
    Path(link): Path<String>,
    StrictQuery(query): StrictQuery<ServerQuery>,
    request: Request,
) -> Response {
    if request.extensions().get::<Relayed>().is_none() {
        return unknown_route(request).await;
    }
    match next_events(&app, &link, &query).await {
        Ok(events) => ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response(),
        Err(error) => error.into_response(),
    }
}

async fn next_events(app: &App, link: &str, query: &ServerQuery) -> Result<Bytes, ApiError> {
    let found = Found::by_link(app, link).await?;
    // The server that asks looks for the owner again.
    app.rooms.check_owner(&found.room).await?;
    let key = found.drawn_key(app, query.sheet.map(SheetId)).await?;
    let mut reader = app.published.read(&key, &query.version)?;
    let wait = Duration::from_millis(limits::PUBLISHED_RELAY_WAIT_MS);
    match timeout(wait, reader.next()).await {
        Ok(Some(events)) => Ok(events),
        // It has lost the workbook.
        Ok(None) => app.rooms.check_owner(&found.room).await.map(|()| Bytes::new()),
        Err(_) => Ok(Bytes::new()),
    }
}
