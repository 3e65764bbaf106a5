//! `/api/v1/admin`: what admins of the server may see and change.
//!
//! Each route has the access [`Admin`](super::authorization::RouteAccess::Admin). Lists come in pages:
//! a page has at most [`PAGE_MAX`](crate::limits::ADMIN_PAGE_MAX) rows and names the next one. A search
//! reads at most [`SCANNED_MAX`](crate::limits::ADMIN_SCANNED_MAX) entries for one page.

pub mod accounts;
pub mod audit;
pub mod maintenance;
pub mod overview;
pub mod quotas;
pub mod sessions;
pub mod workbooks;

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use quadrille_access::{AccountId, SecretId};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{bad, not_found};
use super::app::App;
use super::extractors::segment;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Rows of a page without `limit`.
const PAGE_ROWS: usize = 50;
/// Entries that are read at once from the access store, so that other requests get a turn.
const BATCH: usize = 500;

/// The query of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// Only rows that contain this text, in any case.
    q: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    limit: Option<usize>,
}

/// A page that is asked for.
struct Page<C> {
    search: String,
    after: Option<C>,
    limit: usize,
}

impl PageQuery {
    /// # Errors
    /// 400 for a cursor that is not one of this list.
    fn page<C>(self, parse: impl Fn(&str) -> Option<C>) -> Result<Page<C>, ApiError> {
        let cursor =
            |text: String| parse(&text).ok_or_else(|| bad(format!("not a cursor of this list: {text}")));
        Ok(Page {
            search: self.q.unwrap_or_default().trim().to_lowercase(),
            after: self.after.map(cursor).transpose()?,
            limit: row_count(self.limit),
        })
    }
}

impl<C> Page<C> {
    /// Whether one of the texts contains what is searched for.
    fn includes(&self, texts: &[&str]) -> bool {
        self.search.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(&self.search))
    }
}

fn row_count(limit: Option<usize>) -> usize {
    limit.unwrap_or(PAGE_ROWS).clamp(1, limits::ADMIN_PAGE_MAX)
}

/// The `{account}` of the path.
pub struct AccountSegment(pub AccountId);

impl FromRequestParts<App> for AccountSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<AccountSegment, ApiError> {
        let text = segment(parts, app, "account", ErrorCode::BadAddress).await?;
        AccountId::parse(&text).map(AccountSegment).ok_or_else(|| not_found("account", text))
    }
}

/// The `{session}` or `{token}` of the path.
pub struct SecretSegment(pub SecretId);

impl FromRequestParts<App> for SecretSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SecretSegment, ApiError> {
        let name = if parts.uri.path().contains("/sessions/") { "session" } else { "token" };
        let text = segment(parts, app, name, ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(SecretSegment).ok_or_else(|| not_found(name, text))
    }
}

/// The `{tenant}` of the path.
pub struct TenantSegment(pub String);

impl FromRequestParts<App> for TenantSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<TenantSegment, ApiError> {
        segment(parts, app, "tenant", ErrorCode::BadAddress).await.map(TenantSegment)
    }
}

/// The names of accounts, for rows that name an account by its identifier.
struct Names(BTreeMap<AccountId, String>);

impl Names {
    async fn of(app: &App, ids: impl IntoIterator<Item = AccountId>) -> Result<Names, ApiError> {
        let ids: Vec<AccountId> = ids.into_iter().collect();
        let names = app.access.run(move |store| {
            let mut names = BTreeMap::new();
            for id in ids {
                if let Some(stored) = store.account(id)? {
                    names.insert(id, stored.value.name);
                }
            }
            Ok(names)
        });
        names.await.map(Names)
    }

    /// `{"id","name"}`; the name is null when the account was deleted.
    fn json(&self, id: AccountId) -> Json_ {
        json!({ "id": id.to_string(), "name": self.0.get(&id) })
    }
}
