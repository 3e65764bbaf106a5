//! `GET /api/v1/admin/overview`: how much of everything there is.

use axum::Json;
use serde_json::{Value as Json_, json};

use crate::error::ApiError;
use crate::http::current_account::CurrentAccount;
use crate::http::sign_in_answer::session_json;

/// Counts of accounts, workbooks and sessions, the size of the data directory, and how people can
/// sign in.
pub async fn read(current: CurrentAccount) -> Result<Json<Json_>, ApiError> {
    let app = &current.app;
    let counts = app.access.run(|store| store.counts()).await?;
    let open = app.rooms.open_rooms().await;
    let people: usize = open.iter().map(|room| room.sessions.len()).sum();
    let session = session_json(app, Some(&current.account), None, true).await?;
    let stored_bytes = stored_bytes(&app.settings.data);
    Ok(Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "accounts": counts.accounts,
        "admins": counts.admins,
        "disabledAccounts": counts.disabled_accounts,
        "sessions": counts.sessions,
        "tokens": counts.tokens,
        "workbooks": counts.workbooks,
        "trashedWorkbooks": counts.trashed_workbooks,
        "openRooms": open.len(),
        "people": people,
        "storedBytes": stored_bytes,
        "access": app.settings.access,
        "create": app.settings.create_workbooks,
        "signIn": session["signIn"],
        "trashDays": app.settings.trash_days,
        "auditDays": app.settings.audit_days,
    })))
}

/// Bytes of the files of the data directory.
fn stored_bytes(data: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(data) else { return 0 };
    let files = entries.filter_map(Result::ok).filter_map(|entry| entry.metadata().ok());
    files.filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
