//! The task that decides when which webhook is sent.
//!
//! It has one follower for each position of each webhook. A follower is due a moment after its room has
//! changed, so that changes at the same time are sent together, and later after each failed attempt.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use quadrille_access::{Actor, AuditEntry, AuditEvent, AuditNumber, SecretId, Webhook, WebhookPosition};
use quadrille_protocol::{Revision, RoomName};
use quadrille_workbook::Workbook;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::delivery_worker::{Delivered, Delivery, DeliveryWorker, Outcome};
use super::pending_changes::{PendingChanges, Webhooks};
use crate::access::now_ms;
use crate::error::ApiError;
use crate::limits;
use crate::stopped::stopped;

/// Time after which a delivery that the server itself could not make is tried again.
const POSTPONED: Duration = Duration::from_secs(5);
/// Time for which changes are collected.
const CHANGES_PAUSE: Duration = Duration::from_millis(50);

/// Decides about deliveries until the server stops.
pub struct Dispatcher {
    worker: DeliveryWorker,
    webhooks: Webhooks,
    /// Times between attempts.
    retries: Vec<Duration>,
    known: BTreeMap<SecretId, Webhook>,
    followers: HashMap<Key, Follower>,
    running: usize,
    sender: mpsc::UnboundedSender<(Key, Delivered)>,
    /// At most [`WEBHOOK_DELIVERIES_MAX`](limits::WEBHOOK_DELIVERIES_MAX) wait here.
    receiver: mpsc::UnboundedReceiver<(Key, Delivered)>,
    stop: watch::Receiver<bool>,
}

/// A position of a webhook: the room and the end.
type Key = (SecretId, RoomName, Option<u64>);

/// How far a position has come.
struct Follower {
    after: u64,
    /// The position that the store has; `None` when it has none.
    stored_after: Option<u64>,
    /// The newest durable revision that is known.
    head: u64,
    /// Attempts that have failed.
    attempts: u32,
    /// The end of the batch whose attempts have failed.
    last: Option<u64>,
    due: Option<Instant>,
    is_running: bool,
    /// The position was changed while a delivery was running: its result does not count.
    is_replaced: bool,
    rows: Option<(u64, Workbook)>,
}

impl Follower {
    fn new(after: u64, stored_after: Option<u64>) -> Follower {
        Follower {
            after,
            stored_after,
            head: after,
            attempts: 0,
            last: None,
            due: None,
            is_running: false,
            is_replaced: false,
            rows: None,
        }
    }
}

impl Dispatcher {
    pub fn new(
        worker: DeliveryWorker,
        webhooks: Webhooks,
        retry_seconds: &[u64],
        stop: watch::Receiver<bool>,
    ) -> Dispatcher {
        let (sender, receiver) = mpsc::unbounded_channel();
        let retries = retry_seconds.iter().map(|seconds| Duration::from_secs(*seconds)).collect();
        let (known, followers) = (BTreeMap::new(), HashMap::new());
        Dispatcher { worker, webhooks, retries, known, followers, running: 0, sender, receiver, stop }
    }

    /// Runs until the server stops. A delivery that is on its way then is sent again later.
    pub async fn run(mut self) {
        if let Err(error) = self.load().await {
            tracing::error!(reason = error.message, "webhooks cannot be read: none is sent");
            return;
        }
        loop {
            if let Err(error) = self.take_changes().await {
                tracing::warn!(reason = error.message, "changed webhooks cannot be read");
            }
            self.start_due();
            let wake = self.next_due();
            let finished = tokio::select! {
                () = changed(&self.webhooks) => None,
                finished = self.receiver.recv() => finished,
                () = sleep_until(wake) => None,
                () = stopped(&mut self.stop) => return,
            };
            if let Some((key, delivered)) = finished {
                self.finish(key, delivered).await;
            }
        }
    }

    /// Reads all webhooks, and looks for changes that were not delivered before the server stopped.
    async fn load(&mut self) -> Result<(), ApiError> {
        let webhooks = self.worker.access().run(|store| store.all_webhooks()).await?;
        for webhook in webhooks {
            self.webhooks.begin_to_note();
            self.read(webhook.id, Some(webhook)).await?;
        }
        Ok(())
    }

