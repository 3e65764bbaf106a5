//! `/api/v1/admin/accounts`: list, create, change, invite and delete accounts.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Account, AccountId, AuditEvent, Email, QuotaSubject};
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json_, json};

use super::{AccountSegment, BATCH, Page, PageQuery};
use crate::access::{NewAccount, check_account_name};
use crate::error::{ApiError, ErrorCode};
use crate::http::access_input::{bad, not_found, read_body};
use crate::http::app::App;
use crate::http::current_account::CurrentAccount;
use crate::http::extractors::StrictQuery;
use crate::http::session_api::password_error;
use crate::limits;
use crate::privacy::{self, OwnedWorkbooks};

/// Lists accounts by identifier.
pub async fn list(
    current: CurrentAccount,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Json<Json_>, ApiError> {
    let app = &current.app;
    let page = query.page(AccountId::parse)?;
    let (accounts, next) = search(app, &page).await?;
    let mut rows = Vec::new();
    for account in accounts {
        rows.push(row(app, account).await?);
    }
    Ok(Json(json!({ "accounts": rows, "next": next.map(|id| id.to_string()) })))
}

/// The accounts of a page, and the cursor of the next one.
async fn search(app: &App, page: &Page<AccountId>) -> Result<(Vec<Account>, Option<AccountId>), ApiError> {
    let (mut found, mut after, mut scanned) = (Vec::new(), page.after, 0);
    loop {
        let batch = app.access.run(move |store| store.accounts(after, BATCH)).await?;
        let is_last = batch.len() < BATCH;
        for account in batch {
            let id = account.id;
            let email = account.email.as_ref().map_or("", Email::as_str).to_owned();
            if page.includes(&[&account.name, &email, &id.to_string()]) {
                if found.len() == page.limit {
                    return Ok((found, after));
                }
                found.push(account);
            }
            after = Some(id);
            scanned += 1;
        }
        if is_last {
            return Ok((found, None));
        }
        if scanned >= limits::ADMIN_SCANNED_MAX {
            return Ok((found, after));
        }
    }
}

/// One account, without anything by which somebody could sign in.
async fn row(app: &App, account: Account) -> Result<Json_, ApiError> {
    let id = account.id;
    let counted = app.access.run(move |store| Ok((store.sessions_of(id)?.len(), store.tokens_of(id)?.len())));
    let (sessions, tokens) = counted.await?;
    let usage = app.quotas.usage_of_account(id).await?;
    let mut quota = usage.json();
    quota["stored"] = json!(app.quotas.stored(&QuotaSubject::Account(id)));
    let identities: Vec<Json_> = account
        .identities
        .iter()
        .map(|identity| json!({ "issuer": identity.issuer, "subject": identity.subject }))
        .collect();
    Ok(json!({
        "id": id.to_string(),
        "name": account.name,
        "email": account.email.as_ref().map(Email::as_str),
        "isEmailVerified": account.is_email_verified,
        "isAdmin": account.is_admin,
        "isDisabled": account.is_disabled,
        "hasPassword": account.password_hash.is_some(),
        "passkeyCount": account.passkeys.len(),
        "identities": identities,
        "sessionCount": sessions,
        "tokenCount": tokens,
        "workbookCount": usage.workbooks,
        "storedBytes": usage.bytes,
        "quota": quota,
        "createdMs": account.created_ms,
        "lastSeenMs": account.last_seen_ms,
    }))
}

/// The body that creates an account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewAccountBody {
    name: String,
    email: Option<String>,
    #[serde(default)]
    is_admin: bool,
    /// Without one the answer has a link that signs in once.
    password: Option<String>,
}

/// Creates an account with a password, or with a link that signs in once.
pub async fn create(current: CurrentAccount, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let given: NewAccountBody = read_body(&headers, body).await?;
    let app = &current.app;
    let name = check_account_name(&given.name)?;
    let email = given.email.as_deref().map(parse_email).transpose()?;
    let has_password = given.password.is_some();
    let password_hash = match given.password {
        Some(password) => {
            let hash = app.passwords.hash_for(&name, email.as_ref(), password).await;
            Some(hash.map_err(password_error)?)
        }
        None => None,
    };
    let new = NewAccount {
        name,
        // The admin vouches for the address: it is how the person signs in.
        is_email_verified: email.is_some(),
        email,
        is_admin: given.is_admin,
        password_hash,
        ..NewAccount::default()
    };
    let account = app.access.create_account(new, &current.identity.actor, &current.visitor).await?;
    let invitation = match has_password {
        true => Json_::Null,
        false => invitation(&current, account.id).await?,
    };
    let reply = json!({ "account": row(app, account).await?, "invitation": invitation });
    Ok((StatusCode::CREATED, Json(reply)).into_response())
}

