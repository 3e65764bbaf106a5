//! `POST /api/v1/admin/maintenance`: deletes now what the settings say.

use axum::Json;
use serde_json::{Value as Json_, json};

use crate::error::ApiError;
use crate::http::current_account::CurrentAccount;
use crate::maintenance;

/// Empties the trash, forgets old audit entries and removes what has expired. The server does the
/// same every hour.
pub async fn run(current: CurrentAccount) -> Result<Json<Json_>, ApiError> {
    let done = maintenance::run(&current.app).await?;
    Ok(Json(json!({ "workbooks": done.workbooks, "auditEntries": done.audit_entries, "ended": done.ended })))
}
