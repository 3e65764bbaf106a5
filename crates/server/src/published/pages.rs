//! The published sheets that are read now. Each is drawn once for all its readers, at the first request
//! and whenever its workbook has changed while somebody reads it.
//!
//! A reader has no queue. It knows the version that it shows, and takes what came after it from the
//! updates of its sheet, which have the same bytes for everybody; a reader that is further behind is told
//! to load the page again. So readers cost memory for their connections only, and a slow one delays
//! nobody. `relayed.rs` follows sheets whose workbook another server runs.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quadrille_access::{PublishedPart, SecretId};
use quadrille_cell::SheetId;
use quadrille_document::EvaluationContext;
use quadrille_protocol::{Role, RoomName};
use tokio::sync::{Notify, watch};

use super::drawing::{Drawing, Scene};
use crate::access::{Access, Identity, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::http::OwnerRelay;
use crate::limits;
use crate::rooms::{Client, Expiry, FeedEnd, Rooms};
use crate::thread_priority::in_background;

/// Time between two drawings of a sheet, at least.
const INTERVAL: Duration = Duration::from_millis(limits::PUBLISHED_INTERVAL_MS);

/// The published sheets of the process. Clones share them.
#[derive(Clone)]
pub struct PublishedPages(Arc<Inner>);

struct Inner {
    rooms: Rooms,
    access: Access,
    relay: OwnerRelay,
    stop: watch::Receiver<bool>,
    sheets: Mutex<HashMap<PageKey, Arc<PublishedSheet>>>,
}

/// What identifies a published sheet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PageKey {
    pub room: RoomName,
    pub publication: SecretId,
    /// The random number in its link.
    pub link: String,
    pub part: PublishedPart,
    /// `None` for the first sheet.
    pub sheet: Option<SheetId>,
}

pub(super) struct PublishedSheet {
    pub key: PageKey,
    /// Held while the sheet is drawn, so that it is drawn once.
    drawing: tokio::sync::Mutex<()>,
    state: watch::Sender<State>,
    readers: Mutex<Readers>,
    /// The last reader has gone.
    is_unread: Notify,
}

#[derive(Clone, Default)]
struct State {
    /// The newest version.
    version: Option<Arc<str>>,
    /// Its drawing, and when it was made, if this server runs the workbook.
    drawn: Option<(Arc<Drawing>, Instant)>,
    /// Oldest first; each begins with the version with which the one before it ends.
    updates: VecDeque<Update>,
    /// The page is no longer published, or another server runs the workbook.
    end: Option<End>,
}

/// What leads from one version to the next: an event of the page.
#[derive(Clone)]
pub(super) struct Update {
    pub from: Arc<str>,
    pub to: Arc<str>,
    pub event: Bytes,
}

/// Why the streams of a sheet end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The page is not published any more.
    Stopped,
    /// Readers connect again, and may find another server.
    Lost,
}

#[derive(Default)]
struct Readers {
    count: usize,
    /// When the last one has gone.
    unread_since: Option<Instant>,
    /// A task draws the sheet when its workbook changes.
    is_followed: bool,
}

impl PublishedPages {
    /// Creates the list, without a page.
    pub fn new(
        rooms: Rooms,
        access: Access,
        relay: OwnerRelay,
        stop: watch::Receiver<bool>,
    ) -> PublishedPages {
        PublishedPages(Arc::new(Inner { rooms, access, relay, stop, sheets: Mutex::default() }))
    }

    pub(super) fn rooms(&self) -> &Rooms {
        &self.0.rooms
    }

    pub(super) fn access(&self) -> &Access {
        &self.0.access
    }

    pub(super) fn relay(&self) -> &OwnerRelay {
        &self.0.relay
    }

    pub(super) fn stop(&self) -> watch::Receiver<bool> {
        self.0.stop.clone()
    }

    /// Returns the drawing of a sheet at the newest revision, or one that is at most
    /// `PUBLISHED_INTERVAL_MS` older.
    ///
    /// # Errors
    ///
    /// Fails when the workbook cannot be read.
    pub async fn drawing(&self, key: &PageKey) -> Result<Arc<Drawing>, ApiError> {
        let sheet = self.sheet(key);
        self.draw(&sheet, INTERVAL).await
    }

    /// Adds a reader that shows a version.
    ///
    /// # Errors
    ///
    /// Fails with `overloaded` when the sheet has `PUBLISHED_READERS_MAX` readers.
    pub fn read(&self, key: &PageKey, version: &str) -> Result<Reader, ApiError> {
        let sheet = self.sheet(key);
        let state = sheet.state.subscribe();
        let mut readers = sheet.lock();
        if readers.count >= limits::PUBLISHED_READERS_MAX {
            return Err(ApiError::new(ErrorCode::Overloaded, "the published page has too many readers"));
        }
        readers.count += 1;
        if !readers.is_followed {
            readers.is_followed = true;
            tokio::spawn(self.clone().follow(Arc::clone(&sheet)));
        }
        drop(readers);
        self.0.rooms.metrics().published_readers.inc();
        Ok(Reader { pages: self.clone(), sheet, state, version: version.into() })
    }

