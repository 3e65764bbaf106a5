//! [`Replica`]: events in, effects out.

use std::sync::Arc;

use quadrille_cell::{Range, SheetId, StructuralEdit};
use quadrille_document::{Changes, Document, EvaluationContext, InvalidCell};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{
    Command, EditorIdentity, Limits, Operation, Protected, Transaction, changes_comments_only, plan_typed,
    protected_from, validate,
};
use quadrille_protocol::limits::CLIENT_FRAME_BYTES_MAX;
use quadrille_protocol::{
    ClientFrame, CloseReason, Counter, DecodeError, Hello, Incarnation, PROTOCOL_VERSION, Presence, Record,
    ReplicaId, ReplicaSecret, Resume, Revision, Role, ServerFrame, Welcome, decode_snapshot,
    encode_transaction,
};

use crate::digests::Digests;
use crate::errors::ReplicaError;
use crate::event::{Effect, Event, Status};
use crate::history::{History, UndoDirection};
use crate::limits::{PRESENCE_INTERVAL_MS, STRUCTURAL_EDITS_MAX};
use crate::local_persistence::LocalPersistence;
use crate::locale::LocaleSettings;
use crate::people::People;
use crate::random_source::next_random;
use crate::session::{Connection, Membership, SnapshotAssembly};
use crate::timestamp::Timestamp;
use crate::unconfirmed::Unconfirmed;

/// Bytes of a `Submit` frame before its transaction: type, counter and base as varints.
const SUBMIT_HEAD_BYTES: usize = 32;

/// A copy of a room's document with the user's unconfirmed transactions on top.
pub struct Replica {
    pub(crate) document: Document,
    /// Revision of the last confirmed transaction in the document.
    pub(crate) revision: Revision,
    /// Time and seed of that revision.
    pub(crate) time_and_seed: quadrille_protocol::TimeAndSeed,
    /// Changes to store locally; `None` if the replica is not persisted.
    pub(crate) persistence: Option<LocalPersistence>,
    /// Whether a document was ever received.
    pub(crate) is_loaded: bool,
    pub(crate) identity: Option<(ReplicaId, Incarnation)>,
    /// Proof of the identity.
    pub(crate) secret: Option<ReplicaSecret>,
    pub(crate) last_counter: Counter,
    pub(crate) unconfirmed: Unconfirmed,
    pub(crate) history: History,
    connection: Connection,
    pub(crate) membership: Option<Membership>,
    /// Set by `Welcome` and `Resync` until the snapshot is complete.
    awaits_snapshot: bool,
    /// The last own transaction that the awaited snapshot contains, from `Resync`.
    confirmed_in_snapshot: Counter,
    assembly: Option<SnapshotAssembly>,
    people: People,
    name: Arc<str>,
    color: Option<u32>,
    /// The person as the server has verified it, once it has told; the role is in `membership`.
    person: Option<EditorIdentity>,
    pub(crate) locale: LocaleSettings,
    presence: Option<Presence>,
    presence_is_due: bool,
    view: Option<(SheetId, Range)>,
    view_is_due: bool,
    presence_sent_ms: i64,
    pub(crate) changes: Changes,
    /// With whether this client made them.
    structural_edits: Vec<(StructuralEdit, bool)>,
    /// The document was replaced, so everything must be drawn again.
    pub(crate) is_replaced: bool,
    status: Status,
    /// State of SplitMix64: source of sheet identities, and of seeds until the server's arrive.
    random: u64,
    digests: Digests,
    reshaped: u64,
    unrebased: u64,
    /// Whether a snapshot replaced the document under unconfirmed transactions and the user has not
    /// been told.
    is_not_rebased: bool,
}

impl Replica {
    /// Creates a replica without a document. `seed` must differ between replicas, because
    /// identities of new sheets are derived from it.
    pub fn new(name: Arc<str>, color: Option<u32>, seed: u64) -> Replica {
        Replica {
            document: Document::new(),
            revision: Revision(0),
            time_and_seed: quadrille_protocol::TimeAndSeed::default(),
            persistence: None,
            is_loaded: false,
            identity: None,
            secret: None,
            last_counter: Counter(0),
            unconfirmed: Unconfirmed::default(),
            history: History::default(),
            connection: Connection::Offline,
            membership: None,
            awaits_snapshot: false,
            confirmed_in_snapshot: Counter(0),
            assembly: None,
            people: People::default(),
            name,
            color,
            person: None,
            locale: LocaleSettings::default(),
            presence: None,
            presence_is_due: false,
            view: None,
            view_is_due: false,
            presence_sent_ms: i64::MIN,
            changes: Changes::default(),
            structural_edits: Vec::new(),
            is_replaced: false,
            status: Status::Loading,
            random: seed,
            digests: Digests::default(),
            reshaped: 0,
            unrebased: 0,
            is_not_rebased: false,
        }
    }

