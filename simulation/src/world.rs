//! The state of a run and its event loop: clients, connections, the server and the disk, driven by
//! a queue of scheduled events.

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

/// Time after the last action within which every run must become quiet.
const QUIET_WITHIN_MS: u64 = 120_000;
/// Clock at the start of every run: 2026-01-01.
pub(crate) const START_UNIX_MS: i64 = 1_767_225_600_000;
/// Shortest interval between two ticks of the room in milliseconds.
pub(crate) const TICK_MS: u64 = 50;

/// Description of a violated invariant.
pub type Failure = String;

/// A simulated server with its clients, network and disk.
pub struct World {
    pub(crate) plan: Plan,
    pub(crate) storage: FaultyStorage,
    pub(crate) key: RoomKey,
    pub(crate) room: Option<Room>,
    pub(crate) clients: Vec<Client>,
    pub(crate) report: Report,
    /// Acknowledged transactions by replica and counter.
    pub(crate) acknowledged: BTreeSet<(ReplicaId, Counter)>,
    /// Revisions with which requests were answered.
    pub(crate) requests_done: Vec<Revision>,
    pub(crate) name: RoomName,
    pub(crate) now_ms: u64,
    pub(crate) clock_offset_ms: i64,
    /// Scheduled events by time and order of scheduling.
    pub(crate) events: BTreeMap<(u64, u64), ScheduledEvent>,
    pub(crate) events_scheduled: u64,
    /// Number of the server's process; events of earlier processes are ignored.
    pub(crate) server_process: u64,
    pub(crate) server_is_up: bool,
    /// Number of the room's opening; answers to earlier ones are ignored.
    pub(crate) opening: u64,
    pub(crate) connections: BTreeMap<u64, Connection>,
    pub(crate) connections_opened: u64,
    pub(crate) to_append: Vec<Append>,
    pub(crate) is_appending: bool,
    /// Snapshots being stored, with the number of bytes already written.
    pub(crate) snapshots: VecDeque<(Snapshot, usize)>,
    pub(crate) tick_is_due: bool,
    pub(crate) random: Random,
    pub(crate) actions_done: usize,
    /// Whether all actions are done, so that no more faults are injected.
    pub(crate) faults_ended: bool,
    /// Planned crash of the server: effects left until then, downtime in milliseconds, kind of
    /// crash.
    pub(crate) planned_server_crash: Option<(u32, u64, Crash)>,
    /// Planned crash of a client, with the effects left until then.
    pub(crate) planned_client_crash: Option<(usize, u32)>,
    pub(crate) clients_created: usize,
    /// Number of batches written; identifies the batch that a sync belongs to.
    pub(crate) writes: u64,
    /// The batch that is written and not yet synced.
    pub(crate) unsynced: Option<UnsyncedBatch>,
    pub(crate) chat: ChatDeliveries,
}

/// A batch that is written and not yet synced.
#[derive(Clone, Copy)]
pub(crate) struct UnsyncedBatch {
    pub number: u64,
    pub opening: u64,
}

/// A simulated client.
pub(crate) struct Client {
    pub replica: Replica,
    pub(crate) connection: Option<u64>,
    /// Until then the client reads no frames.
    pub(crate) reads_from_ms: u64,
    /// End of the current network partition.
    pub(crate) partitioned_until_ms: u64,
    pub(crate) clock_offset_ms: i64,
    pub(crate) retries: u64,
    /// Submitted transactions that were not rejected.
    pub submitted: BTreeSet<(ReplicaId, Counter)>,
    pub(crate) chat: ChatClient,
}

/// An event in the queue of the run.
#[derive(Debug)]
pub(crate) enum ScheduledEvent {
    RunAction(usize),
    ClientConnects {
        client: usize,
    },
    ServerReceives {
        connection: u64,
        packet: Packet,
    },
    ClientReceives {
        connection: u64,
        packet: Packet,
    },
    ServerSeesClose {
        connection: u64,
    },
    ClientSeesClose {
        connection: u64,
        reason: Option<CloseReason>,
    },
    StartServer,
    /// The journal writes the waiting records.
    Append {
        server_process: u64,
    },
    /// The disk has synced the written batch.
    Sync {
        write: u64,
    },
    WriteSnapshotPiece {
        server_process: u64,
    },
    Appended {
        server_process: u64,
        opening: u64,
        up_to: Revision,
    },
    AppendFailed {
        server_process: u64,
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
        server_process: u64,
    },
    UnloadIdleRoom {
        opening: u64,
    },
    ChatRead {
        opening: u64,
        chat_messages: Option<Vec<Arc<[u8]>>>,
    },
    StoreChat {
        server_process: u64,
    },
    ChatStored {
        opening: u64,
        number: u64,
        is_stored: bool,
    },
    ResendChat {
        client: usize,
    },
}

