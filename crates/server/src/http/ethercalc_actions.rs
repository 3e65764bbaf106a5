//! EtherCalc's commands that act outside the sheet: `submitform`, `settimetrigger` and `sendemail`.

use std::sync::Arc;
use std::time::Instant;

use quadrille_access::{Action, Email};
use quadrille_cell::CellAddress;
use quadrille_protocol::{Revision, RoomName};
use quadrille_socialcalc::{ServerStatement, Statement, form_data_room, parse, plan};
use quadrille_workbook::Workbook;

use super::app::App;
use super::authorization::check_room;
use super::creation::write_owned;
use super::ethercalc_mail::TextMail;
use super::internal_error::internal;
use crate::access::{Attempt, Grant, Identity, Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::room_name;
use crate::rooms::{Change, MissingRoom};

/// What the commands of one request do outside the sheet, checked before anything is done.
#[derive(Default)]
pub struct Actions {
    /// The room for the answers, and whoever may write there.
    form: Option<(RoomName, Grant)>,
    rows: Vec<Vec<String>>,
    triggers: Vec<(CellAddress, Vec<i64>)>,
    mails: Vec<TextMail>,
}

impl Actions {
    /// The actions among commands for the room `name`, all of them allowed.
    ///
    /// # Errors
    /// 404 or 403 without permission to write to the room for answers, 403 when workbooks send no mail, 400
    /// for something that is not an address, 429 for too many messages.
    pub async fn allowed(
        app: &App,
        name: &RoomName,
        visitor: &Visitor,
        identity: &Arc<Identity>,
        statements: &[Statement],
    ) -> Result<Actions, ApiError> {
        let mut actions = Actions::default();
        for statement in statements {
            match statement {
                Statement::Server(ServerStatement::SubmitForm(values)) => actions.rows.push(values.clone()),
                Statement::Server(ServerStatement::SetTimeTrigger { cell, times_min }) => {
                    actions.triggers.push((*cell, times_min.clone()));
                }
                Statement::Server(ServerStatement::SendMail { to, subject, body }) => {
                    let address =
                        || ApiError::new(ErrorCode::BadRequest, format!("not an e-mail address: {to}"));
                    let to = Email::parse(to).ok_or_else(address)?;
                    actions.mails.push(TextMail { to, subject: subject.clone(), body: body.clone() });
                }
                _ => {}
            }
        }
        if !actions.rows.is_empty() {
            let answers = room_name::parse(&form_data_room(name.as_str()))?;
            let grant = check_room(app, visitor, identity, &answers, Action::Edit).await?;
            actions.form = Some((answers, grant));
        }
        check_mails(app, visitor, identity, &actions.mails)?;
        Ok(actions)
    }

    /// Carries the actions out. Returns the room that has got answers of a form, and the commands by
    /// which they were added. EtherCalc's clients in the room `name` are told of mail.
    ///
    /// # Errors
    /// When the row of a form or a trigger cannot be stored.
    pub async fn carry_out(
        self,
        app: &App,
        name: &RoomName,
        visitor: &Visitor,
    ) -> Result<Option<(RoomName, String)>, ApiError> {
        let Actions { form, rows, triggers, mails } = self;
        let answered = match form {
            Some((answers, grant)) => {
                let append = move |workbook: &Workbook| Ok(row_commands(workbook, &rows));
                let (_, commands) = collect(app, &answers, visitor, &grant, append).await?;
                Some((answers, commands))
            }
            None => None,
        };
        if !triggers.is_empty() {
            let (stored, name) = (Arc::clone(&app.time_triggers), name.clone());
            let write = move || {
                let now_min = now_ms() / 60_000;
                triggers.iter().try_for_each(|(cell, times)| stored.set(&name, *cell, times, now_min))
            };
            let written = tokio::task::spawn_blocking(write).await;
            written.map_err(|_| internal("storing a trigger"))??;
        }
        send_mails(app, name, mails);
        Ok(answered)
    }
}

/// Counts messages against the limits of their sender and of their recipients.
///
/// # Errors
/// 403 when workbooks send no mail, 429 for too many messages.
pub fn check_mails(
    app: &App,
    visitor: &Visitor,
    identity: &Identity,
    mails: &[TextMail],
) -> Result<(), ApiError> {
    if mails.is_empty() {
        return Ok(());
    }
    // The setting needs a mail server.
    if !app.settings.ethercalc_mail {
        let message = "workbooks of this server do not send mail";
        return Err(ApiError::new(ErrorCode::MailDisabled, message));
    }
    let sender = match &identity.credentials.account {
        Some(account) => format!("account:{}", account.id),
        None => visitor.address.map_or(String::new(), |address| address.to_string()),
    };
    for TextMail { to, .. } in mails {
        app.attempts.take(Attempt::MailBy(sender.clone()), Instant::now())?;
        app.attempts.take(Attempt::MailTo(to.clone()), Instant::now())?;
    }
    Ok(())
}

/// Hands messages over for sending. EtherCalc's clients in the room `name` are told of each.
pub fn send_mails(app: &App, name: &RoomName, mails: Vec<TextMail>) {
    for TextMail { to, subject, body } in mails {
        let is_accepted = app.mailer.as_ref().is_some_and(|mailer| mailer.send_text(&to, &subject, &body));
        app.ethercalc_peers.tell_mail(name, is_accepted);
    }
}

/// Carries out commands in the room that collects the answers of forms, which is created if it does not
/// exist. `commands` makes them for its workbook. Returns the revision and the commands.
///
/// # Errors
/// 400 for a command that cannot be carried out; otherwise those of `commands` and of the room.
pub async fn collect(
    app: &App,
    answers: &RoomName,
    visitor: &Visitor,
    grant: &Grant,
    commands: impl FnOnce(&Workbook) -> Result<String, ApiError> + Send + 'static,
) -> Result<(Revision, String), ApiError> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let change = Change::new(MissingRoom::Create, move |workbook, new_sheet| {
        let error = |error: quadrille_socialcalc::StatementError| {
            ApiError::new(ErrorCode::BadRequest, error.to_string())
        };
        let commands = commands(workbook)?;
        let statements = parse(&commands).map_err(error)?;
        let sheet = workbook.sheets()[0].id();
        let planned = plan(&statements, workbook, sheet, None, new_sheet).map_err(error)?;
        sender.send(commands).map_err(|_| internal("adding answers"))?;
        Ok(planned.transaction)
    });
    let (rooms, name, role, change) = (app.rooms.clone(), answers.clone(), grant.role, grant.sign(change));
    let write = async move { rooms.change(&name, role, change).await };
    let done = write_owned(app, answers, visitor, &grant.identity, write).await?;
    let commands = receiver.try_recv().map_err(|_| internal("adding answers"))?;
    Ok((done.revision, commands))
}

/// The commands that write answers below the last row. The first row is for headings.
fn row_commands(workbook: &Workbook, rows: &[Vec<String>]) -> String {
    let last = workbook.sheets()[0].used_range().map_or(0, |used| used.last().row.get());
    let mut commands = Vec::new();
    for (row, values) in (last + 1..).zip(rows) {
        for (column, value) in (0..).zip(values) {
            commands.push(format!("set {} text t {value}", CellAddress::clamped(row, column)));
        }
    }
    commands.join("\n")
}