    /// Returns the optimistic document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the last confirmed revision.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the number of unconfirmed transactions.
    pub fn unconfirmed(&self) -> usize {
        self.unconfirmed.len()
    }

    /// Returns whether the user's changes are stored by the server.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the other people in the room.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// Returns the session's role; `Edit` until the room has sent one.
    pub fn role(&self) -> Role {
        self.membership.map_or(Role::Edit, |membership| membership.role)
    }

    /// Returns the user's color, as assigned by the room.
    pub fn color(&self) -> Option<u32> {
        self.membership.map(|membership| membership.color).or(self.color)
    }

    /// Returns the replica's identity, once the room has assigned it.
    pub fn replica_id(&self) -> Option<ReplicaId> {
        self.identity.map(|(replica, _)| replica)
    }

    /// Returns whether there is a step to undo.
    pub fn can_undo(&self) -> bool {
        self.history.has_step(UndoDirection::Undo)
    }

    /// Returns whether there is a step to redo.
    pub fn can_redo(&self) -> bool {
        self.history.has_step(UndoDirection::Redo)
    }

    /// Returns how often a digest of the room was compared.
    pub fn digests_compared(&self) -> u64 {
        self.digests.compared
    }

    /// Returns how often a digest of the room differed. A value other than zero means a bug.
    pub fn digest_mismatches(&self) -> u64 {
        self.digests.mismatches
    }

    /// Returns how often the room recorded an own transaction in another form than the applied one
    /// (P8). This happens only after a snapshot replaced the records to rebase over.
    pub fn reshaped(&self) -> u64 {
        self.reshaped
    }

    /// Returns how often unconfirmed transactions were applied on a snapshot unchanged, because
    /// there were no records to rebase over.
    pub fn unrebased(&self) -> u64 {
        self.unrebased
    }

    /// Evaluates formulas for about `steps` steps. Returns whether all formulas are evaluated. Call
    /// it after all received frames are handled.
    pub fn evaluate(&mut self, steps: u64) -> bool {
        let changes = self.document.evaluate(steps);
        self.changes.merge(changes);
        self.document.is_calculated()
    }

    /// Returns the changes since the last call, and whether everything must be drawn again.
    pub fn take_changes(&mut self) -> (Changes, bool) {
        (std::mem::take(&mut self.changes), std::mem::take(&mut self.is_replaced))
    }

    /// Returns the rows and columns that were inserted, deleted or moved since the last call, in the
    /// coordinates of this document, and whether this client did it. The client uses them to move
    /// the selection, the cell editor and watched cells.
    pub fn take_structural_edits(&mut self) -> Vec<(StructuralEdit, bool)> {
        std::mem::take(&mut self.structural_edits)
    }

