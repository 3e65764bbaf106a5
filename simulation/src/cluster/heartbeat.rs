//! The life of a server's process: it joins, raises its beat, hands its rooms over, and ends.

use quadrille_journal::PeerId;
use quadrille_protocol::{CloseReason, SessionId};
use quadrille_room as room;

use super::messages::{Caller, Event, Input, Link, Opening, Request};
use super::state::{ClientConnection, Machine, Slot};
use super::world::ClusterWorld;
use crate::world::Failure;

/// Time between two beats, as `BEAT_INTERVAL` of `storage-postgres`.
const BEAT_INTERVAL_MS: u64 = 250;
/// How often a stopping server looks whether its rooms can be released.
const DRAIN_EVERY_MS: u64 = 20;
/// How long a stopping server waits for its rooms.
const DRAIN_MS_MAX: u64 = 3_000;

impl ClusterWorld {
    /// Starts a process of a server.
    pub(super) fn start_machine(&mut self, machine: usize) -> Result<(), Failure> {
        if self.machines[machine].is_up {
            return Ok(());
        }
        let Machine { process, drift, clock_offset_ms, lost_answers, paused_until_ms, .. } =
            self.machines[machine];
        self.machines[machine] = Machine {
            process: process + 1,
            is_up: true,
            clock_offset_ms,
            lost_answers,
            paused_until_ms,
            ..Machine::new(drift)
        };
        self.request(machine, Caller::Rooms, Request::Join)
    }

    /// The server has its row.
    pub(super) fn joined(&mut self, machine: usize, node: PeerId) -> Result<(), Failure> {
        self.machines[machine].node = Some(node);
        self.report.count("servers started");
        self.beat(machine)
    }

    pub(super) fn beat(&mut self, machine: usize) -> Result<(), Failure> {
        self.request(machine, Caller::Heartbeat, Request::Beat { poll: None, to_remove: Vec::new() })
    }

    pub(super) fn schedule_beat(&mut self, machine: usize) {
        self.machine_after(machine, BEAT_INTERVAL_MS, Input::Beat);
    }

    /// The others learn that servers have left: what waits for them goes on.
    pub(super) fn departed(&mut self, machine: usize, peers: &[PeerId]) -> Result<(), Failure> {
        for peer in peers {
            self.end_streams_to(machine, *peer)?;
        }
        Ok(())
    }

    /// Stops a server in order. It starts again after `down_ms`.
    pub(super) fn drain(&mut self, machine: usize, down_ms: u64) -> Result<(), Failure> {
        let state = &mut self.machines[machine];
        if !state.is_up || state.node.is_none() || state.drain_until_ms.is_some() {
            return Ok(());
        }
        self.report.count("fault: server stopped in order");
        state.drain_until_ms = Some(self.now_ms + DRAIN_MS_MAX);
        state.down_ms = down_ms;
        // Relayed sessions are closed as well.
        let mine = |connection: &ClientConnection| connection.machine == machine;
        let connections: Vec<u64> =
            self.connections.iter().filter(|(_, connection)| mine(connection)).map(|(id, _)| *id).collect();
        for connection in connections {
            self.close_relayed(connection, CloseReason::Restarting)?;
        }
        let rooms: Vec<usize> = self.machines[machine].rooms.keys().copied().collect();
        for number in rooms {
            self.room_event(machine, number, room::Event::Close(CloseReason::Restarting))?;
        }
        self.machine_after(machine, DRAIN_EVERY_MS, Input::Drain);
        Ok(())
    }

