//! `/api/v1/rooms/{room}/history`: lists revisions, reads the workbook at a revision and restores
//! it.

use axum::Json;
use axum::extract::{Extension, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::AuditEvent;
use quadrille_cell::CellAddress;
use quadrille_protocol::{Record, Revision, RoomName};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::app::App;
use super::author::author_of;
use super::authorization::GrantedRoom;
use super::conditional::{etag, if_match};
use super::export::Exporter;
use super::extractors::{RangeSegment, RoomSegment, SheetSegment, StrictQuery, segment};
use super::{cells_api, rooms_api};
use crate::access::{Visitor, audit_entry};
use crate::cells::Notation;
use crate::error::{ApiError, ErrorCode};
use crate::history_json::{TracedCell, cell_record_json, record_json, title_after};
use crate::limits;
use crate::rooms::{Change, MissingRoom, Reading};
use crate::sheet_lookup::sheet_by_name;

/// The `{revision}` of the path.
pub struct RevisionSegment(pub Revision);

impl<S: Send + Sync> FromRequestParts<S> for RevisionSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RevisionSegment, ApiError> {
        let text = segment(parts, state, "revision", ErrorCode::BadAddress).await?;
        let number = text.parse().map_err(|_| {
            ApiError::new(ErrorCode::BadAddress, "a revision must be an integer, such as 12".to_owned())
        })?;
        Ok(RevisionSegment(Revision(number)))
    }
}

/// The query of `GET …/history`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// The current address of a cell, `B2` or `Sheet1!B2`: only revisions that concern it.
    cell: Option<String>,
    /// Only revisions before this one.
    before: Option<u64>,
    /// Only revisions after this one.
    after: Option<u64>,
    /// Maximum number of revisions; 50 by default.
    limit: Option<u64>,
}

/// Revisions read from the journal at once.
const STEP: u64 = 200;

/// Lists revisions, newest first.
pub async fn list(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<HistoryQuery>,
) -> Result<Json<Json_>, ApiError> {
    let now = app.rooms.read_inputs(&room).await?;
    let cell = query.cell.as_deref().map(|cell| parse_cell(&now, cell)).transpose()?;
    let limit = query.limit.unwrap_or(50).clamp(1, limits::HISTORY_REVISIONS_MAX) as usize;
    // A room without records has no history.
    let base = app.rooms.history_base(&room).await.map_or(0, |base| base.0);
    let after = query.after.unwrap_or(0).max(base);
    let first = query.before.unwrap_or(u64::MAX).min(now.revision.0 + 1);
    // A cell is followed backwards from its current address.
    let mut before = if cell.is_some() { now.revision.0 + 1 } else { first };
    let mut at = cell;
    let mut revisions = Vec::new();
    let mut title_changes = TitleChanges::default();
    let mut scanned = 0;
    while before > after + 1 && revisions.len() < limit && scanned < limits::HISTORY_SCANNED_MAX {
        let step = if cell.is_some() { STEP } else { STEP.min((limit - revisions.len()) as u64) };
        let begin = (before - 1).saturating_sub(step).max(after);
        let records = read_records(&app, &room, begin, before - 1).await?;
        if records.is_empty() {
            break;
        }
        for record in records.iter().rev() {
            before = record.revision.0;
            scanned += 1;
            match at {
                None if cell.is_some() => return Ok(history_response(&room, &now, base, revisions, None)),
                None => {
                    title_changes.add(record, &mut revisions);
                    revisions.push(record_json(record, &now.workbook));
                }
                Some(traced) => {
                    let (json, earlier) = cell_record_json(record, traced, &now.workbook);
                    at = earlier;
                    revisions.extend(json.filter(|_| record.revision.0 < first));
                }
            }
            if revisions.len() == limit {
                break;
            }
        }
    }
    title_changes.finish(&app, &room, &mut revisions).await;
    let ended = before <= after + 1 || (cell.is_some() && at.is_none());
    Ok(history_response(&room, &now, base, revisions, (!ended).then_some(before)))
}

/// Adds the old and new title to revisions that change the title. Revisions are added newest first;
/// the title after an older change is the title before the newer one.
#[derive(Default)]
struct TitleChanges {
    /// The change whose old title is not known yet: its index in the list, its revision and its new
    /// title.
    open: Option<(usize, u64, Option<String>)>,
}

