//! `/api/v1/rooms/{room}/losses`: what a file of a format would leave out, before it is downloaded.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use quadrille_files::{FileFormat, Images, Loss, LossPlace};
use serde::Deserialize;
use serde_json::{Value, json};

use super::app::App;
use super::conditional::etag;
use super::extractors::{RoomSegment, StrictQuery};
use super::file_formats::format_by_name;
use super::internal_error::internal;
use crate::error::ApiError;
use crate::limits::LOSSES_MAX;
use crate::sheet_lookup::sheet_by_name;
use crate::thread_priority::in_background;
use crate::workbook_files::{self, ExportOptions};

/// The query of a report.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossesQuery {
    /// File extension of the format; `xlsx` by default.
    format: Option<String>,
    /// The sheet, for formats with one sheet.
    sheet: Option<String>,
    /// Given with any value or none: numbers with full precision instead of as displayed.
    raw: Option<String>,
}

/// Names what a file leaves out or changes, by kind, sheet, range and name.
///
/// # Errors
///
/// Fails with `bad_query` when the format is unknown and `no_such_sheet` when the sheet is.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<LossesQuery>,
) -> Result<Response, ApiError> {
    let format = query.format.as_deref().map_or(Ok(FileFormat::Xlsx), format_by_name)?;
    let reading = app.rooms.read(&room).await?;
    let sheet = query.sheet.as_deref().map(|name| sheet_by_name(&reading.workbook, name)).transpose()?;
    let options = ExportOptions {
        sheet: sheet.map(|sheet| sheet.id()),
        raw: query.raw.is_some(),
        ..ExportOptions::default()
    };
    let images = match format.has_images() {
        true => app.rooms.images_of(&room, &reading.workbook).await?,
        false => Images::new(),
    };
    let revision = reading.revision.0;
    let losses = in_background(move || workbook_files::losses(&reading.workbook, format, options, &images));
    let losses = losses.await.ok_or_else(|| internal("comparing the workbook with the format"))?;
    let shown: Vec<Value> = losses.iter().take(LOSSES_MAX).map(loss_json).collect();
    let body = json!({
        "room": room.as_str(),
        "revision": revision,
        "losses": shown,
        "isCutShort": losses.len() > LOSSES_MAX,
    });
    Ok(([(header::ETAG, etag(revision))], Json(body)).into_response())
}

fn loss_json(loss: &Loss) -> Value {
    let place = |LossPlace { ranges, name }: &LossPlace| {
        let ranges: Vec<String> = ranges.iter().map(ToString::to_string).collect();
        json!({ "ranges": ranges, "name": name })
    };
    json!({
        "kind": loss.kind.code(),
        "text": loss.text(),
        "sheet": loss.sheet.as_deref(),
        "places": loss.places.iter().map(place).collect::<Vec<_>>(),
        "count": loss.count,
    })
}
