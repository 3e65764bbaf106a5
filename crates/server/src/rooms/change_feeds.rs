//! The change feeds of rooms: who waits for new revisions, and pages of revisions that feeds at the
//! same revision share.
//!
//! The thread of a room only wakes its feeds. Each feed then reads revisions from the journal, so
//! that a slow reader costs no memory and a feed neither misses nor repeats a revision.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use quadrille_access::Action;
use quadrille_protocol::{Revision, RoomName};
use tokio::sync::{Notify, OnceCell};

use super::client::Client;
use crate::access::{DefaultAccess, Document, Revoked};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// The open feeds of all rooms. Clones share them.
#[derive(Clone, Default)]
pub struct ChangeFeeds(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Number of open feeds: without any, a room's thread takes no lock.
    open: AtomicUsize,
    next: AtomicU64,
    rooms: Mutex<HashMap<RoomName, RoomFeeds>>,
    listener: OnceLock<DurableListener>,
}

/// Told, on the threads of rooms, of the revisions after one that are durable up to another.
type DurableListener = Box<dyn Fn(&RoomName, Revision, Revision) + Send + Sync>;

#[derive(Default)]
struct RoomFeeds {
    feeds: BTreeMap<u64, Arc<State>>,
    pages: Pages,
}

/// What the room's thread tells a feed.
struct State {
    client: Client,
    /// The newest durable revision that the room has reported; 0 before the first.
    durable: AtomicU64,
    end: AtomicU8,
    changed: Notify,
}

/// Why a feed ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedEnd {
    /// The client has lost its access.
    AccessChanged = 1,
    Deleted = 2,
}

/// One feed; closes when dropped.
pub struct Feed {
    feeds: ChangeFeeds,
    room: RoomName,
    id: u64,
    state: Arc<State>,
    pages: Pages,
}

/// What identifies a page: the revision after which it begins, and the options of the feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageKey {
    pub after: Revision,
    pub options: Arc<str>,
}

/// Consecutive revisions as JSON.
pub struct FeedPage {
    /// The revisions that match the options of the feed.
    pub revisions: Vec<(Revision, Box<str>)>,
    /// The last revision that the page covers.
    pub up_to: Revision,
}

/// The newest pages of a room. Feeds that have read equally far share the work of making one.
#[derive(Clone, Default)]
struct Pages(Arc<Mutex<VecDeque<(PageKey, PageCell)>>>);

type PageCell = Arc<OnceCell<Arc<FeedPage>>>;

