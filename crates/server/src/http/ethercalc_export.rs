//! EtherCalc's routes for reading a room: the save, cells as JSON, and files.
//!
//! Bodies have the form that EtherCalc gives them, which its clients may compare or take apart. Cells
//! are those of the first sheet, or of the sheet that the path names.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::Action;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_files::FileFormat;
use quadrille_protocol::RoomName;

use super::app::App;
use super::authorization::check_room;
use super::ethercalc_cells;
use super::ethercalc_workbook::{self, addressed_sheet};
use super::export::{Exporter, file_response};
use super::extractors::RoomSegment;
use super::internal_error::internal;
use super::plain_error::{JSON, PlainError, json};
use crate::access::{Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};
use crate::rooms::Reading;
use crate::thread_priority::in_background;
use crate::workbook_files::ExportOptions;

/// What a request means of a workbook.
#[derive(Clone, Copy, Default)]
pub enum Shown {
    /// The first sheet, or the table of contents of a workbook of several rooms.
    #[default]
    First,
    Sheet(SheetId),
    All,
}

impl Shown {
    /// What is read, and the sheet if it is not the first one.
    fn of(
        self,
        app: &App,
        room: &RoomName,
        reading: Reading,
        format: FileFormat,
    ) -> (Reading, Option<SheetId>) {
        let has_all_sheets = matches!(format, FileFormat::Xlsx | FileFormat::Ods | FileFormat::Fods);
        let shown = match self {
            Shown::Sheet(sheet) if has_all_sheets => {
                ethercalc_workbook::with_sheet_first((*reading.workbook).clone(), sheet)
            }
            Shown::Sheet(sheet) if format == FileFormat::SocialCalc => {
                let named = ethercalc_workbook::with_room_names(room, (*reading.workbook).clone());
                let workbook = app.rooms.workbook_handle(named);
                return (Reading { workbook, ..reading }, Some(sheet));
            }
            Shown::Sheet(sheet) => return (reading, Some(sheet)),
            Shown::First if !has_all_sheets && ethercalc_workbook::is_of_several_rooms(&reading.workbook) => {
                ethercalc_workbook::contents(room, &reading.workbook)
            }
            Shown::First | Shown::All => return (reading, None),
        };
        (Reading { workbook: app.rooms.workbook_handle(shown), ..reading }, None)
    }
}

/// The [`Shown`] of a request; without one it is the default.
type RequestedPart = Option<Extension<Shown>>;

fn shown_of(requested: RequestedPart) -> Shown {
    requested.map(|Extension(shown)| shown).unwrap_or_default()
}

/// `GET /_/{room}`: the room in SocialCalc save format.
pub async fn save(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    requested: RequestedPart,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    export_response(&app, &room, shown_of(requested), &exporter, FileFormat::SocialCalc).await
}

/// `GET /{room}.csv` and other extensions, called by the route of the room's page.
pub async fn export(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    room: &str,
    format: FileFormat,
) -> Response {
    let exported = async {
        let (room, shown) = match room.strip_prefix('=') {
            Some(room) => (room_name::parse(room)?, Shown::All),
            None => match addressed_sheet(&app.rooms, room).await? {
                Some(addressed) => (addressed.room, Shown::Sheet(addressed.sheet)),
                None => (room_name::parse(room)?, Shown::First),
            },
        };
        let grant = check_room(app, visitor, identity, &room, Action::Read).await?;
        let exporter = Exporter { visitor: visitor.clone(), grant };
        export_response(app, &room, shown, &exporter, format).await
    };
    exported.await.unwrap_or_else(IntoResponse::into_response)
}

async fn export_response(
    app: &App,
    room: &RoomName,
    shown: Shown,
    exporter: &Exporter,
    format: FileFormat,
) -> Result<Response, PlainError> {
    let (reading, sheet) = shown.of(app, room, app.rooms.read(room).await?, format);
    let options = ExportOptions { sheet, ethercalc: true, ..ExportOptions::default() };
    let mut response = file_response(app, room, exporter, reading, format, options).await?;
    let headers = response.headers_mut();
    let media_type = match format {
        FileFormat::CsvJson | FileFormat::Json => Some(JSON),
        FileFormat::Markdown => Some("text/x-markdown; charset=utf-8"),
        FileFormat::Fods => Some(FileFormat::Ods.media_type()),
        _ => None,
    };
    if let Some(media_type) = media_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    let is_attachment = matches!(
        format,
        FileFormat::Csv | FileFormat::Tsv | FileFormat::Xlsx | FileFormat::Ods | FileFormat::Fods
    );
    if is_attachment {
        let name =
            format!("attachment; filename=\"{}.{}\"", percent_encoded(room.as_str()), format.extension());
        let name = HeaderValue::from_str(&name).expect("percent-encoded text is valid");
        headers.insert(header::CONTENT_DISPOSITION, name);
    } else {
        headers.remove(header::CONTENT_DISPOSITION);
    }
    Ok(response)
}

/// `GET /_/{room}/csv` and other formats, and `GET /_/{room}/cells`.
pub async fn part(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Path((_, what)): Path<(String, String)>,
    requested: RequestedPart,
    exporter: Exporter,
) -> Result<Response, PlainError> {
    let shown = shown_of(requested);
    if what == "cells" {
        let reading = app.rooms.read(&room).await?;
        let (reading, sheet) = shown.of(&app, &room, reading, FileFormat::SocialCalc);
        let all = in_background(move || ethercalc_cells::all(&reading.workbook, sheet)).await;
        let all = all.ok_or_else(|| internal("reading cells"))??;
        exporter.record(&app, &room, "cells").await?;
        return Ok((json(), all).into_response());
    }
    match FileFormat::from_name(&format!("room.{what}")).filter(|format| format.extension() == what) {
        Some(format) => export_response(&app, &room, shown, &exporter, format).await,
        None => Err(ApiError::new(ErrorCode::NotFound, format!("no such resource: /_/{room}/{what}")).into()),
    }
}

/// `GET /_/{room}/cells/{coordinate}`: a cell; `null` when it is empty.
pub async fn cell(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Path((_, coordinate)): Path<(String, String)>,
    requested: RequestedPart,
) -> Result<Response, PlainError> {
    let reading = app.rooms.read(&room).await?;
    let (reading, sheet) = shown_of(requested).of(&app, &room, reading, FileFormat::SocialCalc);
    let address = CellAddress::parse_a1(coordinate.trim());
    let address = address.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    Ok((json(), ethercalc_cells::one(&reading.workbook, sheet, address)?).into_response())
}
