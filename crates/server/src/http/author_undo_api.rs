//! `/api/v1/rooms/{room}/history/undo`: reverts what one author has changed and keeps what others
//! have.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::AuditEvent;
use quadrille_protocol::{Author, Revision};
use serde::Deserialize;
use serde_json::json;

use super::access_input::read_body;
use super::app::App;
use super::author::author_of;
use super::authorization::GrantedRoom;
use super::conditional::{etag, if_match};
use super::extractors::StrictQuery;
use crate::access::{Visitor, audit_entry};
use crate::error::{ApiError, ErrorCode};
use crate::history_json::operations_json;
use crate::rooms::{Change, ChosenRevisions, MissingRoom};

/// Attempts while others change the workbook.
const ATTEMPTS: u32 = 20;
/// Pause before the next attempt: the other change is durable then.
const PAUSE: Duration = Duration::from_millis(20);

/// The body of an undo.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UndoBody {
    /// The author as the history names them.
    author: GivenAuthor,
    /// Only later revisions.
    #[serde(default)]
    after: u64,
    /// No later revisions.
    up_to: Option<u64>,
    /// Only says what would be undone.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenAuthor {
    #[serde(default)]
    id: String,
    name: String,
}

/// The query of an undo.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoQuery {
    /// Name of who undoes, for the history.
    name: Option<String>,
}

/// Reverts the revisions of one author as a new change.
pub async fn undo(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    StrictQuery(query): StrictQuery<UndoQuery>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let given: UndoBody = read_body(&headers, body).await?;
    let author = author_of(query.name.as_deref().unwrap_or("API"))?;
    let chosen = ChosenRevisions {
        author: Author { id: given.author.id.into(), name: given.author.name.into() },
        after: Revision(given.after),
        up_to: Revision(given.up_to.unwrap_or(u64::MAX)),
    };
    let subject =
        format!("{} to {}", given.after + 1, given.up_to.map_or("newest".into(), |it| it.to_string()));
    let mut undo = app.rooms.begin_undo(&room, chosen).await?;
    for _ in 0..ATTEMPTS {
        let (taken, planned) = app.rooms.plan_undo(&room, undo).await?;
        let at = taken.revision;
        undo = taken;
        if let Some(expected) = expected.filter(|expected| *expected != at.0) {
            let message = format!("the room is at revision {at}, not {expected}");
            return Err(ApiError::new(ErrorCode::RevisionMismatch, message));
        }
        if planned.reverted == 0 {
            let message = "the author has no revisions there; the history has their names and ids";
            return Err(ApiError::new(ErrorCode::NotFound, message));
        }
        let mut answer = {
            let sheets = undo.workbook();
            let operations = &planned.transaction.operations;
            json!({
                "room": room.as_str(),
                "revision": at.0,
                "undone": planned.reverted,
                "operations": operations_json(operations, sheets),
                "operationCount": operations.len(),
            })
        };
        if given.dry_run {
            answer["dryRun"] = true.into();
            return Ok(Json(answer).into_response());
        }
        if planned.transaction.is_empty() {
            return Ok(([(header::ETAG, etag(at.0))], Json(answer)).into_response());
        }
        let transaction = planned.transaction;
        let change = Change::new(MissingRoom::MustExist, move |_, _| Ok(transaction))
            .heavy()
            .by(author.clone())
            .expecting(Some(at.0));
        match app.rooms.change(&room, grant.role, grant.sign(change)).await {
            Err(error) if error.code == ErrorCode::RevisionMismatch && expected.is_none() => {
                tokio::time::sleep(PAUSE).await;
            }
            done => {
                let done = done?;
                if done.recorded.is_none() {
                    let (actor, event) = (&grant.identity.actor, AuditEvent::ChangesUndone);
                    let entry = audit_entry(actor, event, Some(&room), subject, &visitor);
                    app.access.run(move |store| store.append_audit(&[entry])).await?;
                }
                answer["revision"] = done.revision.0.into();
                return Ok(([(header::ETAG, etag(done.revision.0))], Json(answer)).into_response());
            }
        }
    }
    Err(ApiError::new(ErrorCode::Conflict, "others change the workbook all the time; try again"))
}
