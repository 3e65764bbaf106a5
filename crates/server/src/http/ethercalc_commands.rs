//! `POST /_/{room}`: EtherCalc's commands, carried out as one transaction in the room's order.
//!
//! The body is `{"command": "…"}` or `{"command": ["…", …]}`, the same as the fields of a form, commands
//! as plain text, or a file whose cells are appended below the last row. The response is 202 with the
//! commands as they were carried out. A form with the field `snapshot` creates a room instead
//! (`ethercalc.rs`).

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_files::{FileFormat, Images};
use quadrille_operation::Transaction;
use quadrille_protocol::RoomName;
use quadrille_socialcalc::{Clipboard, Statement, StatementError, parse, plan};
use quadrille_workbook::{Sheet, Workbook};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::app::App;
use super::authorization::GrantedRoom;
use super::creation::write_owned;
use super::ethercalc_actions::Actions;
use super::ethercalc_workbook::{self, AddressedSheet};
use super::extractors::StrictQuery;
use super::file_formats::read_workbook;
use super::internal_error::internal;
use super::plain_error::PlainError;
use super::{form_fields, json_body, plain_error, request_body};
use crate::access::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::rooms::{Change, MissingRoom};
use crate::workbook_files::{self, ExportOptions};

/// Commands or bytes from which planning runs on a worker.
const HEAVY_BYTES: usize = 16 * 1024;

/// The query of a request.
#[derive(Deserialize)]
pub struct CommandQuery {
    /// Where an appended file goes: a row is inserted before this one. Not a number: below the last row.
    row: Option<String>,
    /// EtherCalc's authorization, read elsewhere.
    #[serde(rename = "auth")]
    _auth: Option<String>,
}

/// What a request asks for.
#[derive(Clone)]
enum Request {
    Commands(Vec<String>),
    /// Cells to append: the command `loadclipboard`.
    Append(String),
}

impl Request {
    fn mentions(&self, text: &str) -> bool {
        match self {
            Request::Commands(commands) => commands.iter().any(|command| command.contains(text)),
            Request::Append(load) => load.contains(text),
        }
    }
}