    async fn take_changes(&mut self) -> Result<(), ApiError> {
        let PendingChanges { changed, mut edited, is_edited_elsewhere, deleted } = self.webhooks.take();
        for room in deleted {
            self.known.retain(|_, webhook| webhook.room.as_deref() != Some(room.as_str()));
            self.followers.retain(|(_, name, _), _| *name != room);
        }
        if is_edited_elsewhere {
            let stored = self.worker.access().run(|store| store.all_webhooks()).await;
            let stored = stored.inspect_err(|_| self.webhooks.edited_elsewhere())?;
            let changed = stored.iter().filter(|stored| self.known.get(&stored.id) != Some(*stored));
            edited.extend(changed.map(|stored| stored.id));
            let is_gone = |id: &&SecretId| stored.iter().all(|stored| stored.id != **id);
            edited.extend(self.known.keys().filter(is_gone));
        }
        // A webhook hears of what has changed since it was created.
        for id in edited {
            if let Err(error) = self.read_stored(id).await {
                self.webhooks.edited(id);
                for (room, (base, up_to)) in changed {
                    self.webhooks.durable(&room, base, up_to);
                }
                return Err(error);
            }
        }
        for (room, (base, up_to)) in changed {
            self.room_changed(&room, base, up_to);
        }
        Ok(())
    }

    async fn read_stored(&mut self, id: SecretId) -> Result<(), ApiError> {
        let webhook = self
            .worker
            .access()
            .run(move |store| Ok(store.all_webhooks()?.into_iter().find(|webhook| webhook.id == id)));
        let webhook = webhook.await?;
        self.read(id, webhook).await
    }

    /// Takes over what the store has of a webhook.
    async fn read(&mut self, id: SecretId, webhook: Option<Webhook>) -> Result<(), ApiError> {
        let Some(webhook) = webhook else {
            self.known.remove(&id);
            self.followers.retain(|(known, ..), _| *known != id);
            return Ok(());
        };
        let positions = self.worker.access().run(move |store| store.webhook_positions(id)).await?;
        self.known.insert(id, webhook);
        for WebhookPosition { room, up_to, after } in positions {
            let head = self.worker.rooms().history_bounds(&room).await.map_or(after, |bounds| bounds.head.0);
            let key = (id, room, up_to);
            // A position that is followed is as far as the store or further, unless it is a replay.
            let follower = self.followers.entry(key).or_insert_with(|| Follower::new(after, Some(after)));
            if up_to.is_some() {
                (follower.after, follower.is_replaced) = (after, follower.is_running);
            }
            follower.head = follower.head.max(head);
            follower.due = Some(Instant::now());
        }
        Ok(())
    }

