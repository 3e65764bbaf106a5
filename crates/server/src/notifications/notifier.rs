//! [`Notifier`]: the task that finds out who is told of what, and sends it after a while.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quadrille_access::{Account, AccountId, Person, WorkbookAccess};
use quadrille_protocol::{Record, Revision, RoomName};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::comment_event::{CommentEvent, comment_events, comments_only};
use super::shown::shown;
use super::unsubscribe_link::unsubscribe_link;
use super::waiting::{Collected, Notification, Waiting};
use crate::access::{Access, Attempt, Attempts};
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::mail::{CommentLetter, Mailer};
use crate::room_name::percent_encoded;
use crate::rooms::{ChangedRooms, Rooms, WorkbookHandle};
use crate::workbook_files::title_or_name;

/// Time after which something that the server could not read is tried again.
const POSTPONED: Duration = Duration::from_secs(5);
/// People of a workbook who are looked up at once; other work of the store gets a turn in between.
const LOOKED_UP_AT_ONCE: usize = 50;

/// The handle by which the notifier is told of changes. Clones share them.
#[derive(Clone, Default)]
pub struct Notifications(Arc<Inner>);

#[derive(Default)]
struct Inner {
    changed: Mutex<ChangedRooms>,
    wake: Notify,
}

impl Notifications {
    /// Reports, on the thread of a room, that the revisions after `base` up to another are durable.
    pub fn durable(&self, room: &RoomName, base: Revision, up_to: Revision) {
        self.lock().note(room, base, up_to);
        self.0.wake.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, ChangedRooms> {
        // No code under this lock panics.
        self.0.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells people by mail of what concerns them in comments.
pub struct Notifier {
    pub rooms: Rooms,
    pub access: Access,
    pub mailer: Mailer,
    pub attempts: Arc<Attempts>,
    pub settings: Arc<Settings>,
    pub changes: Notifications,
}

/// A notifier that runs until it is finished.
pub struct RunningNotifier {
    finish: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl RunningNotifier {
    /// Hands what waits to the mailer and ends the task. Rooms must still run.
    pub async fn finish(self) {
        // Fails when the task has panicked, and then there is nothing to wait for.
        _ = self.finish.send(());
        _ = self.task.await;
    }
}

/// What the task keeps.
struct State {
    notifier: Notifier,
    waiting: Waiting,
    /// When changed rooms are looked at.
    look_at: Option<Instant>,
}

impl Notifier {
    /// Starts the task.
    pub fn start(self) -> RunningNotifier {
        let (finish, finished) = oneshot::channel();
        let state = State { notifier: self, waiting: Waiting::default(), look_at: None };
        RunningNotifier { finish, task: tokio::spawn(state.run(finished)) }
    }

    /// The time for which notifications are collected.
    fn delay(&self) -> Duration {
        Duration::from_secs(self.settings.mail_notification_seconds)
    }

    /// The workbook with its comments as they are now. Another server may run the room by now: then it is
    /// read from the journal.
    async fn workbook(&self, room: &RoomName) -> Result<WorkbookHandle, ApiError> {
        match self.rooms.read_inputs(room).await {
            Ok(reading) => Ok(reading.workbook),
            Err(error) if error.code == ErrorCode::RoomElsewhere => {
                let head = self.rooms.history_bounds(room).await?.head;
                Ok(self.rooms.workbook_handle(self.rooms.inputs_at(room, head).await?))
            }
            Err(error) => Err(error),
        }
    }

    /// Finds new comments and tasks in revisions of a room, and the accounts that they may concern.
    async fn found_in(
        &self,
        room: &RoomName,
        base: Revision,
        up_to: Revision,
    ) -> Result<(Vec<CommentEvent>, Vec<Account>), ApiError> {
        let nothing = || Ok((Vec::new(), Vec::new()));
        let document = self.access.document(room).await?;
        let Some(access) = document.as_ref().map(|document| &document.value) else { return nothing() };
        if people_of(access).next().is_none() || access.trashed_ms.is_some() {
            return nothing();
        }
        let base = base.max(self.rooms.history_base(room).await?);
        let mut records: Vec<Record> = Vec::new();
        let take = |record: &Record| {
            records.extend(comments_only(record));
            records.len() < limits::NOTIFIED_COMMENTS_MAX
        };
        self.rooms.each_record(room, base, up_to, usize::MAX, take).await?;
        if records.is_empty() {
            return nothing();
        }
        let now = self.workbook(room).await?;
        // Long threads with many new comments take a while.
        let finding = tokio::task::spawn_blocking(move || comment_events(&records, &now));
        let failed = |_| ApiError::new(ErrorCode::Internal, "internal error while looking at comments");
        let events = finding.await.map_err(failed)?;
        let accounts = self.candidates(access, &events).await?;
        Ok((events, accounts))
    }

    /// The accounts of a workbook that events may concern.
    async fn candidates(
        &self,
        access: &WorkbookAccess,
        events: &[CommentEvent],
    ) -> Result<Vec<Account>, ApiError> {
        let wanted: Vec<Person> = match events.iter().any(CommentEvent::names_people) {
            true => people_of(access).collect(),
            // Most comments mention nobody: then only those who take part in the thread are looked up.
            false => {
                let participants = events.iter().flat_map(|event| event.participants.iter().copied());
                let participants: BTreeSet<AccountId> = participants.collect();
                participants.into_iter().map(Person::Account).collect()
            }
        };
        // An account can be named twice, by its identifier and by its address.
        let mut accounts = BTreeMap::new();
        for some in wanted.chunks(LOOKED_UP_AT_ONCE).map(<[Person]>::to_vec) {
            let read = self.access.run(move |store| {
                let mut read = Vec::new();
                for person in some {
                    read.extend(match person {
                        Person::Account(id) => store.account(id)?,
                        Person::Email(email) => store.account_by_email(&email)?,
                    });
                }
                Ok(read)
            });
            accounts.extend(read.await?.into_iter().map(|account| (account.value.id, account.value)));
        }
        Ok(accounts.into_values().filter(|account| is_named(access, account) && gets_mail(account)).collect())
    }

    /// Sends what people of a workbook are to be told. Returns those for whom it could not be read.
    async fn send(
        &self,
        room: &RoomName,
        people: Vec<(AccountId, Collected)>,
    ) -> Result<(), (ApiError, Vec<(AccountId, Collected)>)> {
        let read = async {
            let document = self.access.latest_document(room).await?;
            let Some(document) = document.filter(|document| document.value.trashed_ms.is_none()) else {
                return Ok(None);
            };
            Ok(Some((document, self.workbook(room).await?)))
        };
        let (document, workbook) = match read.await {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(()),
            Err(error) => return Err((error, people)),
        };
        let access = &document.value;
        let base = self.settings.public_base(access.tenant.as_deref());
        let url = format!("{base}/{}", percent_encoded(room.as_str()));
        let present = self.rooms.accounts_in(room).await;
        let mut people = people.into_iter();
        while let Some((id, collected)) = people.next() {
            let account = match self.access.account(id).await {
                Ok(account) => account,
                Err(error) => {
                    return Err((error, std::iter::once((id, collected)).chain(people).collect()));
                }
            };
            // Looked up again: access, address or the setting may have changed meanwhile.
            let account = account.filter(|account| is_named(access, account) && gets_mail(account));
            let Some(account) = account.filter(|account| !present.contains(&account.id)) else { continue };
            let shown = |notification| shown(notification, &workbook, &url);
            let lines: Vec<_> = collected.notifications.iter().filter_map(shown).collect();
            let Some(to) = account.verified_email().filter(|_| !lines.is_empty()) else { continue };
            let letter = CommentLetter {
                to,
                title: title_or_name(workbook.title(), room).to_owned(),
                lines,
                further: collected.further,
                url: url.clone(),
                unsubscribe_url: format!("{base}/_unsubscribe/{}", unsubscribe_link(self.access.key(), id)),
            };
            self.post(room, id, &letter);
        }
        Ok(())
    }

    /// Hands a message to the mailer, unless there were too many.
    fn post(&self, room: &RoomName, id: AccountId, letter: &CommentLetter) {
        let metrics = self.rooms.metrics();
        let now = std::time::Instant::now();
        let is_allowed = self.attempts.take(Attempt::NotificationTo(id), now).is_ok()
            && self.attempts.take(Attempt::NotificationOf(room.clone()), now).is_ok();
        match is_allowed && self.mailer.send_about_comments(letter) {
            true => _ = metrics.notification_mails.inc(),
            false => {
                tracing::warn!(%room, account = %id, "a message about comments was not sent");
                metrics.notifications_dropped.inc_by((letter.lines.len() + letter.further) as u64);
            }
        }
    }
}

impl State {
    async fn run(mut self, mut finished: oneshot::Receiver<()>) {
        let changes = self.notifier.changes.clone();
        loop {
            let wake = [self.look_at, self.waiting.next_due()].into_iter().flatten().min();
            tokio::select! {
                () = changes.0.wake.notified(), if self.look_at.is_none() => {
                    // A moment for more: a busy server has changes all the time.
                    self.look_at = Some(Instant::now() + Duration::from_millis(limits::NOTIFICATIONS_EVERY_MS));
                    continue;
                }
                () = sleep_until(wake) => {}
                // Also when the server ends without an orderly stop.
                _ = &mut finished => break,
            }
            let now = Instant::now();
            if self.look_at.is_some_and(|look_at| look_at <= now) {
                self.look_at = None;
                self.look().await;
            }
            self.send_due(Some(now)).await;
        }
        self.look().await;
        self.send_due(None).await;
    }

    /// Looks at the rooms that have changed.
    async fn look(&mut self) {
        let changed = std::mem::take(&mut *self.notifier.changes.lock());
        for (room, (base, up_to)) in changed {
            match self.notifier.found_in(&room, base, up_to).await {
                Ok((events, accounts)) => self.collect(&room, &events, &accounts),
                Err(error) if error.code == ErrorCode::NoSuchRoom => {}
                Err(error) => {
                    tracing::warn!(%room, reason = error.message, "comments are looked at later");
                    self.notifier.changes.lock().note(&room, base, up_to);
                    self.look_at = Some(Instant::now() + POSTPONED);
                }
            }
        }
    }

    /// Adds what concerns each account to what it will be told.
    fn collect(&mut self, room: &RoomName, events: &[CommentEvent], accounts: &[Account]) {
        let due = Instant::now() + self.notifier.delay();
        let mut dropped = 0;
        for account in accounts {
            let name: Arc<str> = account.name.as_str().into();
            for event in events {
                let Some(reason) = event.concerns(account.id, &name) else { continue };
                let notification = Notification {
                    reason,
                    by: Arc::clone(&event.author.name),
                    sheet: event.sheet,
                    thread: event.thread,
                    comment: event.comment,
                    name: Arc::clone(&name),
                };
                if !self.waiting.add(room, account.id, notification, due) {
                    dropped += 1;
                }
            }
        }
        self.count_dropped(room, dropped);
    }

    /// Sends what is due at a moment; with `None` everything.
    async fn send_due(&mut self, now: Option<Instant>) {
        for (room, people) in self.waiting.take_due(now) {
            let Err((error, unsent)) = self.notifier.send(&room, people).await else { continue };
            if error.code == ErrorCode::NoSuchRoom {
                continue;
            }
            tracing::warn!(%room, reason = error.message, "messages about comments wait");
            let due = Instant::now() + POSTPONED;
            let mut dropped = 0;
            for (person, collected) in unsent {
                let count = collected.count();
                if !self.waiting.put_back(&room, person, collected, due) {
                    dropped += count;
                }
            }
            self.count_dropped(&room, dropped);
        }
    }

    fn count_dropped(&self, room: &RoomName, count: usize) {
        if count > 0 {
            tracing::warn!(%room, count, "notifications were dropped: too many people wait for mail");
            self.notifier.rooms.metrics().notifications_dropped.inc_by(count as u64);
        }
    }
}

/// Whom an access document names.
fn people_of(access: &WorkbookAccess) -> impl Iterator<Item = Person> {
    let owner = access.owner.map(Person::Account);
    owner.into_iter().chain(access.grants.iter().map(|grant| grant.person.clone()))
}

/// Whether an access document names an account, as its owner or with a role (N1): each role may read.
fn is_named(access: &WorkbookAccess, account: &Account) -> bool {
    let email = account.verified_email();
    people_of(access).any(|person| person.is(account.id, email.as_ref()))
}

/// Whether mail about comments may be sent to an account.
fn gets_mail(account: &Account) -> bool {
    !account.is_disabled && !account.refuses_notification_mail && account.verified_email().is_some()
}

/// Waits until a moment; without one for ever.
async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
