//! `GET /internal/import-sources/{room}`: a workbook for another server of the database, which imports from it
//! for one of its own (`imports/worker.rs`). That server has checked who may read the workbook.

use std::collections::BTreeSet;

use axum::extract::{Path, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use quadrille_protocol::RoomName;
use quadrille_workbook::{ImportFunction, Imported};
use serde::Deserialize;

use super::app::App;
use super::ethercalc_workbook::addressed_number;
use super::extractors::StrictQuery;
use super::fallbacks::unknown_route;
use super::owner_relay::Relayed;
use crate::error::ApiError;
use crate::imports::{SourceAnswer, values_of_sheet, workbook_named};
use crate::room_name;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceQuery {
    /// The range to read; without one, only the workbook's own sources are told.
    range: Option<String>,
    /// The number of the sheet of ranges without one, in EtherCalc's name of it.
    sheet: Option<u32>,
    /// Values are left out when this is the revision of the workbook.
    after: Option<u64>,
}

/// Answers a server of the same database. Nobody else finds this resource.
pub async fn read(
    State(app): State<App>,
    Path(room): Path<String>,
    StrictQuery(query): StrictQuery<SourceQuery>,
    request: Request,
) -> Response {
    if request.extensions().get::<Relayed>().is_none() {
        return unknown_route(request).await;
    }
    match answer(&app, &room, &query).await {
        Ok(answer) => ([(header::CONTENT_TYPE, "application/octet-stream")], answer.encode()).into_response(),
        Err(error) => error.into_response(),
    }
}

async fn answer(app: &App, room: &str, query: &SourceQuery) -> Result<SourceAnswer, ApiError> {
    let room = room_name::parse(room)?;
    // The server that asks looks for the owner again.
    app.rooms.check_owner(&room).await?;
    let reading = app.rooms.read_imports(&room).await?;
    let is_known = query.after == Some(reading.revision.0);
    let range = query.range.as_ref().filter(|_| !is_known);
    let imported = range.map(|range| match values_of_sheet(&reading.workbook, query.sheet, range) {
        Ok(values) => Imported::Values(values),
        Err(failure) => Imported::Failure(failure, "".into()),
    });
    let named = |text: &str| workbook_named(text, |host| app.hosts.is_ours(host));
    let ranges = reading.import_sources.iter().filter(|source| source.function == ImportFunction::Range);
    let mut sources: BTreeSet<RoomName> = BTreeSet::new();
    for source in ranges.filter_map(|source| named(source.arguments.first()?)) {
        sources.insert(addressed_number(&app.rooms, source).await?.0);
    }
    sources.remove(&room);
    Ok(SourceAnswer { revision: reading.revision, sources, imported })
}
