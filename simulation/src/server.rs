//! The server of a run, in all its lives: a real room, and the disk behind it.

use std::sync::Arc;

use quadrille_journal::{Append, Crash, Outcome, Snapshot, Storage, StorageError};
use quadrille_operation::Limits;
use quadrille_protocol::{Author, CloseReason, Revision, Role};
use quadrille_room as room;
use quadrille_room::limits::Bounds;
use quadrille_room::{Change, FramePriority, Moment, Room, Token};

use crate::edits::{Edit, random_edit};
use crate::network::Packet;
use crate::random::Random;
use crate::world::{Failure, START_UNIX_MS, ScheduledEvent, TICK_MS, World, Written};

/// How long nobody may be there before the room leaves memory.
const ROOM_IDLE_MS: u64 = 30;

impl World {
    pub(crate) fn at_server(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = &self.connections[&id];
        if connection.server_has_left || connection.is_dead || connection.life != self.life {
            return Ok(());
        }
        let session = connection.session;
        if self.clients[connection.client].connection.is_some_and(|newer| newer > id) {
            self.report.count("fault: frame overtaken by a later connection's");
        }
        self.room_event(room::Event::Frame { session, bytes: packet.bytes.clone() })
    }

    pub(crate) fn server_sees_end(&mut self, id: u64) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if std::mem::replace(&mut connection.server_has_left, true) || connection.life != self.life {
            return Ok(());
        }
        connection.is_subscribed = false;
        let session = connection.session;
        self.room_event(room::Event::Disconnect { session })?;
        if self.room.as_ref().is_some_and(Room::is_idle) {
            self.after(ROOM_IDLE_MS, ScheduledEvent::RoomRests { opening: self.opening });
        }
        Ok(())
    }

    /// Nobody has come for a while: the room leaves memory, when it has stored what it wants to store.
    pub(crate) fn room_rests(&mut self) -> Result<(), Failure> {
        if !self.room.as_ref().is_some_and(Room::is_idle) {
            return Ok(());
        }
        self.room_event(room::Event::Rest)?;
        match self.room.as_ref().map(Room::is_idle) {
            Some(true) => {
                self.report.count("room left memory");
                self.forget_room();
            }
            Some(false) => self.after(ROOM_IDLE_MS, ScheduledEvent::RoomRests { opening: self.opening }),
            None => {}
        }
        Ok(())
    }

    pub(crate) fn crash_server(&mut self, down_ms: u64, crash: Crash) {
        self.report.count(match crash {
            Crash::Process => "fault: server crash",
            Crash::Power => "fault: power lost",
        });
        self.server_ends = None;
        self.storage.crash(crash);
        self.written = None;
        self.life += 1;
        self.forget_room();
        self.server_is_up = false;
        self.to_append.clear();
        self.lose_chat();
        self.snapshots.clear();
        self.is_appending = false;
        self.tick_is_due = false;
        self.after(down_ms, ScheduledEvent::StartServer);
        let open: Vec<u64> = self
            .connections
            .iter()
            .filter(|(_, connection)| !connection.client_has_left)
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            // What the kernel had taken may still arrive in the meantime.
            let wait = self.random.between(0, 400);
            self.after(wait, ScheduledEvent::ClientSeesEnd { connection: id, reason: None });
        }
    }

    pub(crate) fn forget_room(&mut self) {
        if let Some(room) = self.room.take() {
            self.note_counts(&room);
        }
        self.opening += 1;
    }

    pub(crate) fn note_counts(&mut self, room: &Room) {
        let counts = room.counts();
        for (what, count) in [
            ("transactions placed", counts.transactions),
            ("transactions rebased", counts.rebased),
            ("resends recognised", counts.duplicates),
            ("resumed by tail", counts.resumed_by_tail),
            ("resumed by snapshot", counts.resumed_by_snapshot),
            ("broadcasts missed", counts.missed),
            ("digests stated", counts.digests),
            ("digest mismatches", counts.digest_mismatches),
            ("ticks", counts.ticks),
        ] {
            self.report.add(what, count);
        }
    }

    pub(crate) fn open_room(&mut self) -> Result<(), Failure> {
        if self.room.is_some() {
            return Ok(());
        }
        // The journal does one thing after the other: what an earlier stay of the room handed over comes first.
        if self.written.is_some() {
            self.sync()?;
        }
        if !self.to_append.is_empty() {
            self.write()?;
            if self.written.is_some() {
                self.sync()?;
            }
        }
        if !self.server_is_up {
            return Ok(()); // a sync failed
        }
        self.store_chat();
        let claim = self.storage.claim(&self.name).map_err(|error| error.to_string())?;
        let loaded = self.storage.load(self.key).map_err(|error| error.to_string())?;
        let limits = Limits { cells_per_transaction: self.plan.room.cells, ..Limits::default() };
        let opened = Room::open(self.name.clone(), claim.incarnation, &loaded, limits);
        let mut opened = opened.map_err(|error| format!("the room cannot be opened: {error}"))?;
        opened.set_bounds(Bounds {
            ring_records: self.plan.room.ring,
            tail_revisions: self.plan.room.tail,
            tail_piece_bytes: 200,
            tail_bytes: 1_000,
            snapshot_after_records: self.plan.room.snapshot_after,
            snapshot_rest: 0,
            snapshot_after_ms: self.plan.room.snapshot_after_ms,
            snapshot_worth_records: self.plan.room.snapshot_worth,
            ..Bounds::default()
        });
        self.room = Some(opened);
        let ms = self.plan.tick_ms;
        self.room_event(room::Event::VolatileEvery { ms })?;
        self.report.count("room opened");
        Ok(())
    }

    pub(crate) fn request(&mut self, seed: u64) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        let Some(room) = &self.room else { return Ok(()) }; // the disk failed just now
        self.report.count("requests");
        let mut random = Random::new(seed);
        let workbook = room.workbook();
        let change = match random_edit(&mut random, workbook) {
            Edit::Command(command) => Change::Command(Box::new(command)),
            Edit::Transaction(transaction) => Change::Transaction(transaction),
        };
        let author = Author::named("REST");
        self.room_event(room::Event::Request { token: Token(seed), author, role: Role::Edit, change })
    }

    pub(crate) fn room_event(&mut self, event: room::Event) -> Result<(), Failure> {
        let moment = Moment {
            unix_ms: START_UNIX_MS + self.now_ms as i64 + self.clock_offset_ms,
            monotonic_ms: self.now_ms,
            random: self.random.next(),
        };
        let Some(room) = &mut self.room else { return Ok(()) };
        let effects = room.handle(moment, event);
        let life = self.life;
        for effect in effects {
            if let Some((effects_left, down_ms, crash)) = &mut self.server_ends {
                *effects_left -= 1;
                if *effects_left == 0 {
                    let (down_ms, crash) = (*down_ms, *crash);
                    self.crash_server(down_ms, crash);
                }
            }
            if self.life != life {
                return Ok(());
            }
            self.carry_out(effect)?;
        }
        let next_tick_ms = self.room.as_ref().and_then(Room::next_tick_ms);
        if let Some(at) = next_tick_ms.filter(|_| !self.tick_is_due) {
            self.tick_is_due = true;
            let wait = at.saturating_sub(self.now_ms).max(TICK_MS);
            self.after(wait, ScheduledEvent::RoomTick { life: self.life });
        }
        Ok(())
    }

    pub(crate) fn carry_out(&mut self, effect: room::Effect) -> Result<(), Failure> {
        match effect {
            room::Effect::Append { base, records, time_ms } => {
                self.to_append.push(Append { room: self.key, base, records, time_ms });
                self.write_soon();
            }
            room::Effect::Send { session, frame, lane } => self.send_alone(session.0, frame, lane)?,
            room::Effect::Broadcast { frame, lane, from } => {
                let listeners: Vec<u64> = self
                    .connections
                    .iter()
                    .filter(|(_, connection)| connection.is_subscribed && connection.life == self.life)
                    .map(|(id, _)| *id)
                    .collect();
                for id in listeners {
                    self.broadcast_to(id, &frame, lane, from)?;
                }
            }
            room::Effect::Subscribe { session } => {
                self.connections.get_mut(&session.0).expect("kept for ever").is_subscribed = true;
            }
            room::Effect::Close { session, reason } => {
                self.report.count("sessions closed by the room");
                let connection = self.connections.get_mut(&session.0).expect("kept for ever");
                connection.server_has_left = true;
                connection.is_subscribed = false;
                let at = connection.arrival_at_client_ms(self.now_ms, 0);
                let reason = Some(reason);
                self.after(at - self.now_ms, ScheduledEvent::ClientSeesEnd { connection: session.0, reason });
            }
            room::Effect::Encode(job) => {
                let wait = self.disk_delay();
                self.after(
                    wait,
                    ScheduledEvent::Encoded { opening: self.opening, encoded: Box::new(job.run()) },
                );
            }
            room::Effect::PutSnapshot { revision, bytes } => {
                self.snapshots.push_back((Snapshot { revision, bytes }, 0));
                if self.snapshots.len() == 1 {
                    self.write_piece_soon();
                }
            }
            room::Effect::NeedTail { session, after, bytes_max } => {
                let records = self.storage.tail(self.key, after, bytes_max);
                if let Err(StorageError::Forgotten { .. }) = records {
                    self.report.count("asked for what was trimmed");
                }
                let records = records.unwrap_or_default();
                let records = records.into_iter().map(|record| (record.revision, record.bytes)).collect();
                let wait = self.disk_delay();
                self.after(wait, ScheduledEvent::Tail { opening: self.opening, session, after, records });
            }
            room::Effect::Done { revision, .. } => {
                if revision.0 > self.storage.disk().records(self.key).len() as u64 {
                    return Err(format!(
                        "a request was answered before revision {revision} was in the journal"
                    ));
                }
                self.requests_done.push(revision);
            }
            room::Effect::Refused { .. } => self.report.count("requests refused"),
            room::Effect::DigestMismatch { revision, room, replica, .. } => {
                return Err(format!(
                    "digests differ at revision {revision}: room {room:x?}, replica {replica:x}"
                ));
            }
            // Where nobody talks, nonsense from the network may read as a request to listen.
            room::Effect::ReadChat => {
                self.report.count("chat asked for");
                self.read_chat();
            }
            room::Effect::Say { number, bytes, forget_up_to } => {
                self.store_soon(number, bytes, forget_up_to);
            }
            room::Effect::ChatAccepted { token, result } => self.chatted(token, result)?,
            room::Effect::Discard(_) => {}
            room::Effect::Stopped => {
                self.report.count("room stopped");
                self.forget_room();
            }
        }
        Ok(())
    }

    pub(crate) fn disk_delay(&mut self) -> u64 {
        let (low, high) = self.plan.disk_ms;
        self.random.between(low, high)
    }

    /// The journal's thread takes what has gathered in a moment, unless it is busy.
    fn write_soon(&mut self) {
        if !self.is_appending && self.written.is_none() && !self.to_append.is_empty() {
            self.is_appending = true;
            let wait = self.disk_delay();
            self.after(wait, ScheduledEvent::Append { life: self.life });
        }
    }

    fn write_piece_soon(&mut self) {
        let wait = self.disk_delay();
        self.after(wait, ScheduledEvent::SnapshotPiece { life: self.life });
    }

    /// The journal's thread writes a piece of a snapshot, and the next one when others had a turn.
    pub(crate) fn write_piece(&mut self) {
        let Some((snapshot, written)) = self.snapshots.front_mut() else { return };
        let bytes_max = match self.plan.disk.piece_bytes {
            0 => usize::MAX,
            bytes => bytes,
        };
        match self.storage.put_piece(self.key, snapshot, *written, bytes_max) {
            Ok(up_to) if up_to < snapshot.bytes.len() => {
                *written = up_to;
                self.report.count("pieces of snapshots written");
            }
            Ok(_) => {
                self.report.count("snapshots stored");
                self.snapshots.pop_front();
            }
            // Losing a snapshot is not an error; that storage has failed shows at the next append.
            Err(_) => _ = self.snapshots.pop_front(),
        }
        if !self.snapshots.is_empty() {
            self.write_piece_soon();
        }
    }

    pub(crate) fn write(&mut self) -> Result<(), Failure> {
        self.is_appending = false;
        let batch = std::mem::take(&mut self.to_append);
        if batch.is_empty() || self.written.is_some() {
            self.to_append = batch;
            return Ok(());
        }
        match self.storage.write(&batch) {
            Ok(()) => {
                self.writes += 1;
                self.written = Some(Written { number: self.writes, opening: self.opening });
                let wait = self.disk_delay();
                self.after(wait, ScheduledEvent::Sync { write: self.writes });
            }
            Err(StorageError::Full) => {
                self.report.count("fault: disk full");
                self.after(0, ScheduledEvent::AppendFailed { life: self.life, opening: self.opening });
            }
            Err(error) => return Err(format!("writing has no other faults: {error}")),
        }
        Ok(())
    }

    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        let Some(Written { opening, .. }) = self.written.take() else { return Ok(()) };
        let life = self.life;
        match self.storage.sync() {
            Ok(outcomes) => {
                self.report.count("batches appended");
                for outcome in outcomes {
                    match outcome {
                        Outcome::Durable { head } => {
                            self.after(0, ScheduledEvent::Appended { life, opening, up_to: head });
                        }
                        Outcome::Fenced => self.after(0, ScheduledEvent::AppendFailed { life, opening }),
                    }
                }
                self.write_soon();
            }
            Err(_) => {
                self.report.count("fault: sync failed");
                let down = self.random.between(1, 300);
                self.crash_server(down, Crash::Power);
            }
        }
        Ok(())
    }

    pub(crate) fn broadcast_to(
        &mut self,
        id: u64,
        frame: &Arc<[u8]>,
        lane: FramePriority,
        from: Revision,
    ) -> Result<(), Failure> {
        if self.has_capacity_for(id, frame) {
            return self.send_to_client(id, frame.clone(), lane);
        }
        if lane == FramePriority::Ordered {
            let connection = self.connections.get_mut(&id).expect("kept for ever");
            connection.is_subscribed = false;
            connection.has_missed = true;
            let session = connection.session;
            self.room_event(room::Event::Missed { session, from })?;
        }
        Ok(())
    }

    fn has_capacity_for(&self, id: u64, frame: &[u8]) -> bool {
        let waiting = self.connections[&id].outgoing_bytes;
        waiting == 0 || waiting + frame.len() <= self.plan.outgoing_bytes_max
    }

    /// What a session alone is sent: presence is dropped when there is no place, for the rest the session ends.
    fn send_alone(&mut self, id: u64, frame: Arc<[u8]>, lane: FramePriority) -> Result<(), Failure> {
        if lane == FramePriority::Snapshot || self.has_capacity_for(id, &frame) {
            return self.send_to_client(id, frame, lane);
        }
        if lane == FramePriority::Ordered {
            self.report.count("sessions ended for a full queue");
            let reason = Some(CloseReason::TooFast);
            self.after(1, ScheduledEvent::ClientSeesEnd { connection: id, reason });
            self.server_sees_end(id)?;
        }
        Ok(())
    }

    pub(crate) fn send_to_client(
        &mut self,
        id: u64,
        frame: Arc<[u8]>,
        lane: FramePriority,
    ) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        let counts = lane != FramePriority::Snapshot;
        let is_records = frame.first() == Some(&3);
        let times = if is_records && connection.takes_duplicate() { 2 } else { 1 };
        let client = &self.clients[connection.client];
        let not_before_ms = client.reads_from_ms.max(client.apart_until_ms);
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame twice");
            }
            let connection = self.connections.get_mut(&id).expect("kept for ever");
            // A copy is the network's doing, not the queue's.
            let counts = counts && copy == 0;
            connection.outgoing_bytes += if counts { frame.len() } else { 0 };
            if counts && connection.outgoing_bytes > self.plan.outgoing_bytes_max.max(frame.len()) {
                return Err(format!("a session's queue holds {} bytes", connection.outgoing_bytes));
            }
            let at = connection.arrival_at_client_ms(self.now_ms, not_before_ms);
            let packet = Packet { bytes: frame.clone(), counts };
            self.after(at - self.now_ms, ScheduledEvent::AtClient { connection: id, packet });
        }
        Ok(())
    }
}
