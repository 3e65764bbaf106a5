//! Following another person's view (`P25`). The room stores no views: followed sessions report
//! theirs when somebody begins to follow them and as they scroll.

use quadrille_protocol::{FollowFrame, FollowRequest, SessionId};

use crate::effect::{Effect, FramePriority};
use crate::room::Room;

impl Room {
    pub(crate) fn follow(&mut self, session: SessionId, request: FollowRequest, effects: &mut Vec<Effect>) {
        match request {
            FollowRequest::Follow { session: wanted } => {
                if self.followers.follow(session, wanted) {
                    effects.extend(
                        wanted.map(|followed| send(followed, FollowFrame::Followed { is_followed: true })),
                    );
                }
            }
            FollowRequest::Scrolled { sheet, cell } => match self.followers.of(session) {
                Some(followers) => {
                    let frame = FollowFrame::Scrolled { session, sheet, cell };
                    effects.extend(followers.iter().map(|follower| send(*follower, frame)));
                }
                // The last follower left before the client knew.
                None => effects.push(send(session, FollowFrame::Followed { is_followed: false })),
            },
        }
    }
}

/// Frames about following can be dropped: the next one replaces them.
fn send(session: SessionId, frame: FollowFrame) -> Effect {
    Effect::Send { session, frame: frame.encode().into(), priority: FramePriority::Presence }
}
