//! The replica: events in, effects out.

use std::sync::Arc;

use quadrille_cell::{Range, SheetId, StructuralEdit};
use quadrille_document::{Changes, Document, EvaluationContext, InvalidCell};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Command, Limits, Operation, Transaction, plan_typed, protected_from, validate};
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
use crate::limits::{MOVES_MAX, PRESENCE_INTERVAL_MS};
use crate::local_persistence::LocalPersistence;
use crate::locale::LocaleSettings;
use crate::moment::Moment;
use crate::people::People;
use crate::random_source::next_random;
use crate::session::{Assembly, Connection, Membership};
use crate::unconfirmed::Unconfirmed;

/// What a `Submit` frame has beside its transaction: kind, counter and base as varints.
const SUBMIT_HEAD_BYTES: usize = 32;

/// A copy of a room's document, with the person's own transactions on top.
pub struct Replica {
    pub(crate) document: Document,
    /// The last confirmed transaction that the document holds.
    pub(crate) revision: Revision,
    /// Of that revision.
    pub(crate) time_and_seed: quadrille_protocol::TimeAndSeed,
    /// What is to be written down; `None` when nobody does.
    pub(crate) keeping: Option<LocalPersistence>,
    /// Whether a document was ever received.
    pub(crate) is_loaded: bool,
    pub(crate) identity: Option<(ReplicaId, Incarnation)>,
    /// Proves the identity to the room.
    pub(crate) secret: Option<ReplicaSecret>,
    pub(crate) last_counter: Counter,
    pub(crate) unconfirmed: Unconfirmed,
    pub(crate) history: History,
    connection: Connection,
    pub(crate) membership: Option<Membership>,
    /// Set by `Welcome` and `Resync` until the snapshot is there.
    awaits_snapshot: bool,
    /// The last of our transactions that the snapshot to come holds; `Resync` says it.
    confirmed_in_snapshot: Counter,
    assembly: Option<Assembly>,
    people: People,
    name: Arc<str>,
    color: Option<u32>,
    pub(crate) place: LocaleSettings,
    presence: Option<Presence>,
    presence_is_due: bool,
    view: Option<(SheetId, Range)>,
    view_is_due: bool,
    presence_sent_ms: i64,
    pub(crate) changes: Changes,
    moves: Vec<StructuralEdit>,
    /// Everything may look different: the document was replaced.
    pub(crate) is_replaced: bool,
    status: Status,
    /// Source of sheet identities and of seeds until the server's come; SplitMix64.
    random: u64,
    digests: Digests,
    reshaped: u64,
    unrebased: u64,
    /// That happened, and the person has not been told yet.
    is_not_followed: bool,
}

