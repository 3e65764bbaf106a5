//! `/api/v1/account/tokens`: keys by which programs act for an account.

use axum::Json;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{AccessStore, ApiToken, AuditEvent, Scope, SecretId, SecretKind};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, check_length, conflict, new_secret, not_found, read_body};
use super::app::App;
use super::current_account::CurrentAccount;
use super::extractors::segment;
use crate::access::now_ms;
use crate::error::{ApiError, ErrorCode};
use crate::{limits, room_name};

/// Lists the API tokens of the account, newest first, without their secrets.
pub async fn list(current: CurrentAccount) -> Result<Json<Json_>, ApiError> {
    let id = current.account.id;
    let tokens = current.app.access.run(move |store| store.tokens_of(id)).await?;
    let tokens: Vec<Json_> = tokens.iter().map(token_json).collect();
    Ok(Json(json!({ "tokens": tokens })))
}

fn token_json(token: &ApiToken) -> Json_ {
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

/// The body of a new token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TokenBody {
    label: String,
    scope: Scope,
    /// Names of the workbooks that it may use; all of the account by default.
    rooms: Option<Vec<String>>,
    expires_ms: Option<i64>,
}

/// Creates a token. Its secret is in the response only.
pub async fn create(current: CurrentAccount, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let given: TokenBody = read_body(&headers, body).await?;
    current.require_recent_sign_in().await?;
    check_length("label", &given.label)?;
    if given.label.trim().is_empty() {
        return Err(bad("the label is blank"));
    }
    if given.expires_ms.is_some_and(|expires_ms| expires_ms <= now_ms()) {
        return Err(bad("expiresMs is in the past"));
    }
    let rooms = given.rooms.map(|rooms| {
        if rooms.is_empty() || rooms.len() > limits::ROOMS_PER_TOKEN_MAX {
            return Err(bad(format!("a token names 1 to {} workbooks", limits::ROOMS_PER_TOKEN_MAX)));
        }
        rooms.iter().map(|name| Ok(room_name::parse(name)?.as_str().to_owned())).collect()
    });
    let secret = new_secret(SecretKind::ApiToken);
    let token = ApiToken {
        id: secret.id(),
        hash: secret.hash(),
        account: current.account.id,
        label: given.label,
        scope: given.scope,
        rooms: rooms.transpose()?,
        created_ms: now_ms(),
        expires_ms: given.expires_ms,
        last_used_ms: 0,
    };
    let mut json = token_json(&token);
    json["token"] = secret.reveal().into();
    let entry = current.entry(AuditEvent::TokenCreated, token.id.to_string());
    let put = move |store: &mut dyn AccessStore| {
        if store.tokens_of(token.account)?.len() >= limits::TOKENS_PER_ACCOUNT_MAX {
            return Ok(false);
        }
        store.put_token(&token, &[entry])?;
        Ok(true)
    };
    match current.app.access.run(put).await? {
        true => Ok((StatusCode::CREATED, Json(json)).into_response()),
        false => {
            Err(conflict(format!("an account has at most {} API tokens", limits::TOKENS_PER_ACCOUNT_MAX)))
        }
    }
}

/// The `{token}` of the path.
pub struct TokenSegment(SecretId);

impl FromRequestParts<App> for TokenSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<TokenSegment, ApiError> {
        let text = segment(parts, app, "token", ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(TokenSegment).ok_or_else(|| not_found("API token", text))
    }
}

/// Revokes a token; its open sessions are closed.
pub async fn revoke(current: CurrentAccount, TokenSegment(id): TokenSegment) -> Result<StatusCode, ApiError> {
    let entry = current.entry(AuditEvent::TokenRevoked, id.to_string());
    let account = current.account.id;
    match current.app.access.revoke_token(Some(account), id, vec![entry]).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(not_found("API token", id)),
    }
}
