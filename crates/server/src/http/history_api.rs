//! `/api/v1/rooms/{room}/history`: who did what when, the workbook as it was, and bringing that back.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::CellAddress;
use quadrille_protocol::{Record, Revision, RoomName};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::segments::{RangeSegment, RoomSegment, SheetSegment, StrictQuery, segment, sheet};
use super::{App, cells_api, content, rooms_api};
use crate::cells::Notation;
use crate::error::{ApiError, ErrorCode};
use crate::history::{TracedCell, cell_record_json, record_json, title_after};
use crate::limits;
use crate::rooms::{Change, MissingRoom, Reading};

/// The `{revision}` of the path.
pub struct RevisionSegment(pub Revision);

impl<S: Send + Sync> FromRequestParts<S> for RevisionSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RevisionSegment, ApiError> {
        let text = segment(parts, state, "revision", ErrorCode::BadAddress).await?;
        let number = text.parse().map_err(|_| {
            ApiError::new(ErrorCode::BadAddress, "a revision is a whole number, such as 12".to_owned())
        })?;
        Ok(RevisionSegment(Revision(number)))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// `B2` or `Sheet1!B2`, as the cell is called now: only what concerned it.
    cell: Option<String>,
    /// Only revisions before this one.
    before: Option<u64>,
    /// Only revisions after this one.
    after: Option<u64>,
    limit: Option<u64>,
}

/// Revisions read from the journal at once.
const STEP: u64 = 200;

/// The newest revisions first.
pub async fn list(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<HistoryQuery>,
) -> Result<Json<Json_>, ApiError> {
    let now = app.rooms.read_inputs(&room).await?;
    let cell = query.cell.as_deref().map(|cell| traced(&now, cell)).transpose()?;
    let limit = query.limit.unwrap_or(50).clamp(1, limits::HISTORY_REVISIONS_MAX) as usize;
    // A room that nothing was ever written to has no history.
    let base = app.rooms.history_base(&room).await.map_or(0, |base| base.0);
    let after = query.after.unwrap_or(0).max(base);
    let first = query.before.unwrap_or(u64::MAX).min(now.revision.0 + 1);
    // A cell has to be followed back from where it is now.
    let mut before = if cell.is_some() { now.revision.0 + 1 } else { first };
    let mut at = cell;
    let mut revisions = Vec::new();
    let mut renamings = Renamings::default();
    let mut scanned = 0;
    while before > after + 1 && revisions.len() < limit && scanned < limits::HISTORY_SCANNED_MAX {
        let step = if cell.is_some() { STEP } else { STEP.min((limit - revisions.len()) as u64) };
        let begin = (before - 1).saturating_sub(step).max(after);
        let records = range_of(&app, &room, begin, before - 1).await?;
        if records.is_empty() {
            break;
        }
        for record in records.iter().rev() {
            before = record.revision.0;
            scanned += 1;
            match at {
                None if cell.is_some() => return Ok(reply(&room, &now, base, revisions, None)),
                None => {
                    renamings.look_at(record, &mut revisions);
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
    renamings.finish(&app, &room, &mut revisions).await;
    let ended = before <= after + 1 || (cell.is_some() && at.is_none());
    Ok(reply(&room, &now, base, revisions, (!ended).then_some(before)))
}

/// Says of revisions that change the workbook's title from what to what. They come newest first, and an older one tells what
/// the title was before a newer one.
#[derive(Default)]
struct Renamings {
    /// The newest-but-unanswered one: where it is in the list, its revision, and the title after it.
    open: Option<(usize, u64, Option<String>)>,
}

impl Renamings {
    /// A record that will be put at the end of the list.
    fn look_at(&mut self, record: &Record, revisions: &mut [Json_]) {
        let Some(after) = title_after(record) else { return };
        if let Some((index, _, to)) = self.open.take() {
            Renamings::describe(&mut revisions[index], after.as_deref(), to.as_deref());
        }
        self.open = Some((revisions.len(), record.revision.0, after));
    }

    /// Before the oldest one of the list the workbook itself is asked.
    async fn finish(self, app: &App, room: &RoomName, revisions: &mut [Json_]) {
        let Some((index, revision, to)) = self.open else { return };
        let from = match revision {
            0 | 1 => None,
            _ => match app.rooms.past(room, Revision(revision - 1)).await {
                Ok(past) => past.inputs.title().map(str::to_owned),
                // Before what is kept of the history: then only the new title is known.
                Err(_) => None,
            },
        };
        Renamings::describe(&mut revisions[index], from.as_deref(), to.as_deref());
    }

    fn describe(revision: &mut Json_, from: Option<&str>, to: Option<&str>) {
        if from != to {
            revision["title"] = json!({ "from": from, "to": to });
        }
    }
}

fn reply(room: &RoomName, now: &Reading, base: u64, revisions: Vec<Json_>, next: Option<u64>) -> Json<Json_> {
    Json(json!({
        "room": room.as_str(),
        "head": now.revision.0,
        "first": base + 1,
        "revisions": revisions,
        "next": next,
    }))
}

/// All records after one revision up to another: as many pieces as it takes.
async fn range_of(app: &App, room: &RoomName, after: u64, up_to: u64) -> Result<Vec<Record>, ApiError> {
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

fn traced(now: &Reading, text: &str) -> Result<TracedCell, ApiError> {
    let (sheet, cell) = match text.rsplit_once('!') {
        Some((name, cell)) => (sheet(&now.workbook, name.trim_matches('\''))?, cell),
        None => (&*now.workbook.sheets()[0], text),
    };
    let cell = CellAddress::parse_a1(cell)
        .map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    Ok(TracedCell { sheet: sheet.id(), cell })
}

/// Facts about the workbook as it was, or its contents in the format asked for.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<rooms_api::ReadQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let reading = past(&app, &room, revision).await?;
    rooms_api::read_reply(&app, &room, reading, &query, &headers).await
}

pub async fn read_cells(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
) -> Result<Response, ApiError> {
    let reading = past(&app, &room, revision).await?;
    cells_api::read_reply(&room, reading, sheet_name, range, Notation::A1).await
}

async fn past(app: &App, room: &RoomName, revision: Revision) -> Result<Reading, ApiError> {
    let workbook = app.rooms.lend(app.rooms.past(room, revision).await?.values);
    Ok(Reading { workbook, revision, sessions: 0 })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestoreQuery {
    /// Who does it, for the history.
    name: Option<String>,
}

/// Makes the room hold what it held at a revision, as a new edit that can be undone by restoring a later one.
pub async fn restore(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    RevisionSegment(revision): RevisionSegment,
    StrictQuery(query): StrictQuery<RestoreQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let expected = content::if_match(&headers)?;
    let author = rooms_api::author_of(query.name.as_deref().unwrap_or("API"))?;
    let past = app.rooms.past(&room, revision).await?;
    let change = Change::replacing(past.inputs).room(MissingRoom::MustExist).by(author);
    let done = app.rooms.change(&room, change.expecting(expected)).await?;
    let body = json!({ "room": room.as_str(), "revision": done.revision.0, "restored": revision.0 });
    Ok(([(header::ETAG, content::etag(done.revision.0))], Json(body)).into_response())
}
