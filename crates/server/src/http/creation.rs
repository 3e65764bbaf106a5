//! Who may create workbooks, and to whom a new workbook belongs.

use quadrille_access::{AuditEvent, Decision, GeneralAccess, WorkbookAccess};
use quadrille_protocol::{Role, RoomName};

use super::app::App;
use super::internal_error::internal;
use crate::access::{Identity, Visitor, audit_entry, now_ms};
use crate::config::{AccessMode, ClaimPolicy, CreationPolicy, NewWorkbookAccess, Settings};
use crate::error::{ApiError, ErrorCode};

/// Whether somebody may create workbooks. A role that somebody else vouches for, such as the host
/// application of an embedded workbook, counts as an account.
pub fn may_create(settings: &Settings, identity: &Identity) -> bool {
    match settings.create_workbooks {
        CreationPolicy::Anyone => true,
        CreationPolicy::Accounts => identity.account.is_some() || identity.credentials.asserted.is_some(),
        CreationPolicy::Nobody => false,
    }
}

/// Checks that somebody may create a workbook.
///
/// # Errors
///
/// Fails with `sign_in_required` when an account is missing, and with `forbidden` when nobody may.
pub fn check_may_create(settings: &Settings, identity: &Identity) -> Result<(), ApiError> {
    if may_create(settings, identity) {
        return Ok(());
    }
    Err(match settings.create_workbooks {
        CreationPolicy::Nobody => {
            ApiError::new(ErrorCode::Forbidden, "workbooks cannot be created on this server")
        }
        _ => ApiError::new(ErrorCode::SignInRequired, "only who is signed in can create workbooks"),
    })
}

/// Whether a workbook that this identity creates belongs to its account.
pub fn is_owned_by_account(settings: &Settings, identity: &Identity) -> bool {
    identity.account.is_some() && settings.claim != ClaimPolicy::Nobody
}

/// The role of an identity in a workbook. One that does not exist is open to whoever may create it,
/// with the role of an owner if it will belong to the account.
pub async fn decide(app: &App, room: &RoomName, identity: &Identity) -> Result<Decision, ApiError> {
    let document = app.access.document(room).await?;
    // A workbook without a document belongs to no tenant.
    let is_at_tenant = identity.credentials.tenant.is_some();
    if is_at_tenant && document.is_none() && app.rooms.exists(room).await? {
        return Ok(Decision { role: None, until_ms: None });
    }
    let decision = app.access.decide_by(&document, &identity.credentials);
    let may_create = may_create(&app.settings, identity);
    let will_own = is_owned_by_account(&app.settings, identity) && decision.role.is_some_and(Role::can_edit);
    if document.is_some() || may_create && !will_own || app.rooms.exists(room).await? {
        return Ok(decision);
    }
    let role = match may_create {
        true => decision.role.map(|_| limited_owner(identity)),
        false => None,
    };
    Ok(Decision { role, ..decision })
}

/// The general access of a workbook that an account creates.
pub fn new_general_access(settings: &Settings) -> GeneralAccess {
    match (settings.access, settings.new_workbook_access) {
        (AccessMode::Accounts, NewWorkbookAccess::Restricted) => GeneralAccess::Restricted,
        _ => GeneralAccess::ServerDefault,
    }
}

/// The role `owner`, or less if the request is that of a limited API token.
pub fn limited_owner(identity: &Identity) -> Role {
    let scope = identity.credentials.account.as_ref().and_then(|account| account.scope);
    scope.map_or(Role::Owner, quadrille_access::scope_role)
}

/// Writes to a workbook. One that does not exist yet belongs to the account of the request from
/// then on, if it is created.
///
/// # Errors
///
/// Those of `write` and of the access store.
pub async fn write_owned<T: Send + 'static>(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    identity: &Identity,
    write: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    if !is_creation_noted(app, identity) {
        return write.await;
    }
    let (app, room, visitor, identity) = (app.clone(), room.clone(), visitor.clone(), identity.clone());
    let work = async move {
        let is_owned = own_new_workbook(&app, &room, &visitor, &identity).await?;
        let written = write.await;
        if is_owned && written.is_err() {
            disown_missing(&app, &room, &identity).await?;
        }
        written
    };
    // Finished even if the client disconnects.
    tokio::spawn(work).await.unwrap_or_else(|_| Err(internal("writing to the room")))
}

/// Whether something must be done when this identity creates a workbook: it gets an owner or a tenant,
/// or is counted.
pub fn is_creation_noted(app: &App, identity: &Identity) -> bool {
    is_owned_by_account(&app.settings, identity)
        || identity.credentials.tenant.is_some()
        || app.quotas.limits_creations()
}

/// Makes the account of a request the owner of a workbook that does not exist yet and belongs to
/// nobody, and the tenant at whose host it was made its tenant; whether it did.
///
/// # Errors
///
/// Fails with `quota_exceeded` when the account or the tenant has as many as it may have, and when
/// the access store does.
pub async fn own_new_workbook(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    identity: &Identity,
) -> Result<bool, ApiError> {
    if !is_creation_noted(app, identity)
        || app.access.document(room).await?.is_some()
        || app.rooms.exists(room).await?
    {
        return Ok(false);
    }
    let account = identity.account.as_ref().filter(|_| is_owned_by_account(&app.settings, identity));
    let owner = account.map(|account| account.id);
    app.quotas.take_new_workbook(owner, visitor).await?;
    let tenant = identity.credentials.tenant.as_deref().map(str::to_owned);
    if owner.is_none() && tenant.is_none() {
        return Ok(false);
    }
    let general = owner.map_or_else(GeneralAccess::default, |_| new_general_access(&app.settings));
    let event = AuditEvent::WorkbookCreated;
    let entry = audit_entry(
        &identity.actor,
        event,
        Some(room),
        owner.map_or(String::new(), |id| id.to_string()),
        visitor,
    );
    let own = move |access: Option<WorkbookAccess>| match access {
        // Somebody else was faster.
        Some(access) => Ok((Some(access), Vec::new())),
        None => {
            let tenant = tenant.clone();
            let access =
                WorkbookAccess { owner, general, tenant, created_ms: now_ms(), ..Default::default() };
            Ok((Some(access), vec![entry.clone()]))
        }
    };
    let document = app.access.change(room, own).await?;
    Ok(document.is_some_and(|document| document.value.owner == owner))
}

/// Takes back what [`own_new_workbook`] did when the workbook was not created after all.
async fn disown_missing(app: &App, room: &RoomName, identity: &Identity) -> Result<(), ApiError> {
    if app.rooms.exists(room).await? {
        return Ok(());
    }
    let owner = identity.account.as_ref().map(|account| account.id);
    let disown = move |access: Option<WorkbookAccess>| {
        let kept = access.filter(|access| {
            let is_untouched = access.owner == owner
                && access.owner_keys.is_empty()
                && access.grants.is_empty()
                && access.links.is_empty();
            !is_untouched
        });
        Ok((kept, Vec::new()))
    };
    app.access.change(room, disown).await.map(|_| ())
}
