//! What the requests about forms and about published pages share: both are in the access document of their
//! workbook.

use quadrille_access::{AuditEvent, SecretId, WorkbookAccess};

use super::app::App;
use super::authorization::GrantedRoom;
use crate::access::{Visitor, audit_entry, now_ms};
use crate::error::ApiError;

/// Changes the access document of a workbook, with an entry in the audit log about the form or page `id`.
/// `edit` may run several times.
///
/// # Errors
///
/// Fails with the error of `edit`, or when the document cannot be stored.
pub async fn change(
    app: &App,
    granted: &GrantedRoom,
    visitor: &Visitor,
    (event, id): (AuditEvent, SecretId),
    mut edit: impl FnMut(&mut WorkbookAccess) -> Result<(), ApiError> + Send + 'static,
) -> Result<(), ApiError> {
    let (room, identity) = (&granted.room, &granted.grant.identity);
    let entry = audit_entry(&identity.actor, event, Some(room), id.to_string(), visitor);
    let tenant = identity.credentials.tenant.as_deref().map(str::to_owned);
    let edit = move |access: Option<WorkbookAccess>| {
        // A workbook that nobody owns keeps the access that the server gives.
        let new = || WorkbookAccess { tenant: tenant.clone(), created_ms: now_ms(), ..Default::default() };
        let mut access = access.unwrap_or_else(new);
        edit(&mut access)?;
        Ok((Some(access), vec![entry.clone()]))
    };
    app.access.change(room, edit).await.map(|_| ())
}