    /// Handles one event. Returns the effects to perform, in order.
    pub fn handle(&mut self, now: Timestamp, event: Event<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Connected => self.send_hello(&mut effects),
            Event::Disconnected { code } => self.disconnected(code, &mut effects),
            Event::Frame(bytes) => self.frame(bytes, &mut effects),
            Event::Command(command) => self.command(now, &command, true, &mut effects),
            Event::Automatic(command) => {
                self.command(now, &command, false, &mut effects);
                effects.retain(|effect| !matches!(effect, Effect::Problem(_)));
            }
            Event::Transaction { transaction, is_undoable } => {
                self.submit_new(now, transaction, is_undoable, &mut effects);
            }
            Event::Undo => self.step(now, UndoDirection::Undo, &mut effects),
            Event::Redo => self.step(now, UndoDirection::Redo, &mut effects),
            Event::Select(presence) => {
                if self.presence.as_ref() != Some(&presence) {
                    self.presence = Some(presence);
                    self.presence_is_due = true;
                }
                self.send_presence(now, &mut effects);
            }
            Event::View { sheet, view } => {
                if self.view != Some((sheet, view)) {
                    self.view = Some((sheet, view));
                    self.view_is_due = true;
                }
                self.send_presence(now, &mut effects);
            }
            Event::Rename { name, color } => self.rename(name, color, &mut effects),
            Event::Identified { account, email } => {
                let email = Some(email).filter(|email| !email.is_empty());
                self.person = Some(EditorIdentity { is_owner: false, account, email });
            }
            Event::Locale(locale) => {
                locale.apply_to(&mut self.document);
                self.locale = locale;
                self.is_replaced = true;
            }
            Event::Tick => self.send_presence(now, &mut effects),
        }
        self.report_status(&mut effects);
        effects
    }

    fn report_status(&mut self, effects: &mut Vec<Effect>) {
        let unconfirmed = self.unconfirmed.len();
        let status = match self.connection {
            Connection::Live if unconfirmed == 0 => Status::Saved,
            Connection::Live => Status::Saving { unconfirmed },
            Connection::CatchingUp { .. } | Connection::AwaitingWelcome if !self.is_loaded => Status::Loading,
            Connection::CatchingUp { .. } | Connection::AwaitingWelcome | Connection::Offline => {
                Status::Offline { unconfirmed }
            }
        };
        if status != self.status {
            self.status = status;
            effects.push(Effect::Status(status));
        }
    }

    // --- the session ---

    fn send_hello(&mut self, effects: &mut Vec<Effect>) {
        self.connection = Connection::AwaitingWelcome;
        self.assembly = None;
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: self.identity,
            last: self.is_loaded.then_some(self.revision),
            unconfirmed: self.unconfirmed.len() as u64,
            name: self.name.clone(),
            color: self.color,
            secret: self.secret,
        };
        effects.push(Effect::Send(ClientFrame::Hello(hello).encode()));
    }

    fn disconnected(&mut self, code: Option<u16>, effects: &mut Vec<Effect>) {
        self.connection = Connection::Offline;
        self.people.clear();
        effects.push(Effect::People);
        let reason = code.and_then(CloseReason::from_code);
        if let Some(reason) = reason.filter(|reason| !reason.can_reconnect()) {
            effects.push(Effect::Problem(ReplicaError::Ended { reason }));
        }
    }

    /// Changes the name. The room takes a name only from `Hello`, so the session is restarted.
    fn rename(&mut self, name: Arc<str>, color: Option<u32>, effects: &mut Vec<Effect>) {
        if (&name, color) == (&self.name, self.color) {
            return;
        }
        self.name = name;
        self.color = color;
        if self.connection != Connection::Offline {
            effects.push(Effect::Close { should_reconnect: true });
        }
    }

    fn frame(&mut self, bytes: &[u8], effects: &mut Vec<Effect>) {
        if self.connection == Connection::Offline {
            return; // received after the connection was given up
        }
        let outcome = match ServerFrame::decode(bytes) {
            Ok(frame) => self.server_frame(frame, effects),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = outcome {
            // Resume from the confirmed revision: the room sends the rest, or a snapshot.
            effects.push(Effect::Problem(ReplicaError::BadFrame { error }));
            effects.push(Effect::Close { should_reconnect: true });
        }
    }

    fn server_frame(&mut self, frame: ServerFrame, effects: &mut Vec<Effect>) -> Result<(), String> {
        match frame {
            ServerFrame::Welcome(welcome) => self.welcome(&welcome, effects),
            ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes } => {
                if let Some(bytes) = SnapshotAssembly::add(&mut self.assembly, revision, part, parts, &bytes)?
                {
                    let time_and_seed =
                        EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed };
                    self.replace(revision, time_and_seed, &bytes).map_err(|error| error.to_string())?;
                    self.go_live_if_caught_up(effects);
                }
            }
            ServerFrame::Records { records } => {
                for bytes in records {
                    let record = Record::decode(&bytes).map_err(|error| error.to_string())?;
                    self.record(&record, &bytes)?;
                }
                self.go_live_if_caught_up(effects);
                self.send_unconfirmed(effects);
            }
            ServerFrame::People { changed, departed, count } => {
                let own = self.membership.map(|membership| membership.session);
                self.people.update(own, changed, departed, count);
                effects.push(Effect::People);
            }
            ServerFrame::Rejected { counter, code, message } => {
                self.rejected(counter, effects);
                effects.push(Effect::Problem(ReplicaError::Refused { code, message }));
            }
            ServerFrame::Resync { revision: _, confirmed } => {
                self.awaits_snapshot = true;
                self.confirmed_in_snapshot = confirmed;
            }
            ServerFrame::Digest { revision, digest } => {
                let answer = self.digests.compare(revision, digest);
                effects.extend(answer.map(|frame| Effect::Send(frame.encode())));
            }
            ServerFrame::Pong => {}
        }
        Ok(())
    }

    fn welcome(&mut self, welcome: &Welcome, effects: &mut Vec<Effect>) {
        let identity = Some((welcome.replica, welcome.incarnation));
        if self.identity != identity {
            self.identity = identity;
            self.secret = welcome.secret;
            if let Some(persistence) = &mut self.persistence {
                persistence.identified();
            }
        }
        self.membership =
            Some(Membership { session: welcome.session, role: welcome.role, color: welcome.color });
        self.connection = Connection::CatchingUp { head: welcome.head };
        self.awaits_snapshot = welcome.resume == Resume::Snapshot;
        self.people.clear();
        // The new session has no presence yet.
        self.presence_is_due = self.presence.is_some();
        self.view_is_due = self.view.is_some();
        self.presence_sent_ms = i64::MIN;
        self.go_live_if_caught_up(effects);
    }

    /// Goes live and sends the unconfirmed transactions once all records up to the room's head have
    /// arrived.
    fn go_live_if_caught_up(&mut self, effects: &mut Vec<Effect>) {
        let Connection::CatchingUp { head } = self.connection else { return };
        if self.awaits_snapshot || self.revision < head {
            return;
        }
        self.is_loaded = true;
        self.connection = Connection::Live;
        if std::mem::take(&mut self.is_not_rebased) {
            effects.push(Effect::Problem(ReplicaError::NotRebased { transactions: self.unconfirmed() }));
        }
        self.unconfirmed.reset_in_flight();
        self.send_unconfirmed(effects);
    }

    fn send_unconfirmed(&mut self, effects: &mut Vec<Effect>) {
        if self.connection != Connection::Live {
            return;
        }
        while let Some(pending) = self.unconfirmed.next_to_send() {
            let submit = ClientFrame::Submit {
                counter: pending.counter,
                base: self.revision,
                transaction: pending.transaction.clone(),
            };
            effects.push(Effect::Send(submit.encode()));
        }
    }

    fn replace(
        &mut self,
        revision: Revision,
        time_and_seed: EvaluationContext,
        bytes: &[u8],
    ) -> Result<(), DecodeError> {
        let workbook = decode_snapshot(bytes)?;
        self.document = Document::from_workbook(workbook);
        self.locale.apply_to(&mut self.document);
        self.document.apply(&Transaction::default(), time_and_seed);
        self.time_and_seed =
            quadrille_protocol::TimeAndSeed { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed };
        if let Some(persistence) = &mut self.persistence {
            persistence.replaced(revision, bytes);
        }
        self.revision = revision;
        self.awaits_snapshot = false;
        self.is_replaced = true;
        self.structural_edits.clear();
        self.changes = Changes::default();
        self.digests.clear();
        // The changes of others in between are unknown, so no step can be rebased over them.
        self.history.clear();
        if self.unconfirmed.last_counter() > Some(self.confirmed_in_snapshot) {
            self.unrebased += 1;
            self.is_not_rebased = true;
        }
        self.unconfirmed.reapply_on_snapshot(
            &mut self.document,
            &mut self.changes,
            self.confirmed_in_snapshot,
        );
        Ok(())
    }

    fn record(&mut self, record: &Record, bytes: &Arc<[u8]>) -> Result<(), String> {
        if self.awaits_snapshot || record.revision <= self.revision {
            return Ok(()); // sent twice, or contained in the awaited snapshot
        }
        if record.revision != self.revision.next() {
            return Err(format!("revision {} follows {}", record.revision, self.revision));
        }
        let time_and_seed =
            EvaluationContext { time_ms: record.time_and_seed.time_ms, seed: record.time_and_seed.seed };
        let own = self.replica_id() == Some(record.replica);
        let is_first = self.unconfirmed.first_counter() == Some(record.counter);
        let (document, changes) = (&mut self.document, &mut self.changes);
        if own && is_first {
            let reshaped =
                self.unconfirmed.confirm_own(document, changes, &record.transaction, time_and_seed);
            if let Some(inverse) = reshaped {
                self.reshaped += 1;
                let mut inverses = self.unconfirmed.inverses();
                inverses.insert(record.counter, inverse);
                self.history.rebased(&inverses, None, None);
            }
        } else {
            let mut theirs = &record.transaction;
            let without_formats;
            if is_planted(Fault::RemoteFormatsIgnored) {
                let mut operations = theirs.operations.clone();
                operations.retain(|operation| !matches!(operation, Operation::SetFormat { .. }));
                without_formats = Transaction { operations };
                theirs = &without_formats;
            }
            let (on_top, is_rebased) =
                self.unconfirmed.confirm_other(document, changes, theirs, time_and_seed);
            self.collect_structural_edits(&on_top, false);
            match is_rebased {
                true => self.history.rebased(&self.unconfirmed.inverses(), Some(theirs), Some(on_top)),
                false => self.history.push_remote(on_top),
            }
        }
        self.revision = record.revision;
        self.time_and_seed = record.time_and_seed;
        if let Some(persistence) = &mut self.persistence {
            persistence.record(record.revision, bytes);
        }
        if self.unconfirmed.is_empty() {
            self.digests.record(self.revision, &self.document);
        }
        Ok(())
    }

    fn rejected(&mut self, counter: Counter, effects: &mut Vec<Effect>) {
        if !self.unconfirmed.withdraw(&mut self.document, &mut self.changes, counter) {
            return; // rejected twice
        }
        self.history.remove_rejected(counter, &self.unconfirmed.inverses());
        if self.unconfirmed.is_empty() {
            // NOW() and RAND() return to the confirmed time and seed.
            let time_and_seed =
                EvaluationContext { time_ms: self.time_and_seed.time_ms, seed: self.time_and_seed.seed };
            self.changes.merge(self.document.apply(&Transaction::default(), time_and_seed).changes);
        }
        effects.push(Effect::Send(ClientFrame::Withdrawn { counter }.encode()));
        self.send_unconfirmed(effects);
    }

    fn collect_structural_edits(&mut self, transaction: &Transaction, is_own: bool) {
        for operation in &transaction.operations {
            match operation {
                Operation::Restructure(edit) if self.structural_edits.len() < STRUCTURAL_EDITS_MAX => {
                    self.structural_edits.push((*edit, is_own))
                }
                _ => {}
            }
        }
    }

    fn send_presence(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        let is_early = now.unix_ms.saturating_sub(self.presence_sent_ms) < PRESENCE_INTERVAL_MS
            && now.unix_ms >= self.presence_sent_ms;
        let is_due = self.presence_is_due || self.view_is_due;
        if !is_due || is_early || self.connection != Connection::Live {
            return;
        }
        if let Some((sheet, view)) = self.view.filter(|_| self.view_is_due) {
            effects.push(Effect::Send(ClientFrame::View { sheet, view }.encode()));
        }
        if let Some(presence) = self.presence.as_ref().filter(|_| self.presence_is_due) {
            effects.push(Effect::Send(ClientFrame::Presence(presence.clone()).encode()));
        }
        (self.presence_is_due, self.view_is_due) = (false, false);
        self.presence_sent_ms = now.unix_ms;
    }

    // --- the person's own changes ---

    /// Returns the first cell for which the command would violate data validation; to ask before it
    /// runs.
    pub fn first_invalid_cell(&self, now: Timestamp, command: &Command) -> Option<InvalidCell> {
        let mut no_sheets = || SheetId(0);
        let workbook = self.document.workbook();
        let (typing, names) = (self.locale.input_context(now), &self.locale.names);
        let planned = plan_typed(command, workbook, typing, names, &mut no_sheets);
        self.document.first_invalid_cell(&planned.ok()?)
    }

    fn command(&mut self, now: Timestamp, command: &Command, is_undoable: bool, effects: &mut Vec<Effect>) {
        if let Err(problem) = self.check_can_change() {
            effects.push(Effect::Problem(problem));
            return;
        }
        let mut random = self.random;
        let workbook = self.document.workbook();
        let (typing, names) = (self.locale.input_context(now), &self.locale.names);
        let planned = self.document.plan(command, typing, names, &mut || loop {
            let id = SheetId(next_random(&mut random) as u32);
            if id.0 > 1 && workbook.sheet(id).is_none() {
                break id;
            }
        });
        self.random = random;
        match planned {
            Ok(transaction) => self.submit_new(now, transaction, is_undoable, effects),
            Err(error) => effects.push(Effect::Problem(ReplicaError::Command(error))),
        }
    }

    /// Checks that the role allows any change and that there is space for one.
    fn check_can_change(&self) -> Result<(), ReplicaError> {
        if !self.role().can_comment() {
            return Err(ReplicaError::EditNotAllowed { role: self.role() });
        }
        if self.unconfirmed.is_full() {
            return Err(ReplicaError::TooMuchUnsaved { unconfirmed: self.unconfirmed.len() });
        }
        Ok(())
    }

    /// Checks that the role allows this change: commenters change comments only (`P26`).
    fn check_role(&self, transaction: &Transaction) -> Result<(), ReplicaError> {
        let role = self.role();
        let workbook = self.document.workbook();
        let account = self.person.as_ref().map(|person| &*person.account);
        match role.can_edit() || role.can_comment() && changes_comments_only(account, transaction, workbook) {
            true => Ok(()),
            false => Err(ReplicaError::EditNotAllowed { role }),
        }
    }

    /// The check that the room makes after the rebase, on this document.
    fn check_protection(&self, transaction: &Transaction) -> Result<(), Protected> {
        let author = match self.role() {
            Role::Owner => Some(EditorIdentity::owner()),
            _ => self.person.clone(),
        };
        protected_from(author.as_ref(), transaction, self.document.workbook())
    }

    fn submit_new(
        &mut self,
        now: Timestamp,
        transaction: Transaction,
        is_undoable: bool,
        effects: &mut Vec<Effect>,
    ) {
        if let Err(problem) = self.check_can_change().and_then(|()| self.check_role(&transaction)) {
            effects.push(Effect::Problem(problem));
        } else if let Err(error) = validate(&transaction, &Limits::default()) {
            effects.push(Effect::Problem(ReplicaError::Operation(error)));
        } else if let Err(protected) = self.check_protection(&transaction) {
            effects.push(Effect::Problem(ReplicaError::Protected(protected)));
        } else if !transaction.operations.is_empty() {
            match self.submit(now, transaction, effects) {
                Ok(inverse) if is_undoable => self.history.push(self.last_counter, inverse),
                Ok(_) => {}
                Err(problem) => effects.push(Effect::Problem(problem)),
            }
        }
    }

    /// Applies, queues and, if live, sends a transaction. Returns its inverse.
    fn submit(
        &mut self,
        now: Timestamp,
        transaction: Transaction,
        effects: &mut Vec<Effect>,
    ) -> Result<Transaction, ReplicaError> {
        let bytes = encode_transaction(&transaction).len();
        if bytes > CLIENT_FRAME_BYTES_MAX - SUBMIT_HEAD_BYTES {
            return Err(ReplicaError::TooLarge { bytes });
        }
        self.last_counter = self.last_counter.next();
        let time_and_seed = EvaluationContext { time_ms: now.unix_ms, seed: next_random(&mut self.random) };
        self.collect_structural_edits(&transaction, true);
        let (document, changes) = (&mut self.document, &mut self.changes);
        let inverse =
            self.unconfirmed.push(document, changes, self.last_counter, transaction, bytes, time_and_seed);
        self.send_unconfirmed(effects);
        Ok(inverse)
    }

    fn step(&mut self, now: Timestamp, direction: UndoDirection, effects: &mut Vec<Effect>) {
        if let Err(problem) = self.check_can_change() {
            effects.push(Effect::Problem(problem));
            return;
        }
        let Some(taken) = self.history.begin_step(direction) else {
            effects.push(Effect::Problem(match direction {
                UndoDirection::Undo if self.history.is_discarded() => ReplicaError::UndoDiscarded,
                UndoDirection::Undo => ReplicaError::NothingToUndo,
                UndoDirection::Redo => ReplicaError::NothingToRedo,
            }));
            return;
        };
        if taken.transaction.operations.is_empty() {
            let workbook = self.document.workbook();
            let is_sheet_gone = taken.sheets.iter().any(|sheet| workbook.sheet(*sheet).is_none());
            effects.push(Effect::Problem(match is_sheet_gone {
                true => ReplicaError::SheetDeleted,
                false => ReplicaError::OverwrittenByOthers,
            }));
            return;
        }
        let check = self.check_role(&taken.transaction);
        let check =
            check.and_then(|()| self.check_protection(&taken.transaction).map_err(ReplicaError::Protected));
        if let Err(problem) = check {
            effects.push(Effect::Problem(problem));
            self.history.cancel_step(direction, taken);
            return;
        }
        match self.submit(now, taken.transaction, effects) {
            Ok(inverse) => self.history.finish_step(direction, self.last_counter, inverse),
            Err(problem) => effects.push(Effect::Problem(problem)),
        }
    }
}
