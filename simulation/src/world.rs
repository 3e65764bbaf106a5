//! One run: clients, connections, lives of the server and a disk, moved by a queue of what happens when.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use quadrille_journal::{
    Append, Crash, FaultRates, FaultyStorage, RoomKey, Snapshot, Storage, StoredChatMessage,
};
use quadrille_protocol::{
    ChatMessage, CloseReason, Counter, Record, ReplicaId, Revision, RoomName, SessionId,
};
use quadrille_replica::{Replica, Status};
use quadrille_room as room;
use quadrille_room::{Encoded, Room};

use crate::network::{Connection, Packet};
use crate::plan::Plan;
use crate::random::Random;
use crate::report::Report;

/// After the last action, a run in which all is well is quiet long before.
const QUIET_WITHIN_MS: u64 = 120_000;
/// Wall clock at the start of every run: 2026-01-01.
pub(crate) const START_UNIX_MS: i64 = 1_767_225_600_000;
pub(crate) const TICK_MS: u64 = 50;

/// What went wrong, in words.
pub type Failure = String;

pub struct World {
    pub(crate) plan: Plan,
    pub(crate) storage: FaultyStorage,
    pub(crate) key: RoomKey,
    pub(crate) room: Option<Room>,
    pub(crate) clients: Vec<Client>,
    pub(crate) report: Report,
    /// Transactions whose record has reached their author, by replica and counter.
    pub(crate) acknowledged: BTreeSet<(ReplicaId, Counter)>,
    /// Requests that were answered with a revision.
    pub(crate) requests_done: Vec<Revision>,
    pub(crate) name: RoomName,
    pub(crate) now_ms: u64,
    pub(crate) clock_offset_ms: i64,
    pub(crate) happenings: BTreeMap<(u64, u64), ScheduledEvent>,
    pub(crate) happenings_made: u64,
    /// Counts the server's processes; events of an earlier one mean nothing.
    pub(crate) life: u64,
    pub(crate) server_is_up: bool,
    /// Counts the times the room was opened; answers for an earlier one mean nothing.
    pub(crate) opening: u64,
    pub(crate) connections: BTreeMap<u64, Connection>,
    pub(crate) connections_made: u64,
    pub(crate) to_append: Vec<Append>,
    pub(crate) is_appending: bool,
    /// Snapshots on their way to the disk, and how many bytes of each are there.
    pub(crate) snapshots: VecDeque<(Snapshot, usize)>,
    pub(crate) tick_is_due: bool,
    pub(crate) random: Random,
    pub(crate) actions_done: usize,
    pub(crate) is_healing: bool,
    /// The server ends after so many effects more: (effects, milliseconds down, how).
    pub(crate) server_ends: Option<(u32, u64, Crash)>,
    pub(crate) client_ends: Option<(usize, u32)>,
    pub(crate) clients_made: usize,
    /// The batch that was written and waits for its sync; syncs of others mean nothing.
    pub(crate) writes: u64,
    pub(crate) written: Option<Written>,
    pub(crate) heard: ReceivedFrames,
}

/// A batch on its way to the disk.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub number: u64,
    pub opening: u64,
}

pub(crate) struct Client {
    pub replica: Replica,
    pub(crate) connection: Option<u64>,
    pub(crate) reads_from_ms: u64,
    /// Nothing gets through until then.
    pub(crate) apart_until_ms: u64,
    pub(crate) clock_offset_ms: i64,
    pub(crate) retries: u64,
    /// Counters of transactions it has sent, and not been refused, under its replica identity.
    pub submitted: BTreeSet<(ReplicaId, Counter)>,
    pub(crate) page: Page,
}

