//! Telling a session whom the server has verified, and owners that somebody asks for access (`P28`).
//! The room stores none of it.

use quadrille_protocol::{AccessFrame, Role, SessionId};

use crate::effect::{Effect, FramePriority};
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