impl World {
    /// Prepares the run of a plan: connects the clients and schedules the actions.
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
            events: BTreeMap::new(),
            events_scheduled: 0,
            server_process: 1,
            server_is_up: true,
            opening: 0,
            connections: BTreeMap::new(),
            connections_opened: 0,
            to_append: Vec::new(),
            is_appending: false,
            snapshots: VecDeque::new(),
            tick_is_due: false,
            random: Random::stream(plan.seed, 2, 0),
            actions_done: 0,
            faults_ended: false,
            planned_server_crash: None,
            planned_client_crash: None,
            clients_created: plan.clients,
            writes: 0,
            unsynced: None,
            chat: ChatDeliveries::default(),
            plan,
        };
        for number in 0..world.plan.clients {
            let client = world.new_client(number);
            world.clients.push(client);
            world.after(number as u64, ScheduledEvent::ClientConnects { client: number });
        }
        for (index, action) in world.plan.actions.iter().enumerate() {
            world.events_scheduled += 1;
            world.events.insert((action.at_ms, world.events_scheduled), ScheduledEvent::RunAction(index));
        }
        world
    }

    /// Runs the plan until everything is quiet, and checks all invariants. Fails with the violated
    /// invariant.
    pub fn run(&mut self) -> Result<(), Failure> {
        self.run_until_quiet()?;
        self.check_final_state()?;
        self.check_undo_preserves_others()?;
        self.report.simulated_ms = self.now_ms;
        self.record_storage_faults();
        Ok(())
    }

    /// Like [`run`](World::run) without the additional edits of the undo check, so that the final
    /// document is that of the plan.
    pub fn run_scenario(&mut self) -> Result<(), Failure> {
        self.run_until_quiet()?;
        self.check_final_state()
    }

    /// Runs until no action is left, everything is saved and every client is up to date.
    pub(crate) fn run_until_quiet(&mut self) -> Result<(), Failure> {
        let last_action_ms = self.plan.actions.last().map_or(0, |action| action.at_ms).max(self.now_ms);
        loop {
            if !self.faults_ended && self.actions_done == self.plan.actions.len() {
                self.end_faults()?;
            }
            if self.faults_ended && self.is_quiet() {
                return Ok(());
            }
            let Some(((at_ms, _), event)) = self.events.pop_first() else {
                return Err(format!("stuck: no more events, {}", self.describe()));
            };
            self.now_ms = at_ms;
            self.report.steps += 1;
            if self.now_ms > last_action_ms + QUIET_WITHIN_MS {
                return Err(format!(
                    "stuck: not quiet {QUIET_WITHIN_MS} ms after the last action, {}",
                    self.describe()
                ));
            }
            self.dispatch(event)?;
            self.check_queue_limits()?;
        }
    }

    fn record_storage_faults(&mut self) {
        let faults = self.storage.faults();
        for (name, count) in [
            ("fault: snapshot lost", faults.lost_snapshot),
            ("fault: snapshot write interrupted", faults.snapshot_broken_off),
            ("fault: unsynced write survived", faults.unsynced_kept),
            ("fault: unsynced write lost", faults.unsynced_lost),
            ("fault: unsynced write torn", faults.unsynced_torn),
        ] {
            self.report.add(name, count);
        }
    }

    /// Ends fault injection: from now on, everything must recover without further help.
    pub(crate) fn end_faults(&mut self) -> Result<(), Failure> {
        self.faults_ended = true;
        self.storage.heal();
        (self.planned_server_crash, self.planned_client_crash) = (None, None);
        for client in &mut self.clients {
            (client.reads_from_ms, client.partitioned_until_ms) = (0, 0);
        }
        // On a slow network, a displayed clock would prevent the run from becoming quiet.
        self.plan.tick_ms = None;
        self.room_event(room::Event::SetVolatileInterval { ms: None })
    }

    /// The report of the run.
    pub fn into_report(self) -> Report {
        self.report
    }

    /// The stored records, one line each.
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

    /// The room's workbook at the end of the run.
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
                !connection.has_dropped_broadcast || connection.server_has_closed || connection.server_process != self.server_process
            })
            && self.unsynced.is_none()
            && (!self.has_chat() || self.is_chat_quiet())
            // A crashed client may have sent frames that have not arrived yet.
            && !self.events.values().any(|event| self.can_still_write(event))
    }

    fn can_still_write(&self, event: &ScheduledEvent) -> bool {
        let (connection, packet) = match event {
            ScheduledEvent::ServerReceives { connection, packet } => (connection, packet),
            // Stored chat messages are still to be delivered.
            ScheduledEvent::ChatRead { opening, .. } | ScheduledEvent::ChatStored { opening, .. } => {
                return *opening == self.opening;
            }
            _ => return false,
        };
        let connection = &self.connections[connection];
        let arrives = !connection.server_has_closed
            && !connection.is_dead
            && connection.server_process == self.server_process;
        arrives && packet.bytes.first() == Some(&2)
    }

    /// Describes the state of the run for failure messages.
    pub(crate) fn describe(&self) -> String {
        let clients: Vec<String> = self
            .clients
            .iter()
            .map(|client| format!("{:?} at {}", client.replica.status(), client.replica.revision()))
            .collect();
        let room = self.room.as_ref().map(|room| (room.head(), room.durable()));
        format!("{} ms, room {room:?}, clients {clients:?}", self.now_ms)
    }

    /// Handles an event of the queue.
    pub(crate) fn dispatch(&mut self, event: ScheduledEvent) -> Result<(), Failure> {
        match event {
            ScheduledEvent::RunAction(index) => self.act(index)?,
            ScheduledEvent::ClientConnects { client } => self.client_connects(client)?,
            ScheduledEvent::ServerReceives { connection, packet } => {
                self.server_receives(connection, &packet)?
            }
            ScheduledEvent::ClientReceives { connection, packet } => {
                self.client_receives(connection, &packet)?
            }
            ScheduledEvent::ServerSeesClose { connection } => self.server_sees_close(connection)?,
            ScheduledEvent::ClientSeesClose { connection, reason } => {
                self.client_sees_close(connection, reason)?
            }
            ScheduledEvent::StartServer => {
                self.storage.restart();
                self.server_is_up = true;
            }
            ScheduledEvent::Append { server_process } if server_process == self.server_process => {
                self.write()?
            }
            ScheduledEvent::Sync { write } if self.unsynced.is_some_and(|batch| batch.number == write) => {
                self.sync()?;
            }
            ScheduledEvent::Appended { server_process, opening, up_to }
                if (server_process, opening) == (self.server_process, self.opening) =>
            {
                self.room_event(room::Event::Durable { up_to })?;
            }
            ScheduledEvent::AppendFailed { server_process, opening }
                if (server_process, opening) == (self.server_process, self.opening) =>
            {
                self.room_event(room::Event::AppendFailed)?;
            }
            ScheduledEvent::Encoded { opening, encoded } if opening == self.opening => {
                self.room_event(room::Event::Encoded(*encoded))?;
            }
            ScheduledEvent::Tail { opening, session, after, records } if opening == self.opening => {
                self.room_event(room::Event::Tail { session, after, records })?;
            }
            ScheduledEvent::RoomTick { server_process } if server_process == self.server_process => {
                self.tick_is_due = false;
                self.room_event(room::Event::Tick)?;
            }
            ScheduledEvent::UnloadIdleRoom { opening } if opening == self.opening => {
                self.unload_idle_room()?
            }
            ScheduledEvent::WriteSnapshotPiece { server_process }
                if server_process == self.server_process =>
            {
                self.write_snapshot_piece()
            }
            ScheduledEvent::ChatRead { opening, chat_messages } if opening == self.opening => {
                self.room_event(room::Event::ChatRead { chat_messages })?;
            }
            ScheduledEvent::StoreChat { server_process } if server_process == self.server_process => {
                self.store_chat()
            }
            ScheduledEvent::ChatStored { opening, number, is_stored } if opening == self.opening => {
                self.room_event(room::Event::ChatStored { number, is_stored })?;
            }
            ScheduledEvent::ResendChat { client } => self.resend_chat(client),
            ScheduledEvent::ChatRead { .. }
            | ScheduledEvent::StoreChat { .. }
            | ScheduledEvent::ChatStored { .. }
            | ScheduledEvent::Append { .. }
            | ScheduledEvent::WriteSnapshotPiece { .. }
            | ScheduledEvent::Sync { .. }
            | ScheduledEvent::Appended { .. }
            | ScheduledEvent::AppendFailed { .. }
            | ScheduledEvent::Encoded { .. }
            | ScheduledEvent::Tail { .. }
            | ScheduledEvent::UnloadIdleRoom { .. }
            | ScheduledEvent::RoomTick { .. } => {} // of an earlier process or opening
        }
        Ok(())
    }

    /// Schedules an event after `delay_ms` milliseconds.
    pub(crate) fn after(&mut self, delay_ms: u64, event: ScheduledEvent) {
        self.events_scheduled += 1;
        self.events.insert((self.now_ms + delay_ms, self.events_scheduled), event);
    }
}

/// The chat as one client sees it.
#[derive(Default)]
pub(crate) struct ChatClient {
    /// Sent messages without confirmation, by id.
    pub unconfirmed: BTreeMap<u64, Arc<str>>,
    /// Numbers of the received messages.
    pub received: Vec<u64>,
    /// The connection on which the client has subscribed.
    pub subscribed_on: Option<u64>,
    /// Whether the subscription was answered.
    pub is_subscribed: bool,
    /// Whether a resend is scheduled.
    pub is_resend_scheduled: bool,
}

/// The chat as all clients and the disk see it.
#[derive(Default)]
pub(crate) struct ChatDeliveries {
    /// Messages delivered to any client, by number.
    pub delivered: BTreeMap<u64, Arc<ChatMessage>>,
    /// Ids of messages accepted through REST.
    pub accepted: BTreeSet<u64>,
    /// Messages to be stored, with the opening of the room they belong to.
    pub to_store: Vec<(u64, StoredChatMessage)>,
    /// Number of random delays drawn.
    pub delays_drawn: u64,
}
