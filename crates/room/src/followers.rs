//! The relation between followers and followed sessions. Nothing of it is stored.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_protocol::SessionId;

#[derive(Default)]
pub(crate) struct Followers {
    /// Sessions that support following, with the session that each follows.
    follows: BTreeMap<SessionId, Option<SessionId>>,
    /// The inverse of `follows`. No set is empty.
    followers: BTreeMap<SessionId, BTreeSet<SessionId>>,
}

impl Followers {
    /// Removes a session as follower and as followed.
    pub fn remove(&mut self, session: SessionId) {
        if let Some(Some(before)) = self.follows.remove(&session) {
            self.remove_follower(session, before);
        }
        for follower in self.followers.remove(&session).unwrap_or_default() {
            self.follows.insert(follower, None);
        }
    }

    fn remove_follower(&mut self, follower: SessionId, followed: SessionId) {
        let Some(followers) = self.followers.get_mut(&followed) else { return };
        followers.remove(&follower);
        if followers.is_empty() {
            self.followers.remove(&followed);
        }
    }

    /// Sets the session that `follower` follows, and registers `follower` as one that supports
    /// following. Returns whether it follows somebody now: a session cannot follow itself or a
    /// session that does not support following.
    pub fn follow(&mut self, follower: SessionId, wanted: Option<SessionId>) -> bool {
        if let Some(Some(before)) = self.follows.insert(follower, None) {
            self.remove_follower(follower, before);
        }
        match wanted.filter(|wanted| *wanted != follower && self.follows.contains_key(wanted)) {
            Some(followed) => {
                self.follows.insert(follower, Some(followed));
                self.followers.entry(followed).or_default().insert(follower);
                true
            }
            None => false,
        }
    }

    /// The followers of a session; `None` when there are none.
    pub fn of(&self, followed: SessionId) -> Option<&BTreeSet<SessionId>> {
        self.followers.get(&followed)
    }
}
