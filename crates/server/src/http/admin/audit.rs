//! `GET /api/v1/admin/audit`: the audit log of the server, as pages or as JSON lines.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use quadrille_access::{AccountId, Actor, AuditEntry, AuditEvent, AuditFilter, AuditNumber};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::{BATCH, Names, row_count};
use crate::error::ApiError;
use crate::http::access_input::bad;
use crate::http::app::App;
use crate::http::current_account::CurrentAccount;
use crate::http::extractors::StrictQuery;

/// The media type of JSON lines.
const JSON_LINES: &str = "application/x-ndjson";

/// The query of the log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AuditQuery {
    /// The name of an event.
    event: Option<String>,
    /// What an account did, and what is about it.
    account: Option<String>,
    room: Option<String>,
    since_ms: Option<i64>,
    until_ms: Option<i64>,
    /// Only entries before this number.
    before: Option<u64>,
    /// Only entries after this number.
    after: Option<u64>,
    limit: Option<usize>,
    /// `jsonl` for all entries as JSON lines.
    format: Option<String>,
}

impl AuditQuery {
    fn filter(&self) -> Result<AuditFilter, ApiError> {
        let event =
            |name: &String| AuditEvent::parse(name).ok_or_else(|| bad(format!("not an event: {name}")));
        let account = |text: &String| {
            AccountId::parse(text).ok_or_else(|| bad(format!("not the identifier of an account: {text}")))
        };
        Ok(AuditFilter {
            event: self.event.as_ref().map(event).transpose()?,
            account: self.account.as_ref().map(account).transpose()?,
            room: self.room.clone(),
            since_ms: self.since_ms,
            until_ms: self.until_ms,
            before: self.before.map(AuditNumber),
            after: AuditNumber(self.after.unwrap_or(0)),
            ..AuditFilter::default()
        })
    }
}

/// Reads the log: a page with the newest entries first, or everything as JSON lines, oldest first.
pub async fn read(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<AuditQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let app = &current.app;
    let filter = query.filter()?;
    let accepts_lines =
        headers.get(header::ACCEPT).is_some_and(|accept| accept.as_bytes() == JSON_LINES.as_bytes());
    let is_lines = match query.format.as_deref() {
        None => accepts_lines,
        Some("jsonl") => true,
        Some("json") => false,
        Some(other) => return Err(bad(format!("not a format: {other}; there are json and jsonl"))),
    };
    // What is still in memory belongs to the log, too.
    app.denials.store(&app.access).await?;
    if is_lines {
        let entry = current.entry(AuditEvent::SettingsRead, "audit log");
        app.access.run(move |store| store.append_audit(&[entry])).await?;
        return Ok(lines(app.clone(), filter));
    }
    let limit = row_count(query.limit);
    let filter = AuditFilter { newest_first: true, ..filter };
    let entries = app.access.run(move |store| store.audit(&filter, limit)).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.number.0);
    let accounts = entries.iter().filter_map(|entry| match entry.actor {
        Actor::Account(id) => Some(id),
        _ => None,
    });
    let names = Names::of(app, accounts).await?;
    let rows: Vec<Json_> = entries.iter().map(|entry| row(entry, &names)).collect();
    Ok(Json(json!({ "entries": rows, "next": next })).into_response())
}

fn row(entry: &AuditEntry, names: &Names) -> Json_ {
    let mut actor = actor_json(&entry.actor);
    if let Actor::Account(id) = entry.actor {
        actor["name"] = json!(names.0.get(&id));
    }
    let mut row = entry_json(entry);
    row["actor"] = actor;
    row
}

/// An entry as JSON lines have it.
pub fn entry_json(entry: &AuditEntry) -> Json_ {
    json!({
        "number": entry.number.0,
        "timeMs": entry.time_ms,
        "actor": actor_json(&entry.actor),
        "event": entry.event,
        "room": entry.room,
        "target": entry.target,
        "address": entry.address,
    })
}

fn actor_json(actor: &Actor) -> Json_ {
    match actor {
        Actor::Anonymous => json!({ "kind": "anonymous" }),
        Actor::Account(id) => json!({ "kind": "account", "id": id.to_string() }),
        Actor::Token(id) => json!({ "kind": "token", "id": id.to_string() }),
        Actor::OwnerKey(id) => json!({ "kind": "ownerKey", "id": id.to_string() }),
        Actor::Link(id) => json!({ "kind": "link", "id": id.to_string() }),
        Actor::Host(issuer) => json!({ "kind": "host", "id": issuer }),
        Actor::Operator => json!({ "kind": "operator" }),
        Actor::Server => json!({ "kind": "server" }),
    }
}

/// The entries as JSON lines, read batch by batch while the client receives them.
fn lines(app: App, filter: AuditFilter) -> Response {
    let batches = stream::try_unfold((app, Some(filter)), |(app, filter)| async move {
        let Some(filter) = filter else { return Ok::<_, std::io::Error>(None) };
        let wanted = filter.clone();
        let entries = app.access.run(move |store| store.audit(&wanted, BATCH)).await;
        let entries = entries.map_err(|error| std::io::Error::other(error.message))?;
        let rest = entries
            .last()
            .filter(|_| entries.len() == BATCH)
            .map(|entry| AuditFilter { after: entry.number, ..filter });
        let text: String = entries.iter().map(|entry| format!("{}\n", entry_json(entry))).collect();
        Ok(Some((Bytes::from(text), (app, rest))))
    });
    let mut response = Response::new(Body::from_stream(batches));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON_LINES));
    let name = HeaderValue::from_static("attachment; filename=\"quadrille-audit.jsonl\"");
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
