//! `/api/v1/session/passkey` and `/api/v1/account/passkeys`: sign-in by passkey, and the passkeys of
//! one's own account.

use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Account, AuditEvent, StoredPasskey};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, check_length, conflict, not_found, read_body};
use super::app::App;
use super::current_account::CurrentAccount;
use super::public_origin::{host_of, public_origin};
use super::sign_in_answer::signed_in;
use crate::access::{Attempt, OpenedState, StatePurpose, Visitor, now_ms, open_state, seal_state};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::passkeys::{Presented, RelyingParty};

/// Options for `navigator.credentials.get()`.
pub async fn sign_in_options(State(app): State<App>, headers: HeaderMap) -> Result<Json<Json_>, ApiError> {
    let (state, options) = relying_party(&app, &headers)?.sign_in_options();
    Ok(Json(sealed(&app, StatePurpose::PasskeySignIn, &state, &options)))
}

/// The body that signs in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignInBody {
    state: String,
    credential: Json_,
}

/// Signs in by the answer of an authenticator. Every refusal is the same to the browser; the audit
/// log has the reason.
pub async fn sign_in(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let party = relying_party(&app, &headers)?;
    let given: SignInBody = read_body(&headers, body).await?;
    let attempt = Attempt::SignInFrom(visitor.address);
    app.attempts.take(attempt.clone(), Instant::now())?;
    let account = match verified(&app, &party, &given).await {
        Ok((account, state, passkey)) => {
            app.used_states.take(&state, now_ms())?;
            store_use(&app, &account, passkey).await?
        }
        Err(Refusal::Api(error)) => return Err(error),
        Err(Refusal::Because(reason)) => {
            let target = format!("passkey: {reason}");
            app.access.record_refusal(AuditEvent::SignInFailed, target, &visitor).await;
            return Err(ApiError::new(ErrorCode::SignInFailed, "the passkey was not accepted"));
        }
    };
    let session = app.access.sign_in(&account, "passkey", None, &visitor).await?;
    app.attempts.release(&attempt);
    signed_in(&app, &visitor, &account, &session).await
}

/// Why an assertion does not sign in.
enum Refusal {
    /// A fault of the server, or too much to do.
    Api(ApiError),
    /// For the audit log only.
    Because(String),
}

/// The account that an assertion proves, the state that it used up, and its passkey after the use.
async fn verified(
    app: &App,
    party: &RelyingParty,
    given: &SignInBody,
) -> Result<(Account, OpenedState, StoredPasskey), Refusal> {
    let because = |error: &dyn std::fmt::Display| Refusal::Because(error.to_string());
    let state = open_state(app.access.key(), StatePurpose::PasskeySignIn, &given.state, now_ms())
        .map_err(|error| because(&error))?;
    app.used_states.check(&state).map_err(|error| because(&error))?;
    let presented = Presented::read(&given.credential).map_err(|error| because(&error))?;
    let id = presented.id();
    let found = app.access.run({
        let id = id.clone();
        move |store| store.account_by_passkey(&id)
    });
    let account = found.await.map_err(Refusal::Api)?.map(|account| account.value);
    let account = account.ok_or_else(|| Refusal::Because("unknown passkey".into()))?;
    let stored = account.passkeys.iter().find(|passkey| passkey.id == id).cloned();
    let stored = stored.ok_or_else(|| Refusal::Because("unknown passkey".into()))?;
    let credential = party
        .verify(account.id, &state.content, &presented, &stored)
        .map_err(|error| Refusal::Because(format!("{} of account:{}", error, account.id)))?;
    Ok((account, state, StoredPasskey { credential, last_used_ms: now_ms(), ..stored }))
}

/// Stores the signature counter and the time of use. Two answers with the same counter that come at
/// once are told apart here: the second one finds another counter than it was checked against.
async fn store_use(app: &App, account: &Account, used: StoredPasskey) -> Result<Account, ApiError> {
    let checked = account.passkeys.iter().find(|passkey| passkey.id == used.id).cloned();
    let edit = move |account: &mut Account| {
        let stored = account.passkeys.iter_mut().find(|passkey| passkey.id == used.id);
        let stored = stored.ok_or_else(|| not_found("passkey", &used.id))?;
        if checked.as_ref().is_none_or(|checked| checked.credential != stored.credential) {
            return Err(conflict("the passkey is being used elsewhere; sign in again"));
        }
        *stored = used.clone();
        Ok(())
    };
    app.access.change_account(account.id, Vec::new(), edit).await
}

