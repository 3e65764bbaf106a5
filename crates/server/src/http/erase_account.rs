//! Deleting a person: the account and everything that only this person owns.

use quadrille_access::{AccountId, Actor, AuditEntry, AuditEvent};
use quadrille_protocol::RoomName;

use super::app::App;
use crate::access::{Visitor, audit_entry};
use crate::error::{ApiError, ErrorCode};

/// Workbooks that are read at once.
const WORKBOOKS_PER_READ: usize = 100;

/// Deletes an account, its sessions, tokens and grants, and the workbooks that nobody else owns.
///
/// # Errors
///
/// Fails when a store does; what was deleted until then stays deleted.
pub async fn erase_account(
    app: &App,
    id: AccountId,
    entry: AuditEntry,
    visitor: &Visitor,
) -> Result<(), ApiError> {
    let mut after: Option<RoomName> = None;
    loop {
        let last = after.clone();
        let listed =
            app.access.run(move |store| store.workbooks_of(id, None, last.as_ref(), WORKBOOKS_PER_READ));
        let listed = listed.await?;
        for workbook in &listed {
            let is_only_theirs = workbook.access.owner == Some(id) && workbook.access.owner_keys.is_empty();
            if is_only_theirs {
                delete_workbook(app, &workbook.room, &entry.actor, visitor).await?;
            }
        }
        match listed.last() {
            Some(last) if listed.len() == WORKBOOKS_PER_READ => after = Some(last.room.clone()),
            _ => break,
        }
    }
    app.access.delete_account(id, vec![entry]).await?;
    Ok(())
}

/// Deletes a workbook with its history and its access document.
async fn delete_workbook(
    app: &App,
    room: &RoomName,
    actor: &Actor,
    visitor: &Visitor,
) -> Result<(), ApiError> {
    match app.rooms.delete(room).await {
        Err(error) if error.code != ErrorCode::NoSuchRoom => return Err(error),
        _ => {}
    }
    let entry = audit_entry(actor, AuditEvent::WorkbookDeleted, Some(room), "account deleted", visitor);
    app.access.change(room, move |_| Ok((None, vec![entry.clone()]))).await?;
    Ok(())
}
