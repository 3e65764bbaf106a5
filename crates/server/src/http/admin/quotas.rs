//! `/api/v1/admin/tenants` and the quotas of accounts and tenants.

use axum::Json;
use axum::body::Body;
use axum::http::HeaderMap;
use quadrille_access::{AuditEvent, Quota, QuotaSubject};
use serde_json::{Value as Json_, json};

use super::{AccountSegment, TenantSegment};
use crate::error::ApiError;
use crate::http::access_input::{not_found, read_body};
use crate::http::current_account::CurrentAccount;

/// Lists the tenants of the settings with their use.
pub async fn list_tenants(current: CurrentAccount) -> Result<Json<Json_>, ApiError> {
    let quotas = &current.app.quotas;
    let mut rows = Vec::new();
    for subject in quotas.tenants() {
        let usage = quotas.usage(subject).await?;
        let QuotaSubject::Tenant(host) = &subject.name else { continue };
        let mut row = usage.json();
        row["name"] = host.as_str().into();
        row["stored"] = json!(quotas.stored(&subject.name));
        rows.push(row);
    }
    Ok(Json(json!({ "tenants": rows })))
}

/// Sets the quota of a tenant. Members of null stand for the setting of the server.
pub async fn set_tenant(
    current: CurrentAccount,
    TenantSegment(host): TenantSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    set(&current, QuotaSubject::Tenant(host), read_body(&headers, body).await?).await
}

/// Sets the quota of an account. Members of null stand for the setting of the server.
pub async fn set_account(
    current: CurrentAccount,
    AccountSegment(id): AccountSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let quota = read_body(&headers, body).await?;
    current.app.access.account(id).await?.ok_or_else(|| not_found("account", id))?;
    set(&current, QuotaSubject::Account(id), quota).await
}

async fn set(current: &CurrentAccount, subject: QuotaSubject, quota: Quota) -> Result<Json<Json_>, ApiError> {
    let entry = current.entry(AuditEvent::QuotaChanged, subject.to_string());
    Ok(Json(current.app.quotas.set(subject, quota, entry).await?.json()))
}
