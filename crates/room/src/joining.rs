//! Bringing a session up to date: `Hello`, records, snapshot, and recovery after it fell behind
//! (`P1` to `P3`, `P10`).

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{
    Author, CloseReason, Hello, Incarnation, PROTOCOL_VERSION, Person, ReplicaId, ReplicaSecret, Resume,
    Revision, Role, ServerFrame, SessionId, Welcome, limits::SERVER_FRAME_BYTES_MAX,
};
use sha2::{Digest, Sha256};

use crate::edit_permission::editor_identity;
use crate::effect::{Effect, FramePriority};
use crate::event::Moment;
use crate::limits::{SESSIONS_MAX, TAIL_BYTES_WITH_UNCONFIRMED_MAX};
use crate::people::free_color;
use crate::rebase_window::RebaseWindow;
use crate::room::Room;
use crate::session::{Delivery, Member, Session};

impl Room {
    /// Adds a session, which is expected to send `Hello`.
    pub(crate) fn connect(&mut self, session: SessionId, connected: Session, effects: &mut Vec<Effect>) {
        if self.sessions.len() >= SESSIONS_MAX {
            return effects.push(Effect::Close { session, reason: CloseReason::RoomFull });
        }
        self.snapshots.cancel_unloading();
        let before = self.sessions.insert(session, connected);
        debug_assert!(before.is_none(), "session numbers are unique");
    }

    /// Handles the result of deciding the access of a session again (`P27`).
    pub(crate) fn set_role(&mut self, session: SessionId, role: Option<Role>, effects: &mut Vec<Effect>) {
        let Some(connected) = self.sessions.get(&session) else { return };
        if is_planted(Fault::RevokedSessionsKept) {
            return;
        }
        match role {
            None => self.close(session, CloseReason::Forbidden, effects),
            // A client decides by its role what it shows and sends, so it has to join again.
            Some(role) if role != connected.role => self.close(session, CloseReason::AccessChanged, effects),
            Some(_) => {}
        }
    }

    /// Closes a session whose credentials have ended.
    pub(crate) fn end_credentials(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        if self.sessions.contains_key(&session) {
            self.close(session, CloseReason::AccessChanged, effects);
        }
    }

    /// Removes a session.
    pub(crate) fn leave(&mut self, session: SessionId) {
        let Some(Session { member: Some(member), .. }) = self.sessions.remove(&session) else { return };
        self.deliveries.remove(session, member.delivery);
        if self.replica_sessions.get(&member.replica) == Some(&session) {
            self.replica_sessions.remove(&member.replica);
        }
        self.people.remove(session);
        self.chat.remove_session(session);
        self.followers.remove(session);
    }

