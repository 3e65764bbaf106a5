//! How a session gets from what it has to where the room is: hello, tail, snapshot, and back on its feet
//! after it fell behind.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{
    Author, CloseReason, Hello, Incarnation, PROTOCOL_VERSION, Person, ReplicaId, ReplicaSecret, Resume,
    Revision, Role, ServerFrame, SessionId, Welcome, limits::SERVER_FRAME_BYTES_MAX,
};

use sha2::{Digest, Sha256};

use crate::event::{Effect, FramePriority, Moment};
use crate::limits::{SESSIONS_MAX, TAIL_BYTES_WITH_UNCONFIRMED_MAX};
use crate::people::free_color;
use crate::room::Room;
use crate::session::{Delivery, Member, RebaseWindow, Session};

impl Room {
    pub(crate) fn connect(
        &mut self,
        session: SessionId,
        role: Role,
        account: Arc<str>,
        effects: &mut Vec<Effect>,
    ) {
        if self.sessions.len() >= SESSIONS_MAX {
            return effects.push(Effect::Close { session, reason: CloseReason::RoomFull });
        }
        self.snapshots.wakes();
        let known = Session { role, account, member: None, bad_frames: 0 };
        let before = self.sessions.insert(session, known);
        debug_assert!(before.is_none(), "session numbers are not used twice");
    }

    pub(crate) fn leave(&mut self, session: SessionId) {
        let Some(Session { member: Some(member), .. }) = self.sessions.remove(&session) else { return };
        self.waits.went(session, member.delivery);
        if self.speakers.get(&member.replica) == Some(&session) {
            self.speakers.remove(&member.replica);
        }
        self.people.went(session);
        self.chat.went(session);
        self.following.went(session);
    }

