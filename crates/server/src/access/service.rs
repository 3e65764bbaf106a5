//! The access store on a thread of its own, with the documents in memory.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quadrille_access::{
    AccessError, AccessStore, Actor, AuditEntry, AuditEvent, AuditNumber, Credentials, Decision, Notice,
    SessionTimes, Use, Version, Versioned, WorkbookAccess, decide,
};
use quadrille_protocol::{Role, RoomName};
use tokio::sync::oneshot;

use super::account_proof::Revoked;
use super::attempts::Attempts;
use super::document_cache::{Document, DocumentCache};
use super::ethercalc_key::EtherCalcKey;
use super::visitor::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::host_tokens::HostTokens;
use crate::rooms::{storage_unanswered, unless_away};

/// Requests that may wait for the store's thread. More are answered with 503.
const WAITING_MAX: usize = 4_096;
/// How long counters of use may wait to be stored. A crash loses at most this much of them.
const USES_FLUSHED_AFTER: Duration = Duration::from_secs(5);
/// Counters of use that are stored at once.
const USES_MAX: usize = 1_000;
/// How often the notices of other servers with the same store are read. Open sessions get their new role
/// within a second.
const NOTICES_EVERY: Duration = Duration::from_millis(400);
/// Times that a change is planned again when somebody else has changed the document meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// The role of those who know the address of a workbook that its owner has not restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DefaultAccess {
    pub role: Role,
    /// It counts only for whoever is signed in.
    pub needs_account: bool,
    /// For more than viewing it needs the code of EtherCalc's link.
    pub needs_ethercalc_code: bool,
}

/// What the server needs to verify roles that somebody else vouches for.
#[derive(Clone, Default, Debug)]
pub struct Assertions {
    pub host_tokens: HostTokens,
    pub ethercalc_key: Option<EtherCalcKey>,
}

impl DefaultAccess {
    /// The role for whoever presents these credentials.
    pub fn role_of(&self, credentials: &Credentials) -> Option<Role> {
        // `Role` is ordered from the most rights to the fewest.
        let role = match credentials.has_ethercalc_code {
            true => self.role.min(Role::Edit),
            false if self.needs_ethercalc_code => self.role.max(Role::View),
            false => self.role,
        };
        (!self.needs_account || credentials.account.is_some()).then_some(role)
    }
}

/// Told of an access document that was changed.
pub type ChangeListener = Box<dyn Fn(&RoomName, &Document) + Send + Sync>;

/// Told on the store's thread, in order, of changes that concern open sessions.
pub struct Listeners {
    /// An access document was changed.
    pub changed: ChangeListener,
    /// Credentials of an account have ended.
    pub revoked: Box<dyn Fn(&Revoked) + Send + Sync>,
    /// Another server has changed webhooks.
    pub webhooks: Box<dyn Fn() + Send + Sync>,
    /// Whether the database of the store is known to be away.
    pub is_away: Box<dyn Fn() -> bool + Send + Sync>,
}

type Job = Box<dyn FnOnce(&mut dyn AccessStore) + Send>;

enum Message {
    Run(Job),
    /// As `Run`, after what waits to be counted is stored.
    RunWithUses(Job),
    Use(Use),
    Stop,
}

/// Decides roles, and changes who has them. Cheap to clone.
#[derive(Clone)]
pub struct Access {
    inner: Arc<Inner>,
}

struct Inner {
    sender: SyncSender<Message>,
    cache: Mutex<DocumentCache>,
    listeners: Listeners,
    default_access: DefaultAccess,
    assertions: Assertions,
    /// Signs the server's own tokens.
    key: [u8; 32],
    session_times: SessionTimes,
    /// How often refusals are written to the audit log.
    refusals: Attempts,
    handle: Mutex<Option<std::thread::JoinHandle<()>>>,
    /// What the other servers with the same store have to be told after the present job. `None`: there are
    /// no others.
    to_tell: Option<Mutex<Vec<Notice>>>,
}