impl Replica {
    /// `seed` must differ between replicas: identities of new sheets come from it.
    pub fn new(name: Arc<str>, color: Option<u32>, seed: u64) -> Replica {
        Replica {
            document: Document::new(),
            revision: Revision(0),
            time_and_seed: quadrille_protocol::TimeAndSeed::default(),
            keeping: None,
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
            place: LocaleSettings::default(),
            presence: None,
            presence_is_due: false,
            view: None,
            view_is_due: false,
            presence_sent_ms: i64::MIN,
            changes: Changes::default(),
            moves: Vec::new(),
            is_replaced: false,
            status: Status::Loading,
            random: seed,
            digests: Digests::default(),
            reshaped: 0,
            unrebased: 0,
            is_not_followed: false,
        }
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Transactions without a revision.
    pub fn unconfirmed(&self) -> usize {
        self.unconfirmed.len()
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn people(&self) -> &People {
        &self.people
    }

    /// What the room last said this session may do; everything until it said something.
    pub fn role(&self) -> Role {
        self.membership.map_or(Role::Edit, |membership| membership.role)
    }

    /// The person's colour as the room gave it.
    pub fn color(&self) -> Option<u32> {
        self.membership.map(|membership| membership.color).or(self.color)
    }

    pub fn replica_id(&self) -> Option<ReplicaId> {
        self.identity.map(|(replica, _)| replica)
    }

    pub fn can_undo(&self) -> bool {
        self.history.can(UndoDirection::Undo)
    }

    pub fn can_redo(&self) -> bool {
        self.history.can(UndoDirection::Redo)
    }

    /// How often the room has stated a digest that could be compared.
    pub fn digests_compared(&self) -> u64 {
        self.digests.compared
    }

    /// How often the room's digest was not this document's. Zero, or there is an error in the program.
    pub fn digest_mismatches(&self) -> u64 {
        self.digests.mismatches
    }

    /// How often the room recorded an own transaction in another form than the one shown here (P8): only
    /// after a snapshot took the place of records to rebase over.
    pub fn reshaped(&self) -> u64 {
        self.reshaped
    }

    /// How often unconfirmed transactions were put on a snapshot as they were, for want of records to lead
    /// them past.
    pub fn unrebased(&self) -> u64 {
        self.unrebased
    }

    /// Calculates for about `steps`; whether everything is calculated. Call after all waiting frames.
    pub fn evaluate(&mut self, steps: u64) -> bool {
        let changes = self.document.evaluate(steps);
        self.changes.merge(changes);
        self.document.is_calculated()
    }

    /// What may look different since the last call, and whether everything may.
    pub fn take_changes(&mut self) -> (Changes, bool) {
        (std::mem::take(&mut self.changes), std::mem::take(&mut self.is_replaced))
    }

    /// Rows and columns that others inserted, deleted or moved since the last call, in order and as they were in
    /// this document: where the selection, and the cell that is being typed into, have moved.
    pub fn take_moves(&mut self) -> Vec<StructuralEdit> {
        std::mem::take(&mut self.moves)
    }

    pub fn handle(&mut self, now: Moment, event: Event<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Connected => self.greet(&mut effects),
            Event::Disconnected { code } => self.disconnected(code, &mut effects),
            Event::Frame(bytes) => self.frame(bytes, &mut effects),
            Event::Command(command) => self.command(now, &command, &mut effects),
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
            Event::Place(place) => {
                self.place = place;
                place.show_in(&mut self.document);
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
            Connection::CatchingUp { .. } | Connection::Greeting if !self.is_loaded => Status::Loading,
            Connection::CatchingUp { .. } | Connection::Greeting | Connection::Offline => {
                Status::Offline { unconfirmed }
            }
        };
        if status != self.status {
            self.status = status;
            effects.push(Effect::Status(status));
        }
    }

    // --- the session ---

    fn greet(&mut self, effects: &mut Vec<Effect>) {
        self.connection = Connection::Greeting;
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

    /// A new name needs a new greeting: the room takes a person's name with `Hello` only.
    fn rename(&mut self, name: Arc<str>, color: Option<u32>, effects: &mut Vec<Effect>) {
        if (&name, color) == (&self.name, self.color) {
            return;
        }
        self.name = name;
        self.color = color;
        if self.connection != Connection::Offline {
            effects.push(Effect::Close { again: true });
        }
    }

    fn frame(&mut self, bytes: &[u8], effects: &mut Vec<Effect>) {
        if self.connection == Connection::Offline {
            return; // a message that was on its way when the socket was given up
        }
        let outcome = match ServerFrame::decode(bytes) {
            Ok(frame) => self.server_frame(frame, effects),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = outcome {
            // Start from what is confirmed: the room resends the rest, or a snapshot.
            effects.push(Effect::Problem(ReplicaError::BadFrame { error }));
            effects.push(Effect::Close { again: true });
        }
    }

    fn server_frame(&mut self, frame: ServerFrame, effects: &mut Vec<Effect>) -> Result<(), String> {
        match frame {
            ServerFrame::Welcome(welcome) => self.welcome(&welcome, effects),
            ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes } => {
                if let Some(bytes) = Assembly::add(&mut self.assembly, revision, part, parts, &bytes)? {
                    let time_and_seed =
                        EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed };
                    self.replace(revision, time_and_seed, &bytes).map_err(|error| error.to_string())?;
                    self.caught_up(effects);
                }
            }
            ServerFrame::Records { records } => {
                for bytes in records {
                    let record = Record::decode(&bytes).map_err(|error| error.to_string())?;
                    self.record(&record, &bytes)?;
                }
                self.caught_up(effects);
                self.send_unconfirmed(effects);
            }
            ServerFrame::People { changed, gone, count } => {
                let own = self.membership.map(|membership| membership.session);
                self.people.update(own, changed, gone, count);
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
            if let Some(keeping) = &mut self.keeping {
                keeping.identified();
            }
        }
        self.membership =
            Some(Membership { session: welcome.session, role: welcome.role, color: welcome.color });
        self.connection = Connection::CatchingUp { head: welcome.head };
        self.awaits_snapshot = welcome.resume == Resume::Snapshot;
        self.people.clear();
        // A new session knows nothing of where the person is.
        self.presence_is_due = self.presence.is_some();
        self.view_is_due = self.view.is_some();
        self.presence_sent_ms = i64::MIN;
        self.caught_up(effects);
    }

    /// Goes live and resends what waits, once everything up to the room's head is there.
    fn caught_up(&mut self, effects: &mut Vec<Effect>) {
        let Connection::CatchingUp { head } = self.connection else { return };
        if self.awaits_snapshot || self.revision < head {
            return;
        }
        self.is_loaded = true;
        self.connection = Connection::Live;
        if std::mem::take(&mut self.is_not_followed) {
            effects.push(Effect::Problem(ReplicaError::NotFollowed { transactions: self.unconfirmed() }));
        }
        self.unconfirmed.nothing_is_sent();
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
        self.place.show_in(&mut self.document);
        self.document.apply(&Transaction::default(), time_and_seed);
        self.time_and_seed =
            quadrille_protocol::TimeAndSeed { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed };
        if let Some(keeping) = &mut self.keeping {
            keeping.replaced(revision, bytes);
        }
        self.revision = revision;
        self.awaits_snapshot = false;
        self.is_replaced = true;
        self.moves.clear();
        self.changes = Changes::default();
        self.digests.forget_kept();
        // What others did in the meantime is unknown, so that nothing can be brought past it.
        self.history.clear();
        if self.unconfirmed.last_counter() > Some(self.confirmed_in_snapshot) {
            self.unrebased += 1;
            self.is_not_followed = true;
        }
        self.unconfirmed.start_again(&mut self.document, &mut self.changes, self.confirmed_in_snapshot);
        Ok(())
    }

    fn record(&mut self, record: &Record, bytes: &Arc<[u8]>) -> Result<(), String> {
        if self.awaits_snapshot || record.revision <= self.revision {
            return Ok(()); // sent twice, or contained in the snapshot to come
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
                self.history.lifted(&inverses, None, None);
            }
        } else {
            let mut theirs = &record.transaction;
            let without_formats;
            if is_planted(Fault::FormatsDropped) {
                let mut operations = theirs.operations.clone();
                operations.retain(|operation| !matches!(operation, Operation::SetFormat { .. }));
                without_formats = Transaction { operations };
                theirs = &without_formats;
            }
            let (on_top, is_lifted) =
                self.unconfirmed.confirm_other(document, changes, theirs, time_and_seed);
            self.note_moves(&on_top);
            match is_lifted {
                true => self.history.lifted(&self.unconfirmed.inverses(), Some(theirs), Some(on_top)),
                false => self.history.other(on_top),
            }
        }
        self.revision = record.revision;
        self.time_and_seed = record.time_and_seed;
        if let Some(keeping) = &mut self.keeping {
            keeping.record(record.revision, bytes);
        }
        if self.unconfirmed.is_empty() {
            self.digests.keep(self.revision, &self.document);
        }
        Ok(())
    }

    fn rejected(&mut self, counter: Counter, effects: &mut Vec<Effect>) {
        if !self.unconfirmed.withdraw(&mut self.document, &mut self.changes, counter) {
            return; // refused twice
        }
        self.history.refused(counter, &self.unconfirmed.inverses());
        if self.unconfirmed.is_empty() {
            // NOW() and RAND() show what they show to everyone again.
            let time_and_seed =
                EvaluationContext { time_ms: self.time_and_seed.time_ms, seed: self.time_and_seed.seed };
            self.changes.merge(self.document.apply(&Transaction::default(), time_and_seed).changes);
        }
        effects.push(Effect::Send(ClientFrame::Withdrawn { counter }.encode()));
        self.send_unconfirmed(effects);
    }

    fn note_moves(&mut self, others: &Transaction) {
        for operation in &others.operations {
            match operation {
                Operation::Restructure(edit) if self.moves.len() < MOVES_MAX => self.moves.push(*edit),
                _ => {}
            }
        }
    }

    fn send_presence(&mut self, now: Moment, effects: &mut Vec<Effect>) {
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

    /// The first cell that the command would make break a rule for entries; for asking before it is given.
    pub fn breaks_rule(&self, now: Moment, command: &Command) -> Option<InvalidCell> {
        let mut no_sheets = || SheetId(0);
        let planned = plan_typed(command, self.document.workbook(), self.place.typing(now), &mut no_sheets);
        self.document.breaks_rule(&planned.ok()?)
    }

    fn command(&mut self, now: Moment, command: &Command, effects: &mut Vec<Effect>) {
        if let Err(problem) = self.can_change() {
            effects.push(Effect::Problem(problem));
            return;
        }
        let mut random = self.random;
        let workbook = self.document.workbook();
        let planned = plan_typed(command, workbook, self.place.typing(now), &mut || loop {
            let id = SheetId(next_random(&mut random) as u32);
            if id.0 > 1 && workbook.sheet(id).is_none() {
                break id;
            }
        });
        self.random = random;
        match planned {
            Ok(transaction) => self.submit_new(now, transaction, true, effects),
            Err(error) => effects.push(Effect::Problem(ReplicaError::Command(error))),
        }
    }

    fn can_change(&self) -> Result<(), ReplicaError> {
        if !self.role().can_edit() {
            return Err(ReplicaError::EditNotAllowed { role: self.role() });
        }
        if self.unconfirmed.is_full() {
            return Err(ReplicaError::TooMuchUnsaved { unconfirmed: self.unconfirmed.len() });
        }
        Ok(())
    }

    fn submit_new(
        &mut self,
        now: Moment,
        transaction: Transaction,
        is_undoable: bool,
        effects: &mut Vec<Effect>,
    ) {
        if let Err(problem) = self.can_change() {
            effects.push(Effect::Problem(problem));
        } else if let Err(error) = validate(&transaction, &Limits::default()) {
            effects.push(Effect::Problem(ReplicaError::Operation(error)));
        } else if let Err(protected) = protected_from(None, &transaction, self.document.workbook()) {
            effects.push(Effect::Problem(ReplicaError::Protected(protected)));
        } else if !transaction.operations.is_empty() {
            match self.submit(now, transaction, effects) {
                Ok(inverse) if is_undoable => self.history.done(self.last_counter, inverse),
                Ok(_) => {}
                Err(problem) => effects.push(Effect::Problem(problem)),
            }
        }
    }

    /// Applies, queues and, when live, sends; the inverse.
    fn submit(
        &mut self,
        now: Moment,
        transaction: Transaction,
        effects: &mut Vec<Effect>,
    ) -> Result<Transaction, ReplicaError> {
        let bytes = encode_transaction(&transaction).len();
        if bytes > CLIENT_FRAME_BYTES_MAX - SUBMIT_HEAD_BYTES {
            return Err(ReplicaError::TooLarge { bytes });
        }
        self.last_counter = self.last_counter.next();
        let time_and_seed = EvaluationContext { time_ms: now.unix_ms, seed: next_random(&mut self.random) };
        let (document, changes) = (&mut self.document, &mut self.changes);
        let inverse =
            self.unconfirmed.push(document, changes, self.last_counter, transaction, bytes, time_and_seed);
        self.send_unconfirmed(effects);
        Ok(inverse)
    }

    fn step(&mut self, now: Moment, way: UndoDirection, effects: &mut Vec<Effect>) {
        if let Err(problem) = self.can_change() {
            effects.push(Effect::Problem(problem));
            return;
        }
        let Some(taken) = self.history.step(way) else {
            effects.push(Effect::Problem(match way {
                UndoDirection::Undo if self.history.is_forgotten() => ReplicaError::UndoForgotten,
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
        if let Err(protected) = protected_from(None, &taken.transaction, self.document.workbook()) {
            effects.push(Effect::Problem(ReplicaError::Protected(protected)));
            self.history.not_stepped(way, taken);
            return;
        }
        match self.submit(now, taken.transaction, effects) {
            Ok(inverse) => self.history.stepped(way, self.last_counter, inverse),
            Err(problem) => effects.push(Effect::Problem(problem)),
        }
    }
}
