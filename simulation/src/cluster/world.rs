//! The state of a run with several servers, its event queue and its faults.

use std::collections::BTreeMap;

use quadrille_journal::RoomKey;
use quadrille_protocol::{Counter, ReplicaId, Revision, RoomName, SessionId};
use quadrille_replica::{self as replica, Replica, Status};

use super::database::Database;
use super::messages::{Event, Input, Link};
use super::plan::{ClusterActionKind, ClusterPlan};
use super::state::{ClientConnection, ClusterClient, Machine, Slot, Stream};
use crate::edits::{Edit, random_edit};
use crate::random::Random;
use crate::report::Report;
use crate::world::Failure;

/// Time after the last action within which every run must become quiet.
const QUIET_WITHIN_MS: u64 = 240_000;

/// Servers, their database, and clients behind a balancer.
pub struct ClusterWorld {
    pub(super) plan: ClusterPlan,
    pub(super) names: Vec<RoomName>,
    pub(super) database: Database,
    pub(super) machines: Vec<Machine>,
    pub(super) clients: Vec<ClusterClient>,
    pub(super) connections: BTreeMap<u64, ClientConnection>,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) report: Report,
    pub(super) now_ms: u64,
    events: BTreeMap<(u64, u64), Event>,
    events_scheduled: u64,
    /// Number of statements, connections, streams, sessions and openings so far.
    pub(super) calls: u64,
    pub(super) random: Random,
    cuts: BTreeMap<Link, u64>,
    /// The last arrival in each direction of a connection.
    arrivals: BTreeMap<(Link, (u64, bool)), u64>,
    actions_done: usize,
    pub(super) faults_ended: bool,
    /// Acknowledged transactions, by room.
    pub(super) acknowledged: BTreeMap<(usize, ReplicaId, Counter), Revision>,
    /// Rooms and revisions with which requests were answered.
    pub(super) requests_done: Vec<(usize, Revision)>,
}

impl ClusterWorld {
    /// Prepares the run of a plan: starts the servers, connects the clients and schedules the actions.
    pub fn new(plan: ClusterPlan) -> ClusterWorld {
        let name = |number| RoomName::new(&format!("room-{number}")).expect("a plain name");
        let mut world = ClusterWorld {
            names: (0..plan.rooms).map(name).collect(),
            database: Database::new(),
            machines: plan.drift.iter().map(|drift| Machine::new(*drift)).collect(),
            clients: Vec::new(),
            connections: BTreeMap::new(),
            streams: BTreeMap::new(),
            report: Report { seeds: 1, ..Report::default() },
            now_ms: 0,
            events: BTreeMap::new(),
            events_scheduled: 0,
            calls: 0,
            random: Random::stream(plan.seed, 21, 0),
            cuts: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            actions_done: 0,
            faults_ended: false,
            acknowledged: BTreeMap::new(),
            requests_done: Vec::new(),
            plan,
        };
        for machine in 0..world.plan.machines {
            world.at(machine as u64, Event::MachineStarts { machine });
        }
        for client in 0..world.plan.clients {
            let random = Random::stream(world.plan.seed, 22, client as u64).next();
            world.clients.push(ClusterClient {
                room: client % world.plan.rooms,
                replica: Replica::new(format!("person {client}").into(), None, random),
                connection: None,
                reads_from_ms: 0,
                retries: 0,
                submitted: Default::default(),
            });
            world.at(100 + client as u64, Event::ClientConnects { client });
        }
        let times: Vec<u64> = world.plan.actions.iter().map(|action| action.at_ms).collect();
        for (index, at_ms) in times.into_iter().enumerate() {
            world.at(at_ms + 200, Event::Act(index));
        }
        world
    }

    /// Runs the plan until everything is quiet, and checks all invariants. Fails with the violated one.
    ///
    /// # Errors
    /// Describes the invariant.
    pub fn run(&mut self) -> Result<(), Failure> {
        let last_action_ms = self.plan.actions.last().map_or(0, |action| action.at_ms);
        loop {
            if !self.faults_ended && self.actions_done == self.plan.actions.len() {
                self.end_faults();
            }
            if self.faults_ended && self.is_quiet() {
                break;
            }
            let Some(((at_ms, _), event)) = self.events.pop_first() else {
                return Err(format!("stuck: no more events, {}", self.describe()));
            };
            self.now_ms = at_ms;
            self.report.steps += 1;
            if self.now_ms > last_action_ms + QUIET_WITHIN_MS {
                return Err(format!("stuck: not quiet in time, {}", self.describe()));
            }
            self.dispatch(event)?;
        }
        self.check_final_state()?;
        let machines = std::mem::take(&mut self.machines);
        for open in machines.iter().flat_map(|machine| machine.rooms.values()) {
            if let Slot::Open(open) = open {
                self.count_room(&open.room);
            }
        }
        self.report.simulated_ms = self.now_ms;
        Ok(())
    }