impl Access {
    /// Starts the thread of a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn start(
        mut store: Box<dyn AccessStore>,
        default_access: DefaultAccess,
        assertions: Assertions,
        session_times: SessionTimes,
        listeners: Listeners,
    ) -> Result<Access, AccessError> {
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).expect("the system gives random bytes");
        let key = store.server_secret("access", &fresh)?;
        let (sender, receiver) = mpsc::sync_channel(WAITING_MAX);
        let inner = Arc::new(Inner {
            sender,
            cache: Mutex::default(),
            listeners,
            default_access,
            assertions,
            key,
            session_times,
            refusals: Attempts::default(),
            handle: Mutex::default(),
            to_tell: store.is_shared().then(Mutex::default),
        });
        let others = store.is_shared().then(|| Others::new(&inner));
        let run = move || run(store, &receiver, others);
        let handle = std::thread::Builder::new().name("access".into()).spawn(run);
        *lock(&inner.handle) = Some(handle.expect("the system gives a thread"));
        Ok(Access { inner })
    }

    /// Stores what still waits and ends the thread.
    pub fn stop(&self) {
        // A full queue is drained by the thread, so that this waits and does not fail.
        _ = self.inner.sender.send(Message::Stop);
        let handle = lock(&self.inner.handle).take();
        if let Some(handle) = handle {
            handle.join().expect("the store's thread does not panic");
        }
    }

    /// What verifies roles that somebody else vouches for.
    pub fn assertions(&self) -> &Assertions {
        &self.inner.assertions
    }

    pub(super) fn refusals(&self) -> &Attempts {
        &self.inner.refusals
    }

    /// How long sessions of accounts last.
    pub fn session_times(&self) -> &SessionTimes {
        &self.inner.session_times
    }

    /// Tells the other servers with the same store that webhooks were changed.
    pub fn tell_webhooks_changed(&self) {
        if let Some(to_tell) = &self.inner.to_tell {
            lock(to_tell).push(Notice::Webhooks);
        }
    }

    /// Tells open sessions that credentials have ended, also those of other servers. To be called on the
    /// store's thread, after the change.
    pub(super) fn revoke(&self, revoked: &Revoked) {
        (self.inner.listeners.revoked)(revoked);
        if let Some(to_tell) = &self.inner.to_tell {
            let text = serde_json::to_string(revoked).expect("it has names and numbers only");
            lock(to_tell).push(Notice::Revoked(text));
        }
    }

    /// Forgets a cached access document and tells open sessions of the stored one, also those of other
    /// servers. To be called on the store's thread, after a change of several documents at once.
    pub(super) fn reread(&self, store: &mut dyn AccessStore, room: &RoomName) -> Result<(), AccessError> {
        self.refresh(store, room)?;
        if let Some(to_tell) = &self.inner.to_tell {
            lock(to_tell).push(Notice::Workbook(room.clone()));
        }
        Ok(())
    }

    /// As [`reread`](Access::reread), on this server.
    pub(super) fn refresh(&self, store: &mut dyn AccessStore, room: &RoomName) -> Result<(), AccessError> {
        let mut cache = lock(&self.inner.cache);
        cache.remove(room);
        let document = store.workbook(room)?.map(Arc::new);
        cache.put(room.clone(), document.clone());
        drop(cache);
        (self.inner.listeners.changed)(room, &document);
        Ok(())
    }

    /// The role of everybody in an unclaimed workbook.
    pub fn default_role(&self) -> Role {
        self.inner.default_access.role
    }

    /// The server's own secret.
    pub fn key(&self) -> &[u8; 32] {
        &self.inner.key
    }

    /// Runs `work` on the store's thread.
    ///
    /// # Errors
    /// 503 when too much waits; otherwise the error of `work` as an answer to the client.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn AccessStore) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.send(Message::Run, work).await
    }

    /// As [`run`](Access::run), for work that reads counters of use or the facts of workbooks.
    ///
    /// # Errors
    /// Those of [`run`](Access::run).
    pub async fn run_with_uses<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn AccessStore) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.send(Message::RunWithUses, work).await
    }

    async fn send<T: Send + 'static>(
        &self,
        message: impl FnOnce(Job) -> Message,
        work: impl FnOnce(&mut dyn AccessStore) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |store| _ = reply.send(work(store)));
        self.inner.sender.try_send(message(job)).map_err(|error| match error {
            TrySendError::Full(_) => {
                ApiError::new(ErrorCode::Overloaded, "too many requests wait for the access store")
            }
            TrySendError::Disconnected(_) => stopped(),
        })?;
        let answered = unless_away(&self.inner.listeners.is_away, answer).await;
        answered.ok_or_else(storage_unanswered)?.map_err(|_| stopped())?.map_err(api_error)
    }

    /// Counts a use. Dropped when too much waits: counters are no reason to slow anybody down.
    pub fn record_use(&self, used: Use) {
        _ = self.inner.sender.try_send(Message::Use(used));
    }

    /// The access document of a workbook, from memory if it is there.
    pub async fn document(&self, room: &RoomName) -> Result<Document, ApiError> {
        if let Some(document) = lock(&self.inner.cache).get(room) {
            return Ok(document);
        }
        self.stored_document(room).await
    }

    /// The access document from the store if another server may have changed it a moment ago, which this
    /// one has not heard of yet.
    pub async fn latest_document(&self, room: &RoomName) -> Result<Document, ApiError> {
        match self.inner.to_tell {
            Some(_) => self.stored_document(room).await,
            None => self.document(room).await,
        }
    }

    /// The access document as it is stored, with the latest counters of use.
    pub async fn stored_document(&self, room: &RoomName) -> Result<Document, ApiError> {
        // Put into the cache on the store's thread: a change of the same document cannot come
        // between.
        let (access, name) = (self.clone(), room.clone());
        self.run_with_uses(move |store| {
            let document = store.workbook(&name)?.map(Arc::new);
            lock(&access.inner.cache).put(name, document.clone());
            Ok(document)
        })
        .await
    }

    /// Changes the access document of a workbook. `edit` gets the stored document, `None` for an
    /// unclaimed workbook, and returns the new one with what the audit log shall say; it may run
    /// several times. Returns the new document.
    ///
    /// # Errors
    /// Those of `edit` and of the store; 409 when others keep changing the document.
    pub async fn change(
        &self,
        room: &RoomName,
        mut edit: impl FnMut(
            Option<WorkbookAccess>,
        ) -> Result<(Option<WorkbookAccess>, Vec<AuditEntry>), ApiError>
        + Send
        + 'static,
    ) -> Result<Document, ApiError> {
        for _ in 0..ATTEMPTS_MAX {
            // Not the cached document: writing it would reset the counters of use.
            let stored = self.stored_document(room).await?;
            let version = stored.as_ref().map_or(Version(0), |stored| stored.version);
            let (access, audit) = edit(stored.map(|stored| stored.value.clone()))?;
            let (this, name) = (self.clone(), room.clone());
            let written = self.run(move |store| {
                let written = store.put_workbook(&name, version, access.as_ref(), &audit);
                let mut cache = lock(&this.inner.cache);
                match &written {
                    Ok(version) => {
                        let document = access.map(|value| Arc::new(Versioned { version: *version, value }));
                        cache.put(name.clone(), document.clone());
                        drop(cache);
                        if document.is_none() {
                            // Facts that still wait to be stored are those of the deleted workbook.
                            this.record_use(Use::Workbook { room: name.clone(), facts: None });
                        }
                        // Here and not by the caller, whose request may have been cancelled.
                        (this.inner.listeners.changed)(&name, &document);
                        Ok(Some(document))
                    }
                    Err(AccessError::Conflict) => {
                        cache.remove(&name);
                        Ok(None)
                    }
                    Err(error) => Err(error.clone()),
                }
            });
            if let Some(document) = written.await? {
                return Ok(document);
            }
        }
        Err(ApiError::new(ErrorCode::Conflict, "the access of this workbook is being changed; try again"))
    }

    /// The role of verified credentials by an access document. For a workbook that may not exist
    /// yet, see `http::creation`.
    pub fn decide_by(&self, document: &Document, credentials: &Credentials) -> Decision {
        let access = document.as_ref().map(|document| &document.value);
        decide(access, self.inner.default_access.role_of(credentials), credentials, now_ms())
    }
}