    pub(crate) fn hello(
        &mut self,
        moment: Moment,
        session: SessionId,
        hello: Hello,
        effects: &mut Vec<Effect>,
    ) {
        let proves = |replica: ReplicaId| {
            hello.secret.is_some_and(|secret| replica_of(self.incarnation, secret) == replica)
        };
        let known_replica = hello
            .replica
            .filter(|(replica, incarnation)| *incarnation == self.incarnation && proves(*replica));
        let secret = match known_replica {
            Some(_) => hello.secret.expect("its proof"),
            None => ReplicaSecret(moment.random),
        };
        let replica = replica_of(self.incarnation, secret);
        // A connection that died without saying so must not speak any more.
        if let Some(earlier) = self.speakers.insert(replica, session) {
            self.close(earlier, CloseReason::Replaced, effects);
            self.speakers.insert(replica, session);
        }
        // What the room does not have on disk, it cannot have told anyone.
        let last = known_replica.and(hello.last).filter(|last| *last <= self.durable);
        let resume = match last {
            Some(last) if self.ring.knows(last) || self.durable.0 - last.0 <= self.bounds.tail_revisions => {
                Resume::Tail
            }
            _ => Resume::Snapshot,
        };
        let known = self.sessions.get_mut(&session).expect("the frame came from a known session");
        let color = free_color(hello.color, self.people.colors());
        let person = Person { session, name: hello.name.clone(), color, role: known.role, presence: None };
        let sent = last.unwrap_or_default();
        known.member = Some(Member {
            replica,
            author: Author { id: known.account.clone(), name: hello.name },
            color,
            delivery: Delivery::AwaitingSnapshot,
            rebase_window: RebaseWindow::default(),
            last_counter: None,
            rejected: None,
            undurable: 0,
            sent,
        });
        self.waits.changed(session, None, Delivery::AwaitingSnapshot);
        let welcome = ServerFrame::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            replica,
            incarnation: self.incarnation,
            session,
            role: known.role,
            color,
            head: self.durable,
            confirmed: self.confirmed_at(replica, self.durable),
            resume,
            time_ms: moment.unix_ms,
            secret: Some(secret),
        });
        effects.push(Effect::Send { session, frame: welcome.encode().into(), lane: FramePriority::Ordered });
        self.people.came(moment, person);
        self.list_people(session, effects);
        match resume {
            Resume::Tail => {
                self.counts.resumed_by_tail += 1;
                self.send_tail(moment, session, 0, hello.unconfirmed > 0, effects);
            }
            Resume::Snapshot => self.send_snapshot(moment, session, effects),
        }
    }

    /// Sends what follows `sent` from the ring, or asks storage for it.
    fn send_tail(
        &mut self,
        moment: Moment,
        session: SessionId,
        bytes_sent: usize,
        unconfirmed: bool,
        effects: &mut Vec<Effect>,
    ) {
        let bytes_max = if unconfirmed { TAIL_BYTES_WITH_UNCONFIRMED_MAX } else { self.bounds.tail_bytes };
        let Some(sent) = self.member(session).map(|member| member.sent) else { return };
        if self.ring.knows(sent) {
            return self.subscribe(session, effects);
        }
        if bytes_sent >= bytes_max {
            return self.send_snapshot(moment, session, effects);
        }
        self.deliver(session, Delivery::AwaitingTail { bytes_sent, unconfirmed });
        effects.push(Effect::NeedTail { session, after: sent, bytes_max: self.bounds.tail_piece_bytes });
    }

    /// A piece of the tail came from storage.
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
        let Delivery::AwaitingTail { bytes_sent, unconfirmed } = member.delivery else { return };
        if after != member.sent {
            return;
        }
        records.retain(|(revision, _)| *revision <= durable);
        let Some((last, _)) = records.last() else {
            return self.send_snapshot(moment, session, effects); // storage no longer has it
        };
        member.sent = *last;
        let records: Vec<Arc<[u8]>> = records.into_iter().map(|(_, bytes)| bytes).collect();
        let bytes = records.iter().map(|record| record.len()).sum::<usize>();
        send_records(session, records, FramePriority::Snapshot, effects);
        self.send_tail(moment, session, bytes_sent + bytes, unconfirmed, effects);
    }

    /// Sends the rest from the ring and lets the session follow the broadcasts. The ring must know `sent`.
    pub(crate) fn subscribe(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        let durable = self.durable;
        let Some(sent) = self.member(session).map(|member| member.sent) else { return };
        let entries = self.ring.after(sent).expect("the caller checked that the ring knows it");
        let rest: Vec<Arc<[u8]>> =
            entries.take_while(|entry| entry.revision <= durable).map(|entry| entry.bytes.clone()).collect();
        // Not counted against the queue, or catching up would be what makes a slow session fall behind again;
        // the ring bounds it.
        send_records(session, rest, FramePriority::Snapshot, effects);
        self.member(session).expect("found above").sent = durable;
        self.deliver(session, Delivery::Subscribed);
        effects.push(Effect::Subscribe { session });
    }

    /// Gives up on records: the session gets a snapshot.
    pub(crate) fn send_snapshot(&mut self, moment: Moment, session: SessionId, effects: &mut Vec<Effect>) {
        self.counts.resumed_by_snapshot += 1;
        if self.member(session).is_none() {
            return;
        }
        self.deliver(session, Delivery::AwaitingSnapshot);
        self.serve_snapshot(moment, effects);
        self.want_snapshots(moment, effects);
    }

    pub(crate) fn missed(&mut self, session: SessionId, from: Revision) {
        self.counts.missed += 1;
        let Some(member) = self.member(session) else { return };
        if member.delivery == Delivery::Subscribed && !is_planted(Fault::MissedIsForgotten) {
            member.sent = Revision(from.0.saturating_sub(1));
            self.deliver(session, Delivery::Behind);
        }
    }

    pub(crate) fn drained(&mut self, moment: Moment, session: SessionId, effects: &mut Vec<Effect>) {
        let Some(member) = self.member(session) else { return };
        if member.delivery != Delivery::Behind {
            return;
        }
        let sent = member.sent;
        match self.ring.knows(sent) {
            true => self.subscribe(session, effects),
            false => self.send_snapshot(moment, session, effects),
        }
    }

    /// Changes how the session gets records.
    fn deliver(&mut self, session: SessionId, delivery: Delivery) {
        let member = self.member(session).expect("asked for sessions that have said hello");
        let before = std::mem::replace(&mut member.delivery, delivery);
        self.waits.changed(session, Some(before), delivery);
    }

    pub(crate) fn member(&mut self, session: SessionId) -> Option<&mut Member> {
        self.sessions.get_mut(&session)?.member.as_mut()
    }
}

/// The identity that belongs to a secret in this room: nobody finds a secret for an identity they have seen.
fn replica_of(incarnation: Incarnation, ReplicaSecret(secret): ReplicaSecret) -> ReplicaId {
    let mut hash = Sha256::new();
    hash.update(b"quadrille replica");
    hash.update(incarnation.0.to_le_bytes());
    hash.update(secret.to_le_bytes());
    let hash = hash.finalize();
    let first: [u8; 8] = hash[..8].try_into().expect("a hash has 32 bytes");
    // Odd, so that it is never the server's.
    ReplicaId(u64::from_le_bytes(first) | 1)
}

/// As few frames as their size allows.
pub(crate) fn send_records(
    session: SessionId,
    records: Vec<Arc<[u8]>>,
    lane: FramePriority,
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
                lane,
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
            lane,
        });
    }
}
