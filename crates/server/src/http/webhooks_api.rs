//! `/api/v1/rooms/{room}/webhooks` and `/api/v1/admin/webhooks`: programs that are told of changes of
//! one workbook, or of all workbooks of the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use quadrille_access::{
    AccessStore, AuditEntry, AuditEvent, DeadLetter, SecretId, Webhook, WebhookEvent, WebhookPosition,
};
use quadrille_cell::Range;
use quadrille_protocol::RoomName;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, check_length, conflict, not_found, read_body};
use super::app::App;
use super::extractors::{RoomSegment, StrictQuery, segment};
use crate::access::{Identity, Visitor, audit_entry, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::rooms::{HistoryBounds, Reading};
use crate::sheet_lookup::sheet_by_name;
use crate::webhooks::SigningSecret;
use crate::{limits, room_name};

/// The webhooks that a request is about.
pub struct WebhookScope {
    app: App,
    /// `None` for those of the server.
    room: Option<RoomName>,
    identity: Arc<Identity>,
    visitor: Visitor,
}

impl FromRequestParts<App> for WebhookScope {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<WebhookScope, ApiError> {
        let room = match parts.uri.path().starts_with("/api/v1/admin/") {
            true => None,
            false => Some(RoomSegment::from_request_parts(parts, app).await?.0),
        };
        let identity = parts.extensions.get().cloned().expect("the route names its access");
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        Ok(WebhookScope { app: app.clone(), room, identity, visitor })
    }
}

/// The `{webhook}` of the path.
pub struct WebhookSegment(SecretId);

impl FromRequestParts<App> for WebhookSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<WebhookSegment, ApiError> {
        let text = segment(parts, app, "webhook", ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(WebhookSegment).ok_or_else(|| not_found("webhook", text))
    }
}

impl WebhookScope {
    fn entry(&self, event: AuditEvent, id: SecretId) -> AuditEntry {
        audit_entry(&self.identity.actor, event, self.room.as_ref(), id.to_string(), &self.visitor)
    }

    fn webhooks_max(&self) -> usize {
        match self.room {
            Some(_) => limits::WEBHOOKS_PER_ROOM_MAX,
            None => limits::SERVER_WEBHOOKS_MAX,
        }
    }

    async fn find(&self, id: SecretId) -> Result<Webhook, ApiError> {
        let room = self.room.clone();
        let webhooks = self.app.access.run(move |store| store.webhooks(room.as_ref())).await?;
        webhooks.into_iter().find(|webhook| webhook.id == id).ok_or_else(|| not_found("webhook", id))
    }

    async fn put(
        &self,
        webhook: Webhook,
        position: Option<WebhookPosition>,
        entry: AuditEntry,
    ) -> Result<(), ApiError> {
        let (id, count_max) = (webhook.id, self.webhooks_max());
        self.app.webhooks.begin_to_note();
        let put = self
            .app
            .access
            .run(move |store| store.put_webhook(&webhook, position.as_ref(), count_max, &[entry]));
        put.await?;
        self.app.webhooks.edited(id);
        self.app.access.tell_webhooks_changed();
        Ok(())
    }

    /// The workbook, for the names of its sheets.
    async fn reading(&self) -> Result<Option<Reading>, ApiError> {
        match &self.room {
            Some(room) => self.app.rooms.read_inputs(room).await.map(Some),
            None => Ok(None),
        }
    }
}

fn webhook_json(webhook: &Webhook, reading: Option<&Reading>) -> Json_ {
    let sheet = reading.zip(webhook.sheet).and_then(|(reading, id)| {
        reading.workbook.sheet(quadrille_cell::SheetId(id)).map(|sheet| sheet.name().to_string())
    });
    json!({
        "id": webhook.id.to_string(),
        "url": webhook.url,
        "label": webhook.label,
        "events": webhook.events,
        "sheet": sheet,
        "range": webhook.range,
        "isPaused": webhook.is_paused,
        "createdMs": webhook.created_ms,
    })
}

/// Lists webhooks, oldest first, with how far each has come in its workbook.
pub async fn list(scope: WebhookScope) -> Result<Json<Json_>, ApiError> {
    let reading = scope.reading().await?;
    let room = scope.room.clone();
    let listed = scope.app.access.run(move |store| {
        let webhooks = store.webhooks(room.as_ref())?.into_iter();
        let with_positions = webhooks.map(|webhook| {
            let positions = match &room {
                Some(_) => store.webhook_positions(webhook.id)?,
                // There is one for each workbook of the server.
                None => Vec::new(),
            };
            Ok((webhook, positions))
        });
        with_positions.collect::<Result<Vec<_>, _>>()
    });
    let webhooks: Vec<Json_> = listed
        .await?
        .iter()
        .map(|(webhook, positions)| {
            let mut json = webhook_json(webhook, reading.as_ref());
            if scope.room.is_some() {
                let following = positions.iter().find(|position| position.up_to.is_none());
                let replays = positions.iter().filter_map(|position| Some((position.after, position.up_to?)));
                json["deliveredUpTo"] = json!(following.map(|position| position.after));
                json["replays"] =
                    replays.map(|(after, up_to)| json!({ "after": after, "upTo": up_to })).collect();
            }
            json
        })
        .collect();
    Ok(Json(json!({ "webhooks": webhooks })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewWebhook {
    url: String,
    #[serde(default)]
    label: String,
    events: BTreeSet<WebhookEvent>,
    /// Name of the only sheet that it is about.
    sheet: Option<String>,
    /// The only range of the sheet.
    range: Option<String>,
    #[serde(default)]
    is_paused: bool,
}

/// Creates a webhook. The secret of its signatures is in the response only.
pub async fn create(scope: WebhookScope, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let given: NewWebhook = read_body(&headers, body).await?;
    check_url(&scope.app, &given.url)?;
    check_length("label", &given.label)?;
    check_events(&given.events)?;
    if scope.room.is_none() && given.sheet.is_some() {
        return Err(bad("a webhook of the server is for all sheets of all workbooks"));
    }
    if given.range.is_some() && given.sheet.is_none() {
        return Err(bad("a range needs a sheet"));
    }
    let range = given.range.as_deref().map(Range::parse_a1).transpose();
    let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    let reading = scope.reading().await?;
    let sheet = match (&reading, &given.sheet) {
        (Some(reading), Some(name)) => Some(sheet_by_name(&reading.workbook, name)?.id()),
        _ => None,
    };
    let webhook = Webhook {
        id: SecretId(getrandom::u64().expect("the operating system provides random numbers")),
        room: scope.room.as_ref().map(|room| room.as_str().to_owned()),
        url: given.url,
        label: given.label,
        events: given.events,
        sheet: sheet.map(|sheet| sheet.0),
        range: range.map(|range| range.to_string()),
        is_paused: given.is_paused,
        created_ms: now_ms(),
    };
    let position = scope.room.clone().zip(reading.as_ref()).map(|(room, reading)| WebhookPosition {
        room,
        up_to: None,
        after: reading.revision.0,
    });
    let mut json = webhook_json(&webhook, reading.as_ref());
    json["secret"] = SigningSecret::of(scope.app.access.key(), webhook.id).reveal().into();
    let entry = scope.entry(AuditEvent::WebhookCreated, webhook.id);
    scope.put(webhook, position, entry).await?;
    Ok((StatusCode::CREATED, Json(json)).into_response())
}

/// Members that are not given stay as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WebhookChange {
    url: Option<String>,
    label: Option<String>,
    events: Option<BTreeSet<WebhookEvent>>,
    is_paused: Option<bool>,
}

/// Changes a webhook.
pub async fn change(
    scope: WebhookScope,
    WebhookSegment(id): WebhookSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let given: WebhookChange = read_body(&headers, body).await?;
    let mut webhook = scope.find(id).await?;
    if let Some(url) = given.url {
        check_url(&scope.app, &url)?;
        webhook.url = url;
    }
    if let Some(label) = given.label {
        check_length("label", &label)?;
        webhook.label = label;
    }
    if let Some(events) = given.events {
        check_events(&events)?;
        webhook.events = events;
    }
    webhook.is_paused = given.is_paused.unwrap_or(webhook.is_paused);
    let reading = scope.reading().await?;
    let json = webhook_json(&webhook, reading.as_ref());
    let entry = scope.entry(AuditEvent::WebhookChanged, id);
    scope.put(webhook, None, entry).await?;
    Ok(Json(json))
}

/// Deletes a webhook with its dead letters.
pub async fn remove(scope: WebhookScope, WebhookSegment(id): WebhookSegment) -> Result<StatusCode, ApiError> {
    scope.find(id).await?;
    let entry = scope.entry(AuditEvent::WebhookDeleted, id);
    scope.app.access.run(move |store| store.delete_webhook(id, &[entry])).await?;
    scope.app.webhooks.edited(id);
    scope.app.access.tell_webhooks_changed();
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Replay {
    /// The workbook, for webhooks of the server.
    room: Option<String>,
    /// The revision before the first one.
    after: u64,
    /// The last one; the newest by default.
    up_to: Option<u64>,
}

/// Delivers revisions again, beside what is new.
pub async fn replay(
    scope: WebhookScope,
    WebhookSegment(id): WebhookSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given: Replay = read_body(&headers, body).await?;
    scope.find(id).await?;
    let room = match (&scope.room, given.room.as_deref()) {
        (Some(room), None) => room.clone(),
        (None, Some(name)) => room_name::parse(name)?,
        (Some(_), Some(_)) => return Err(bad("the webhook is for one workbook; leave `room` out")),
        (None, None) => return Err(bad("a webhook of the server needs the `room` to replay")),
    };
    let HistoryBounds { base, head, .. } = scope.app.rooms.history_bounds(&room).await?;
    let up_to = given.up_to.unwrap_or(head.0);
    if given.after >= up_to || up_to > head.0 {
        let message = format!("`after` must be before `upTo`, which can be at most {head}");
        return Err(bad(message));
    }
    if given.after < base.0 {
        let message = format!("the history begins after revision {base}");
        return Err(ApiError::new(ErrorCode::HistoryGone, message));
    }
    let position = WebhookPosition { room, up_to: Some(up_to), after: given.after };
    let entry = scope.entry(AuditEvent::WebhookReplayed, id);
    let put = move |store: &mut dyn AccessStore| {
        let replays = store.webhook_positions(id)?.into_iter().filter(|known| known.up_to.is_some());
        if replays.filter(|known| known.room == position.room).count() >= limits::WEBHOOK_REPLAYS_MAX {
            return Ok(false);
        }
        store.move_webhook(id, &position, None, limits::WEBHOOK_DEAD_LETTERS_MAX)?;
        store.append_audit(&[entry])?;
        Ok(true)
    };
    if !scope.app.access.run(put).await? {
        return Err(conflict(format!("at most {} replays can be on their way", limits::WEBHOOK_REPLAYS_MAX)));
    }
    scope.app.webhooks.edited(id);
    Ok((StatusCode::ACCEPTED, Json(json!({ "after": given.after, "upTo": up_to }))).into_response())
}

/// The query of a list of dead letters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LettersQuery {
    /// The `next` of the page before.
    after: Option<u64>,
    limit: Option<usize>,
}

/// Lists what was not delivered, oldest first.
pub async fn dead_letters(
    scope: WebhookScope,
    WebhookSegment(id): WebhookSegment,
    StrictQuery(query): StrictQuery<LettersQuery>,
) -> Result<Json<Json_>, ApiError> {
    scope.find(id).await?;
    let (after, limit) = (query.after.unwrap_or(0), query.limit.unwrap_or(100).clamp(1, 500));
    let mut letters = scope.app.access.run(move |store| store.dead_letters(id, after, limit + 1)).await?;
    let has_more = letters.len() > limit;
    letters.truncate(limit);
    let next = letters.last().filter(|_| has_more).map(|letter| letter.number);
    let letters: Vec<Json_> = letters.iter().map(letter_json).collect();
    Ok(Json(json!({ "deadLetters": letters, "next": next })))
}

fn letter_json(letter: &DeadLetter) -> Json_ {
    json!({
        "number": letter.number,
        "room": letter.room,
        "first": letter.first,
        "last": letter.last,
        "attempts": letter.attempts,
        "failedMs": letter.failed_ms,
        "reason": letter.reason,
    })
}

/// The query of a deletion of dead letters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ForgetQuery {
    /// Only those up to this number.
    up_to: Option<u64>,
}

/// Deletes dead letters.
pub async fn forget_dead_letters(
    scope: WebhookScope,
    WebhookSegment(id): WebhookSegment,
    StrictQuery(query): StrictQuery<ForgetQuery>,
) -> Result<StatusCode, ApiError> {
    scope.find(id).await?;
    let forget = move |store: &mut dyn AccessStore| {
        for letter in store.dead_letters(id, 0, limits::WEBHOOK_DEAD_LETTERS_MAX)? {
            if query.up_to.is_none_or(|up_to| letter.number <= up_to) {
                store.delete_dead_letter(id, letter.number)?;
            }
        }
        Ok(())
    };
    scope.app.access.run(forget).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn check_url(app: &App, url: &str) -> Result<(), ApiError> {
    if url.len() > limits::WEBHOOK_URL_BYTES_MAX {
        return Err(bad(format!("the address is longer than {} bytes", limits::WEBHOOK_URL_BYTES_MAX)));
    }
    let uri: Uri = url.parse().map_err(|_| bad("the address is not a URL"))?;
    app.webhooks.destinations().check(&uri).map_err(bad)
}

fn check_events(events: &BTreeSet<WebhookEvent>) -> Result<(), ApiError> {
    match events.is_empty() {
        true => Err(bad("a webhook needs at least one event")),
        false => Ok(()),
    }
}