/// An entry of the audit log, for now.
pub fn audit_entry(
    actor: &Actor,
    event: AuditEvent,
    room: Option<&RoomName>,
    target: impl Into<String>,
    visitor: &Visitor,
) -> AuditEntry {
    AuditEntry {
        number: AuditNumber(0),
        time_ms: now_ms(),
        actor: actor.clone(),
        event,
        room: room.map(|room| room.as_str().to_owned()),
        target: target.into(),
        address: visitor.address.map_or(String::new(), |address| address.to_string()),
    }
}

/// Milliseconds since 1970-01-01 UTC.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// The other servers with the same store.
struct Others {
    /// Weak: the thread ends when nobody can send it anything.
    access: Weak<Inner>,
    /// When their notices are read next.
    next: Instant,
}

impl Others {
    fn new(inner: &Arc<Inner>) -> Others {
        Others { access: Arc::downgrade(inner), next: Instant::now() }
    }

    /// Tells them what the last job has changed.
    fn tell(&self, store: &mut dyn AccessStore) {
        let Some(inner) = self.access.upgrade() else { return };
        let told = inner.to_tell.as_ref().map(|to_tell| std::mem::take(&mut *lock(to_tell)));
        let Some(told) = told.filter(|told| !told.is_empty()) else { return };
        if let Err(error) = store.tell_others(&told) {
            tracing::error!(%error, "other servers were not told of ended access or changed webhooks");
        }
    }