/// Carries out commands.
///
/// # Errors
/// 400 for a body without a command, and for the first command that is unknown or cannot be carried out;
/// then nothing is changed.
pub async fn execute(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    addressed: Option<Extension<AddressedSheet>>,
    StrictQuery(query): StrictQuery<CommandQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PlainError> {
    let body = request_body::read(&headers, body, app.settings.body_bytes_max).await?;
    let is_heavy = body.len() > HEAVY_BYTES;
    let request = read_request(&headers, body).await?;
    // Commands that cannot be read are refused before the room is opened or made.
    let statements = match &request {
        Request::Commands(commands) => parse(&commands.join("\n")).map_err(bad_command)?,
        Request::Append(_) => Vec::new(),
    };
    let own_name = addressed.as_ref().map_or(&room, |addressed| &addressed.name).clone();
    let actions = Actions::allowed(&app, &own_name, &visitor, &grant.identity, &statements).await?;
    if let Request::Commands(commands) = &request
        && statements.iter().all(|statement| matches!(statement, Statement::Server(_)))
    {
        actions.carry_out(&app, &own_name, &visitor).await?;
        return Ok(carried_out(commands));
    }
    let row = query.row.and_then(|row| row.parse::<u32>().ok()).filter(|row| *row > 0);
    let (sender, receiver) = std::sync::mpsc::channel();
    let clipboard = app.ethercalc_clipboards.get(&room);
    let (name, sheet) = (room.clone(), addressed.map(|Extension(addressed)| addressed.sheet));
    let is_free = match sheet {
        None if request.mentions(&format!("/{room}.")) => links_are_free(&app, &room, &request, row).await?,
        // Without a link there is nothing to make sheets of.
        _ => false,
    };
    let change = Change::new(MissingRoom::Create, move |workbook, new_sheet| {
        let planned = planned(request, row, workbook, &name, sheet, clipboard, new_sheet)?;
        sender.send((planned.commands, planned.clipboard)).map_err(|_| internal("planning commands"))?;
        match planned.contents {
            Some(contents) if is_free || ethercalc_workbook::is_of_several_rooms(workbook) => {
                ethercalc_workbook::apply_contents(&name, workbook, &contents, new_sheet)
            }
            _ => Ok::<Transaction, ApiError>(planned.transaction),
        }
    });
    let change = if is_heavy { change.heavy() } else { change };
    let (rooms, name, role, change) = (app.rooms.clone(), room.clone(), grant.role, grant.sign(change));
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(&app, &room, &visitor, &grant.identity, write).await?;
    let (commands, clipboard) = receiver.try_recv().map_err(|_| internal("planning commands"))?;
    app.ethercalc_clipboards.put(&room, clipboard);
    actions.carry_out(&app, &own_name, &visitor).await?;
    Ok(carried_out(&commands))
}

/// The response with the commands that were carried out.
fn carried_out(commands: &[String]) -> Response {
    let commands = json!({ "command": commands }).to_string();
    (StatusCode::ACCEPTED, plain_error::json(), commands).into_response()
}

/// Commands that were planned.
struct PlannedRequest {
    commands: Vec<String>,
    transaction: Transaction,
    clipboard: Option<Clipboard>,
    /// What the first sheet is after them, if it is a table of contents.
    contents: Option<Workbook>,
}

/// Plans commands for a sheet, or for the first one. Of a workbook of several rooms that is the table of
/// contents; a blank workbook becomes one when they make it a table of contents.
fn planned(
    request: Request,
    row: Option<u32>,
    workbook: &Workbook,
    room: &RoomName,
    sheet: Option<SheetId>,
    clipboard: Option<Clipboard>,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<PlannedRequest, ApiError> {
    let is_contents = sheet.is_none() && ethercalc_workbook::is_of_several_rooms(workbook);
    let contents = is_contents.then(|| ethercalc_workbook::contents(room, workbook));
    let named = sheet.map(|_| ethercalc_workbook::with_room_names(room, workbook.clone()));
    let shown = contents.as_ref().or(named.as_ref()).unwrap_or(workbook);
    let removed = || ApiError::new(ErrorCode::NoSuchSheet, "the sheet was removed");
    let sheet = match sheet {
        Some(sheet) => shown.sheet(sheet).ok_or_else(removed)?,
        None => &shown.sheets()[0],
    };
    let commands = match request {
        Request::Commands(commands) => commands,
        Request::Append(load) => appended(load, row, sheet),
    };
    let statements = parse(&commands.join("\n")).map_err(bad_command)?;
    let planned = plan(&statements, shown, sheet.id(), clipboard, new_sheet).map_err(bad_command)?;
    let contents = (is_contents || ethercalc_workbook::is_blank(workbook)).then(|| {
        let mut changed = shown.clone();
        quadrille_operation::apply(&mut changed, &planned.transaction);
        changed
    });
    let contents = contents.filter(|changed| is_contents || ethercalc_workbook::is_contents(changed));
    Ok(PlannedRequest { commands, transaction: planned.transaction, clipboard: planned.clipboard, contents })
}

/// Whether the request makes a table of contents whose links can become sheets.
///
/// # Errors
///
/// Fails when a workbook of several rooms would get another link.
async fn links_are_free(
    app: &App,
    room: &RoomName,
    request: &Request,
    row: Option<u32>,
) -> Result<bool, ApiError> {
    let workbook = match app.rooms.read_inputs(room).await {
        Ok(reading) => (*reading.workbook).clone(),
        Err(error) if error.code == ErrorCode::NoSuchRoom => Workbook::new(),
        Err(error) => return Err(error),
    };
    let is_of_several_rooms = ethercalc_workbook::is_of_several_rooms(&workbook);
    if !is_of_several_rooms && !ethercalc_workbook::is_blank(&workbook) {
        return Ok(false);
    }
    let planned = planned(request.clone(), row, &workbook, room, None, None, &mut || SheetId(u32::MAX));
    // Those of the commands that are refused are refused again when they are carried out.
    let Some(contents) = planned.ok().and_then(|planned| planned.contents) else { return Ok(false) };
    let can_be_sheets = ethercalc_workbook::can_be_sheets(&app.rooms, room, &workbook, &contents).await?;
    if is_of_several_rooms && !can_be_sheets {
        let message = format!("links of {room} are its sheets, such as /{room}.1, and no rooms of their own");
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    Ok(can_be_sheets)
}

async fn read_request(headers: &HeaderMap, body: Bytes) -> Result<Request, ApiError> {
    let none = || ApiError::new(ErrorCode::BadRequest, "Please send command");
    match json_body::media_type(headers).as_deref() {
        Some("application/json") => {
            let json: Json = serde_json::from_slice(&body)
                .map_err(|error| ApiError::new(ErrorCode::BadJson, error.to_string()))?;
            let text = |json: &Json| json.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            let commands = match json.get("command") {
                Some(Json::Array(all)) => all.iter().map(text).collect::<Option<Vec<String>>>(),
                Some(one) => text(one).map(|command| vec![command]),
                None => None,
            };
            commands.filter(|commands| !commands.is_empty()).map(Request::Commands).ok_or_else(none)
        }
        Some(form_fields::FORM) if body.starts_with(b"command") => {
            let is_command = |name: &str| name == "command" || name.starts_with("command[");
            let fields = form_fields::form_fields(&body)?.into_iter();
            let commands: Vec<_> = fields
                .filter(|(name, text)| is_command(name) && !text.is_empty())
                .map(|(_, text)| text)
                .collect();
            if commands.is_empty() { Err(none()) } else { Ok(Request::Commands(commands)) }
        }
        // `curl --data` sends commands with the type of a form.
        None | Some("text/plain" | "text/x-socialcalc" | form_fields::FORM) => {
            let text = std::str::from_utf8(&body)
                .map_err(|_| ApiError::new(ErrorCode::BadRequest, "commands are UTF-8"))?;
            match text {
                "" => Err(none()),
                load if load.starts_with("loadclipboard") => Ok(Request::Append(load.to_owned())),
                commands => Ok(Request::Commands(vec![commands.to_owned()])),
            }
        }
        Some(_) => {
            let imported = read_workbook(headers, body).await?;
            Ok(Request::Append(loadclipboard(imported.workbook)?))
        }
    }
}

/// Lines of a save with the tables of styles, to which cells refer.
const STYLE_LINES: [&str; 6] = ["font:", "color:", "border:", "layout:", "cellformat:", "valueformat:"];

/// The command that loads the cells of a file, as an escaped save.
fn loadclipboard(workbook: Workbook) -> Result<String, ApiError> {
    let used = workbook.sheets()[0].used_range();
    let used = used.ok_or_else(|| ApiError::new(ErrorCode::BadRequest, "the file has no cells"))?;
    let save = workbook_files::write(
        &workbook,
        FileFormat::SocialCalc,
        ExportOptions::default(),
        &Images::default(),
    );
    let save = save.map_err(|error| ApiError::new(ErrorCode::ImportFailed, error.to_string()))?;
    let save = String::from_utf8(save).map_err(|_| internal("writing a save"))?;
    let is_style = |line: &&str| STYLE_LINES.iter().any(|start| line.starts_with(start));
    // EtherCalc's clipboards have cells row by row, then the size of the sheet.
    let mut cells: Vec<&str> = save.lines().filter(|line| line.starts_with("cell:")).collect();
    cells.sort_by_cached_key(|line| {
        let address = line.split(':').nth(1).and_then(|address| CellAddress::parse_a1(address).ok());
        address.map(|address| (address.row, address.column))
    });
    let mut styles: Vec<&str> = save.lines().filter(is_style).collect();
    let (columns, rows) = (used.last().column.get() + 1, used.last().row.get() + 1);
    let mut size = format!("sheet:c:{columns}:r:{rows}");
    if styles.is_empty() {
        // The default format of texts in EtherCalc.
        size += ":tvf:1";
        styles.push("valueformat:1:text-wiki");
    }
    let lines = cells.into_iter().chain([size.as_str()]).chain(styles).map(|line| format!("{line}\n"));
    let escaped = lines.collect::<String>().replace('\\', "\\b").replace(':', "\\c").replace('\n', "\\n");
    // This line is not escaped in EtherCalc.
    Ok(format!("loadclipboard {escaped}copiedfrom:{}:{}\\n", used.first(), used.last()))
}

/// As EtherCalc appends: below the last row, which is row 1 of an empty sheet, or in a new row.
fn appended(load: String, row: Option<u32>, sheet: &Sheet) -> Vec<String> {
    match row {
        Some(row) => vec![load, format!("insertrow A{row}"), format!("paste A{row} all")],
        None => {
            let last = sheet.used_range().map_or(1, |used| used.last().row.get() + 1);
            vec![load, format!("paste A{} all", last + 1)]
        }
    }
}

fn bad_command(error: StatementError) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, error.to_string())
}
