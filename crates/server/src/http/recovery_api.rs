//! `/api/v1/session/recovery`: a new password for somebody who has forgotten theirs, by a mailed link.

use std::time::Instant;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use quadrille_access::{Account, AuditEvent, Email, Secret};
use serde::Deserialize;

use super::access_input::{bad, read_body};
use super::app::App;
use super::session_api::{failed, password_error};
use super::sign_in_answer::{can_recover, signed_in};
use crate::access::{Attempt, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::mail::Letter;

/// The body that asks for a link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestBody {
    email: String,
}

/// Sends a link to the address, if it is that of an account. The answer, and the time that it takes,
/// are the same otherwise.
pub async fn request(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let given: RequestBody = read_body(&headers, body).await?;
    if !can_recover(&app) {
        let message = "this server does not send links for forgotten passwords";
        return Err(ApiError::new(ErrorCode::Forbidden, message));
    }
    let email = Email::parse(&given.email).ok_or_else(|| bad("`email` is not an e-mail address"))?;
    app.attempts.take(Attempt::RecoveryFrom(visitor.address), Instant::now())?;
    tokio::spawn(async move { send_link(&app, email, &visitor).await });
    Ok(StatusCode::ACCEPTED)
}

async fn send_link(app: &App, email: Email, visitor: &Visitor) {
    let Some(mailer) = &app.mailer else { return };
    // Otherwise somebody could fill the mailbox of a person.
    if app.attempts.take(Attempt::RecoveryOf(email.clone()), Instant::now()).is_err() {
        return;
    }
    match app.access.make_recovery_link(email.clone(), visitor).await {
        Ok(Some(link)) => {
            let base = app.settings.public_base(visitor.tenant.as_deref());
            // In the fragment, which browsers send to no server.
            let url = format!("{base}/_sign-in#recover={}", link.reveal());
            mailer.send(&Letter::recovery(email, url));
        }
        Ok(None) => {
            app.access.record_refusal(AuditEvent::RecoveryRequested, "unknown account", visitor).await;
        }
        Err(error) => tracing::warn!(message = error.message, "no link for a forgotten password was made"),
    }
}

/// The body that chooses a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PasswordBody {
    link: String,
    password: String,
}

/// Sets the password of the account of a link, ends all its sessions and signs in.
pub async fn set_password(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given: PasswordBody = read_body(&headers, body).await?;
    if !app.settings.password_sign_in {
        return Err(ApiError::new(ErrorCode::Forbidden, "this server does not use passwords"));
    }
    let from = Attempt::SignInFrom(visitor.address);
    app.attempts.take(from.clone(), Instant::now())?;
    // Before the work of hashing, which nobody without a link can cause.
    let link = Secret::parse(&given.link);
    let account = match &link {
        Some(link) => app.access.account_to_recover(link).await?,
        None => None,
    };
    let (Some(link), Some(Account { name, email, .. })) = (link, account) else {
        return Err(failed(&app, &visitor, "recovery link".to_owned()).await);
    };
    let hash = app.passwords.hash_for(&name, email.as_ref(), given.password).await;
    let hash = hash.map_err(password_error)?;
    // It may have been used meanwhile.
    let Some(account) = app.access.recover(link, hash, &visitor).await? else {
        return Err(failed(&app, &visitor, "recovery link".to_owned()).await);
    };
    app.attempts.release(&from);
    let session = app.access.sign_in(&account, "recovery", None, &visitor).await?;
    signed_in(&app, &visitor, &account, &session).await
}
