//! `/api/v1/account`: one's own account, its password and its sessions.

use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Account, AccountSession, AuditEvent, Email, SecretId};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, conflict, not_found, read_body};
use super::app::App;
use super::current_account::CurrentAccount;
use super::extractors::segment;
use super::session_api::password_error;
use super::sign_in_answer::{account_json, cleared_cookie};
use crate::access::{AccountProof, Attempt, check_account_name, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::privacy::{self, OwnedWorkbooks};

/// Returns the account of the caller.
pub async fn read(current: CurrentAccount) -> Json<Json_> {
    Json(own_account_json(&current.app, &current.account))
}

fn own_account_json(app: &App, account: &Account) -> Json_ {
    let mut json = account_json(account);
    json["hasPassword"] = account.password_hash.is_some().into();
    json["createdMs"] = account.created_ms.into();
    json["notificationMail"] = (!account.refuses_notification_mail).into();
    let can_get_mail = sends_notifications(app) && account.verified_email().is_some();
    json["canGetNotificationMail"] = can_get_mail.into();
    json["identities"] = account
        .identities
        .iter()
        .map(|identity| {
            let provider = app.openid.id_of_issuer(&identity.issuer);
            json!({ "issuer": identity.issuer, "subject": identity.subject, "provider": provider })
        })
        .collect();
    json["passkeys"] = account
        .passkeys
        .iter()
        .map(|passkey| {
            json!({
                "id": passkey.id,
                "label": passkey.label,
                "createdMs": passkey.created_ms,
                "lastUsedMs": passkey.last_used_ms,
            })
        })
        .collect();
    json
}

/// Whether this server tells people by mail of what concerns them in comments.
fn sends_notifications(app: &App) -> bool {
    app.mailer.is_some() && app.settings.mail_notifications
}

/// The body that changes an account; what it leaves out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AccountBody {
    name: Option<String>,
    notification_mail: Option<bool>,
}

/// Changes the name that others see, and whether mail about comments is sent.
pub async fn change(
    current: CurrentAccount,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let given: AccountBody = read_body(&headers, body).await?;
    let name = given.name.as_deref().map(check_account_name).transpose()?;
    let changed = match (&name, given.notification_mail) {
        (None, None) => return Err(bad("neither `name` nor `notificationMail` is given")),
        (Some(_), None) => "name",
        (None, Some(true)) => "mail about comments is on",
        (None, Some(false)) => "mail about comments is off",
        (Some(_), Some(true)) => "name, mail about comments is on",
        (Some(_), Some(false)) => "name, mail about comments is off",
    };
    let entry = current.entry(AuditEvent::AccountChanged, changed);
    let set = move |account: &mut Account| {
        if let Some(name) = &name {
            account.name.clone_from(name);
        }
        if let Some(is_on) = given.notification_mail {
            account.refuses_notification_mail = !is_on;
        }
        Ok(())
    };
    let account = current.app.access.change_account(current.account.id, vec![entry], set).await?;
    Ok(Json(own_account_json(&current.app, &account)))
}

/// The body that deletes an account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteBody {
    /// The e-mail address or the identifier of the account, so that nobody deletes it by mistake.
    confirm: String,
}

/// Deletes the account of the caller with everything that is only its own.
pub async fn remove(current: CurrentAccount, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let given: DeleteBody = read_body(&headers, body).await?;
    current.require_recent_sign_in().await?;
    let account = &current.account;
    let is_email = account.email.is_some() && Email::parse(&given.confirm) == account.email;
    if !is_email && given.confirm != account.id.to_string() {
        return Err(bad("`confirm` is neither the e-mail address nor the identifier of the account"));
    }
    let (actor, visitor) = (&current.identity.actor, &current.visitor);
    privacy::erase(&current.app, account.id, OwnedWorkbooks::Delete, actor, visitor).await?;
    let cookie = cleared_cookie(&current.app.settings, visitor.base_path());
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Returns everything that is stored about the person, as a file.
pub async fn export(current: CurrentAccount) -> Result<Response, ApiError> {
    let id = current.account.id;
    privacy::export(&current.app, id, current.entry(AuditEvent::AccountExported, id.to_string())).await
}

/// The body that changes a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PasswordBody {
    current: Option<String>,
    new: String,
}