    /// Does what they have told.
    fn listen(&mut self, store: &mut dyn AccessStore) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + NOTICES_EVERY;
        let Some(inner) = self.access.upgrade() else { return };
        let access = Access { inner };
        let told = match store.notices() {
            Ok(told) => told,
            // Nobody changes anything while the database is away.
            Err(error) => return tracing::debug!(%error, "the notices of other servers were not read"),
        };
        for notice in told {
            match notice {
                Notice::Workbook(room) => {
                    if let Err(error) = access.refresh(store, &room) {
                        tracing::error!(%room, %error, "a changed access document was not read");
                    }
                }
                Notice::Webhooks => (access.inner.listeners.webhooks)(),
                Notice::Revoked(text) => match serde_json::from_str(&text) {
                    Ok(revoked) => (access.inner.listeners.revoked)(&revoked),
                    Err(error) => tracing::error!(%error, "a notice of another server is not understood"),
                },
            }
        }
    }
}

fn run(mut store: Box<dyn AccessStore>, receiver: &Receiver<Message>, mut others: Option<Others>) {
    let mut uses = Vec::new();
    let mut flush_at: Option<Instant> = None;
    loop {
        if let Some(others) = &mut others {
            others.tell(&mut *store);
            others.listen(&mut *store);
        }
        let listen_at = others.as_ref().map(|others| others.next);
        let message = match flush_at.into_iter().chain(listen_at).min() {
            Some(at) => receiver.recv_timeout(at.saturating_duration_since(Instant::now())),
            None => receiver.recv().map_err(RecvTimeoutError::from),
        };
        match message {
            Ok(Message::Run(job)) => job(&mut *store),
            Ok(Message::RunWithUses(job)) => {
                flush(&mut *store, &mut uses);
                flush_at = None;
                job(&mut *store);
            }
            Ok(Message::Use(used)) => {
                uses.push(used);
                flush_at.get_or_insert_with(|| Instant::now() + USES_FLUSHED_AFTER);
            }
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                return flush(&mut *store, &mut uses);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let is_due = flush_at.is_some_and(|at| at <= Instant::now());
        if is_due || uses.len() >= USES_MAX {
            flush(&mut *store, &mut uses);
            flush_at = None;
        }
    }
}

fn flush(store: &mut dyn AccessStore, uses: &mut Vec<Use>) {
    if uses.is_empty() {
        return;
    }
    if let Err(error) = store.record_uses(&latest(std::mem::take(uses))) {
        tracing::warn!("counters of use were not stored: {error}");
    }
}

/// One entry for each thing that was used: the counts of links are added, of times the latest
/// counts.
fn latest(uses: Vec<Use>) -> Vec<Use> {
    let mut merged: Vec<Use> = Vec::new();
    for used in uses {
        let known = merged.iter_mut().find(|known| is_same_thing(known, &used));
        match (known, used) {
            (Some(Use::Link { count, time_ms, .. }), Use::Link { count: more, time_ms: later, .. }) => {
                *count += more;
                *time_ms = later.max(*time_ms);
            }
            (Some(known), used) => *known = used,
            (None, used) => merged.push(used),
        }
    }
    merged
}

fn is_same_thing(a: &Use, b: &Use) -> bool {
    match (a, b) {
        (Use::Link { room: a, id: x, .. }, Use::Link { room: b, id: y, .. }) => a == b && x == y,
        (Use::Grant { room: a, account: x, .. }, Use::Grant { room: b, account: y, .. }) => a == b && x == y,
        (Use::Account { id: a, .. }, Use::Account { id: b, .. }) => a == b,
        (Use::Workbook { room: a, .. }, Use::Workbook { room: b, .. }) => a == b,
        (Use::Session { id: a, .. }, Use::Session { id: b, .. })
        | (Use::Token { id: a, .. }, Use::Token { id: b, .. }) => a == b,
        _ => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // No code panics while it holds the lock, so a poisoned value is still valid.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stopped() -> ApiError {
    ApiError::new(ErrorCode::Draining, "the server is stopping")
}

fn api_error(error: AccessError) -> ApiError {
    let code = match error {
        AccessError::Conflict | AccessError::Taken { .. } | AccessError::TooMany { .. } => {
            ErrorCode::Conflict
        }
        AccessError::Full | AccessError::Damaged { .. } | AccessError::Engine { .. } => {
            ErrorCode::StorageFailed
        }
        AccessError::NewerFormat { .. } => ErrorCode::StorageFailed,
    };
    ApiError::new(code, error.to_string())
}