impl ChangeFeeds {
    /// Opens a feed.
    ///
    /// # Errors
    ///
    /// Fails with `overloaded` when the room has `FEEDS_PER_ROOM_MAX` feeds.
    pub fn open(&self, room: &RoomName, client: Client) -> Result<Feed, ApiError> {
        let mut rooms = self.lock();
        let feeds = rooms.entry(room.clone()).or_default();
        if feeds.feeds.len() >= limits::FEEDS_PER_ROOM_MAX {
            return Err(ApiError::new(ErrorCode::Overloaded, "the room has too many change feeds"));
        }
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            client,
            durable: AtomicU64::new(0),
            end: AtomicU8::new(0),
            changed: Notify::new(),
        });
        feeds.feeds.insert(id, Arc::clone(&state));
        let pages = feeds.pages.clone();
        self.0.open.fetch_add(1, Ordering::SeqCst);
        Ok(Feed { feeds: self.clone(), room: room.clone(), id, state, pages })
    }

    /// Whether the room has feeds.
    pub fn has(&self, room: &RoomName) -> bool {
        self.0.open.load(Ordering::SeqCst) > 0
            && self.lock().get(room).is_some_and(|feeds| !feeds.feeds.is_empty())
    }

    /// Sets who else is told of durable revisions. Later calls change nothing.
    pub fn on_durable(&self, listener: impl Fn(&RoomName, Revision, Revision) + Send + Sync + 'static) {
        _ = self.0.listener.set(Box::new(listener));
    }

    /// Reports that the revisions of a room after `base` are durable up to another.
    pub fn durable(&self, room: &RoomName, base: Revision, up_to: Revision) {
        if let Some(listener) = self.0.listener.get() {
            listener(room, base, up_to);
        }
        self.each_of(room, |state| {
            state.durable.fetch_max(up_to.0, Ordering::AcqRel);
            state.changed.notify_one();
        });
    }

    /// Reports that a room was deleted.
    pub fn deleted(&self, room: &RoomName) {
        self.each_of(room, |state| state.end(FeedEnd::Deleted));
        if let Some(feeds) = self.lock().get_mut(room) {
            // Not those of a room that gets the same name.
            feeds.pages = Pages::default();
        }
    }

    /// Ends the feeds that an access document no longer allows.
    pub fn reauthorize(&self, room: &RoomName, document: &Document, default_access: DefaultAccess) {
        self.each_of(room, |state| {
            let decision = state.client.decision_by(document, default_access);
            state.client.expiry.set(decision.until_ms);
            match Action::ReadHistory.is_allowed(decision.role) {
                true => state.changed.notify_one(),
                false => state.end(FeedEnd::AccessChanged),
            }
        });
    }

    /// Ends the feeds whose identity was proven by what has been revoked.
    pub fn revoke(&self, revoked: &Revoked) {
        if self.0.open.load(Ordering::SeqCst) == 0 {
            return;
        }
        let rooms = self.lock();
        for state in rooms.values().flat_map(|room| room.feeds.values()) {
            if state.client.identity.is_proven_by(revoked) {
                state.end(FeedEnd::AccessChanged);
            }
        }
    }

    fn each_of(&self, room: &RoomName, tell: impl Fn(&State)) {
        if self.0.open.load(Ordering::SeqCst) > 0
            && let Some(feeds) = self.lock().get(room)
        {
            feeds.feeds.values().for_each(|state| tell(state));
        }
    }

    fn close(&self, room: &RoomName, id: u64) {
        let mut rooms = self.lock();
        if let Some(feeds) = rooms.get_mut(room)
            && feeds.feeds.remove(&id).is_some()
        {
            self.0.open.fetch_sub(1, Ordering::SeqCst);
            if feeds.feeds.is_empty() {
                rooms.remove(room);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RoomName, RoomFeeds>> {
        // No code under this lock panics.
        self.0.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end(&self, end: FeedEnd) {
        self.end.store(end as u8, Ordering::Release);
        self.changed.notify_one();
    }
}

impl Feed {
    /// The client of the feed.
    pub fn client(&self) -> &Client {
        &self.state.client
    }

    /// The newest durable revision that the room has reported since the feed was opened; 0 when
    /// there is none.
    pub fn durable(&self) -> Revision {
        Revision(self.state.durable.load(Ordering::Acquire))
    }

    /// Why the feed has to end; `None` while it may go on.
    pub fn end(&self) -> Option<FeedEnd> {
        match self.state.end.load(Ordering::Acquire) {
            1 => Some(FeedEnd::AccessChanged),
            2 => Some(FeedEnd::Deleted),
            _ => None,
        }
    }

    /// Waits until the room has reported something since the last call.
    pub async fn changed(&self) {
        self.state.changed.notified().await;
    }

    /// Returns the page of a key, which `make` makes unless another feed has or does.
    ///
    /// # Errors
    ///
    /// Those of `make`; the page is then made again when it is needed.
    pub async fn page(
        &self,
        key: PageKey,
        make: impl AsyncFnOnce() -> Result<FeedPage, ApiError>,
    ) -> Result<Arc<FeedPage>, ApiError> {
        let cell = self.pages.cell(key);
        cell.get_or_try_init(async || make().await.map(Arc::new)).await.cloned()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.feeds.close(&self.room, self.id);
    }
}

impl Pages {
    fn cell(&self, key: PageKey) -> PageCell {
        // No code under this lock panics.
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cell)) = pages.iter().find(|(known, _)| *known == key) {
            return Arc::clone(cell);
        }
        if pages.len() >= limits::FEED_PAGES_SHARED {
            pages.pop_front();
        }
        let cell = PageCell::default();
        pages.push_back((key, Arc::clone(&cell)));
        cell
    }
}
