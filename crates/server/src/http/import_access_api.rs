//! `/api/v1/rooms/{room}/access/imports`: workbooks whose formulas may import from this one.

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use quadrille_access::{AuditEvent, Credentials, ImportGrant, WorkbookAccess};
use quadrille_protocol::RoomName;
use serde::Deserialize;

use super::access_api::Manager;
use super::access_input::{bad, check_count, not_found, read_body};
use super::app::App;
use super::extractors::segment;
use crate::access::now_ms;
use crate::error::{ApiError, ErrorCode};
use crate::room_name;

/// The `{importer}` of the path.
pub struct ImporterSegment(RoomName);

impl FromRequestParts<App> for ImporterSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<ImporterSegment, ApiError> {
        let text = segment(parts, app, "importer", ErrorCode::BadRoomName).await?;
        room_name::parse(&text).map(ImporterSegment)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewImport {
    room: String,
}

/// Allows a workbook to import from this one. Whoever may view it may: what they see they could copy
/// there. In a workbook that nobody owns and everybody may view there is nothing to allow.
pub async fn allow(manager: Manager, headers: HeaderMap, body: Body) -> Result<StatusCode, ApiError> {
    let NewImport { room } = read_body(&headers, body).await?;
    let importer = room_name::parse(&room)?;
    if importer == manager.room {
        return Err(bad("a workbook does not import from itself"));
    }
    let document = manager.app.access.document(&manager.room).await?;
    let is_owned = document.as_ref().is_some_and(|document| document.value.is_claimed());
    let anybody = Credentials { tenant: manager.visitor.tenant.clone(), ..Credentials::default() };
    if !is_owned && manager.app.access.decide_by(&document, &anybody).role.is_some() {
        return Ok(StatusCode::NO_CONTENT);
    }
    let by = manager.actor();
    let allow = move |access: &mut WorkbookAccess| {
        if access.imports.iter().all(|grant| grant.room != importer.as_str()) {
            check_count(access.imports.len(), "imports")?;
            let room = importer.as_str().to_owned();
            access.imports.push(ImportGrant { room, by: by.clone(), created_ms: now_ms() });
        }
        Ok(())
    };
    manager.change(AuditEvent::ImportAllowed, room, allow).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// No longer allows a workbook to import from this one.
pub async fn revoke(
    manager: Manager,
    ImporterSegment(importer): ImporterSegment,
) -> Result<StatusCode, ApiError> {
    let target = importer.as_str().to_owned();
    let revoke = move |access: &mut WorkbookAccess| {
        let count = access.imports.len();
        access.imports.retain(|grant| grant.room != importer.as_str());
        match access.imports.len() < count {
            true => Ok(()),
            false => Err(not_found("import", &importer)),
        }
    };
    manager.change(AuditEvent::ImportRevoked, target, revoke).await?;
    Ok(StatusCode::NO_CONTENT)
}
