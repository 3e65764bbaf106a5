//! The path of a transaction: decode the frame, check permission and limits, rebase, record.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Command, EditorIdentity, Transaction, plan};
use quadrille_protocol::{
    Author, ClientFrame, CloseReason, Counter, FrameError, Record, RejectCode, ReplicaId, Revision, Role,
    ServerFrame, SessionId, fresh_sheet_id, limits::MESSAGE_BYTES_MAX, limits::OPERATIONS_MAX,
    limits::RECORD_BYTES_MAX,
};

use crate::edit_permission::{Rejection, check_comments_only, check_imports, check_limits, check_protection};
use crate::effect::{Effect, FramePriority};
use crate::event::{Change, Moment, Token};
use crate::limits::{BAD_FRAMES_MAX, UNDURABLE_PER_SESSION_MAX};
use crate::room::Room;

impl Room {
    /// Handles one message of a session.
    pub(crate) fn frame(
        &mut self,
        moment: Moment,
        session: SessionId,
        bytes: &[u8],
        effects: &mut Vec<Effect>,
    ) {
        let Some(connected) = self.sessions.get_mut(&session) else { return };
        let has_joined = connected.member.is_some();
        match ClientFrame::decode(bytes) {
            Ok(ClientFrame::Hello(hello)) if !has_joined => self.hello(moment, session, hello, effects),
            Ok(ClientFrame::Ping) => {
                let frame = ServerFrame::Pong.encode().into();
                effects.push(Effect::Send { session, frame, priority: FramePriority::Presence });
            }
            Ok(ClientFrame::Submit { counter, base, transaction }) if has_joined => {
                self.submit(moment, session, counter, base, transaction, effects)
            }
            Ok(ClientFrame::Presence(presence)) if has_joined => self.presence(moment, session, presence),
            Ok(ClientFrame::View { sheet, view }) if has_joined => {
                self.set_viewport(moment, session, sheet, view)
            }
            Ok(ClientFrame::Chat(request)) if has_joined => self.chat(moment, session, request, effects),
            Ok(ClientFrame::Follow(request)) if has_joined => self.follow(session, request, effects),
            Ok(ClientFrame::Identify) if has_joined => self.identify(session, effects),
            Ok(ClientFrame::AskPicture(of)) if has_joined => self.send_picture(session, of, effects),
            Ok(ClientFrame::Digest { revision, digest }) if has_joined => {
                self.digest_differs(moment, session, revision, digest, effects)
            }
            Ok(ClientFrame::Withdrawn { counter }) if has_joined => {
                let member = connected.member.as_mut().expect("the session has joined");
                if member.rejected == Some(counter) {
                    member.rejected = None;
                }
            }
            Ok(_) => self.close(session, CloseReason::BadFrame, effects),
            Err(FrameError::BadTransaction { counter, error }) if has_joined => {
                self.counts.bad_frames += 1;
                connected.bad_frames += 1;
                if connected.bad_frames >= BAD_FRAMES_MAX {
                    return self.close(session, CloseReason::BadFrame, effects);
                }
                let message = format!("the transaction cannot be read: {error}");
                self.reject(session, counter, Rejection { code: RejectCode::BadOperation, message }, effects);
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

    /// Closes a session.
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
        let Some(connected) = self.sessions.get_mut(&session) else { return };
        let Some(member) = connected.member.as_mut() else { return };
        if member.rejected.is_some() {
            return; // depends on the rejected transaction; the replica resends it after `Withdrawn`
        }
        if member.last_counter.is_some_and(|last| counter != last.next() && counter > last) {
            return self.close(session, CloseReason::BadFrame, effects);
        }
        let last_submitted = self.submitted.get(&member.replica).map(|submitted| submitted.counter);
        if last_submitted.is_some_and(|last| counter <= last) && !is_planted(Fault::ResendsAppliedTwice) {
            self.counts.duplicates += 1; // the session gets or has got its record
            if member.last_counter.is_none_or(|last| counter > last) {
                // Recorded by an earlier session. The next submission of this session depends on
                // it.
                member.last_counter = Some(counter);
                // The recorded transaction was within the limits; a different one sent under its
                // counter must not evade them.
                let is_in_window = check_limits(connected.role, &transaction, &self.limits).is_ok()
                    && member.rebase_window.skip_recorded(
                        transaction,
                        base,
                        (member.replica, counter),
                        &self.ring,
                    );
                if !is_in_window {
                    self.close(session, CloseReason::Resync, effects);
                }
            }
            return;
        }
        // A replica cannot have a revision that was not sent, and records are sent only when
        // durable.
        if base > self.durable || member.undurable >= UNDURABLE_PER_SESSION_MAX {
            let reason = if base > self.durable { CloseReason::Resync } else { CloseReason::TooFast };
            return self.close(session, reason, effects);
        }
        if let Err(rejection) = check_limits(connected.role, &transaction, &self.limits) {
            return self.reject(session, counter, rejection, effects);
        }
        let window_before = member.rebase_window.clone();
        let Some((transaction, was_rebased)) =
            member.rebase_window.transform_against(transaction, base, member.replica, &self.ring)
        else {
            return self.close(session, CloseReason::Resync, effects);
        };
        // Checked after the rebase: cells may have been protected, or protected cells moved, since
        // `base`.
        let workbook = self.content.workbook();
        let checked = check_comments_only(connected.role, &member.editor.account, &transaction, workbook)
            .and_then(|()| check_imports(&transaction, workbook))
            .and_then(|()| check_protection(&member.editor, &transaction, workbook));
        if let Err(rejection) = checked {
            member.rebase_window = window_before;
            return self.reject(session, counter, rejection, effects);
        }
        member.last_counter = Some(counter);
        member.undurable += 1;
        let (replica, author) = (member.replica, member.author.clone());
        self.counts.rebased += u64::from(was_rebased);
        match self.record(moment, replica, counter, author, transaction, effects) {
            Ok(revision) => {
                self.member(session).expect("the session was here above").rebase_window.own_up_to = revision;
            }
            // The window was rebased over a transaction that is not recorded: the session has to
            // resync.
            Err(_) => self.close(session, CloseReason::Resync, effects),
        }
    }

    /// Handles a change from outside any session, made for the newest document.
    pub(crate) fn request(
        &mut self,
        moment: Moment,
        (token, counter): (Token, Counter),
        author: Author,
        (role, editor): (Role, &EditorIdentity),
        change: Change,
        effects: &mut Vec<Effect>,
    ) {
        let is_import = matches!(change, Change::Import(_));
        let transaction = match change {
            Change::Transaction(transaction) | Change::Import(transaction) => Ok(transaction),
            Change::Command(command) => self.plan(moment, &command),
        };
        let recorded = transaction.and_then(|transaction| {
            check_limits(role, &transaction, &self.request_limits)?;
            check_comments_only(role, &editor.account, &transaction, self.content.workbook())?;
            if !is_import {
                check_imports(&transaction, self.content.workbook())?;
            }
            check_protection(editor, &transaction, self.content.workbook())?;
            self.record(moment, ReplicaId::SERVER, counter, author, transaction, effects)
        });
        match recorded {
            Ok(revision) => self.requests.entry(revision).or_default().push(token),
            Err(Rejection { code, message }) => {
                effects.push(Effect::RequestRejected { token, code, message });
            }
        }
    }

    fn plan(&self, moment: Moment, command: &Command) -> Result<Transaction, Rejection> {
        let mut index = 0;
        let mut new_sheet = || {
            index += 1;
            fresh_sheet_id(moment.random, index)
        };
        plan(command, self.workbook(), &mut new_sheet)
            .map_err(|error| Rejection { code: RejectCode::OutOfBounds, message: error.to_string() })
    }

    /// Records a transaction as the next revision and has it appended to the journal.
    ///
    /// # Errors
    ///
    /// Fails when the record would exceed a limit or could not be decoded again.
    pub(crate) fn record(
        &mut self,
        moment: Moment,
        replica: ReplicaId,
        counter: Counter,
        author: Author,
        transaction: Transaction,
        effects: &mut Vec<Effect>,
    ) -> Result<Revision, Rejection> {
        let too_large = |message: &str| Rejection { code: RejectCode::TooLarge, message: message.to_owned() };
        if transaction.operations.len() > OPERATIONS_MAX {
            return Err(too_large("the change has too many operations"));
        }
        let base = self.head;
        let time_and_seed = self.time_and_seed(moment);
        let record = Record { revision: base.next(), replica, counter, author, time_and_seed, transaction };
        let bytes: Arc<[u8]> = record.encode().into();
        if bytes.len() > RECORD_BYTES_MAX {
            return Err(too_large("the change has too many bytes"));
        }
        // A record that cannot be decoded would make the room unreadable for good.
        if let Err(error) = Record::decode(&bytes) {
            let message = format!("the change cannot be encoded: {error}");
            return Err(Rejection { code: RejectCode::BadOperation, message });
        }
        self.snapshots.cancel_unloading();
        self.counts.operations += record.transaction.operations.len() as u64;
        self.apply_record(record, bytes.clone());
        self.volatile.context_time_ms = moment.monotonic_ms;
        self.counts.transactions += 1;
        effects.push(Effect::Append { base, records: vec![bytes], time_ms: time_and_seed.time_ms });
        if is_planted(Fault::BroadcastBeforeDurable) {
            self.publish(moment, self.head, effects);
        }
        Ok(self.head)
    }

    fn reject(
        &mut self,
        session: SessionId,
        counter: Counter,
        rejection: Rejection,
        effects: &mut Vec<Effect>,
    ) {
        let Some(member) = self.sessions.get_mut(&session).and_then(|session| session.member.as_mut()) else {
            return;
        };
        if member.rejected.is_some() {
            return;
        }
        member.rejected = Some(counter);
        member.last_counter = Some(counter);
        self.counts.rejected += 1;
        let Rejection { code, mut message } = rejection;
        // Descriptions of protected ranges may be longer than a client reads.
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        let frame = ServerFrame::Rejected { counter, code, message }.encode().into();
        effects.push(Effect::Send { session, frame, priority: FramePriority::Ordered });
    }
}

/// Whether the frame is a `Hello` of another protocol version (`P2`).
fn is_unknown_client(bytes: &[u8], error: &quadrille_protocol::DecodeError) -> bool {
    bytes.first() == Some(&1) && matches!(error, quadrille_protocol::DecodeError::UnknownVersion { .. })
}