    /// Handles `Hello`: identifies the replica, welcomes it and sends the revisions that it lacks.
    pub(crate) fn hello(
        &mut self,
        moment: Moment,
        session: SessionId,
        hello: Hello,
        effects: &mut Vec<Effect>,
    ) {
        let has_secret_of = |replica: ReplicaId| {
            hello.secret.is_some_and(|secret| replica_of(self.incarnation, secret) == replica)
        };
        let returning_replica = hello
            .replica
            .filter(|(replica, incarnation)| *incarnation == self.incarnation && has_secret_of(*replica));
        let secret = match returning_replica {
            Some(_) => hello.secret.expect("checked above"),
            None => ReplicaSecret(moment.random),
        };
        let replica = replica_of(self.incarnation, secret);
        // The replica's earlier connection may have died unnoticed; a replica has one session only.
        if let Some(earlier) = self.replica_sessions.insert(replica, session) {
            self.close(earlier, CloseReason::Replaced, effects);
            self.replica_sessions.insert(replica, session);
        }
        // Revisions that are not durable have not been sent to anyone.
        let last = returning_replica.and(hello.last).filter(|last| *last <= self.durable);
        let resume = match last {
            Some(last)
                if self.ring.reaches_back_to(last)
                    || self.durable.0 - last.0 <= self.bounds.tail_revisions =>
            {
                Resume::Tail
            }
            _ => Resume::Snapshot,
        };
        let connected = self.sessions.get_mut(&session).expect("the frame came from this session");
        let color = free_color(hello.color, self.people.colors());
        // The name of an account cannot be chosen in `Hello`.
        let author = connected.author.clone().unwrap_or_else(|| Author { id: "".into(), name: hello.name });
        let editor = editor_identity(connected.role, &author, connected.email.clone());
        let person =
            Person { session, name: author.name.clone(), color, role: connected.role, presence: None };
        let sent = last.unwrap_or_default();
        connected.member = Some(Member {
            replica,
            author,
            editor,
            is_told_of_requests: false,
            pictures_sent: 0,
            color,
            delivery: Delivery::AwaitingSnapshot,
            rebase_window: RebaseWindow::default(),
            last_counter: None,
            rejected: None,
            undurable: 0,
            sent,
        });
        self.deliveries.change(session, None, Delivery::AwaitingSnapshot);
        let welcome = ServerFrame::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            replica,
            incarnation: self.incarnation,
            session,
            role: connected.role,
            color,
            head: self.durable,
            confirmed: self.confirmed_at(replica, self.durable),
            resume,
            time_ms: moment.unix_ms,
            secret: Some(secret),
        });
        effects.push(Effect::Send {
            session,
            frame: welcome.encode().into(),
            priority: FramePriority::Ordered,
        });
        self.people.add(moment, person);
        self.list_people(session, effects);
        match resume {
            Resume::Tail => {
                self.counts.resumed_by_tail += 1;
                self.send_tail(moment, session, 0, hello.unconfirmed > 0, effects);
            }
            Resume::Snapshot => self.send_snapshot(moment, session, effects),
        }
    }

    /// Sends the records after `sent` from the ring, or reads them from storage.
    fn send_tail(
        &mut self,
        moment: Moment,
        session: SessionId,
        bytes_sent: usize,
        has_unconfirmed: bool,
        effects: &mut Vec<Effect>,
    ) {
        let bytes_max =
            if has_unconfirmed { TAIL_BYTES_WITH_UNCONFIRMED_MAX } else { self.bounds.tail_bytes };
        let Some(sent) = self.member(session).map(|member| member.sent) else { return };
        if self.ring.reaches_back_to(sent) {
            return self.subscribe(session, effects);
        }
        if bytes_sent >= bytes_max {
            return self.send_snapshot(moment, session, effects);
        }
        self.set_delivery(session, Delivery::AwaitingTail { bytes_sent, has_unconfirmed });
        effects.push(Effect::ReadTail { session, after: sent, bytes_max: self.bounds.tail_piece_bytes });
    }

    /// Handles a piece of the tail read from storage.
    pub(crate) fn tail(
        &mut self,
        moment: Moment,
        session: SessionId,
        after: Revision,
        mut records: Vec<(Revision, Arc<[u8]>)>,
        effects: &mut Vec<Effect>,
    ) {
        let durable = self.durable;
        let Some(member) = self.member(session) else { return };
        let Delivery::AwaitingTail { bytes_sent, has_unconfirmed } = member.delivery else { return };
        if after != member.sent {
            return;
        }
        records.retain(|(revision, _)| *revision <= durable);
        let Some((last, _)) = records.last() else {
            return self.send_snapshot(moment, session, effects); // compacted
        };
        member.sent = *last;
        let records: Vec<Arc<[u8]>> = records.into_iter().map(|(_, bytes)| bytes).collect();
        let bytes = records.iter().map(|record| record.len()).sum::<usize>();
        send_records(session, records, FramePriority::Snapshot, effects);
        self.send_tail(moment, session, bytes_sent + bytes, has_unconfirmed, effects);
    }

    /// Sends the remaining records from the ring and subscribes the session to broadcasts. The ring
    /// must reach back to the session's `sent`.
    pub(crate) fn subscribe(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        let durable = self.durable;
        let Some(sent) = self.member(session).map(|member| member.sent) else { return };
        let entries = self.ring.after(sent).expect("the caller checked that the ring reaches back");
        let rest: Vec<Arc<[u8]>> =
            entries.take_while(|entry| entry.revision <= durable).map(|entry| entry.bytes.clone()).collect();
        // Not counted against the session's queue: otherwise catching up would make a slow session
        // fall behind again. The ring bounds the amount.
        send_records(session, rest, FramePriority::Snapshot, effects);
        self.member(session).expect("found above").sent = durable;
        self.set_delivery(session, Delivery::Subscribed);
        effects.push(Effect::Subscribe { session });
    }

    /// Sends the session a snapshot instead of records, as soon as one is available.
    pub(crate) fn send_snapshot(&mut self, moment: Moment, session: SessionId, effects: &mut Vec<Effect>) {
        self.counts.resumed_by_snapshot += 1;
        if self.member(session).is_none() {
            return;
        }
        self.set_delivery(session, Delivery::AwaitingSnapshot);
        self.serve_snapshot(moment, effects);
        self.start_snapshot_if_due(moment, effects);
    }

    /// Handles a broadcast that did not fit into the session's queue: delivery stops until the
    /// queue is empty.
    pub(crate) fn missed(&mut self, session: SessionId, from: Revision) {
        self.counts.missed += 1;
        let Some(member) = self.member(session) else { return };
        if member.delivery == Delivery::Subscribed && !is_planted(Fault::DroppedFramesNotResent) {
            member.sent = Revision(from.0.saturating_sub(1));
            self.set_delivery(session, Delivery::Behind);
        }
    }

    /// Handles the empty queue of a session that missed broadcasts: delivery resumes.
    pub(crate) fn drained(&mut self, moment: Moment, session: SessionId, effects: &mut Vec<Effect>) {
        let Some(member) = self.member(session) else { return };
        if member.delivery != Delivery::Behind {
            return;
        }
        let sent = member.sent;
        match self.ring.reaches_back_to(sent) {
            true => self.subscribe(session, effects),
            false => self.send_snapshot(moment, session, effects),
        }
    }

    /// Changes the way in which the session gets records.
    fn set_delivery(&mut self, session: SessionId, delivery: Delivery) {
        let member = self.member(session).expect("called for sessions that have joined");
        let before = std::mem::replace(&mut member.delivery, delivery);
        self.deliveries.change(session, Some(before), delivery);
    }

    /// Returns the state of a session that has joined.
    pub(crate) fn member(&mut self, session: SessionId) -> Option<&mut Member> {
        self.sessions.get_mut(&session)?.member.as_mut()
    }
}

