//! Giving a transaction its place: rights, bounds, rebase, record.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{
    Command, OperationError, Transaction, are_apart, plan, protected_from, rebase_pair, validate,
};
use quadrille_protocol::{
    Author, ClientFrame, CloseReason, Counter, FrameError, Record, RejectCode, ReplicaId, Revision, Role,
    ServerFrame, SessionId, fresh_sheet_id, limits::OPERATIONS_MAX, limits::RECORD_BYTES_MAX,
};

use quadrille_workbook::Workbook;

use crate::event::{Change, Effect, FramePriority, Moment, Token};
use crate::limits::{BAD_FRAMES_MAX, UNDURABLE_PER_SESSION_MAX};
use crate::recent_records::RecentRecords;
use crate::room::Room;
use crate::session::RebaseWindow;

/// Why a transaction gets no place.
pub(crate) struct Refusal {
    code: RejectCode,
    message: String,
}

impl Room {
    pub(crate) fn frame(
        &mut self,
        moment: Moment,
        session: SessionId,
        bytes: &[u8],
        effects: &mut Vec<Effect>,
    ) {
        let Some(known) = self.sessions.get_mut(&session) else { return };
        let has_said_hello = known.member.is_some();
        match ClientFrame::decode(bytes) {
            Ok(ClientFrame::Hello(hello)) if !has_said_hello => self.hello(moment, session, hello, effects),
            Ok(ClientFrame::Ping) => {
                let frame = ServerFrame::Pong.encode().into();
                effects.push(Effect::Send { session, frame, lane: FramePriority::Presence });
            }
            Ok(ClientFrame::Submit { counter, base, transaction }) if has_said_hello => {
                self.submit(moment, session, counter, base, transaction, effects)
            }
            Ok(ClientFrame::Presence(presence)) if has_said_hello => self.presence(moment, session, presence),
            Ok(ClientFrame::View { sheet, view }) if has_said_hello => {
                self.set_viewport(moment, session, sheet, view)
            }
            Ok(ClientFrame::Chat(request)) if has_said_hello => self.chat(moment, session, request, effects),
            Ok(ClientFrame::Follow(request)) if has_said_hello => self.follow(session, request, effects),
            Ok(ClientFrame::Digest { revision, digest }) if has_said_hello => {
                self.digest_differs(moment, session, revision, digest, effects)
            }
            Ok(ClientFrame::Withdrawn { counter }) if has_said_hello => {
                let member = known.member.as_mut().expect("has said hello");
                if member.rejected == Some(counter) {
                    member.rejected = None;
                }
            }
            Ok(_) => self.close(session, CloseReason::BadFrame, effects),
            Err(FrameError::BadTransaction { counter, error }) if has_said_hello => {
                self.counts.bad_frames += 1;
                known.bad_frames += 1;
                if known.bad_frames >= BAD_FRAMES_MAX {
                    return self.close(session, CloseReason::BadFrame, effects);
                }
                let message = format!("the transaction cannot be read: {error}");
                self.reject(session, counter, Refusal { code: RejectCode::BadOperation, message }, effects);
            }
            Err(FrameError::BadFrame { error }) if is_unknown_client(bytes, &error) => {
                self.close(session, CloseReason::UpgradeClient, effects)
            }
            Err(_) => {
                self.counts.bad_frames += 1;
                self.close(session, CloseReason::BadFrame, effects);
            }
        }
    }

    pub(crate) fn close(&mut self, session: SessionId, reason: CloseReason, effects: &mut Vec<Effect>) {
        self.leave(session);
        effects.push(Effect::Close { session, reason });
    }

