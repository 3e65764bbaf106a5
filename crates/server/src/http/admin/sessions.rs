//! `/api/v1/admin/sessions`, `…/tokens` and `…/rooms`: who is signed in, API tokens, and open
//! workbooks.

use axum::Json;
use axum::http::StatusCode;
use quadrille_access::{AccountSession, ApiToken, AuditEvent, SecretId};
use serde_json::{Value as Json_, json};

use super::{Names, PageQuery, SecretSegment};
use crate::error::ApiError;
use crate::http::access_input::not_found;
use crate::http::current_account::CurrentAccount;
use crate::http::extractors::{RoomSegment, StrictQuery};
use crate::limits;

/// Lists the sessions of all accounts.
pub async fn list(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Json<Json_>, ApiError> {
    let page = query.page(SecretId::parse)?;
    let (after, limit) = (page.after, page.limit);
    let sessions: Vec<AccountSession> =
        current.app.access.run(move |store| store.sessions(after, limit)).await?;
    let next = sessions.last().filter(|_| sessions.len() == limit).map(|session| session.id.to_string());
    let names = Names::of(&current.app, sessions.iter().map(|session| session.account)).await?;
    let rows: Vec<Json_> = sessions
        .iter()
        .filter(|session| {
            let name = names.0.get(&session.account).map_or("", String::as_str);
            page.includes(&[name, &session.address, &session.user_agent, &session.account.to_string()])
        })
        .map(|session| {
            json!({
                "id": session.id.to_string(),
                "account": names.json(session.account),
                "createdMs": session.created_ms,
                "lastUsedMs": session.last_used_ms,
                "expiresMs": session.expires_ms,
                "userAgent": session.user_agent,
                "address": session.address,
            })
        })
        .collect();
    Ok(Json(json!({ "sessions": rows, "next": next })))
}

/// Ends a session.
pub async fn end(current: CurrentAccount, SecretSegment(id): SecretSegment) -> Result<StatusCode, ApiError> {
    let access = &current.app.access;
    let session = access.run(move |store| store.session(id)).await?;
    let session = session.ok_or_else(|| not_found("session", id))?;
    let entry = current.entry(AuditEvent::SessionEnded, session.account.to_string());
    access.end_session(session.account, id, vec![entry]).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the API tokens of all accounts.
pub async fn list_tokens(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Json<Json_>, ApiError> {
    let page = query.page(SecretId::parse)?;
    let (after, limit) = (page.after, page.limit);
    let tokens: Vec<ApiToken> = current.app.access.run(move |store| store.tokens(after, limit)).await?;
    let next = tokens.last().filter(|_| tokens.len() == limit).map(|token| token.id.to_string());
    let names = Names::of(&current.app, tokens.iter().map(|token| token.account)).await?;
    let rows: Vec<Json_> = tokens
        .iter()
        .filter(|token| {
            let name = names.0.get(&token.account).map_or("", String::as_str);
            page.includes(&[name, &token.label, &token.account.to_string()])
        })
        .map(|token| {
            json!({
                "id": token.id.to_string(),
                "account": names.json(token.account),
                "label": token.label,
                "scope": token.scope,
                "rooms": token.rooms,
                "createdMs": token.created_ms,
                "expiresMs": token.expires_ms,
                "lastUsedMs": token.last_used_ms,
            })
        })
        .collect();
    Ok(Json(json!({ "tokens": rows, "next": next })))
}

/// Revokes an API token.
pub async fn revoke_token(
    current: CurrentAccount,
    SecretSegment(id): SecretSegment,
) -> Result<StatusCode, ApiError> {
    let token = current.app.access.run(move |store| store.token(id)).await?;
    let token = token.ok_or_else(|| not_found("token", id))?;
    let entry = current.entry(AuditEvent::TokenRevoked, id.to_string());
    current.app.access.revoke_token(Some(token.account), id, vec![entry]).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the workbooks in memory with their sessions.
pub async fn list_rooms(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Json<Json_>, ApiError> {
    let page = query.page(|text| Some(text.to_owned()))?;
    let mut open = current.app.rooms.open_rooms().await;
    open.retain(|room| {
        let is_after = page.after.as_deref().is_none_or(|after| room.room.as_str() > after);
        is_after && page.includes(&[room.room.as_str(), room.title.as_deref().unwrap_or_default()])
    });
    let has_more = open.len() > page.limit;
    open.truncate(page.limit);
    let next = open.last().filter(|_| has_more).map(|room| room.room.as_str().to_owned());
    let accounts = open.iter().flat_map(|room| room.sessions.iter().filter_map(|session| session.account));
    let names = Names::of(&current.app, accounts.collect::<std::collections::BTreeSet<_>>()).await?;
    let rows: Vec<Json_> = open
        .iter()
        .map(|room| {
            let sessions: Vec<Json_> = room
                .sessions
                .iter()
                .take(limits::ADMIN_PAGE_MAX)
                .map(|session| {
                    json!({
                        "account": session.account.map(|id| names.json(id)),
                        "address": session.address,
                        "role": session.role.name(),
                    })
                })
                .collect();
            json!({
                "room": room.room.as_str(),
                "title": room.title,
                "sessionCount": room.sessions.len(),
                "transactions": room.transactions,
                "busyMs": room.busy.as_millis() as u64,
                "sessions": sessions,
            })
        })
        .collect();
    Ok(Json(json!({ "rooms": rows, "next": next })))
}

/// Ends the sessions of a workbook. Clients that still have access connect again.
pub async fn end_room_sessions(
    current: CurrentAccount,
    RoomSegment(room): RoomSegment,
) -> Result<StatusCode, ApiError> {
    let mut entry = current.entry(AuditEvent::SessionEnded, "all");
    entry.room = Some(room.as_str().to_owned());
    current.app.access.run(move |store| store.append_audit(&[entry])).await?;
    current.app.rooms.close_room_sessions(&room);
    Ok(StatusCode::NO_CONTENT)
}
