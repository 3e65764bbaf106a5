//! What the plan says, done.

use quadrille_journal::{Crash, Retention, Storage};
use quadrille_protocol::CloseReason;
use quadrille_replica as replica;
use quadrille_room as room;

use crate::edits::{Edit, random_edit};
use crate::plan::What;
use crate::random::Random;
use crate::world::{Failure, ScheduledEvent, World};

impl World {
    pub(crate) fn act(&mut self, index: usize) -> Result<(), Failure> {
        self.actions_done += 1;
        match self.plan.actions[index].what.clone() {
            What::Edit { client, seed } => {
                self.edit(client, seed)?;
            }
            What::Command { client, command } => {
                self.report.count("edits");
                self.person(client, replica::Event::Command(command))?;
            }
            What::Undo { client } => {
                self.report.count("undos");
                self.person(client, replica::Event::Undo)?;
            }
            What::Redo { client } => {
                self.report.count("redos");
                self.person(client, replica::Event::Redo)?;
            }
            What::Request { seed } => self.request(seed)?,
            What::Disconnect { client, offline_ms, server_sees_after_ms } => {
                let Some(id) = self.clients[client].connection else { return Ok(()) };
                self.report.count("fault: connection lost");
                self.after(server_sees_after_ms, ScheduledEvent::ServerSeesEnd { connection: id });
                self.client_loses(id, None, offline_ms)?;
            }
            What::Slow { client, ms } => {
                self.report.count("fault: slow reader");
                self.clients[client].reads_from_ms = self.now_ms + ms;
            }
            What::Duplicate { client, frames } => {
                let id = self.clients[client].connection;
                if let Some(connection) = id.and_then(|id| self.connections.get_mut(&id)) {
                    connection.duplicates += frames;
                }
            }
            What::HalfOpen { client, client_sees_after_ms, server_sees_after_ms } => {
                let Some(id) = self.clients[client].connection else { return Ok(()) };
                self.report.count("fault: half-open connection");
                self.connections.get_mut(&id).expect("kept for ever").is_dead = true;
                self.after(server_sees_after_ms, ScheduledEvent::ServerSeesEnd { connection: id });
                self.after(
                    client_sees_after_ms,
                    ScheduledEvent::ClientSeesEnd { connection: id, reason: None },
                );
            }
            What::Partition { clients, ms } => {
                self.report.count("fault: partition");
                for client in clients {
                    self.clients[client].apart_until_ms = self.now_ms + ms;
                }
            }
            What::CrashClient { client, after_effects: 0 } => self.crash_client(client),
            What::CrashClient { client, after_effects } => self.client_ends = Some((client, after_effects)),
            What::CrashServer { down_ms, after_effects, power } => {
                let crash = if power { Crash::Power } else { Crash::Process };
                match after_effects {
                    0 => self.crash_server(down_ms, crash),
                    _ => self.server_ends = Some((after_effects, down_ms, crash)),
                }
            }
            What::CloseRoom => {
                self.report.count("room closed");
                self.room_event(room::Event::Close(CloseReason::Restarting))?;
            }
            What::ClockJump { by_ms } => {
                self.report.count("fault: clock jump");
                self.clock_offset_ms += by_ms;
            }
            What::ClientClockJump { client, by_ms } => {
                self.report.count("fault: client's clock jump");
                self.clients[client].clock_offset_ms += by_ms;
            }
            What::Restore { seed } => self.restore(seed)?,
            What::Trim { revisions_max } if self.server_is_up => {
                let keep = Retention { revisions_max: Some(revisions_max), days: None };
                let before = self.storage.disk().trimmed(self.key);
                // The disk may have failed just now; the server's end comes then.
                let base = self.storage.retain(self.key, &keep, 0).unwrap_or(before);
                self.report.add("revisions trimmed", base.0 - before.0);
            }
            What::Trim { .. } => {}
            What::EditAndUndo { client, seed } => self.edit_and_undo(client, seed)?,
            What::Say { client, seed, chat_messages } => self.speak(client, seed, chat_messages)?,
            What::Nonsense { client, seed } => {
                self.report.count("fault: nonsense");
                let mut random = Random::new(seed);
                let mut bytes: Vec<u8> = (0..random.between(0, 40)).map(|_| random.next() as u8).collect();
                bytes.insert(0, random.between(0, 8) as u8);
                // Who listens to the chat does not ask for it twice.
                if bytes[0] == 8 && self.has_chat() {
                    bytes[0] = 7;
                }
                // These could by chance be taken for what a client means.
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

    pub(crate) fn edit(&mut self, client: usize, seed: u64) -> Result<(), Failure> {
        let mut random = Random::new(seed);
        let event = match random_edit(&mut random, self.clients[client].replica.document().workbook()) {
            Edit::Command(command) => replica::Event::Command(command),
            Edit::Transaction(transaction) => replica::Event::Transaction { transaction, is_undoable: true },
        };
        self.report.count("edits");
        self.person(client, event)
    }

    /// The page is gone; a new one is opened soon after.
    pub(crate) fn crash_client(&mut self, client: usize) {
        self.report.count("fault: client crash");
        self.client_ends = None;
        if let Some(id) = self.clients[client].connection {
            self.after(100, ScheduledEvent::ServerSeesEnd { connection: id });
            self.connections.get_mut(&id).expect("kept for ever").client_has_left = true;
        }
        self.clients_made += 1;
        let apart_until_ms = self.clients[client].apart_until_ms;
        self.clients[client] = self.new_client(self.clients_made);
        self.clients[client].apart_until_ms = apart_until_ms;
        self.after(20, ScheduledEvent::ClientConnects { client });
    }
}
