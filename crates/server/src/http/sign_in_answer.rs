//! The answer to a sign-in: who is signed in, and the cookie of the session.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::Account;
use serde_json::{Value as Json_, json};

use super::app::App;
use crate::access::{NewSession, Visitor, now_ms, session_cookie_name, sign_in_methods};
use crate::config::{AccessMode, CreationPolicy, Settings};
use crate::error::ApiError;

/// The answer to a sign-in: the session, and its cookie.
///
/// # Errors
///
/// Fails when the access store does.
pub async fn signed_in(
    app: &App,
    visitor: &Visitor,
    account: &Account,
    session: &NewSession,
) -> Result<Response, ApiError> {
    let may_create = app.settings.create_workbooks != CreationPolicy::Nobody;
    let mut response = Json(session_json(app, Some(account), None, may_create).await?).into_response();
    response
        .headers_mut()
        .insert(header::SET_COOKIE, session_cookie(&app.settings, visitor.base_path(), session));
    Ok(response)
}

/// The `Set-Cookie` header of a session, for the server or for a tenant with a path.
pub fn session_cookie(settings: &Settings, base_path: &str, session: &NewSession) -> HeaderValue {
    let seconds = (session.expires_ms - now_ms()).max(0) / 1_000;
    cookie(settings, base_path, &session.secret.reveal(), seconds)
}

/// The `Set-Cookie` header that makes a browser forget its session.
pub fn cleared_cookie(settings: &Settings, base_path: &str) -> HeaderValue {
    cookie(settings, base_path, "", 0)
}

fn cookie(settings: &Settings, base_path: &str, value: &str, seconds: i64) -> HeaderValue {
    let is_https = settings.is_https();
    let name = session_cookie_name(is_https, base_path);
    let path = if base_path.is_empty() { "/" } else { base_path };
    let secure = if is_https { "; Secure" } else { "" };
    // `Lax` and not `Strict`: a link on another page leads to a workbook as the person who is
    // signed in. Changes are checked in `Visitor`.
    let text = format!("{name}={value}; Max-Age={seconds}; Path={path}; HttpOnly; SameSite=Lax{secure}");
    let mut header = HeaderValue::from_str(&text).expect("a cookie of plain characters");
    header.set_sensitive(true);
    header
}

/// Who is signed in, by which provider if it was one, and by which methods people can sign in.
///
/// # Errors
///
/// Fails when the access store does.
pub async fn session_json(
    app: &App,
    account: Option<&Account>,
    provider: Option<&str>,
    may_create: bool,
) -> Result<Json_, ApiError> {
    let methods = sign_in_methods(&app.settings);
    // A server without accounts does not ask for passwords or passkeys.
    let needs_accounts = app.settings.access == AccessMode::Accounts;
    let has_accounts = needs_accounts || app.access.has_accounts().await?;
    let providers: Vec<Json_> = methods
        .providers
        .iter()
        .map(|provider| json!({ "id": provider.id, "name": provider.name }))
        .collect();
    Ok(json!({
        "access": match app.settings.access {
            AccessMode::Open => "open",
            AccessMode::Accounts => "accounts",
        },
        "mayCreate": may_create,
        "account": account.map(account_json),
        // Where it is possible to sign out too.
        "provider": providers.iter().find(|listed| provider.is_some_and(|id| listed["id"] == id)),
        "signIn": {
            "password": methods.password && has_accounts,
            "passkey": methods.passkey && has_accounts,
            "header": methods.header,
            "recovery": has_accounts && can_recover(app),
            "providers": providers,
        },
    }))
}

/// Whether people can replace a forgotten password by a mailed link.
pub fn can_recover(app: &App) -> bool {
    app.settings.password_sign_in && app.mailer.is_some()
}

/// An account, as its owner sees it.
pub fn account_json(account: &Account) -> Json_ {
    json!({
        "id": account.id.to_string(),
        "name": account.name,
        "email": account.email.as_ref().map(quadrille_access::Email::as_str),
        "isEmailVerified": account.is_email_verified,
        "isAdmin": account.is_admin,
    })
}
