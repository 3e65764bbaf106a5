//! The keys that a host publishes: fetched when a token first needs them, kept, and fetched again
//! when they are old or a token names an unknown one, but not too often.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{Request, Uri};

use super::keys::{Key, from_key_set};
use crate::http_client::HttpClient;
use crate::limits;

/// Keys at one moment.
pub type Keys = Arc<Vec<Key>>;

/// A published key set.
pub struct KeySet {
    url: Uri,
    state: Mutex<State>,
    /// Held while fetching, so that one request asks for all.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    keys: Option<(Keys, Instant)>,
    /// The last request, successful or not.
    asked: Option<Instant>,
}

/// Keys that could not be fetched again are used for so long: a day, so that a host that is down
/// for a night does not lock everybody out, and a key that was withdrawn does not count for ever.
const STALE_MAX: Duration = Duration::from_secs(86_400);
const FRESH_MAX: Duration = Duration::from_secs(limits::HOST_KEYS_SECONDS_MAX);
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(limits::HOST_KEYS_SECONDS_MIN);

impl State {
    /// The keys that can be used without asking, if that is so.
    fn answer(&self, outdated: Option<&Keys>, now: Instant) -> Option<Option<Keys>> {
        let known = self.keys.as_ref().filter(|(_, at)| now.saturating_duration_since(*at) < STALE_MAX);
        if let Some((keys, at)) = known {
            let is_outdated = outdated.is_some_and(|outdated| Arc::ptr_eq(outdated, keys));
            if !is_outdated && now.saturating_duration_since(*at) < FRESH_MAX {
                return Some(Some(Arc::clone(keys)));
            }
        }
        let is_recent = self.asked.is_some_and(|at| now.saturating_duration_since(at) < ASKED_AGAIN_AFTER);
        is_recent.then(|| known.map(|(keys, _)| Arc::clone(keys)))
    }
}

impl KeySet {
    /// The key set at an address. Sends nothing: the host may start later than this server.
    pub fn new(url: Uri) -> KeySet {
        KeySet { url, state: Mutex::default(), fetching: tokio::sync::Mutex::default() }
    }

    /// The keys; `None` when they cannot be fetched. With `outdated` they are fetched again if they
    /// are still those, but at most every [`limits::HOST_KEYS_SECONDS_MIN`].
    pub async fn keys(&self, client: &Arc<HttpClient>, outdated: Option<&Keys>) -> Option<Keys> {
        if let Some(keys) = self.lock().answer(outdated, Instant::now()) {
            return keys;
        }
        let _fetching = self.fetching.lock().await;
        {
            let mut state = self.lock();
            // Somebody else may have fetched them meanwhile.
            if let Some(keys) = state.answer(outdated, Instant::now()) {
                return keys;
            }
            state.asked = Some(Instant::now());
        }
        let (client, url) = (Arc::clone(client), self.url.clone());
        let fetched = tokio::task::spawn_blocking(move || fetch(&client, url)).await;
        let mut state = self.lock();
        match fetched.expect("fetching does not panic") {
            Ok(keys) => state.keys = Some((Arc::new(keys), Instant::now())),
            Err(reason) => {
                tracing::warn!(url = %self.url, reason, "the keys of a token issuer were not fetched")
            }
        }
        state.keys.as_ref().filter(|(_, at)| at.elapsed() < STALE_MAX).map(|(keys, _)| Arc::clone(keys))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned value is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fetch(client: &HttpClient, url: Uri) -> Result<Vec<Key>, String> {
    let request = Request::get(url).header("accept", "application/jwk-set+json, application/json");
    let request = request.body(Vec::new()).map_err(|error| error.to_string())?;
    let response = client.send(request).map_err(|error| error.to_string())?;
    if !response.status().is_success() {
        return Err(format!("status {}", response.status()));
    }
    from_key_set(response.body())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_asked_for_when_they_are_old_or_unknown_but_not_often() {
        let begin = Instant::now();
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        let keys: Keys = Arc::default();
        let state = State { keys: Some((Arc::clone(&keys), begin)), asked: Some(begin) };
        let found = |outdated: Option<&Keys>, now| match state.answer(outdated, now) {
            None => "ask",
            Some(Some(_)) => "known",
            Some(None) => "none",
        };
        let (min, max) = (limits::HOST_KEYS_SECONDS_MIN, limits::HOST_KEYS_SECONDS_MAX);
        assert_eq!(found(None, after(max - 1)), "known");
        assert_eq!(found(None, after(max)), "ask");
        assert_eq!(found(Some(&keys), after(min - 1)), "known");
        assert_eq!(found(Some(&keys), after(min)), "ask");
        let other: Keys = Arc::default();
        assert_eq!(found(Some(&other), after(min)), "known");
        // A host that does not answer.
        let failed = State { asked: Some(after(max)), ..state };
        assert_eq!(failed.answer(None, after(max + min - 1)).map(|keys| keys.is_some()), Some(true));
        assert!(failed.answer(None, after(max + min)).is_none());
        let late = State { asked: Some(after(90_000)), ..failed };
        assert_eq!(late.answer(None, after(90_001)).map(|keys| keys.is_some()), Some(false));
        assert!(State::default().answer(None, begin).is_none());
    }
}