    /// The report of the run.
    pub fn into_report(self) -> Report {
        self.report
    }

    /// The number of a room in the database, if it has records.
    pub(super) fn key_of(&mut self, room: usize) -> Option<RoomKey> {
        use quadrille_journal::Storage;
        self.database.shared.rooms().find(&self.names[room]).ok().flatten().map(|claim| claim.key)
    }

    fn is_quiet(&mut self) -> bool {
        let heads: Vec<Revision> = (0..self.plan.rooms)
            .map(|room| {
                let key = self.key_of(room);
                Revision(key.map_or(0, |key| self.database.shared.records(key).len() as u64))
            })
            .collect();
        self.database.is_up
            && !self.machines.iter().any(Machine::has_appends)
            && self.clients.iter().all(|client| {
                client.replica.status() == Status::Saved && client.replica.revision() == heads[client.room]
            })
    }

    /// Ends fault injection: from now on, everything must recover without further help.
    fn end_faults(&mut self) {
        self.faults_ended = true;
        self.cuts.clear();
        for machine in &mut self.machines {
            (machine.paused_until_ms, machine.lost_answers) = (0, 0);
        }
        for machine in 0..self.machines.len() {
            self.at(self.now_ms, Event::MachineResumes { machine });
        }
        for client in &mut self.clients {
            client.reads_from_ms = 0;
        }
    }

    fn describe(&self) -> String {
        let clients: Vec<String> = self
            .clients
            .iter()
            .map(|client| format!("{:?} at {}", client.replica.status(), client.replica.revision()))
            .collect();
        let machines: Vec<String> = self.machines.iter().map(Machine::describe).collect();
        format!("{} ms, clients {clients:?}, servers {machines:?}", self.now_ms)
    }