    fn submit(
        &mut self,
        moment: Moment,
        session: SessionId,
        counter: Counter,
        base: Revision,
        transaction: Transaction,
        effects: &mut Vec<Effect>,
    ) {
        let Some(known) = self.sessions.get_mut(&session) else { return };
        let Some(member) = known.member.as_mut() else { return };
        if member.rejected.is_some() {
            return; // builds on what was refused; comes again after `Withdrawn`
        }
        if member.last_counter.is_some_and(|last| counter != last.next() && counter > last) {
            return self.close(session, CloseReason::BadFrame, effects);
        }
        let last_submitted = self.submitted.get(&member.replica).map(|submitted| submitted.counter);
        if last_submitted.is_some_and(|last| counter <= last) && !is_planted(Fault::ForgetResends) {
            self.counts.duplicates += 1; // its record is on the way or was sent
            if member.last_counter.is_none_or(|last| counter > last) {
                // Placed in an earlier session. What this one submits next stands on it.
                member.last_counter = Some(counter);
                // It was within bounds then; something else under its counter must not get around them now.
                let is_known = check(known.role, &transaction, &self.limits).is_ok()
                    && member.rebase_window.pass(transaction, base, (member.replica, counter), &self.ring);
                if !is_known {
                    self.close(session, CloseReason::Resync, effects);
                }
            }
            return;
        }
        // The replica cannot know what was not sent to it, and nothing is sent before it is durable.
        if base > self.durable || member.undurable >= UNDURABLE_PER_SESSION_MAX {
            let reason = if base > self.durable { CloseReason::Resync } else { CloseReason::TooFast };
            return self.close(session, reason, effects);
        }
        if let Err(refusal) = check(known.role, &transaction, &self.limits) {
            return self.reject(session, counter, refusal, effects);
        }
        let bridge = member.rebase_window.clone();
        let Some((transaction, was_rebased)) =
            member.rebase_window.transform_against(transaction, base, member.replica, &self.ring)
        else {
            return self.close(session, CloseReason::Resync, effects);
        };
        // Asked of what it has become: somebody may have protected cells, or moved those that are, in the meantime.
        if let Err(refusal) = is_open_to(&member.author, &transaction, self.content.workbook()) {
            member.rebase_window = bridge;
            return self.reject(session, counter, refusal, effects);
        }
        member.last_counter = Some(counter);
        member.undurable += 1;
        let (replica, author) = (member.replica, member.author.clone());
        self.counts.rebased += u64::from(was_rebased);
        match self.record(moment, replica, counter, author, transaction, effects) {
            Ok(revision) => {
                self.member(session).expect("the session was here above").rebase_window.own_up_to = revision;
            }
            // The bridge has gone past a transaction that has no place: start over.
            Err(_) => self.close(session, CloseReason::Resync, effects),
        }
    }

    /// A change from outside any session, made for the newest document.
    pub(crate) fn request(
        &mut self,
        moment: Moment,
        token: Token,
        author: Author,
        role: Role,
        change: Change,
        effects: &mut Vec<Effect>,
    ) {
        let transaction = match change {
            Change::Transaction(transaction) => Ok(transaction),
            Change::Command(command) => self.plan(moment, &command),
        };
        let placed = transaction.and_then(|transaction| {
            check(role, &transaction, &self.request_limits)?;
            is_open_to(&author, &transaction, self.content.workbook())?;
            self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects)
        });
        match placed {
            Ok(revision) => self.requests.entry(revision).or_default().push(token),
            Err(Refusal { code, message }) => effects.push(Effect::Refused { token, code, message }),
        }
    }

    fn plan(&self, moment: Moment, command: &Command) -> Result<Transaction, Refusal> {
        let mut index = 0;
        let mut new_sheet = || {
            index += 1;
            fresh_sheet_id(moment.random, index)
        };
        plan(command, self.workbook(), &mut new_sheet)
            .map_err(|error| Refusal { code: RejectCode::OutOfBounds, message: error.to_string() })
    }

    /// The transaction's record becomes the room's next.
    pub(crate) fn record(
        &mut self,
        moment: Moment,
        replica: ReplicaId,
        counter: Counter,
        author: Author,
        transaction: Transaction,
        effects: &mut Vec<Effect>,
    ) -> Result<Revision, Refusal> {
        let too_large = |what: &str| Refusal { code: RejectCode::TooLarge, message: what.to_owned() };
        if transaction.operations.len() > OPERATIONS_MAX {
            return Err(too_large("the change falls into too many parts"));
        }
        let base = self.head;
        let time_and_seed = self.time_and_seed(moment);
        let record = Record { revision: base.next(), replica, counter, author, time_and_seed, transaction };
        let bytes: Arc<[u8]> = record.encode().into();
        if bytes.len() > RECORD_BYTES_MAX {
            return Err(too_large("the change has too many bytes"));
        }
        // What could not be read again would stop the room for good.
        if let Err(error) = Record::decode(&bytes) {
            let message = format!("the change cannot be written: {error}");
            return Err(Refusal { code: RejectCode::BadOperation, message });
        }
        self.snapshots.wakes();
        self.counts.operations += record.transaction.operations.len() as u64;
        self.place(record, bytes.clone());
        self.volatile.context_time_ms = moment.monotonic_ms;
        self.counts.transactions += 1;
        effects.push(Effect::Append { base, records: vec![bytes], time_ms: time_and_seed.time_ms });
        if is_planted(Fault::TellBeforeDurable) {
            self.publish(moment, self.head, effects);
        }
        Ok(self.head)
    }

    fn reject(&mut self, session: SessionId, counter: Counter, refusal: Refusal, effects: &mut Vec<Effect>) {
        let Some(member) = self.sessions.get_mut(&session).and_then(|session| session.member.as_mut()) else {
            return;
        };
        if member.rejected.is_some() {
            return;
        }
        member.rejected = Some(counter);
        member.last_counter = Some(counter);
        self.counts.rejected += 1;
        let Refusal { code, message } = refusal;
        let frame = ServerFrame::Rejected { counter, code, message }.encode().into();
        effects.push(Effect::Send { session, frame, lane: FramePriority::Ordered });
    }
}