    /// Gives the rooms of a server to another one, as when it has more than that (O6).
    pub(super) fn hand_over(&mut self, machine: usize, heir: usize) -> Result<(), Failure> {
        let state = &self.machines[machine];
        if !state.is_up || state.node.is_none() || state.drain_until_ms.is_some() || heir == machine {
            return Ok(());
        }
        let numbers: Vec<usize> = state.rooms.keys().copied().collect();
        for number in numbers {
            let Some(open) = self.machines[machine].open_room(number) else { continue };
            open.heir = Some(heir);
            let opening = open.opening;
            let sessions: Vec<SessionId> = open.sessions.keys().copied().collect();
            self.report.count("rooms handed over");
            for session in sessions {
                self.close_session(machine, number, session, CloseReason::Restarting);
                self.room_event(machine, number, room::Event::Disconnect { session })?;
            }
            self.machine_after(machine, DRAIN_EVERY_MS, Input::HandOver { opening });
        }
        Ok(())
    }

    /// Releases a room that goes to another server when nothing of it waits any more.
    pub(super) fn continue_hand_over(&mut self, machine: usize, opening: Opening) -> Result<(), Failure> {
        let open = self.machines[machine].open_room(opening.room);
        let Some(open) = open.filter(|open| open.opening == opening) else { return Ok(()) };
        if open.room.is_idle() && open.room.head() == open.room.durable() {
            return self.release_room(machine, opening.room);
        }
        self.machine_after(machine, DRAIN_EVERY_MS, Input::HandOver { opening });
        Ok(())
    }

    /// Releases the rooms of a stopping server one by one, and ends it when none is left.
    pub(super) fn continue_drain(&mut self, machine: usize) -> Result<(), Failure> {
        let Some(until_ms) = self.machines[machine].drain_until_ms else { return Ok(()) };
        let open = |(number, slot): (&usize, &Slot)| match slot {
            Slot::Open(open) => Some((*number, open.room.is_idle(), open.room.head() == open.room.durable())),
            Slot::Opening { .. } => None,
        };
        let rooms: Vec<(usize, bool, bool)> = self.machines[machine].rooms.iter().filter_map(open).collect();
        for (number, is_idle, is_durable) in rooms {
            if is_idle && is_durable {
                self.release_room(machine, number)?;
            }
        }
        if self.machines[machine].rooms.is_empty() || self.now_ms >= until_ms {
            self.machines[machine].drain_until_ms = None;
            self.machines[machine].is_leaving = true;
            return self.request(machine, Caller::Rooms, Request::Leave);
        }
        self.machine_after(machine, DRAIN_EVERY_MS, Input::Drain);
        Ok(())
    }

    /// Ends a process, which loses its memory. It starts again after `down_ms`, or as its drain says.
    pub(super) fn end_process(
        &mut self,
        machine: usize,
        why: &'static str,
        down_ms: Option<u64>,
    ) -> Result<(), Failure> {
        self.report.count(why);
        let state = &mut self.machines[machine];
        let process = state.process;
        let down_ms = down_ms.unwrap_or(state.down_ms).max(1);
        for slot in std::mem::take(&mut state.rooms).into_values() {
            if let Slot::Open(open) = slot {
                self.count_room(&open.room);
            }
        }
        let Machine { drift, clock_offset_ms, lost_answers, .. } = self.machines[machine];
        let ended = Machine { process: process + 1, clock_offset_ms, lost_answers, ..Machine::new(drift) };
        self.machines[machine] = ended;
        let at = self.arrival(Link::Database(machine), (u64::MAX, true));
        self.at(at, Event::DatabaseSeesEnd { machine, process });
        let at = self.now_ms + down_ms;
        self.at(at, Event::MachineStarts { machine });
        let of_process = |(id, connection): (&u64, &ClientConnection)| {
            let is_open = connection.machine == machine && connection.process == process;
            (is_open && !connection.client_has_closed).then_some((*id, connection.client))
        };
        let connections: Vec<(u64, usize)> = self.connections.iter().filter_map(of_process).collect();
        for (connection, client) in connections {
            let at = self.arrival(Link::Client(client), (connection, false));
            self.at(at, Event::ClientSeesClose { connection, reason: None });
        }
        self.streams_of_ended(machine, process);
        Ok(())
    }
}
