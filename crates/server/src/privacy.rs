//! What is stored about a person: exported as one file, and erased.
//!
//! Names of authors stay in the history of workbooks: records are never rewritten, because every
//! replica must be able to apply them. `docs/operations-guide.md` says what else stays.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use quadrille_access::{
    Account, AccountId, AccountSession, Actor, ApiToken, AuditEntry, AuditEvent, AuditFilter, Email,
    ListedWorkbook, WorkbookAccess, is_last_admin,
};
use quadrille_protocol::RoomName;
use serde_json::{Value as Json, json};

use crate::access::{Visitor, audit_entry, last_admin};
use crate::error::{ApiError, ErrorCode};
use crate::http::{App, audit_entry_json, delete_workbook};
use crate::limits;

/// Workbooks of a person that are read at once.
const BATCH: usize = 100;

/// What becomes of the workbooks that an erased person owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnedWorkbooks {
    Delete,
    TransferTo(AccountId),
}

/// Erases a person: the account with its sessions, tokens, roles in workbooks, requests and quota,
/// and its workbooks. Workbooks with another owner, by an owner key, are only left.
///
/// # Errors
/// 404 for an unknown account, 409 for the last admin, and the errors of deleting a workbook; the
/// account is deleted last, so that the same request continues.
pub async fn erase(
    app: &App,
    id: AccountId,
    owned: OwnedWorkbooks,
    actor: &Actor,
    visitor: &Visitor,
) -> Result<(), ApiError> {
    let account = known(app, id).await?;
    if app.access.run(move |store| is_last_admin(store, id)).await? {
        return Err(last_admin());
    }
    let mut after = None;
    loop {
        let (email, from) = (account.verified_email(), after.clone());
        let batch = app.access.run(move |store| store.workbooks_of(id, email.as_ref(), from.as_ref(), BATCH));
        let batch: Vec<ListedWorkbook> = batch.await?;
        let is_last = batch.len() < BATCH;
        after = batch.last().map(|listed| listed.room.clone());
        for ListedWorkbook { room, access } in
            batch.into_iter().filter(|listed| listed.access.owner == Some(id))
        {
            match owned {
                OwnedWorkbooks::TransferTo(to) => transfer(app, &room, id, to, actor, visitor).await?,
                OwnedWorkbooks::Delete if !access.owner_keys.is_empty() => {}
                OwnedWorkbooks::Delete => {
                    let event = AuditEvent::WorkbookDeleted;
                    delete_workbook(app, &room, audit_entry(actor, event, Some(&room), "", visitor)).await?;
                }
            }
        }
        if is_last {
            break;
        }
    }
    let entry = audit_entry(actor, AuditEvent::AccountDeleted, None, id.to_string(), visitor);
    app.access.delete_account(id, vec![entry]).await?;
    app.quotas.recount();
    Ok(())
}

async fn transfer(
    app: &App,
    room: &RoomName,
    from: AccountId,
    to: AccountId,
    actor: &Actor,
    visitor: &Visitor,
) -> Result<(), ApiError> {
    let entry = audit_entry(actor, AuditEvent::OwnerChanged, Some(room), format!("account:{to}"), visitor);
    let edit = move |access: Option<WorkbookAccess>| {
        let mut access = access.filter(|access| access.owner == Some(from));
        let audit = access.iter().map(|_| entry.clone()).collect();
        if let Some(access) = &mut access {
            access.owner = Some(to);
        }
        match access {
            Some(access) => Ok((Some(access), audit)),
            None => Err(ApiError::new(ErrorCode::Conflict, "the workbook has another owner by now")),
        }
    };
    app.access.change(room, edit).await.map(|_| ())
}

async fn known(app: &App, id: AccountId) -> Result<Account, ApiError> {
    let unknown = || ApiError::new(ErrorCode::NotFound, format!("no such account: {id}"));
    app.access.account(id).await?.ok_or_else(unknown)
}

