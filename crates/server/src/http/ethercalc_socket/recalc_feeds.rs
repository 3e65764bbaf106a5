//! [`RecalcFeeds`]: the other rooms that a client has asked for by `ask.recalc`, because its formulas
//! refer to them. When one of them changes, the client gets its save as `recalc` with `force`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use quadrille_protocol::RoomName;
use tokio::time::{Instant, sleep_until};

use crate::error::ApiError;
use crate::limits;
use crate::rooms::{ChangeFeeds, Client, Feed};

/// Time between two saves of a room that changes all the time.
const PAUSE: Duration = Duration::from_millis(500);

/// The rooms of one connection.
#[derive(Default)]
pub struct RecalcFeeds {
    feeds: Vec<RecalcFeed>,
}

struct RecalcFeed {
    /// The room or sheet, as the client has named it.
    name: String,
    feed: Feed,
    has_changed: bool,
    /// When the room may be told again.
    next: Instant,
    /// Hash of the save that the client knows.
    known: u64,
}

impl RecalcFeeds {
    /// Follows the room in which `name` is, from before it is read. A room that is followed already, and
    /// more than `ETHERCALC_RECALC_ROOMS_MAX`, are not followed.
    ///
    /// # Errors
    ///
    /// Fails when the room has too many change feeds.
    pub fn follow(
        &mut self,
        name: &str,
        room: &RoomName,
        client: Client,
        feeds: &ChangeFeeds,
    ) -> Result<(), ApiError> {
        let is_known = self.feeds.iter().any(|feed| feed.name == name);
        if !is_known && self.feeds.len() < limits::ETHERCALC_RECALC_ROOMS_MAX {
            let feed = feeds.open(room, client)?;
            let next = Instant::now();
            self.feeds.push(RecalcFeed { name: name.to_owned(), feed, has_changed: false, next, known: 0 });
        }
        Ok(())
    }

    /// Notes the save that the client is sent. Returns whether it differs from the last one.
    pub fn note(&mut self, name: &str, save: Option<&str>) -> bool {
        let mut hasher = DefaultHasher::new();
        save.hash(&mut hasher);
        let hash = hasher.finish();
        let feed = self.feeds.iter_mut().find(|feed| feed.name == name);
        feed.is_none_or(|feed| std::mem::replace(&mut feed.known, hash) != hash)
    }

    /// No longer follows a room.
    pub fn forget(&mut self, name: &str) {
        self.feeds.retain(|feed| feed.name != name);
    }

    /// Waits until a room has changed and may be told; its name. May be dropped and called again.
    pub async fn next(&mut self) -> String {
        loop {
            let waiting = self.feeds.iter().filter(|feed| feed.has_changed).map(|feed| feed.next).min();
            let wait = async {
                match waiting {
                    Some(next) => sleep_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                index = changed(&self.feeds) => self.feeds[index].has_changed = true,
                () = wait => {
                    let now = Instant::now();
                    let ready = self.feeds.iter_mut().find(|feed| feed.has_changed && feed.next <= now);
                    if let Some(ready) = ready {
                        (ready.has_changed, ready.next) = (false, now + PAUSE);
                        return ready.name.clone();
                    }
                }
            }
        }
    }
}

/// Waits for a change; the index of the feed.
async fn changed(feeds: &[RecalcFeed]) -> usize {
    if feeds.is_empty() {
        return std::future::pending().await;
    }
    let waits = feeds.iter().map(|feed| Box::pin(feed.feed.changed()));
    futures_util::future::select_all(waits).await.1
}
