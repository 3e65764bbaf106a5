//! Lists of workbooks: those of an account, and those that a browser without an account knows.
//!
//! A list loads no room. Titles and times of the last change are those that rooms have reported to
//! the access store (`rooms/facts.rs`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use quadrille_access::{
    AccessError, AccessStore, AccountId, Credentials, Secret, SecretKind, Version, Versioned, WorkbookAccess,
    WorkbookFacts,
};
use quadrille_protocol::{Role, RoomName};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, read_body};
use super::app::App;
use super::extractors::StrictQuery;
use crate::access::{Access, Identity, Presented, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::limits::{LISTED_WORKBOOKS_MAX, LOOKED_UP_WORKBOOKS_MAX};
use crate::room_name;

/// Which workbooks of an account to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum List {
    #[default]
    Mine,
    Shared,
    Trash,
}

/// The query of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    #[serde(default)]
    list: List,
    /// Only workbooks whose title or name contains this text.
    q: Option<String>,
    /// The `next` of the previous page.
    after: Option<String>,
    /// Maximum number of workbooks; 50 by default, at most 100.
    limit: Option<usize>,
}

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 100;

/// One row of a list.
struct Row {
    room: RoomName,
    role: Role,
    is_mine: bool,
    /// Account of the owner; `None` when owner keys own the workbook or nobody does.
    owner: Option<AccountId>,
    owner_name: Option<String>,
    trashed_ms: Option<i64>,
    facts: Option<WorkbookFacts>,
}

impl Row {
    fn title(&self) -> Option<&str> {
        self.facts.as_ref().and_then(|facts| facts.title.as_deref())
    }

    fn changed_ms(&self) -> Option<i64> {
        self.facts.as_ref().map(|facts| facts.changed_ms)
    }

    fn json(&self) -> Json_ {
        json!({
            "room": self.room.as_str(),
            "title": self.title(),
            "role": self.role.name(),
            "owner": self.owner_name.as_ref().map(|name| json!({ "name": name })),
            "isMine": self.is_mine,
            "changedMs": self.changed_ms(),
            "trashedMs": self.trashed_ms,
        })
    }
}

/// The place of a row in a list, which is ordered by the last change, newest first, then by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cursor {
    newer_first: std::cmp::Reverse<i64>,
    room: String,
}

impl Cursor {
    fn of(row: &Row) -> Cursor {
        let newer_first = std::cmp::Reverse(row.changed_ms().unwrap_or(0));
        Cursor { newer_first, room: row.room.as_str().to_owned() }
    }

    fn parse(text: &str) -> Option<Cursor> {
        let (changed_ms, room) = text.split_once(' ')?;
        let newer_first = std::cmp::Reverse(changed_ms.parse().ok()?);
        Some(Cursor { newer_first, room: room.to_owned() })
    }

    fn text(&self) -> String {
        format!("{} {}", self.newer_first.0, self.room)
    }
}

/// Lists workbooks of an account for an agent: `mine` or `shared`, those whose title contains a text.
///
/// # Errors
/// `bad_query` for another list, and when the store fails.
pub async fn list_for(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    list: Option<String>,
    query: Option<String>,
) -> Result<Json_, ApiError> {
    let list_of = match list.as_deref() {
        None | Some("mine") => List::Mine,
        Some("shared") => List::Shared,
        Some(other) => return Err(bad(format!("the list is mine or shared: {other}"))),
    };
    let query = ListQuery { list: list_of, q: query, after: None, limit: None };
    let (visitor, identity) = (Extension(visitor.clone()), Extension(Arc::clone(identity)));
    self::list(State(app.clone()), visitor, identity, StrictQuery(query)).await.map(|Json(page)| page)
}

/// Lists the workbooks of the account.
pub async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    StrictQuery(query): StrictQuery<ListQuery>,
) -> Result<Json<Json_>, ApiError> {
    let credentials = identity.credentials.clone();
    let signed_in = credentials.account.clone().expect("the route needs an account");
    let bad_cursor = || ApiError::new(ErrorCode::BadQuery, "after is not the next of a list");
    let after = query.after.as_deref().map(|text| Cursor::parse(text).ok_or_else(bad_cursor)).transpose()?;
    let limit = query.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX);
    let wanted = query.q.unwrap_or_default().to_lowercase();
    let token = match &visitor.presented {
        Presented::Secret(secret) if secret.kind() == SecretKind::ApiToken => Some(secret.id()),
        _ => None,
    };
    let access = app.access.clone();
    let page = app.access.run_with_uses(move |store| {
        let token = token.map(|id| store.token(id)).transpose()?.flatten();
        let email = signed_in.email.as_ref();
        let mut listed = store.workbooks_of(signed_in.id, email, None, LISTED_WORKBOOKS_MAX)?;
        listed.retain(|workbook| {
            let is_mine = workbook.access.owner == Some(signed_in.id);
            let is_trashed = workbook.access.trashed_ms.is_some();
            token.as_ref().is_none_or(|token| token.covers(&workbook.room))
                && match query.list {
                    List::Mine => is_mine && !is_trashed,
                    List::Shared => !is_mine && !is_trashed,
                    List::Trash => is_mine && is_trashed,
                }
        });
        let workbooks =
            listed.into_iter().map(|workbook| (workbook.room, Some(workbook.access), credentials.clone()));
        let mut rows = rows(store, &access, workbooks.collect())?;
        rows.retain(|row| row.title().unwrap_or(row.room.as_str()).to_lowercase().contains(&wanted));
        rows.sort_by_cached_key(Cursor::of);
        if let Some(after) = after {
            rows.retain(|row| Cursor::of(row) > after);
        }
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        name_owners(store, &mut rows)?;
        Ok((rows, has_more))
    });
    let (rows, has_more) = page.await?;
    let next = rows.last().filter(|_| has_more).map(|row| Cursor::of(row).text());
    let workbooks: Vec<Json_> = rows.iter().map(Row::json).collect();
    Ok(Json(json!({ "workbooks": workbooks, "next": next })))
}