/// Sets a new password, and ends the other sessions of the account.
pub async fn set_password(
    current: CurrentAccount,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let given: PasswordBody = read_body(&headers, body).await?;
    current.require_session()?;
    let CurrentAccount { app, account, .. } = &current;
    if !app.settings.password_sign_in {
        return Err(ApiError::new(ErrorCode::Forbidden, "this server does not use passwords"));
    }
    if account.email.is_none() || !account.is_email_verified {
        return Err(conflict("an account without a verified e-mail address cannot have a password"));
    }
    if account.password_hash.is_some() {
        check_password(&current, given.current.unwrap_or_default()).await?;
    } else {
        current.require_recent_sign_in().await?;
    }
    let hash = app
        .passwords
        .hash_for(&account.name, account.email.as_ref(), given.new)
        .await
        .map_err(password_error)?;
    let entry = current.entry(AuditEvent::PasswordChanged, account.id.to_string());
    let set = move |account: &mut Account| {
        account.password_hash = Some(hash.clone());
        account.sign_in_link = None;
        account.recovery_link = None;
        Ok(())
    };
    app.access.change_account(account.id, vec![entry], set).await?;
    app.access.end_sessions(account.id, own_session(&current), Vec::new()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks the password of the caller again.
///
/// # Errors
///
/// Fails with `sign_in_failed` for another password, and with `too_many_requests` after too many of
/// them.
async fn check_password(current: &CurrentAccount, password: String) -> Result<(), ApiError> {
    let CurrentAccount { app, account, .. } = current;
    let attempt = Attempt::SignInAs(account.email.as_ref().map_or(String::new(), Email::to_string));
    app.attempts.take(attempt.clone(), Instant::now())?;
    let stored = account.password_hash.clone();
    if app.passwords.verify(password, stored).await.map_err(password_error)? {
        app.attempts.release(&attempt);
        return Ok(());
    }
    let target = format!("{}: current password", account.id);
    app.access.record_refusal(AuditEvent::SignInFailed, target, &current.visitor).await;
    Err(ApiError::new(ErrorCode::SignInFailed, "the current password is another one"))
}

fn own_session(current: &CurrentAccount) -> Option<SecretId> {
    match current.proof {
        AccountProof::Session(id) => Some(id),
        AccountProof::Token { .. } | AccountProof::Proxy => None,
    }
}

/// Removes the identities at a provider, with which the person signs in.
pub async fn remove_identity(
    current: CurrentAccount,
    Path(provider): Path<String>,
) -> Result<StatusCode, ApiError> {
    current.require_recent_sign_in().await?;
    let issuer = current.app.openid.issuer(&provider).map(str::to_owned);
    let issuer = issuer.ok_or_else(|| not_found("sign-in provider", &provider))?;
    let entry = current.entry(AuditEvent::IdentityRemoved, format!("{} by {issuer}", current.account.id));
    let edit = move |account: &mut Account| {
        let before = account.identities.len();
        account.identities.retain(|identity| identity.issuer != issuer);
        if account.identities.len() == before {
            return Err(not_found("identity at this provider", &provider));
        }
        let is_last = account.identities.is_empty() && account.passkeys.is_empty();
        if is_last && account.password_hash.is_none() {
            return Err(conflict("this is the only way to sign in to the account; add another one first"));
        }
        Ok(())
    };
    current.app.access.change_account(current.account.id, vec![entry], edit).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the browsers that are signed in to the account, newest first.
pub async fn sessions(current: CurrentAccount) -> Result<Json<Json_>, ApiError> {
    let (id, own) = (current.account.id, own_session(&current));
    let sessions = current.app.access.run(move |store| store.sessions_of(id)).await?;
    let times = current.app.access.session_times();
    let sessions = sessions.iter().filter(|session| !session.has_ended(times, now_ms()));
    let sessions: Vec<Json_> = sessions.map(|session| session_json(session, own)).collect();
    Ok(Json(json!({ "sessions": sessions })))
}

fn session_json(session: &AccountSession, own: Option<SecretId>) -> Json_ {
    json!({
        "id": session.id.to_string(),
        "isCurrent": Some(session.id) == own,
        "createdMs": session.created_ms,
        "lastUsedMs": session.last_used_ms,
        "expiresMs": session.expires_ms,
        "userAgent": session.user_agent,
        "address": session.address,
    })
}

/// The `{session}` of the path.
pub struct SessionSegment(SecretId);

impl FromRequestParts<App> for SessionSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SessionSegment, ApiError> {
        let text = segment(parts, app, "session", ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(SessionSegment).ok_or_else(|| not_found("session", text))
    }
}

/// Ends a session of the account.
pub async fn end_session(
    current: CurrentAccount,
    SessionSegment(id): SessionSegment,
) -> Result<StatusCode, ApiError> {
    let entry = current.entry(AuditEvent::SessionEnded, id.to_string());
    match current.app.access.end_session(current.account.id, id, vec![entry]).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(not_found("session", id)),
    }
}

/// Ends all sessions of the account but the one of the request.
pub async fn end_other_sessions(current: CurrentAccount) -> Result<StatusCode, ApiError> {
    let entry = current.entry(AuditEvent::SessionEnded, "all others");
    current.app.access.end_sessions(current.account.id, own_session(&current), vec![entry]).await?;
    Ok(StatusCode::NO_CONTENT)
}