#[derive(Debug)]
pub(crate) enum ScheduledEvent {
    Act(usize),
    ClientConnects {
        client: usize,
    },
    AtServer {
        connection: u64,
        packet: Packet,
    },
    AtClient {
        connection: u64,
        packet: Packet,
    },
    ServerSeesEnd {
        connection: u64,
    },
    ClientSeesEnd {
        connection: u64,
        reason: Option<CloseReason>,
    },
    StartServer,
    /// The journal's thread takes what has gathered.
    Append {
        life: u64,
    },
    /// The disk is done with the batch that was written.
    Sync {
        write: u64,
    },
    SnapshotPiece {
        life: u64,
    },
    Appended {
        life: u64,
        opening: u64,
        up_to: Revision,
    },
    AppendFailed {
        life: u64,
        opening: u64,
    },
    Encoded {
        opening: u64,
        encoded: Box<Encoded>,
    },
    Tail {
        opening: u64,
        session: SessionId,
        after: Revision,
        records: Vec<(Revision, Arc<[u8]>)>,
    },
    RoomTick {
        life: u64,
    },
    RoomRests {
        opening: u64,
    },
    ChatRead {
        opening: u64,
        chat_messages: Option<Vec<Arc<[u8]>>>,
    },
    StoreTalk {
        life: u64,
    },
    Said {
        opening: u64,
        number: u64,
        is_stored: bool,
    },
    SayAgain {
        client: usize,
    },
}

impl World {
    pub fn new(plan: Plan) -> World {
        let rates = FaultRates {
            full_disk: plan.disk.full,
            failing_sync: plan.disk.failing_sync,
            lost_snapshot: plan.disk.lost_snapshot,
        };
        let name = RoomName::new("simulated").expect("a plain name");
        let mut storage = FaultyStorage::new(plan.seed, rates);
        let key = storage.claim(&name).expect("claiming has no faults").key;
        let mut world = World {
            storage,
            key,
            room: None,
            clients: Vec::new(),
            report: Report { seeds: 1, ..Report::default() },
            acknowledged: BTreeSet::new(),
            requests_done: Vec::new(),
            name,
            now_ms: 0,
            clock_offset_ms: 0,
            happenings: BTreeMap::new(),
            happenings_made: 0,
            life: 1,
            server_is_up: true,
            opening: 0,
            connections: BTreeMap::new(),
            connections_made: 0,
            to_append: Vec::new(),
            is_appending: false,
            snapshots: VecDeque::new(),
            tick_is_due: false,
            random: Random::stream(plan.seed, 2, 0),
            actions_done: 0,
            is_healing: false,
            server_ends: None,
            client_ends: None,
            clients_made: plan.clients,
            writes: 0,
            written: None,
            heard: ReceivedFrames::default(),
            plan,
        };
        for number in 0..world.plan.clients {
            let client = world.new_client(number);
            world.clients.push(client);
            world.after(number as u64, ScheduledEvent::ClientConnects { client: number });
        }
        for (index, action) in world.plan.actions.iter().enumerate() {
            world.happenings_made += 1;
            world.happenings.insert((action.at_ms, world.happenings_made), ScheduledEvent::Act(index));
        }
        world
    }

    /// Runs to the end and past it, until everything is quiet.
    pub fn run(&mut self) -> Result<(), Failure> {
        self.until_quiet()?;
        self.check_end()?;
        self.check_undo()?;
        self.report.simulated_ms = self.now_ms;
        self.note_faults();
        Ok(())
    }

    /// As [`run`](World::run), without edits beyond the plan's: for looking at what they have made.
    pub fn run_scenario(&mut self) -> Result<(), Failure> {
        self.until_quiet()?;
        self.check_end()
    }

    /// Runs until nothing is left to do and nobody waits for anything.
    pub(crate) fn until_quiet(&mut self) -> Result<(), Failure> {
        let last_action_ms = self.plan.actions.last().map_or(0, |action| action.at_ms).max(self.now_ms);
        loop {
            if !self.is_healing && self.actions_done == self.plan.actions.len() {
                self.heal()?;
            }
            if self.is_healing && self.is_quiet() {
                return Ok(());
            }
            let Some(((at_ms, _), happening)) = self.happenings.pop_first() else {
                return Err(format!("stuck: nothing will happen any more, {}", self.describe()));
            };
            self.now_ms = at_ms;
            self.report.steps += 1;
            if self.now_ms > last_action_ms + QUIET_WITHIN_MS {
                return Err(format!(
                    "stuck: not quiet {QUIET_WITHIN_MS} ms after the last action, {}",
                    self.describe()
                ));
            }
            self.happen(happening)?;
            self.check_queues()?;
        }
    }