/// The body that looks workbooks up.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookupBody {
    workbooks: Vec<Known>,
}

/// A workbook that a browser knows, with the key or link that it keeps for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    room: String,
    token: Option<String>,
}

/// Returns the rows of workbooks that a browser knows. Those that do not exist, and those in which
/// neither the token nor the session gives a role, are left out.
pub async fn look_up(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let LookupBody { workbooks } = read_body(&headers, body).await?;
    if workbooks.len() > LOOKED_UP_WORKBOOKS_MAX {
        return Err(bad(format!("at most {LOOKED_UP_WORKBOOKS_MAX} workbooks are looked up at once")));
    }
    let mut known = Vec::new();
    for Known { room, token } in workbooks {
        // A browser may keep names and tokens that this version does not accept.
        let Ok(room) = room_name::parse(&room) else { continue };
        let credentials = credentials_with(&app, &identity, &room, token.as_deref()).await?;
        known.push((room, credentials));
    }
    let access = app.access.clone();
    let found = app.access.run_with_uses(move |store| {
        let mut workbooks = Vec::new();
        for (room, credentials) in known {
            let document = store.workbook(&room)?.map(|stored| stored.value);
            workbooks.push((room, document, credentials));
        }
        let mut rows = rows(store, &access, workbooks)?;
        name_owners(store, &mut rows)?;
        Ok(rows)
    });
    let mut workbooks = Vec::new();
    for row in found.await? {
        // Nothing was reported of a workbook that an earlier version of the server has written.
        if row.facts.is_some() || row.role == Role::Owner || app.rooms.exists(&row.room).await? {
            workbooks.push(row.json());
        }
    }
    Ok(Json(json!({ "workbooks": workbooks })))
}

/// The credentials of a request with the key or link that it presents for one workbook.
async fn credentials_with(
    app: &App,
    identity: &Identity,
    room: &RoomName,
    token: Option<&str>,
) -> Result<Credentials, ApiError> {
    let presented = token.and_then(|token| Presented::parse(token).ok());
    let mut credentials = match presented {
        Some(presented @ (Presented::Secret(_) | Presented::UnlockedLink(..)))
            if !is_api_token(&presented) =>
        {
            let visitor = Visitor { presented, ..Visitor::default() };
            app.access.identify(&visitor, Some(room)).await?.credentials
        }
        _ => Credentials::default(),
    };
    credentials.account = identity.credentials.account.clone();
    credentials.tenant = identity.credentials.tenant.clone();
    Ok(credentials)
}

fn is_api_token(presented: &Presented) -> bool {
    matches!(presented, Presented::Secret(secret) if secret.kind() == SecretKind::ApiToken)
}

/// The rows of the workbooks in which the credentials give a role, in the same order.
fn rows(
    store: &mut dyn AccessStore,
    access: &Access,
    workbooks: Vec<(RoomName, Option<WorkbookAccess>, Credentials)>,
) -> Result<Vec<Row>, AccessError> {
    let names: Vec<RoomName> = workbooks.iter().map(|(room, ..)| room.clone()).collect();
    let facts = store.facts(&names)?;
    let mut rows = Vec::new();
    for ((room, document, credentials), facts) in workbooks.into_iter().zip(facts) {
        let document = document.map(|value| Arc::new(Versioned { version: Version(0), value }));
        let Some(role) = access.decide_by(&document, &credentials).role else { continue };
        let document = document.as_ref().map(|document| &document.value);
        let owner = document.and_then(|access| access.owner);
        let account = credentials.account.as_ref().map(|account| account.id);
        let is_mine = owner.is_some() && owner == account
            || document.is_some_and(|access| credentials.secrets.iter().any(|key| is_owner_key(access, key)));
        let trashed_ms = document.and_then(|access| access.trashed_ms);
        rows.push(Row { room, role, is_mine, owner, owner_name: None, trashed_ms, facts });
    }
    Ok(rows)
}

fn is_owner_key(access: &WorkbookAccess, secret: &Secret) -> bool {
    access.owner_keys.iter().any(|key| key.id == secret.id() && key.hash.matches(secret))
}

/// Adds the names of the owners who have an account.
fn name_owners(store: &mut dyn AccessStore, rows: &mut [Row]) -> Result<(), AccessError> {
    let mut names: HashMap<AccountId, Option<String>> = HashMap::new();
    for row in rows {
        let Some(owner) = row.owner else { continue };
        let name = match names.entry(owner) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(store.account(owner)?.map(|account| account.value.name)),
        };
        row.owner_name = name.clone();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_text_and_orders_by_the_last_change() {
        let cursor =
            |changed_ms, room: &str| Cursor { newer_first: std::cmp::Reverse(changed_ms), room: room.into() };
        assert_eq!(Cursor::parse(&cursor(12, "a b").text()), Some(cursor(12, "a b")));
        assert_eq!((Cursor::parse("12"), Cursor::parse("x a")), (None, None));
        let mut cursors = [cursor(1, "a"), cursor(2, "b"), cursor(2, "a")];
        cursors.sort();
        assert_eq!(cursors, [cursor(2, "a"), cursor(2, "b"), cursor(1, "a")]);
    }
}