/// Makes a link that signs in to the account once, for a new person or after a forgotten password.
pub async fn invite(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
) -> Result<Response, ApiError> {
    let invitation = invitation(&current, id).await?;
    Ok((StatusCode::CREATED, Json(json!({ "invitation": invitation }))).into_response())
}

async fn invitation(current: &CurrentAccount, id: AccountId) -> Result<Json_, ApiError> {
    let entry = current.entry(AuditEvent::AccountChanged, id.to_string());
    let secret = current.app.access.make_sign_in_link(id, vec![entry]).await?;
    let account = current.app.access.account(id).await?.ok_or_else(|| not_found("account", id))?;
    let expires_ms = account.sign_in_link.map(|link| link.expires_ms);
    let base = current.app.settings.public_base(current.visitor.tenant.as_deref());
    let url = format!("{base}/_sign-in#once={}", secret.reveal());
    Ok(json!({ "url": url, "expiresMs": expires_ms, "sent": false }))
}

/// The body that changes an account. Absent members stay unchanged.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AccountChange {
    name: Option<String>,
    /// `null` removes the address.
    #[serde(default, deserialize_with = "given")]
    email: Option<Option<String>>,
    is_admin: Option<bool>,
    is_disabled: Option<bool>,
    /// Sets a new password; the sessions of the account end.
    password: Option<String>,
}

/// Tells `null` from an absent member.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Changes the name, the address, the password or the rights of an account.
pub async fn change(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let given: AccountChange = read_body(&headers, body).await?;
    let app = &current.app;
    let name = given.name.as_deref().map(check_account_name).transpose()?;
    let email = match &given.email {
        Some(Some(text)) => Some(Some(parse_email(text)?)),
        Some(None) => Some(None),
        None => None,
    };
    let password_hash = match given.password {
        Some(password) => {
            let stored = app.access.account(id).await?.ok_or_else(|| not_found("account", id))?;
            let name = name.as_ref().unwrap_or(&stored.name);
            let email = email.as_ref().unwrap_or(&stored.email);
            let hash = app.passwords.hash_for(name, email.as_ref(), password).await;
            Some(hash.map_err(password_error)?)
        }
        None => None,
    };
    let event = match (given.is_disabled, &password_hash) {
        (Some(true), _) => AuditEvent::AccountDisabled,
        (_, Some(_)) => AuditEvent::PasswordChanged,
        _ => AuditEvent::AccountChanged,
    };
    let entry = current.entry(event, id.to_string());
    let ends_sessions = password_hash.is_some();
    let edit = move |account: &mut Account| {
        if let Some(name) = &name {
            account.name.clone_from(name);
        }
        if let Some(email) = &email {
            account.is_email_verified = email.is_some();
            account.email.clone_from(email);
        }
        account.is_admin = given.is_admin.unwrap_or(account.is_admin);
        account.is_disabled = given.is_disabled.unwrap_or(account.is_disabled);
        if let Some(hash) = &password_hash {
            account.password_hash = Some(hash.clone());
        }
        Ok(())
    };
    let account = app.access.change_account(id, vec![entry], edit).await?;
    if ends_sessions {
        let entry = current.entry(AuditEvent::SessionEnded, id.to_string());
        app.access.end_sessions(id, None, vec![entry]).await?;
    }
    row(app, account).await.map(Json)
}

/// Ends all sessions of an account.
pub async fn end_sessions(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
) -> Result<StatusCode, ApiError> {
    current.app.access.account(id).await?.ok_or_else(|| not_found("account", id))?;
    let entry = current.entry(AuditEvent::SessionEnded, id.to_string());
    current.app.access.end_sessions(id, None, vec![entry]).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The query of a deletion.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DeleteQuery {
    /// The account that gets the workbooks; without it they are deleted.
    transfer_to: Option<String>,
}

/// Deletes an account with everything stored about the person.
pub async fn delete(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
    StrictQuery(query): StrictQuery<DeleteQuery>,
) -> Result<StatusCode, ApiError> {
    let app = &current.app;
    let owned = match query.transfer_to {
        None => OwnedWorkbooks::Delete,
        Some(text) => {
            let to = AccountId::parse(&text).ok_or_else(|| not_found("account", &text))?;
            if to == id {
                return Err(bad("an account cannot give its workbooks to itself"));
            }
            app.access.account(to).await?.ok_or_else(|| not_found("account", to))?;
            OwnedWorkbooks::TransferTo(to)
        }
    };
    privacy::erase(app, id, owned, &current.identity.actor, &current.visitor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Everything that is stored about the person of an account, as a file.
pub async fn export(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
) -> Result<Response, ApiError> {
    privacy::export(&current.app, id, current.entry(AuditEvent::AccountExported, id.to_string())).await
}

fn parse_email(text: &str) -> Result<Email, ApiError> {
    Email::parse(text)
        .ok_or_else(|| ApiError::new(ErrorCode::BadRequest, format!("not an e-mail address: {text}")))
}