    fn room_changed(&mut self, room: &RoomName, base: Revision, up_to: Revision) {
        let due = Instant::now() + Duration::from_millis(limits::WEBHOOK_BATCH_MS);
        let its = |webhook: &&Webhook| webhook.room.as_deref().is_none_or(|name| name == room.as_str());
        for webhook in self.known.values().filter(its) {
            let key = (webhook.id, room.clone(), None);
            let follower = self.followers.entry(key).or_insert_with(|| Follower::new(base.0, None));
            follower.head = follower.head.max(up_to.0);
            if follower.attempts == 0 {
                follower.due.get_or_insert(due);
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        if self.running >= limits::WEBHOOK_DELIVERIES_MAX {
            return None;
        }
        let waiting = self.followers.iter().filter(|(key, follower)| self.can_run(key, follower));
        waiting.filter_map(|(_, follower)| follower.due).min()
    }

    fn can_run(&self, key: &Key, follower: &Follower) -> bool {
        let is_on = self.known.get(&key.0).is_some_and(|webhook| !webhook.is_paused);
        is_on && !follower.is_running
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        while self.running < limits::WEBHOOK_DELIVERIES_MAX {
            let waiting = self.followers.iter().filter(|(key, follower)| self.can_run(key, follower));
            let due = waiting.filter_map(|(key, follower)| Some((follower.due?, key)));
            let Some((_, key)) = due.filter(|(due, _)| *due <= now).min() else { return };
            let key = key.clone();
            let (Some(webhook), Some(follower)) =
                (self.known.get(&key.0).cloned(), self.followers.get_mut(&key))
            else {
                return;
            };
            (follower.due, follower.is_running) = (None, true);
            let delivery = Delivery {
                webhook,
                position: WebhookPosition { room: key.1.clone(), up_to: key.2, after: follower.after },
                stored_after: follower.stored_after,
                last: follower.last,
                attempts: follower.attempts,
                is_last_attempt: follower.attempts as usize >= self.retries.len(),
                rows: follower.rows.take(),
            };
            self.running += 1;
            let (worker, sender) = (self.worker.clone(), self.sender.clone());
            tokio::spawn(async move {
                let delivered = worker.deliver(delivery).await;
                // Fails when the dispatcher has ended with the server.
                _ = sender.send((key, delivered));
            });
        }
    }

    async fn finish(&mut self, key: Key, delivered: Delivered) {
        self.running -= 1;
        let Delivered { after, stored_after, head, rows, outcome } = delivered;
        let rows_count = self.followers.values().filter(|follower| follower.rows.is_some()).count();
        let Some(follower) = self.followers.get_mut(&key) else { return };
        follower.is_running = false;
        let now = Instant::now();
        if std::mem::take(&mut follower.is_replaced) {
            follower.due = Some(now);
            return;
        }
        let is_new_room = after < follower.after;
        (follower.after, follower.stored_after) = (after, stored_after);
        follower.head = if is_new_room { head } else { follower.head.max(head) };
        match outcome {
            Outcome::Done => {
                (follower.attempts, follower.last) = (0, None);
                follower.rows = rows.filter(|_| rows_count < limits::WEBHOOK_WORKBOOKS_CACHED);
                if key.2.is_some_and(|up_to| after >= up_to) {
                    self.followers.remove(&key);
                } else if after < follower.head {
                    follower.due.get_or_insert(now);
                }
            }
            Outcome::Failed { last, retry_after_s } => {
                let wait = self.retries.get(follower.attempts as usize).copied().unwrap_or(POSTPONED);
                let asked = Duration::from_secs(retry_after_s.min(limits::WEBHOOK_RETRY_AFTER_SECONDS_MAX));
                follower.attempts += 1;
                follower.last = Some(last);
                follower.due = Some(now + wait.max(asked));
            }
            Outcome::Refused => self.pause(key.0).await,
            Outcome::NoRoom => _ = self.followers.remove(&key),
            Outcome::Postponed => follower.due = Some(now + POSTPONED),
        }
    }

    /// Pauses a webhook whose receiver wants no more requests.
    async fn pause(&mut self, id: SecretId) {
        let Some(webhook) = self.known.get_mut(&id) else { return };
        webhook.is_paused = true;
        let entry = AuditEntry {
            number: AuditNumber(0),
            time_ms: now_ms(),
            actor: Actor::Server,
            event: AuditEvent::WebhookChanged,
            room: webhook.room.clone(),
            target: id.to_string(),
            address: String::new(),
        };
        // It is one of those that there are.
        let count_max = limits::WEBHOOKS_PER_ROOM_MAX.max(limits::SERVER_WEBHOOKS_MAX);
        let pause = self.worker.access().run(move |store| {
            // As it is stored: it may have been changed or deleted since.
            let stored = store.all_webhooks()?.into_iter().find(|webhook| webhook.id == id);
            let Some(stored) = stored else { return Ok(()) };
            store.put_webhook(&Webhook { is_paused: true, ..stored }, None, count_max, &[entry])
        });
        if let Err(error) = pause.await {
            tracing::warn!(reason = error.message, "a webhook that is gone was not paused in the store");
        }
    }
}

/// Waits for changes, and a moment for more: a busy server has some all the time.
async fn changed(webhooks: &Webhooks) {
    webhooks.wait().await;
    tokio::time::sleep(CHANGES_PAUSE).await;
}

/// Waits until a moment; without one for ever.
async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