impl TitleChanges {
    /// Adds a record, which the caller then appends to the list.
    fn add(&mut self, record: &Record, revisions: &mut [Json_]) {
        let Some(after) = title_after(record) else { return };
        if let Some((index, _, to)) = self.open.take() {
            TitleChanges::describe(&mut revisions[index], after.as_deref(), to.as_deref());
        }
        self.open = Some((revisions.len(), record.revision.0, after));
    }

    /// Completes the oldest change with the title of the workbook before it.
    async fn finish(self, app: &App, room: &RoomName, revisions: &mut [Json_]) {
        let Some((index, revision, to)) = self.open else { return };
        let from = match revision {
            0 | 1 => None,
            _ => match app.rooms.workbook_at(room, Revision(revision - 1)).await {
                Ok(before) => before.inputs.title().map(str::to_owned),
                // The history no longer has that revision; only the new title is known.
                Err(_) => None,
            },
        };
        TitleChanges::describe(&mut revisions[index], from.as_deref(), to.as_deref());
    }

    fn describe(revision: &mut Json_, from: Option<&str>, to: Option<&str>) {
        if from != to {
            revision["title"] = json!({ "from": from, "to": to });
        }
    }
}

fn history_response(
    room: &RoomName,
    now: &Reading,
    base: u64,
    revisions: Vec<Json_>,
    next: Option<u64>,
) -> Json<Json_> {
    Json(json!({
        "room": room.as_str(),
        "head": now.revision.0,
        "first": base + 1,
        "revisions": revisions,
        "next": next,
    }))
}

/// Reads all records after one revision up to another.
async fn read_records(app: &App, room: &RoomName, after: u64, up_to: u64) -> Result<Vec<Record>, ApiError> {
    let mut records = app.rooms.records(room, Revision(after), Revision(up_to)).await?;
    while let Some(last) = records.last()
        && last.revision.0 < up_to
    {
        let more = app.rooms.records(room, last.revision, Revision(up_to)).await?;
        if more.is_empty() {
            break;
        }
        records.extend(more);
    }
    Ok(records)
}

/// Parses `B2` or `Sheet1!B2`.
fn parse_cell(now: &Reading, text: &str) -> Result<TracedCell, ApiError> {
    let (sheet, cell) = match text.rsplit_once('!') {
        Some((name, cell)) => (sheet_by_name(&now.workbook, name.trim_matches('\''))?, cell),
        None => (&*now.workbook.sheets()[0], text),
    };
    let cell = CellAddress::parse_a1(cell)
        .map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    Ok(TracedCell { sheet: sheet.id(), cell })
}

/// Returns facts about the workbook at a revision, or its contents in the requested format.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<rooms_api::ReadQuery>,
    exporter: Exporter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let reading = reading_at(&app, &room, revision).await?;
    rooms_api::workbook_response(&app, &room, &exporter, reading, &query, &headers).await
}

/// Returns cells of the workbook at a revision.
pub async fn read_cells(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
) -> Result<Response, ApiError> {
    let reading = reading_at(&app, &room, revision).await?;
    cells_api::cells_response(&room, reading, sheet_name, range, Notation::A1).await
}

async fn reading_at(app: &App, room: &RoomName, revision: Revision) -> Result<Reading, ApiError> {
    let workbook = app.rooms.workbook_handle(app.rooms.workbook_at(room, revision).await?.values);
    Ok(Reading { workbook, revision, sessions: 0, import_sources: Vec::new() })
}

/// The query of `POST …/restore`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestoreQuery {
    /// Name of the author, for the history.
    name: Option<String>,
}

/// Restores the contents of a revision as a new change, which can be undone by restoring a later
/// revision.
pub async fn restore(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<RestoreQuery>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let author = author_of(query.name.as_deref().unwrap_or("API"))?;
    let restored = app.rooms.workbook_at(&room, revision).await?;
    let change = Change::replace_contents(restored.inputs).if_missing(MissingRoom::MustExist).by(author);
    let done = app.rooms.change(&room, grant.role, grant.sign(change).expecting(expected)).await?;
    if done.recorded.is_none() {
        let (actor, event) = (&grant.identity.actor, AuditEvent::RevisionRestored);
        let entry = audit_entry(actor, event, Some(&room), revision.to_string(), &visitor);
        app.access.run(move |store| store.append_audit(&[entry])).await?;
    }
    let body = json!({ "room": room.as_str(), "revision": done.revision.0, "restored": revision.0 });
    Ok(([(header::ETAG, etag(done.revision.0))], Json(body)).into_response())
}
