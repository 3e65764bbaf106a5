//! Who follows whom, and what those see who are followed. Nothing of it is kept: the followed say what they see when
//! somebody begins to follow, and as they scroll.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_protocol::{FollowFrame, FollowRequest, SessionId};

use crate::event::{Effect, FramePriority};
use crate::room::Room;

#[derive(Default)]
pub(crate) struct Following {
    /// Sessions that know of following, and whom each follows: one at most.
    follows: BTreeMap<SessionId, Option<SessionId>>,
    /// The same, by who is followed. No set is empty.
    followers: BTreeMap<SessionId, BTreeSet<SessionId>>,
}

impl Following {
    pub fn went(&mut self, session: SessionId) {
        if let Some(Some(before)) = self.follows.remove(&session) {
            self.stops(session, before);
        }
        for follower in self.followers.remove(&session).unwrap_or_default() {
            self.follows.insert(follower, None);
        }
    }

    fn stops(&mut self, follower: SessionId, followed: SessionId) {
        let Some(followers) = self.followers.get_mut(&followed) else { return };
        followers.remove(&follower);
        if followers.is_empty() {
            self.followers.remove(&followed);
        }
    }

    /// Whether that one can be followed: not oneself, and somebody who knows what it is to be followed.
    fn begins(&mut self, follower: SessionId, wanted: Option<SessionId>) -> bool {
        if let Some(Some(before)) = self.follows.insert(follower, None) {
            self.stops(follower, before);
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
}

impl Room {
    pub(crate) fn follow(&mut self, session: SessionId, request: FollowRequest, effects: &mut Vec<Effect>) {
        match request {
            FollowRequest::Follow { session: wanted } => {
                if self.following.begins(session, wanted) {
                    effects.extend(
                        wanted.map(|followed| send(followed, FollowFrame::Followed { is_followed: true })),
                    );
                }
            }
            FollowRequest::Scrolled { sheet, cell } => match self.following.followers.get(&session) {
                Some(followers) => {
                    let frame = FollowFrame::Scrolled { session, sheet, cell };
                    effects.extend(followers.iter().map(|follower| send(*follower, frame)));
                }
                // The last follower has gone in the meantime.
                None => effects.push(send(session, FollowFrame::Followed { is_followed: false })),
            },
        }
    }
}

/// What is said next makes up for what is lost on the way.
fn send(session: SessionId, frame: FollowFrame) -> Effect {
    Effect::Send { session, frame: frame.encode().into(), lane: FramePriority::Presence }
}