/// Derives the replica id from its secret (`P19`): replica ids are visible to all, and nobody can
/// find the secret of another replica's id.
fn replica_of(incarnation: Incarnation, ReplicaSecret(secret): ReplicaSecret) -> ReplicaId {
    let mut hash = Sha256::new();
    hash.update(b"quadrille replica");
    hash.update(incarnation.0.to_le_bytes());
    hash.update(secret.to_le_bytes());
    let hash = hash.finalize();
    let first: [u8; 8] = hash[..8].try_into().expect("a hash has 32 bytes");
    // Odd, so that it never equals `ReplicaId::SERVER`.
    ReplicaId(u64::from_le_bytes(first) | 1)
}

/// Sends records in as few frames as the frame limit allows.
pub(crate) fn send_records(
    session: SessionId,
    records: Vec<Arc<[u8]>>,
    priority: FramePriority,
    effects: &mut Vec<Effect>,
) {
    let mut frame: Vec<Arc<[u8]>> = Vec::new();
    let mut bytes = 0;
    for record in records {
        if !frame.is_empty() && bytes + record.len() > SERVER_FRAME_BYTES_MAX {
            let records = std::mem::take(&mut frame);
            effects.push(Effect::Send {
                session,
                frame: ServerFrame::Records { records }.encode().into(),
                priority,
            });
            bytes = 0;
        }
        bytes += record.len();
        frame.push(record);
    }
    if !frame.is_empty() {
        effects.push(Effect::Send {
            session,
            frame: ServerFrame::Records { records: frame }.encode().into(),
            priority,
        });
    }
}
