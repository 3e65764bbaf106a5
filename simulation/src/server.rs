//! The server of a run: a real room, the simulated disk, and crashes and restarts of the process.

use std::sync::Arc;

use quadrille_journal::{Append, Crash, Outcome, Snapshot, Storage, StorageError};
use quadrille_operation::{Limits, changes_imports};
use quadrille_protocol::{Author, CloseReason, Counter, Revision, Role};
use quadrille_room as room;
use quadrille_room::limits::Bounds;
use quadrille_room::{Change, FramePriority, Moment, Room, Token};

use crate::edits::{Edit, random_edit};
use crate::imports::random_import;
use crate::network::Packet;
use crate::random::Random;
use crate::world::{Failure, START_UNIX_MS, ScheduledEvent, TICK_MS, UnsyncedBatch, World};

/// Time without sessions in milliseconds after which the room is unloaded.
const ROOM_IDLE_MS: u64 = 30;

impl World {
    /// A frame reaches the server.
    pub(crate) fn server_receives(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = &self.connections[&id];
        if connection.server_has_closed
            || connection.is_dead
            || connection.server_process != self.server_process
        {
            return Ok(());
        }
        let session = connection.session;
        if self.clients[connection.client].connection.is_some_and(|newer| newer > id) {
            self.report.count("fault: frame overtaken by a later connection's");
        }
        self.room_event(room::Event::Frame { session, bytes: packet.bytes.clone() })
    }