    fn dispatch(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Act(index) => self.act(index),
            Event::ClientConnects { client } => self.client_connects(client),
            Event::ClientReceives { connection, bytes } => self.client_receives(connection, bytes),
            Event::ClientSeesClose { connection, reason } => self.client_sees_close(connection, reason),
            Event::ClientGivesUp { connection } => self.client_gives_up(connection),
            Event::Database { machine, process, caller, connection, call, statement } => {
                self.database_receives((machine, process, caller), connection, call, statement)
            }
            Event::DatabaseStarts => {
                self.database.is_up = true;
                Ok(())
            }
            Event::DatabaseSeesEnd { machine, process } => {
                self.database.disconnect_process(machine, process);
                Ok(())
            }
            Event::MachineStarts { machine } => self.start_machine(machine),
            Event::Machine { machine, process, input } => {
                let state = &self.machines[machine];
                if state.process != process || !state.is_up {
                    return Ok(());
                }
                if state.paused_until_ms > self.now_ms || !state.held.is_empty() {
                    self.machines[machine].held.push_back(input);
                    return Ok(());
                }
                self.machine_input(machine, input)
            }
            Event::MachineResumes { machine } => {
                while self.machines[machine].paused_until_ms <= self.now_ms
                    && let Some(input) = self.machines[machine].held.pop_front()
                {
                    self.machine_input(machine, input)?;
                }
                Ok(())
            }
        }
    }

    fn act(&mut self, index: usize) -> Result<(), Failure> {
        self.actions_done += 1;
        match self.plan.actions[index].kind.clone() {
            ClusterActionKind::Edit { client, seed } => {
                let workbook = self.clients[client].replica.document().workbook();
                let event = match random_edit(&mut Random::new(seed), workbook) {
                    Edit::Command(command) => replica::Event::Command(command),
                    Edit::Transaction(transaction) => {
                        replica::Event::Transaction { transaction, is_undoable: true }
                    }
                };
                self.report.count("edits");
                self.user_event(client, event)?;
            }
            ClusterActionKind::Undo { client } => self.user_event(client, replica::Event::Undo)?,
            ClusterActionKind::Request { room, seed } => self.rest_request(room, seed)?,
            ClusterActionKind::Disconnect { client, offline_ms } => {
                if let Some(connection) = self.clients[client].connection {
                    self.report.count("fault: connection lost");
                    self.client_leaves(connection, None, offline_ms)?;
                }
            }
            ClusterActionKind::StopReading { client, ms } => {
                self.report.count("fault: slow reader");
                self.clients[client].reads_from_ms = self.now_ms + ms;
            }
            ClusterActionKind::CutClient { client, ms } => self.cut(Link::Client(client), ms),
            ClusterActionKind::Crash { machine, down_ms } => {
                if self.machines[machine].is_up {
                    self.end_process(machine, "fault: server killed", Some(down_ms))?;
                }
            }
            ClusterActionKind::Pause { machine, ms } => {
                self.report.count("fault: server paused");
                let until_ms = self.machines[machine].paused_until_ms.max(self.now_ms + ms);
                self.machines[machine].paused_until_ms = until_ms;
                self.at(until_ms, Event::MachineResumes { machine });
            }
            ClusterActionKind::Restart { machine, down_ms } => self.drain(machine, down_ms)?,
            ClusterActionKind::HandOver { machine, heir } => self.hand_over(machine, heir)?,
            ClusterActionKind::CutFromDatabase { machine, ms } => self.cut(Link::Database(machine), ms),
            ClusterActionKind::CutMachines { machine, other, ms } => {
                self.cut(Link::machines(machine, other), ms)
            }
            ClusterActionKind::StopDatabase { ms } => {
                self.report.count("fault: database stopped");
                self.database.stop();
                self.at(self.now_ms + ms, Event::DatabaseStarts);
            }
            ClusterActionKind::LoseAnswers { machine, count } => {
                self.machines[machine].lost_answers += count;
            }
            ClusterActionKind::ClockJump { machine, by_ms } => {
                self.report.count("fault: clock jump");
                self.machines[machine].clock_offset_ms += by_ms;
            }
        }
        Ok(())
    }

    fn cut(&mut self, link: Link, ms: u64) {
        self.report.count(match link {
            Link::Client(_) => "fault: client cut off",
            Link::Database(_) => "fault: server cut off from the database",
            Link::Machines(..) => "fault: servers cut off from one another",
        });
        self.cuts.insert(link, self.now_ms + ms);
    }

    /// Whether nothing passes over a link now.
    pub(super) fn is_cut(&self, link: Link) -> bool {
        self.cuts.get(&link).is_some_and(|until_ms| *until_ms > self.now_ms)
    }

    /// The time at which a message sent now arrives: after earlier ones of its connection and direction, and
    /// after a cut, because the sender repeats it.
    pub(super) fn arrival(&mut self, link: Link, direction: (u64, bool)) -> u64 {
        self.arrival_after(link, direction, 0)
    }

    /// As [`arrival`](Self::arrival), but not before a time: the receiver does not read earlier.
    pub(super) fn arrival_after(&mut self, link: Link, direction: (u64, bool), not_before_ms: u64) -> u64 {
        let (low, high) = self.plan.delay_ms;
        // Seven of eight delays are within the lowest eighth of the interval.
        let high = if self.random.one_in(8) { high } else { low + (high - low) / 8 };
        let delay = self.random.between(low, high);
        let cut_until_ms = self.cuts.get(&link).copied().unwrap_or_default();
        let last = self.arrivals.entry((link, direction)).or_default();
        *last = (self.now_ms + delay).max(cut_until_ms).max(not_before_ms).max(*last);
        *last
    }

    /// Schedules an event.
    pub(super) fn at(&mut self, at_ms: u64, event: Event) {
        self.events_scheduled += 1;
        self.events.insert((at_ms.max(self.now_ms), self.events_scheduled), event);
    }

    /// Schedules an input of a server's present process after so many milliseconds of its own clock.
    pub(super) fn machine_after(&mut self, machine: usize, delay_ms: u64, input: Input) {
        let Machine { process, drift, .. } = self.machines[machine];
        let delay_ms = (delay_ms as i64 * 1_000 / (1_000 + drift)) as u64;
        self.at(self.now_ms + delay_ms, Event::Machine { machine, process, input });
    }

    /// Sends an input to the present process of a server over a link.
    pub(super) fn send_input(&mut self, link: Link, direction: (u64, bool), machine: usize, input: Input) {
        let at = self.arrival(link, direction);
        let process = self.machines[machine].process;
        self.at(at, Event::Machine { machine, process, input });
    }

    /// A number that was not given before.
    pub(super) fn new_number(&mut self) -> u64 {
        self.calls += 1;
        self.calls
    }

    /// A session number that was not given before.
    pub(super) fn new_session(&mut self) -> SessionId {
        SessionId(self.new_number())
    }
}
