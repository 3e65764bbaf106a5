//! The answers to a client's messages.

use std::sync::Arc;

use quadrille_access::Action;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_protocol::{ChatRequest, ClientFrame, Presence, RoomName};
use quadrille_socialcalc::{Statement, parse};
use serde_json::Value as Json;

use super::connection::{Connection, Known, RoomSide};
use super::messages::{self, ClientMessage, CursorMessage};
use super::peers::{Joined, SentCommands};
use super::saves::save_of;
use crate::access::Grant;
use crate::error::{ApiError, ErrorCode};
use crate::http::authorization::{RouteAccess, check_room, checked};
use crate::http::ethercalc_actions::Actions;
use crate::http::ethercalc_workbook::{addressed_sheet, with_room_names};
use crate::http::rooms_api::delete_room;
use crate::rate_limits::LimitHit;
use crate::room_name;

/// What EtherCalc's page sends on opening a room, and EtherCalc ignores.
const IGNORED_COMMAND: &str = "set sheet defaulttextvalueformat text-wiki";

impl Connection<'_> {
    /// Handles a message of the client; the answers.
    ///
    /// # Errors
    ///
    /// Fails with a text for the client.
    pub async fn message(
        &self,
        message: ClientMessage,
        known: &mut Known,
        room_side: &RoomSide<'_>,
    ) -> Result<Vec<String>, String> {
        let room = self.name.as_str();
        let text = |error: ApiError| error.message;
        let mut out = Vec::new();
        match message {
            ClientMessage::AskLog { room: asked } if asked == room => {
                let save = self.current_save(known, true).await.map_err(text)?;
                known.has_sheet = true;
                let chat = self.chat_since_replaced().await.map_err(text)?;
                out.push(messages::log(room, save.as_deref(), &chat));
            }
            ClientMessage::AskLog { room: asked } => {
                out.push(messages::log(&asked, self.other_save(&asked).await.map_err(text)?.as_deref(), &[]));
            }
            ClientMessage::AskRecalc { room: asked } => {
                self.follow(&asked, known).await.map_err(text)?;
                let save = self.other_save(&asked).await.map_err(text)?;
                known.recalc_feeds.note(&asked, save.as_deref());
                out.push(messages::recalc(&asked, save.as_deref()));
            }
            ClientMessage::Execute { room: asked, .. } if asked != room => {
                return Err(format!("commands for another room than {room} need a connection of their own"));
            }
            ClientMessage::Execute { commands, json, .. } => {
                out.extend(self.commands(&commands, json, known, room_side).await?);
            }
            ClientMessage::Chat { text, json } => {
                let id = random()?;
                known.own_chat.insert(id);
                if let Some(peers) = &known.peers {
                    let user = json.get("user").and_then(Json::as_str).unwrap_or(&self.user);
                    peers.note_chat(id, user.to_owned());
                }
                room_side.send(&ClientFrame::Chat(ChatRequest::Send { id, text: text.into() })).await;
            }
            ClientMessage::AskEcells => {
                let peers = known.peers.as_ref().map(Joined::cursors).unwrap_or_default();
                out.push(messages::ecells(room, peers.into_iter().chain(known.cursors_of_people())));
            }
            ClientMessage::OwnEcell { ecell } => {
                if self.takes_cursor() {
                    self.tell_cursor(&ecell, known, room_side).await;
                }
            }
            ClientMessage::Cursor(cursor) => out.extend(self.cursor(cursor, known, room_side).await),
            ClientMessage::StopHuddle { .. } if self.name != *self.room => {
                return Err(format!("delete the workbook {} instead", self.room));
            }
            ClientMessage::StopHuddle { json } => {
                let identity = Arc::clone(&self.client.identity);
                let grant = Grant { role: self.client.role, identity, mark: None };
                let grant =
                    checked(self.app, RouteAccess::DeleteRoom, self.room, Some(grant)).await.map_err(text)?;
                self.relay(&self.forwarded(json), None, known);
                delete_room(self.app, self.room, &self.visitor, &grant).await.map_err(text)?;
            }
            ClientMessage::Ignored => {}
        }
        Ok(out)
    }

    /// Follows another room for `recalc` with `force`, if the person may read it.
    async fn follow(&self, name: &str, known: &mut Known) -> Result<(), ApiError> {
        let (room, _) = self.other(name).await?;
        if name == self.name.as_str() || self.check_read(&room).await.is_err() {
            return Ok(());
        }
        known.recalc_feeds.follow(name, &room, self.client.clone(), self.app.rooms.change_feeds())
    }

    /// The save of another room that has changed, if the client does not know it.
    pub async fn recalc_forced(&self, name: &str, known: &mut Known) -> Option<String> {
        match self.other_save(name).await {
            Ok(save) => {
                let is_new = known.recalc_feeds.note(name, save.as_deref());
                is_new.then(|| messages::recalc_forced(name, save.as_deref()))
            }
            Err(error) => {
                tracing::warn!(room = name, reason = error.message, "a room is no longer followed");
                known.recalc_feeds.forget(name);
                None
            }
        }
    }

    /// Carries out commands, those that act outside the sheet after the others.
    async fn commands(
        &self,
        commands: &str,
        json: Json,
        known: &mut Known,
        room_side: &RoomSide<'_>,
    ) -> Result<Vec<String>, String> {
        let commands = one_form(commands);
        // Those that cannot be read are refused with what the client shows.
        let statements = parse(&commands).unwrap_or_default();
        let acts_outside = statements.iter().any(|statement| matches!(statement, Statement::Server(_)));
        if !acts_outside {
            return Ok(self.execute(&commands, json, known, room_side).await);
        }
        if !self.client.role.can_edit() {
            return Ok(self.refused("your role does not allow changes", known).await);
        }
        let (identity, text) = (&self.client.identity, |error: ApiError| error.message);
        let actions = Actions::allowed(self.app, &self.name, &self.visitor, identity, &statements);
        let actions = match actions.await {
            Ok(actions) => actions,
            // The client has carried out the commands beside those.
            Err(error) => return Ok(self.refused(&error.message, known).await),
        };
        let refused = self.execute(&commands, json, known, room_side).await;
        if !refused.is_empty() {
            return Ok(refused);
        }
        let answered = actions.carry_out(self.app, &self.name, &self.visitor).await.map_err(text)?;
        let answered =
            answered.map(|(answers, commands)| messages::submitted(answers.as_str(), &self.user, &commands));
        Ok(answered.into_iter().collect())
    }

    async fn execute(
        &self,
        commands: &str,
        json: Json,
        known: &mut Known,
        room_side: &RoomSide<'_>,
    ) -> Vec<String> {
        let unique = known.replica.map_or(0, |replica| replica.0) ^ known.confirmed.0;
        let Some(follower) = &mut known.follower else { return Vec::new() };
        let planned = match self.client.role.can_edit() {
            true => follower.plan(commands, unique),
            false => Err("your role does not allow changes".to_owned()),
        };
        match planned {
            Ok(own) if own.transaction.is_empty() => {
                if is_for_others(commands) {
                    self.relay(&self.forwarded(json), None, known);
                }
                Vec::new()
            }
            Ok(own) => {
                let counter = known.confirmed.next();
                known.pending = Some(counter);
                if let (Some(peers), Some(replica)) = (&known.peers, known.replica) {
                    let (transaction, message) = (own.transaction.clone(), self.forwarded(json));
                    peers.note_commands(SentCommands {
                        replica,
                        counter,
                        transaction: Arc::new(transaction),
                        message: Arc::new(message),
                    });
                }
                let submit = ClientFrame::Submit { counter, base: own.base, transaction: own.transaction };
                room_side.send(&submit).await;
                Vec::new()
            }
            // The client has carried them out already.
            Err(error) => self.refused(&error, known).await,
        }
    }

    /// The answer to commands that the client has carried out and the room has refused: the sheet as it is,
    /// which puts the client right, and the reason.
    async fn refused(&self, error: &str, known: &mut Known) -> Vec<String> {
        let mut out = self.unasked_save(known).await;
        out.push(messages::error(self.name.as_str(), error));
        out
    }

    async fn cursor(
        &self,
        cursor: CursorMessage,
        known: &mut Known,
        room_side: &RoomSide<'_>,
    ) -> Vec<String> {
        if let (Some(to), Some(follower)) = (&cursor.to, &mut known.follower)
            && follower.unseen.answered(to)
        {
            return Vec::new();
        }
        if !self.takes_cursor() {
            return Vec::new();
        }
        self.relay(&self.forwarded(cursor.json), cursor.to, known);
        if let Some(ecell) = &cursor.ecell {
            self.tell_cursor(ecell, known, room_side).await;
            return Vec::new();
        }
        let answer = |(user, cell): (String, String)| {
            messages::ecell(self.name.as_str(), &user, None, &cell, Some(&self.user))
        };
        known.cursors_of_people().into_iter().map(answer).collect()
    }

    /// Counts a message about cursors; whether it may be handled.
    fn takes_cursor(&self) -> bool {
        let takes = self.rates.take_presence(std::time::Instant::now());
        if !takes {
            self.app.rooms.metrics().limit_hit(LimitHit::Presence);
        }
        takes
    }

    /// Notes the cursor for other clients, and shows it to people.
    async fn tell_cursor(&self, ecell: &str, known: &Known, room_side: &RoomSide<'_>) {
        if let Some(peers) = &known.peers {
            peers.set_cursor(ecell);
        }
        if let (Ok(cell), Some(follower)) = (CellAddress::parse_a1(ecell), &known.follower) {
            let sheet = follower.sheet();
            let presence = Presence { sheet, selection: Range::cell(cell), is_editing: false };
            room_side.send(&ClientFrame::Presence(presence)).await;
        }
    }

    /// A message of the client for the others. With `ethercalc_key`, `auth` is a credential, which the
    /// others do not get.
    fn forwarded(&self, message: Json) -> Json {
        let keeps_auth = self.app.access.assertions().ethercalc_key.is_none();
        messages::forwarded(message, self.name.as_str(), &self.user, keeps_auth)
    }

    fn relay(&self, message: &Json, to: Option<String>, known: &Known) {
        if let Some(peers) = &known.peers {
            peers.relay(&message.to_string(), to);
        }
    }

    /// The chat since the room was replaced, as EtherCalc keeps it.
    async fn chat_since_replaced(&self) -> Result<Vec<String>, ApiError> {
        let chat = match self.app.rooms.chat_messages(self.room).await {
            Ok(chat) => chat,
            Err(error) if error.code == ErrorCode::NoSuchRoom => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let from_ms = self.app.ethercalc_peers.replaced_ms(self.room).unwrap_or(i64::MIN);
        let chat = chat.into_iter().filter(|message| message.time_ms >= from_ms);
        Ok(chat.map(|message| message.text.to_string()).collect())
    }

    /// The save of a room that the person may read; none of another one.
    async fn other_save(&self, name: &str) -> Result<Option<String>, ApiError> {
        let (other, sheet) = self.other(name).await?;
        let read = async {
            self.check_read(&other).await?;
            self.app.rooms.read(&other).await
        };
        match read.await {
            Ok(reading) => {
                let workbook = with_room_names(&other, (*reading.workbook).clone());
                save_of(workbook, sheet).await.map(Some)
            }
            Err(error) if error.code == ErrorCode::NoSuchRoom => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The room that a name means, and its sheet if it means one.
    async fn other(&self, name: &str) -> Result<(RoomName, Option<SheetId>), ApiError> {
        Ok(match addressed_sheet(&self.app.rooms, name).await? {
            Some(addressed) => (addressed.room, Some(addressed.sheet)),
            None => (room_name::parse(name)?, None),
        })
    }

    async fn check_read(&self, room: &RoomName) -> Result<Grant, ApiError> {
        check_room(self.app, &self.visitor, &self.client.identity, room, Action::Read).await
    }
}

/// Whether other clients are told commands that change nothing in the room, such as `redisplay`. Not those
/// that only happen to change nothing, such as `unmerge` of a cell that is not merged: another client may
/// have carried out a command that came earlier in the room's order and that the sender did not know.
fn is_for_others(commands: &str) -> bool {
    let statements = parse(commands).unwrap_or_default();
    statements.iter().all(|statement| matches!(statement, Statement::Nothing | Statement::Server(_)))
        && commands.lines().all(|command| command.trim_end() != IGNORED_COMMAND)
}

/// Keeps the line breaks within a form that was sent, whose values have carriage returns between them.
fn one_form(commands: &str) -> String {
    let is_form = commands.split('\r').next().is_some_and(|first| first.trim() == "submitform");
    match is_form {
        true => commands.trim_end_matches('\n').replace('\n', "\\n"),
        false => commands.to_owned(),
    }
}

fn random() -> Result<u64, String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_without_effect_are_told_if_they_never_have_one() {
        for commands in ["redisplay", "recalc\nset sheet defaultcolwidth 90", "submitform\rAda"] {
            assert!(is_for_others(commands), "{commands}");
        }
        for commands in ["unmerge G1", "recalc\nname delete RATE", "copy A1 all", IGNORED_COMMAND] {
            assert!(!is_for_others(commands), "{commands}");
        }
    }

    #[test]
    fn line_breaks_within_a_form_are_kept() {
        assert_eq!(one_form("submitform\rAda\ra\nb\n"), "submitform\rAda\ra\\nb");
        assert_eq!(one_form("set A1 text t submitform\nrecalc"), "set A1 text t submitform\nrecalc");
    }
}
