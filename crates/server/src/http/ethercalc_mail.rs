//! Mail of EtherCalc's formulas: of `EMAILAT` and `EMAILATIF` at their times, with `/_timetrigger`, and
//! the messages of a formula whose button is pressed.
//!
//! The command `settimetrigger` sets the times. The server carries them out each minute, and whenever
//! somebody requests `/_timetrigger`, as a cron job does with EtherCalc.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use quadrille_access::Email;
use quadrille_cell::{CellAddress, Value};
use quadrille_formula::{Expression, Reference, SheetReference, resolve_area};
use quadrille_workbook::{Sheet, Workbook};
use tokio::sync::watch;

use super::app::App;
use super::ethercalc_lists::may_see;
use super::ethercalc_workbook::addressed_sheet;
use super::internal_error::internal;
use super::plain_error::{PlainError, json};
use crate::access::{Attempt, Identity, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::room_name;
use crate::stopped::stopped;
use crate::time_triggers::Triggers;

/// Time between two runs: times are in minutes.
const EVERY: Duration = Duration::from_secs(60);

/// `GET /_timetrigger`: carries out the triggers that are due. The response has all triggers that there
/// were, by room and cell, of the rooms that the requester may open.
pub async fn time_trigger(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let all = run_due(&app).await?;
    let mut seen = BTreeMap::new();
    for (key, times) in all {
        let Some((name, _)) = key.rsplit_once('!') else { continue };
        let room = match addressed_sheet(&app.rooms, name).await? {
            Some(addressed) => addressed.room,
            None => room_name::parse(name)?,
        };
        let document = app.access.document(&room).await?;
        if may_see(&app, &identity, &room, &document) {
            let times: Vec<String> = times.iter().map(i64::to_string).collect();
            seen.insert(key, times.join(","));
        }
    }
    let text = serde_json::to_string(&seen).map_err(|_| internal("writing triggers"))?;
    Ok((json(), text).into_response())
}

/// Carries out due triggers each minute until the server stops.
pub async fn repeat_time_triggers(app: App, mut stop: watch::Receiver<bool>) {
    let mut runs = tokio::time::interval(EVERY);
    loop {
        tokio::select! {
            _ = runs.tick() => {
                if let Err(error) = run_due(&app).await {
                    tracing::warn!(reason = error.message, "time triggers are tried again later");
                }
            }
            () = stopped(&mut stop) => return,
        }
    }
}

/// Carries out the triggers that are due. Returns the triggers that there were.
///
/// # Errors
/// `storage_failed` when they cannot be stored.
async fn run_due(app: &App) -> Result<Triggers, ApiError> {
    let triggers = Arc::clone(&app.time_triggers);
    let taken = tokio::task::spawn_blocking(move || triggers.take_due(now_ms() / 60_000)).await;
    let failed = |_| ApiError::new(ErrorCode::Internal, "reading time triggers failed");
    let (before, due) = taken.map_err(failed)??;
    for key in due {
        if let Err(error) = send_mails(app, &key).await {
            tracing::warn!(trigger = key, reason = error.message, "a time trigger failed");
        }
    }
    Ok(before)
}

/// Sends the mail of the formula in a cell.
async fn send_mails(app: &App, key: &str) -> Result<(), ApiError> {
    let Some((name, cell)) = key.rsplit_once('!') else { return Ok(()) };
    let (Ok(name), Ok(cell)) = (room_name::parse(name), CellAddress::parse_a1(cell)) else { return Ok(()) };
    let Some(mailer) = app.mailer.as_ref().filter(|_| app.settings.ethercalc_mail) else { return Ok(()) };
    let (room, sheet) = match addressed_sheet(&app.rooms, name.as_str()).await? {
        Some(addressed) => (addressed.room, Some(addressed.sheet)),
        None => (name, None),
    };
    let reading = app.rooms.read(&room).await?;
    let sheet = match sheet {
        Some(sheet) => reading.workbook.sheet(sheet),
        None => reading.workbook.sheets().first().map(|sheet| &**sheet),
    };
    // The sheet may have been removed.
    let Some(sheet) = sheet else { return Ok(()) };
    let mails = mails(&reading.workbook, sheet, cell).unwrap_or_default();
    for TextMail { to, subject, body } in mails {
        app.attempts.take(Attempt::MailBy(format!("room:{room}")), Instant::now())?;
        app.attempts.take(Attempt::MailTo(to.clone()), Instant::now())?;
        mailer.send_text(&to, &subject, &body);
    }
    Ok(())
}

/// A message of a workbook.
pub struct TextMail {
    pub to: Email,
    pub subject: String,
    pub body: String,
}

/// The messages of the mail formula in a cell; `None` if it has none. As in EtherCalc, arguments are
/// texts, cells and ranges; ranges give a message for each of their cells, and a shorter argument is
/// repeated by its first value.
pub fn mails(workbook: &Workbook, sheet: &Sheet, cell: CellAddress) -> Option<Vec<TextMail>> {
    let call = sheet.formula(cell).map(|template| template.expression());
    let call = match call {
        Some(Expression::Binary(_, call, style)) if is_style(style) => Some(&**call),
        call => call,
    };
    let Some(Expression::Call { function, arguments }) = call else { return None };
    let (condition, first) = match &**function {
        "EMAIL" => (None, 0),
        "EMAILIF" => (Some(0), 1),
        "EMAILAT" | "EMAILONEDIT" => (None, 1),
        "EMAILATIF" | "EMAILONEDITIF" => (Some(1), 2),
        _ => return None,
    };
    let lists = arguments.iter().map(|argument| values(workbook, sheet, cell, argument));
    let lists: Vec<Vec<Value>> = lists.collect();
    if lists.len() < first + 3 {
        return Some(Vec::new());
    }
    let count = lists.iter().map(Vec::len).max().unwrap_or(0).min(limits::ETHERCALC_MAILS_PER_TRIGGER);
    let value = |argument: usize, index: usize| {
        let list = &lists[argument];
        list.get(index).or(list.first()).cloned().unwrap_or(Value::Blank)
    };
    let mut mails = Vec::new();
    for index in 0..count {
        if condition.is_some_and(|condition| is_false(&value(condition, index))) {
            continue;
        }
        if let Some(to) = Email::parse(&text(&value(first, index))) {
            let (subject, body) = (text(&value(first + 1, index)), text(&value(first + 2, index)));
            mails.push(TextMail { to, subject, body });
        }
    }
    Some(mails)
}

fn is_style(expression: &Expression) -> bool {
    matches!(expression, Expression::Call { function, .. } if &**function == "STYLE")
}

/// The values of an argument, column by column; none of one that EtherCalc does not read either.
fn values(workbook: &Workbook, sheet: &Sheet, host: CellAddress, argument: &Expression) -> Vec<Value> {
    match argument {
        Expression::Text(text) => vec![Value::text(text.to_string())],
        Expression::Number(number) => vec![Value::number(*number)],
        Expression::Boolean(boolean) => vec![Value::Boolean(*boolean)],
        Expression::Parenthesised(inner) => values(workbook, sheet, host, inner),
        Expression::Reference(Reference { sheet: named, area }) => {
            let sheet = match named {
                None => Some(sheet),
                Some(SheetReference::Sheet(id)) => workbook.sheet(*id),
                Some(_) => None,
            };
            let (Some(sheet), Some(range)) = (sheet, resolve_area(area, host)) else { return Vec::new() };
            let columns = range.first().column.get()..=range.last().column.get();
            let cells = columns.flat_map(|column| {
                let rows = range.first().row.get()..=range.last().row.get();
                rows.map(move |row| CellAddress::clamped(row, column))
            });
            cells.take(limits::ETHERCALC_MAILS_PER_TRIGGER).map(|cell| sheet.value(cell)).collect()
        }
        _ => Vec::new(),
    }
}

fn is_false(value: &Value) -> bool {
    match value {
        Value::Blank | Value::Error(_) => true,
        Value::Boolean(boolean) => !boolean,
        Value::Number(number) => *number == 0.0,
        Value::Text(text) => text.is_empty() || &**text == "0",
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(boolean) => u8::from(*boolean).to_string(),
        Value::Text(text) => text.to_string(),
        Value::Error(error) => error.text().to_owned(),
    }
}
