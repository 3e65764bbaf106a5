//! Execution of the actions of a plan.

use quadrille_journal::{Crash, Retention, Storage};
use quadrille_protocol::{CloseReason, Role};
use quadrille_replica as replica;
use quadrille_room as room;

use crate::edits::{Edit, random_edit};
use crate::plan::ActionKind;
use crate::random::Random;
use crate::world::{Failure, ScheduledEvent, World};

impl World {
    /// Executes the action with this index in the plan.
    pub(crate) fn act(&mut self, index: usize) -> Result<(), Failure> {
        self.actions_done += 1;
        match self.plan.actions[index].kind.clone() {
            ActionKind::Edit { client, seed } => {
                self.edit(client, seed)?;
            }
            ActionKind::Command { client, command } => {
                self.report.count("edits");
                self.user_event(client, replica::Event::Command(command))?;
            }
            ActionKind::Undo { client } => {
                self.report.count("undos");
                self.user_event(client, replica::Event::Undo)?;
            }
            ActionKind::Redo { client } => {
                self.report.count("redos");
                self.user_event(client, replica::Event::Redo)?;
            }
            ActionKind::Request { seed } => self.request(seed)?,
            ActionKind::Disconnect { client, offline_ms, server_sees_after_ms } => {
                let Some(id) = self.clients[client].connection else { return Ok(()) };
                self.report.count("fault: connection lost");
                self.after(server_sees_after_ms, ScheduledEvent::ServerSeesClose { connection: id });
                self.client_disconnects(id, None, offline_ms)?;
            }
            ActionKind::StopReading { client, ms } => {
                self.report.count("fault: slow reader");
                self.clients[client].reads_from_ms = self.now_ms + ms;
            }
            ActionKind::Duplicate { client, frames } => {
                let id = self.clients[client].connection;
                if let Some(connection) = id.and_then(|id| self.connections.get_mut(&id)) {
                    connection.duplicates += frames;
                }
            }
            ActionKind::HalfOpen { client, client_sees_after_ms, server_sees_after_ms } => {
                let Some(id) = self.clients[client].connection else { return Ok(()) };
                self.report.count("fault: half-open connection");
                self.connections.get_mut(&id).expect("connections are never removed").is_dead = true;
                self.after(server_sees_after_ms, ScheduledEvent::ServerSeesClose { connection: id });
                self.after(
                    client_sees_after_ms,
                    ScheduledEvent::ClientSeesClose { connection: id, reason: None },
                );
            }
            ActionKind::Partition { clients, ms } => {
                self.report.count("fault: partition");
                for client in clients {
                    self.clients[client].partitioned_until_ms = self.now_ms + ms;
                }
            }
            ActionKind::CrashClient { client, after_effects: 0 } => self.crash_client(client),
            ActionKind::CrashClient { client, after_effects } => {
                self.planned_client_crash = Some((client, after_effects))
            }
            ActionKind::CrashServer { down_ms, after_effects, power } => {
                let crash = if power { Crash::Power } else { Crash::Process };
                match after_effects {
                    0 => self.crash_server(down_ms, crash),
                    _ => self.planned_server_crash = Some((after_effects, down_ms, crash)),
                }
            }
            ActionKind::CloseRoom => {
                self.report.count("room closed");
                self.room_event(room::Event::Close(CloseReason::Restarting))?;
            }
            ActionKind::ClockJump { by_ms } => {
                self.report.count("fault: clock jump");
                self.clock_offset_ms += by_ms;
            }
            ActionKind::ClientClockJump { client, by_ms } => {
                self.report.count("fault: client's clock jump");
                self.clients[client].clock_offset_ms += by_ms;
            }
            ActionKind::Restore { seed } => self.restore(seed)?,
            ActionKind::TrimHistory { revisions_max } if self.server_is_up => {
                let keep = Retention { revisions_max: Some(revisions_max), days: None };
                let before = self.storage.disk().trimmed(self.key);
                // The disk may have failed at this moment; the server crashes at its next use.
                let base = self.storage.retain(self.key, &keep, 0).unwrap_or(before);
                self.report.add("revisions trimmed", base.0 - before.0);
            }
            ActionKind::TrimHistory { .. } => {}
            ActionKind::EditAndUndo { client, seed } => self.edit_and_undo(client, seed)?,
            ActionKind::SendChat { client, seed, chat_messages } => {
                self.send_chat_messages(client, seed, chat_messages)?
            }
            ActionKind::ChangeRole { client } => self.change_role(client)?,
            ActionKind::MalformedFrame { client, seed } => {
                self.report.count("fault: malformed frame");
                let mut random = Random::new(seed);
                let mut bytes: Vec<u8> = (0..random.between(0, 40)).map(|_| random.next() as u8).collect();
                bytes.insert(0, random.between(0, 8) as u8);
                // A client that has subscribed to the chat does not subscribe again.
                if bytes[0] == 8 && self.has_chat() {
                    bytes[0] = 7;
                }
                // Hello, submissions and `Withdrawn` are cut so short that none can be valid by
                // chance.
                if matches!(bytes[0], 1 | 2 | 4) {
                    bytes.truncate(2);
                }
                if let Some(id) = self.clients[client].connection {
                    self.send_to_server(id, bytes);
                }
            }
        }
        Ok(())
    }

    /// Changes the role of a client's session. From now on the session must get no record that is
    /// not durable yet.
    fn change_role(&mut self, client: usize) -> Result<(), Failure> {
        let (Some(id), Some(room)) = (self.clients[client].connection, &self.room) else { return Ok(()) };
        let durable = room.durable();
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if connection.server_process != self.server_process || connection.server_has_closed {
            return Ok(());
        }
        self.report.count("roles changed");
        connection.last_revision.get_or_insert(durable);
        let session = connection.session;
        self.room_event(room::Event::SetRole { session, role: Some(Role::View) })
    }

    /// A random edit by the user of a client.
    pub(crate) fn edit(&mut self, client: usize, seed: u64) -> Result<(), Failure> {
        let mut random = Random::new(seed);
        let event = match random_edit(&mut random, self.clients[client].replica.document().workbook()) {
            Edit::Command(command) => replica::Event::Command(command),
            Edit::Transaction(transaction) => replica::Event::Transaction { transaction, is_undoable: true },
        };
        self.report.count("edits");
        self.user_event(client, event)
    }

    /// Closes the client's page, which loses its unconfirmed transactions, and opens a new one soon
    /// after.
    pub(crate) fn crash_client(&mut self, client: usize) {
        self.report.count("fault: client crash");
        self.planned_client_crash = None;
        if let Some(id) = self.clients[client].connection {
            self.after(100, ScheduledEvent::ServerSeesClose { connection: id });
            self.connections.get_mut(&id).expect("connections are never removed").client_has_closed = true;
        }
        self.clients_created += 1;
        let partitioned_until_ms = self.clients[client].partitioned_until_ms;
        self.clients[client] = self.new_client(self.clients_created);
        self.clients[client].partitioned_until_ms = partitioned_until_ms;
        self.after(20, ScheduledEvent::ClientConnects { client });
    }
}