    fn sheet(&self, key: &PageKey) -> Arc<PublishedSheet> {
        let mut sheets = self.lock();
        if let Some(sheet) = sheets.get(key) {
            return Arc::clone(sheet);
        }
        let unread = sheets.values().filter_map(|sheet| {
            let readers = sheet.lock();
            (readers.count == 0 && !readers.is_followed).then(|| (readers.unread_since, sheet.key.clone()))
        });
        let unread: Vec<_> = unread.collect();
        if unread.len() >= limits::PUBLISHED_DRAWINGS_KEPT
            && let Some((_, oldest)) = unread.into_iter().min_by_key(|(since, _)| *since)
        {
            sheets.remove(&oldest);
        }
        let sheet = Arc::new(PublishedSheet {
            key: key.clone(),
            drawing: tokio::sync::Mutex::default(),
            state: watch::Sender::default(),
            readers: Mutex::new(Readers { unread_since: Some(Instant::now()), ..Readers::default() }),
            is_unread: Notify::new(),
        });
        sheets.insert(key.clone(), Arc::clone(&sheet));
        sheet
    }

    /// Draws a sheet unless its newest drawing is of the newest revision or younger than `age_max`.
    async fn draw(&self, sheet: &PublishedSheet, age_max: Duration) -> Result<Arc<Drawing>, ApiError> {
        let key = &sheet.key;
        let _drawing = sheet.drawing.lock().await;
        let known = sheet.state.borrow().drawn.clone();
        if let Some((drawing, made)) = &known
            && made.elapsed() < age_max
        {
            return Ok(Arc::clone(drawing));
        }
        let head = self.0.rooms.read_inputs(&key.room).await?.revision;
        if let Some((drawing, _)) = &known
            && drawing.revision == head
        {
            return Ok(Arc::clone(drawing));
        }
        let reading = self.0.rooms.read(&key.room).await?;
        let scene = Scene {
            workbook: reading.workbook.clone(),
            revision: reading.revision,
            time_and_seed: EvaluationContext { time_ms: now_ms(), seed: 0 },
            part: key.part.clone(),
            sheet: key.sheet,
        };
        let earlier = known.map(|(drawing, _)| drawing);
        let before = earlier.clone();
        let drawn = in_background(move || {
            let drawing = Drawing::new(scene);
            let event = before.and_then(|earlier| event(&earlier, &drawing));
            (drawing, event)
        });
        let failed = || ApiError::new(ErrorCode::Internal, "internal error while drawing a published page");
        let (drawing, event) = drawn.await.ok_or_else(failed)?;
        self.0.rooms.metrics().published_drawings.inc();
        let drawing = Arc::new(drawing);
        let version: Arc<str> = drawing.version.as_str().into();
        let update = earlier.zip(event).map(|(earlier, event)| Update {
            from: earlier.version.as_str().into(),
            to: Arc::clone(&version),
            event,
        });
        sheet.state.send_modify(|state| state.drawn = Some((Arc::clone(&drawing), Instant::now())));
        sheet.set_version(version, update);
        Ok(drawing)
    }

    /// Draws a sheet when its workbook has changed, as long as somebody reads it.
    async fn follow(self, sheet: Arc<PublishedSheet>) {
        if let Ok(Some(_)) = self.0.rooms.owner_elsewhere(&sheet.key.room).await {
            return self.follow_elsewhere(&sheet).await;
        }
        let mut stop = self.stop();
        let Ok(feed) = self.0.rooms.change_feeds().open(&sheet.key.room, nobody()) else {
            return self.end(&sheet, End::Lost);
        };
        loop {
            if !self.is_published(&sheet.key).await.unwrap_or(true) || feed.end() == Some(FeedEnd::Deleted) {
                return self.end(&sheet, End::Stopped);
            }
            let began = Instant::now();
            match self.draw(&sheet, Duration::ZERO).await {
                Ok(_) => {}
                Err(error) if matches!(error.code, ErrorCode::NoSuchRoom | ErrorCode::NotFound) => {
                    return self.end(&sheet, End::Stopped);
                }
                // The next change is drawn again.
                Err(error) if matches!(error.code, ErrorCode::Overloaded | ErrorCode::Internal) => {
                    tracing::warn!(room = %sheet.key.room, error = error.message, "cannot draw a published page");
                }
                Err(_) => return self.end(&sheet, End::Lost),
            }
            // A change after a pause is drawn at once, those that follow together.
            let next = began + INTERVAL.max(4 * began.elapsed());
            tokio::select! {
                () = feed.changed() => tokio::time::sleep_until(next.into()).await,
                () = sheet.is_unread.notified() => {}
                // Fails when the server has ended.
                _ = stop.changed() => return self.end(&sheet, End::Lost),
            }
            if *stop.borrow() {
                return self.end(&sheet, End::Lost);
            }
            if sheet.leave_if_unread() {
                return;
            }
        }
    }

