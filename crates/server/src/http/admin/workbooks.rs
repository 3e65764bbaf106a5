//! `/api/v1/admin/workbooks`: list workbooks, transfer, restore and delete them.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use quadrille_access::{AccountId, AuditEvent, WorkbookAccess};
use quadrille_journal::RoomInfo;
use quadrille_protocol::RoomName;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::{BATCH, Names, row_count};
use crate::access::{Document, audit_entry, now_ms};
use crate::error::ApiError;
use crate::http::access_input::{bad, conflict, not_found, read_body};
use crate::http::app::App;
use crate::http::authorization::check_exists;
use crate::http::current_account::CurrentAccount;
use crate::http::extractors::{RoomSegment, StrictQuery};
use crate::http::rooms_api::delete_workbook;
use crate::limits;
use crate::quotas::MEASURED_AT_ONCE;
use crate::rooms::no_such_room;

/// The query of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkbooksQuery {
    /// Only names that contain this text, in any case.
    q: Option<String>,
    /// The identifier of an account, or `none` for workbooks that nobody owns.
    owner: Option<String>,
    /// `trash` or `unclaimed`.
    list: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
}

/// Which workbooks are wanted.
struct Filter {
    search: String,
    owner: Option<AccountId>,
    is_unclaimed: bool,
    is_trashed: bool,
}

impl Filter {
    fn includes(&self, room: &RoomName, access: Option<&WorkbookAccess>) -> bool {
        let is_claimed = access.is_some_and(WorkbookAccess::is_claimed);
        room.as_str().to_lowercase().contains(&self.search)
            && self.owner.is_none_or(|owner| access.is_some_and(|access| access.owner == Some(owner)))
            && (!self.is_unclaimed || !is_claimed)
            && (!self.is_trashed || access.is_some_and(|access| access.trashed_ms.is_some()))
    }
}

/// Lists workbooks by name, with their owner, size and last change.
pub async fn list(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<WorkbooksQuery>,
) -> Result<Json<Json_>, ApiError> {
    let owner = match query.owner.as_deref() {
        None | Some("none") => None,
        Some(text) => Some(AccountId::parse(text).ok_or_else(|| bad(format!("not an account: {text}")))?),
    };
    if let Some(list) = query.list.as_deref().filter(|list| !["trash", "unclaimed"].contains(list)) {
        return Err(bad(format!("not a list: {list}; there are trash and unclaimed")));
    }
    let filter = Filter {
        search: query.q.unwrap_or_default().trim().to_lowercase(),
        owner,
        is_unclaimed: query.owner.as_deref() == Some("none") || query.list.as_deref() == Some("unclaimed"),
        is_trashed: query.list.as_deref() == Some("trash"),
    };
    let cursor =
        |text: &String| RoomName::new(text).map_err(|_| bad(format!("not a cursor of this list: {text}")));
    let after = query.after.as_ref().map(cursor).transpose()?;
    let (found, next) = search(&current.app, &filter, after, row_count(query.limit)).await?;
    let rows = rows(&current.app, found).await?;
    Ok(Json(json!({ "workbooks": rows, "next": next.map(|room| room.as_str().to_owned()) })))
}

type Found = (RoomInfo, Document);

/// The workbooks of a page, and the cursor of the next one.
async fn search(
    app: &App,
    filter: &Filter,
    mut after: Option<RoomName>,
    limit: usize,
) -> Result<(Vec<Found>, Option<RoomName>), ApiError> {
    let (mut found, mut scanned) = (Vec::new(), 0);
    loop {
        let batch = app.rooms.list(after.clone(), BATCH).await?;
        let is_last = batch.len() < BATCH;
        for info in batch {
            let room = info.name.clone();
            let document = app.access.document(&room).await?;
            if filter.includes(&room, document.as_ref().map(|document| &document.value)) {
                if found.len() == limit {
                    return Ok((found, after));
                }
                found.push((info, document));
            }
            after = Some(room);
            scanned += 1;
        }
        if is_last {
            return Ok((found, None));
        }
        if scanned >= limits::ADMIN_SCANNED_MAX {
            return Ok((found, after));
        }
    }
}

