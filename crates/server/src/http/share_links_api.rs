//! `/api/v1/rooms/{room}/access/links` and `…/unlock`: share links and their passwords.

use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Actor, AuditEvent, Secret, SecretKind, ShareLink, WorkbookAccess};
use quadrille_protocol::Role;
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json_, json};

use super::access_api::{IdSegment, Manager};
use super::access_input::{
    bad, check_count, check_length, new_secret, not_found, parse_shared_role, read_body,
};
use super::app::App;
use super::extractors::RoomSegment;
use super::session_api::password_error;
use crate::access::{Attempt, LinkUnlock, Visitor, audit_entry, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::percent_encoded;
use crate::rooms::no_such_room;

/// The body of a share link. Absent members of a change stay unchanged; `null` clears.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LinkBody {
    role: Option<String>,
    label: Option<String>,
    #[serde(default, deserialize_with = "given")]
    expires_ms: Option<Option<i64>>,
    #[serde(default, deserialize_with = "given")]
    password: Option<Option<String>>,
}

/// Tells `null` from an absent member.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The members of a share link that a request sets.
#[derive(Clone)]
struct LinkChange {
    role: Option<Role>,
    label: Option<String>,
    expires_ms: Option<Option<i64>>,
    password_hash: Option<Option<String>>,
}

impl LinkChange {
    async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<LinkChange, ApiError> {
        let given: LinkBody = read_body(headers, body).await?;
        let role = given.role.as_deref().map(parse_shared_role).transpose()?;
        if let Some(label) = &given.label {
            check_length("label", label)?;
        }
        if given.expires_ms.flatten().is_some_and(|expires_ms| expires_ms <= now_ms()) {
            return Err(bad("expiresMs is in the past"));
        }
        let password_hash = match given.password {
            Some(Some(password)) => Some(Some(app.passwords.hash(password).await.map_err(password_error)?)),
            Some(None) => Some(None),
            None => None,
        };
        Ok(LinkChange { role, label: given.label, expires_ms: given.expires_ms, password_hash })
    }

    fn apply(self, link: &mut ShareLink) {
        link.role = self.role.unwrap_or(link.role);
        link.label = self.label.unwrap_or(std::mem::take(&mut link.label));
        link.expires_ms = self.expires_ms.unwrap_or(link.expires_ms);
        link.password_hash = self.password_hash.unwrap_or(link.password_hash.take());
    }
}

/// Creates a share link. Its secret is in the response only.
pub async fn add_link(manager: Manager, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let change = LinkChange::read(&manager.app, &headers, body).await?;
    let role = change.role.ok_or_else(|| bad("the link needs a role"))?;
    let secret = new_secret(SecretKind::ShareLink);
    let mut link = ShareLink {
        id: secret.id(),
        hash: secret.hash(),
        role,
        label: String::new(),
        person: None,
        expires_ms: None,
        password_hash: None,
        created_ms: now_ms(),
        uses: 0,
        last_used_ms: 0,
    };
    change.apply(&mut link);
    let add = move |access: &mut WorkbookAccess| {
        check_count(access.links.len(), "links")?;
        access.links.push(link.clone());
        Ok(())
    };
    manager.change(AuditEvent::LinkCreated, secret.id().to_string(), add).await?;
    // In the fragment, which browsers send to no server.
    let base_path = manager.visitor.base_path();
    let url = format!("{base_path}/{}#link={}", percent_encoded(manager.room.as_str()), secret.reveal());
    let reply = json!({ "id": secret.id().to_string(), "link": secret.reveal(), "url": url });
    Ok((StatusCode::CREATED, Json(reply)).into_response())
}

/// Changes a share link; its address stays the same.
pub async fn change_link(
    manager: Manager,
    IdSegment(id): IdSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let change = LinkChange::read(&manager.app, &headers, body).await?;
    let edit = move |access: &mut WorkbookAccess| {
        let link = access.links.iter_mut().find(|link| link.id == id);
        change.clone().apply(link.ok_or_else(|| not_found("link", id))?);
        Ok(())
    };
    manager.change(AuditEvent::LinkChanged, id.to_string(), edit).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Revokes a share link.
pub async fn remove_link(manager: Manager, IdSegment(id): IdSegment) -> Result<StatusCode, ApiError> {
    let remove = move |access: &mut WorkbookAccess| {
        let position = access.links.iter().position(|link| link.id == id);
        access.links.remove(position.ok_or_else(|| not_found("link", id))?);
        Ok(())
    };
    manager.change(AuditEvent::LinkRevoked, id.to_string(), remove).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The body that unlocks a share link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnlockBody {
    link: String,
    password: Option<String>,
}

/// Checks the password of a share link. The proof in the response is sent after the link, with a
/// dot between them. Without a password, tells whether the link needs one.
pub async fn unlock(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let UnlockBody { link, password } = read_body(&headers, body).await?;
    let secret = Secret::parse(&link).filter(|secret| secret.kind() == SecretKind::ShareLink);
    let secret = secret.ok_or_else(|| bad("the link is not a share link"))?;
    let document = app.access.document(&room).await?;
    let access = document.as_ref().map(|document| &document.value);
    let link = access
        .filter(|access| access.trashed_ms.is_none())
        .and_then(|access| access.link(secret.id()))
        .filter(|link| link.hash.matches(&secret) && link.is_valid(now_ms()))
        .ok_or_else(|| no_such_room(&room))?;
    let Some(password) = password else {
        return Ok(Json(json!({ "isLocked": link.password_hash.is_some() })));
    };
    if link.password_hash.is_none() {
        return Err(bad("the link has no password"));
    }
    app.attempts.take(Attempt::LinkPassword(link.id), Instant::now())?;
    let is_right =
        app.passwords.verify(password, link.password_hash.clone()).await.map_err(password_error)?;
    if !is_right {
        let (event, actor) = (AuditEvent::LinkPasswordFailed, Actor::Link(link.id));
        let entry = audit_entry(&actor, event, Some(&room), link.id.to_string(), &visitor);
        app.access.run(move |store| store.append_audit(&[entry])).await?;
        return Err(ApiError::new(ErrorCode::Forbidden, "the password is wrong"));
    }
    Ok(Json(json!({ "unlock": LinkUnlock::new(app.access.key(), link, now_ms()).reveal() })))
}
