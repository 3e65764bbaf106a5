//! `/api/v1/session`: who is signed in, signing in and out.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Account, Actor, AuditEvent, Email, Secret};
use serde::Deserialize;

use super::access_input::read_body;
use super::app::App;
use super::creation;
use super::sign_in_answer::{cleared_cookie, session_json, signed_in};
use crate::access::{AccountProof, Attempt, Identity, PasswordError, Visitor, audit_entry};
use crate::error::{ApiError, ErrorCode};

/// Returns who is signed in, and by which methods people can sign in.
pub async fn read(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, ApiError> {
    let may_create = creation::may_create(&app.settings, &identity);
    let provider = match &identity.proof {
        Some(AccountProof::Session(session)) => app.access.provider_of_session(*session).await?,
        _ => None,
    };
    let account = identity.account.as_deref();
    let session = session_json(&app, account, provider.as_deref(), may_create).await?;
    let mut response = Json(session).into_response();
    let no_store = header::HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    // A cookie of a session that has ended stays: this answer may arrive after that of a sign-in that
    // replaced the session, and would remove the new cookie.
    Ok(response)
}

/// The body of a sign-in: a password, or a link that signs in once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignInBody {
    email: Option<String>,
    password: Option<String>,
    link: Option<String>,
}

/// Signs in.
pub async fn sign_in(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given: SignInBody = read_body(&headers, body).await?;
    let from = Attempt::SignInFrom(visitor.address);
    let (account, how) = match (given.email, given.password, given.link) {
        (Some(email), Some(password), None) => {
            app.attempts.take(from.clone(), Instant::now())?;
            (by_password(&app, &visitor, &email, password).await?, "password")
        }
        (None, None, Some(link)) => {
            app.attempts.take(from.clone(), Instant::now())?;
            (by_link(&app, &visitor, &link).await?, "link")
        }
        _ => {
            let message = "send either `email` and `password`, or `link`";
            return Err(ApiError::new(ErrorCode::BadRequest, message));
        }
    };
    app.attempts.release(&from);
    let session = app.access.sign_in(&account, how, None, &visitor).await?;
    signed_in(&app, &visitor, &account, &session).await
}

/// The account of an address and its password. Every failure is the same answer after the same
/// work, so that nobody can find out who has an account.
async fn by_password(
    app: &App,
    visitor: &Visitor,
    email: &str,
    password: String,
) -> Result<Account, ApiError> {
    if !app.settings.password_sign_in {
        return Err(ApiError::new(ErrorCode::Forbidden, "this server does not use passwords"));
    }
    let email = Email::parse(email);
    let attempt = Attempt::SignInAs(email.as_ref().map_or(String::new(), Email::to_string));
    app.attempts.take(attempt.clone(), Instant::now())?;
    let account = match &email {
        Some(email) => app.access.account_by_email(email.clone()).await?,
        None => None,
    };
    let stored = account.as_ref().and_then(|account| account.password_hash.clone());
    let is_right = app.passwords.verify(password, stored).await.map_err(password_error)?;
    match account {
        Some(account) if is_right && !account.is_disabled => {
            app.attempts.release(&attempt);
            Ok(account)
        }
        account => {
            // Not what was typed: it may be a password in the wrong field.
            let target = account.map_or("unknown account".to_owned(), |account| account.id.to_string());
            Err(failed(app, visitor, target).await)
        }
    }
}

/// The account of a link that signs in once.
async fn by_link(app: &App, visitor: &Visitor, link: &str) -> Result<Account, ApiError> {
    let account = match Secret::parse(link) {
        Some(secret) => app.access.use_sign_in_link(secret).await?,
        None => None,
    };
    match account {
        Some(account) => Ok(account),
        None => Err(failed(app, visitor, "sign-in link".to_owned()).await),
    }
}

/// The error of every sign-in that fails, with a line in the audit log.
pub async fn failed(app: &App, visitor: &Visitor, target: String) -> ApiError {
    app.access.record_refusal(AuditEvent::SignInFailed, target, visitor).await;
    ApiError::new(ErrorCode::SignInFailed, "the e-mail address and the password, or the link, do not sign in")
}

/// Signs out: the session ends here and on the server.
pub async fn sign_out(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, ApiError> {
    if let (Some(account), Some(AccountProof::Session(session))) = (&identity.account, &identity.proof) {
        let actor = Actor::Account(account.id);
        let entry = audit_entry(&actor, AuditEvent::SignedOut, None, session.to_string(), &visitor);
        app.access.end_session(account.id, *session, vec![entry]).await?;
    }
    let cookie = cleared_cookie(&app.settings, visitor.base_path());
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// The error of a password that was not hashed or checked.
pub fn password_error(error: PasswordError) -> ApiError {
    let code = match error {
        PasswordError::TooShort | PasswordError::TooLong => ErrorCode::BadRequest,
        PasswordError::Common | PasswordError::Context | PasswordError::Breached => ErrorCode::WeakPassword,
        PasswordError::NoBreachedList | PasswordError::Busy => ErrorCode::Overloaded,
    };
    ApiError::new(code, error.to_string())
}
