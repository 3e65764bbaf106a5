//! Telling a session whom the server has verified, what others look like, and owners that somebody
//! asks for access (`P28`, `P29`).
//! The room stores none of it.

use quadrille_protocol::{AccessFrame, Role, SessionId};

use crate::effect::{Effect, FramePriority};
use crate::limits::PICTURES_PER_SESSION_MAX;
use crate::room::Room;

impl Room {
    /// Answers a session that asks whom the server has verified. Later it is told of requests for
    /// access, if it is an owner's.
    pub(crate) fn identify(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        let Some(member) = self.member(session) else { return };
        member.is_told_of_requests = true;
        let account = member.editor.account.clone();
        let email = member.editor.email.clone().unwrap_or_default();
        let frame = AccessFrame::Identified { account, email }.encode().into();
        effects.push(Effect::Send { session, frame, priority: FramePriority::Ordered });
    }

    /// Sends a session the picture of a person who is here, or its own.
    pub(crate) fn send_picture(
        &mut self,
        session: SessionId,
        of: Option<SessionId>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(member) = self.member(session) else { return };
        if member.pictures_sent >= PICTURES_PER_SESSION_MAX {
            return;
        }
        member.pictures_sent += 1;
        let pictured = self.sessions.get(&of.unwrap_or(session)).filter(|pictured| pictured.member.is_some());
        let url = pictured.and_then(|pictured| pictured.picture.clone()).unwrap_or_default();
        // May be dropped: the client shows initials until then.
        let (frame, priority) = (AccessFrame::Picture { of, url }.encode().into(), FramePriority::Presence);
        effects.push(Effect::Send { session, frame, priority });
    }

    /// Tells the owners who are here that somebody asks for access.
    pub(crate) fn access_requested(&mut self, effects: &mut Vec<Effect>) {
        for (session, connected) in &self.sessions {
            let is_told = connected.member.as_ref().is_some_and(|member| member.is_told_of_requests);
            if is_told && connected.role == Role::Owner {
                // May be dropped: the client reads the list of requests when its person looks at it.
                let (frame, priority) =
                    (AccessFrame::AccessRequested.encode().into(), FramePriority::Presence);
                effects.push(Effect::Send { session: *session, frame, priority });
            }
        }
    }
}
