//! `POST /api/v1/rooms/{room}/sheets/{sheet}/buttons/{cell}`: presses a button in a cell, as EtherCalc's
//! formulas `BUTTON`, `IMAGEBUTTON`, `SUBMIT` and `EMAIL` make them. A cell that triggers nothing does
//! nothing.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use chrono::DateTime;
use quadrille_access::Action;
use quadrille_cell::{CellAddress, ColumnIndex, Value, column_name};
use quadrille_files::socialcalc_escapes::encode;
use quadrille_protocol::RoomName;
use quadrille_socialcalc::{FormField, form_data_room, form_fields, is_submit, parse, plan, press};
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Value as Json_, json};

use super::app::App;
use super::authorization::{GrantedRoom, check_room};
use super::ethercalc_actions::{Actions, check_mails, collect, send_mails};
use super::ethercalc_mail::mails;
use super::extractors::{RangeSegment, SheetSegment};
use crate::access::{Identity, Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::room_name;
use crate::rooms::{Change, MissingRoom};
use crate::sheet_lookup::sheet_by_name;

/// How often actions are planned again because somebody changed the workbook meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Carries out the actions of a button, or sends the form or the mail.
///
/// # Errors
/// 400 for an action that cannot be carried out, 403 when workbooks send no mail; then nothing is
/// changed.
pub async fn press_button(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    SheetSegment(sheet_name): SheetSegment,
    RangeSegment(range): RangeSegment,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Json<Json_>, ApiError> {
    let cell = range.first();
    for attempt in 1.. {
        let reading = app.rooms.read(&room).await?;
        let sheet = sheet_by_name(&reading.workbook, &sheet_name)?;
        if is_submit(sheet, cell) {
            let fields = form_fields(sheet).map_err(bad)?;
            return send_form(&app, &room, &visitor, &identity, fields).await;
        }
        if let Some(mails) = mails(&reading.workbook, sheet, cell) {
            check_mails(&app, &visitor, &identity, &mails)?;
            let count = mails.len();
            send_mails(&app, &room, mails);
            return Ok(Json(json!({ "revision": reading.revision.0, "messages": count })));
        }
        let commands = press(&reading.workbook, sheet, cell).map_err(bad)?;
        let (sheet, revision) = (sheet.id(), reading.revision);
        if commands.is_empty() {
            return Ok(Json(json!({ "revision": revision.0, "commands": [] })));
        }
        let statements = parse(&commands.join("\n")).map_err(|error| bad(error.to_string()))?;
        // Mail, and answers of other forms.
        let actions = Actions::allowed(&app, &room, &visitor, &identity, &statements).await?;
        let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
            let planned = plan(&statements, workbook, sheet, None, new_sheet);
            planned.map(|planned| planned.transaction).map_err(|error| bad(error.to_string()))
        });
        // The commands have the values and the addresses of this revision.
        let change = grant.sign(change.heavy()).expecting(Some(revision.0));
        match app.rooms.change(&room, grant.role, change).await {
            Err(error) if error.code == ErrorCode::RevisionMismatch && attempt < ATTEMPTS_MAX => {}
            Err(error) => return Err(error),
            Ok(done) => {
                actions.carry_out(&app, &room, &visitor).await?;
                return Ok(Json(json!({ "revision": done.revision.0, "commands": commands })));
            }
        }
    }
    unreachable!("the last attempt returns")
}

/// Appends the fields to the room that collects those of this form.
async fn send_form(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    fields: Vec<FormField>,
) -> Result<Json<Json_>, ApiError> {
    let collecting = room_name::parse(&form_data_room(room.as_str()))?;
    let grant = check_room(app, visitor, identity, &collecting, Action::Edit).await?;
    let append = move |workbook: &Workbook| append_answers(workbook, &fields);
    let (revision, _) = collect(app, &collecting, visitor, &grant, append).await?;
    Ok(Json(json!({ "revision": revision.0, "collectedIn": collecting.as_str() })))
}

fn bad(message: String) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}

/// Returns the commands that append the fields of a form as a row below the others: first the time, then
/// each field in the column with its name in the first row, which is added if it is missing.
fn append_answers(workbook: &Workbook, fields: &[FormField]) -> Result<String, ApiError> {
    let sheet = &workbook.sheets()[0];
    let used = sheet.used_range();
    // Counted from 1.
    let row = used.map_or(1, |used| used.last().row.get() + 1) + 1;
    let mut columns_used = used.map_or(1, |used| used.last().column.get() + 1);
    let time = DateTime::from_timestamp_millis(now_ms()).unwrap_or_default().format("%Y-%m-%d %H:%M:%S");
    let mut commands = vec![format!("set A{row} text t {}", encode(&time.to_string()))];
    for FormField { name, value } in fields {
        let column = match column_named(sheet, name, columns_used) {
            Some(column) => column,
            None => {
                let column = ColumnIndex::new(columns_used);
                let column = column.ok_or_else(|| bad("the form has too many fields".to_owned()))?;
                commands.push(format!("set {}1 text t {name}", column_name(column)));
                columns_used += 1;
                column
            }
        };
        commands.push(format!("set {}{row} text t {}", column_name(column), encode(value)));
    }
    Ok(commands.join("\n"))
}

/// The column whose first cell has this text.
fn column_named(sheet: &Sheet, name: &str, columns: u32) -> Option<ColumnIndex> {
    (1..columns).filter_map(ColumnIndex::new).find(|column| {
        let header = sheet.value(CellAddress::clamped(0, column.get()));
        matches!(&header, Value::Text(text) if text.eq_ignore_ascii_case(name))
    })
}