    fn note_faults(&mut self) {
        let faults = self.storage.faults();
        for (what, count) in [
            ("fault: snapshot lost", faults.lost_snapshot),
            ("fault: snapshot broken off", faults.snapshot_broken_off),
            ("fault: unsynced write kept", faults.unsynced_kept),
            ("fault: unsynced write lost", faults.unsynced_lost),
            ("fault: unsynced write torn", faults.unsynced_torn),
        ] {
            self.report.add(what, count);
        }
    }

    /// No more faults: from now on everything must come right by itself.
    pub(crate) fn heal(&mut self) -> Result<(), Failure> {
        self.is_healing = true;
        self.storage.heal();
        (self.server_ends, self.client_ends) = (None, None);
        for client in &mut self.clients {
            (client.reads_from_ms, client.apart_until_ms) = (0, 0);
        }
        // On a slow network a clock that is shown would never let it be quiet.
        self.plan.tick_ms = None;
        self.room_event(room::Event::VolatileEvery { ms: None })
    }

    pub fn into_report(self) -> Report {
        self.report
    }

    /// The stored records, a line each.
    pub fn journal(&self) -> Vec<String> {
        let records = self.storage.disk().records(self.key).iter();
        let records = records.filter_map(|stored| Record::decode(&stored.bytes).ok());
        let line = |record: Record| {
            let Record { revision, replica, counter, author, transaction, .. } = record;
            format!(
                "{revision} {} ({:x} {}): {:?}",
                author.name, replica.0, counter.0, transaction.operations
            )
        };
        records.map(line).collect()
    }

    /// What the room holds at the end.
    pub fn workbook(&self) -> Option<&quadrille_workbook::Workbook> {
        self.room.as_ref().map(Room::workbook)
    }

    fn is_quiet(&self) -> bool {
        let Some(room) = &self.room else { return false };
        let all_saved = self.clients.iter().all(|client| {
            client.replica.status() == Status::Saved && client.replica.revision() == room.head()
        });
        all_saved
            && room.head() == room.durable()
            && self.connections.values().all(|connection| {
                !connection.has_missed || connection.server_has_left || connection.life != self.life
            })
            && self.written.is_none()
            && (!self.has_chat() || self.chat_is_quiet())
            // A page that is gone may have sent something that has not arrived.
            && !self.happenings.values().any(|happening| self.can_still_write(happening))
    }

    fn can_still_write(&self, happening: &ScheduledEvent) -> bool {
        let (connection, packet) = match happening {
            ScheduledEvent::AtServer { connection, packet } => (connection, packet),
            // What is stored is still to be told.
            ScheduledEvent::ChatRead { opening, .. } | ScheduledEvent::Said { opening, .. } => {
                return *opening == self.opening;
            }
            _ => return false,
        };
        let connection = &self.connections[connection];
        let arrives = !connection.server_has_left && !connection.is_dead && connection.life == self.life;
        arrives && packet.bytes.first() == Some(&2)
    }

    pub(crate) fn describe(&self) -> String {
        let clients: Vec<String> = self
            .clients
            .iter()
            .map(|client| format!("{:?} at {}", client.replica.status(), client.replica.revision()))
            .collect();
        let room = self.room.as_ref().map(|room| (room.head(), room.durable()));
        format!("{} ms, room {room:?}, clients {clients:?}", self.now_ms)
    }