    /// Ends the streams of all readers of a sheet.
    pub(super) fn end(&self, sheet: &PublishedSheet, end: End) {
        self.lock().remove(&sheet.key);
        sheet.state.send_modify(|state| state.end = Some(end));
    }

    async fn is_published(&self, key: &PageKey) -> Result<bool, ApiError> {
        let document = self.0.access.document(&key.room).await?;
        Ok(document.is_some_and(|document| {
            let access = &document.value;
            access.trashed_ms.is_none()
                && access.publications.iter().any(|publication| publication.id == key.publication)
        }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PageKey, Arc<PublishedSheet>>> {
        // No code under this lock panics.
        self.0.sheets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PublishedSheet {
    /// The newest version; `None` before the first.
    pub fn version(&self) -> Option<Arc<str>> {
        self.state.borrow().version.clone()
    }

    /// Sets the newest version, and what leads to it.
    pub fn set_version(&self, version: Arc<str>, update: Option<Update>) {
        self.state.send_modify(|state| {
            state.version = Some(version);
            state.updates.extend(update);
            if state.updates.len() > limits::PUBLISHED_UPDATES_KEPT {
                state.updates.pop_front();
            }
        });
    }

    /// Whether nobody reads the sheet; the next reader has it followed again.
    pub fn leave_if_unread(&self) -> bool {
        let mut readers = self.lock();
        readers.is_followed = readers.count > 0;
        !readers.is_followed
    }

    fn lock(&self) -> MutexGuard<'_, Readers> {
        // No code under this lock panics.
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who follows the changes of a workbook for all readers. The access of people says nothing about it.
fn nobody() -> Client {
    Client {
        role: Role::View,
        identity: Arc::new(Identity::anonymous()),
        address: None,
        is_view_only: true,
        expiry: Expiry::default(),
    }
}

/// The event that leads from one drawing to another; `None` when they look alike.
fn event(earlier: &Drawing, drawing: &Drawing) -> Option<Bytes> {
    if earlier.version == drawing.version {
        return None;
    }
    Some(match drawing.changes_since(earlier) {
        Some(changes) => format!("id: {}\nevent: cells\ndata: {changes}\n\n", drawing.version).into(),
        None => load_again(&drawing.version),
    })
}

fn load_again(version: &str) -> Bytes {
    format!("id: {version}\nevent: load\ndata: {version}\n\n").into()
}

/// Somebody who reads a published sheet; leaves when dropped.
pub struct Reader {
    pages: PublishedPages,
    sheet: Arc<PublishedSheet>,
    state: watch::Receiver<State>,
    /// What the page of the reader shows.
    version: Arc<str>,
}

impl Reader {
    /// Waits for the next events, and for a sign of life when there are none for a while. `None` at the
    /// end of the stream.
    pub async fn next(&mut self) -> Option<Bytes> {
        let alive_at = tokio::time::Instant::now() + Duration::from_secs(limits::FEED_ALIVE_SECONDS);
        loop {
            match self.ready() {
                Ready::Events(events) => return Some(events),
                Ready::End(End::Stopped) => {
                    // The page says so, and does not connect again.
                    return (!self.version.is_empty()).then(|| {
                        self.version = "".into();
                        Bytes::from_static(b"event: stop\ndata: stop\n\n")
                    });
                }
                Ready::End(End::Lost) => return None,
                Ready::Nothing => {}
            }
            tokio::select! {
                changed = self.state.changed() => changed.ok()?,
                () = tokio::time::sleep_until(alive_at) => return Some(Bytes::from_static(b":\n\n")),
            }
        }
    }

    fn ready(&mut self) -> Ready {
        let state = self.state.borrow_and_update();
        if let Some(end) = state.end {
            return Ready::End(end);
        }
        let Some(newest) = state.version.clone() else { return Ready::Nothing };
        if newest == self.version {
            return Ready::Nothing;
        }
        // A workbook can look again as it did before: the last of several updates from there.
        let first = state.updates.iter().rposition(|update| update.from == self.version);
        let mut events: Vec<Bytes> = first
            .into_iter()
            .flat_map(|first| state.updates.range(first..))
            .map(|update| update.event.clone())
            .collect();
        let is_complete = state.updates.back().is_some_and(|update| update.to == newest);
        if events.is_empty() || !is_complete {
            events = vec![load_again(&newest)];
        }
        drop(state);
        self.version = newest;
        match <[Bytes; 1]>::try_from(events) {
            // The same bytes for all readers.
            Ok([event]) => Ready::Events(event),
            Err(events) => Ready::Events(events.concat().into()),
        }
    }
}

enum Ready {
    Nothing,
    Events(Bytes),
    End(End),
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.pages.0.rooms.metrics().published_readers.dec();
        let mut readers = self.sheet.lock();
        readers.count -= 1;
        if readers.count == 0 {
            readers.unread_since = Some(Instant::now());
            self.sheet.is_unread.notify_one();
        }
    }
}