/// Options for `navigator.credentials.create()`.
pub async fn registration_options(
    current: CurrentAccount,
    headers: HeaderMap,
) -> Result<Json<Json_>, ApiError> {
    current.require_recent_sign_in().await?;
    check_count(&current.account)?;
    let (state, options) = relying_party(&current.app, &headers)?.registration_options(&current.account);
    Ok(Json(sealed(&current.app, StatePurpose::PasskeyRegistration, &state, &options)))
}

/// The body that adds a passkey.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistrationBody {
    state: String,
    label: String,
    credential: Json_,
}

/// Adds a passkey to the account.
pub async fn register(current: CurrentAccount, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    current.require_recent_sign_in().await?;
    let app = &current.app;
    let party = relying_party(app, &headers)?;
    let given: RegistrationBody = read_body(&headers, body).await?;
    check_length("label", &given.label)?;
    let (state, passkey) = match checked_registration(&current, &party, &given) {
        Ok(checked) => checked,
        Err(reason) => {
            let target = format!("passkey registration: {reason}");
            app.access.record_refusal(AuditEvent::SignInFailed, target, &current.visitor).await;
            return Err(bad(reason));
        }
    };
    let id = passkey.id.clone();
    if app.access.run(move |store| store.account_by_passkey(&id)).await?.is_some() {
        return Err(conflict("this passkey is registered already"));
    }
    app.used_states.take(&state, now_ms())?;
    let entry = current.entry(AuditEvent::PasskeyAdded, passkey.id.clone());
    let added = passkey.clone();
    let edit = move |account: &mut Account| {
        check_count(account)?;
        account.passkeys.push(added.clone());
        Ok(())
    };
    app.access.change_account(current.account.id, vec![entry], edit).await?;
    Ok((StatusCode::CREATED, Json(passkey_json(&passkey))).into_response())
}

/// The state that a registration uses up, and its passkey; otherwise why it is refused.
fn checked_registration(
    current: &CurrentAccount,
    party: &RelyingParty,
    given: &RegistrationBody,
) -> Result<(OpenedState, StoredPasskey), String> {
    let app = &current.app;
    let state = open_state(app.access.key(), StatePurpose::PasskeyRegistration, &given.state, now_ms())
        .map_err(|error| error.to_string())?;
    app.used_states.check(&state).map_err(|error| error.to_string())?;
    let passkey = party
        .register(current.account.id, &state.content, &given.credential, &given.label, now_ms())
        .map_err(|error| error.to_string())?;
    Ok((state, passkey))
}

/// Removes a passkey from the account.
pub async fn remove(current: CurrentAccount, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    current.require_recent_sign_in().await?;
    let entry = current.entry(AuditEvent::PasskeyRemoved, id.clone());
    let edit = move |account: &mut Account| {
        let position = account.passkeys.iter().position(|passkey| passkey.id == id);
        let position = position.ok_or_else(|| not_found("passkey", &id))?;
        let is_last = account.passkeys.len() == 1;
        if is_last && account.password_hash.is_none() && account.identities.is_empty() {
            return Err(conflict("this is the only way to sign in to the account; add another one first"));
        }
        account.passkeys.remove(position);
        Ok(())
    };
    current.app.access.change_account(current.account.id, vec![entry], edit).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A passkey as its owner sees it.
pub fn passkey_json(passkey: &StoredPasskey) -> Json_ {
    json!({
        "id": passkey.id, "label": passkey.label,
        "createdMs": passkey.created_ms, "lastUsedMs": passkey.last_used_ms,
    })
}

fn relying_party(app: &App, headers: &HeaderMap) -> Result<RelyingParty, ApiError> {
    let origin = public_origin(&app.settings, headers);
    let host = host_of(&origin).to_owned();
    RelyingParty::new(origin, &host).map_err(|error| bad(error.to_string()))
}

fn sealed(app: &App, purpose: StatePurpose, state: &[u8], options: &Json_) -> Json_ {
    let expires_ms = now_ms() + limits::PASSKEY_SECONDS_MAX as i64 * 1_000;
    json!({ "state": seal_state(app.access.key(), purpose, state, expires_ms), "publicKey": options })
}

fn check_count(account: &Account) -> Result<(), ApiError> {
    match account.passkeys.len() < limits::PASSKEYS_PER_ACCOUNT_MAX {
        true => Ok(()),
        false => {
            Err(conflict(format!("an account has at most {} passkeys", limits::PASSKEYS_PER_ACCOUNT_MAX)))
        }
    }
}