    pub(crate) fn happen(&mut self, happening: ScheduledEvent) -> Result<(), Failure> {
        match happening {
            ScheduledEvent::Act(index) => self.act(index)?,
            ScheduledEvent::ClientConnects { client } => self.client_connects(client)?,
            ScheduledEvent::AtServer { connection, packet } => self.at_server(connection, &packet)?,
            ScheduledEvent::AtClient { connection, packet } => self.at_client(connection, &packet)?,
            ScheduledEvent::ServerSeesEnd { connection } => self.server_sees_end(connection)?,
            ScheduledEvent::ClientSeesEnd { connection, reason } => {
                self.client_sees_end(connection, reason)?
            }
            ScheduledEvent::StartServer => {
                self.storage.restart();
                self.server_is_up = true;
            }
            ScheduledEvent::Append { life } if life == self.life => self.write()?,
            ScheduledEvent::Sync { write } if self.written.is_some_and(|written| written.number == write) => {
                self.sync()?;
            }
            ScheduledEvent::Appended { life, opening, up_to }
                if (life, opening) == (self.life, self.opening) =>
            {
                self.room_event(room::Event::Durable { up_to })?;
            }
            ScheduledEvent::AppendFailed { life, opening }
                if (life, opening) == (self.life, self.opening) =>
            {
                self.room_event(room::Event::AppendFailed)?;
            }
            ScheduledEvent::Encoded { opening, encoded } if opening == self.opening => {
                self.room_event(room::Event::Encoded(*encoded))?;
            }
            ScheduledEvent::Tail { opening, session, after, records } if opening == self.opening => {
                self.room_event(room::Event::Tail { session, after, records })?;
            }
            ScheduledEvent::RoomTick { life } if life == self.life => {
                self.tick_is_due = false;
                self.room_event(room::Event::Tick)?;
            }
            ScheduledEvent::RoomRests { opening } if opening == self.opening => self.room_rests()?,
            ScheduledEvent::SnapshotPiece { life } if life == self.life => self.write_piece(),
            ScheduledEvent::ChatRead { opening, chat_messages } if opening == self.opening => {
                self.room_event(room::Event::ChatRead { chat_messages })?;
            }
            ScheduledEvent::StoreTalk { life } if life == self.life => self.store_chat(),
            ScheduledEvent::Said { opening, number, is_stored } if opening == self.opening => {
                self.room_event(room::Event::Said { number, is_stored })?;
            }
            ScheduledEvent::SayAgain { client } => self.resend(client),
            ScheduledEvent::ChatRead { .. }
            | ScheduledEvent::StoreTalk { .. }
            | ScheduledEvent::Said { .. }
            | ScheduledEvent::Append { .. }
            | ScheduledEvent::SnapshotPiece { .. }
            | ScheduledEvent::Sync { .. }
            | ScheduledEvent::Appended { .. }
            | ScheduledEvent::AppendFailed { .. }
            | ScheduledEvent::Encoded { .. }
            | ScheduledEvent::Tail { .. }
            | ScheduledEvent::RoomRests { .. }
            | ScheduledEvent::RoomTick { .. } => {} // of a life that is over
        }
        Ok(())
    }

    pub(crate) fn after(&mut self, delay_ms: u64, happening: ScheduledEvent) {
        self.happenings_made += 1;
        self.happenings.insert((self.now_ms + delay_ms, self.happenings_made), happening);
    }
}

/// The chat as one page has it.
#[derive(Default)]
pub(crate) struct Page {
    /// Said here and not heard back, under its identity.
    pub unsaid: BTreeMap<u64, Arc<str>>,
    pub heard: Vec<u64>,
    /// The connection on which it has asked for the chat.
    pub asked_on: Option<u64>,
    /// … and has had an answer.
    pub is_answered: bool,
    /// It will say everything again soon.
    pub resends: bool,
}

/// What is known of the chat of a run from outside.
#[derive(Default)]
pub(crate) struct ReceivedFrames {
    /// What was told to anybody, by its number.
    pub told: BTreeMap<u64, Arc<ChatMessage>>,
    /// Identities of what was answered to requests.
    pub answered: BTreeSet<u64>,
    /// What is on its way to the disk, and in which opening of the room it was said.
    pub to_store: Vec<(u64, StoredChatMessage)>,
    pub random: u64,
}