/// A first frame of another version: the client is older or newer than this server.
fn is_unknown_client(bytes: &[u8], error: &quadrille_protocol::DecodeError) -> bool {
    bytes.first() == Some(&1) && matches!(error, quadrille_protocol::DecodeError::UnknownVersion { .. })
}

/// What can be refused without the workbook: rights and bounds.
fn check(role: Role, transaction: &Transaction, limits: &quadrille_operation::Limits) -> Result<(), Refusal> {
    if !role.can_edit() {
        let message = format!("this link does not allow changes; role: {}", role.name());
        return Err(Refusal { code: RejectCode::Forbidden, message });
    }
    validate(transaction, limits).map_err(|error| {
        let code = match &error {
            OperationError::TooManyOperations { .. }
            | OperationError::TooManyCells { .. }
            | OperationError::TextTooLong { .. }
            | OperationError::FormulaTooLong { .. }
            | OperationError::FormulaTooDeep
            | OperationError::NumberFormatTooLong { .. } => RejectCode::TooLarge,
            _ => RejectCode::OutOfBounds,
        };
        Refusal { code, message: error.to_string() }
    })
}

/// Whether nothing that the transaction changes is protected from its author.
fn is_open_to(author: &Author, transaction: &Transaction, workbook: &Workbook) -> Result<(), Refusal> {
    if is_planted(Fault::ProtectionForgotten) {
        return Ok(());
    }
    protected_from(Some(&author.id), transaction, workbook)
        .map_err(|protected| Refusal { code: RejectCode::Forbidden, message: protected.to_string() })
}

impl RebaseWindow {
    /// Leads the bridge past a transaction that has its place already, as `placed`. `false` when the ring no longer
    /// knows `base`.
    fn pass(
        &mut self,
        mut transaction: Transaction,
        base: Revision,
        placed: (ReplicaId, Counter),
        ring: &RecentRecords,
    ) -> bool {
        let Some(mut entries) = ring.after(base) else { return false };
        let Some(place) = entries.find(|entry| (entry.replica, entry.counter) == placed) else { return true };
        let before =
            ring.after(base).expect("asked above").take_while(|entry| entry.revision < place.revision);
        for entry in before.filter(|entry| entry.replica != placed.0) {
            let earlier = self.changed.get(&entry.revision).unwrap_or(&entry.transaction);
            let (led, earlier_led) = rebase_pair(&transaction, earlier);
            if earlier_led != **earlier {
                self.changed.insert(entry.revision, Arc::new(earlier_led));
            }
            transaction = led;
        }
        true
    }

    /// Leads a transaction made on top of `base` to the room's head, past what others have done since; also
    /// whether there was anything. `None` when the ring no longer knows `base`.
    fn transform_against(
        &mut self,
        mut transaction: Transaction,
        base: Revision,
        replica: ReplicaId,
        ring: &RecentRecords,
    ) -> Option<(Transaction, bool)> {
        self.changed = self.changed.split_off(&base.next());
        if self.own_up_to == Revision(0) {
            self.own_after = base;
        }
        // A writer alone outruns the ring; its own records are nothing to rebase over.
        let seen = if base >= self.own_after { base.max(self.own_up_to) } else { base };
        let mut was_rebased = false;
        if is_planted(Fault::RebaseNothing) {
            return Some((transaction, was_rebased));
        }
        for entry in ring.after(seen)?.filter(|entry| entry.replica != replica) {
            was_rebased = true;
            self.own_after = entry.revision;
            let earlier = self.changed.get(&entry.revision).unwrap_or(&entry.transaction);
            if are_apart(&transaction, earlier) {
                continue;
            }
            let (led, earlier_led) = rebase_pair(&transaction, earlier);
            if earlier_led != **earlier && !is_planted(Fault::BridgeStandsStill) {
                self.changed.insert(entry.revision, Arc::new(earlier_led));
            }
            transaction = led;
        }
        Some((transaction, was_rebased))
    }
}