/// Everything that is stored about a person, as a file of JSON. `entry` is written to the audit log.
///
/// # Errors
/// 404 for an unknown account.
pub async fn export(app: &App, id: AccountId, entry: AuditEntry) -> Result<Response, ApiError> {
    let account = known(app, id).await?;
    let usage = app.quotas.usage_of_account(id).await?;
    app.denials.store(&app.access).await?;
    let email = account.verified_email();
    let read = app.access.run(move |store| {
        store.append_audit(&[entry])?;
        let requests = store.requests_of(id, email.as_ref())?;
        let (sessions, tokens) = (store.sessions_of(id)?, store.tokens_of(id)?);
        let mut workbooks: Vec<ListedWorkbook> = Vec::new();
        loop {
            let after = workbooks.last().map(|listed| listed.room.clone());
            let batch = store.workbooks_of(id, email.as_ref(), after.as_ref(), BATCH)?;
            let is_last = batch.len() < BATCH;
            workbooks.extend(batch);
            if is_last || workbooks.len() >= limits::EXPORTED_ENTRIES_MAX {
                break;
            }
        }
        let filter = AuditFilter { account: Some(id), newest_first: true, ..AuditFilter::default() };
        let audit = store.audit(&filter, limits::EXPORTED_ENTRIES_MAX)?;
        Ok((requests, sessions, tokens, workbooks, audit))
    });
    let (requests, sessions, tokens, workbooks, audit) = read.await?;
    let email = account.verified_email();
    let body = json!({
        "account": account_json(&account),
        "sessions": sessions.iter().map(session_json).collect::<Vec<_>>(),
        "tokens": tokens.iter().map(token_json).collect::<Vec<_>>(),
        "workbooks": workbooks.iter().map(|listed| workbook_json(listed, id, email.as_ref())).collect::<Vec<_>>(),
        "requests": requests
            .iter()
            .map(|request| json!({
                "room": request.room,
                "name": request.name,
                "email": request.email.as_ref().map(Email::as_str),
                "message": request.message,
                "createdMs": request.created_ms,
            }))
            .collect::<Vec<_>>(),
        "quota": usage.json(),
        "audit": audit.iter().map(audit_entry_json).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&body).expect("plain data");
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let name = format!("attachment; filename=\"quadrille-account-{id}.json\"");
    let name = HeaderValue::from_str(&name).expect("identifiers are hexadecimal");
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The account without hashes and keys, by which somebody could sign in.
fn account_json(account: &Account) -> Json {
    json!({
        "id": account.id.to_string(),
        "name": account.name,
        "email": account.email.as_ref().map(Email::as_str),
        "isEmailVerified": account.is_email_verified,
        "isAdmin": account.is_admin,
        "isDisabled": account.is_disabled,
        "hasPassword": account.password_hash.is_some(),
        "identities": account.identities.iter()
            .map(|identity| json!({ "issuer": identity.issuer, "subject": identity.subject }))
            .collect::<Vec<_>>(),
        "passkeys": account.passkeys.iter()
            .map(|passkey| json!({
                "id": passkey.id,
                "label": passkey.label,
                "createdMs": passkey.created_ms,
                "lastUsedMs": passkey.last_used_ms,
            }))
            .collect::<Vec<_>>(),
        "notificationMail": !account.refuses_notification_mail,
        "createdMs": account.created_ms,
        "lastSeenMs": account.last_seen_ms,
    })
}

fn session_json(session: &AccountSession) -> Json {
    json!({
        "id": session.id.to_string(),
        "createdMs": session.created_ms,
        "lastUsedMs": session.last_used_ms,
        "expiresMs": session.expires_ms,
        "userAgent": session.user_agent,
        "address": session.address,
    })
}

fn token_json(token: &ApiToken) -> Json {
    json!({
        "id": token.id.to_string(),
        "label": token.label,
        "scope": token.scope,
        "rooms": token.rooms,
        "createdMs": token.created_ms,
        "expiresMs": token.expires_ms,
        "lastUsedMs": token.last_used_ms,
    })
}

/// What the access of a workbook says about the person.
fn workbook_json(listed: &ListedWorkbook, id: AccountId, email: Option<&Email>) -> Json {
    let grant = listed.access.grants.iter().find(|grant| grant.person.is(id, email));
    json!({
        "room": listed.room.as_str(),
        "isOwner": listed.access.owner == Some(id),
        "role": grant.map(|grant| grant.role.name()),
        "sinceMs": grant.map(|grant| grant.created_ms),
        "lastSeenMs": grant.map(|grant| grant.last_seen_ms),
        "trashedMs": listed.access.trashed_ms,
    })
}
