//! What the server deletes by itself: workbooks that were in the trash for `trash_days`, entries of
//! the audit log older than `audit_days`, idempotency keys, and sessions and tokens that have expired.
//!
//! A run is bounded, so that it does not hold up other work for long; the next one continues. It can
//! be interrupted at any point: a workbook that is being deleted is still in the trash.

use std::time::Duration;

use quadrille_access::{Actor, AuditEntry, AuditEvent, AuditNumber, GeneralAccess, WorkbookAccess};
use quadrille_protocol::RoomName;
use tokio::sync::watch;

use crate::access::now_ms;
use crate::error::{ApiError, ErrorCode};
use crate::http::{App, delete_workbook};
use crate::limits;
use crate::stopped::stopped;

/// Time between two runs.
const EVERY: Duration = Duration::from_secs(3_600);
/// How long refused requests are counted before they become entries of the audit log.
const DENIALS_EVERY: Duration = Duration::from_secs(60);
/// Time between two sweeps that remove objects to which nothing refers.
const SWEEP_OBJECTS_EVERY: Duration = Duration::from_secs(86_400);
/// Workbooks and entries that are deleted before other work gets a turn.
const WORKBOOKS_AT_ONCE: usize = 20;
const ENTRIES_AT_ONCE: usize = 1_000;

const DAY_MS: i64 = 86_400_000;

/// What a run has deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    pub workbooks: u64,
    pub audit_entries: u64,
    /// Sessions and tokens.
    pub ended: u64,
}

/// Runs until the server stops: at once, then every hour.
pub async fn repeat(app: App, mut stop: watch::Receiver<bool>) {
    let mut runs = tokio::time::interval(EVERY);
    let mut denials = tokio::time::interval(DENIALS_EVERY);
    let mut sweeps = tokio::time::interval(SWEEP_OBJECTS_EVERY);
    loop {
        tokio::select! {
            _ = runs.tick() => {
                if let Err(error) = run(&app).await {
                    tracing::warn!(reason = error.message, "maintenance failed and is tried again later");
                }
                if let Err(error) = app.quotas.refresh().await {
                    tracing::warn!(reason = error.message, "the use of accounts was not counted");
                }
            }
            _ = denials.tick() => {
                if let Err(error) = app.denials.store(&app.access).await {
                    tracing::warn!(reason = error.message, "refused requests were not written to the audit log");
                }
            }
            _ = sweeps.tick() => {
                match app.rooms.sweep_objects(now_ms()).await {
                    Ok(Some(swept)) if swept.removed > 0 => {
                        tracing::info!(swept.objects, swept.removed, "removed objects that nothing refers to");
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(reason = error.message, "unreferenced objects were not removed");
                    }
                }
            }
            () = stopped(&mut stop) => {
                _ = app.denials.store(&app.access).await;
                return;
            }
        }
    }
}

/// Deletes what is due, up to [`MAINTENANCE_MAX`](limits::MAINTENANCE_MAX) workbooks and as many
/// thousand entries of the audit log.
///
/// # Errors
/// When the store or the storage fails. What was deleted until then stays deleted.
pub async fn run(app: &App) -> Result<Done, ApiError> {
    let _only = app.maintaining.lock().await;
    let now_ms = now_ms();
    let mut done =
        Done { ended: app.access.run(move |store| store.delete_expired(now_ms)).await?, ..Done::default() };
    let keys_before_ms = now_ms - limits::IDEMPOTENCY_KEY_HOURS as i64 * 3_600_000;
    for _ in 0..limits::MAINTENANCE_MAX {
        let forget =
            app.access.run(move |store| store.forget_keyed_requests_before(keys_before_ms, ENTRIES_AT_ONCE));
        if forget.await? < ENTRIES_AT_ONCE as u64 {
            break;
        }
    }
    if let Some(before_ms) = before(now_ms, app.settings.audit_days) {
        for _ in 0..limits::MAINTENANCE_MAX {
            let forgotten =
                app.access.run(move |store| store.forget_audit_before(before_ms, ENTRIES_AT_ONCE)).await?;
            done.audit_entries += forgotten;
            if forgotten < ENTRIES_AT_ONCE as u64 {
                break;
            }
        }
    }
    if let Some(before_ms) = before(now_ms, app.settings.trash_days) {
        done.workbooks = empty_trash(app, before_ms).await?;
    }
    if done != Done::default() {
        tracing::info!(done.workbooks, done.audit_entries, done.ended, "deleted what the settings say");
    }
    Ok(done)
}

/// The moment `days` ago; `None` for 0, which keeps everything.
fn before(now_ms: i64, days: u32) -> Option<i64> {
    (days > 0).then(|| now_ms - i64::from(days) * DAY_MS)
}

async fn empty_trash(app: &App, before_ms: i64) -> Result<u64, ApiError> {
    let mut deleted = 0;
    while deleted < limits::MAINTENANCE_MAX {
        let due = app.access.run(move |store| store.trashed_before(before_ms, WORKBOOKS_AT_ONCE)).await?;
        if due.is_empty() {
            break;
        }
        let mut progress = 0;
        for room in due {
            match delete_trashed(app, &room, before_ms).await {
                Ok(()) => progress += 1,
                Err(error) => {
                    tracing::error!(%room, reason = error.message, "a workbook in the trash was not deleted");
                }
            }
        }
        deleted += progress;
        if progress == 0 {
            // The same workbooks would come again.
            break;
        }
    }
    Ok(deleted)
}

/// Deletes a workbook, unless its owner has restored it since it was listed.
async fn delete_trashed(app: &App, room: &RoomName, before_ms: i64) -> Result<(), ApiError> {
    let close = move |access: Option<WorkbookAccess>| {
        let mut access = access.filter(|access| access.trashed_ms.is_some_and(|at| at < before_ms));
        match &mut access {
            // From here on nobody can restore it.
            Some(access) => close_access(access),
            None => return Err(ApiError::new(ErrorCode::Conflict, "the workbook was restored")),
        }
        Ok((access, Vec::new()))
    };
    app.access.change(room, close).await?;
    let entry = AuditEntry {
        number: AuditNumber(0),
        time_ms: now_ms(),
        actor: Actor::Server,
        event: AuditEvent::WorkbookDeleted,
        room: Some(room.as_str().to_owned()),
        target: "trash".into(),
        address: String::new(),
    };
    delete_workbook(app, room, entry).await
}

/// Takes everybody's access away. The document stays until the contents are deleted: without one the
/// workbook would be open to everybody.
pub fn close_access(access: &mut WorkbookAccess) {
    access.general = GeneralAccess::Restricted;
    access.owner = None;
    access.owner_keys.clear();
    access.grants.clear();
    access.links.clear();
}