    /// The server notices that a connection is closed.
    pub(crate) fn server_sees_close(&mut self, id: u64) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if std::mem::replace(&mut connection.server_has_closed, true)
            || connection.server_process != self.server_process
        {
            return Ok(());
        }
        connection.is_subscribed = false;
        let session = connection.session;
        self.room_event(room::Event::Disconnect { session })?;
        if self.room.as_ref().is_some_and(Room::is_idle) {
            self.after(ROOM_IDLE_MS, ScheduledEvent::UnloadIdleRoom { opening: self.opening });
        }
        Ok(())
    }

    /// Unloads a room without sessions once it has stored its snapshot.
    pub(crate) fn unload_idle_room(&mut self) -> Result<(), Failure> {
        if !self.room.as_ref().is_some_and(Room::is_idle) {
            return Ok(());
        }
        self.room_event(room::Event::PrepareUnload)?;
        match self.room.as_ref().map(Room::is_idle) {
            Some(true) => {
                self.report.count("rooms unloaded");
                self.drop_room();
            }
            Some(false) => self.after(ROOM_IDLE_MS, ScheduledEvent::UnloadIdleRoom { opening: self.opening }),
            None => {}
        }
        Ok(())
    }

    /// Ends the server's process and schedules its restart after `down_ms` milliseconds.
    pub(crate) fn crash_server(&mut self, down_ms: u64, crash: Crash) {
        self.report.count(match crash {
            Crash::Process => "fault: server crash",
            Crash::Power => "fault: power lost",
        });
        self.planned_server_crash = None;
        self.storage.crash(crash);
        self.unsynced = None;
        self.server_process += 1;
        self.drop_room();
        self.server_is_up = false;
        self.to_append.clear();
        self.discard_unstored_chat();
        self.snapshots.clear();
        self.is_appending = false;
        self.tick_is_due = false;
        self.after(down_ms, ScheduledEvent::StartServer);
        let open: Vec<u64> = self
            .connections
            .iter()
            .filter(|(_, connection)| !connection.client_has_closed)
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            // Frames that the kernel had accepted may still arrive in the meantime.
            let wait = self.random.between(0, 400);
            self.after(wait, ScheduledEvent::ClientSeesClose { connection: id, reason: None });
        }
    }

    /// Drops the room from memory.
    pub(crate) fn drop_room(&mut self) {
        if let Some(room) = self.room.take() {
            self.record_room_counts(&room);
        }
        self.opening += 1;
    }

    /// Adds the room's counters to the report.
    pub(crate) fn record_room_counts(&mut self, room: &Room) {
        let counts = room.counts();
        for (name, count) in [
            ("transactions recorded", counts.transactions),
            ("transactions rebased", counts.rebased),
            ("resends recognized", counts.duplicates),
            ("resumed by tail", counts.resumed_by_tail),
            ("resumed by snapshot", counts.resumed_by_snapshot),
            ("broadcasts dropped", counts.missed),
            ("digests sent", counts.digests),
            ("digest mismatches", counts.digest_mismatches),
            ("ticks", counts.ticks),
        ] {
            self.report.add(name, count);
        }
    }

    /// Opens the room from storage if it is not in memory.
    pub(crate) fn open_room(&mut self) -> Result<(), Failure> {
        if self.room.is_some() {
            return Ok(());
        }
        // The journal is sequential: records from the previous opening of the room are written
        // first.
        if self.unsynced.is_some() {
            self.sync()?;
        }
        if !self.to_append.is_empty() {
            self.write()?;
            if self.unsynced.is_some() {
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
            snapshot_pause_factor: 0,
            snapshot_after_ms: self.plan.room.snapshot_after_ms,
            snapshot_worth_records: self.plan.room.snapshot_worth,
            ..Bounds::default()
        });
        self.room = Some(opened);
        let ms = self.plan.tick_ms;
        self.room_event(room::Event::SetVolatileInterval { ms })?;
        self.report.count("rooms opened");
        Ok(())
    }

    /// A random edit through REST.
    pub(crate) fn request(&mut self, seed: u64) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        let Some(room) = &self.room else { return Ok(()) }; // the disk failed when the room was opened
        self.report.count("requests");
        let mut random = Random::new(seed);
        let workbook = room.workbook();
        // By the seed itself: the other requests stay as they are.
        let change = match seed % 16 {
            0 | 1 => Change::Import(random_import(&mut random, workbook)),
            2 => Change::Transaction(random_import(&mut random, workbook)),
            _ => match random_edit(&mut random, workbook) {
                Edit::Command(command) => Change::Command(Box::new(command)),
                Edit::Transaction(transaction) => Change::Transaction(transaction),
            },
        };
        let forged =
            matches!(&change, Change::Transaction(transaction) if changes_imports(transaction, workbook));
        let head = room.head();
        let author = Author::named("REST");
        self.room_event(room::Event::Request {
            token: Token(seed),
            author,
            role: Role::Edit,
            email: None,
            counter: Counter(0),
            change,
        })?;
        match &self.room {
            // P30
            Some(room) if forged && room.head() != head => Err("a request has changed imported data".into()),
            _ => Ok(()),
        }
    }

    /// Passes an event to the room and performs its effects, up to a planned crash.
    pub(crate) fn room_event(&mut self, event: room::Event) -> Result<(), Failure> {
        let moment = Moment {
            unix_ms: START_UNIX_MS + self.now_ms as i64 + self.clock_offset_ms,
            monotonic_ms: self.now_ms,
            random: self.random.next(),
        };
        let Some(room) = &mut self.room else { return Ok(()) };
        let effects = room.handle(moment, event);
        let server_process = self.server_process;
        for effect in effects {
            if let Some((effects_left, down_ms, crash)) = &mut self.planned_server_crash {
                *effects_left -= 1;
                if *effects_left == 0 {
                    let (down_ms, crash) = (*down_ms, *crash);
                    self.crash_server(down_ms, crash);
                }
            }
            if self.server_process != server_process {
                return Ok(());
            }
            self.perform_effect(effect)?;
        }
        let next_tick_ms = self.room.as_ref().and_then(Room::next_tick_ms);
        if let Some(at) = next_tick_ms.filter(|_| !self.tick_is_due) {
            self.tick_is_due = true;
            let wait = at.saturating_sub(self.now_ms).max(TICK_MS);
            self.after(wait, ScheduledEvent::RoomTick { server_process: self.server_process });
        }
        Ok(())
    }

    /// Performs an effect of the room.
    pub(crate) fn perform_effect(&mut self, effect: room::Effect) -> Result<(), Failure> {
        match effect {
            room::Effect::Append { base, records, time_ms } => {
                self.to_append.push(Append { room: self.key, base, records, time_ms });
                self.schedule_write();
            }
            room::Effect::Send { session, frame, priority } => {
                self.send_to_session(session.0, frame, priority)?
            }
            room::Effect::Broadcast { frame, priority, from } => {
                let listeners: Vec<u64> = self
                    .connections
                    .iter()
                    .filter(|(_, connection)| {
                        connection.is_subscribed && connection.server_process == self.server_process
                    })
                    .map(|(id, _)| *id)
                    .collect();
                for id in listeners {
                    self.broadcast_to(id, &frame, priority, from)?;
                }
            }
            room::Effect::Subscribe { session } => {
                self.connections.get_mut(&session.0).expect("connections are never removed").is_subscribed =
                    true;
            }
            room::Effect::Close { session, reason } => {
                self.report.count("sessions closed by the room");
                let connection = self.connections.get_mut(&session.0).expect("connections are never removed");
                connection.server_has_closed = true;
                connection.is_subscribed = false;
                let at = connection.arrival_at_client_ms(self.now_ms, 0);
                let reason = Some(reason);
                self.after(
                    at - self.now_ms,
                    ScheduledEvent::ClientSeesClose { connection: session.0, reason },
                );
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
                    self.schedule_snapshot_piece();
                }
            }
            room::Effect::ReadTail { session, after, bytes_max } => {
                let records = self.storage.tail(self.key, after, bytes_max);
                if let Err(StorageError::Forgotten { .. }) = records {
                    self.report.count("trimmed records requested");
                }
                let records = records.unwrap_or_default();
                let records = records.into_iter().map(|record| (record.revision, record.bytes)).collect();
                let wait = self.disk_delay();
                self.after(wait, ScheduledEvent::Tail { opening: self.opening, session, after, records });
            }
            room::Effect::RequestCommitted { revision, .. } => {
                if revision.0 > self.storage.disk().records(self.key).len() as u64 {
                    return Err(format!(
                        "a request was answered before revision {revision} was in the journal"
                    ));
                }
                self.requests_done.push(revision);
            }
            room::Effect::RequestRejected { .. } => self.report.count("requests rejected"),
            room::Effect::DigestMismatch { revision, room, replica, .. } => {
                return Err(format!(
                    "digests differ at revision {revision}: room {room:x?}, replica {replica:x}"
                ));
            }
            // Without chat in the plan, a malformed frame can dispatch to be a subscription.
            room::Effect::ReadChat => {
                self.report.count("chat logs read");
                self.read_chat();
            }
            room::Effect::StoreChatMessage { number, bytes, forget_up_to } => {
                self.schedule_chat_store(number, bytes, forget_up_to);
            }
            room::Effect::ChatAccepted { token, result } => self.chat_accepted(token, result)?,
            room::Effect::Discard(_) => {}
            room::Effect::Stopped => {
                self.report.count("rooms stopped");
                self.drop_room();
            }
        }
        Ok(())
    }

    /// A random duration of a disk operation in milliseconds.
    pub(crate) fn disk_delay(&mut self) -> u64 {
        let (low, high) = self.plan.disk_ms;
        self.random.between(low, high)
    }

    /// Schedules the next batch of the journal, unless one is being written.
    fn schedule_write(&mut self) {
        if !self.is_appending && self.unsynced.is_none() && !self.to_append.is_empty() {
            self.is_appending = true;
            let wait = self.disk_delay();
            self.after(wait, ScheduledEvent::Append { server_process: self.server_process });
        }
    }

    /// Schedules the next piece of the first waiting snapshot.
    fn schedule_snapshot_piece(&mut self) {
        let wait = self.disk_delay();
        self.after(wait, ScheduledEvent::WriteSnapshotPiece { server_process: self.server_process });
    }

    /// Writes a piece of a snapshot; the next piece is written later, so that appends can come in
    /// between.
    pub(crate) fn write_snapshot_piece(&mut self) {
        let Some((snapshot, written)) = self.snapshots.front_mut() else { return };
        let bytes_max = match self.plan.disk.piece_bytes {
            0 => usize::MAX,
            bytes => bytes,
        };
        match self.storage.put_piece(self.key, snapshot, *written, bytes_max) {
            Ok(up_to) if up_to < snapshot.bytes.len() => {
                *written = up_to;
                self.report.count("snapshot pieces written");
            }
            Ok(_) => {
                self.report.count("snapshots stored");
                self.snapshots.pop_front();
            }
            // A lost snapshot is not an error; a failed storage is noticed at the next append.
            Err(_) => _ = self.snapshots.pop_front(),
        }
        if !self.snapshots.is_empty() {
            self.schedule_snapshot_piece();
        }
    }

    /// Writes the waiting records as a batch, and schedules its sync.
    pub(crate) fn write(&mut self) -> Result<(), Failure> {
        self.is_appending = false;
        let batch = std::mem::take(&mut self.to_append);
        if batch.is_empty() || self.unsynced.is_some() {
            self.to_append = batch;
            return Ok(());
        }
        match self.storage.write(&batch) {
            Ok(()) => {
                self.writes += 1;
                self.unsynced = Some(UnsyncedBatch { number: self.writes, opening: self.opening });
                let wait = self.disk_delay();
                self.after(wait, ScheduledEvent::Sync { write: self.writes });
            }
            Err(StorageError::Full) => {
                self.report.count("fault: disk full");
                self.after(
                    0,
                    ScheduledEvent::AppendFailed {
                        server_process: self.server_process,
                        opening: self.opening,
                    },
                );
            }
            Err(error) => return Err(format!("unexpected error of a write: {error}")),
        }
        Ok(())
    }

    /// Syncs the written batch. A failed sync ends the process.
    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        let Some(UnsyncedBatch { opening, .. }) = self.unsynced.take() else { return Ok(()) };
        let server_process = self.server_process;
        match self.storage.sync() {
            Ok(outcomes) => {
                self.report.count("batches appended");
                for outcome in outcomes {
                    match outcome {
                        Outcome::Durable { head } => {
                            self.after(0, ScheduledEvent::Appended { server_process, opening, up_to: head });
                        }
                        Outcome::Fenced => {
                            self.after(0, ScheduledEvent::AppendFailed { server_process, opening })
                        }
                    }
                }
                self.schedule_write();
            }
            Err(_) => {
                self.report.count("fault: sync failed");
                let down = self.random.between(1, 300);
                self.crash_server(down, Crash::Power);
            }
        }
        Ok(())
    }

    /// Sends a broadcast to a session, or drops it and tells the room if the session's queue is
    /// full.
    pub(crate) fn broadcast_to(
        &mut self,
        id: u64,
        frame: &Arc<[u8]>,
        priority: FramePriority,
        from: Revision,
    ) -> Result<(), Failure> {
        if self.has_capacity_for(id, frame) {
            return self.send_to_client(id, frame.clone(), priority);
        }
        if priority == FramePriority::Ordered {
            let connection = self.connections.get_mut(&id).expect("connections are never removed");
            connection.is_subscribed = false;
            connection.has_dropped_broadcast = true;
            let session = connection.session;
            self.room_event(room::Event::Missed { session, from })?;
        }
        Ok(())
    }

    fn has_capacity_for(&self, id: u64, frame: &[u8]) -> bool {
        let waiting = self.connections[&id].outgoing_bytes;
        waiting == 0 || waiting + frame.len() <= self.plan.outgoing_bytes_max
    }

    /// Sends a frame to a single session. If its queue is full, presence is dropped; other frames
    /// end the session.
    fn send_to_session(&mut self, id: u64, frame: Arc<[u8]>, priority: FramePriority) -> Result<(), Failure> {
        if priority == FramePriority::Snapshot || self.has_capacity_for(id, &frame) {
            return self.send_to_client(id, frame, priority);
        }
        if priority == FramePriority::Ordered {
            self.report.count("sessions closed: queue full");
            let reason = Some(CloseReason::TooFast);
            self.after(1, ScheduledEvent::ClientSeesClose { connection: id, reason });
            self.server_sees_close(id)?;
        }
        Ok(())
    }

    /// Puts a frame into a session's queue and schedules its arrival. Fails if the queue exceeds
    /// its limit.
    pub(crate) fn send_to_client(
        &mut self,
        id: u64,
        frame: Arc<[u8]>,
        priority: FramePriority,
    ) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        let counts = priority != FramePriority::Snapshot;
        let is_records = frame.first() == Some(&3);
        let times = if is_records && connection.takes_duplicate() { 2 } else { 1 };
        let client = &self.clients[connection.client];
        let not_before_ms = client.reads_from_ms.max(client.partitioned_until_ms);
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame duplicated");
            }
            let connection = self.connections.get_mut(&id).expect("connections are never removed");
            // The network duplicates the frame; the copy does not count in the queue.
            let counts = counts && copy == 0;
            connection.outgoing_bytes += if counts { frame.len() } else { 0 };
            if counts && connection.outgoing_bytes > self.plan.outgoing_bytes_max.max(frame.len()) {
                return Err(format!(
                    "the outgoing queue of a session holds {} bytes",
                    connection.outgoing_bytes
                ));
            }
            let at = connection.arrival_at_client_ms(self.now_ms, not_before_ms);
            let packet = Packet { bytes: frame.clone(), counts };
            self.after(at - self.now_ms, ScheduledEvent::ClientReceives { connection: id, packet });
        }
        Ok(())
    }
}