async fn rows(app: &App, found: Vec<Found>) -> Result<Vec<Json_>, ApiError> {
    let owner = |document: &Document| document.as_ref().and_then(|document| document.value.owner);
    let owners: BTreeSet<AccountId> = found.iter().filter_map(|(_, document)| owner(document)).collect();
    let names = Names::of(app, owners).await?;
    let open: BTreeMap<RoomName, (Option<String>, usize)> = app
        .rooms
        .open_rooms()
        .await
        .into_iter()
        .map(|open| (open.room, (open.title, open.sessions.len())))
        .collect();
    let names_of_rooms: Vec<RoomName> = found.iter().map(|(info, _)| info.name.clone()).collect();
    let facts = app.access.run(move |store| store.facts(&names_of_rooms)).await?;
    let stored_titles = facts.into_iter().map(|facts| facts.and_then(|facts| facts.title));
    let stored_titles: BTreeMap<&RoomName, Option<String>> =
        found.iter().map(|(info, _)| &info.name).zip(stored_titles).collect();
    let mut rows = Vec::new();
    for page in found.chunks(MEASURED_AT_ONCE) {
        let measured = app.rooms.measure(page.iter().map(|(info, _)| info.name.clone()).collect()).await?;
        for ((info, document), usage) in page.iter().zip(measured) {
            let access = document.as_ref().map(|document| &document.value);
            let open = open.get(&info.name);
            rows.push(json!({
                "room": info.name.as_str(),
                // What was reported when the workbook was last in memory, which may be late.
                "title": open.map_or_else(|| stored_titles[&info.name].clone(), |(title, _)| title.clone()),
                "owner": owner(document).map(|id| names.json(id)),
                "isClaimed": access.is_some_and(WorkbookAccess::is_claimed),
                "tenant": access.and_then(|access| access.tenant.clone()),
                "bytes": usage.map_or(0, |usage| usage.bytes),
                "revision": info.head.0,
                "createdMs": info.created_ms,
                "changedMs": info.changed_ms,
                "trashedMs": access.and_then(|access| access.trashed_ms),
                "openSessions": open.map_or(0, |(_, sessions)| *sessions),
            }));
        }
    }
    Ok(rows)
}

/// The body that names the new owner.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnerBody {
    account: String,
}

/// Makes an account the owner of a workbook. Owner keys of browsers stop working.
pub async fn transfer(
    current: CurrentAccount,
    RoomSegment(room): RoomSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let app = &current.app;
    let OwnerBody { account: text } = read_body(&headers, body).await?;
    let id = AccountId::parse(&text).ok_or_else(|| not_found("account", &text))?;
    app.access.account(id).await?.ok_or_else(|| not_found("account", id))?;
    check_exists(app, &room).await?;
    let event = AuditEvent::OwnerChanged;
    let entry =
        audit_entry(&current.identity.actor, event, Some(&room), format!("account:{id}"), &current.visitor);
    let edit = move |access: Option<WorkbookAccess>| {
        let unclaimed = || WorkbookAccess { created_ms: now_ms(), ..WorkbookAccess::default() };
        let mut access = access.unwrap_or_else(unclaimed);
        access.owner = Some(id);
        access.owner_keys.clear();
        Ok((Some(access), vec![entry.clone()]))
    };
    app.access.change(&room, edit).await?;
    app.quotas.recount();
    Ok(StatusCode::OK)
}

/// Takes a workbook out of the trash.
pub async fn restore(
    current: CurrentAccount,
    RoomSegment(room): RoomSegment,
) -> Result<StatusCode, ApiError> {
    let event = AuditEvent::WorkbookRestored;
    let entry = audit_entry(&current.identity.actor, event, Some(&room), "", &current.visitor);
    let name = room.clone();
    let edit = move |access: Option<WorkbookAccess>| {
        let mut access = access.ok_or_else(|| no_such_room(&name))?;
        if access.trashed_ms.take().is_none() {
            return Err(conflict("the workbook is not in the trash"));
        }
        Ok((Some(access), vec![entry.clone()]))
    };
    current.app.access.change(&room, edit).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a workbook with its history, images, chat and access.
pub async fn delete(current: CurrentAccount, RoomSegment(room): RoomSegment) -> Result<StatusCode, ApiError> {
    let event = AuditEvent::WorkbookDeleted;
    let entry = audit_entry(&current.identity.actor, event, Some(&room), "", &current.visitor);
    delete_workbook(&current.app, &room, entry).await?;
    Ok(StatusCode::NO_CONTENT)
}
